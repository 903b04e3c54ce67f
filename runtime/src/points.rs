//! arkworks' points, by the form of their curve.

use ark_ec::CurveGroup;
use ark_ec::short_weierstrass::{self as weierstrass, SWCurveConfig};
use ark_ec::twisted_edwards::{self as edwards, TECurveConfig};
use ark_ff::{AdditiveGroup, Field, Zero, serial_batch_inversion_and_mul};
use curvesmith_abi::Form;

/// arkworks' projective points of a curve in a form that kernels know: of short Weierstrass or twisted
/// Edwards form. What arkworks defines on each of both types, and not in a trait, is here. Sealed.
pub trait Points: CurveGroup + sealed::Sealed {
    /// How kernels represent points.
    const FORM: Form;
    /// Coefficients of the equation: `a` and `b` of `y² = x³ + ax + b`, or `a` and `d` of
    /// `ax² + y² = 1 + dx²y²`.
    const COEFFICIENTS: [Self::BaseField; 2];

    /// Points as those of the curve's short Weierstrass form; anything for the identity. One inversion for
    /// all.
    fn to_weierstrass(points: &mut [[Self::BaseField; 2]]);

    /// The way back; anything for what is at infinity on the curve.
    fn from_weierstrass(points: &mut [[Self::BaseField; 2]]);

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

    fn to_weierstrass(_: &mut [[P::BaseField; 2]]) {}

    fn from_weierstrass(_: &mut [[P::BaseField; 2]]) {}

    fn affine(x: P::BaseField, y: P::BaseField) -> weierstrass::Affine<P> {
        weierstrass::Affine::new_unchecked(x, y)
    }

    fn is_on_curve(point: &weierstrass::Affine<P>) -> bool {
        point.is_on_curve()
    }

    fn is_in_subgroup(point: &weierstrass::Affine<P>) -> bool {
        point.is_in_correct_subgroup_assuming_on_curve()
    }

    /// Jacobian coordinates, without an inversion: with x = X/ZZ, y = Y/ZZZ and ZZ³ = ZZZ², the choice Z =
    /// ZZZ gives the numerators x·Z² = X·ZZ² and y·Z³ = Y·ZZZ².
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

    /// `(0, -1)` has order two: no quotient is defined there, and zeros for them give its image.
    fn to_weierstrass(points: &mut [[P::BaseField; 2]]) {
        let Montgomery { shift, inverse, .. } = Montgomery::of(Self::COEFFICIENTS);
        let one = P::BaseField::ONE;
        let mut inverses: Vec<P::BaseField> = points.iter().map(|[x, y]| *x * (one - y)).collect();
        serial_batch_inversion_and_mul(&mut inverses, &one);
        for ([x, y], of_both) in points.iter_mut().zip(inverses) {
            let v = (one + *y) * of_both;
            let u = v * *x;
            [*x, *y] = [(u + shift) * inverse, v * inverse];
        }
    }

    fn from_weierstrass(points: &mut [[P::BaseField; 2]]) {
        let Montgomery { shift, b, .. } = Montgomery::of(Self::COEFFICIENTS);
        let one = P::BaseField::ONE;
        points.iter_mut().for_each(|[x, y]| [*x, *y] = [*x * b - shift, *y * b]);
        let mut inverses: Vec<P::BaseField> = points.iter().map(|[u, v]| *v * (one + u)).collect();
        serial_batch_inversion_and_mul(&mut inverses, &one);
        for ([u, v], of_both) in points.iter_mut().zip(inverses) {
            let is_of_order_two = u.is_zero() && v.is_zero();
            let [x, y] = [*u * (one + *u) * of_both, (*u - one) * *v * of_both];
            [*u, *v] = [x, if is_of_order_two { -one } else { y }];
        }
    }

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

/// A twisted Edwards curve as `b·v² = u³ + A·u² + u`, with `u = (1 + y)/(1 - y)` and `v = u/x`, and that one
/// as a short Weierstrass curve, with `(u + A/3)/b` and `v/b`; the map of `declaration::edwards` in the
/// compiler.
struct Montgomery<F> {
    /// `A/3`
    shift: F,
    b: F,
    /// `1/b`
    inverse: F,
}

impl<F: Field> Montgomery<F> {
    /// `A = 2(a + d)/(a - d)`, `b = 4/(a - d)`.
    fn of([a, d]: [F; 2]) -> Self {
        let (sum, difference) = (a + d, a - d);
        let third =
            (difference.double() + difference).inverse().expect("`a` and `d` differ, and 3 is a unit");
        let fourth = F::from(4u32).inverse().expect("the characteristic is odd");
        let b = (third.double() + third).double().double();
        Montgomery { shift: (sum * third).double(), b, inverse: difference * fourth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ed_on_bls12_381::{EdwardsAffine, EdwardsProjective, Fq, SWAffine};
    use ark_ff::{One as _, UniformRand as _};
    use ark_std::rand::{SeedableRng as _, rngs::StdRng};

    /// arkworks declares Jubjub in both forms.
    #[test]
    fn the_weierstrass_form_of_an_edwards_curve_is_the_same_group() {
        let rng = &mut StdRng::seed_from_u64(1);
        // Points of the whole curve; the first is of order two.
        let two = EdwardsAffine::new_unchecked(Fq::ZERO, -Fq::one());
        let any = std::iter::repeat_with(|| EdwardsAffine::get_point_from_y_unchecked(Fq::rand(rng), true));
        let points: Vec<EdwardsAffine> = std::iter::once(two).chain(any.flatten().take(20)).collect();
        let images = |points: &[EdwardsAffine]| {
            let mut images: Vec<[Fq; 2]> = points.iter().map(|point| [point.x, point.y]).collect();
            EdwardsProjective::to_weierstrass(&mut images);
            images
        };
        let all = images(&points);
        let image = |[x, y]: [Fq; 2]| SWAffine::new_unchecked(x, y);
        for (point, of_point) in points.iter().zip(&all) {
            assert!(image(*of_point).is_on_curve(), "{point}");
            let sum = (*point + points[1]).into_affine();
            assert_eq!(image(*of_point) + image(all[1]), image(images(&[sum])[0]), "{point}");
        }
        let mut back = all;
        EdwardsProjective::from_weierstrass(&mut back);
        assert!(points.iter().map(|point| [point.x, point.y]).eq(back));
    }
}
