//! Families and a twisted Edwards curve that curvesmith does not carry: pairings and multi-scalar multiplications against points
//! computed on integers.

#[path = "integers/points.rs"]
mod points;

use ark_ec::pairing::Pairing;
use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ec::twisted_edwards::TECurveConfig;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, Field, Fp2Config, PrimeField};
use ark_std::rand::{RngCore, SeedableRng, rngs::StdRng};
use curvesmith::{Device, EmulatorOptions, Group, Msm, MsmOptions};
use num_bigint::BigUint;
use outside::families::{baby_jubjub, bls12_379, bls12_small};
use points::{Coordinates, Element, Point, multiple};

fn integers<F: Field>(x: &F) -> Element {
    x.to_base_prime_field_elements().map(|c| BigUint::from_bytes_le(&c.into_bigint().to_bytes_le())).collect()
}

fn element<F: Field>(x: &[BigUint]) -> F {
    let coordinate = |x: &BigUint| F::BasePrimeField::from_le_bytes_mod_order(&x.to_bytes_le());
    F::from_base_prime_field_elems(x.iter().map(coordinate)).expect("as many as there are")
}

fn scalar<F: PrimeField>(x: &BigUint) -> F {
    F::from_le_bytes_mod_order(&x.to_bytes_le())
}

fn modulus<F: PrimeField>() -> BigUint {
    BigUint::from_bytes_le(&F::MODULUS.to_bytes_le())
}

fn random(below: &BigUint, rng: &mut StdRng) -> BigUint {
    let mut bytes = vec![0; 72];
    rng.fill_bytes(&mut bytes);
    BigUint::from_bytes_le(&bytes) % below
}

fn devices() -> [Device; 2] {
    [Device::cpu(), Device::emulator(EmulatorOptions::default()).unwrap()]
}

/// Discrete logarithms and scalars: ends of the range, equal and opposite points.
fn cases(r: &BigUint, rng: &mut StdRng) -> (Vec<BigUint>, Vec<BigUint>) {
    let logs = (0..14).map(|i| match i {
        0 | 1 => 1u32.into(),
        2 => r - 1u32,
        _ => random(r, rng),
    });
    let logs = logs.collect();
    let scalars = (0..14).map(|i| match i {
        0 | 5 => r - 1u32,
        3 => BigUint::ZERO,
        4 => 1u32.into(),
        _ => random(r, rng),
    });
    (logs, scalars.collect())
}

/// Multiples of the generator and their sums, on integers and on devices.
fn weierstrass<G, C>(coordinates: &Coordinates)
where
    C: SWCurveConfig,
    G: Group<Projective = Projective<C>, Scalar: curvesmith::Field<Ark = C::ScalarField>>,
{
    let point = |p: &Point| match p {
        Some((x, y)) => Affine::<C>::new(element(x), element(y)),
        None => Affine::zero(),
    };
    let sum = |p: &Point, q: &Point| coordinates.weierstrass_sum(p, q);
    let generator: Point = Some((integers(&C::GENERATOR.x), integers(&C::GENERATOR.y)));
    let r = modulus::<C::ScalarField>();
    assert_eq!(multiple(&r, &generator, None, sum), None, "the generator has order r");
    let (logs, scalars) = cases(&r, &mut StdRng::seed_from_u64(1));
    let bases: Vec<Point> = logs.iter().map(|k| multiple(k, &generator, None, sum)).collect();
    let terms = bases.iter().zip(&scalars).map(|(base, k)| multiple(k, base, None, sum));
    let expected = terms.fold(None, |all, term| sum(&all, &term));
    let bases: Vec<Affine<C>> = bases.iter().map(point).collect();
    let scalars: Vec<C::ScalarField> = scalars.iter().map(scalar).collect();
    for device in devices() {
        let msm = Msm::<G>::new(&device, &bases, MsmOptions::default()).unwrap();
        assert_eq!(
            msm.run(&scalars).unwrap().into_affine(),
            point(&expected),
            "{} on {}",
            G::NAME,
            device.name()
        );
    }
}

/// Bilinearity, with the multiples of both generators computed on integers.
fn pairing<E, C1, C2>(first: &Coordinates, second: &Coordinates)
where
    C1: SWCurveConfig,
    C2: SWCurveConfig<ScalarField = C1::ScalarField>,
    E: Pairing<G1Affine = Affine<C1>, G2Affine = Affine<C2>>,
{
    let mut rng = StdRng::seed_from_u64(2);
    let r = modulus::<C1::ScalarField>();
    let base = E::pairing(C1::GENERATOR, C2::GENERATOR).0;
    assert!(base.pow(r.to_u64_digits()) == Field::ONE && base != Field::ONE);
    let times1 = |k: &BigUint| {
        let generator = Some((integers(&C1::GENERATOR.x), integers(&C1::GENERATOR.y)));
        multiple(k, &generator, None, |p, q| first.weierstrass_sum(p, q)).expect("k is below r and not zero")
    };
    let times2 = |k: &BigUint| {
        let generator = Some((integers(&C2::GENERATOR.x), integers(&C2::GENERATOR.y)));
        multiple(k, &generator, None, |p, q| second.weierstrass_sum(p, q)).expect("k is below r and not zero")
    };
    let ends = (&r - 1u32, &r - 2u32);
    let drawn =
        (0..3).map(|_| (random(&(&r - 1u32), &mut rng) + 1u32, random(&(&r - 1u32), &mut rng) + 1u32));
    for (a, b) in drawn.chain([ends]) {
        let ((px, py), (qx, qy)) = (times1(&a), times2(&b));
        let p = Affine::<C1>::new(element(&px), element(&py));
        let q = Affine::<C2>::new(element(&qx), element(&qy));
        let expected = base.pow((&a * &b % &r).to_u64_digits());
        assert!(E::pairing(p, q).0 == expected, "{a}, {b}");
    }
}

/// The seed's polynomials, and the field of the first curve's coordinates with that of the second's.
fn bls12<Q: PrimeField, R: PrimeField>(x: i128, nonresidue: Element) -> [Coordinates; 2] {
    let x = num_bigint::BigInt::from(x);
    let r = x.pow(4) - x.pow(2) + 1i32;
    let p = (&x - 1i32).pow(2) * &r / 3i32 + &x;
    assert_eq!((modulus::<Q>(), modulus::<R>()), (p.to_biguint().unwrap(), r.to_biguint().unwrap()));
    let [nonresidue] = <[BigUint; 1]>::try_from(nonresidue).expect("it is in the prime field");
    let p = modulus::<Q>();
    [Coordinates { p: p.clone(), nonresidue: BigUint::ZERO }, Coordinates { p, nonresidue }]
}

#[test]
fn a_curve_of_379_bits() {
    use bls12_379::{Engine, Fq, Fq2Config, Fr, G1, G1Config, G2, G2Config};
    let [first, second] = bls12::<Fq, Fr>(0x9b04000000000001, integers(&Fq2Config::NONRESIDUE));
    weierstrass::<G1, G1Config>(&first);
    weierstrass::<G2, G2Config>(&second);
    pairing::<Engine, G1Config, G2Config>(&first, &second);
}

#[test]
fn a_seed_that_does_not_fill_a_word() {
    use bls12_small::{Engine, Fq, Fq2Config, Fr, G1, G1Config, G2, G2Config};
    let [first, second] = bls12::<Fq, Fr>(-0x10006d, integers(&Fq2Config::NONRESIDUE));
    weierstrass::<G1, G1Config>(&first);
    weierstrass::<G2, G2Config>(&second);
    pairing::<Engine, G1Config, G2Config>(&first, &second);
}

#[test]
fn baby_jubjub_sums() {
    use baby_jubjub::{Fq, Fr, G1, G1Affine, G1Config};
    let coordinates = Coordinates { p: modulus::<Fq>(), nonresidue: BigUint::ZERO };
    let (a, d) = (integers(&G1Config::COEFF_A), integers(&G1Config::COEFF_D));
    assert_eq!((&a, &d), (&vec![168700u32.into()], &vec![168696u32.into()]));
    type Affine = (Element, Element);
    let sum = |p: &Affine, q: &Affine| coordinates.edwards_sum([&a, &d], p, q);
    let identity: Affine = (vec![BigUint::ZERO], vec![1u32.into()]);
    let generator = (integers(&G1Config::GENERATOR.x), integers(&G1Config::GENERATOR.y));
    let r = modulus::<Fr>();
    assert_eq!(multiple(&r, &generator, identity.clone(), sum), identity);
    let (logs, scalars) = cases(&r, &mut StdRng::seed_from_u64(3));
    let bases: Vec<Affine> = logs.iter().map(|k| multiple(k, &generator, identity.clone(), sum)).collect();
    let terms = bases.iter().zip(&scalars).map(|(base, k)| multiple(k, base, identity.clone(), sum));
    let expected = terms.fold(identity.clone(), |all, term| sum(&all, &term));
    let point = |(x, y): &Affine| G1Affine::new(element(x), element(y));
    let bases: Vec<G1Affine> = bases.iter().map(point).collect();
    let scalars: Vec<Fr> = scalars.iter().map(scalar).collect();
    for device in devices() {
        let msm = Msm::<G1>::new(&device, &bases, MsmOptions::default()).unwrap();
        assert_eq!(msm.run(&scalars).unwrap().into_affine(), point(&expected), "on {}", device.name());
    }
}
