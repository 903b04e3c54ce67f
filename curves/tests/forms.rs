//! Maps of twisted Edwards curves to their other forms, against the group law there and RFC 7748.

use super::points;
use ark_ec::twisted_edwards::{Affine, TECurveConfig};
use ark_ec::{AffineRepr, CurveConfig, CurveGroup};
use ark_ff::{Field, MontFp, One, Zero};
use curvesmith_curves::toy::toy_edwards;
use curvesmith_runtime::edwards::{
    FormError, montgomery, of_montgomery, of_weierstrass, to_montgomery, to_weierstrass, weierstrass,
};

/// The chord and tangent law of `y² = x³ + a·x + b`; none is the identity.
fn add<F: Field>(a: F, p: Option<[F; 2]>, q: Option<[F; 2]>) -> Option<[F; 2]> {
    let (Some([x1, y1]), Some([x2, y2])) = (p, q) else { return p.or(q) };
    let slope = match x1 == x2 {
        true if y1 != y2 || y1.is_zero() => return None,
        true => (x1.square().double() + x1.square() + a) / y1.double(),
        false => (y2 - y1) / (x2 - x1),
    };
    let x = slope.square() - x1 - x2;
    Some([x, slope * (x1 - x) - y1])
}

/// Points of the curve, the identity and that of order 2 among them.
fn forms<P: TECurveConfig>(points: &[Affine<P>]) {
    let ([a, b], [alpha, beta]) = (montgomery::<P>(), weierstrass::<P>());
    for p in points {
        let on_montgomery = to_montgomery(p);
        assert_eq!(on_montgomery.is_none(), p.is_zero());
        if let Some([u, v]) = on_montgomery {
            assert_eq!(b * v.square(), u * u.square() + a * u.square() + u);
            assert_eq!(of_montgomery([u, v]), Ok(*p));
            assert_eq!(of_montgomery::<P>([u, v + P::BaseField::one()]), Err(FormError::NotOnCurve));
        }
        let on_weierstrass = to_weierstrass(p);
        if let Some([x, y]) = on_weierstrass {
            assert_eq!(y.square(), x * x.square() + alpha * x + beta);
            assert_eq!(of_weierstrass([x, y]), Ok(*p));
        }
        for q in points.iter().take(20) {
            let sum = (p.into_group() + q).into_affine();
            assert_eq!(to_weierstrass(&sum), add(alpha, on_weierstrass, to_weierstrass(q)), "{p} + {q}");
        }
    }
}

/// Multiples of the generator, and it with the point of order 2.
fn multiples<P: TECurveConfig>() -> Vec<Affine<P>> {
    let zero = Affine::<P>::zero();
    let two = Affine::new_unchecked(zero.x, -zero.y);
    let generator = Affine::<P>::generator().into_group();
    let mut points = vec![zero, two, (generator + two).into_affine()];
    points.extend((1..12u64).map(|i| (generator * P::ScalarField::from(i)).into_affine()));
    points
}

#[test]
fn every_point_of_a_small_curve_has_its_forms() {
    // Ordinates come again after 199.
    let mut all: Vec<_> = points::of::<toy_edwards::G1>().take(100).collect();
    all.extend(multiples::<toy_edwards::G1Config>());
    forms(&all);
}

/// `x² + y² = 1 + 4x²y²`, which has points of order 2 and of order 4 at infinity.
struct Incomplete;

impl CurveConfig for Incomplete {
    type BaseField = toy_edwards::Fq;
    type ScalarField = toy_edwards::Fr;
    const COFACTOR: &'static [u64] = &[4];
    const COFACTOR_INV: toy_edwards::Fr = MontFp!("40");
}

impl TECurveConfig for Incomplete {
    const COEFF_A: toy_edwards::Fq = MontFp!("1");
    const COEFF_D: toy_edwards::Fq = MontFp!("4");
    const GENERATOR: Affine<Self> = Affine::new_unchecked(MontFp!("0"), MontFp!("1"));
    type MontCurveConfig = toy_edwards::G1Config;
}

/// Of all pairs of coordinates: those on no curve, those at infinity on the Edwards curve, and points.
#[test]
fn points_at_infinity_are_told_from_what_is_on_no_curve() {
    let [a, b] = montgomery::<Incomplete>();
    let all: Vec<toy_edwards::Fq> = (0..199u64).map(Into::into).collect();
    let (mut of_order_two, mut of_order_four) = (0, 0);
    for (u, v) in all.iter().flat_map(|u| all.iter().map(move |v| (*u, *v))) {
        let is_on = b * v.square() == u * u.square() + a * u.square() + u;
        match of_montgomery::<Incomplete>([u, v]) {
            Err(FormError::NotOnCurve) => assert!(!is_on),
            Err(FormError::AtInfinity) if v.is_zero() => of_order_two += 1,
            Err(FormError::AtInfinity) => {
                assert_eq!(u, -toy_edwards::Fq::one());
                of_order_four += 1;
            }
            found => {
                let point = found.expect("there is no other error");
                assert!(is_on && point.is_on_curve());
                assert_eq!(to_montgomery(&point), Some([u, v]));
            }
        }
    }
    assert_eq!((of_order_two, of_order_four), (2, 2));
}

#[test]
#[cfg(feature = "jubjub")]
fn jubjub_has_its_forms() {
    forms(&multiples::<curvesmith_curves::jubjub::G1Config>());
}

/// RFC 7748: the base point of edwards25519 has `u = 9` (section 4.1), and the first iteration of section 5.2
/// is the multiple by `2^254 + 8`.
#[test]
#[cfg(feature = "curve25519")]
fn edwards25519_is_curve25519() {
    use ark_ff::PrimeField;
    use curvesmith_curves::curve25519::{Fq, G1Config};
    forms(&multiples::<G1Config>());
    let base = Affine::<G1Config>::generator();
    let u = |p: &Affine<G1Config>| to_montgomery(p).expect("it is not the identity")[0];
    assert_eq!(montgomery::<G1Config>()[0], Fq::from(486_662u64));
    assert_eq!(u(&base), Fq::from(9u64));
    let first = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079";
    let bytes: Vec<u8> =
        (0..32).map(|i| u8::from_str_radix(&first[2 * i..][..2], 16).expect("hexadecimal")).collect();
    let clamped = [8, 0, 0, 1u64 << 62];
    assert_eq!(u(&base.mul_bigint(clamped).into_affine()), Fq::from_le_bytes_mod_order(&bytes));
}
