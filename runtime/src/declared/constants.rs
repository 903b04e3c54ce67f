//! Constants of bound types as words, whatever tower they are over.

use super::LevelOf;
use ark_ec::CurveConfig;
use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ec::twisted_edwards::TECurveConfig;
use ark_ff::{CubicExtConfig, CubicExtField, Fp, MontBackend, MontConfig, QuadExtConfig, QuadExtField};
use std::marker::PhantomData;

/// An element, as its coefficients down to the prime field.
pub enum Coordinates {
    /// Words in Montgomery form.
    Prime(&'static [u64]),
    /// `c0 + c1·u`
    Quadratic([&'static Coordinates; 2]),
    /// `c0 + c1·u + c2·u²`
    Cubic([&'static Coordinates; 3]),
}

impl Coordinates {
    /// How many there are over the prime field.
    pub const fn degree(&self) -> usize {
        match self {
            Coordinates::Prime(_) => 1,
            Coordinates::Quadratic([c, _]) => 2 * c.degree(),
            Coordinates::Cubic([c, ..]) => 3 * c.degree(),
        }
    }

    /// The words of one of them, in the order of arkworks' `to_base_prime_field_elements`.
    pub(super) const fn at(&self, index: usize) -> &'static [u64] {
        match self {
            Coordinates::Prime(words) => words,
            Coordinates::Quadratic(c) => c[index / c[0].degree()].at(index % c[0].degree()),
            Coordinates::Cubic(c) => c[index / c[0].degree()].at(index % c[0].degree()),
        }
    }
}

/// A constant of type `F` that a type stands for.
pub trait Constant<F> {
    /// The constant.
    const VALUE: F;
}

/// A field whose constants can be read.
#[diagnostic::on_unimplemented(
    message = "constants of `{Self}` cannot be read: it is no tower over a prime field in arkworks' Montgomery form",
    label = "no field of arkworks' Montgomery form"
)]
pub trait Readable<C> {
    /// Of the constant that `C` stands for.
    const COORDINATES: Coordinates;
}

impl<T: MontConfig<N>, C: Constant<Self>, const N: usize> Readable<C> for Fp<MontBackend<T, N>, N> {
    const COORDINATES: Coordinates = Coordinates::Prime(&C::VALUE.0.0);
}

impl<P: QuadExtConfig, C: Constant<Self>> Readable<C> for QuadExtField<P>
where
    P::BaseField: Readable<QuadraticPart<C, P, 0>> + Readable<QuadraticPart<C, P, 1>>,
{
    const COORDINATES: Coordinates = Coordinates::Quadratic([
        &<P::BaseField as Readable<QuadraticPart<C, P, 0>>>::COORDINATES,
        &<P::BaseField as Readable<QuadraticPart<C, P, 1>>>::COORDINATES,
    ]);
}

impl<P: CubicExtConfig, C: Constant<Self>> Readable<C> for CubicExtField<P>
where
    P::BaseField: Readable<CubicPart<C, P, 0>> + Readable<CubicPart<C, P, 1>> + Readable<CubicPart<C, P, 2>>,
{
    const COORDINATES: Coordinates = Coordinates::Cubic([
        &<P::BaseField as Readable<CubicPart<C, P, 0>>>::COORDINATES,
        &<P::BaseField as Readable<CubicPart<C, P, 1>>>::COORDINATES,
        &<P::BaseField as Readable<CubicPart<C, P, 2>>>::COORDINATES,
    ]);
}

/// A coefficient of a constant in a quadratic extension.
pub struct QuadraticPart<C, P, const I: usize>(PhantomData<(C, P)>);

impl<P: QuadExtConfig, C: Constant<QuadExtField<P>>, const I: usize> Constant<P::BaseField>
    for QuadraticPart<C, P, I>
{
    const VALUE: P::BaseField = match I {
        0 => C::VALUE.c0,
        _ => C::VALUE.c1,
    };
}

/// A coefficient of a constant in a cubic extension.
pub struct CubicPart<C, P, const I: usize>(PhantomData<(C, P)>);

impl<P: CubicExtConfig, C: Constant<CubicExtField<P>>, const I: usize> Constant<P::BaseField>
    for CubicPart<C, P, I>
{
    const VALUE: P::BaseField = match I {
        0 => C::VALUE.c0,
        1 => C::VALUE.c1,
        _ => C::VALUE.c2,
    };
}

/// What a level is made with.
pub struct Nonresidue<F, L, const D: usize>(PhantomData<(F, L)>);

impl<F: LevelOf<L, D>, L, const D: usize> Constant<F::Below> for Nonresidue<F, L, D> {
    const VALUE: F::Below = F::NONRESIDUE;
}

/// `a`, `b` and the generator's `x` and `y` of a short Weierstrass curve, numbered.
pub struct Weierstrass<P, const I: usize>(PhantomData<P>);

impl<P: SWCurveConfig, const I: usize> Constant<P::BaseField> for Weierstrass<P, I> {
    const VALUE: P::BaseField = match I {
        0 => P::COEFF_A,
        1 => P::COEFF_B,
        2 => P::GENERATOR.x,
        _ => P::GENERATOR.y,
    };
}

/// `a`, `d` and the generator's `x` and `y` of a twisted Edwards curve, numbered.
pub struct Edwards<P, const I: usize>(PhantomData<P>);

impl<P: TECurveConfig, const I: usize> Constant<P::BaseField> for Edwards<P, I> {
    const VALUE: P::BaseField = match I {
        0 => P::COEFF_A,
        1 => P::COEFF_D,
        2 => P::GENERATOR.x,
        _ => P::GENERATOR.y,
    };
}

/// Of a group's cofactor.
pub struct CofactorInverse<P>(PhantomData<P>);

impl<P: CurveConfig> Constant<P::ScalarField> for CofactorInverse<P> {
    const VALUE: P::ScalarField = P::COFACTOR_INV;
}
