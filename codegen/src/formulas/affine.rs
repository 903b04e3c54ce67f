//! Affine addition on short Weierstrass curves, in two halves: the denominator of the slope, and the sum by
//! its inverse. Between them many additions share one inversion (Montgomery's trick), so that a sum takes
//! 5M + 1S and its share of that.
//!
//! The line through `p` and `q` has the slope `λ = (y₂ - y₁)/(x₂ - x₁)`, and `(3x₁² + a)/(y₁ + y₂)` where the
//! `x` are equal and the sum is not the identity; the sum is `(λ² - x₁ - x₂, λ·(x₁ - x₃) - y₁)` (Silverman,
//! *The Arithmetic of Elliptic Curves*, III.2.3). Points of one `x` have `y₂ = ±y₁`, so that `y₁ + y₂` is
//! zero exactly where their sum is the identity: equal points of order two among them.

use super::points::{Affine, Curve};
use crate::declaration::Equation;
use crate::fir::build::{Fe, Pred, Var};

/// The line through two affine points, neither the identity.
#[derive(Clone, Copy, Debug)]
pub struct Chord<'k> {
    /// `λ`'s denominator, and one where the sum is the identity.
    pub denominator: Var<'k, Fe<'k>>,
    numerator: Var<'k, Fe<'k>>,
    /// Whether the sum is the identity.
    pub vanishes: Var<'k, Pred<'k>>,
    p: Affine<'k>,
    q: Affine<'k>,
}

impl<'k> Curve<'k> {
    /// The denominator of the chord of two points, by their `x`; their `y` are asked for where these are
    /// equal only.
    pub fn denominator(self, [x1, x2]: [Fe<'k>; 2], y: impl FnOnce() -> [Fe<'k>; 2]) -> Fe<'k> {
        let denominator = self.b.var(x2 - x1);
        self.if_zero(denominator, || {
            let [y1, y2] = y();
            let double = y1 + y2;
            denominator.set(double.is_zero().select(self.one(), double));
        });
        denominator.get()
    }

    /// The chord of two points.
    pub fn chord(self, p: Affine<'k>, q: Affine<'k>) -> Chord<'k> {
        let b = self.b;
        let chord = Chord {
            denominator: b.var(q.x - p.x),
            numerator: b.var(q.y - p.y),
            vanishes: b.var(b.bool(false)),
            p,
            q,
        };
        self.if_zero(chord.denominator, || {
            let double = p.y + q.y;
            let vanishes = double.is_zero();
            chord.vanishes.set(vanishes);
            chord.denominator.set(vanishes.select(self.one(), double));
            chord.numerator.set(self.tangent(p.x));
        });
        chord
    }

    /// The sum of the points of a chord by the inverse of its denominator; any point where it vanishes.
    pub fn third_point(self, chord: Chord<'k>, inverse: Fe<'k>) -> Affine<'k> {
        let Chord { p, q, .. } = chord;
        let slope = chord.numerator.get() * inverse;
        let x = slope.sqr() - p.x - q.x;
        let y = slope * (p.x - x) - p.y;
        Affine::new(x, y)
    }

    /// `3x² + a`
    fn tangent(self, x: Fe<'k>) -> Fe<'k> {
        let square = x.sqr();
        let triple = square.dbl() + square;
        match &self.group.equation {
            Equation::ShortWeierstrass { a, .. } if a.iter().any(|a| a.bits() != 0) => {
                triple + self.b.coordinates(a)
            }
            _ => triple,
        }
    }

    /// Rare, so that a cheap test comes first.
    fn if_zero(self, x: Var<'k, Fe<'k>>, then: impl FnOnce()) {
        let x = x.get();
        self.b.if_(x.maybe_zero(), || self.b.if_(x.is_zero(), then));
    }
}
