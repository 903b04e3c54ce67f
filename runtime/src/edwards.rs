//! Points of twisted Edwards curves on their Montgomery and short Weierstrass forms, for data that others
//! have there.
//!
//! The forms of `a·x² + y² = 1 + d·x²·y²` are `B·v² = u³ + A·u² + u` with `A = 2(a + d)/(a - d)` and
//! `B = 4/(a - d)`, by `u = (1 + y)/(1 - y)`, `v = u/x` ([Bernstein, Birkner, Joye, Lange and
//! Peters](https://eprint.iacr.org/2008/013), theorem 3.2), and `Y² = X³ + α·X + β` by `X = (u + A/3)/B`,
//! `Y = v/B`. The maps respect the group law. A Montgomery curve with the same `A` and a `B` that differs by
//! a square `s²` is the same up to a division of `v` by `s`: Curve25519 in RFC 7748 has `B = 1`, and the same
//! `u`.

use ark_ec::twisted_edwards::{Affine, TECurveConfig};
use ark_ff::{AdditiveGroup, Field, One, Zero};

/// Why coordinates are no finite point of a twisted Edwards curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormError {
    /// They do not fulfil the equation.
    #[error("the point is not on the curve")]
    NotOnCurve,
    /// The point has order 2 or 4 and is at infinity on the twisted Edwards curve; no point of odd order is.
    #[error("the point is at infinity on the twisted Edwards curve")]
    AtInfinity,
}

/// `[A, B]` of the Montgomery form `B·v² = u³ + A·u² + u`.
pub fn montgomery<P: TECurveConfig>() -> [P::BaseField; 2] {
    let (a, d) = (P::COEFF_A, P::COEFF_D);
    // A curve is not singular, so that a and d differ.
    let inverse = (a - d).inverse().unwrap_or_default();
    [(a + d).double() * inverse, inverse.double().double()]
}

/// `[α, β]` of the short Weierstrass form `Y² = X³ + α·X + β`. Where the characteristic is not 3.
pub fn weierstrass<P: TECurveConfig>() -> [P::BaseField; 2] {
    let Shift { third, inverse, .. } = Shift::of::<P>();
    let (square, one) = (third.square(), P::BaseField::one());
    let (inverse2, inverse3) = (inverse.square(), inverse.square() * inverse);
    [(one - square * P::BaseField::from(3u64)) * inverse2, third * (square.double() - one) * inverse3]
}

/// `[u, v]` of a point of the curve; none for the identity.
pub fn to_montgomery<P: TECurveConfig>(point: &Affine<P>) -> Option<[P::BaseField; 2]> {
    let one = P::BaseField::one();
    let u = (one + point.y) * (one - point.y).inverse()?;
    // (0, -1) has order 2 and is (0, 0).
    Some([u, u * point.x.inverse().unwrap_or_default()])
}

/// The point with these Montgomery coordinates `[u, v]`.
pub fn of_montgomery<P: TECurveConfig>([u, v]: [P::BaseField; 2]) -> Result<Affine<P>, FormError> {
    let ([a, b], one) = (montgomery::<P>(), P::BaseField::one());
    if b * v.square() != ((u + a) * u + one) * u {
        return Err(FormError::NotOnCurve);
    }
    if u.is_zero() {
        return Ok(Affine::new_unchecked(u, -one));
    }
    let inverses = v.inverse().zip((u + one).inverse());
    let (of_v, of_sum) = inverses.ok_or(FormError::AtInfinity)?;
    Ok(Affine::new_unchecked(u * of_v, (u - one) * of_sum))
}

/// `[X, Y]` of a point of the curve; none for the identity.
pub fn to_weierstrass<P: TECurveConfig>(point: &Affine<P>) -> Option<[P::BaseField; 2]> {
    let Shift { third, inverse, .. } = Shift::of::<P>();
    let [u, v] = to_montgomery(point)?;
    Some([(u + third) * inverse, v * inverse])
}

/// The point with these short Weierstrass coordinates `[X, Y]`.
pub fn of_weierstrass<P: TECurveConfig>([x, y]: [P::BaseField; 2]) -> Result<Affine<P>, FormError> {
    let Shift { third, b, .. } = Shift::of::<P>();
    of_montgomery([x * b - third, y * b])
}

/// What lies between the Montgomery and the Weierstrass form.
struct Shift<F> {
    /// `A/3`
    third: F,
    /// `B`
    b: F,
    /// `1/B`
    inverse: F,
}

impl<F: Field> Shift<F> {
    fn of<P: TECurveConfig<BaseField = F>>() -> Self {
        let [a, b] = montgomery::<P>();
        let third = a * F::from(3u64).inverse().unwrap_or_default();
        // 4/(a - d) is not zero.
        Shift { third, b, inverse: b.inverse().unwrap_or_default() }
    }
}
