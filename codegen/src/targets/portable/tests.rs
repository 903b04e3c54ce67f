//! Programs by the checker, by their meaning in toy fields, and wrong ones.

use super::arithmetic::bound::most;
use super::arithmetic::check::check;
use super::arithmetic::ir::{Inst, Limb, Pair, Program, Src, Step};
use super::*;
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::Below;
use crate::kernels::field_kernels;
use crate::passes::{annotate, prepare};
use crate::targets::trials::{self, Offered, all_operands, field, offered, proven_by_their_rules};
use crate::targets::trials::{solinas, usual_fields};
use crate::targets::{BackEnd as _, Bound as _};
use curvesmith_abi::Geometry;
use num_bigint::BigUint;

/// The usual ones, and five limbs of nine words.
fn fields() -> Vec<FieldDesc> {
    usual_fields().into_iter().chain([solinas(279, 69)]).collect()
}

fn bounds(f: &FieldDesc) -> Vec<Bound> {
    [1, 2, 3, 5, 16].into_iter().filter(|k| *k <= most(f)).map(Bound).collect()
}

fn offers(f: &FieldDesc) -> Vec<Offered<Portable>> {
    offered(f, &bounds(f))
}

#[test]
fn every_variant_is_proven_by_its_rules() {
    let number: usize = fields().iter().map(|f| proven_by_their_rules::<Portable>(f, &bounds(f))).sum();
    assert!(number > 1000, "{number}");
}

/// What a program computes.
fn run(program: &Program, n: usize, inputs: &[BigUint]) -> BigUint {
    let mut limbs: Vec<u64> = inputs.iter().flat_map(|x| to_limbs(x, n)).collect();
    limbs.resize(program.limbs as usize, 0);
    let get = |limbs: &[u64], src: Src| match src {
        Src::Limb(limb) => u128::from(limbs[limb.0 as usize]),
        Src::Imm(value) => value.into(),
    };
    for inst in &program.insts {
        match *inst {
            Inst::Pair { low, high, by } => {
                let wide = match by {
                    Pair::Add(a, b, c) => get(&limbs, a) + get(&limbs, b) + get(&limbs, c),
                    Pair::Sub(a, b, c) => get(&limbs, a).wrapping_sub(get(&limbs, b) + get(&limbs, c)),
                    Pair::MulAdd(a, b, c, d) => {
                        get(&limbs, a) * get(&limbs, b) + get(&limbs, c) + get(&limbs, d)
                    }
                };
                limbs[low.0 as usize] = wide as u64;
                let is_difference = matches!(by, Pair::Sub(..));
                limbs[high.0 as usize] = (wide >> if is_difference { 127 } else { 64 }) as u64;
            }
            Inst::Select { out, bit, a, b } => {
                let chosen = if limbs[bit.0 as usize] == 1 { a } else { b };
                limbs[out.0 as usize] = get(&limbs, chosen) as u64;
            }
        }
    }
    program.output.iter().rev().fold(BigUint::ZERO, |all, src| (all << 64) + get(&limbs, *src))
}

/// Whether it is right for these operands, as elements in Montgomery form.
fn is_right(f: &FieldDesc, op: &FieldOp, program: &Program, out: Bound, x: &[BigUint]) -> bool {
    trials::is_right(f, op, &r(f), &out.limit(f), x, &run(program, limbs(f), x))
}

/// The checker is not asked.
#[test]
fn toy_programs_are_right_for_all_operands() {
    for f in [field("three", "3"), field("toy", "d")] {
        for Offered { op, operands, choice, what } in offers(&f) {
            for x in all_operands(&f, &operands) {
                assert!(is_right(&f, &op, &choice.program, choice.out, &x), "{what}: {x:?}");
            }
        }
    }
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
#[test]
fn wrong_programs_are_refused() {
    let (mut refused, mut right) = (0, 0);
    for f in [field("three", "3"), field("toy", "d"), field("full", "ffffffffffffffc5")] {
        let toy = f.p.bits() < 32;
        let small = |offered: &Offered<Portable>| offered.operands[0].0 <= 3;
        for Offered { op, operands: bounds, choice, what } in offers(&f).into_iter().filter(small) {
            for mutant in mutants(&choice.program) {
                if check(&f, &op, &bounds, &mutant, choice.out).is_err() {
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
                    let holds = is_right(&f, &op, &mutant, choice.out, &x);
                    assert!(holds, "{what}, of {x:?}: {mutant:?}");
                }
            }
        }
    }
    assert!(refused > 5000 && right < refused / 4, "{refused} refused, {right} right");
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
        check(f, &op, &[Bound::CANONICAL; 2], program, Bound(out)).map(drop).map_err(|error| error.0)
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

/// A bound that is too small, and a step that is left out.
#[test]
fn claims_that_are_too_strong_are_refused() {
    for f in fields() {
        for offered in offers(&f).into_iter().filter(|offered| !offered.op.tests_zero()) {
            let (choice, what) = (&offered.choice, &offered.what);
            let copies = choice.program.insts.is_empty();
            if choice.out.0 > 1 && !copies {
                let less = Choice { out: Bound(choice.out.0 - 1), ..choice.clone() };
                assert!(offered.judged(&f, &less).is_err(), "{what} within {:?}", less.out);
            }
            // Carries of rows may be known from what is above them; that the lowest limb is zero, nothing else says.
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
fn kernels_of_a_gpu_are_refused_with_a_reason() {
    let f = field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    for kernel in field_kernels(&Geometry::PTX, &f) {
        let error = prepare::<Portable>(&kernel).map(drop).expect_err("it has threads");
        assert!(matches!(error, PassError::Unsupported(_)), "{}: {error}", kernel.symbol);
    }
    let montgomery = function(&f, "from_mont", 1, |_, x| vec![x[0].from_mont()]);
    let error = prepare::<Portable>(&montgomery).map(drop).expect_err("its words are other words");
    assert!(matches!(error, PassError::NoVariant { .. }), "{error}");
    let lazy =
        function(&f, "lazy", 1, |b, x| vec![b.from_words_below(&x[0].words_below(Below(2)), Below(2))]);
    let error = prepare::<Portable>(&lazy).map(drop).expect_err("its words are not canonical");
    assert_eq!(error.to_string(), "the target has no words of elements that are not canonical");
}

/// Sums stay lazy where there is room, and what is stored is canonical.
#[test]
fn reductions_are_placed() {
    let body = |f: &FieldDesc| function(f, "f", 3, |_, x| vec![(x[0] + x[1]) * (x[0] - x[2]) + x[1]]);
    let text = |f: &FieldDesc| annotate(&prepare::<Portable>(&body(f)).expect("it is a function"));
    let [lazy, full] = [4, 5].map(|k| text(&fields()[k]));
    assert!(lazy.contains("add.lazy") && lazy.contains("<2p"), "{lazy}");
    assert!(!full.contains("lazy"), "{full}");
    for text in [lazy, full] {
        assert!(text.lines().last().is_some_and(|line| line.contains("<1p")), "{text}");
    }
}

/// Names that the module has already, that are no names, and fields that are not one.
#[test]
fn functions_that_are_no_module_are_refused() {
    let fields = fields();
    let named = |f: &FieldDesc, name: &str| {
        prepare::<Portable>(&function(f, name, 1, |_, x| vec![x[0].dbl()])).expect("it is a function")
    };
    for name in ["is_zero", "", "Dbl", "1a", "a b", "dbl_lazy_0"] {
        assert!(Portable::emit(&[named(&fields[1], name)], ()).is_err(), "{name}");
    }
    assert!(Portable::emit(&[named(&fields[1], "f"), named(&fields[1], "g")], ()).is_ok());
    assert!(Portable::emit(&[named(&fields[1], "f"), named(&fields[1], "f")], ()).is_err());
    assert!(Portable::emit(&[named(&fields[1], "f"), named(&fields[2], "g")], ()).is_err());
}
