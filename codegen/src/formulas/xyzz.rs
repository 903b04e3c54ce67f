//! Short Weierstrass points in XYZZ coordinates (extended Jacobian), complete by case split.
//!
//! `(X, Y, ZZ, ZZZ)` with `ZZ³ = ZZZ²` is the affine point `(X/ZZ, Y/ZZZ)`; `ZZ = 0` is the
//! identity, whatever the other coordinates hold. The formulas are those of the
//! [Explicit-Formulas Database](https://hyperelliptic.org/EFD/g1p/auto-shortw-xyzz.html):
//! `add-2008-s`, `madd-2008-s`, `dbl-2008-s-1`. The additions are wrong
//! exactly where an operand is the identity or the points are equal, so those cases are branches;
//! equal points share the end of the formula with different ones. The doubling is right for every input: a point of order two has `Y = 0`,
//! hence `V = 0` and `ZZ' = 0`, and the identity keeps `ZZ' = V·0`.

use crate::fir::build::{Buffer, Builder, Fe, Pred, U32, Var};
use crate::spec::GroupDesc;
use curvesmith_abi::IDENTITY_WORD;

/// The curve `y² = x³ + a·x + b` of one kernel; coordinates are elements of the highest level of the group's tower.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'k> {
    /// The builder of the kernel.
    pub b: &'k Builder,
    group: &'k GroupDesc,
}

/// An affine point other than the identity.
#[derive(Clone, Copy, Debug)]
pub struct Affine<'k> {
    /// x
    pub x: Fe<'k>,
    /// y
    pub y: Fe<'k>,
}

/// The words of an element of a buffer of affine points: a point or the identity pattern.
#[derive(Clone, Debug)]
pub struct AffineWords<'k> {
    /// One list a prime-field component, `x` before `y`.
    parts: Vec<Vec<U32<'k>>>,
    /// Whether they are the identity pattern.
    pub is_identity: Pred<'k>,
}

/// A point in XYZZ coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Xyzz<'k> {
    /// X = x·ZZ
    pub x: Fe<'k>,
    /// Y = y·ZZZ
    pub y: Fe<'k>,
    /// ZZ, zero for the identity
    pub zz: Fe<'k>,
    /// ZZZ, with `ZZZ² = ZZ³`
    pub zzz: Fe<'k>,
}

/// A mutable local that holds a point.
#[derive(Clone, Copy, Debug)]
pub struct XyzzVar<'k> {
    x: Var<'k, Fe<'k>>,
    y: Var<'k, Fe<'k>>,
    zz: Var<'k, Fe<'k>>,
    zzz: Var<'k, Fe<'k>>,
}

/// A mutable local that holds a point and knows whether that is the identity, so that nobody has to
/// test lazy coordinates for zero.
#[derive(Clone, Copy, Debug)]
pub struct Accumulator<'k> {
    /// The point; `ZZ = 0` where `is_identity`.
    pub point: XyzzVar<'k>,
    /// Whether `ZZ = 0`.
    pub is_identity: Var<'k, Pred<'k>>,
}

/// A line through two points, in locals: the special cases of an addition change it.
#[derive(Clone, Copy, Debug)]
struct Line<'k> {
    /// Difference of the x, scaled.
    dx: Var<'k, Fe<'k>>,
    /// Difference of the y, scaled.
    dy: Var<'k, Fe<'k>>,
    is_tangent: Var<'k, Pred<'k>>,
}

impl<'k> XyzzVar<'k> {
    /// The content now.
    pub fn get(self) -> Xyzz<'k> {
        Xyzz { x: self.x.get(), y: self.y.get(), zz: self.zz.get(), zzz: self.zzz.get() }
    }
    /// Replaces the content.
    pub fn set(self, p: Xyzz<'k>) {
        self.x.set(p.x);
        self.y.set(p.y);
        self.zz.set(p.zz);
        self.zzz.set(p.zzz);
    }
}

impl<'k> Curve<'k> {
    /// The curve of a group, in a kernel of its image.
    pub fn new(b: &'k Builder, group: &'k GroupDesc) -> Self {
        Curve { b, group }
    }

    /// The identity, as all zeros.
    pub fn identity(self) -> Xyzz<'k> {
        let zero = self.b.embed(self.b.zero());
        Xyzz { x: zero, y: zero, zz: zero, zzz: zero }
    }

    /// An affine point.
    pub fn from_affine(self, p: Affine<'k>) -> Xyzz<'k> {
        let one = self.b.embed(self.b.one());
        Xyzz { x: p.x, y: p.y, zz: one, zzz: one }
    }

    /// A new local that holds `p`.
    pub fn var(self, p: Xyzz<'k>) -> XyzzVar<'k> {
        let var = |x| self.b.var(x);
        XyzzVar { x: var(p.x), y: var(p.y), zz: var(p.zz), zzz: var(p.zzz) }
    }

    /// A new accumulator that holds the identity.
    pub fn accumulator(self) -> Accumulator<'k> {
        Accumulator { point: self.var(self.identity()), is_identity: self.b.var(self.b.bool(true)) }
    }

    /// Whether it is the identity.
    pub fn is_identity(self, p: Xyzz<'k>) -> Pred<'k> {
        p.zz.is_zero()
    }

    /// `cond ? a : b`
    pub fn select(self, cond: Pred<'k>, a: Xyzz<'k>, b: Xyzz<'k>) -> Xyzz<'k> {
        let select = |a: Fe<'k>, b: Fe<'k>| cond.select(a, b);
        Xyzz { x: select(a.x, b.x), y: select(a.y, b.y), zz: select(a.zz, b.zz), zzz: select(a.zzz, b.zzz) }
    }

    /// `p` where `cond` holds, else the identity.
    pub fn or_identity(self, cond: Pred<'k>, p: Xyzz<'k>) -> Xyzz<'k> {
        Xyzz { zz: cond.select(p.zz, self.b.embed(self.b.zero())), ..p }
    }

    /// Element `index` of a buffer of XYZZ points.
    pub fn load(self, buffer: Buffer<'k>, index: U32<'k>) -> Xyzz<'k> {
        let coord = |i| buffer.coordinate(index, i);
        Xyzz { x: coord(0), y: coord(1), zz: coord(2), zzz: coord(3) }
    }

    /// Writes element `index` of a buffer of XYZZ points.
    pub fn store(self, buffer: Buffer<'k>, index: U32<'k>, p: Xyzz<'k>) {
        for (i, coord) in [p.x, p.y, p.zz, p.zzz].into_iter().enumerate() {
            buffer.set_coordinate(index, i, coord);
        }
    }

    /// Element `index` of a buffer of affine points, identity pattern included.
    pub fn load_affine(self, buffer: Buffer<'k>, index: U32<'k>) -> AffineWords<'k> {
        let parts: Vec<Vec<U32<'k>>> = (0..2 * self.group.degree()).map(|i| buffer.part_words(index, i)).collect();
        let base = &self.group.base;
        let top_of_p = base.limbs(&base.p)[base.words - 1];
        let x = &parts[0];
        let top = x[base.words - 1];
        // A canonical x has a top word of at most that of p, and is never all ones.
        let probe = if top_of_p < IDENTITY_WORD {
            top
        } else {
            x[..base.words - 1].iter().fold(top, |all, &word| all & word)
        };
        AffineWords { is_identity: probe.is(IDENTITY_WORD), parts }
    }

    /// The point of words that are not the identity pattern; to be called where that is known.
    pub fn affine(self, words: &AffineWords<'k>) -> Affine<'k> {
        let coord = |i: usize| {
            let degree = self.group.degree();
            let words = &words.parts[i * degree..(i + 1) * degree];
            let parts: Vec<Fe<'k>> = words.iter().map(|words| self.b.from_words(words)).collect();
            self.b.compose(&parts)
        };
        Affine { x: coord(0), y: coord(1) }
    }

    /// `cond ? -p : p`
    pub fn neg_if(self, cond: Pred<'k>, p: Affine<'k>) -> Affine<'k> {
        Affine { y: cond.select(-p.y, p.y), ..p }
    }

    /// `acc += p`: madd-2008-s, 8M + 2S where neither is the identity and they are not equal.
    pub fn madd(self, acc: Accumulator<'k>, p: Affine<'k>) {
        let b = self.b;
        let start = || {
            acc.point.set(self.from_affine(p));
            acc.is_identity.set(b.bool(false));
        };
        b.if_else(acc.is_identity.get(), start, || {
            let old: Xyzz<'k> = acc.point.get();
            let chord = self.line(p.x * old.zz - old.x, p.y * old.zzz - old.y);
            let equal_x = |dy: Pred<'k>| {
                let double = || {
                    acc.point.set(self.from_affine(p));
                    self.set_tangent(chord, p.y, self.slope(p.x, |a| a));
                    acc.is_identity.set(p.y.is_zero());
                };
                b.if_else(dy, double, || acc.is_identity.set(b.bool(true)));
            };
            self.if_equal_x(chord, equal_x);
            acc.point.set(self.third_point(acc.point.get(), chord));
        });
    }

    /// `acc += p`: add-2008-s, 12M + 2S where neither is the identity and they are not equal.
    pub fn add(self, acc: XyzzVar<'k>, p: Xyzz<'k>) {
        let b = self.b;
        let old: Xyzz<'k> = acc.get();
        b.if_(!self.is_identity(p), || {
            b.if_else(
                self.is_identity(old),
                || acc.set(p),
                || {
                    let (x, y) = (old.x * p.zz, old.y * p.zzz);
                    let chord = self.line(p.x * old.zz - x, p.y * old.zzz - y);
                    acc.set(Xyzz { x, y, zz: old.zz * p.zz, zzz: old.zzz * p.zzz });
                    self.if_equal_x(chord, |equal_y| {
                        b.if_(equal_y, || {
                            acc.set(p);
                            self.set_tangent(chord, p.y, self.slope(p.x, |a| a * p.zz.sqr()));
                        });
                    });
                    acc.set(self.third_point(acc.get(), chord));
                },
            );
        });
    }

    /// A line through the accumulated point, by its differences.
    fn line(self, dx: Fe<'k>, dy: Fe<'k>) -> Line<'k> {
        Line { dx: self.b.var(dx), dy: self.b.var(dy), is_tangent: self.b.var(self.b.bool(false)) }
    }

    /// Makes the line the tangent at a point with this `y` and numerator of the slope.
    fn set_tangent(self, line: Line<'k>, y: Fe<'k>, slope: Fe<'k>) {
        line.dx.set(y.dbl());
        line.dy.set(slope);
        line.is_tangent.set(self.b.bool(true));
    }

    /// Runs `then` where `dx = 0`, with whether `dy = 0`. Rare, so that a cheap test comes first.
    fn if_equal_x(self, line: Line<'k>, then: impl FnOnce(Pred<'k>)) {
        let (dx, dy) = (line.dx.get(), line.dy.get());
        self.b.if_(dx.maybe_zero(), || self.b.if_(dx.is_zero(), || then(dy.is_zero())));
    }

    /// The point on the line besides `p`, negated. With `P = dx` and `R = dy`, both additions end so:
    ///
    /// - different points, scaled to a common denominator, of which `p` is the first;
    /// - opposite points: `P = 0` makes `ZZ3 = 0`, the identity;
    /// - equal points: `P = 2·Y`, and `R` the tangent's numerator. Then `P²` and `P³` are the
    ///   doubling's `V` and `W`, and only `X3` differs: it is `R² - 2Q` without `P³`.
    fn third_point(self, p: Xyzz<'k>, line: Line<'k>) -> Xyzz<'k> {
        let (dx, dy) = (line.dx.get(), line.dy.get());
        let pp = dx.sqr();
        let ppp = dx * pp;
        let q = p.x * pp;
        let cube = line.is_tangent.get().select(self.b.embed(self.b.zero()), ppp);
        let x = dy.sqr() - cube - q.dbl();
        let y = self.b.dot(&[(dy, q - x), (-p.y, ppp)]);
        Xyzz { x, y, zz: p.zz * pp, zzz: p.zzz * ppp }
    }

    /// `2p`: dbl-2008-s-1, 6M + 3S, and where `a ≠ 0` one more square and a product by `a`; any input.
    pub fn dbl(self, p: Xyzz<'k>) -> Xyzz<'k> {
        let slope = self.slope(p.x, |a| a * p.zz.sqr());
        let u = p.y.dbl();
        let v = u.sqr();
        let w = u * v;
        let s = p.x * v;
        let x = slope.sqr() - s.dbl();
        let y = self.b.dot(&[(slope, s - x), (-w, p.y)]);
        Xyzz { x, y, zz: v * p.zz, zzz: w * p.zzz }
    }

    /// `M = 3x² + a·ZZ²`; `scale` multiplies `a` by `ZZ²`.
    fn slope(self, x: Fe<'k>, scale: impl FnOnce(Fe<'k>) -> Fe<'k>) -> Fe<'k> {
        let square = x.sqr();
        let triple = square.dbl() + square;
        if self.group.a.iter().all(|a| a.bits() == 0) {
            return triple;
        }
        triple + scale(self.b.coordinates(&self.group.a))
    }
}
