//! Group and curve markers.

use crate::field::Field;
pub use crate::form::EdwardsForm;
#[cfg(target_arch = "x86_64")]
use crate::lanes::GroupLanes;
pub use crate::points::Points;
#[cfg(target_arch = "x86_64")]
use crate::tier::Tier;
use ark_ec::CurveGroup;
use ark_ec::pairing::Pairing;
use ark_ff::Field as ArkField;
use std::fmt::Debug;

/// A group of points on a short Weierstrass or twisted Edwards curve, with generated kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the marker of a group",
    label = "no marker of a group",
    note = "use `G1` or `G2`, the markers that a curve's declaration makes; \
            `G1Affine` and `G1Projective` are arkworks' types of points, \
            `Curve` stands for the whole curve, and `FrField` for its scalars"
)]
pub trait Group: Copy + Debug + Send + Sync + 'static {
    /// arkworks' projective points; their type says which form the curve has.
    type Projective: Points<
            ScalarField = <Self::Scalar as Field>::Ark,
            BaseField: ArkField<BasePrimeField = <Self::Base as Field>::Ark>,
        >;
    /// Marker of the prime field below the coordinates.
    type Base: Field;
    /// Marker of the scalar field.
    type Scalar: Field;
    /// Snake-case name; kernel symbols are `<NAME>_<kernel>`.
    const NAME: &'static str;
    /// Extension degree of the coordinates over `Base`.
    const DEGREE: usize;
    /// The embedded images, encoded [`curvesmith_abi::Bundle`]s, one a flavour; empty if there are none. Best
    /// a static: a literal may be copied into every crate that calls this.
    fn images() -> &'static [u8];
    /// The Edwards form of a short Weierstrass curve, where the declaration asks for one.
    fn edwards_form() -> Option<EdwardsForm<CoordinateOf<Self>>> {
        None
    }
    /// The functions of eight points at once on a tier, where the declaration has them: of the curve's [short
    /// Weierstrass form](Points::to_weierstrass).
    #[cfg(target_arch = "x86_64")]
    fn lanes(_: Tier) -> Option<&'static GroupLanes> {
        None
    }
    /// The kernels of MSMs for constant work, where the declaration asks for them.
    fn constant_work() -> Option<ConstantWork> {
        None
    }
}

/// The kernels of a group's MSMs whose work does not depend on scalars.
#[derive(Clone, Copy, Debug)]
pub struct ConstantWork {
    /// Prefix of the kernels' symbols.
    pub name: &'static str,
    /// The images of the kernels, encoded [`curvesmith_abi::Bundle`]s, one a flavour.
    pub images: &'static [u8],
}

/// Affine points of a group.
pub type AffineOf<G> = <ProjectiveOf<G> as CurveGroup>::Affine;
/// Projective points of a group.
pub type ProjectiveOf<G> = <G as Group>::Projective;
/// Coordinate field of a group.
pub type CoordinateOf<G> = <ProjectiveOf<G> as CurveGroup>::BaseField;
/// Scalars of a group.
pub type ScalarOf<G> = <<G as Group>::Scalar as Field>::Ark;

/// A curve that Groth16 runs on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the marker of a curve with a pairing, as Groth16 needs it",
    label = "no marker of a curve with a pairing",
    note = "use `Curve`, the marker that a curve's declaration makes, where this is arkworks' \
            pairing or a group",
    note = "a declared `Curve` has arkworks' pairing if it is of the families bls12, bn, mnt4 or \
            mnt6, of bw6 with a seed whose length is a multiple of 64 bits, or bound to an \
            `engine`; multi-scalar multiplications and transforms need none"
)]
pub trait PairingCurve: Copy + Debug + Send + Sync + 'static {
    /// The arkworks pairing.
    type Engine: Pairing<
            ScalarField = <Self::Fr as Field>::Ark,
            BaseField = <Self::Fq as Field>::Ark,
            G1 = ProjectiveOf<Self::G1>,
            G1Affine = AffineOf<Self::G1>,
            G2 = ProjectiveOf<Self::G2>,
            G2Affine = AffineOf<Self::G2>,
        >;
    /// Base field of G1.
    type Fq: Field;
    /// Scalar field.
    type Fr: Field;
    /// First source group.
    type G1: Group<Scalar = Self::Fr, Base = Self::Fq>;
    /// Second source group.
    type G2: Group<Scalar = Self::Fr, Base = Self::Fq>;
    /// Name in snake case, as declared: `bn254`, `bls12_381`.
    const NAME: &'static str;
}
