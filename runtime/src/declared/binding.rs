//! What a type must be to be bound, as traits that say so where it is not.
//!
//! `M` is the marker of the item in the declaration's module, so that a message names it.

use crate::field::MontLimbs;
use ark_ec::CurveConfig;
use ark_ec::pairing::Pairing;
use ark_ec::short_weierstrass::{self as weierstrass, SWCurveConfig};
use ark_ec::twisted_edwards::{self as edwards, TECurveConfig};
use ark_ff::{
    CubicExtConfig, CubicExtField, Fp, MontBackend, MontConfig, PrimeField, QuadExtConfig, QuadExtField,
};

/// A prime field, with its constants in Montgomery form.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to `{M}`: it is no prime field in arkworks' Montgomery form",
    label = "no prime field of words of 64 bits in Montgomery form",
    note = "types of arkworks 0.6 are needed; those of its other versions are other types"
)]
pub trait PrimeFieldOf<M> {
    /// The field.
    type This: PrimeField + MontLimbs;
    /// Little-endian words.
    const MODULUS: &'static [u64];
    /// Of the units, in Montgomery form.
    const GENERATOR: &'static [u64];
    /// In Montgomery form.
    const TWO_ADIC_ROOT: &'static [u64];
    /// Base and power.
    const SMALL_SUBGROUP: Option<(u32, u32)>;
}

impl<T: MontConfig<N>, M, const N: usize> PrimeFieldOf<M> for Fp<MontBackend<T, N>, N> {
    type This = Self;
    const MODULUS: &'static [u64] = &T::MODULUS.0;
    const GENERATOR: &'static [u64] = &T::GENERATOR.0.0;
    const TWO_ADIC_ROOT: &'static [u64] = &T::TWO_ADIC_ROOT_OF_UNITY.0.0;
    const SMALL_SUBGROUP: Option<(u32, u32)> = match (T::SMALL_SUBGROUP_BASE, T::SMALL_SUBGROUP_BASE_ADICITY)
    {
        (Some(base), Some(power)) => Some((base, power)),
        _ => None,
    };
}

/// A level whose degree over what is below it is `D`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the declared level `{L}`: it is no extension of degree {D} of another field",
    label = "no extension of this degree",
    note = "types of arkworks 0.6 are needed; those of its other versions are other types"
)]
pub trait LevelOf<L, const D: usize> {
    /// What it is over.
    type Below;
    /// No power with the exponent `D`.
    const NONRESIDUE: Self::Below;
}

impl<P: QuadExtConfig, L> LevelOf<L, 2> for QuadExtField<P> {
    type Below = P::BaseField;
    const NONRESIDUE: P::BaseField = P::NONRESIDUE;
}

impl<P: CubicExtConfig, L> LevelOf<L, 3> for CubicExtField<P> {
    type Below = P::BaseField;
    const NONRESIDUE: P::BaseField = P::NONRESIDUE;
}

/// Names of levels, for messages.
#[allow(non_camel_case_types, reason = "they are keywords of declarations")]
pub mod level {
    /// Of degree 2.
    pub struct fq2;
    /// Of degree 3.
    pub struct fq3;
    /// Of degree 4.
    pub struct fq4;
    /// Of degree 6.
    pub struct fq6;
    /// Of degree 12.
    pub struct fq12;
}

/// What a level is over.
#[diagnostic::on_unimplemented(
    message = "the type of the level `{L}` is over `{Self}`, but the level is declared over `{B}`",
    label = "an extension of another field than the declared one"
)]
pub trait BelowOf<B, L> {
    /// It is.
    const IS: () = ();
}

impl<B, L> BelowOf<B, L> for B {}

/// Projective points of a short Weierstrass curve.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to `{M}`: it is not the type of projective points of a short Weierstrass curve",
    label = "not the projective points of such a curve",
    note = "a group is bound to its projective type, whose affine type follows from it",
    note = "types of arkworks 0.6 are needed; those of its other versions are other types"
)]
pub trait WeierstrassOf<M> {
    /// It is.
    const IS: () = ();
}

impl<P: SWCurveConfig, M> WeierstrassOf<M> for weierstrass::Projective<P> {}

/// Projective points of a twisted Edwards curve.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to `{M}`: it is not the type of projective points of a twisted Edwards curve",
    label = "not the projective points of such a curve",
    note = "a group is bound to its projective type, whose affine type follows from it",
    note = "types of arkworks 0.6 are needed; those of its other versions are other types"
)]
pub trait EdwardsOf<M> {
    /// It is.
    const IS: () = ();
}

impl<P: TECurveConfig, M> EdwardsOf<M> for edwards::Projective<P> {}

/// Points of any curve, so that the types of a module are there after a wrong binding too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of points of a curve",
    label = "no points of a curve of arkworks",
    note = "types of arkworks 0.6 are needed; those of its other versions are other types"
)]
pub trait CurvePoints {
    /// arkworks' description of the curve.
    type Config: CurveConfig;
    /// Its affine points.
    type Affine;
    /// Its projective points.
    type Projective;
}

impl<P: SWCurveConfig> CurvePoints for weierstrass::Projective<P> {
    type Config = P;
    type Affine = weierstrass::Affine<P>;
    type Projective = Self;
}

impl<P: SWCurveConfig> CurvePoints for weierstrass::Affine<P> {
    type Config = P;
    type Affine = Self;
    type Projective = weierstrass::Projective<P>;
}

impl<P: TECurveConfig> CurvePoints for edwards::Projective<P> {
    type Config = P;
    type Affine = edwards::Affine<P>;
    type Projective = Self;
}

impl<P: TECurveConfig> CurvePoints for edwards::Affine<P> {
    type Config = P;
    type Affine = Self;
    type Projective = edwards::Projective<P>;
}

/// The coordinates of a group.
#[diagnostic::on_unimplemented(
    message = "the curve bound to `{M}` is over `{Self}`, but the group is declared over `{B}`",
    label = "a curve over another field than the declared one"
)]
pub trait CoordinatesOf<B, M> {
    /// They are.
    const IS: () = ();
}

impl<B, M> CoordinatesOf<B, M> for B {}

/// The scalars of a group.
#[diagnostic::on_unimplemented(
    message = "the curve bound to `{M}` has scalars in `{Self}`, but `fr` is `{S}`",
    label = "a curve with other scalars than the declared ones"
)]
pub trait ScalarsOf<S, M> {
    /// They are.
    const IS: () = ();
}

impl<S, M> ScalarsOf<S, M> for S {}

/// A pairing of two groups.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to `engine`: it is no pairing of `{G1}` and `{G2}`",
    label = "no pairing of the bound groups",
    note = "types of arkworks 0.6 are needed; those of its other versions are other types"
)]
pub trait EngineOf<G1, G2> {
    /// It is.
    const IS: () = ();
}

impl<E: Pairing> EngineOf<E::G1, E::G2> for E {}
