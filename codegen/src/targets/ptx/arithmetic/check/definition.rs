//! The definitions of the operations on words, which the checker believes and the search works towards.

use std::ops::Range;

use num_bigint::BigInt;

use crate::targets::ptx::FieldOp;
use crate::targets::ptx::arithmetic::num::Num;

/// `factor·x[·y]/2^(32·down)`, `x` some words of an operand and `y` a whole one.
pub(in crate::targets::ptx) struct Term {
    pub(in crate::targets::ptx) factor: Num,
    pub(in crate::targets::ptx) x: (usize, Range<usize>),
    pub(in crate::targets::ptx) y: Option<usize>,
    pub(in crate::targets::ptx) down: usize,
}

/// Result `k` of an operation on operands of `n` words, modulo `p`.
pub(in crate::targets::ptx) fn definition(op: &FieldOp, n: usize, k: usize) -> Vec<Term> {
    let one = || Num::from(1);
    let times = |factor: Num, x: usize| Term { factor, x: (x, 0..n), y: None, down: 0 };
    let product = |x: usize, y: usize| Term { factor: one(), x: (x, 0..n), y: Some(y), down: n };
    match op {
        FieldOp::Add => vec![times(one(), 0), times(one(), 1)],
        FieldOp::Sub => vec![times(one(), 0), times(-one(), 1)],
        FieldOp::Neg => vec![times(-one(), 0)],
        FieldOp::Dbl => vec![times(2.into(), 0)],
        FieldOp::Mul => vec![product(0, 1)],
        FieldOp::Sqr => vec![product(0, 0)],
        FieldOp::MulSmall(c) => vec![times(Num::from(i128::from(*c)), 0)],
        FieldOp::MulConst(c) => vec![times(BigInt::from(c.clone()).into(), 0)],
        FieldOp::Dot(m) => (0..*m).map(|i| product(2 * i, 2 * i + 1)).collect(),
        FieldOp::MulShared(m) => vec![product(k, *m)],
        FieldOp::DotFq2 { terms, nonresidue } => {
            let coordinate = |i: usize| match k {
                0 => [
                    product(i, i + 2),
                    Term { factor: Num::from(i128::from(*nonresidue)), ..product(i + 1, i + 3) },
                ],
                _ => [product(i, i + 3), product(i + 1, i + 2)],
            };
            (0..*terms).flat_map(|term| coordinate(4 * term)).collect()
        }
        FieldOp::MulTable { step, rows } => {
            let step = (*step).max(1) as usize;
            let chunk = |i: usize| step * i..n.min(step * (i + 1));
            let entry = |i| Term { factor: one(), x: (0, chunk(i)), y: Some(1 + i), down: *rows as usize };
            (0..n.div_ceil(step)).map(entry).collect()
        }
        FieldOp::FromMont => vec![Term { down: n, ..times(one(), 0) }],
        FieldOp::ReduceFull | FieldOp::ReduceWeak | FieldOp::IsZero | FieldOp::MaybeZero => {
            vec![times(one(), 0)]
        }
    }
}
