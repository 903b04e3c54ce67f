//! The types that the macros generate or bind, against arkworks' arithmetic.

use super::points;
use ark_ec::short_weierstrass::SWCurveConfig as _;
use ark_ec::twisted_edwards::TECurveConfig as _;
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{AdditiveGroup, FftField, Field as ArkField, MontConfig, One, PrimeField, UniformRand, Zero};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_abi::Form;
use curvesmith_curves::toy;
use curvesmith_runtime::field::{Field, MontLimbs};
use curvesmith_runtime::group::{
    AffineOf, CoordinateOf, Group, PairingCurve, Points as _, ProjectiveOf, ScalarOf,
};
use num_bigint::BigUint;

/// Every element against integers modulo a small prime.
fn exhaustive<F: Field>(p: u64) {
    let all: Vec<F::Ark> = (0..p).map(F::Ark::from).collect();
    let value = |x: F::Ark| x.into_bigint().as_ref()[0];
    for a in 0..p {
        let x = all[a as usize];
        assert_eq!(value(x), a);
        for b in [0, 1, 2, a, p / 2, p - 2, p - 1] {
            let y = all[b as usize];
            assert_eq!(value(x + y), (a + b) % p);
            assert_eq!(value(x - y), (p + a - b) % p);
            assert_eq!(value(x * y), a * b % p);
        }
        assert_eq!(value(x.square()), a * a % p);
        assert_eq!(x.sqrt().is_some(), (0..p).any(|r| r * r % p == a), "{a} mod {p}");
        if a != 0 {
            assert!((x * x.inverse().expect("a is not zero")).is_one());
        }
    }
    all.iter().for_each(|x| montgomery_form::<F>(*x));
}

/// arkworks keeps what copies to the device rely on: `x·2^(64·LIMBS) mod p`, lowest limb first.
fn montgomery_form<F: Field>(x: F::Ark) {
    let limbs = <F::Ark as MontLimbs>::LIMBS;
    let r = F::Ark::from(2u64).pow([64 * limbs as u64]);
    assert_eq!(x.mont_limbs(), (x * r).into_bigint().as_ref());
    assert_eq!(F::Ark::from_mont_limbs(x.mont_limbs()), Some(x));
    assert_eq!(F::Ark::from_mont_limbs(F::Ark::MODULUS.as_ref()), None);
    assert_eq!(F::Ark::from_mont_limbs(&x.mont_limbs()[1..]), None);
    assert_eq!(std::mem::size_of::<F::Ark>(), 8 * limbs);
    assert_eq!(F::SAME_FORM, F::WORDS.is_multiple_of(2));
}

fn roots<F: Field>() {
    let adicity = F::Ark::TWO_ADICITY;
    let root = F::Ark::TWO_ADIC_ROOT_OF_UNITY;
    [F::Ark::zero(), F::Ark::one(), -F::Ark::one(), root].into_iter().for_each(montgomery_form::<F>);
    assert_eq!(root.pow([1u64 << (adicity - 1)]), -F::Ark::one());
    assert!(F::Ark::GENERATOR.legendre().is_qnr());
    assert_eq!(F::Ark::GENERATOR.pow(F::Ark::TRACE), root);
}

fn group<G: Group>() {
    let generator = AffineOf::<G>::generator();
    assert!(ProjectiveOf::<G>::is_on_curve(&generator));
    assert!(ProjectiveOf::<G>::is_in_subgroup(&generator));
    assert!(generator.mul_bigint(<G::Scalar as Field>::Ark::MODULUS).is_zero());
    assert!(!generator.is_zero());
    let cofactor = generator.mul_by_cofactor();
    assert_eq!(cofactor.mul_by_cofactor_inv(), generator);
    assert_eq!(CoordinateOf::<G>::extension_degree() as usize, G::DEGREE);
    // A point outside the subgroup, if the cofactor leaves room, is cleared into it.
    let point = points::of::<G>().next().expect("half of all coordinates have points");
    assert!(ProjectiveOf::<G>::is_on_curve(&point));
    assert!(ProjectiveOf::<G>::is_in_subgroup(&point.clear_cofactor()));
}

/// arkworks' hook of a curve's configuration.
type Hook<G> = fn(&[AffineOf<G>], &[ScalarOf<G>]) -> Result<ProjectiveOf<G>, usize>;

/// `msm` of a generated curve is its declaration's: as arkworks', with its contract of lengths, as sums for
/// points of the group, and up to multiples of `r` for others.
fn msm_of_a_generated_curve<G: Group>(hook: Hook<G>) {
    let mut rng = StdRng::seed_from_u64(11);
    let (g, zero, one) = (AffineOf::<G>::generator(), AffineOf::<G>::zero(), ScalarOf::<G>::one());
    let random = (0..4).map(|_| ScalarOf::<G>::rand(&mut rng));
    let scalars: Vec<ScalarOf<G>> = [-one, ScalarOf::<G>::zero(), one].into_iter().chain(random).collect();
    let points: Vec<AffineOf<G>> =
        scalars.iter().skip(2).map(|s| (g * s).into_affine()).chain([zero, g]).collect();
    let naive = |points: &[AffineOf<G>]| -> ProjectiveOf<G> {
        points.iter().zip(&scalars).map(|(p, s)| *p * s).sum()
    };
    assert_eq!(hook(&points, &scalars), Ok(naive(&points)));
    // What users call goes there.
    assert_eq!(<ProjectiveOf<G> as VariableBaseMSM>::msm(&points, &scalars), Ok(naive(&points)));
    assert_eq!(hook(&[], &[]), Ok(ProjectiveOf::<G>::zero()));
    for (bases, taken) in [(7, 6), (6, 7), (0, 3), (3, 0)] {
        let lengths = <ProjectiveOf<G> as VariableBaseMSM>::msm(&points[..bases], &scalars[..taken]);
        assert_eq!(lengths, Err(bases.min(taken)));
    }
    let outside: Vec<AffineOf<G>> = points::of::<G>().take(7).collect();
    let found = hook(&outside, &scalars).expect("lengths are equal").into_affine();
    assert_eq!(found.mul_by_cofactor(), naive(&outside).into_affine().mul_by_cofactor());
    // By which it is known to be the CPU's: what is shorter as `s - r` is that.
    let r = ScalarOf::<G>::MODULUS;
    let point =
        points::of::<G>().find(|point| !point.mul_bigint(r).is_zero()).expect("the cofactor is not 1");
    assert_eq!(hook(&[point], &[-ScalarOf::<G>::from(3u64)]), Ok(-point.mul_bigint([3u64])));
}

#[test]
fn generated_curves_have_an_msm_of_their_own() {
    msm_of_a_generated_curve::<toy::toy_curve::G1>(toy::toy_curve::G1Config::msm);
    msm_of_a_generated_curve::<toy::toy_curve::G2>(toy::toy_curve::G2Config::msm);
    msm_of_a_generated_curve::<toy::toy_tower::G2>(toy::toy_tower::G2Config::msm);
    msm_of_a_generated_curve::<toy::toy_edwards::G1>(toy::toy_edwards::G1Config::msm);
}

/// The constants that expansions compute against arkworks' own derivation.
fn montgomery<C: MontConfig<N>, const N: usize>() {
    assert_eq!(C::R, C::MODULUS.montgomery_r());
    assert_eq!(C::R2, C::MODULUS.montgomery_r2());
    assert_eq!(C::INV, ark_ff::fields::inv::<C, N>());
}

#[test]
fn toy_fields() {
    montgomery::<toy::toy17::FpConfig, 1>();
    montgomery::<toy::toy433::FpConfig, 1>();
    montgomery::<toy::toy7681::FpConfig, 1>();
    montgomery::<toy::babybear::FpConfig, 1>();
    montgomery::<toy::toy_curve::FqConfig, 1>();
    exhaustive::<toy::toy17::FpField>(17);
    exhaustive::<toy::toy433::FpField>(433);
    exhaustive::<toy::toy7681::FpField>(7681);
    exhaustive::<toy::toy_curve::FqField>(199);
    exhaustive::<toy::toy_curve::FrField>(97);
    roots::<toy::toy17::FpField>();
    roots::<toy::toy433::FpField>();
    roots::<toy::toy7681::FpField>();
    roots::<toy::babybear::FpField>();
    roots::<toy::toy_curve::FqField>();
    roots::<toy::toy_curve::FrField>();
}

#[test]
fn toy_curve() {
    group::<toy::toy_curve::G1>();
    group::<toy::toy_curve::G2>();
    let generator = toy::toy_curve::G2Affine::generator();
    let multiples: std::collections::HashSet<_> =
        (0..97u64).map(|k| (generator * toy::toy_curve::Fr::from(k)).into_affine()).collect();
    assert_eq!(multiples.len(), 97);
}

/// What arkworks does with an element by its coordinates and Frobenius' constants, against powers.
fn extension<F: ArkField>() {
    let mut rng = StdRng::seed_from_u64(F::extension_degree());
    let p = F::BasePrimeField::MODULUS;
    let digits = p.as_ref().iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]);
    let p = BigUint::new(digits.collect());
    let size = p.pow(F::extension_degree() as u32);
    for _ in 0..8 {
        let x = F::rand(&mut rng);
        assert_eq!(x.pow((&size - 1u32).to_u64_digits()).is_one(), !x.is_zero());
        assert!(x.is_zero() || (x * x.inverse().expect("x is not zero")).is_one());
        assert_eq!(x.square(), x * x);
        for power in 0..=F::extension_degree() as usize {
            assert_eq!(x.frobenius_map(power), x.pow(p.pow(power as u32).to_u64_digits()), "{power}");
        }
        assert!(!x.square().legendre().is_qnr());
        assert_eq!(x.square().sqrt().map(|root| root.square()), Some(x.square()));
        assert_eq!(x.sqrt().is_none(), x.pow((&size / 2u32).to_u64_digits()) == -F::one());
        let coordinates: Vec<F::BasePrimeField> = x.to_base_prime_field_elements().collect();
        assert_eq!(coordinates.len() as u64, F::extension_degree());
        assert_eq!(F::from_base_prime_field_elems(coordinates), Some(x));
    }
}

#[test]
fn toy_tower() {
    use toy::toy_tower::{Fq2, Fq3, Fq4, Fq6, Fq12, G1, G2};
    group::<G1>();
    group::<G2>();
    assert_eq!((G1::DEGREE, G2::DEGREE), (3, 4));
    extension::<Fq2>();
    extension::<Fq3>();
    extension::<Fq4>();
    extension::<Fq6>();
    extension::<Fq12>();
}

/// An element's coordinates are in the order of the declaration.
#[test]
fn coordinates_of_towers() {
    use toy::toy_tower::{Fq, Fq2, Fq4, Fq6, Fq12};
    let w = Fq12::new(Fq6::ZERO, Fq6::ONE);
    let nonresidue: Vec<Fq> = (w * w).to_base_prime_field_elements().collect();
    assert_eq!(nonresidue, [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0].map(Fq::from));
    let v = Fq6::new(Fq2::ZERO, Fq2::ONE, Fq2::ZERO);
    let nonresidue: Vec<Fq> = (v * v * v).to_base_prime_field_elements().collect();
    assert_eq!(nonresidue, [0, 1, 0, 0, 0, 0].map(Fq::from));
    let w = Fq4::new(Fq2::ZERO, Fq2::ONE);
    assert_eq!(w * w, Fq4::new(Fq2::new(Fq::from(2), Fq::ONE), Fq2::ZERO));
}

#[test]
fn names() {
    assert_eq!(toy::babybear::FpField::NAME, "babybear");
    assert_eq!(toy::toy_curve::FqField::NAME, "toy_curve_fq");
    assert_eq!(toy::toy_curve::G2::NAME, "toy_curve_g2");
    assert_eq!(toy::babybear::FpField::WORDS, 1);
}

fn pairing<C: PairingCurve>() {
    roots::<C::Fq>();
    roots::<C::Fr>();
    group::<C::G1>();
    group::<C::G2>();
}

#[test]
#[cfg(feature = "bn254")]
fn bn254() {
    pairing::<curvesmith_curves::bn254::Curve>();
    assert_eq!(curvesmith_curves::bn254::Curve::NAME, "bn254");
}

#[test]
#[cfg(feature = "bls12-381")]
fn bls12_381() {
    pairing::<curvesmith_curves::bls12_381::Curve>();
    assert_eq!(curvesmith_curves::bls12_381::FqField::WORDS, 12);
}

#[test]
#[cfg(feature = "bls12-377")]
fn bls12_377() {
    use curvesmith_curves::bls12_377::{Curve, FqField, FrField};
    pairing::<Curve>();
    assert_eq!((FqField::WORDS, FrField::WORDS), (12, 8));
}

#[test]
#[cfg(feature = "bw6-761")]
fn bw6_761() {
    use curvesmith_curves::bw6_761::{Curve, FqField, FrField, G2};
    pairing::<Curve>();
    assert_eq!(FqField::NAME, "bw6_761_fq");
    assert_eq!((FqField::WORDS, FrField::WORDS, G2::DEGREE), (24, 12, 1));
}

#[test]
#[cfg(feature = "bls24-315")]
fn bls24_315() {
    use curvesmith_curves::bls24_315::{Fq2, Fq4, FqField, FrField, G1, G2};
    roots::<FqField>();
    roots::<FrField>();
    group::<G1>();
    group::<G2>();
    extension::<Fq2>();
    extension::<Fq4>();
    assert_eq!((FqField::WORDS, FrField::WORDS, G2::DEGREE), (10, 8, 4));
}

#[test]
#[cfg(feature = "bn462")]
fn bn462() {
    use curvesmith_curves::bn462::{Fq2, FqField, FrField, G1, G2};
    roots::<FqField>();
    roots::<FrField>();
    group::<G1>();
    group::<G2>();
    extension::<Fq2>();
    assert_eq!((FqField::WORDS, FrField::WORDS, G2::DEGREE), (15, 15, 2));
}

#[test]
#[cfg(feature = "mnt4-753")]
fn mnt4_753() {
    use curvesmith_curves::mnt4_753::{Curve, Fq2, FqField, FrField, G2};
    pairing::<Curve>();
    extension::<Fq2>();
    assert_eq!((FqField::WORDS, FrField::WORDS, G2::DEGREE), (24, 24, 2));
}

#[test]
#[cfg(feature = "mnt6-753")]
fn mnt6_753() {
    use curvesmith_curves::mnt6_753::{Curve, Fq3, FqField, FrField, G2};
    pairing::<Curve>();
    extension::<Fq3>();
    assert_eq!((FqField::WORDS, FrField::WORDS, G2::DEGREE), (24, 24, 3));
}

#[test]
#[cfg(feature = "mnt6-298")]
fn mnt6_298() {
    use curvesmith_curves::mnt6_298::{Curve, Fq3, FqField, FrField, G2};
    pairing::<Curve>();
    extension::<Fq3>();
    assert_eq!((FqField::WORDS, FrField::WORDS, G2::DEGREE), (10, 10, 3));
}

#[test]
#[cfg(feature = "mnt4-298")]
fn mnt4_298() {
    use curvesmith_curves::mnt4_298::{Curve, FqField, FrField};
    pairing::<Curve>();
    assert_eq!((FqField::WORDS, FrField::WORDS), (10, 10));
}

/// Curves without a pairing.
#[test]
#[cfg(all(
    feature = "grumpkin",
    feature = "pallas",
    feature = "secp256k1",
    feature = "secp256r1",
    feature = "vesta"
))]
fn one_group() {
    fn alone<G: Group>() {
        roots::<G::Base>();
        roots::<G::Scalar>();
        group::<G>();
    }
    use curvesmith_curves::{grumpkin, pallas, secp256k1, secp256r1, vesta};
    alone::<grumpkin::G1>();
    alone::<pallas::G1>();
    alone::<secp256k1::G1>();
    alone::<secp256r1::G1>();
    alone::<vesta::G1>();
}

/// Twisted Edwards curves.
#[test]
#[cfg(all(feature = "bandersnatch", feature = "curve25519", feature = "jubjub"))]
fn edwards() {
    use curvesmith_curves::{bandersnatch, curve25519, jubjub};
    fn alone<G: Group>() {
        roots::<G::Base>();
        roots::<G::Scalar>();
        group::<G>();
        assert_eq!(ProjectiveOf::<G>::FORM, Form::Extended);
    }
    alone::<bandersnatch::G1>();
    alone::<curve25519::G1>();
    alone::<jubjub::G1>();
}

/// The generated configuration; its Montgomery form has the image of the generator.
#[test]
fn toy_edwards() {
    use ark_ec::twisted_edwards::{MontCurveConfig, TECurveConfig};
    fn montgomery<C: TECurveConfig>() {
        type Mont<C> = <C as TECurveConfig>::MontCurveConfig;
        let (a, b) = (<Mont<C> as MontCurveConfig>::COEFF_A, <Mont<C> as MontCurveConfig>::COEFF_B);
        let one = C::BaseField::one();
        let (x, y) = (C::GENERATOR.x, C::GENERATOR.y);
        let u = (one + y) * (one - y).inverse().expect("y is not 1");
        let v = u * x.inverse().expect("x is not 0");
        assert_eq!(b * v.square(), ((u + a) * u + one) * u);
        assert_eq!(a - one.double(), (C::COEFF_D * b));
    }
    group::<toy::toy_edwards::G1>();
    group::<toy::toy_edwards::G2>();
    montgomery::<toy::toy_edwards::G1Config>();
    montgomery::<toy::toy_edwards::G2Config>();
    roots::<toy::toy_edwards::FrField>();
    let generator = toy::toy_edwards::G2Affine::generator();
    let multiples: std::collections::HashSet<_> =
        (0..53u64).map(|k| (generator * toy::toy_edwards::Fr::from(k)).into_affine()).collect();
    assert_eq!(multiples.len(), 53);
}

/// Its types are generated: the constants are those of arkworks' crate, which no const assertion compares.
#[test]
#[cfg(feature = "secp256r1")]
fn secp256r1_is_arkworks() {
    use curvesmith_curves::secp256r1;
    let modulus = |x: &dyn std::fmt::Display| x.to_string();
    assert_eq!(modulus(&secp256r1::Fq::MODULUS), modulus(&ark_secp256r1::Fq::MODULUS));
    assert_eq!(modulus(&secp256r1::Fr::MODULUS), modulus(&ark_secp256r1::Fr::MODULUS));
    let ours = <secp256r1::G1Projective>::COEFFICIENTS.map(PrimeField::into_bigint);
    let theirs = <ark_secp256r1::Projective>::COEFFICIENTS.map(PrimeField::into_bigint);
    assert_eq!(ours, theirs);
    let (ours, theirs) = (secp256r1::G1Affine::generator(), ark_secp256r1::Affine::generator());
    assert_eq!(ours.x.into_bigint(), theirs.x.into_bigint());
    assert_eq!(ours.y.into_bigint(), theirs.y.into_bigint());
}

/// arkworks' templates for groups whose types are generated from explicit declarations, which take minutes to
/// run.
#[cfg(feature = "long-tests")]
mod templates {
    #[cfg(feature = "bls24-315")]
    ark_algebra_test_templates::test_group!(bls24_315_g1; curvesmith_curves::bls24_315::G1Projective; sw);
    #[cfg(feature = "bn462")]
    ark_algebra_test_templates::test_group!(bn462_g1; curvesmith_curves::bn462::G1Projective; sw);
    #[cfg(feature = "bn462")]
    ark_algebra_test_templates::test_group!(bn462_g2; curvesmith_curves::bn462::G2Projective; sw);
    #[cfg(feature = "secp256r1")]
    ark_algebra_test_templates::test_group!(secp256r1; curvesmith_curves::secp256r1::G1Projective; sw);
}
