//! Short Weierstrass points in XYZZ coordinates (extended Jacobian), complete by case split, or by selection.
//!
//! `(X, Y, ZZ, ZZZ)` with `ZZ³ = ZZZ²` is the affine point `(X/ZZ, Y/ZZZ)`; `ZZ = 0` is the identity,
//! whatever the other coordinates hold. The formulas are those of the [Explicit-Formulas
//! Database](https://hyperelliptic.org/EFD/g1p/auto-shortw-xyzz.html): `add-2008-s`, `madd-2008-s`,
//! `dbl-2008-s-1`. The additions are wrong exactly where an operand is the identity or the points are equal,
//! so those cases are branches, or, with [`Addition::BranchFree`], what else it would be is selected; equal
//! points share the end of the formula with different ones. The doubling is right for every input: a point of
//! order two has `Y = 0`, hence `V = 0` and `ZZ' = 0`, and the identity keeps `ZZ' = V·0`.

use super::{Accumulator, Addition, Affine, Curve, Model, Point, PointVar};
use crate::declaration::Equation;
use crate::fir::build::{Fe, Pred, Var};

/// The model.
#[derive(Debug)]
pub(super) struct Xyzz(pub(super) Addition);

/// A line through two points, in locals: the special cases of an addition change it.
#[derive(Clone, Copy, Debug)]
struct Line<'k> {
    /// Difference of the x, scaled.
    dx: Var<'k, Fe<'k>>,
    /// Difference of the y, scaled.
    dy: Var<'k, Fe<'k>>,
    is_tangent: Var<'k, Pred<'k>>,
}

impl Model for Xyzz {
    /// As all zeros.
    fn identity<'k>(&self, curve: Curve<'k>) -> Point<'k> {
        Point([curve.zero(); 4])
    }

    fn read<'k>(&self, _: Curve<'k>, p: Point<'k>) -> Point<'k> {
        p
    }

    fn is_identity<'k>(&self, _: Curve<'k>, Point([_, _, zz, _]): Point<'k>) -> Pred<'k> {
        zz.is_zero()
    }

    fn or_identity<'k>(&self, curve: Curve<'k>, cond: Pred<'k>, p: Point<'k>) -> Point<'k> {
        let Point([x, y, zz, zzz]) = p;
        Point([x, y, cond.select(zz, curve.zero()), zzz])
    }

    fn of_affine<'k>(&self, curve: Curve<'k>, p: Affine<'k>) -> Point<'k> {
        let one = curve.one();
        Point([p.x, p.y, one, one])
    }

    fn affine_denominator<'k>(&self, Point([_, _, _, zzz]): Point<'k>) -> Fe<'k> {
        zzz
    }

    /// As `ZZ³ = ZZZ²`, `1/ZZ` is `(ZZ/ZZZ)²`.
    fn to_affine<'k>(&self, _: Curve<'k>, Point([x, y, zz, _]): Point<'k>, inverse: Fe<'k>) -> Affine<'k> {
        Affine::new(x * (zz * inverse).sqr(), y * inverse)
    }

    fn neg_affine<'k>(&self, p: Affine<'k>) -> Affine<'k> {
        Affine { y: -p.y, ..p }
    }

    fn madd<'k>(&self, curve: Curve<'k>, acc: Accumulator<'k>, p: Affine<'k>) {
        match self.0 {
            Addition::ByCases => self.madd_by_cases(curve, acc, p),
            Addition::BranchFree => self.madd_branch_free(curve, acc, p),
        }
    }

    fn add<'k>(&self, curve: Curve<'k>, acc: PointVar<'k>, p: Point<'k>) {
        match self.0 {
            Addition::ByCases => self.add_by_cases(curve, acc, p),
            Addition::BranchFree => self.add_branch_free(curve, acc, p),
        }
    }

    /// dbl-2008-s-1, 6M + 3S, and where `a ≠ 0` one more square and a product by `a`; any input.
    fn dbl<'k>(&self, curve: Curve<'k>, Point([x, y, zz, zzz]): Point<'k>) -> Point<'k> {
        let m = slope(curve, x, zz);
        let u = y.dbl();
        let v = u.sqr();
        let w = u * v;
        let s = x * v;
        let x3 = m.sqr() - s.dbl();
        let y3 = curve.b.dot(&[(m, s - x3), (-w, y)]);
        Point([x3, y3, v * zz, w * zzz])
    }
}

impl Xyzz {
    /// madd-2008-s, 8M + 2S where neither is the identity and they are not equal.
    fn madd_by_cases<'k>(&self, curve: Curve<'k>, acc: Accumulator<'k>, p: Affine<'k>) {
        let b = curve.b;
        let start = || {
            acc.point.set(self.of_affine(curve, p));
            acc.is_identity.set(b.bool(false));
        };
        b.if_else(acc.is_identity.get(), start, || {
            let Point([x, y, zz, zzz]) = acc.point.get();
            let chord = line(curve, p.x * zz - x, p.y * zzz - y);
            let equal_x = |dy: Pred<'k>| {
                let double = || {
                    set_tangent(curve, chord, acc.point.get());
                    acc.is_identity.set(y.is_zero());
                };
                b.if_else(dy, double, || acc.is_identity.set(b.bool(true)));
            };
            if_equal_x(curve, chord, equal_x);
            acc.point.set(third_point(curve, acc.point.get(), chord));
        });
    }

    /// madd-2008-s with the slope of the tangent, 8M + 3S, and where `a ≠ 0` a square and a product by `a`
    /// more.
    fn madd_branch_free<'k>(&self, curve: Curve<'k>, acc: Accumulator<'k>, p: Affine<'k>) {
        let (old, was_identity) = (acc.point.get(), acc.is_identity.get());
        let Point([x, y, zz, zzz]) = old;
        let line = line(curve, p.x * zz - x, p.y * zzz - y);
        select_tangent(curve, line, old);
        let sum = third_point(curve, old, line);
        acc.point.set(self.of_affine(curve, p).select(was_identity, sum));
        acc.is_identity.set(!was_identity & line.dx.get().is_zero());
    }

    /// add-2008-s, 12M + 2S where neither is the identity and they are not equal.
    fn add_by_cases<'k>(&self, curve: Curve<'k>, acc: PointVar<'k>, p: Point<'k>) {
        let b = curve.b;
        let old = acc.get();
        b.if_(!self.is_identity(curve, p), || {
            b.if_else(
                self.is_identity(curve, old),
                || acc.set(p),
                || {
                    let (scaled, chord) = chord(curve, old, p);
                    acc.set(scaled);
                    if_equal_x(curve, chord, |equal_y| {
                        b.if_(equal_y, || set_tangent(curve, chord, acc.get()))
                    });
                    acc.set(third_point(curve, acc.get(), chord));
                },
            );
        });
    }

    /// add-2008-s with the slope of the tangent, 12M + 3S, and where `a ≠ 0` a square and a product by `a`
    /// more.
    fn add_branch_free<'k>(&self, curve: Curve<'k>, acc: PointVar<'k>, p: Point<'k>) {
        let old = acc.get();
        let (scaled, line) = chord(curve, old, p);
        select_tangent(curve, line, scaled);
        let sum = p.select(self.is_identity(curve, old), third_point(curve, scaled, line));
        acc.set(old.select(self.is_identity(curve, p), sum));
    }
}

/// The first of two points, scaled to their common denominator, and the chord through both.
fn chord<'k>(curve: Curve<'k>, p: Point<'k>, q: Point<'k>) -> (Point<'k>, Line<'k>) {
    let (Point([x, y, zz, zzz]), Point([qx, qy, qzz, qzzz])) = (p, q);
    let (x, y) = (x * qzz, y * qzzz);
    let chord = line(curve, qx * zz - x, qy * zzz - y);
    (Point([x, y, zz * qzz, zzz * qzzz]), chord)
}

/// A line through the accumulated point, by its differences.
fn line<'k>(curve: Curve<'k>, dx: Fe<'k>, dy: Fe<'k>) -> Line<'k> {
    let b = curve.b;
    Line { dx: b.var(dx), dy: b.var(dy), is_tangent: b.var(b.bool(false)) }
}

/// Makes the line the tangent at the point.
fn set_tangent<'k>(curve: Curve<'k>, line: Line<'k>, Point([x, y, zz, _]): Point<'k>) {
    line.dx.set(y.dbl());
    line.dy.set(slope(curve, x, zz));
    line.is_tangent.set(curve.b.bool(true));
}

/// Makes the chord of equal points the tangent at the point.
fn select_tangent<'k>(curve: Curve<'k>, line: Line<'k>, Point([x, y, zz, _]): Point<'k>) {
    let (dx, dy) = (line.dx.get(), line.dy.get());
    let equal = dx.is_zero() & dy.is_zero();
    line.dx.set(equal.select(y.dbl(), dx));
    line.dy.set(equal.select(slope(curve, x, zz), dy));
    line.is_tangent.set(equal);
}

/// Runs `then` where `dx = 0`, with whether `dy = 0`. Rare, so that a cheap test comes first.
fn if_equal_x<'k>(curve: Curve<'k>, line: Line<'k>, then: impl FnOnce(Pred<'k>)) {
    let (dx, dy) = (line.dx.get(), line.dy.get());
    curve.b.if_(dx.maybe_zero(), || curve.b.if_(dx.is_zero(), || then(dy.is_zero())));
}

/// The point on the line besides `p`, negated. With `P = dx` and `R = dy`, both additions end so:
///
/// - different points, scaled to a common denominator, of which `p` is the first;
/// - opposite points: `P = 0` makes `ZZ3 = 0`, the identity;
/// - equal points: `P = 2·Y`, and `R` the tangent's numerator, of `p` as it is scaled. Then `P²` and `P³` are
///   the doubling's `V` and `W`, and only `X3` differs: it is `R² - 2Q` without `P³`.
fn third_point<'k>(curve: Curve<'k>, Point([x, y, zz, zzz]): Point<'k>, line: Line<'k>) -> Point<'k> {
    let (dx, dy) = (line.dx.get(), line.dy.get());
    let pp = dx.sqr();
    let ppp = dx * pp;
    let q = x * pp;
    let cube = line.is_tangent.get().select(curve.zero(), ppp);
    let x3 = dy.sqr() - cube - q.dbl();
    let y3 = curve.b.dot(&[(dy, q - x3), (-y, ppp)]);
    Point([x3, y3, zz * pp, zzz * ppp])
}

/// `M = 3X² + a·ZZ²`
fn slope<'k>(curve: Curve<'k>, x: Fe<'k>, zz: Fe<'k>) -> Fe<'k> {
    let square = x.sqr();
    let triple = square.dbl() + square;
    match &curve.group.equation {
        Equation::ShortWeierstrass { a, .. } if a.iter().any(|a| a.bits() != 0) => {
            triple + curve.b.coordinates(a) * zz.sqr()
        }
        _ => triple,
    }
}
