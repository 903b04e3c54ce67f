//! Programs by the checker, by their meaning on words, and wrong ones.

use super::bound::MOST;
use super::check::check;
use super::*;
use crate::targets::Bound as _;
use crate::targets::ptx::tests::is_long;
use crate::targets::tests::trials::{
    Offered, all_operands, field, is_right as is_result, offered_of, ops, proven_by_their_rules, solinas,
    some, usual_fields,
};
use crate::targets::wgsl::columns::check::check_regrouped;
use crate::targets::wgsl::columns::tests::{mutants, run};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

/// The usual ones, and of three, five, six and thirteen words, some full.
fn fields() -> Vec<FieldDesc> {
    let more = [solinas(96, 17), solinas(160, 47), solinas(192, 237), solinas(416, 435)];
    usual_fields().into_iter().chain(more).collect()
}

/// Of one to five words.
fn small_fields() -> Vec<FieldDesc> {
    fields().into_iter().filter(|f| f.words < 6).collect()
}

/// Canonical, below twice that, loose, the most that an element can be; of large fields, whose proofs take
/// long, two.
fn bounds(f: &FieldDesc) -> Vec<Bound> {
    let most = Bound { times: MOST, loose: 100 };
    match f.words {
        ..6 => vec![Bound::normal(1), Bound::normal(2), Bound { times: 3, loose: 2 }, most],
        _ => vec![Bound::normal(2), most],
    }
}

fn all_ops(f: &FieldDesc) -> Vec<FieldOp> {
    let mut ops = ops(f);
    let table = |step: u32, rows: u32| FieldOp::MulTable { step, rows };
    ops.extend([FieldOp::FromMont, FieldOp::MaybeZero, table(1, 1), table(f.words as u32, f.words as u32)]);
    if f.words > 2 {
        ops.push(table(2, 3));
    }
    ops
}

#[test]
fn every_variant_is_proven_by_its_rules() {
    let of = |f: &FieldDesc| proven_by_their_rules::<Narrow>(f, &all_ops(f), &bounds(f));
    let number: usize = fields().iter().map(of).sum();
    assert!(number > 1000, "{number}");
}

/// Limbs of a number, but the highest: normal, as high as they may be, as low, and the one after the other.
fn layouts(x: &BigUint, n: usize, loose: u64) -> Vec<Vec<i128>> {
    let limb = 1i128 << BITS;
    let end = limb * i128::from(loose) - 1;
    let normal: Vec<i128> = to_limbs(x, n).into_iter().map(i128::from).collect();
    let with = |goes_up: fn(usize) -> bool| {
        let mut limbs = normal.clone();
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
    match loose {
        0 => vec![normal],
        _ => vec![normal.clone(), with(|_| true), with(|_| false), with(|i| i % 2 == 0)],
    }
}

/// Whether a program is right for these operands in all layouts, and leaves limbs within its bound.
fn is_right(
    f: &FieldDesc,
    op: &FieldOp,
    within: &[Bound],
    out: Bound,
    program: &Program,
    x: &[BigUint],
) -> bool {
    let n = limbs(f);
    let mut x = x.to_vec();
    if let FieldOp::MulTable { step, .. } = op {
        // Entries of one table, of which the first is given.
        for i in 2..x.len() {
            x[i] = (&x[1] << (32 * *step as usize * (i - 1))) % &f.p;
        }
    }
    let operands: Vec<Vec<Vec<i128>>> = x.iter().zip(within).map(|(x, b)| layouts(x, n, b.loose)).collect();
    let most = operands.iter().map(Vec::len).max().unwrap_or(1);
    // Operands in the same layout, and in the next one.
    (0..most).flat_map(|k| [(k, k), (k, k + 1)]).all(|(k, l)| {
        let of = |i: usize| &operands[i][(if i.is_multiple_of(2) { k } else { l }) % operands[i].len()];
        let given: Vec<i128> = (0..x.len()).flat_map(|i| of(i).clone()).collect();
        let Some(words) = run(program, &given, 32) else { return false };
        let found = words.iter().rev().fold(BigInt::ZERO, |all, word| (all << BITS) + word);
        let tight = words[..n - 1].iter().all(|word| match out.loose {
            0 => *word >= 0 && word >> BITS == 0,
            loose => word.unsigned_abs() < u128::from(loose) << BITS,
        });
        let limit = out.limit(f);
        let found = found.to_biguint();
        tight && found.is_some_and(|found| is_result(f, op, &f.r(), &limit, &x, &found))
    })
}

/// At the ends of the bound and of `p`, limbs full of ones, some in between, and all of a toy field.
fn operands_of(f: &FieldDesc, within: &[Bound]) -> Vec<Vec<BigUint>> {
    if f.p.bits() < 8 && within.iter().all(|bound| bound.times <= 7) {
        return all_operands(f, within);
    }
    let some = |bound: &Bound| {
        let limit = bound.limit(f);
        let ones = (BigUint::one() << (f.p.bits() - 1)) - 1u32;
        let any = (BigUint::from(3u32).pow(400) % &limit, BigUint::from(7u32).pow(300) % &limit);
        let all = [BigUint::ZERO, 1u32.into(), &f.p - 1u32, f.p.clone(), ones, &limit - 1u32, any.0, any.1];
        all.into_iter().filter(move |x| *x < limit).collect::<Vec<_>>()
    };
    let (first, second) = (some(&within[0]), within.get(1).map_or(vec![BigUint::ZERO], some));
    let tuple = |x: &BigUint, y: &BigUint| (0..within.len()).map(|k| [x, y][k % 2].clone()).collect();
    first.iter().flat_map(|x| second.iter().map(move |y| tuple(x, y))).collect()
}

/// The checker is not asked.
#[test]
fn programs_are_right_at_the_bounds() {
    for f in small_fields() {
        let offers = offered_of::<Narrow>(&f, &all_ops(&f), &bounds(&f));
        for Offered { op, operands, choice, what } in some(offers, 3) {
            for x in operands_of(&f, &operands) {
                assert!(is_right(&f, &op, &operands, choice.out, &choice.program, &x), "{what}: {x:?}");
            }
        }
    }
}

/// A changed program is refused, or right for all operands.
#[test]
fn wrong_programs_are_refused() {
    let (mut refused, mut right) = (0, 0);
    for f in [field("three", "3"), field("toy", "d"), field("goldilocks", "ffffffff00000001")] {
        let bounds = [Bound { times: 3, loose: 2 }, Bound::normal(1)];
        let bounds = &bounds[..if f.words > 1 { 1 } else { 2 }];
        for Offered { op, operands, choice, what } in offered_of::<Narrow>(&f, &all_ops(&f), bounds) {
            // A step that no number of changes of an instruction divides.
            for mutant in some(mutants(&choice.program), 7) {
                if check(&f, &op, &operands, &mutant, choice.out).is_err() {
                    refused += 1;
                    continue;
                }
                right += 1;
                for x in operands_of(&f, &operands) {
                    let right = is_right(&f, &op, &operands, choice.out, &mutant, &x);
                    assert!(right, "{what}, of {x:?}: {mutant:?}");
                }
            }
        }
    }
    let enough = if is_long() { 5000 } else { 700 };
    assert!(refused > enough && right < refused / 4, "{refused} refused, {right} right");
}

/// The same of some changes of a real product: a limb, a row, a carry, what is taken off at the end.
#[test]
fn wrong_products_of_a_real_field_are_refused() {
    let f = &usual_fields()[4];
    let operands = [Bound::normal(2); 2];
    let choices = Narrow::choices(f, &FieldOp::Mul, &operands);
    let [carried, canonical] = ["mul.carried", "mul.canonical"]
        .map(|name| choices.iter().find(|choice| choice.variant == name).expect("it is on offer"));
    let judge = |program: &Program, out| check(f, &FieldOp::Mul, &operands, program, out);
    assert!(judge(&carried.program, carried.out).is_ok() && judge(&canonical.program, canonical.out).is_ok());
    assert!(judge(&carried.program, Bound::CANONICAL).is_err(), "nothing is subtracted at the end");
    for mutant in mutants(&canonical.program).iter().step_by(101) {
        let right = || {
            let all = operands_of(f, &operands);
            all.iter().all(|x| is_right(f, &FieldOp::Mul, &operands, canonical.out, mutant, x))
        };
        assert!(judge(mutant, canonical.out).is_err() || right(), "{mutant:?}");
    }
}

/// Bounds that are too small, of values and of limbs.
#[test]
fn claims_that_are_too_strong_are_refused() {
    let mut claims = 0;
    for f in fields() {
        for offered in some(offered_of::<Narrow>(&f, &all_ops(&f), &bounds(&f)), 3) {
            let Choice { out, program, variant, .. } = &offered.choice;
            if offered.op.tests_zero() || program.insts.is_empty() || variant.ends_with("weak") {
                continue;
            }
            if let (2.., FieldOp::Add | FieldOp::Sub | FieldOp::Dbl) = (out.times, &offered.op) {
                let claim = Choice { out: Bound { times: out.times - 1, ..*out }, ..offered.choice.clone() };
                assert!(offered.judged(&f, &claim).is_err(), "{} within {out:?}", offered.what);
                claims += 1;
            }
            if out.loose > 0 && f.p.bits() > 16 && offered.op == FieldOp::Add {
                let claim = Choice { out: Bound { loose: 0, ..*out }, ..offered.choice.clone() };
                assert!(offered.judged(&f, &claim).is_err(), "{} on normal limbs", offered.what);
                claims += 1;
            }
        }
    }
    assert!(claims > 20, "{claims}");
}

/// Words to limbs and back: proven, right, and refused where one thing is changed.
#[test]
fn words_become_limbs_and_back() {
    for f in fields() {
        let (n, below) = (limbs(&f), BigInt::from(f.r()));
        let (to, from) = (unpacked(&f).expect("proven"), packed(&f).expect("proven"));
        let ones = f.r() - 1u32;
        for x in [BigUint::ZERO, &f.p - 1u32, ones.clone(), BigUint::from(3u32).pow(300) % f.r()] {
            let words: Vec<i128> = f.limbs(&x).into_iter().map(i128::from).collect();
            let limbs: Vec<i128> = to_limbs(&x, n).into_iter().map(i128::from).collect();
            assert_eq!(run(&to, &words, 32), Some(limbs.clone()), "{}", f.name);
            assert_eq!(run(&from, &limbs, 32), Some(words), "{}", f.name);
        }
        let sizes = [(f.words, 32), (n, BITS)];
        for (program, [from, to]) in [(to, sizes), (from, [sizes[1], sizes[0]])] {
            for mutant in some(mutants(&program), 5) {
                let right = check_regrouped(&mutant, &below, from, to).is_err()
                    || layouts_agree(&program, &mutant, &ones, from);
                assert!(right, "{}: {mutant:?}", f.name);
            }
        }
    }
}

/// Whether two programs give the same of some numbers.
fn layouts_agree(a: &Program, b: &Program, most: &BigUint, (count, bits): (usize, u32)) -> bool {
    let cut = |x: &BigUint| {
        let mask = (BigUint::one() << bits) - 1u32;
        let limb = |i: usize| i128::try_from((x >> (bits as usize * i)) & &mask).expect("a word");
        (0..count).map(limb).collect::<Vec<_>>()
    };
    [most.clone(), most / 3u32, BigUint::from(7u32).pow(200) % most]
        .iter()
        .all(|x| run(a, &cut(x), 32) == run(b, &cut(x), 32))
}
