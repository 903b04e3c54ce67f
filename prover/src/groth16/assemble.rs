//! The points of a proof from its sums and its randomness.

use super::Scalar;
use super::key::HeaderPoints;
use super::stages::OpeningSums;
use ark_ec::scalar_mul::BatchMulPreprocessing;
use ark_ec::{AffineRepr, CurveGroup};
use curvesmith_runtime::group::{AffineOf, PairingCurve, ProjectiveOf};
use std::fmt;
use zeroize::Zeroize;

/// δ in both groups, with multiples: what a proof multiplies before its sums are known must not take longer than these.
pub(super) struct Deltas<C: PairingCurve> {
    g1: BatchMulPreprocessing<ProjectiveOf<C::G1>>,
    g2: BatchMulPreprocessing<ProjectiveOf<C::G2>>,
}

impl<C: PairingCurve> Deltas<C> {
    /// Scalars by whose number arkworks chooses a window: 4 bits, some thousand multiples.
    const SCALARS: usize = 64;

    pub(super) fn new(points: &HeaderPoints<C>) -> Self {
        let (g1, g2) = (points.delta_g1.into_group(), points.vk.delta_g2.into_group());
        let (g1, g2) = rayon::join(
            || BatchMulPreprocessing::new(g1, Self::SCALARS),
            || BatchMulPreprocessing::new(g2, Self::SCALARS),
        );
        Deltas { g1, g2 }
    }
}

impl<C: PairingCurve> fmt::Debug for Deltas<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Deltas[{} bits]", self.g1.window)
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
        let (g1, g2) = rayon::join(|| deltas.g1.batch_mul(&[r, s, r * s]), || deltas.g2.batch_mul(&[s]));
        let [r_delta, s_delta, rs_delta] = [0, 1, 2].map(|i| g1[i].into());
        Self { r, s, r_delta, s_delta, rs_delta, s_delta_g2: g2[0].into() }
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
        let (a_s, b_r) = rayon::join(|| self.a * blinding.s, || self.b_g1 * blinding.r);
        a_s + b_r - blinding.rs_delta
    }
}
