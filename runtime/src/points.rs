//! arkworks' points, by the form of their curve.

use ark_ec::CurveGroup;
use ark_ec::short_weierstrass::{self as weierstrass, SWCurveConfig};
use ark_ec::twisted_edwards::{self as edwards, TECurveConfig};
use ark_ff::{AdditiveGroup, Field, Zero};
use curvesmith_abi::Form;

/// arkworks' projective points of a curve in a form that kernels know: of short Weierstrass or twisted Edwards form. What
/// arkworks defines on each of both types, and not in a trait, is here. Sealed.
pub trait Points: CurveGroup + sealed::Sealed {
    /// How kernels represent points.
    const FORM: Form;
    /// Coefficients of the equation: `a` and `b` of `y² = x³ + ax + b`, or `a` and `d` of `ax² + y² = 1 + dx²y²`.
    const COEFFICIENTS: [Self::BaseField; 2];

    /// The affine point `(x, y)`, on the curve or not.
    fn affine(x: Self::BaseField, y: Self::BaseField) -> Self::Affine;

    /// Whether a point fulfils the equation, or is the identity.
    fn is_on_curve(point: &Self::Affine) -> bool;

    /// Whether the order of a point of the curve divides `r`.
    fn is_in_subgroup(point: &Self::Affine) -> bool;

    /// A point by its coordinates in [`Points::FORM`]; none if no point has them.
    fn of_form(coordinates: [Self::BaseField; Form::COORDINATES]) -> Option<Self>;
}

mod sealed {
    use super::*;

    /// Implemented where [`Points`](super::Points) is.
    pub trait Sealed {}
    impl<P: SWCurveConfig> Sealed for weierstrass::Projective<P> {}
    impl<P: TECurveConfig> Sealed for edwards::Projective<P> {}
}

impl<P: SWCurveConfig> Points for weierstrass::Projective<P> {
    const FORM: Form = Form::Xyzz;
    const COEFFICIENTS: [P::BaseField; 2] = [P::COEFF_A, P::COEFF_B];

    fn affine(x: P::BaseField, y: P::BaseField) -> weierstrass::Affine<P> {
        weierstrass::Affine::new_unchecked(x, y)
    }

    fn is_on_curve(point: &weierstrass::Affine<P>) -> bool {
        point.is_on_curve()
    }

    fn is_in_subgroup(point: &weierstrass::Affine<P>) -> bool {
        point.is_in_correct_subgroup_assuming_on_curve()
    }

    /// Jacobian coordinates, without an inversion: with x = X/ZZ, y = Y/ZZZ and ZZ³ = ZZZ², the choice Z = ZZZ gives
    /// the numerators x·Z² = X·ZZ² and y·Z³ = Y·ZZZ².
    fn of_form([x, y, zz, zzz]: [P::BaseField; 4]) -> Option<Self> {
        if zz.is_zero() {
            return Some(Self::ZERO);
        }
        let is_point = zz.square() * zz == zzz.square();
        is_point.then(|| Self::new_unchecked(x * zz.square(), y * zzz.square(), zzz))
    }
}

impl<P: TECurveConfig> Points for edwards::Projective<P> {
    const FORM: Form = Form::Extended;
    const COEFFICIENTS: [P::BaseField; 2] = [P::COEFF_A, P::COEFF_D];

    fn affine(x: P::BaseField, y: P::BaseField) -> edwards::Affine<P> {
        edwards::Affine::new_unchecked(x, y)
    }

    fn is_on_curve(point: &edwards::Affine<P>) -> bool {
        point.is_on_curve()
    }

    fn is_in_subgroup(point: &edwards::Affine<P>) -> bool {
        point.is_in_correct_subgroup_assuming_on_curve()
    }

    /// The coordinates are arkworks' own. A point at infinity, `z = 0`, is none that arkworks has.
    fn of_form([x, y, z, t]: [P::BaseField; 4]) -> Option<Self> {
        if [x, y, z, t].iter().all(Zero::is_zero) {
            return Some(Self::ZERO);
        }
        let [a, d] = Self::COEFFICIENTS;
        let on_curve = a * x.square() + y.square() == z.square() + d * t.square();
        (!z.is_zero() && x * y == z * t && on_curve).then(|| Self::new_unchecked(x, y, t, z))
    }
}
