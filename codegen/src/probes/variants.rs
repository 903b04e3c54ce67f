//! Every variant of an operation, chained, as PTX.
//!
//! The kernels that the compiler emits hold the variants that it chose; these hold the others, so
//! that a choice can be judged by assembled code. No pass and no LLVM is involved: loads, the blocks
//! one after the other, stores.

use super::{constant, counts};
use crate::declaration::FieldDesc;
use crate::targets::ptx::emit::text::template;
use crate::targets::ptx::{Block, Bound, Choice, FieldOp, choices};
use std::fmt::Write;

/// Most words of a product in a quadratic extension.
const FQ2_WORDS: usize = 12;

/// A chained variant.
#[derive(Clone, Debug)]
pub struct VariantProbe {
    /// The operation, as [`Probe::op`](super::Probe::op) names it.
    pub op: &'static str,
    /// [`Choice::variant`].
    pub variant: &'static str,
    /// Whether its result is canonical whatever its operands.
    pub canonical: bool,
    /// Repetitions.
    pub count: usize,
    /// Entry point.
    pub symbol: String,
    /// The module.
    pub ptx: String,
}

/// Every variant, for canonical operands, of the operations of [`field_probes`](super::field_probes),
/// and of products with `u² = -1`.
pub fn variant_probes(field: &FieldDesc) -> Vec<VariantProbe> {
    let ops = [
        ("mul", FieldOp::Mul),
        ("sqr", FieldOp::Sqr),
        ("dot2", FieldOp::Dot(2)),
        ("mul_const", FieldOp::MulConst(constant(field, 0))),
        ("shared3", FieldOp::MulShared(3)),
    ];
    // Longer ones do not fit the registers.
    let fq2 = (field.words <= FQ2_WORDS).then_some(("fq2_mul", FieldOp::DotFq2 { terms: 1, nonresidue: -1 }));
    let variants = |(name, op): (&'static str, FieldOp)| {
        let operands = vec![Bound::Canonical; op.operands(field)];
        let choices = choices(field, &op, &operands);
        choices.into_iter().flat_map(move |choice| probes(field, name, &choice))
    };
    ops.into_iter().chain(fq2).flat_map(variants).collect()
}

fn probes(field: &FieldDesc, op: &'static str, choice: &Choice) -> Vec<VariantProbe> {
    let probe = |count| {
        let symbol =
            format!("variant_{}_{op}_{}_x{count}", field.name, choice.variant.replace(['.', '-'], "_"));
        let ptx = kernel(&symbol, choice.block(), count);
        let canonical = choice.out == Bound::Canonical;
        VariantProbe { op, variant: choice.variant, canonical, count, symbol, ptx }
    };
    counts(field, 1).map(probe).into()
}

/// Words of each operand, or of each result, as registers.
type Registers = Vec<Vec<String>>;

/// Results take the place of the first operands of the next repetition, and its other operands are loaded
/// for it: what two repetitions had in common ptxas would compute once.
fn kernel(symbol: &str, block: &Block, count: usize) -> String {
    let mut next = 0;
    let mut registers =
        |words: usize| -> Vec<String> { (0..words).map(|_| (format!("%w{next}"), next += 1).0).collect() };
    let mut body = String::new();
    let (mut results, mut loaded): (Registers, usize) = (vec![], 0);
    for _ in 0..count {
        let mut operands = results;
        for input in &block.inputs()[operands.len()..] {
            let words = registers(input.words.len());
            for word in &words {
                // Writing to a string cannot fail.
                let _ = writeln!(body, "\tld.global.u32 {word}, [%in+{}];", 4 * loaded);
                loaded += 1;
            }
            operands.push(words);
        }
        results = block.outputs().iter().map(|output| registers(output.words.len())).collect();
        let names: Vec<&String> = results.iter().chain(&operands).flatten().collect();
        body.push_str(&fill(&template(block), &names));
        body.push('\n');
    }
    for (i, word) in results.iter().flatten().enumerate() {
        let _ = writeln!(body, "\tst.global.u32 [%out+{}], {word};", 4 * i);
    }
    format!(
        ".version 6.3\n.target sm_75\n.address_size 64\n\
         .visible .entry {symbol}(.param .u64 in, .param .u64 out)\n{{\n\
         \t.reg .u64 %in, %out, %at;\n\t.reg .u32 %w<{next}>, %thread;\n\
         \tld.param.u64 %in, [in];\n\tld.param.u64 %out, [out];\n\
         \tmov.u32 %thread, %tid.x;\n\tmul.wide.u32 %at, %thread, 4096;\n\
         \tadd.u64 %in, %in, %at;\n\tadd.u64 %out, %out, %at;\n\
         {body}\tret;\n}}\n"
    )
}

/// The template with registers for `$0`, `$1`, ...
fn fill(template: &str, names: &[&String]) -> String {
    let mut parts = template.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let index: usize = part[..digits].parse().expect("a template names its operands by number");
        text.push_str(names[index]);
        text.push_str(&part[digits..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_feed_each_other() {
        let field = FieldDesc::new("toy", 13u32.into());
        let probes = variant_probes(&field);
        let long = probes.iter().find(|p| p.op == "mul" && p.count > 1).expect("mul has a variant");
        let short =
            probes.iter().find(|p| p.variant == long.variant && p.count == 1).expect("each comes once");
        let blocks = |p: &VariantProbe| p.ptx.matches("\n{").count() + p.ptx.matches("\t{").count();
        assert_eq!(blocks(long) - blocks(short), long.count - 1);
        assert!(long.ptx.contains(&format!(".entry {}(", long.symbol)) && !long.ptx.contains('$'));
        // Two operands first, then one beside the result; none is loaded twice.
        let loads: Vec<&str> = long.ptx.lines().filter(|line| line.contains("ld.global")).collect();
        assert_eq!(loads.len(), 1 + long.count);
        assert!((0..loads.len()).all(|i| loads[i].ends_with(&format!("[%in+{}];", 4 * i))));
        for op in ["mul", "sqr", "dot2", "mul_const", "shared3", "fq2_mul"] {
            assert!(probes.iter().any(|p| p.op == op), "{op}");
        }
    }

    #[test]
    fn operands_of_two_digits_are_filled() {
        let names: Vec<String> = (0..12).map(|i| format!("%w{}", 100 + i)).collect();
        let names: Vec<&String> = names.iter().collect();
        assert_eq!(fill("add $1, $11, $0;", &names), "add %w101, %w111, %w100;");
    }
}
