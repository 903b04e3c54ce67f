//! The one place that makes inline PTX.
//!
//! LLVM ends the process on a wrong constraint and does not look at the text at all, so text,
//! operand counts and constraints are built and checked together here, before LLVM sees them.
//! Outputs are always `=&r`: NVPTX shares registers of outputs and inputs otherwise, and a
//! block of several instructions then reads what it has already overwritten.

use crate::error::EmitError;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, IntValue};

/// What a block does besides computing its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// Nothing.
    Pure,
    /// Speaks to other lanes or to caches: may not be duplicated, moved across branches or deleted.
    Warp,
    /// As `Warp`, and orders or touches memory.
    Memory,
}

/// Instructions that blocks may use, without their type suffixes.
const OPCODES: &[&str] = &[
    ".reg", "add", "addc", "sub", "subc", "mul", "mad", "madc", "mov", "and", "or", "xor", "not", "shf",
    "shl", "shr", "selp", "setp", "min", "max", "lop3", "bar", "fence", "membar", "shfl", "vote", "match",
    "ld", "st", "atom", "prefetch",
];

/// Checks a block's text: known instructions, balanced braces, operands in range, every
/// output written, nothing that LLVM would interpret.
fn check(text: &str, outputs: usize, inputs: usize) -> Result<(), String> {
    if let Some(c) = text.chars().find(|c| !(c.is_ascii_graphic() || matches!(c, ' ' | '\n' | '\t'))) {
        return Err(format!("character {c:?}"));
    }
    let mut depth = 0i32;
    for c in text.chars() {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if depth < 0 {
            return Err("unbalanced braces".into());
        }
    }
    if depth != 0 {
        return Err("unbalanced braces".into());
    }
    let mut written = vec![false; outputs];
    let body = text.trim_end_matches(['}', ' ', '\n', '\t']);
    if !body.is_empty() && !body.ends_with(';') {
        return Err("last instruction has no semicolon".into());
    }
    for line in text.split([';', '\n']) {
        let line = line.trim_matches(['{', '}', ' ', '\t']);
        if line.is_empty() {
            continue;
        }
        let unguarded = match line.strip_prefix('@') {
            Some(rest) => rest.split_once(' ').ok_or_else(|| format!("guard alone: {line}"))?.1,
            None => line,
        };
        let word = unguarded.split_whitespace().next().unwrap_or_default();
        let opcode = match word.strip_prefix('.') {
            Some(_) => word,
            None => word.split('.').next().unwrap_or_default(),
        };
        if !OPCODES.contains(&opcode) {
            return Err(format!("unknown instruction `{opcode}`"));
        }
        let mut rest = line;
        // `mov` to a pair writes both.
        let pair = opcode == "mov" && unguarded.split(',').next().is_some_and(|d| d.contains('{'));
        let mut destinations = if pair { 2 } else { 1 };
        while let Some(at) = rest.find('$') {
            rest = &rest[at + 1..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let k: usize = rest[..digits].parse().map_err(|_| format!("bare `$` in {line}"))?;
            if k >= outputs + inputs {
                return Err(format!("operand ${k} of {} in {line}", outputs + inputs));
            }
            if destinations > 0 && k < outputs {
                written[k] = true;
            }
            destinations -= usize::from(destinations > 0);
        }
    }
    match written.iter().position(|w| !w) {
        Some(k) => Err(format!("output ${k} is never written")),
        None => Ok(()),
    }
}

/// Constraint letter of an input, by its width.
fn letter(v: &IntValue<'_>) -> Result<&'static str, EmitError> {
    match v.get_type().get_bit_width() {
        1 => Ok("b"),
        32 => Ok("r"),
        64 => Ok("l"),
        w => Err(EmitError::Asm(format!("operand of {w} bits"))),
    }
}

/// Builds a block with `outputs` words as results. In `text`, `$0…` are the outputs, then the
/// inputs (words, 64-bit words or predicates) in order.
pub(super) fn call<'c>(
    ctx: &'c Context,
    b: &Builder<'c>,
    text: &str,
    outputs: usize,
    inputs: &[IntValue<'c>],
    effect: Effect,
) -> Result<Vec<IntValue<'c>>, EmitError> {
    check(text, outputs, inputs.len()).map_err(EmitError::Asm)?;
    let word = ctx.i32_type();
    let args: Vec<BasicMetadataTypeEnum<'c>> = inputs.iter().map(|v| v.get_type().into()).collect();
    let ty = match outputs {
        0 => ctx.void_type().fn_type(&args, false),
        1 => word.fn_type(&args, false),
        n => ctx.struct_type(&vec![word.into(); n], false).fn_type(&args, false),
    };
    let mut constraints = vec!["=&r"; outputs];
    for v in inputs {
        constraints.push(letter(v)?);
    }
    if effect == Effect::Memory {
        constraints.push("~{memory}");
    }
    let effects = effect != Effect::Pure;
    let block =
        ctx.create_inline_asm(ty, text.to_owned(), constraints.join(","), effects, false, None, false);
    let values: Vec<BasicMetadataValueEnum<'c>> = inputs.iter().map(|v| (*v).into()).collect();
    let call = b.build_indirect_call(ty, block, &values, "").map_err(llvm)?;
    let attribute = |name: &str| ctx.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
    call.add_attribute(AttributeLoc::Function, attribute("nounwind"));
    if effects {
        call.add_attribute(AttributeLoc::Function, attribute("convergent"));
    } else {
        // Lets LLVM drop or move a block whose results are not needed.
        call.add_attribute(AttributeLoc::Function, attribute("willreturn"));
    }
    match outputs {
        0 => Ok(vec![]),
        1 => Ok(vec![call.try_as_basic_value().unwrap_basic().into_int_value()]),
        n => {
            let s = call.try_as_basic_value().unwrap_basic().into_struct_value();
            (0..n)
                .map(|k| Ok(b.build_extract_value(s, k as u32, "").map_err(llvm)?.into_int_value()))
                .collect()
        }
    }
}

/// An error of the builder as ours.
pub(super) fn llvm(e: impl std::fmt::Display) -> EmitError {
    EmitError::Llvm(e.to_string())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::llvm::{TRIPLE, machine};
    use inkwell::context::Context;
    use inkwell::memory_buffer::MemoryBuffer;
    use inkwell::targets::{FileType, TargetTriple};

    /// The assembly line of a loop `x = 7 + x`, whose block writes its output and reads its input later.
    fn block_in_a_loop(output: &str) -> String {
        let ir = format!(
            "define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {{
            entry:
              %a = load i32, ptr addrspace(1) %p
              br label %loop
            loop:
              %x = phi i32 [ %a, %entry ], [ %y, %loop ]
              %y = call i32 asm \"mov.u32 $0, 7; add.u32 $0, $0, $1;\", \"{output},r\"(i32 %x)
              %c = icmp ult i32 %y, %n
              br i1 %c, label %loop, label %exit
            exit:
              store i32 %y, ptr addrspace(1) %p
              ret void
            }}"
        );
        let machine = machine().expect("there is a target machine");
        let context = Context::create();
        let text = MemoryBuffer::create_from_memory_range_copy(ir.as_bytes(), "loop");
        let module = context.create_module_from_ir(text).expect("the IR is right");
        module.set_triple(&TargetTriple::create(TRIPLE));
        let ptx = machine.write_to_memory_buffer(&module, FileType::Assembly).expect("PTX");
        let ptx = String::from_utf8_lossy(ptx.as_slice()).into_owned();
        ptx.lines().find(|line| line.contains(", 7;")).expect("the block is there").trim().to_owned()
    }

    /// The reason for `=&r`: as soon as this fails for `=r`, NVPTX does no longer need it.
    #[test]
    fn an_output_shares_the_register_of_an_input_unless_it_is_early_clobber() {
        let registers = |line: &str| -> Vec<String> {
            let words = line.split([' ', ',', ';']).filter(|word| word.starts_with('%'));
            words.map(str::to_owned).collect()
        };
        for (constraint, shares) in [("=r", true), ("=&r", false)] {
            let line = block_in_a_loop(constraint);
            let [moved, sum, again, input] = &registers(&line)[..] else { panic!("{line}") };
            assert!(moved == sum && sum == again, "{line}");
            assert_eq!(input == sum, shares, "{constraint}: {line}");
        }
    }

    #[test]
    fn wrong_blocks_are_found_before_llvm_sees_them() {
        assert_eq!(check("{ .reg .u32 t; mul.lo.u32 t, $1, $2; mov.u32 $0, t; }", 1, 2), Ok(()));
        let wide = "{ .reg .u64 w; mul.wide.u32 w, $2, $3; mov.b64 {$0, $1}, w; }";
        assert_eq!(check(wide, 2, 2), Ok(()));
        assert_eq!(check("shfl.sync.bfly.b32 $0, $1, $2, 31, $3;", 1, 3), Ok(()));
        for (text, reason) in [
            ("mov.u32 $0, $3;", "operand $3 of 2 in mov.u32 $0, $3"),
            ("mov.u32 t, $1;", "output $0 is never written"),
            ("mov.u32 $0, $1", "last instruction has no semicolon"),
            ("{ mov.u32 $0, $1;", "unbalanced braces"),
            ("frob.u32 $0, $1;", "unknown instruction `frob`"),
            ("mov.u32 $0, $;", "bare `$` in mov.u32 $0, $"),
            ("mov.u32 $0, \u{e9};", "character 'é'"),
        ] {
            assert_eq!(check(text, 1, 1), Err(reason.into()), "{text}");
        }
    }
}
