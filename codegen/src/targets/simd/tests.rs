//! Programs by the checker, by their meaning on lanes, and wrong ones.

mod corpus;
mod edits;

use super::arithmetic::check::check;
use super::arithmetic::ir::{Inst, Limb, Op, Parts, Program, Src};
use super::*;
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::Below;
use crate::kernels::field_kernels;
use crate::passes::{annotate, prepare};
use crate::targets::ptx::tests::is_long;
use crate::targets::tests::trials::{
    self, Offered, all_operands, field, offered, ops, proven_by_their_rules,
};
use crate::targets::tests::trials::{solinas, some, usual_fields};
use crate::targets::{BackEnd as _, Bound as _};
use curvesmith_abi::Geometry;
use num_bigint::{BigInt, BigUint};

/// The usual ones, moduli just below and just above what one limb holds, and limbs of `p` that are zero.
fn fields() -> Vec<FieldDesc> {
    let p224 = field("p224", "ffffffffffffffffffffffffffffffff000000000000000000000001");
    usual_fields().into_iter().chain([solinas(48, 59), solinas(49, 81), p224]).collect()
}

/// Of one limb to nine.
fn small_fields() -> Vec<FieldDesc> {
    let small = |f: &FieldDesc| f.p.bits() < 256;
    fields().into_iter().filter(small).collect()
}

/// Canonical, resident, loose, the most that an element can be.
fn bounds<I: Instructions>(f: &FieldDesc) -> Vec<Bound> {
    let all =
        [Bound::normal(1), Bound::normal(2), Bound { times: 3, loose: 2 }, Bound { times: 7, loose: 12 }];
    let most = Limbs::of(I::PRODUCTS, f).most(f);
    all.into_iter().chain([Bound { times: most, loose: 100 }]).collect()
}

#[test]
fn every_variant_is_proven_by_its_rules() {
    fn proven<I: Instructions>() {
        let proven = |f| proven_by_their_rules::<Simd<I>>(f, &ops(f), &bounds::<I>(f));
        let number: usize = fields().iter().map(proven).sum();
        assert!(number > 1000, "{number}");
    }
    proven::<Ifma512>();
    proven::<Avx2>();
}

/// What a program computes; nothing where a word overflows, a factor is too large or what is shifted is
/// negative.
fn run(of: Limbs, program: &Program, inputs: &[i64]) -> Option<Vec<i64>> {
    let halves = of.products == Products::Halves;
    let (limb, factor) = (1i64 << of.bits, if halves { 1i64 << 52 } else { 1 << 32 });
    let mut limbs = inputs.to_vec();
    limbs.resize(program.limbs as usize, 0);
    let get = |limbs: &[i64], src: Src| match src {
        Src::Limb(limb) => limbs[limb.0 as usize],
        Src::Imm(value) => value,
    };
    let wide = |limbs: &[i64], a: Src, b: Src| {
        let [a, b] = [a, b].map(|src| get(limbs, src));
        let fit = (0..factor).contains(&a) && (0..factor).contains(&b);
        fit.then(|| i128::from(a) * i128::from(b))
    };
    for inst in &program.insts {
        let Inst::Write(out, op) = inst else { continue };
        limbs[out.0 as usize] = match *op {
            Op::Add(a, b) => get(&limbs, a).checked_add(get(&limbs, b))?,
            Op::Sub(a, b) => get(&limbs, a).checked_sub(get(&limbs, b))?,
            Op::Low { sum: to, a, b } if halves => {
                get(&limbs, to).checked_add((wide(&limbs, a, b)? & i128::from(factor - 1)) as i64)?
            }
            Op::High { sum: to, a, b } if halves => {
                get(&limbs, to).checked_add((wide(&limbs, a, b)? >> 52) as i64)?
            }
            Op::Whole { sum: to, a, b } if !halves => {
                get(&limbs, to).checked_add(i64::try_from(wide(&limbs, a, b)?).ok()?)?
            }
            Op::Low { .. } | Op::High { .. } | Op::Whole { .. } => return None,
            Op::Quotient { a, by } => {
                (limbs[a.0 as usize].rem_euclid(limb) as i128 * i128::from(by)).rem_euclid(limb.into()) as i64
            }
            Op::Carry { a, .. } if halves => limbs[a.0 as usize].checked_add(limb - 1)?.div_euclid(limb),
            Op::Carry { a, q, p0 } => {
                let product = wide(&limbs, q.into(), Src::Imm(p0.try_into().ok()?))?;
                let sum = limbs[a.0 as usize].checked_add(i64::try_from(product).ok()?)?;
                (sum >= 0).then_some(sum >> of.bits)?
            }
            Op::Shift { a, .. } if !halves && limbs[a.0 as usize] < 0 => return None,
            Op::Shift { a, bits } => limbs[a.0 as usize] >> bits,
            Op::Mask { a, bits } => limbs[a.0 as usize] & ((1 << bits) - 1),
            Op::Double { a, bits } => i64::try_from(i128::from(limbs[a.0 as usize]) << bits).ok()?,
            Op::Select { sign, a, b } => get(&limbs, if limbs[sign.0 as usize] < 0 { a } else { b }),
        };
    }
    Some(program.output.iter().map(|src| get(&limbs, *src)).collect())
}

/// Limbs of a number, but the highest: normal, as high as they may be, as low, and the one after the other.
fn layouts(of: Limbs, x: &BigUint, loose: u64) -> Vec<Vec<i64>> {
    let (n, limb) = (of.n, 1i64 << of.bits);
    let end = limb * loose as i64 - 1;
    let with = |goes_up: fn(usize) -> bool| {
        let mut limbs: Vec<i64> = of.split(x).into_iter().map(|word| word as i64).collect();
        for i in 0..n - 1 {
            let more = match goes_up(i) {
                true => (end - limbs[i]).div_euclid(limb),
                false => -(end + limbs[i]).div_euclid(limb),
            };
            limbs[i] += more * limb;
            limbs[i + 1] -= more;
        }
        limbs
    };
    let normal = of.split(x).into_iter().map(|word| word as i64).collect();
    match loose {
        0 => vec![normal],
        _ => vec![normal, with(|_| true), with(|_| false), with(|i| i % 2 == 0)],
    }
}

/// Whether a program is right for these operands in all layouts, and leaves limbs within its bound.
fn is_right(
    of: Limbs,
    f: &FieldDesc,
    op: &FieldOp,
    within: &[Bound],
    out: Bound,
    program: &Program,
    x: &[BigUint],
) -> bool {
    let operands: Vec<Vec<Vec<i64>>> = x.iter().zip(within).map(|(x, b)| layouts(of, x, b.loose)).collect();
    let most = operands.iter().map(Vec::len).max().unwrap_or(1);
    // Operands in the same layout, and in the next one.
    (0..most).flat_map(|k| [(k, k), (k, k + 1)]).all(|(k, l)| {
        let as_laid = |i: usize| &operands[i][(if i.is_multiple_of(2) { k } else { l }) % operands[i].len()];
        let given: Vec<i64> = (0..x.len()).flat_map(|i| as_laid(i).clone()).collect();
        let Some(words) = run(of, program, &given) else { return false };
        let found = words.iter().rev().fold(BigInt::ZERO, |all, word| (all << of.bits) + word);
        let tight = words[..of.n - 1].iter().all(|word| match out.loose {
            0 => *word >= 0 && word >> of.bits == 0,
            loose => word.unsigned_abs() < loose << of.bits,
        });
        let limit = out.limit(f);
        let found = found.to_biguint();
        tight && found.is_some_and(|found| trials::is_right(f, op, &of.r(), &limit, x, &found))
    })
}

/// At the ends of the bound and of `p`, limbs full of ones, and all of a toy field.
fn operands_of(f: &FieldDesc, within: &[Bound]) -> Vec<Vec<BigUint>> {
    if f.p.bits() < 8 && within.iter().all(|bound| bound.times <= 7) {
        return all_operands(f, within);
    }
    let some = |bound: &Bound| {
        let limit = bound.limit(f);
        let ones = (BigUint::from(1u32) << (f.p.bits() - 1)) - 1u32;
        let all = [BigUint::ZERO, 1u32.into(), &f.p - 1u32, f.p.clone(), ones, &limit - 1u32, &limit / 3u32];
        all.into_iter().filter(move |x| *x < limit).collect::<Vec<_>>()
    };
    let (first, second) = (some(&within[0]), within.get(1).map_or(vec![BigUint::ZERO], some));
    let tuple = |x: &BigUint, y: &BigUint| (0..within.len()).map(|k| [x, y][k % 2].clone()).collect();
    first.iter().flat_map(|x| second.iter().map(move |y| tuple(x, y))).collect()
}

/// The checker is not asked.
fn right_at_the_bounds<I: Instructions>() {
    for f in small_fields() {
        let of = Limbs::of(I::PRODUCTS, &f);
        for Offered { op, operands, choice, what } in some(offered::<Simd<I>>(&f, &bounds::<I>(&f)), 3) {
            for x in operands_of(&f, &operands) {
                assert!(is_right(of, &f, &op, &operands, choice.out, &choice.program, &x), "{what}: {x:?}");
            }
        }
    }
}

#[test]
fn programs_are_right_at_the_bounds() {
    right_at_the_bounds::<Ifma512>();
}

#[test]
fn programs_of_whole_products_are_right_at_the_bounds() {
    right_at_the_bounds::<Avx2>();
}

/// The program with one thing changed, in every place.
fn mutants(of: Limbs, program: &Program) -> Vec<Program> {
    let mut all = vec![];
    let before = |Limb(limb): Limb| Limb(limb.saturating_sub(1));
    let other = |src: Src| match src {
        Src::Imm(value) => Src::Imm(value ^ 1),
        Src::Limb(Limb(0)) => Src::Imm(0),
        Src::Limb(limb) => before(limb).into(),
    };
    for (at, inst) in program.insts.iter().enumerate() {
        let mut without = program.clone();
        let Inst::Write(out, op) = inst else {
            without.insts.remove(at);
            all.push(without);
            continue;
        };
        let changed = match *op {
            Op::Add(a, b) => {
                vec![Op::Add(other(a), b), Op::Add(a, other(b)), Op::Add(a, Src::Imm(0)), Op::Sub(a, b)]
            }
            Op::Sub(a, b) => {
                vec![Op::Sub(other(a), b), Op::Sub(a, other(b)), Op::Sub(a, Src::Imm(1)), Op::Add(a, b)]
            }
            Op::Low { sum, a, b } => vec![
                Op::High { sum, a, b },
                Op::Low { sum: other(sum), a, b },
                Op::Low { sum, a: other(a), b },
                Op::Low { sum, a, b: other(b) },
            ],
            Op::High { sum, a, b } => vec![
                Op::Low { sum, a, b },
                Op::High { sum: other(sum), a, b },
                Op::High { sum, a: other(a), b },
                Op::High { sum, a, b: other(b) },
            ],
            Op::Whole { sum, a, b } => vec![
                Op::Add(sum, a),
                Op::Whole { sum: other(sum), a, b },
                Op::Whole { sum, a: other(a), b },
                Op::Whole { sum, a, b: other(b) },
            ],
            Op::Quotient { a, by } => {
                vec![Op::Quotient { a: before(a), by }, Op::Quotient { a, by: by ^ 2 }]
            }
            Op::Carry { a, q, p0 } => vec![
                Op::Carry { a: before(a), q, p0 },
                Op::Carry { a, q: before(q), p0 },
                Op::Carry { a, q, p0: p0 ^ 2 },
                Op::Shift { a, bits: of.bits },
            ],
            Op::Shift { a, bits } => {
                vec![Op::Shift { a: before(a), bits }, Op::Shift { a, bits: bits - 1 }]
            }
            Op::Mask { a, bits } => vec![
                Op::Mask { a: before(a), bits },
                Op::Mask { a, bits: bits - 1 },
                Op::Mask { a, bits: bits + 1 },
            ],
            Op::Double { a, bits } => {
                vec![Op::Double { a: before(a), bits }, Op::Double { a, bits: bits + 1 }]
            }
            Op::Select { sign, a, b } => vec![
                Op::Select { sign, a: b, b: a },
                Op::Select { sign, a, b: a },
                Op::Select { sign, a: b, b },
                Op::Select { sign: before(sign), a, b },
            ],
        };
        for op in changed {
            let mut mutant = program.clone();
            mutant.insts[at] = Inst::Write(*out, op);
            all.push(mutant);
        }
    }
    for k in 0..program.output.len() {
        let mut mutant = program.clone();
        mutant.output[k] = other(mutant.output[k]);
        all.push(mutant);
    }
    for (_, parts) in &program.parts {
        for k in 0..parts.limbs.len() {
            let mut mutant = program.clone();
            mutant.parts.iter_mut().for_each(|(_, parts)| parts.limbs[k].1 += 1);
            all.push(mutant);
        }
    }
    all
}

/// A changed program is refused, or right for all operands.
fn wrong_ones_are_refused<I: Instructions>() {
    let (mut refused, mut right) = (0, 0);
    for f in [field("three", "3"), field("toy", "d"), field("goldilocks", "ffffffff00000001")] {
        let bounds = [Bound::normal(1), Bound { times: 3, loose: 2 }];
        let of = Limbs::of(I::PRODUCTS, &f);
        for Offered { op, operands, choice, what } in offered::<Simd<I>>(&f, &bounds) {
            // A step that no number of changes of an instruction divides.
            for mutant in some(mutants(of, &choice.program), 7) {
                if check(I::PRODUCTS, &f, &op, &operands, &mutant, choice.out).is_err() {
                    refused += 1;
                    continue;
                }
                right += 1;
                for x in operands_of(&f, &operands) {
                    let right = is_right(of, &f, &op, &operands, choice.out, &mutant, &x);
                    assert!(right, "{what}, of {x:?}: {mutant:?}");
                }
            }
        }
    }
    let enough = if is_long() { 5000 } else { 700 };
    assert!(refused > enough && right < refused / 4, "{refused} refused, {right} right");
}

#[test]
fn wrong_programs_are_refused() {
    wrong_ones_are_refused::<Ifma512>();
}

#[test]
fn wrong_programs_of_whole_products_are_refused() {
    wrong_ones_are_refused::<Avx2>();
}

/// Programs by hand, each wrong in one thing, and why the checker refuses it.
#[test]
fn each_fault_is_refused_for_its_reason() {
    let [toy, two] = [field("toy", "d"), field("goldilocks", "ffffffff00000001")];
    let [x0, x1, y0, y1, low, high, more] = [0, 1, 2, 3, 4, 5, 6].map(Limb);
    let zero = Src::Imm(0);
    // x + y below 2p, limb by limb.
    let sum = |change: &dyn Fn(&mut Program)| {
        let mut program = Program::new(2, 2);
        program.write(Op::Add(x0.into(), y0.into()));
        program.write(Op::Add(x1.into(), y1.into()));
        program.output = vec![low.into(), high.into()];
        change(&mut program);
        program
    };
    let loosely = |times: u64| Bound { times, loose: 2 };
    let judge = |f: &FieldDesc, op: FieldOp, out: Bound, program: &Program| {
        check(Products::Halves, f, &op, &[Bound::CANONICAL; 2], program, out)
            .map(drop)
            .map_err(|error| error.0)
    };
    assert_eq!(judge(&two, FieldOp::Add, loosely(2), &sum(&|_| ())), Ok(()));
    let first = |op: Op| move |p: &mut Program| p.insts[0] = Inst::Write(low, op.clone());
    let then = |op: Op| {
        move |p: &mut Program| {
            p.write(op.clone());
        }
    };
    let says = |inst: Inst| move |p: &mut Program| p.insts.push(inst.clone());
    let [s, t] = [low, more].map(Src::Limb);
    const BY: u64 = 0xf_ffff_0000_0001;
    type Change<'c> = &'c dyn Fn(&mut Program);
    let changes: [(&str, Change<'_>); 25] = [
        ("has the shape of another operation", &|p| p.inputs = 1),
        ("has the shape of another operation", &|p| p.output.push(zero)),
        ("has the shape of another operation", &|p| p.compared = vec![vec![]; 7]),
        ("reads a limb that is not written yet", &first(Op::Add(x0.into(), high.into()))),
        ("writes a limb twice", &|p| p.insts.push(p.insts[0].clone())),
        ("writes a limb twice", &says(Inst::Write(more, Op::Add(zero, zero)))),
        ("reads a limb that is not written yet", &|p| p.output[0] = Src::Limb(more)),
        ("multiplies what is no factor", &|p| {
            p.write(Op::Low { sum: zero, a: s, b: x0.into() });
        }),
        ("multiplies what is no factor", &|p| {
            p.write(Op::High { sum: zero, a: x0.into(), b: Src::Imm(-1) });
        }),
        ("multiplies what is no factor", &|p| {
            p.write(Op::Quotient { a: low, by: 1 << 52 });
        }),
        ("has an instruction of other processors", &|p| {
            p.write(Op::Whole { sum: zero, a: x0.into(), b: x0.into() });
        }),
        ("multiplies products", &|p| {
            p.write(Op::Low { sum: zero, a: x0.into(), b: x0.into() });
            p.write(Op::Low { sum: zero, a: t, b: x0.into() });
        }),
        ("shifts by more than a word", &then(Op::Shift { a: Limb(0), bits: 64 })),
        ("shifts by more than a word", &then(Op::Mask { a: Limb(0), bits: 63 })),
        ("shifts by more than a word", &then(Op::Double { a: Limb(0), bits: 64 })),
        ("has a limb that a word may not hold", &then(Op::Double { a: Limb(0), bits: 12 })),
        ("selects by what is no sign", &|p| {
            p.write(Op::Select { sign: low, a: zero, b: zero });
        }),
        ("carries what a row of reduction does not clear", &|p| {
            p.write(Op::Quotient { a: low, by: BY });
            p.write(Op::Carry { a: high, q: more, p0: 0xf_ffff_0000_0001 });
        }),
        ("carries what a row of reduction does not clear", &|p| {
            p.write(Op::Carry { a: low, q: high, p0: 1 });
        }),
        ("has no limbs in a number", &says(Inst::Normal(vec![]))),
        ("has no limbs in a number", &says(Inst::Renamed(vec![zero]))),
        ("has a limb that is not carried", &says(Inst::Normal(vec![s, high.into()]))),
        ("has parts of a product that it does not have", &|p| {
            let low = Some((x0.into(), y0.into(), 1.into()));
            p.parts.push((p.output.clone(), Parts { bits: 52, limbs: vec![], low }));
        }),
        ("the result is in", &first(Op::Add(x0.into(), x0.into()))),
        ("is not shown to be the operation's", &|p| p.output[0] = p.write(Op::Sub(s, Src::Imm(-1))).into()),
    ];
    let refused = |reason: &str, verdict: Result<(), String>| {
        let error = verdict.expect_err(reason);
        assert!(error.contains(reason), "{error}, and not: {reason}");
    };
    for (reason, change) in changes {
        // As much as the wrong sums may reach.
        refused(reason, judge(&two, FieldOp::Add, Bound { times: 3, loose: 3 }, &sum(change)));
    }
    refused("the bound is", judge(&two, FieldOp::Add, loosely(1), &sum(&|_| ())));
    refused(
        "has limbs looser than its bound",
        judge(&two, FieldOp::Add, Bound { times: 2, loose: 1 }, &sum(&|_| ())),
    );
    refused("has limbs looser than its bound", judge(&two, FieldOp::Add, Bound::normal(2), &sum(&|_| ())));
    refused("is not shown to be the operation's", judge(&two, FieldOp::Mul, loosely(2), &sum(&|_| ())));
    refused(
        "the result is in",
        judge(&two, FieldOp::Add, loosely(3), &sum(&first(Op::Sub(x0.into(), y0.into())))),
    );
    refused("has the shape of another operation", judge(&toy, FieldOp::Add, loosely(2), &sum(&|_| ())));
    let even = FieldDesc { p: &two.p - 1u32, ..two };
    refused("has the shape of another operation", judge(&even, FieldOp::Add, loosely(2), &sum(&|_| ())));
}

/// A row of reduction divides by `2^52`, and no more often than an element has limbs.
#[test]
fn rows_of_reduction_are_counted() {
    let f = field("toy", "d");
    // -1/13 modulo 2^52.
    let by = ((9u64 << 52) - 1) / 13;
    let judge = |rows: usize| {
        let mut program = Program::new(1, 1);
        let mut a = Limb(0);
        for _ in 0..rows {
            let q = program.write(Op::Quotient { a, by });
            let carry = program.write(Op::Carry { a, q, p0: 13 });
            a = program.write(Op::High { sum: carry.into(), a: q.into(), b: Src::Imm(13) });
        }
        program.output = vec![a.into()];
        check(Products::Halves, &f, &FieldOp::ReduceFull, &[Bound::normal(1)], &program, Bound::normal(1))
            .map(drop)
    };
    // One row is the division by R, which this operation is not.
    for (rows, reason) in [(1, "is not shown"), (2, "is not shown"), (3, "more rows of reduction than limbs")]
    {
        let error = judge(rows).expect_err(reason).0;
        assert!(error.contains(reason), "{error}, and not: {reason}");
    }
}

/// A bound that is too small: of values, and of limbs.
fn too_strong_ones_are_refused<I: Instructions>() {
    for f in fields() {
        let offered = offered::<Simd<I>>(&f, &bounds::<I>(&f));
        for offered in offered.into_iter().filter(|offered| !offered.op.tests_zero()) {
            let Choice { out, program, .. } = &offered.choice;
            let reduces = offered.choice.variant.ends_with("weak");
            let copies = program.insts.is_empty();
            let mut less = vec![];
            if out.times > 1 && !copies && !reduces {
                less.push(Bound { times: out.times - 1, ..*out });
            }
            // p less anything borrows nothing where all bits of p are ones, and a limb above p is not
            // reached.
            if out.loose > 0
                && f.p.bits() > Limbs::of(I::PRODUCTS, &f).bits.into()
                && offered.op != FieldOp::Neg
            {
                less.push(Bound { loose: 0, ..*out });
            }
            for out in less {
                let claim = Choice { out, ..offered.choice.clone() };
                assert!(offered.judged(&f, &claim).is_err(), "{} within {out:?}", offered.what);
            }
        }
    }
}

#[test]
fn claims_that_are_too_strong_are_refused() {
    too_strong_ones_are_refused::<Ifma512>();
}

#[test]
fn claims_of_whole_products_that_are_too_strong_are_refused() {
    too_strong_ones_are_refused::<Avx2>();
}

#[test]
fn kernels_of_a_gpu_are_refused_with_a_reason() {
    let f = &usual_fields()[4];
    for kernel in field_kernels(&Geometry::PTX, f) {
        let error = prepare::<Simd<Ifma512>>(&kernel).map(drop).expect_err("it has threads");
        assert!(matches!(error, PassError::Unsupported(_)), "{}: {error}", kernel.symbol);
    }
    let montgomery = function(f, "from_mont", 1, |_, x| vec![x[0].from_mont()]);
    let error = prepare::<Simd<Ifma512>>(&montgomery).map(drop).expect_err("its words are other words");
    assert!(matches!(error, PassError::NoVariant { .. }), "{error}");
    let lazy = function(f, "lazy", 1, |b, x| vec![b.from_words_below(&x[0].words_below(Below(2)), Below(2))]);
    let error = prepare::<Simd<Ifma512>>(&lazy).map(drop).expect_err("its words are not canonical");
    assert_eq!(error.to_string(), "the target has no words of elements that are not canonical");
}

/// Sums stay loose until they are multiplied, and what is given back is resident.
#[test]
fn reductions_are_placed() {
    let f = &usual_fields()[4];
    let kernel = function(f, "f", 3, |_, x| vec![(x[0] + x[1]) * (x[0] - x[2]) + x[1]]);
    let text = annotate(&prepare::<Simd<Ifma512>>(&kernel).expect("it is a function"));
    assert!(text.contains("sub.loose") && text.contains("mul.loose"), "{text}");
    assert!(text.trim_end().lines().last().is_some_and(|line| line.contains("<2p reduce.weak")), "{text}");
}

/// Names that the module has already, that are no names, and fields that are not one.
#[test]
fn functions_that_are_no_module_are_refused() {
    let fields = usual_fields();
    let named = |f: &FieldDesc, name: &str| {
        prepare::<Simd<Ifma512>>(&function(f, name, 1, |_, x| vec![x[0].dbl()])).expect("it is a function")
    };
    let emit = |functions: &[_]| Simd::<Ifma512>::emit(functions, ());
    for name in ["is_zero", "low", "splat", "", "Dbl", "1a", "a b", "dbl_loose_0"] {
        assert!(emit(&[named(&fields[1], name)]).is_err(), "{name}");
    }
    assert!(emit(&[named(&fields[1], "f"), named(&fields[1], "g")]).is_ok());
    assert!(emit(&[named(&fields[1], "f"), named(&fields[1], "f")]).is_err());
    assert!(emit(&[named(&fields[1], "f"), named(&fields[2], "g")]).is_err());
}
