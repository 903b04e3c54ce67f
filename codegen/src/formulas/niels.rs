//! Points of the Edwards form of short Weierstrass curves, `-x² + y² = 1 + d·x²·y²`, in extended coordinates.
//!
//! Points are those of [`Extended`]. Affine ones are kept as `(y - x, y + x, 2·d·x·y)`, what a mixed addition
//! takes of them, so that it is 7 products: the [Explicit-Formulas
//! Database](https://hyperelliptic.org/EFD/g1p/auto-twisted-extended-1.html)'s `madd-2008-hwcd-3` with its
//! `2·d·T2` at hand. The addition is `add-2008-hwcd-3`, the doubling `dbl-2008-hwcd` ([Hisil, Wong, Carter
//! and Dawson](https://eprint.iacr.org/2008/522), sections 3.1 to 3.3). For `a = -1` the terms `E`, `F`, `G`
//! and `H` of `add-2008-hwcd-3` are twice those of `add-2008-hwcd`: `B - A = 2(X₁Y₂ + Y₁X₂)`,
//! `B + A = 2(Y₁Y₂ + X₁X₂)`, `C` and `D` are doubled as they stand. So both are wrong for the same points and
//! no others, none of which are of odd order: see [`spec::edwards`](crate::declaration::edwards).

use super::edwards::{Extended, by_coefficient};
use super::{Accumulator, Affine, Curve, Model, Point, PointVar};
use crate::declaration::Equation;
use crate::fir::build::{Fe, Pred};
use num_bigint::BigUint;

/// The model.
#[derive(Debug)]
pub(super) struct Niels;

impl Model for Niels {
    fn identity<'k>(&self, curve: Curve<'k>) -> Point<'k> {
        Extended.identity(curve)
    }

    fn read<'k>(&self, curve: Curve<'k>, p: Point<'k>) -> Point<'k> {
        Extended.read(curve, p)
    }

    fn is_identity<'k>(&self, curve: Curve<'k>, p: Point<'k>) -> Pred<'k> {
        Extended.is_identity(curve, p)
    }

    fn or_identity<'k>(&self, curve: Curve<'k>, cond: Pred<'k>, p: Point<'k>) -> Point<'k> {
        Extended.or_identity(curve, cond, p)
    }

    /// `(4x : 4y : 4 : 4xy)`, since there is no half of `2x` and `2y` for free.
    fn of_affine<'k>(&self, curve: Curve<'k>, p: Affine<'k>) -> Point<'k> {
        let (x, y) = (p.y - p.x, p.y + p.x);
        Point([x.dbl(), y.dbl(), curve.one().dbl().dbl(), x * y])
    }

    fn affine_denominator<'k>(&self, Point([_, _, z, _]): Point<'k>) -> Fe<'k> {
        z
    }

    fn to_affine<'k>(&self, curve: Curve<'k>, Point([x, y, ..]): Point<'k>, inverse: Fe<'k>) -> Affine<'k> {
        let (x, y) = (x * inverse, y * inverse);
        Affine { x: y - x, y: y + x, product: Some(by_coefficient(curve, x * y, &twice_d(curve))) }
    }

    fn neg_affine<'k>(&self, p: Affine<'k>) -> Affine<'k> {
        Affine { x: p.y, y: p.x, product: p.product.map(|product| -product) }
    }

    fn madd<'k>(&self, curve: Curve<'k>, acc: Accumulator<'k>, p: Affine<'k>) {
        let Point([x, y, z, t]) = acc.point.get();
        let product = p.product.expect("affine points of this form have three coordinates");
        acc.point.set(sum([(y - x) * p.x, (y + x) * p.y, t * product, z.dbl()]));
        acc.is_identity.set(curve.b.bool(false));
    }

    fn add<'k>(&self, curve: Curve<'k>, acc: PointVar<'k>, p: Point<'k>) {
        let Point([x1, y1, z1, t1]) = acc.get();
        let Point([x2, y2, z2, t2]) = p;
        let c = by_coefficient(curve, t1 * t2, &twice_d(curve));
        acc.set(sum([(y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2), c, (z1 * z2).dbl()]));
    }

    /// With `F` and `H` negated, and so all coordinates.
    fn dbl<'k>(&self, _: Curve<'k>, Point([x, y, z, _]): Point<'k>) -> Point<'k> {
        let (a, b) = (x.sqr(), y.sqr());
        let e = (x * y).dbl();
        let g = b - a;
        let f = z.sqr().dbl() - g;
        let h = a + b;
        Point([e * f, g * h, f * g, e * h])
    }
}

/// The sum by its terms `A`, `B`, `C` and `D`.
fn sum<'k>([a, b, c, d]: [Fe<'k>; 4]) -> Point<'k> {
    let (e, f, g, h) = (b - a, d - c, d + c, b + a);
    Point([e * f, g * h, f * g, e * h])
}

fn twice_d(curve: Curve<'_>) -> Vec<BigUint> {
    match &curve.group.equation {
        Equation::Niels { d } => d.iter().map(|d| (d << 1u32) % &curve.group.base.p).collect(),
        Equation::ShortWeierstrass { .. } | Equation::TwistedEdwards { .. } => {
            unreachable!("the model of Edwards forms")
        }
    }
}
