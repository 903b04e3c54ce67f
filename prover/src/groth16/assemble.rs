//! The points of a proof from its sums and its randomness.

use super::Scalar;
use super::key::HeaderPoints;
use super::stages::OpeningSums;
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::PrimeField;
use curvesmith_runtime::group::{AffineOf, PairingCurve, ProjectiveOf};
use curvesmith_runtime::parallel::join;
use std::fmt;
use zeroize::Zeroize;

/// δ in both groups, with multiples: what a proof multiplies before its sums are known must not take longer
/// than these.
pub(super) struct Deltas<C: PairingCurve> {
    g1: Multiples<ProjectiveOf<C::G1>>,
    g2: Multiples<ProjectiveOf<C::G2>>,
}

impl<C: PairingCurve> Deltas<C> {
    pub(super) fn new(points: &HeaderPoints<C>) -> Self {
        let (g1, g2) = (points.delta_g1.into_group(), points.vk.delta_g2.into_group());
        let (g1, g2) = join(|| Multiples::new(g1), || Multiples::new(g2));
        Deltas { g1, g2 }
    }
}

impl<C: PairingCurve> fmt::Debug for Deltas<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Deltas[{} bits]", Multiples::<ProjectiveOf<C::G1>>::WINDOW)
    }
}

/// For every window of a scalar the multiples of a point by what its digit can be: some thousand points. A
/// product is as many additions as there are windows (fixed-base windowing: Brickell, Gordon, McCurley and
/// Wilson, EUROCRYPT 1992).
struct Multiples<P> {
    /// `d·2^(WINDOW·i)` times the point at place `d` of table `i`.
    tables: Vec<Vec<P>>,
}

impl<P: PrimeGroup> Multiples<P> {
    /// Bits of a digit; divides 64.
    const WINDOW: usize = 4;

    fn new(point: P) -> Self {
        let windows = (P::ScalarField::MODULUS_BIT_SIZE as usize).div_ceil(Self::WINDOW);
        let mut unit = point;
        let mut table = || {
            let mut multiples = vec![P::ZERO];
            multiples.extend((1..1 << Self::WINDOW).scan(P::ZERO, |multiple, _| {
                *multiple += unit;
                Some(*multiple)
            }));
            unit = multiples[1 << (Self::WINDOW - 1)].double();
            multiples
        };
        Self { tables: (0..windows).map(|_| table()).collect() }
    }

    fn by(&self, scalar: P::ScalarField) -> P {
        let scalar = scalar.into_bigint();
        let digit = |i: usize| {
            let bit = i * Self::WINDOW;
            (scalar.as_ref()[bit / 64] >> (bit % 64)) as usize % (1 << Self::WINDOW)
        };
        self.tables.iter().enumerate().map(|(i, multiples)| multiples[digit(i)]).sum()
    }
}

/// What r and s add to a proof, whatever the sums. As secret as r and s.
pub(super) struct Blinding<C: PairingCurve> {
    r: Scalar<C>,
    s: Scalar<C>,
    /// `r·δ`, `s·δ` and `r·s·δ`
    r_delta: ProjectiveOf<C::G1>,
    s_delta: ProjectiveOf<C::G1>,
    rs_delta: ProjectiveOf<C::G1>,
    /// `s·δ` in G2
    s_delta_g2: ProjectiveOf<C::G2>,
}

impl<C: PairingCurve> Blinding<C> {
    pub(super) fn new(deltas: &Deltas<C>, &[r, s]: &[Scalar<C>; 2]) -> Self {
        let ([r_delta, s_delta, rs_delta], s_delta_g2) =
            join(|| [r, s, r * s].map(|scalar| deltas.g1.by(scalar)), || deltas.g2.by(s));
        Self { r, s, r_delta, s_delta, rs_delta, s_delta_g2 }
    }
}

impl<C: PairingCurve> Drop for Blinding<C> {
    fn drop(&mut self) {
        self.r.zeroize();
        self.s.zeroize();
        self.r_delta.zeroize();
        self.s_delta.zeroize();
        self.rs_delta.zeroize();
        self.s_delta_g2.zeroize();
    }
}

/// The points of a proof that are known before C.
pub(super) struct Opening<C: PairingCurve> {
    pub(super) a: AffineOf<C::G1>,
    pub(super) b: AffineOf<C::G2>,
    b_g1: ProjectiveOf<C::G1>,
}

impl<C: PairingCurve> Opening<C> {
    /// `A = α + Σ wᵢ·Aᵢ + r·δ` and `B = β + Σ wᵢ·Bᵢ + s·δ`, B in both groups.
    pub(super) fn new(points: &HeaderPoints<C>, sums: &OpeningSums<C>, blinding: &Blinding<C>) -> Self {
        let HeaderPoints { vk, beta_g1, .. } = points;
        Self {
            a: (sums.a + vk.alpha_g1 + blinding.r_delta).into_affine(),
            b: (sums.b_g2 + vk.beta_g2 + blinding.s_delta_g2).into_affine(),
            b_g1: sums.b_g1 + beta_g1 + blinding.s_delta,
        }
    }

    /// `s·A + r·B₁ − r·s·δ`, C without its sums.
    pub(super) fn share_of_c(&self, blinding: &Blinding<C>) -> ProjectiveOf<C::G1> {
        let (a_s, b_r) = join(|| self.a * blinding.s, || self.b_g1 * blinding.r);
        a_s + b_r - blinding.rs_delta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::{Fr, G1Projective, G2Projective};
    use ark_std::{UniformRand, test_rng};

    #[test]
    fn multiples_are_products() {
        fn of<P: PrimeGroup<ScalarField = Fr>>() {
            let rng = &mut test_rng();
            let point = P::rand(rng);
            let multiples = Multiples::new(point);
            let edges = [0_u64, 1, 15, 16, 1 << 63].map(Fr::from);
            for scalar in edges.into_iter().flat_map(|x| [x, -x]).chain((0..20).map(|_| Fr::rand(rng))) {
                assert_eq!(multiples.by(scalar), point * scalar, "{scalar}");
            }
        }
        of::<G1Projective>();
        of::<G2Projective>();
    }
}
