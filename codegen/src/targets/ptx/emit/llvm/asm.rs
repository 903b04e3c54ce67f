//! The one place that makes inline PTX.
//!
//! LLVM ends the process on a wrong constraint and does not look at the text at all, so text,
//! operand counts and constraints are checked together here, before LLVM sees them.
//! Outputs are always `=&r`: NVPTX shares registers of outputs and inputs otherwise, and a
//! block of several instructions then reads what it has already overwritten.

use crate::error::EmitError;
use crate::targets::ptx::emit::block::check;
use crate::targets::ptx::emit::effects::Effect;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, IntValue};

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
    use crate::targets::ptx::emit::llvm::{TRIPLE, machine};
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
}
