//! What a host crate of a field is made of: the operations as functions, and a formula of a curve.

use super::function;
use crate::declaration::FieldDesc;
use crate::fir::build::{Builder, Fe};
use crate::fir::ir::Kernel;

/// The operations of a field one by one, `select` by a test for zero, and the mixed addition of points in
/// XYZZ coordinates.
pub fn library(field: &FieldDesc) -> Vec<Kernel> {
    let of = |name: &str, inputs: usize, body: for<'k> fn(&'k Builder, &[Fe<'k>]) -> Vec<Fe<'k>>| {
        function(field, name, inputs, body)
    };
    vec![
        of("add", 2, |_, x| vec![x[0] + x[1]]),
        of("sub", 2, |_, x| vec![x[0] - x[1]]),
        of("neg", 1, |_, x| vec![-x[0]]),
        of("dbl", 1, |_, x| vec![x[0].dbl()]),
        of("mul", 2, |_, x| vec![x[0] * x[1]]),
        of("sqr", 1, |_, x| vec![x[0].sqr()]),
        of("mul_small", 1, |_, x| vec![x[0].mul_small(12)]),
        of("mul_const", 1, |b, x| vec![x[0] * b.constant(&7u32.into())]),
        of("dot", 4, |b, x| vec![b.dot(&[(x[0], x[1]), (x[2], x[3])])]),
        // Differences and sums of what is not reduced.
        of("mixed", 4, |_, x| vec![(x[0] + x[1] + x[2]) * (x[0] - x[3].dbl()) - (x[2] - x[3]).sqr()]),
        // The second where the first is zero, else the third.
        of("if_zero", 3, |_, x| vec![x[0].is_zero().select(x[1], x[2])]),
        of("if_equal", 4, |_, x| vec![(x[0] - x[1]).is_zero().select(x[2], x[3])]),
        of("madd", 6, |_, x| mixed_addition(x)),
    ]
}

/// `(X, Y, ZZ, ZZZ) + (x, y)`, `madd-2008-s` of the Explicit-Formulas Database. Neither is the identity, and
/// they are not the same point or opposite ones.
fn mixed_addition<'k>(operands: &[Fe<'k>]) -> Vec<Fe<'k>> {
    let [x1, y1, zz, zzz, x2, y2] = operands else { return vec![] };
    let (p, r) = (*x2 * *zz - *x1, *y2 * *zzz - *y1);
    let pp = p.sqr();
    let ppp = p * pp;
    let q = *x1 * pp;
    let x3 = r.sqr() - ppp - q.dbl();
    let y3 = r * (q - x3) - *y1 * ppp;
    vec![x3, y3, *zz * pp, *zzz * ppp]
}
