//! Twisted Edwards points in extended coordinates, by formulas without special cases.
//!
//! `(X, Y, Z, T)` with `Z ≠ 0` and `X·Y = Z·T` is the affine point `(X/Z, Y/Z)` of `a·x² + y² = 1 + d·x²·y²`;
//! the identity is `(0, 1)`. The formulas are those of [Hisil, Wong, Carter and
//! Dawson](https://eprint.iacr.org/2008/522), sections 3.1 and 3.3: the addition is that of the
//! [Explicit-Formulas Database](https://hyperelliptic.org/EFD/g1p/auto-twisted-extended.html)'s
//! `add-2008-hwcd`, the doubling `dbl-2008-hwcd`. The addition is the affine law, which has no exception
//! where `a` is a square and `d` is none, and on every curve none between points of odd order, as those of a
//! declared group are: see [`spec::edwards`](crate::declaration::edwards).

use super::{Accumulator, Affine, Curve, Model, Point, PointVar};
use crate::declaration::Equation;
use crate::fir::build::{Fe, Pred};
use num_bigint::BigUint;

/// The model.
#[derive(Debug)]
pub(super) struct Extended;

impl Model for Extended {
    fn identity<'k>(&self, curve: Curve<'k>) -> Point<'k> {
        let (zero, one) = (curve.zero(), curve.one());
        Point([zero, one, one, zero])
    }

    fn read<'k>(&self, curve: Curve<'k>, p: Point<'k>) -> Point<'k> {
        let Point([x, y, z, t]) = p;
        // Of no point.
        let zeros = z.is_zero();
        let one = |coordinate| zeros.select(curve.one(), coordinate);
        Point([x, one(y), one(z), t])
    }

    fn is_identity<'k>(&self, _: Curve<'k>, Point([x, y, z, _]): Point<'k>) -> Pred<'k> {
        x.is_zero() & (y - z).is_zero()
    }

    fn or_identity<'k>(&self, curve: Curve<'k>, cond: Pred<'k>, p: Point<'k>) -> Point<'k> {
        let Point(identity) = self.identity(curve);
        let pick = |i: usize| cond.select(p.0[i], identity[i]);
        Point([0, 1, 2, 3].map(pick))
    }

    fn of_affine<'k>(&self, curve: Curve<'k>, Affine { x, y, .. }: Affine<'k>) -> Point<'k> {
        Point([x, y, curve.one(), x * y])
    }

    fn affine_denominator<'k>(&self, Point([_, _, z, _]): Point<'k>) -> Fe<'k> {
        z
    }

    fn to_affine<'k>(&self, _: Curve<'k>, Point([x, y, ..]): Point<'k>, inverse: Fe<'k>) -> Affine<'k> {
        Affine::new(x * inverse, y * inverse)
    }

    fn neg_affine<'k>(&self, p: Affine<'k>) -> Affine<'k> {
        Affine { x: -p.x, ..p }
    }

    fn madd<'k>(&self, curve: Curve<'k>, acc: Accumulator<'k>, Affine { x, y, .. }: Affine<'k>) {
        let z = acc.point.get().0[2];
        acc.point.set(sum(curve, acc.point.get(), (x, y, x * y), z));
        acc.is_identity.set(curve.b.bool(false));
    }

    fn add<'k>(&self, curve: Curve<'k>, acc: PointVar<'k>, Point([x, y, z, t]): Point<'k>) {
        let old = acc.get();
        acc.set(sum(curve, old, (x, y, t), old.0[2] * z));
    }

    fn dbl<'k>(&self, curve: Curve<'k>, Point([x, y, z, _]): Point<'k>) -> Point<'k> {
        let (a, b) = (x.sqr(), y.sqr());
        let d = by_coefficient(curve, a, coefficients(curve).0);
        let e = (x * y).dbl();
        let g = d + b;
        let f = g - z.sqr().dbl();
        let h = d - b;
        Point([e * f, g * h, f * g, e * h])
    }
}

/// `p + q` for `q = (X₂, Y₂, T₂)` and `D = Z₁·Z₂`.
fn sum<'k>(curve: Curve<'k>, p: Point<'k>, (x2, y2, t2): (Fe<'k>, Fe<'k>, Fe<'k>), d: Fe<'k>) -> Point<'k> {
    let Point([x1, y1, _, t1]) = p;
    let (curve_a, curve_d) = coefficients(curve);
    let (a, b) = (x1 * x2, y1 * y2);
    let c = by_coefficient(curve, t1 * t2, curve_d);
    let e = curve.b.dot(&[(x1, y2), (y1, x2)]);
    let (f, g) = (d - c, d + c);
    let h = b - by_coefficient(curve, a, curve_a);
    Point([e * f, g * h, f * g, e * h])
}

/// `a` and `d`.
fn coefficients(curve: Curve<'_>) -> (&[BigUint], &[BigUint]) {
    match &curve.group.equation {
        Equation::TwistedEdwards { a, d } => (a, d),
        Equation::ShortWeierstrass { .. } | Equation::Niels { .. } => {
            unreachable!("the model of Edwards curves")
        }
    }
}

/// `c·x`, for free where `c` is 1 or -1.
pub(super) fn by_coefficient<'k>(curve: Curve<'k>, x: Fe<'k>, c: &[BigUint]) -> Fe<'k> {
    let p = &curve.group.base.p;
    match c {
        [c] if c.bits() == 1 => x,
        [c] if c + 1u32 == *p => -x,
        [c] => x.mul_const(c),
        _ => x * curve.b.coordinates(c),
    }
}
