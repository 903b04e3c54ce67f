//! Edits of the checker's own source: each must make it judge an entry of the corpus wrongly.
//!
//! The checker is compiled once, as a program of its own that has a copy for each edit next to the one that
//! is as it stands.

use super::corpus::{Entry, Verdict, corpus};
use super::*;
use crate::targets::ptx::tests::is_long;
use crate::targets::tests::edits::{SEALS, compiled, edited};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// What stands once in the checker, what stands there instead, and an entry that is then misjudged.
type Edit = (&'static str, &'static str, &'static str);

const SHAPES: &[Edit] = &[
    ("operands.len() == op.operands(field)\n        && ", "", "an operand too many"),
    ("&& program.inputs == operands.len()", "", "an input that is no operand"),
    ("&& program.output.len() == n", "", "a limb too many"),
    ("&& program.limbs as usize >= n * operands.len()", "", "operands without limbs"),
    ("&& program.compared.len() <= SIGNS", "", "seven signs"),
    ("&& field.p.bit(0)", "", "an even modulus"),
    ("_ => return None,", "_ => {}", "an operation of other targets"),
    ("let out = if op.tests_zero() { Bound::CANONICAL } else { out };", "", "p for zero"),
];

const OPERATIONS: &[Edit] = &[
    ("linear(1, 1.into());", "", "a sum"),
    ("linear(1, (-1).into());", "linear(1, 1.into());", "a difference"),
    ("FieldOp::Neg => linear(0, (-1).into()),", "FieldOp::Neg => linear(0, 1.into()),", "a negative"),
    ("FieldOp::Dbl => linear(0, 2.into()),", "FieldOp::Dbl => linear(0, 1.into()),", "twice"),
    ("linear(0, (*c).into()),", "linear(0, (*c + 1).into()),", "three times"),
    ("linear(0, c.clone().into()),", "linear(0, 1.into()),", "a row of reduction"),
    ("FieldOp::IsZero => linear(0, 1.into()),", "FieldOp::IsZero => {}", "another result"),
    ("_ => vec![(0, 1)],", "_ => vec![(0, 0)],", "a product"),
    ("FieldOp::Sqr => vec![(0, 0)],", "FieldOp::Sqr => vec![(0, 1)],", "a square"),
    ("(0..*k).map(|i|", "(0..1).map(|i|", "a sum of products"),
    ("+= factor * self.weight(n) * &self.scale;", "+= factor * &self.scale;", "a sum"),
    ("+= &self.scale;\n                }", "+= 1;\n                }", "a product"),
    ("(k * n) as u32 + 1;", "(k * n) as u32 + 2;", "a sum"),
    ("add(&mut difference, &number, &self.weight(self.n));", "", "a sum"),
    ("add(&mut difference, &definition, &-BigInt::one());", "let _ = definition;", "another result"),
    ("filter(|k| !k.is_multiple_of(&p))", "filter(|k| k.is_zero())", "another result"),
    ("((*a1).min(*b1), (*a1).max(*b1))", "((*a1).min(*b1), (*a1).min(*b1))", "a product"),
    ("sum(self.taken(to)?, self.low(a, b)?, 1)", "sum(self.taken(to)?, self.low(a, b)?, -1)", "a product"),
    ("sum(self.known(a)?, self.known(b)?, 1)", "sum(self.known(a)?, self.known(b)?, -1)", "a sum"),
];

const SIGNS: &[Edit] = &[
    ("0..1u32 << program.compared.len()", "0..1u32", "wrong below zero"),
    ("if possible {\n", "if possible && case > 0 {\n", "wrong from zero on"),
    ("if possible {\n", "if true {\n", "a case that cannot be"),
    ("Ok(slot.1.0 <= slot.1.1)", "Ok(true)", "a case that cannot be"),
    ("most.min(-BigInt::one())", "most.min(-BigInt::from(2))", "wrong at -1"),
    ("least.max(BigInt::zero())", "least.max(BigInt::one())", "wrong at zero, of the largest operand"),
    ("if negative { (a, b) } else { (b, a) };", "(a, b);", "wrong from zero on"),
    ("if negative { (a, b) } else { (b, a) };", "(b, a);", "a case that cannot be"),
    ("self.known(other)?;\n", "", "a choice that is not written"),
    (
        "*negative.ok_or_else(|| refused(\"selects by what is no sign of a number\"))?",
        "*negative.unwrap_or(&false)",
        "a sign that is not read",
    ),
    (".position(|compared| compared == words)", ".position(|_| true)", "the sign of another number"),
    ("most.min(to - 1)", "most.min(to - 2)", "p below a number that is negative"),
    ("least.max(from),", "least.max(from + 1),", "-1 above a number that is not negative"),
    (
        "self.signs.push((number, negative));",
        "self.signs.push((number, !negative));",
        "p less where that is not negative",
    ),
    (
        "self.decided.insert(*top, negative);",
        "self.decided.insert(*top, !negative);",
        "p less where that is not negative",
    ),
];

const LIMBS: &[Edit] = &[
    ("bound.limit(field)) - 1,", "bound.limit(field)) - 2,", "wrong at zero, of the largest operand"),
    ("- 1, bound.loose);", "- 1, 0);", "loose limbs for normal ones"),
    ("self.weight(1) * loose.max(1) - 1;", "self.weight(1) - 1;", "limbs twice as loose"),
    (
        "if loose == 0 { BigInt::zero() } else { reach.clone() }",
        "BigInt::zero()",
        "loose limbs for normal ones",
    ),
    ("(&max + &rest * &below)", "max", "the highest limb up"),
    ("if loose == 0 { BigInt::zero() } else { least }", "BigInt::zero()", "the highest limb down"),
    ("&max >> (self.of.bits as usize * i)", "&max >> (self.of.bits as usize * (i + 1))", "a lower limb up"),
    ("reach.clone().min(&max >> (self.of.bits as usize * i))", "reach.clone()", "a lower limb of few bits"),
    (
        "add(&mut lowest, &form, &-self.weight(i));\n            self.limbs[k",
        "self.limbs[k",
        "the lowest limb for all",
    ),
    (
        "&self.known(*word)?.0, &self.weight(i)",
        "&self.known(*word)?.0, &self.weight(i - i)",
        "limbs by their weights",
    ),
    ("&& most < self.weight(1),", ",", "a limb above 2^52"),
    ("&& most < self.weight(1),", "&& most <= self.weight(1),", "a limb of 2^52"),
    ("0 => !least.is_negative() && ", "0 => ", "loose limbs for normal ones"),
    ("< self.weight(1) * loose,", "<= self.weight(1) * loose,", "a loose limb of 2^52"),
    ("least.abs().max(most.abs()) <", "least.abs() <", "looser above"),
    ("least.abs().max(most.abs()) <", "most <", "looser below"),
    ("slot.1 = range;", "", "limbs that are carried"),
    (
        "if least.is_negative() || most >= self.weight(1) {\n                return Err(refused(\"has a",
        "if most >= self.weight(1) {\n                return Err(refused(\"has a",
        "a negative limb that is not carried",
    ),
    (
        "if least.is_negative() || most >= self.weight(1) {\n                return Err(refused(\"has a",
        "if least.is_negative() {\n                return Err(refused(\"has a",
        "a large limb that is not carried",
    ),
    ("(least - &one + 1u32).div_ceil(&one)", "least.div_ceil(&one)", "the least that a highest limb is"),
    ("most.div_floor(&one));", "(most - &one).div_floor(&one));", "the most that a highest limb is"),
    (
        "add(&mut lowest, &form, &-self.weight(i));\n            self.limbs[limb",
        "self.limbs[limb",
        "a renamed limb for all",
    ),
    ("self.renamed.insert(self.symbols.len() as u32, form);", "", "a renamed number"),
    ("add(&mut expanded, &product, k);", "add(&mut expanded, &product, &k.abs());", "a renamed number"),
    (
        "self.symbol(range);\n        self.renamed",
        "self.symbol((range.0, BigInt::zero()));\n        self.renamed",
        "the range of a renamed number",
    ),
    ("&output[..self.n - 1]", "&output[..0]", "loose limbs for normal ones"),
    ("words.iter().enumerate().rev()", "words.iter().enumerate()", "a renamed limb for all"),
];

const INSTRUCTIONS: &[Edit] = &[
    (
        "known.ok_or_else(|| refused(\"reads a limb that is not written yet\"))",
        "Ok(known.unwrap_or_default())",
        "a limb that is not written",
    ),
    ("is_some_and(|written| !written);", "is_none_or(|written| !written);", "a limb that there is not"),
    ("self.written[k * n + i] = true;", "", "a limb written twice"),
    ("self.written[limb.0 as usize] = true;", "", "a limb written again after its last read"),
    ("if !free {", "if limb.0 as usize >= self.limbs.len() {", "a limb written twice"),
    (
        "&k.into());\n            let range = if k > 0",
        "&1.into());\n            let range = if k > 0",
        "a difference for a sum",
    ),
    ("(least - to, most - from)", "(least - from, most - to)", "the range of a difference"),
    (
        "if least.is_negative() || most >= end {\n            return Err(refused(\"multiplies",
        "if least.is_negative() {\n            return Err(refused(\"multiplies",
        "a factor of 53 bits",
    ),
    (
        "if least.is_negative() || most >= end {\n            return Err(refused(\"multiplies",
        "if most >= end {\n            return Err(refused(\"multiplies",
        "a factor below zero",
    ),
    ("add(&mut low, &self.half(a, b)?.0, &-self.weight(1));", "", "a low half for a product"),
    ("(most * other_most).min(self.weight(1) - 1)", "BigInt::zero()", "the range of a low half"),
    ("if range.1.is_zero() {", "if range.1 < self.weight(1) {", "a high half for none"),
    (
        "sum(self.taken(to)?, self.half(a, b)?, 1)",
        "sum(self.taken(to)?, self.low(a, b)?, 1)",
        "a high half for a low one",
    ),
    ("let key = (a.min(b), a.max(b));", "let key = (a, b);", "halves of a product either way"),
    ("if *a0 != 0 || *b0 != 0 {", "if false {", "a product of products"),
    (
        "if !rest.is_zero() {\n                    return Err(refused(\"multiplies",
        "if false {\n                    return Err(refused(\"multiplies",
        "a product of two rows' results",
    ),
    (
        "let range = (least.div_floor(&power(bits as usize)),",
        "let range = (BigInt::zero(),",
        "a shift of what is negative",
    ),
    (
        "add(Rc::make_mut(&mut form), &self.floor(a, bits)?.0, &-power(bits as usize));",
        "",
        "bits that a mask takes",
    ),
    ("power(bits as usize) - 1))", "power(bits as usize) - 2))", "the range of a mask"),
    ("add(&mut doubled, &form, &k);", "add(&mut doubled, &form, &BigInt::one());", "twice for once"),
    ("(doubled.into(), (least * &k, most * k))", "(doubled.into(), (least, most))", "a word too large"),
    ("|| range.1.to_i64().is_none()", "", "a word too large"),
    ("range.0.to_i64().is_none() ||", "", "a word too small"),
    ("Op::Shift { a, bits } if bits < 64", "Op::Shift { a, bits } if bits < 65", "a shift by 64"),
    ("Op::Mask { a, bits } if bits < 63", "Op::Mask { a, bits } if bits < 64", "a mask of 63 bits"),
    ("Op::Double { a, bits } if bits < 64", "Op::Double { a, bits } if bits < 65", "a factor of 2^64"),
    ("(least + from, most + to)", "(least + from, most)", "the range of a sum"),
    ("or_default() += k;\n            }", "or_default() = k;\n            }", "like terms of a product"),
    ("most.div_floor(&power(bits as usize)));", "BigInt::zero());", "the range of a shift"),
];

const ROWS: &[Edit] = &[
    ("self.known(a.into())?;\n                if BigInt", "if BigInt", "a quotient of nothing"),
    (
        "if BigInt::from(by) >= self.weight(1) {",
        "if BigInt::from(by) > self.weight(1) {",
        "a quotient by 53 bits",
    ),
    ("|&(of, by)| of == a && clears(by)", "|&(_, by)| clears(by)", "a quotient of another limb"),
    ("|&(of, by)| of == a && clears(by)", "|&(of, _)| of == a", "a quotient that clears nothing"),
    ("add(form, &added, &BigInt::one());", "", "a carry alone"),
    ("most.div_ceil(&limb))))", "most.div_floor(&limb))))", "the range of a carry"),
    ("if (&most + &limb).to_i64().is_none() {", "if false {", "a carry that rounds out of a word"),
    (
        "if !rest.is_zero() {\n                return Err(refused(\"has more",
        "if false {\n                return Err(refused(\"has more",
        "more rows than scale",
    ),
    (
        "let range = (BigInt::zero(), self.weight(1) - 1);",
        "let range = (BigInt::zero(), BigInt::zero());",
        "the range of a quotient",
    ),
];

const RANGES: &[Edit] = &[
    ("least += ends.0;", "", "a result below zero"),
    ("most += ends.1;", "", "a result above its bound"),
    ("if least.is_negative() || most >= limit {", "if most >= limit {", "a result below zero"),
    ("if least.is_negative() || most >= limit {", "if least.is_negative() {", "a result above its bound"),
    ("most >= limit {", "most > limit {", "a result at its bound"),
    (
        "[a0 * b0, a0 * b1, a1 * b0, a1 * b1]",
        "[a0 * b0, a1 * b1, a0 * b0, a1 * b1]",
        "products of what is negative",
    ),
    ("add(&mut left, &part, &-factor);", "", "parts of a multiple of p less"),
    (
        "take((low.into(), (BigInt::zero(), power(52) - 1)), factor);",
        "take((low.into(), (BigInt::zero(), BigInt::zero())), factor);",
        "the range of a part's low half",
    ),
    ("if words.iter().all(written) {", "if true {", "parts of what comes later"),
    (
        "= self.by_terms(&rest);\n                    least",
        "= (BigInt::zero(), BigInt::zero());\n                    least",
        "what parts leave over",
    ),
    ("least += ends.iter().min().expect(\"there are two\");", "", "parts below zero"),
    ("most += ends.iter().max().expect(\"there are two\");", "", "parts above the bound"),
    ("match left.values().all(Zero::is_zero) {", "match true {", "parts that do not add up"),
    ("if most_a * most_b >= power(52) {", "if false {", "a product for its low half in parts"),
    ("add(&mut left, form, &times);", "", "parts of a multiple of p less"),
    (
        "add(&mut low, &Form::from([((0, *half), self.scale.clone())]), &-power(52));",
        "",
        "parts of a multiple of p less",
    ),
];

const WHOLE: &[Edit] = &[
    (
        "sum(self.taken(to)?, self.whole(a, b)?, 1)",
        "sum(self.taken(to)?, self.whole(a, b)?, -1)",
        "a whole product",
    ),
    (
        "if self.of.products == Products::Halves {\n            return",
        "if false {\n            return",
        "a whole product for halves",
    ),
    (
        "if self.of.products == Products::Whole {\n            return",
        "if false {\n            return",
        "a half for whole products",
    ),
    ("Products::Whole => power(32),", "Products::Whole => power(33),", "a whole factor of 33 bits"),
    ("most * other_most)))", "BigInt::zero())))", "the range of a whole product"),
    (
        "self.known(a.into())?.1.0.is_negative()",
        "self.known(a.into())?.1.1.is_negative()",
        "a shift of what is negative, by zeros",
    ),
    (
        "if self.of.products == Products::Whole && least.is_negative() {",
        "if false {",
        "a whole carry of what is negative",
    ),
    ("let most = most + most_added;", "", "the range of a whole carry"),
    ("let times = power(parts.bits as usize);", "let times = self.weight(1);", "parts of whole products"),
];

const ALL: [&[Edit]; 8] = [SHAPES, OPERATIONS, SIGNS, LIMBS, INSTRUCTIONS, ROWS, RANGES, WHOLE];

#[test]
fn the_corpus_is_judged_rightly() {
    for Entry { name, verdict, products, field, op, operands, out, program } in &corpus() {
        let accepted = check(*products, field, op, operands, program, *out).is_ok();
        assert_eq!(accepted, *verdict == Verdict::Right, "{name}");
        if *verdict != Verdict::Unfit {
            let all = operands_of(field, operands);
            let right = all
                .iter()
                .all(|x| is_right(Limbs::of(*products, field), field, op, operands, *out, program, x));
            assert_eq!(right, *verdict == Verdict::Right, "{name}, as it runs");
        }
    }
}

#[test]
fn every_entry_has_an_edit() {
    let noticed: BTreeSet<&str> = ALL.into_iter().flatten().map(|(.., entry)| *entry).collect();
    let entries: BTreeSet<&str> = corpus().iter().map(|entry| entry.name).collect();
    assert_eq!(noticed, entries);
    assert_eq!(entries.len(), corpus().len(), "names are their own");
}

#[test]
fn every_edit_of_the_checker_is_noticed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let checker = source.join("targets/simd/arithmetic/check.rs");
    // All of them are still edits of what stands there; some are compiled, all in a long run.
    let edit = |&(old, new, _): &Edit| edited(&checker, Some(&("check.rs", old, new)));
    let all: Vec<(&Edit, String)> = ALL.into_iter().flatten().map(|of| (of, edit(of))).collect();
    let all: Vec<_> = all.into_iter().step_by(if is_long() { 1 } else { 8 }).collect();
    let folder = env::temp_dir().join(format!("lane-checker-edits-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (mut modules, mut lines) = (String::new(), String::new());
    let as_it_stands = edited(&checker, None);
    for (k, text) in std::iter::once(&as_it_stands).chain(all.iter().map(|(_, text)| text)).enumerate() {
        let file = folder.join(format!("copy_{k}.rs"));
        fs::write(&file, text).unwrap();
        let _ = writeln!(modules, "    #[path = {file:?}]\n    pub mod copy_{k};");
        let _ = writeln!(
            lines,
            "misjudged(&|e| copy_{k}::check(e.products, &e.field, &e.op, &e.operands, &e.program, e.out).is_ok());"
        );
    }
    let program = folder.join("main.rs");
    fs::write(&program, main(&source, &modules, &lines)).unwrap();
    let checker = compiled(&folder, &program, &["num_bigint", "num_integer", "num_traits"]);
    let output = Command::new(checker).output().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let misjudged = String::from_utf8(output.stdout).unwrap();
    let misjudged: Vec<Vec<&str>> =
        misjudged.lines().map(|line| line.split_terminator(';').collect()).collect();
    assert_eq!(misjudged.len(), 1 + all.len(), "a line for each copy");
    assert!(misjudged[0].is_empty(), "the checker as it stands: {:?}", misjudged[0]);
    let missed = all.iter().zip(&misjudged[1..]).filter(|((edit, _), names)| !names.contains(&edit.2));
    let missed: Vec<_> = missed.map(|((edit, _), names)| (edit, names)).collect();
    assert!(missed.is_empty(), "{} of {} edits are not noticed: {missed:#?}", missed.len(), all.len());
}

/// The program: for each copy a line with what it misjudges. A panic is a judgement too, a wrong one.
fn main(source: &Path, modules: &str, lines: &str) -> String {
    let module = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        format!("    #[path = {:?}]\n    pub mod {name};\n", source.join(file).with_extension("rs"))
    };
    let declarations = ["declaration/field", "declaration/op"].map(module).concat();
    let arithmetic =
        ["targets/simd/arithmetic/bound", "targets/simd/arithmetic/ir", "targets/simd/tests/corpus"];
    let arithmetic = arithmetic.map(module).concat();
    format!(
        "#![allow(warnings)]
mod declaration {{
{declarations}    pub use {{field::FieldDesc, op::FieldOp}};
}}
mod targets {{
    {SEALS}{TRAITS}
    pub mod simd {{ pub mod arithmetic {{
{arithmetic}{modules}
    use corpus::{{Entry, Verdict, corpus}};
    fn misjudged(accepted: &dyn Fn(&Entry) -> bool) {{
        for e in corpus() {{
            let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| accepted(&e)));
            if judged.ok() != Some(e.verdict == Verdict::Right) {{
                print!(\"{{}};\", e.name);
            }}
        }}
        println!();
    }}
    pub fn run() {{
        std::panic::set_hook(Box::new(|_| ()));
{lines}    }}
    }} }}
}}
fn main() {{
    targets::simd::arithmetic::run()
}}
"
    )
}

/// What the checker needs of the traits of targets.
const TRAITS: &str = "
    #[derive(Clone, Debug)]
    pub struct Unproven(pub String);
    pub enum Limit { Canonical, Units(u64) }
    pub trait Bound: Copy {
        const CANONICAL: Self;
        fn below(field: &crate::declaration::FieldDesc, limit: &num_bigint::BigUint) -> Option<Self>;
        fn limit(self, field: &crate::declaration::FieldDesc) -> num_bigint::BigUint;
        fn units(self, field: &crate::declaration::FieldDesc) -> u64;
        fn stated(self) -> Limit;
        fn text(self, field: &crate::declaration::FieldDesc) -> String;
        fn within(self, other: Self, field: &crate::declaration::FieldDesc) -> bool;
        fn join(self, other: Self, field: &crate::declaration::FieldDesc) -> Self;
    }
";
