//! Programs by the checker, by their meaning, and wrong ones, for each width of limbs.

use super::check::check;
use super::ir::{Inst, Limb, Pair, Program, Src, Step};
use super::*;
use crate::targets::Bound as _;
use crate::targets::portable::{Bound, Portable};
use crate::targets::ptx::tests::is_long;
use crate::targets::tests::trials::{
    self, Offered, all_operands, field, offered_of, ops, proven_by_their_rules, solinas, some, usual_fields,
};
use crate::targets::wgsl::{self, Wgsl};

/// The usual ones, five limbs of nine words, and five words.
fn fields() -> Vec<FieldDesc> {
    usual_fields().into_iter().chain([solinas(279, 69), solinas(160, 47)]).collect()
}

/// Multiples of `p` that an element holds, and a little more.
fn bounds<T: Limbs>(f: &FieldDesc) -> Vec<T::Bound> {
    let limits = [1u32, 2, 3, 5, 16].into_iter().flat_map(|k| [&f.p * k, &f.p * k + 1u32]);
    let held = limits.take_while(|limit| *limit <= T::capacity(f));
    let bound = |limit: BigUint| T::Bound::below(f, &limit).filter(|b| b.limit(f) <= T::capacity(f));
    let mut bounds: Vec<T::Bound> = held.filter_map(bound).collect();
    bounds.dedup();
    bounds
}

const ZERO: Src = Src::Imm(0);

/// All that a target of these limbs has.
fn all_ops<T: Limbs>(f: &FieldDesc) -> Vec<FieldOp> {
    let mut all = ops(f);
    all.push(FieldOp::MaybeZero);
    if T::of_layout(f) {
        all.push(FieldOp::FromMont);
        let tables = [(1, 1), (1, 2), (2, 3), (2, 2), (3, 5)].into_iter();
        let fits = tables.filter(|(_, rows)| *rows as usize <= f.words);
        all.extend(fits.map(|(step, rows)| FieldOp::MulTable { step, rows }));
    }
    all
}

fn offers<T: Limbs>(f: &FieldDesc) -> Vec<Offered<T>> {
    offered_of(f, &all_ops::<T>(f), &bounds::<T>(f))
}

fn every_variant<T: Limbs>() {
    let of = |f: &FieldDesc| proven_by_their_rules::<T>(f, &all_ops::<T>(f), &bounds::<T>(f));
    let number: usize = fields().iter().map(of).sum();
    assert!(number > 1000, "{number}");
}

#[test]
fn every_variant_is_proven_by_its_rules() {
    every_variant::<Portable>();
    every_variant::<Wgsl>();
}

/// What a program computes.
fn run<T: Limbs>(program: &Program, n: usize, inputs: &[BigUint]) -> BigUint {
    let word = BigUint::one() << T::BITS;
    let mut limbs: Vec<BigUint> = inputs.iter().flat_map(|x| T::to_limbs(x, n)).map(BigUint::from).collect();
    limbs.resize(program.limbs as usize, BigUint::ZERO);
    let get = |limbs: &[BigUint], src: Src| match src {
        Src::Limb(limb) => limbs[limb.0 as usize].clone(),
        Src::Imm(value) => value.into(),
    };
    for inst in &program.insts {
        match *inst {
            Inst::Pair { low, high, by } => {
                let (wide, difference) = match by {
                    Pair::Add(a, b, c) => (get(&limbs, a) + get(&limbs, b) + get(&limbs, c), false),
                    Pair::MulAdd(a, b, c, d) => {
                        (get(&limbs, a) * get(&limbs, b) + get(&limbs, c) + get(&limbs, d), false)
                    }
                    Pair::Sub(a, b, c) => (&word + get(&limbs, a) - get(&limbs, b) - get(&limbs, c), true),
                };
                let above = &wide / &word;
                limbs[low.0 as usize] = wide % &word;
                limbs[high.0 as usize] = if difference { 1u32 - above } else { above };
            }
            Inst::Select { out, bit, a, b } => {
                let chosen = if limbs[bit.0 as usize].is_one() { a } else { b };
                limbs[out.0 as usize] = get(&limbs, chosen);
            }
        }
    }
    program.output.iter().rev().fold(BigUint::ZERO, |all, src| (all << T::BITS) + get(&limbs, *src))
}

/// Whether it is right for these operands, as elements in Montgomery form.
fn is_right<T: Limbs>(f: &FieldDesc, op: &FieldOp, program: &Program, out: T::Bound, x: &[BigUint]) -> bool {
    let found = run::<T>(program, T::limbs(f), x);
    let limit = out.limit(f);
    if let FieldOp::MulTable { step, rows } = op {
        // By the words, whatever the table holds.
        let bits = T::BITS * *step as usize;
        let entry = |(i, w): (usize, &BigUint)| ((&x[0] >> (bits * i)) % (BigUint::one() << bits)) * w;
        let sum: BigUint = x[1..].iter().enumerate().map(entry).sum();
        let scaled = &found << (T::BITS * *rows as usize);
        return found < limit && scaled % &f.p == sum % &f.p;
    }
    trials::is_right(f, op, &T::r(f), &limit, x, &found)
}

fn right_for_all_operands<T: Limbs>() {
    for f in [field("three", "3"), field("toy", "d")] {
        for Offered { op, operands, choice, what } in some(offers::<T>(&f), 9) {
            for x in all_operands(&f, &operands) {
                assert!(is_right::<T>(&f, &op, &choice.program, choice.out, &x), "{what}: {x:?}");
            }
        }
    }
}

/// The checker is not asked.
#[test]
fn toy_programs_are_right_for_all_operands() {
    right_for_all_operands::<Portable>();
    right_for_all_operands::<Wgsl>();
}

/// Operands at the ends of their bounds, with limbs of zeros and ones, and some between.
fn right_at_the_bounds<T: Limbs>() {
    for f in fields().into_iter().filter(|f| f.p.bits() > 32) {
        for Offered { op, operands, choice, what } in offers::<T>(&f) {
            for seed in 0..6u32 {
                let value = |(k, bound): (usize, &T::Bound)| -> BigUint {
                    let limit = bound.limit(&f);
                    match (seed + k as u32) % 6 {
                        0 => &limit - 1u32,
                        1 => BigUint::ZERO,
                        2 => ((BigUint::one() << (T::BITS * (T::limbs(&f) - 1))) - 1u32) % limit,
                        3 => (BigUint::one() << (f.p.bits() as usize - 1)) % limit,
                        4 => f.p.clone() % limit,
                        _ => ((&limit * 0x9e37_79b9u32) >> 32u32) % limit,
                    }
                };
                let x: Vec<BigUint> = operands.iter().enumerate().map(value).collect();
                assert!(is_right::<T>(&f, &op, &choice.program, choice.out, &x), "{what}: {x:x?}");
            }
        }
    }
}

#[test]
fn programs_are_right_at_the_bounds() {
    right_at_the_bounds::<Portable>();
    right_at_the_bounds::<Wgsl>();
}

/// The program with one thing changed, in every place.
fn mutants(program: &Program) -> Vec<Program> {
    let mut all = vec![];
    let other = |src: Src| match src {
        Src::Imm(value) => Src::Imm(value ^ 1),
        Src::Limb(Limb(0)) => Src::Imm(0),
        Src::Limb(Limb(limb)) => Src::Limb(Limb(limb - 1)),
    };
    let mut with = |at: usize, inst: Inst| {
        let mut mutant = program.clone();
        mutant.insts[at] = inst;
        all.push(mutant);
    };
    for (at, inst) in program.insts.iter().enumerate() {
        match *inst {
            Inst::Pair { low, high, by } => {
                let changed = match by {
                    Pair::Add(a, b, c) => vec![
                        Pair::Add(other(a), b, c),
                        Pair::Add(a, other(b), c),
                        Pair::Add(a, b, Src::Imm(0)),
                        Pair::Add(a, b, Src::Imm(1)),
                        Pair::Sub(a, b, c),
                    ],
                    Pair::Sub(a, b, c) => vec![
                        Pair::Sub(other(a), b, c),
                        Pair::Sub(a, other(b), c),
                        Pair::Sub(a, b, Src::Imm(0)),
                        Pair::Add(a, b, c),
                    ],
                    Pair::MulAdd(a, b, c, d) => vec![
                        Pair::MulAdd(other(a), b, c, d),
                        Pair::MulAdd(a, other(b), c, d),
                        Pair::MulAdd(a, b, other(c), d),
                        Pair::MulAdd(a, b, c, Src::Imm(0)),
                    ],
                };
                changed.into_iter().for_each(|by| with(at, Inst::Pair { low, high, by }));
            }
            Inst::Select { out, bit, a, b } => {
                for (a, b) in [(b, a), (a, a), (b, b), (other(a), b)] {
                    with(at, Inst::Select { out, bit, a, b });
                }
            }
        }
    }
    for k in 0..program.output.len() {
        let mut mutant = program.clone();
        mutant.output[k] = other(mutant.output[k]);
        all.push(mutant);
    }
    all
}

/// A changed program is refused, or right for all operands.
fn changed_programs<T: Limbs>(full: &FieldDesc) {
    let (mut refused, mut right) = (0, 0);
    for f in [field("three", "3"), field("toy", "d"), full.clone()] {
        let toy = f.p.bits() < 32;
        let most = &f.p * 3u32;
        let small = |offered: &Offered<T>| offered.operands[0].limit(&f) <= most;
        for Offered { op, operands: bounds, choice, what } in offers::<T>(&f).into_iter().filter(small) {
            // A step that no number of changes of an instruction divides.
            for mutant in some(mutants(&choice.program), 7) {
                if check::<T>(&f, &op, &bounds, &mutant, choice.out).is_err() {
                    refused += 1;
                    continue;
                }
                right += 1;
                let awkward = [0u32, 1, 2].map(BigUint::from);
                let tops = [1u32, 2].map(|less| &f.p - less);
                let some: Vec<BigUint> = awkward.into_iter().chain(tops).collect();
                let pairs = some.iter().flat_map(|x| some.iter().map(move |y| [x.clone(), y.clone()]));
                let tuples = match toy {
                    true => all_operands(&f, &bounds),
                    false => {
                        pairs.map(|pair| (0..bounds.len()).map(|k| pair[k % 2].clone()).collect()).collect()
                    }
                };
                for x in tuples {
                    let holds = is_right::<T>(&f, &op, &mutant, choice.out, &x);
                    assert!(holds, "{what}, of {x:?}: {mutant:?}");
                }
            }
        }
    }
    let enough = if is_long() { 5000 } else { 700 };
    // Of every seventh, 22 in a hundred are right.
    let few = refused / if is_long() { 4 } else { 3 };
    assert!(refused > enough && right < few, "{refused} refused, {right} right");
}

#[test]
fn wrong_programs_are_refused() {
    changed_programs::<Portable>(&field("full", "ffffffffffffffc5"));
    changed_programs::<Wgsl>(&field("full", "fffffffb"));
}

/// Programs by hand, each wrong in one thing, and why the checker refuses it.
#[test]
fn each_fault_is_refused_for_its_reason() {
    let [toy, full] = [field("toy", "d"), field("full", "ffffffffffffffc5")];
    let [x, y, low, high] = [0, 1, 2, 3].map(Limb);
    let zero = Src::Imm(0);
    // x + y below 2p, its carry 0.
    let sum = |change: &dyn Fn(&mut Program)| {
        let mut program = Program::new(2, 1);
        program.pair(Pair::Add(x.into(), y.into(), zero));
        (program.output, program.above) = (vec![low.into()], vec![high.into()]);
        program.steps = vec![Step::Known(vec![low.into()], high)];
        change(&mut program);
        program
    };
    let judge = |f: &FieldDesc, op: FieldOp, out: u64, program: &Program| {
        check::<Portable>(f, &op, &[Bound(1); 2], program, Bound(out)).map(drop).map_err(|error| error.0)
    };
    assert_eq!(judge(&toy, FieldOp::Add, 2, &sum(&|_| ())), Ok(()));
    let by = |by: Pair| move |p: &mut Program| p.insts[0] = Inst::Pair { low, high, by };
    type Change<'c> = &'c dyn Fn(&mut Program);
    let changes: [(&str, Change<'_>); 14] = [
        ("has the shape of another operation", &|p| p.inputs = 1),
        ("has the shape of another operation", &|p| p.output.push(zero)),
        ("reads a limb that is not written yet", &by(Pair::Add(x.into(), high.into(), zero))),
        ("writes a limb twice", &|p| p.insts.push(p.insts[0])),
        ("adds a limb as a carry", &by(Pair::Add(x.into(), zero, y.into()))),
        ("adds a limb as a carry", &by(Pair::Add(x.into(), y.into(), Src::Imm(2)))),
        ("selects by a limb", &|p| p.insts.push(Inst::Select { out: Limb(4), bit: x, a: zero, b: zero })),
        ("gives a limb that is not written", &|p| p.output[0] = Limb(4).into()),
        ("has a limb above its result", &|p| p.steps.clear()),
        ("has a limb that does not vanish", &|p| p.steps.push(Step::Vanishes(low))),
        ("has another limb that vanishes", &|p| p.steps.push(Step::Vanishes(high))),
        ("has a carry that is not known", &by(Pair::Sub(x.into(), y.into(), zero))),
        ("is not shown to be the operation's", &by(Pair::Add(x.into(), x.into(), zero))),
        ("is not shown to be the operation's", &by(Pair::Add(x.into(), y.into(), Src::Imm(1)))),
    ];
    let refused = |reason: &str, verdict: Result<(), String>| {
        let error = verdict.expect_err(reason);
        assert!(error.contains(reason), "{error}, and not: {reason}");
    };
    for (reason, change) in changes {
        // As much as the wrong sums may reach.
        refused(reason, judge(&toy, FieldOp::Add, 3, &sum(change)));
    }
    refused("may reach 24, the bound is 12", judge(&toy, FieldOp::Add, 1, &sum(&|_| ())));
    refused("is not shown to be the operation's", judge(&toy, FieldOp::Sub, 2, &sum(&|_| ())));
    refused("has a carry that is not known", judge(&full, FieldOp::Add, 2, &sum(&|_| ())));
    refused("has the shape of another operation", judge(&toy, FieldOp::Mul, 2, &sum(&|p| p.inputs = 1)));
    let even = FieldDesc { p: 12u32.into(), ..toy };
    refused("has the shape of another operation", judge(&even, FieldOp::Add, 2, &sum(&|_| ())));
}

/// A constant is a limb.
#[test]
fn a_constant_that_is_no_limb_is_refused() {
    let toy = field("toy", "d");
    let (x, high) = (Limb(0), Limb(2));
    let sum = |value: u64| {
        let mut program = Program::new(1, 1);
        let (low, _) = program.pair(Pair::Add(x.into(), Src::Imm(value), ZERO));
        (program.output, program.above) = (vec![low.into()], vec![high.into()]);
        program.steps = vec![Step::Known(vec![low.into()], high)];
        program
    };
    let (canonical, most) = (wgsl::Bound::Canonical, wgsl::Bound::Units(1 << 32));
    let judge = |value| check::<Wgsl>(&toy, &FieldOp::ReduceWeak, &[canonical], &sum(value), most);
    assert!(judge(13).is_ok());
    assert!(judge((1 << 32) - 3).is_err(), "it is not the operation's");
    let error = judge(13 << 32).map(drop).expect_err("it has more than 32 bits");
    assert!(error.0.contains("not written yet"), "{error}");
}

/// A bound that is too small, and a step that is left out.
fn too_strong<T: Limbs>() {
    for f in fields() {
        for offered in some(offers::<T>(&f), 12).into_iter().filter(|offered| !offered.op.tests_zero()) {
            let (choice, what) = (&offered.choice, &offered.what);
            let copies = choice.program.insts.is_empty();
            let limit = choice.out.limit(&f);
            if limit > f.p && !copies {
                let out = T::Bound::below(&f, &(limit - T::unit(&f))).expect("it is less");
                let less = Choice { out, ..choice.clone() };
                assert!(offered.judged(&f, &less).is_err(), "{what} within {:?}", less.out);
            }
            // Carries of rows may be known from what is above them; that the lowest limb is zero, nothing
            // else says.
            let last = choice.program.steps.iter().rposition(|step| matches!(step, Step::Vanishes(_)));
            if let Some(at) = last {
                let mut fewer = choice.clone();
                fewer.program.steps.remove(at);
                assert!(offered.judged(&f, &fewer).is_err(), "{what} without step {at}");
            }
        }
    }
}

#[test]
fn claims_that_are_too_strong_are_refused() {
    too_strong::<Portable>();
    too_strong::<Wgsl>();
}
