//! Mutants: a block with one instruction changed is rejected, or is right on everything tried.

use std::collections::BTreeMap;
use std::mem::discriminant;

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::*;
use crate::targets::ptx::arithmetic::interp;
use crate::targets::ptx::arithmetic::ir::{Block, CarryOut, Cmp, Inst, Logic, Src};
use crate::targets::ptx::tests::define;
use crate::targets::ptx::tests::fields::{Bits, classes, tuples};
use crate::targets::ptx::{Choice, all_choices};

/// Every block that differs from `block` in the instruction at `at` by one small change.
fn mutants(block: &Block, at: usize) -> Vec<Block> {
    let inst = block.insts()[at];
    let mut changed = Vec::new();
    opcodes(inst, &mut changed);
    flags(inst, &mut changed);
    sources(inst, &mut changed);
    changed.retain(|other| *other != inst);
    let block_with = |other| {
        let mut mutant = block.clone();
        mutant.insts[at] = other;
        mutant
    };
    changed.into_iter().map(block_with).collect()
}

/// Another operation, or none: the destination is the first operand.
fn opcodes(inst: Inst, out: &mut Vec<Inst>) {
    let copy = |d, a| Inst::Logic { op: Logic::Or, d, a, b: Src::Imm(0) };
    match inst {
        Inst::Add { d, a, b, cin, out: carry, guard } => {
            out.extend([copy(d, a), Inst::Sub { d, a, b, cin, out: carry, guard }]);
            if guard.is_some() {
                out.push(Inst::Add { d, a, b, cin, out: carry, guard: None });
            }
        }
        Inst::Sub { d, a, b, cin, out: carry, guard } => {
            let swapped = Inst::Sub { d, a: b, b: a, cin, out: carry, guard };
            out.extend([copy(d, a), swapped, Inst::Add { d, a, b, cin, out: carry, guard }]);
            if guard.is_some() {
                out.push(Inst::Sub { d, a, b, cin, out: carry, guard: None });
            }
        }
        Inst::MulLo { d, a, b } => out.extend([copy(d, a), Inst::MulHi { d, a, b }]),
        Inst::MulHi { d, a, b } => out.extend([copy(d, a), Inst::MulLo { d, a, b }]),
        Inst::MulWide { lo, hi, a, b } => out.push(Inst::MulWide { lo: hi, hi: lo, a, b }),
        Inst::MadLo { d, a, b, c, cin, out: carry } => {
            out.extend([copy(d, c), Inst::MadHi { d, a, b, c, cin, out: carry }]);
        }
        Inst::MadHi { d, a, b, c, cin, out: carry } => {
            out.extend([copy(d, c), Inst::MadLo { d, a, b, c, cin, out: carry }]);
        }
        Inst::Logic { op, d, a, b } => {
            out.push(copy(d, a));
            let others = [Logic::And, Logic::Or, Logic::Xor].into_iter().filter(|other| *other != op);
            out.extend(others.map(|op| Inst::Logic { op, d, a, b }));
        }
        Inst::Shl { d, a, by } => out.extend([copy(d, a), Inst::Shr { d, a, by }]),
        Inst::Shr { d, a, by } => out.extend([copy(d, a), Inst::Shl { d, a, by }]),
        Inst::ShfL { d, lo, hi, by } => out.extend([copy(d, hi), Inst::ShfL { d, lo: hi, hi: lo, by }]),
        Inst::Setp { q, cmp, a, b } => {
            let others = [Cmp::Eq, Cmp::Ne, Cmp::Ge].into_iter().filter(|other| *other != cmp);
            out.extend(others.map(|cmp| Inst::Setp { q, cmp, a, b }));
            out.push(Inst::Setp { q, cmp, a: b, b: a });
        }
        Inst::Selp { d, a, b, q } => out.extend([copy(d, a), copy(d, b), Inst::Selp { d, a: b, b: a, q }]),
    }
}

/// Carry in read or not; carry out kept, claimed to be zero, or lost.
fn flags(inst: Inst, out: &mut Vec<Inst>) {
    let mut toggled = inst;
    match &mut toggled {
        Inst::Add { cin, .. } | Inst::Sub { cin, .. } | Inst::MadLo { cin, .. } | Inst::MadHi { cin, .. } => {
            *cin = !*cin;
        }
        _ => return,
    }
    out.push(toggled);
    for kept in [CarryOut::Flag, CarryOut::Never, CarryOut::Lost] {
        let mut other = inst;
        match &mut other {
            Inst::Add { out, .. }
            | Inst::Sub { out, .. }
            | Inst::MadLo { out, .. }
            | Inst::MadHi { out, .. } => {
                *out = kept;
            }
            _ => return,
        }
        out.push(other);
    }
}

/// Immediates one off, words one off, shifts one off.
fn sources(inst: Inst, out: &mut Vec<Inst>) {
    for place in 0..3 {
        for step in [1, u32::MAX] {
            let mut other = inst;
            let (mut sources, mut amount): (Vec<&mut Src>, Option<&mut u32>) = match &mut other {
                Inst::Add { a, b, .. }
                | Inst::Sub { a, b, .. }
                | Inst::MulLo { a, b, .. }
                | Inst::MulHi { a, b, .. }
                | Inst::MulWide { a, b, .. }
                | Inst::Logic { a, b, .. }
                | Inst::Setp { a, b, .. }
                | Inst::Selp { a, b, .. } => (vec![a, b], None),
                Inst::MadLo { a, b, c, .. } | Inst::MadHi { a, b, c, .. } => (vec![a, b, c], None),
                Inst::Shl { a, by, .. } | Inst::Shr { a, by, .. } => (vec![a], Some(by)),
                Inst::ShfL { lo, hi, by, .. } => (vec![lo, hi], Some(by)),
            };
            match sources.get_mut(place) {
                Some(Src::Imm(value)) => *value = value.wrapping_add(step),
                Some(Src::Word(word)) if step == u32::MAX && word.0 > 0 => word.0 -= 1,
                _ => match &mut amount {
                    Some(by) if place == 2 => **by = by.wrapping_add(step).clamp(1, 31),
                    _ => continue,
                },
            }
            out.push(other);
        }
    }
}

/// Whether a block computes the operation on these operands, and drops no carry that it denies.
fn right(f: &FieldDesc, op: &FieldOp, out: Bound, block: &Block, operands: &[BigUint]) -> bool {
    let words: Vec<Vec<u32>> = operands.iter().map(|x| f.limbs(x)).collect();
    let Ok(results) = interp::run(block, &words) else { return false };
    let results: Vec<BigUint> = results.into_iter().map(BigUint::new).collect();
    let zero = (&operands[0] % &f.p).is_zero();
    match op {
        FieldOp::IsZero => results[0] == BigUint::from(u32::from(zero)),
        FieldOp::MaybeZero => results[0] <= BigUint::one() && (results[0].is_one() || !zero),
        _ => {
            let within = results.iter().all(|r| *r < out.limit(f));
            let reduced: Vec<BigUint> = results.iter().map(|r| r % &f.p).collect();
            within && reduced == define(f, op, operands)
        }
    }
}

#[derive(Default)]
struct Tally {
    mutants: usize,
    accepted: usize,
    blocks: usize,
    /// Accepted ones by what was changed.
    kinds: BTreeMap<&'static str, usize>,
}

/// What differs between two instructions.
fn change(inst: Inst, mutant: Inst) -> &'static str {
    if discriminant(&inst) != discriminant(&mutant) {
        return "operation";
    }
    let flags = |inst: Inst| match inst {
        Inst::Add { cin, out, .. }
        | Inst::Sub { cin, out, .. }
        | Inst::MadLo { cin, out, .. }
        | Inst::MadHi { cin, out, .. } => Some((cin, out)),
        _ => None,
    };
    match (flags(inst), flags(mutant)) {
        (Some((cin, _)), Some((other, _))) if cin != other => "carry in",
        (Some((_, out)), Some((_, other))) if out != other => "carry out",
        _ => "operand",
    }
}

/// Mutates every `step`-th instruction of every block of `ops` in a long run, a sixth of them in others, and
/// every one where `CURVESMITH_MUTANTS` is `all`.
fn mutate(f: &FieldDesc, ops: &[FieldOp], bounds: &[Bound], step: usize, tally: &mut Tally) {
    mutate_some(f, ops, bounds, step, tally, choices);
}

/// As [`mutate`], of the blocks that `offers` gives.
fn mutate_some(
    f: &FieldDesc,
    ops: &[FieldOp],
    bounds: &[Bound],
    step: usize,
    tally: &mut Tally,
    offers: impl Fn(&FieldDesc, &FieldOp, &[Bound]) -> Vec<Choice>,
) {
    let all = std::env::var("CURVESMITH_MUTANTS").is_ok_and(|found| found == "all");
    let step = match (all, is_long()) {
        (true, _) => 1,
        (_, true) => step,
        _ if step == 1 => 1,
        _ => 6 * step,
    };
    let mut bits = Bits(0x5851_f42d_4c95_7f2d);
    for op in ops {
        for &bound in bounds {
            let operands = vec![bound; op.operands(f)];
            let mut xs = classes(f, bound, &mut bits);
            xs.extend(classes(f, bound, &mut bits));
            let ys = classes(f, bound, &mut bits);
            let values = tuples(operands.len(), &xs, &ys);
            for choice in offers(f, op, &operands) {
                tally.blocks += 1;
                let (block, out) = (choice.block(), choice.out);
                for at in (tally.blocks % step..block.insts().len()).step_by(step) {
                    for mutant in mutants(block, at) {
                        tally.mutants += 1;
                        if prove(f, op, &operands, &mutant, out).is_err() {
                            continue;
                        }
                        tally.accepted += 1;
                        *tally.kinds.entry(change(block.insts()[at], mutant.insts()[at])).or_default() += 1;
                        let wrong = values.iter().find(|x| !right(f, op, out, &mutant, x));
                        assert!(
                            wrong.is_none(),
                            "{} {op:?} {bound:?} {}: wrong at {wrong:?}, proven with {:?} for {:?}\n{mutant}",
                            f.name,
                            choice.variant,
                            mutant.insts()[at],
                            block.insts()[at],
                        );
                    }
                }
            }
        }
    }
}

impl Tally {
    /// Most mutants are wrong and rejected; some are the same program otherwise written (a carry that
    /// is zero claimed to be zero, or kept and never read).
    fn assert_sensible(&self) {
        let Tally { mutants, accepted, blocks, kinds } = self;
        println!("{blocks} blocks, {mutants} mutants, {accepted} accepted: {kinds:?}");
        assert!(*mutants > 5 * blocks, "{mutants} mutants of {blocks} blocks");
        assert!(*accepted > 0 && 4 * accepted < *mutants, "{accepted} of {mutants} accepted");
    }
}

fn field(name: &str) -> FieldDesc {
    fields().into_iter().find(|f| f.name == name).expect("a field of the tests")
}

#[test]
fn mutants_of_one_word() {
    let mut tally = Tally::default();
    for name in ["f13", "babybear", "top32"] {
        let f = field(name);
        mutate(&f, &ops(&f), &[Bound::Canonical], 1, &mut tally);
    }
    tally.assert_sensible();
}

#[test]
fn mutants_of_two_words() {
    let mut tally = Tally::default();
    for (name, step) in [("goldilocks", 3), ("m61", 5), ("above32", 5)] {
        let f = field(name);
        mutate(
            &f,
            &ops(&f),
            &[Bound::Canonical, Bound::below(&f, &(&f.p * 2u32)).unwrap_or(Bound::ANY)],
            step,
            &mut tally,
        );
    }
    tally.assert_sensible();
}

#[test]
fn mutants_of_three_words() {
    let mut tally = Tally::default();
    let f = field("m89");
    mutate(&f, &ops(&f), &[Bound::Canonical, Bound::ANY], 7, &mut tally);
    tally.assert_sensible();
}

#[test]
fn mutants_of_eight_words() {
    let mut tally = Tally::default();
    let f = field("bn254_fq");
    let ops = [FieldOp::Add, FieldOp::Sub, FieldOp::Mul, FieldOp::Sqr, FieldOp::IsZero, FieldOp::Dot(2)];
    mutate(&f, &ops, &[Bound::Canonical], 13, &mut tally);
    tally.assert_sensible();
}

/// Karatsuba at few words, where it never pays.
#[test]
fn mutants_of_karatsuba() {
    let offers = |f: &FieldDesc, op: &FieldOp, operands: &[Bound]| {
        let mut choices = all_choices(f, op, operands);
        choices.retain(|choice| choice.variant.contains(".k"));
        choices
    };
    let mut tally = Tally::default();
    let f = field("m127");
    let fq2 = FieldOp::DotFq2 { terms: 1, nonresidue: -1 };
    let ops = [FieldOp::Mul, FieldOp::Sqr, FieldOp::Dot(2), fq2];
    mutate_some(&f, &ops, &[Bound::Canonical, Bound::ANY], 13, &mut tally, offers);
    tally.assert_sensible();
}
