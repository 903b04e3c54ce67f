//! Edits of the checker's own source: each must make it judge an entry of a corpus wrongly.
//!
//! The corpus is what the variants offer over small fields, which is right, and what changes of it were seen to compute wrongly.
//! The checker is compiled once, as a program of its own that has a copy for each edit next to the one that is as it stands,
//! and reads the corpus.

use super::*;
use crate::targets::edits::{Edit, SEALS, compiled, edited};
use crate::targets::ptx::tests::is_long;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const FILE: &str = "check.rs";

const EDITS: &[(&str, &str)] = &[
    ("operands.len() == op.operands(field)\n        && ", ""),
    ("&& program.output.len() == n", ""),
    ("&& program.limbs as usize >= n * operands.len()", ""),
    ("let out = if op.tests_zero() { Bound::CANONICAL } else { out };", ""),
    ("for case in 0..1u32 << program.compared.len() {", "for case in 0..1u32 {"),
    (
        "if possible {\n            machine.concludes(field, op, out)?;",
        "if possible && case > 0 {\n            machine.concludes(field, op, out)?;",
    ),
    (
        "machine.operand(k, BigInt::from(bound.limit(field)) - 1, bound.loose);",
        "machine.operand(k, BigInt::from(bound.limit(field)) - 2, bound.loose);",
    ),
    (
        "machine.operand(k, BigInt::from(bound.limit(field)) - 1, bound.loose);",
        "machine.operand(k, BigInt::from(bound.limit(field)) - 1, 0);",
    ),
    ("let reach: BigInt = weight(1) * loose.max(1) - 1;", "let reach: BigInt = weight(1) - 1;"),
    ("let below = if loose == 0 { BigInt::zero() } else { reach.clone() };", "let below = BigInt::zero();"),
    ("(&max + &rest * &below).div_floor(&weight(i)),", "max.div_floor(&weight(i)),"),
    ("add(&mut lowest, &form, &-weight(i));\n            self.limbs[k * n + i]", "self.limbs[k * n + i]"),
    (
        "if least.is_negative() || most >= weight(1) {\n            return Err(refused(\"multiplies",
        "if least.is_negative() {\n            return Err(refused(\"multiplies",
    ),
    (
        "if least.is_negative() || most >= weight(1) {\n            return Err(refused(\"multiplies",
        "if most >= weight(1) {\n            return Err(refused(\"multiplies",
    ),
    (
        "if range.1.is_zero() {\n            return Ok((Form::new(), range));\n        }\n        let key = (a.min(b), a.max(b));",
        "if range.1 < weight(1) {\n            return Ok((Form::new(), range));\n        }\n        let key = (a.min(b), a.max(b));",
    ),
    (
        "add(&mut low, &self.half(a, b)?.0, &-weight(1));\n        Ok((low, (BigInt::zero(), (most * other_most).min(weight(1) - 1))))",
        "Ok((low, (BigInt::zero(), (most * other_most).min(weight(1) - 1))))",
    ),
    ("(most * other_most).min(weight(1) - 1))))", "BigInt::zero())))"),
    (
        "let range = (least.div_floor(&power(bits as usize)), most.div_floor(&power(bits as usize)));",
        "let range = (BigInt::zero(), most.div_floor(&power(bits as usize)));",
    ),
    (
        "add(&mut form, &other, &k.into());\n            let range = if k > 0",
        "add(&mut form, &other, &1.into());\n            let range = if k > 0",
    ),
    (
        "{ (least + from, most + to) } else { (least - to, most - from) }",
        "{ (least + from, most + to) } else { (least - from, most - to) }",
    ),
    (
        "Op::High { sum: to, a, b } => sum(self.known(to)?, self.half(a, b)?, 1),",
        "Op::High { sum: to, a, b } => sum(self.known(to)?, self.low(a, b)?, 1),",
    ),
    ("add(&mut form, &self.floor(a, bits)?.0, &-power(bits as usize));", ""),
    (
        "(form, (BigInt::zero(), power(bits as usize) - 1))",
        "(form, (BigInt::zero(), power(bits as usize) - 2))",
    ),
    ("add(&mut doubled, &form, &k);", "add(&mut doubled, &form, &BigInt::one());"),
    ("(doubled, (least * &k, most * k))", "(doubled, (least, most))"),
    ("let (chosen, other) = if negative { (a, b) } else { (b, a) };", "let (chosen, other) = (a, b);"),
    ("if range.0.to_i64().is_none() || range.1.to_i64().is_none() {", "if false {"),
    (".is_some_and(|&(of, by)| of == a && clears(by))", ".is_some_and(|&(_, by)| clears(by))"),
    (".is_some_and(|&(of, by)| of == a && clears(by))", ".is_some_and(|&(of, _)| of == a)"),
    ("add(&mut form, &self.low(q.into(), p0)?.0, &BigInt::one());\n        let limb", "let limb"),
    (
        "Ok((form, (least.div_ceil(&limb), most.div_ceil(&limb))))",
        "Ok((form, (least.div_floor(&limb), most.div_floor(&limb))))",
    ),
    (
        "add(&mut number, &self.known(*word)?.0, &weight(i));",
        "add(&mut number, &self.known(*word)?.0, &weight(0));\n            let _ = i;",
    ),
    (
        "if least.is_negative() || most >= weight(1) {\n                return Err(refused(\"has a limb that is not carried\"));\n            }",
        "",
    ),
    ("true => most = most.min(-BigInt::one()),", "true => most = most.min(-BigInt::one() - weight(1)),"),
    ("false => least = least.max(BigInt::zero()),", "false => least = least.max(weight(1)),"),
    (
        "let (from, to) = ((least - &one + 1u32).div_ceil(&one), most.div_floor(&one));",
        "let (from, to) = (least.div_ceil(&one), most.div_floor(&one));",
    ),
    (
        "let (from, to) = ((least - &one + 1u32).div_ceil(&one), most.div_floor(&one));",
        "let (from, to) = ((least - &one + 1u32).div_ceil(&one), (most - &one).div_floor(&one));",
    ),
    ("self.renamed.insert(self.symbols.len() as u32, form);", ""),
    (
        "add(&mut expanded, &product, k);",
        "add(&mut expanded, &product, &BigInt::one());\n            let _ = k;",
    ),
    ("true => most = most.min(to - 1),", "true => most = most.min(to - weight(1)),"),
    ("false => least = least.max(from),", "false => least = least.max(from + weight(1)),"),
    (
        "let (least_rest, most_rest) = self.by_terms(&rest);",
        "let (least_rest, most_rest) = (BigInt::zero(), BigInt::zero());",
    ),
    (
        "let products = [a0 * b0, a0 * b1, a1 * b0, a1 * b1].map(|product| product * k);",
        "let products = [a0 * b0, a1 * b1, a0 * b0, a1 * b1].map(|product| product * k);",
    ),
    ("add(&mut left, &part, &-factor);", ""),
    ("least += ends.iter().min().expect(\"there are two\");", ""),
    ("most += ends.iter().max().expect(\"there are two\");", ""),
    ("match left.values().all(Zero::is_zero) {", "match true {"),
    (
        "0 => !least.is_negative() && most < weight(1),\n                loose",
        "0 => !least.is_negative(),\n                loose",
    ),
    (
        "0 => !least.is_negative() && most < weight(1),\n                loose",
        "0 => most < weight(1),\n                loose",
    ),
    ("loose => least.abs().max(most.abs()) < weight(1) * loose,", "_ => true,"),
    ("if least.is_negative() || most >= limit {", "if least.is_negative() {"),
    ("if least.is_negative() || most >= limit {", "if most >= limit {"),
    ("add(&mut difference, &definition, &-BigInt::one());", "let _ = definition;"),
    (
        "difference.values().filter(|k| !k.is_multiple_of(&p)).count()",
        "difference.values().filter(|k| k.is_zero()).count()",
    ),
    ("linear(1, (-1).into());", "linear(1, 1.into());"),
    ("FieldOp::Neg => linear(0, (-1).into()),", "FieldOp::Neg => linear(0, 1.into()),"),
    ("FieldOp::Dbl => linear(0, 2.into()),", "FieldOp::Dbl => linear(0, 1.into()),"),
    ("FieldOp::MulSmall(c) => linear(0, (*c).into()),", "FieldOp::MulSmall(_) => linear(0, 1.into()),"),
    ("FieldOp::MulConst(c) => linear(0, c.clone().into()),", "FieldOp::MulConst(_) => linear(0, 1.into()),"),
    ("FieldOp::Sqr => vec![(0, 0)],", "FieldOp::Sqr => vec![(0, 1)],"),
    ("(0..*k).map(|i| (2 * i, 2 * i + 1)).collect(),", "(0..1).map(|i| (2 * i, 2 * i + 1)).collect(),"),
    ("_ => vec![(0, 1)],", "_ => vec![(0, 0)],"),
];

/// A claim, and whether it is right.
struct Entry {
    right: bool,
    field: FieldDesc,
    op: FieldOp,
    operands: Vec<Bound>,
    out: Bound,
    program: Program,
}

/// What is offered, and changes of it: of every so many programs one.
fn corpus() -> Vec<Entry> {
    let mut all = vec![];
    for field in [field("three", "3"), field("toy", "d"), field("goldilocks", "ffffffff00000001")] {
        let bounds = [Bound::normal(1), Bound::normal(2), Bound { times: 3, loose: 2 }];
        for (k, Offered { op, operands, choice, .. }) in
            offered::<Simd>(&field, &bounds).into_iter().enumerate()
        {
            let entry = |right: bool, out: Bound, program: Program| Entry {
                right,
                field: field.clone(),
                op: op.clone(),
                operands: operands.clone(),
                out,
                program,
            };
            let operands_of = operands_of(&field, &operands);
            let is_right = |out: Bound, program: &Program| {
                operands_of.iter().all(|x| super::is_right(&field, &op, &operands, out, program, x))
            };
            all.push(entry(true, choice.out, choice.program.clone()));
            let mut wrong = mutants(&choice.program);
            let mut shapes: Vec<Program> = vec![choice.program.clone(); 2];
            shapes[0].output.push(Src::Imm(0));
            shapes[1].inputs += 1;
            all.extend(shapes.into_iter().map(|program| entry(false, choice.out, program)));
            let mut one_more = entry(false, choice.out, choice.program.clone());
            one_more.operands.push(Bound::CANONICAL);
            one_more.program.inputs += 1;
            all.push(one_more);
            wrong = wrong.into_iter().skip(k % 3).step_by(3).collect();
            let fails =
                |program: &Program| std::panic::catch_unwind(|| is_right(choice.out, program)).is_err();
            wrong.retain(|program| fails(program) || !is_right(choice.out, program));
            all.extend(wrong.into_iter().map(|program| entry(false, choice.out, program)));
            let Bound { times, loose } = choice.out;
            let less =
                [Bound { times: times.saturating_sub(1).max(1), loose }, Bound { times, loose: loose / 2 }];
            for out in less {
                if !op.tests_zero() && !is_right(out, &choice.program) {
                    all.push(entry(false, out, choice.program.clone()));
                }
            }
        }
    }
    all
}

/// Numbers, one after the other.
#[derive(Default)]
struct Numbers(String);

impl Numbers {
    fn put(&mut self, number: impl std::fmt::Display) {
        let _ = write!(self.0, "{number} ");
    }

    fn src(&mut self, src: Src) {
        match src {
            Src::Limb(limb) => self.put(format_args!("0 {}", limb.0)),
            Src::Imm(value) => self.put(format_args!("1 {value}")),
        }
    }

    fn list(&mut self, list: &[Src]) {
        self.put(list.len());
        list.iter().for_each(|src| self.src(*src));
    }

    fn bound(&mut self, bound: Bound) {
        self.put(format_args!("{} {}", bound.times, bound.loose));
    }

    fn entry(&mut self, entry: &Entry) {
        self.put(format_args!("{} {}", u8::from(entry.right), entry.field.p));
        match &entry.op {
            FieldOp::Add => self.put("0 0"),
            FieldOp::Sub => self.put("1 0"),
            FieldOp::Neg => self.put("2 0"),
            FieldOp::Dbl => self.put("3 0"),
            FieldOp::Mul => self.put("4 0"),
            FieldOp::Sqr => self.put("5 0"),
            FieldOp::MulSmall(c) => self.put(format_args!("6 {c}")),
            FieldOp::MulConst(c) => self.put(format_args!("7 {c}")),
            FieldOp::Dot(k) => self.put(format_args!("8 {k}")),
            FieldOp::ReduceFull => self.put("9 0"),
            FieldOp::ReduceWeak => self.put("10 0"),
            FieldOp::IsZero => self.put("11 0"),
            other => panic!("{other:?} is not offered"),
        }
        self.put(entry.operands.len());
        entry.operands.iter().for_each(|bound| self.bound(*bound));
        self.bound(entry.out);
        let Program { inputs, limbs, insts, output, parts, compared } = &entry.program;
        self.put(format_args!("{inputs} {limbs} {}", insts.len()));
        for inst in insts {
            match inst {
                Inst::Write(limb, op) => {
                    self.put(format_args!("0 {}", limb.0));
                    self.op(op);
                }
                Inst::Normal(words) => {
                    self.put(1);
                    self.list(words);
                }
                Inst::Renamed(words) => {
                    self.put(2);
                    self.list(words);
                }
            }
        }
        self.list(output);
        self.put(parts.len());
        for (words, Parts { limbs, low: (a, b, factor) }) in parts {
            self.list(words);
            self.put(limbs.len());
            for (src, factor) in limbs {
                self.src(*src);
                self.put(factor);
            }
            self.src(*a);
            self.src(*b);
            self.put(factor);
        }
        self.put(compared.len());
        compared.iter().for_each(|words| self.list(words));
    }

    fn op(&mut self, op: &Op) {
        let (code, sources, numbers): (u8, Vec<Src>, Vec<u64>) = match *op {
            Op::Add(a, b) => (0, vec![a, b], vec![]),
            Op::Sub(a, b) => (1, vec![a, b], vec![]),
            Op::Low { sum, a, b } => (2, vec![sum, a, b], vec![]),
            Op::High { sum, a, b } => (3, vec![sum, a, b], vec![]),
            Op::Quotient { a, by } => (4, vec![], vec![a.0.into(), by]),
            Op::Carry { a, q, p0 } => (5, vec![], vec![a.0.into(), q.0.into(), p0]),
            Op::Shift { a, bits } => (6, vec![], vec![a.0.into(), bits.into()]),
            Op::Mask { a, bits } => (7, vec![], vec![a.0.into(), bits.into()]),
            Op::Double { a, bits } => (8, vec![], vec![a.0.into(), bits.into()]),
            Op::Select { sign, a, b } => (9, vec![a, b], vec![sign.0.into()]),
        };
        self.put(code);
        sources.into_iter().for_each(|src| self.src(src));
        numbers.into_iter().for_each(|number| self.put(number));
    }
}

/// What reads the corpus: for a judge, the first entry that it judges wrongly.
const READER: &str = "
use super::ir::*;
use super::bound::Bound;
use crate::declaration::{FieldDesc, FieldOp};
use num_bigint::{BigInt, BigUint};
pub struct Entry { pub right: bool, pub field: FieldDesc, pub op: FieldOp, pub operands: Vec<Bound>, pub out: Bound, pub program: Program }
pub struct Reader<'a>(pub std::str::SplitAsciiWhitespace<'a>);
impl Reader<'_> {
    fn get<T: std::str::FromStr>(&mut self) -> T { self.0.next().unwrap().parse().ok().unwrap() }
    fn limb(&mut self) -> Limb { Limb(self.get()) }
    fn src(&mut self) -> Src { match self.get::<u8>() { 0 => Src::Limb(self.limb()), _ => Src::Imm(self.get()) } }
    fn list(&mut self) -> Vec<Src> { (0..self.get::<usize>()).map(|_| self.src()).collect() }
    fn bound(&mut self) -> Bound { Bound { times: self.get(), loose: self.get() } }
    fn op(&mut self) -> Op {
        match self.get::<u8>() {
            0 => Op::Add(self.src(), self.src()),
            1 => Op::Sub(self.src(), self.src()),
            2 => Op::Low { sum: self.src(), a: self.src(), b: self.src() },
            3 => Op::High { sum: self.src(), a: self.src(), b: self.src() },
            4 => Op::Quotient { a: self.limb(), by: self.get() },
            5 => Op::Carry { a: self.limb(), q: self.limb(), p0: self.get() },
            6 => Op::Shift { a: self.limb(), bits: self.get() },
            7 => Op::Mask { a: self.limb(), bits: self.get() },
            8 => Op::Double { a: self.limb(), bits: self.get() },
            _ => { let (a, b) = (self.src(), self.src()); Op::Select { sign: self.limb(), a, b } }
        }
    }
    pub fn entry(&mut self) -> Entry {
        let right = self.get::<u8>() == 1;
        let field = FieldDesc::new(\"f\", self.get::<BigUint>());
        let op = match self.get::<u8>() {
            0 => FieldOp::Add, 1 => FieldOp::Sub, 2 => FieldOp::Neg, 3 => FieldOp::Dbl, 4 => FieldOp::Mul, 5 => FieldOp::Sqr,
            6 => FieldOp::MulSmall(self.get()), 7 => FieldOp::MulConst(self.get()), 8 => FieldOp::Dot(self.get()),
            9 => FieldOp::ReduceFull, 10 => FieldOp::ReduceWeak, _ => FieldOp::IsZero,
        };
        if !matches!(op, FieldOp::MulSmall(_) | FieldOp::MulConst(_) | FieldOp::Dot(_)) { self.get::<u8>(); }
        let operands = (0..self.get::<usize>()).map(|_| self.bound()).collect();
        let out = self.bound();
        let (inputs, limbs) = (self.get(), self.get());
        let insts = (0..self.get::<usize>()).map(|_| match self.get::<u8>() {
            0 => Inst::Write(self.limb(), self.op()),
            1 => Inst::Normal(self.list()),
            _ => Inst::Renamed(self.list()),
        }).collect();
        let output = self.list();
        let parts = (0..self.get::<usize>()).map(|_| {
            let words = self.list();
            let limbs = (0..self.get::<usize>()).map(|_| (self.src(), self.get::<BigInt>())).collect();
            (words, Parts { limbs, low: (self.src(), self.src(), self.get()) })
        }).collect();
        let compared = (0..self.get::<usize>()).map(|_| self.list()).collect();
        Entry { right, field, op, operands, out, program: Program { inputs, limbs, insts, output, parts, compared } }
    }
}
pub type Judge = fn(&FieldDesc, &FieldOp, &[Bound], &Program, Bound) -> bool;
/// The number of the first entry that is misjudged, or nothing; a panic is a judgement too, a wrong one.
pub fn misjudged(all: &[Entry], judge: Judge) -> String {
    let wrong = all.iter().position(|e| {
        let judged = std::panic::catch_unwind(|| judge(&e.field, &e.op, &e.operands, &e.program, e.out));
        judged.ok() != Some(e.right)
    });
    wrong.map_or(String::new(), |at| at.to_string())
}
";

/// What the checker needs of the other targets' traits.
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

#[test]
fn every_edit_of_the_checker_is_noticed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let checker = source.join("targets/simd/arithmetic").join(FILE);
    let edits: Vec<Edit> = EDITS.iter().map(|(old, new)| (FILE, *old, *new)).collect();
    // All of them are still edits of what stands there; a third is compiled, all in a long run.
    let texts: Vec<String> = edits.iter().map(|edit| edited(&checker, Some(edit))).collect();
    let step = if is_long() { 1 } else { 3 };
    let folder = env::temp_dir().join(format!("lane-checker-edits-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let copies = std::iter::once(edited(&checker, None)).chain(texts.into_iter().step_by(step));
    let mut modules = String::new();
    let mut lines = String::new();
    for (k, text) in copies.enumerate() {
        let file = folder.join(format!("copy_{k}.rs"));
        fs::write(&file, text).unwrap();
        let _ = writeln!(modules, "    #[path = {file:?}]\n    pub mod copy_{k};");
        let _ = writeln!(
            lines,
            "        println!(\"{{}}\", reader::misjudged(&all, |field, op, operands, program, out| copy_{k}::check(field, op, operands, program, out).is_ok()));"
        );
    }
    let mut numbers = Numbers::default();
    let corpus = corpus();
    corpus.iter().for_each(|entry| numbers.entry(entry));
    let (data, reader, program) = (folder.join("corpus"), folder.join("reader.rs"), folder.join("main.rs"));
    fs::write(&data, numbers.0).unwrap();
    fs::write(&reader, READER).unwrap();
    let path = |file: &str| source.join(file);
    let text = format!(
        "#![allow(warnings)]\nmod declaration {{\n    #[path = {:?}]\n    pub mod field;\n    #[path = {:?}]\n    pub mod op;\n    pub use {{field::FieldDesc, op::FieldOp}};\n}}\n\
         mod targets {{\n{SEALS}{TRAITS}pub mod simd {{ pub mod arithmetic {{\n    #[path = {:?}]\n    pub mod bound;\n    #[path = {:?}]\n    pub mod ir;\n    #[path = {reader:?}]\n    pub mod reader;\n{modules}\
         pub fn run() {{\n        std::panic::set_hook(Box::new(|_| ()));\n        let text = std::fs::read_to_string({data:?}).unwrap();\n        let mut from = reader::Reader(text.split_ascii_whitespace());\n        let all: Vec<_> = (0..{}).map(|_| from.entry()).collect();\n{lines}    }}\n}} }} }}\n\
         fn main() {{ targets::simd::arithmetic::run() }}\n",
        path("declaration/field.rs"),
        path("declaration/op.rs"),
        path("targets/simd/arithmetic/bound.rs"),
        path("targets/simd/arithmetic/ir.rs"),
        corpus.len(),
    );
    fs::write(&program, text).unwrap();
    let output = Command::new(compiled(&folder, &program, &["num_bigint", "num_integer", "num_traits"]))
        .output()
        .unwrap();
    let noticed = String::from_utf8(output.stdout).unwrap();
    let noticed: Vec<&str> = noticed.lines().collect();
    fs::remove_dir_all(&folder).unwrap();
    let compiled = edits.iter().step_by(step);
    assert_eq!(noticed.len(), 1 + compiled.clone().count(), "a line for each copy");
    assert_eq!(noticed[0], "", "the checker as it stands");
    let missed: Vec<_> =
        compiled.zip(&noticed[1..]).filter(|(_, at)| at.is_empty()).map(|(edit, _)| edit).collect();
    assert!(missed.is_empty(), "{} edits are not noticed: {missed:#?}", missed.len());
}
