//! Every variant against the definition on big integers.

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::arithmetic::{interp, ir};
use super::*;
use crate::declaration::FieldDesc;

mod bounds;
pub(super) mod fields;
mod inverse;
mod machine;
mod offers;
mod quadratic;
mod tables;
mod text;
mod toy;

/// Whether larger sizes were asked for, by the environment variable `CURVESMITH_TEST_SIZE`.
pub(crate) fn is_long() -> bool {
    std::env::var("CURVESMITH_TEST_SIZE").is_ok_and(|size| size == "long")
}

/// A block of the shape of another that gives its first operand back.
pub(crate) fn first_operand(like: &Block) -> Block {
    let mut b = ir::Builder::new("first_operand");
    let inputs: Vec<_> = like.inputs().iter().map(|input| b.input(&input.name, input.words.len())).collect();
    b.output("r", inputs[0].clone());
    b.finish()
}

/// Runs every variant of `op` for these operand bounds on every tuple of `values` and compares
/// with the definition; results must be within the stated bound. Returns how many variants ran.
fn check(f: &FieldDesc, op: &FieldOp, bounds: &[Bound], values: &[Vec<BigUint>]) -> usize {
    let chosen: Vec<&str> = choices(f, op, bounds).iter().map(|choice| choice.variant).collect();
    let all = all_choices(f, op, bounds);
    for (i, choice) in all.iter().enumerate() {
        let block = choice.block();
        let what = format!("{} {op:?} {bounds:?} {}", f.name, choice.variant);
        // Long blocks and those never chosen run on a part of the values, another part for each.
        let long = (1 + block.insts().len() / 300) * if f.words > 3 && !is_long() { 3 } else { 1 };
        let step = if chosen.contains(&choice.variant) { long } else { 6 * long };
        let skip = i % step;
        for operands in values.iter().skip(skip).step_by(step) {
            for (value, bound) in operands.iter().zip(bounds) {
                debug_assert!(*value < bound.limit(f), "{what}: operand {value}");
            }
            let words: Vec<Vec<u32>> = operands.iter().map(|x| f.limbs(x)).collect();
            let out = interp::run(block, &words).unwrap_or_else(|e| panic!("{what} {operands:?}: {e}"));
            let out: Vec<BigUint> = out.into_iter().map(BigUint::new).collect();
            assert_eq!(out.len(), op.results(), "{what}");
            if *op == FieldOp::IsZero {
                let zero = (&operands[0] % &f.p).is_zero();
                assert_eq!(out[0], BigUint::from(u32::from(zero)), "{what} {operands:?}");
                continue;
            }
            if *op == FieldOp::MaybeZero {
                let zero = (&operands[0] % &f.p).is_zero();
                assert!(out[0] <= BigUint::one() && (out[0].is_one() || !zero), "{what} {operands:?}");
                continue;
            }
            for r in &out {
                assert!(*r < choice.out.limit(f), "{what} {operands:?}: {r} out of bound");
            }
            let out: Vec<BigUint> = out.into_iter().map(|r| r % &f.p).collect();
            assert_eq!(out, define(f, op, operands), "{what} {operands:?}");
        }
    }
    chosen.len()
}

/// The definition of an op: its results mod `p`.
pub(super) fn define(f: &FieldDesc, op: &FieldOp, x: &[BigUint]) -> Vec<BigUint> {
    let p = &f.p;
    let r_inv = f.r_mod_p().modinv(p).expect("p is odd");
    if let FieldOp::MulShared(m) = op {
        return x[..*m].iter().map(|x_k| x_k * &x[*m] * &r_inv % p).collect();
    }
    if let FieldOp::DotFq2 { nonresidue, .. } = op {
        let n =
            if *nonresidue < 0 { p - nonresidue.unsigned_abs() % p } else { nonresidue.unsigned_abs() % p };
        let real = x.chunks(4).map(|t| &t[0] * &t[2] + &t[1] * &t[3] * &n).sum::<BigUint>();
        let imaginary = x.chunks(4).map(|t| &t[0] * &t[3] + &t[1] * &t[2]).sum::<BigUint>();
        return [real, imaginary].map(|sum| sum * &r_inv % p).to_vec();
    }
    let r = match op {
        FieldOp::Add => &x[0] + &x[1],
        FieldOp::Sub => &x[0] + p - &x[1] % p,
        FieldOp::Neg => p - &x[0] % p,
        FieldOp::Dbl => &x[0] * 2u32,
        FieldOp::Mul => &x[0] * &x[1] * r_inv,
        FieldOp::Sqr => &x[0] * &x[0] * r_inv,
        FieldOp::MulSmall(c) => &x[0] * *c,
        FieldOp::MulConst(c) => &x[0] * c,
        FieldOp::Dot(_) => x.chunks(2).map(|pair| &pair[0] * &pair[1]).sum::<BigUint>() * r_inv,
        FieldOp::MulTable { step, rows } => {
            let words = f.limbs(&x[0]);
            let pieces = words.chunks(*step as usize).map(|piece| BigUint::new(piece.to_vec()));
            let sum: BigUint = pieces.zip(&x[1..]).map(|(piece, w)| piece * w).sum();
            let b_inv = (BigUint::one() << 32u32).modinv(p).expect("p is odd");
            sum * b_inv.modpow(&(*rows).into(), p)
        }
        FieldOp::FromMont => &x[0] * r_inv,
        FieldOp::ReduceFull | FieldOp::ReduceWeak => x[0].clone(),
        FieldOp::IsZero | FieldOp::MaybeZero | FieldOp::MulShared(_) | FieldOp::DotFq2 { .. } => {
            unreachable!("checked apart")
        }
    };
    vec![r % p]
}

/// Every op, with constants that are awkward for `f`.
pub(super) fn ops(f: &FieldDesc) -> Vec<FieldOp> {
    let mut ops = vec![
        FieldOp::Add,
        FieldOp::Sub,
        FieldOp::Neg,
        FieldOp::Dbl,
        FieldOp::Mul,
        FieldOp::Sqr,
        FieldOp::FromMont,
        FieldOp::ReduceFull,
        FieldOp::ReduceWeak,
        FieldOp::IsZero,
        FieldOp::MaybeZero,
    ];
    // Long fields repeat the rows of shorter ones and cost the square of their length.
    let long = f.words > 12;
    ops.extend(if long { vec![3] } else { vec![1, 2, 3, 5] }.into_iter().map(FieldOp::Dot));
    ops.extend(if long { vec![2] } else { vec![1, 3] }.into_iter().map(FieldOp::MulShared));
    let quadratic = if long { vec![(1, -1)] } else { vec![(1, -1), (2, 5)] };
    ops.extend(quadratic.into_iter().map(|(terms, nonresidue)| FieldOp::DotFq2 { terms, nonresidue }));
    let shapes = if long { vec![(2, 3)] } else { vec![(1, 2), (2, 2), (4, 5)] };
    ops.extend(shapes.into_iter().map(|(step, rows)| FieldOp::MulTable { step, rows }));
    let small = if long { vec![2, 3, u32::MAX] } else { vec![0, 1, 2, 3, 5, 8, 13, 1 << 16, u32::MAX] };
    ops.extend(small.into_iter().map(FieldOp::MulSmall));
    let one = BigUint::one();
    for c in [BigUint::zero(), one.clone(), &f.p - &one, f.r_mod_p(), &f.p >> 1u32] {
        ops.push(FieldOp::MulConst(c % &f.p));
    }
    ops
}

/// Where products crowd each other the compiler asks for this, and there is no other choice.
#[test]
fn every_product_has_a_variant_in_one_part() {
    let mut several = 0;
    for field in fields::fields() {
        let fq2 = [1, 2].map(|terms| FieldOp::DotFq2 { terms, nonresidue: -1 });
        let one = [FieldOp::Mul, FieldOp::Sqr, FieldOp::Dot(2), FieldOp::Dot(4), FieldOp::MulShared(3)];
        for op in one.into_iter().chain(fq2) {
            for bound in [Bound::Canonical, Bound::ANY] {
                let choices = choices(&field, &op, &vec![bound; op.operands(&field)]);
                assert!(choices.iter().any(|c| c.parts == 1), "{} {op:?} {bound:?}", field.name);
                several += choices.iter().filter(|c| c.parts > 1).count();
            }
        }
    }
    assert!(several > 0, "Karatsuba is on offer");
}
