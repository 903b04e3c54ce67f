//! Edits of the checker's own source: each must make it judge an entry of the corpus wrongly.
//!
//! The checker, with its numbers (`num.rs`) and what it is about (`ir.rs`, `bound.rs`, `declaration/op.rs`),
//! is compiled once as a program of its own that has a copy for each edit, next to the one that is as it
//! stands.

use crate::targets::ptx::tests::is_long;
use crate::targets::tests::edits::{Edit, SEALS, compiled, edited};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const SUM: &[Edit] = &[
    ("sum.rs", "if range.0 < 0 || range.1 > 1 {", "if range.0 < 0 {"),
    ("sum.rs", "(0..2u32).try_for_each", "(0..1u32).try_for_each"),
    ("sum.rs", "if least > -cx.unit()", "if least >= -cx.unit()"),
    ("sum.rs", "target(self, &mut sum, &self.unit())?;", ""),
    ("sum.rs", "self.assumed.truncate(before);", "let _ = before;"),
    (
        "sum.rs",
        "_ if kept.contains(&var) && known.least >= 0 && known.most <= 1 => {}",
        "_ if kept.contains(&var) => {}",
    ),
    ("sum.rs", "times.is_negative() || by.iter()", "by.iter()"),
    ("sum.rs", "cx.var(var).is_ok_and(|v| v.least < 0)", "cx.var(var).is_err()"),
    ("sum.rs", "if negative || !inequalities {", "if negative {"),
    ("sum.rs", "_ => return Err(none),", "_ => return self.one(cx, x, k.clone(), by),"),
    ("sum.rs", "self.term(cx, by, -&room)?;", ""),
    ("sum.rs", "self.term(cx, by, -k)?;", ""),
    ("sum.rs", "self.term(cx, by, k.times((*low).into()))?;", ""),
    (
        "sum.rs",
        "self.one(cx, x, k.times(sign * B), by)?;\n                        self.one(cx, x + 1",
        "self.one(cx, x + 1",
    ),
    ("sum.rs", "(Fact::Both(_), _) => (-1, 1, 1),", "(Fact::Both(_), _) => (-1, 1, 0),"),
    ("sum.rs", "(Fact::Left(_), Logic::Or) => (1, -1, 0),", "(Fact::Left(_), Logic::Or) => (-1, 1, 0),"),
    ("sum.rs", "(Fact::Left(_), Logic::Xor) => (1, -1, 1),", "(Fact::Left(_), Logic::Xor) => (-1, 1, 1),"),
    ("sum.rs", "self.one(cx, word, -k, &by)", "self.one(cx, word, k.clone(), &by)"),
    ("sum.rs", "value.ok_or(Refused(\"computes with what is not known\"))", "Ok(value.unwrap_or(0))"),
    (
        "sum.rs",
        "k = k.times(if negative { var.most } else { var.least });",
        "k = k.times(if negative { var.least } else { var.most });",
    ),
    ("sum.rs", "if zero(&self.constant.into_bigint().into()) && ", "if "),
    ("sum.rs", "self.terms.values().all(zero)", "self.terms.len() < 99"),
    (
        "sum.rs",
        "modulus.map_or(k.is_zero(), |modulus| k.is_multiple_of(modulus))",
        "modulus.is_some() || k.is_zero()",
    ),
];

const STEPS: &[Edit] = &[
    ("steps.rs", "cx.congruent(value, *low, uses)?;", ""),
    ("steps.rs", "if factor.least < 0 {", "if factor.least < -B {"),
    ("steps.rs", "_ => Err(Refused(\"divides by another number\")),", "_ => Ok(ends),"),
    ("steps.rs", "if a.0 < 0 || b.0 < 0 || a.1 >= B || b.1 >= B {", "if a.0 < 0 || b.0 < 0 {"),
    ("steps.rs", "(1 << bits) - 1", "(1 << bits) - 2"),
    ("steps.rs", "if least > known.0 {", "if least < known.0 {"),
    ("steps.rs", "if most < known.1 {", "if most > known.1 {"),
    ("steps.rs", "self.at_most(&vals, max, proof)?;", "self.at_most(&vals, max, proof).ok();"),
    ("steps.rs", "if flags.0 < 0 || flags.1 > 1 || words.0 < 0 {", "if flags.0 < 0 || words.0 < 0 {"),
    (
        "steps.rs",
        "cx.not_negative(proof, &|cx, sum, k| sum.word(cx, Val::Node(word), &-k, &[]))",
        "cx.not_negative(proof, &|_, _, _| Ok(()))",
    ),
];

const INSTS: &[Edit] = &[
    ("insts.rs", "if *kind == chain.kind && (guard", "if (guard"),
    ("insts.rs", "&& (guard.is_none() || *guard == chain.guard) =>", "=>"),
    (
        "insts.rs",
        "_ => return Err(Refused(\"reads a flag of the other kind, or none\")),",
        "_ => Poly::default(),",
    ),
    ("insts.rs", "sum.poly(cx, cin, &sign, &[])?;", ""),
    ("insts.rs", "if !self.is_word(*word)? {", "if false {"),
    ("insts.rs", "self.cx.limit(*carry, (0, 1));", "self.cx.limit(*carry, (0, 0));"),
    ("insts.rs", "CarryOut::Never if *carry != Poly::default() =>", "CarryOut::Never if false =>"),
    ("insts.rs", "([(var, 1)], 0) => &[(*var, 1)],", "([(var, 1)], 0) => &[(*var, 0)],"),
    ("insts.rs", "([(var, -1)], 1) => &[(*var, 0)],", "([(var, -1)], 1) => &[(*var, 1)],"),
    ("insts.rs", "self.cx.not_negative(&range[0], &|cx, target, k| target.poly(cx, sum, k, &[]))?;", ""),
    ("insts.rs", "target.poly(cx, sum, &-k, &[])\n", "Ok(())\n"),
    ("insts.rs", "if !(1..32).contains(&by) {", "if by > 32 {"),
    ("insts.rs", "if !self.is_word(*low)? {", "if false {"),
    (
        "insts.rs",
        "sum.number(&self.cx, [*low, *high], (-1).into())?;",
        "sum.number(&self.cx, [*high, *low], (-1).into())?;",
    ),
    ("insts.rs", "&& word == compute(op, a, b)", "&& (word == compute(op, a, b) || word > 0)"),
    ("sum.rs", "its == op && ((x, y) == (a, b)", "((x, y) == (a, b)"),
    ("insts.rs", "sum.vanishes(&self.cx, &[], None)?;\n        let other", "let other"),
    ("insts.rs", "(&bits.mask, op != Logic::Or)", "(&bits.mask, true)"),
    (
        "insts.rs",
        "cmp == Cmp::Ne)\n            }\n            (Cmp::Eq | Cmp::Ne, Some",
        "true)\n            }\n            (Cmp::Eq | Cmp::Ne, Some",
    ),
    (
        "insts.rs",
        "sum.term(cx, &[], if is { Num::default() } else { k.clone() })",
        "sum.term(cx, &[], Num::default())",
    ),
    ("insts.rs", "sum.term(cx, &[], k.times(B))?;", "sum.term(cx, &[], k.times(B + B))?;"),
    ("insts.rs", "sum.term(cx, &[], -k)?;", ""),
    ("insts.rs", "sum.vanishes(&self.cx, uses, Some(&B.into()))?;", ""),
    ("insts.rs", "if !self.is_word(to)? {", "if false {"),
    ("insts.rs", "sum.product(cx, q, &poly_of(b), &-k)", "Ok(())"),
    ("insts.rs", "Some(slot @ None) => {", "Some(slot) => {"),
];

const GOALS: &[Edit] = &[
    ("goal.rs", "&& field.p.bit(0)", ""),
    ("definition.rs", "vec![times(one(), 0), times(-one(), 1)]", "vec![times(one(), 0), times(one(), 1)]"),
    ("definition.rs", "FieldOp::Dbl => vec![times(2.into(), 0)]", "FieldOp::Dbl => vec![times(1.into(), 0)]"),
    ("definition.rs", "FieldOp::Neg => vec![times(-one(), 0)]", "FieldOp::Neg => vec![times(one(), 0)]"),
    (
        "definition.rs",
        "FieldOp::MulSmall(c) => vec![times(Num::from(i128::from(*c)), 0)]",
        "FieldOp::MulSmall(_) => vec![times(one(), 0)]",
    ),
    ("definition.rs", "y: Some(y), down: n };", "y: Some(y), down: 0 };"),
    ("definition.rs", "(0..*m).map(|i|", "(0..1).map(|i|"),
    ("definition.rs", "vec![product(k, *m)]", "vec![product(0, *m)]"),
    ("definition.rs", "factor: Num::from(i128::from(*nonresidue)), ..", ".."),
    (
        "definition.rs",
        "Num::from(i128::from(*nonresidue))",
        "Num::from(i128::from(nonresidue.unsigned_abs()))",
    ),
    (
        "definition.rs",
        "[product(i, i + 3), product(i + 1, i + 2)]",
        "[product(i, i + 2), product(i + 1, i + 3)]",
    ),
    ("definition.rs", "(0..*terms).flat_map(", "(0..1).flat_map("),
    ("definition.rs", "down: *rows as usize", "down: 1"),
    ("definition.rs", "vec![Term { down: n, ..times(one(), 0) }]", "vec![times(one(), 0)]"),
    ("goal.rs", "if outputs.len() == self.block.outputs().len() =>", "=>"),
    ("goal.rs", "if !multiple || range.0", "if range.0"),
    ("goal.rs", "|| test.words.len() != words.len() {", "{"),
    ("goal.rs", "self.none(tests, none)?;", ""),
    (
        "goal.rs",
        "cx.not_negative(least, &|cx, sum, k| {",
        "cx.not_negative(least, &|cx, sum, k| {\n if k.to_bigint().bits() > 1 { return Ok(()); }",
    ),
    (
        "goal.rs",
        "cx.not_negative(most, &|cx, sum, k| {",
        "cx.not_negative(most, &|cx, sum, k| {\n if k.to_bigint().bits() > 1 { return Ok(()); }",
    ),
    ("goal.rs", "            yes?;\n", ""),
    ("goal.rs", "if multiple > *max {", "if multiple > 0.into() || found.is_empty() {"),
    (
        "goal.rs",
        "            sum.word(cx, output, k, &[])?;\n            sum.term(cx, &[], -k)",
        "            sum.word(cx, output, k, &[])",
    ),
    ("mod.rs", "if machine.at != claim.block.insts().len() {", "if machine.at > claim.block.insts().len() {"),
    ("mod.rs", "if proofs.len() != self.outputs.len() {", "if proofs.len() > self.outputs.len() {"),
    ("mod.rs", "self.cx.at_most(words, &max, proof)?;", ""),
    ("mod.rs", "if self.prepared.len() != self.outputs.len() {", "if false {"),
    ("mod.rs", "self.limit_operands(&self.operands.clone())?;", ""),
    ("mod.rs", "sum.number(&self.cx, words.iter().copied(), -self.cx.unit())?;", ""),
    ("mod.rs", "            sum.without(&self.cx, uses, true)?;\n", ""),
    ("mod.rs", "self.prepared.iter().try_for_each(|sum| sum.concludes(&self.cx, units.clone()))?;", ""),
    ("sum.rs", "self.limit(cx, Limit::Variable(x), k, by)?;", ""),
    ("sum.rs", "self.limit(cx, Limit::Bounded(index), k, by)?;", ""),
    ("sum.rs", "least.add(&(&largest * &sum.constant.clone().into_bigint().into()));", ""),
    ("sum.rs", "*terms.entry(*vars).or_default() += &(&largest * k);", ""),
    ("sum.rs", "or_default().term(cx, by, k.clone())", "or_default().term(cx, &[], k.clone())"),
    ("mod.rs", " || !operands.iter().zip(&self.operands).all(within)", ""),
    ("mod.rs", "operands.len() != self.operands.len() || ", ""),
    ("mod.rs", "            self.cx.limit_operand(k, bound.max(&self.field).into());", ""),
];

/// Of the numbers. A copy with one has a corpus of its own, whose certificates are written in these.
const NUMBERS: &[Edit] = &[
    ("num.rs", "Num::from(1) << (32 * words)", "Num::from(1) << (31 * words)"),
    ("num.rs", "if *mantissa < 0 => Sign::Minus", "if *mantissa < 0 => Sign::Plus"),
    ("num.rs", "self.is_zero() || (self.to_bigint() % modulus).is_zero()", "true"),
    ("num.rs", "return Short { mantissa: product, words };", "return Short { mantissa: product, words: 0 };"),
    ("num.rs", "raised(x, 32 * (u - low))?.checked_add(raised(y, 32 * (v - low))?)?", "x.checked_add(y)?"),
    ("num.rs", "self.times(-1)", "self.times(1)"),
    ("num.rs", "words: words + (bits / 32) as u32 }", "words }"),
    ("num.rs", "Some(digit) => self.digits[at] = digit,", "Some(digit) => self.digits[at] = digit.max(0),"),
    ("num.rs", "carry = high + (bits >> 32);", "carry = high;"),
    ("num.rs", "self.rest + top + BigInt", "self.rest + BigInt"),
];

const FILES: [&str; 8] =
    ["mod.rs", "certificate.rs", "corpus.rs", "definition.rs", "goal.rs", "insts.rs", "steps.rs", "sum.rs"];

#[test]
fn every_edit_of_the_checker_is_noticed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let edits: Vec<&Edit> = [SUM, STEPS, INSTS, GOALS, NUMBERS].into_iter().flatten().collect();
    // All of them are still edits of what stands there; a tenth is compiled, all in a long run.
    for edit in &edits {
        let folder = source.join("targets/ptx/arithmetic");
        edited(&if of_numbers(edit) { folder } else { folder.join("check") }.join(edit.0), Some(edit));
    }
    let edits: Vec<&Edit> = edits.into_iter().step_by(if is_long() { 1 } else { 10 }).collect();
    let folder = env::temp_dir().join(format!("checker-edits-{}", std::process::id()));
    let mut modules = copy(&source, &folder, "as_it_stands", None);
    for (k, edit) in edits.iter().enumerate() {
        modules += &copy(&source, &folder, &format!("edit_{k}"), Some(edit));
    }
    let program = folder.join("main.rs");
    fs::write(&program, main(&source, &modules, &edits)).unwrap();
    let output = Command::new(compiled(&folder, &program, &["num_bigint", "num_traits"])).output().unwrap();
    let noticed = String::from_utf8(output.stdout).unwrap();
    let noticed: Vec<&str> = noticed.lines().collect();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(noticed.len(), 1 + edits.len(), "a line for each copy");
    assert_eq!(noticed[0], "", "the checker as it stands");
    let missed = edits.iter().zip(&noticed[1..]).filter(|(_, names)| names.is_empty());
    let missed: Vec<String> = missed.map(|(edit, _)| format!("{edit:?}")).collect();
    assert!(
        missed.is_empty(),
        "{} of {} edits are not noticed:\n{}",
        missed.len(),
        edits.len(),
        missed.join("\n")
    );
}

/// Whether the edit is of the numbers.
fn of_numbers(edit: &Edit) -> bool {
    edit.0 == "num.rs"
}

/// A copy of the checker with an edit; the lines that declare it.
fn copy(source: &Path, folder: &Path, name: &str, edit: Option<&Edit>) -> String {
    let (ptx, to) = (source.join("targets/ptx/arithmetic"), folder.join(name));
    let numbers = edit.is_some_and(of_numbers);
    // What has numbers of its own is in their types throughout.
    let typed = |text: String| match numbers {
        true => ["arithmetic", "super"]
            .iter()
            .fold(text, |text, of| text.replace(&format!("{of}::num::"), &format!("{of}::num_of_{name}::"))),
        false => text,
    };
    fs::create_dir_all(to.join("corpus")).unwrap();
    for file in FILES {
        let mut text = edited(&ptx.join("check").join(file), edit);
        if file == "mod.rs" {
            let (corpus, certificate) = match edit {
                Some(_) if !numbers => {
                    ("", "use crate::targets::ptx::arithmetic::as_it_stands::certificate;")
                }
                _ => (
                    "pub(in crate::targets::ptx) mod corpus;",
                    "pub(in crate::targets::ptx) mod certificate;",
                ),
            };
            text = text.replace("#[cfg(test)]\nmod corpus;", corpus);
            text = text.replace("pub(in crate::targets::ptx) mod certificate;", certificate);
        }
        fs::write(to.join(file), typed(text)).unwrap();
    }
    let mut modules = format!("    #[path = {:?}]\n    pub(crate) mod {name};\n", to.join("mod.rs"));
    if edit.is_none() || numbers {
        for file in fs::read_dir(ptx.join("check/corpus")).unwrap() {
            let file = file.unwrap();
            let text = typed(fs::read_to_string(file.path()).unwrap());
            fs::write(to.join("corpus").join(file.file_name()), text).unwrap();
        }
    }
    if numbers {
        let file = to.join("num.rs");
        fs::write(&file, edited(&ptx.join("num.rs"), edit)).unwrap();
        let _ = writeln!(modules, "    #[path = {file:?}]\n    pub mod num_of_{name};");
    }
    modules
}

/// The program: for each copy a line with what it misjudges.
fn main(source: &Path, modules: &str, edits: &[&Edit]) -> String {
    let mut text = String::from("#![allow(warnings)]\n");
    text += "mod declaration {\n";
    for file in ["field", "op"] {
        let path = source.join("declaration").join(file).with_extension("rs");
        let _ = writeln!(text, "    #[path = {path:?}]\n    pub mod {file};");
    }
    text += "    pub use {field::FieldDesc, op::FieldOp};\n}\nmod targets {\n";
    text += SEALS;
    text += "pub mod ptx {\n    pub use arithmetic::{Block, Bound, FieldOp};\n    pub mod arithmetic {\n";
    for file in ["ir", "bound", "num"] {
        let _ = writeln!(
            text,
            "    #[path = {:?}]\n    pub mod {file};",
            source.join("targets/ptx/arithmetic").join(file).with_extension("rs")
        );
    }
    text += "    pub use crate::declaration::FieldOp;\n    pub use {bound::Bound, ir::Block};\n";
    text += modules;
    text += "    pub fn run() {\n";
    let edits = edits.iter().enumerate().map(|(k, edit)| (format!("edit_{k}"), of_numbers(edit)));
    for (name, numbers) in std::iter::once(("as_it_stands".to_owned(), true)).chain(edits) {
        let judge = if numbers { &name } else { "as_it_stands" };
        let _ = writeln!(
            text,
            "        println!(\"{{}}\", {judge}::corpus::misjudged(&|e, field| {{
                let claim = {name}::Claim {{ field, op: &e.op, block: &e.block, operands: &e.operands }};
                let Ok(mut checked) = {name}::check(&claim, &e.certificate) else {{ return [false; 2] }};
                let alone = checked.case(e.case(), &e.bounds).is_ok();
                let _ = checked.case((&e.narrow(), Bound::ANY), &e.bounds);
                [alone, checked.prepare(&e.bounds).and_then(|()| checked.prepared_case(e.case())).is_ok()]
            }}).join(\", \"));"
        );
    }
    text += "    }\n} } }\nfn main() { targets::ptx::arithmetic::run() }\n";
    text
}
