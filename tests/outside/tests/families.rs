//! Families and a twisted Edwards curve that curvesmith does not carry: pairings and multi-scalar
//! multiplications against points computed on integers.

#[path = "integers/points.rs"]
mod points;
#[path = "integers/sums.rs"]
mod sums;

use ark_ec::CurveGroup;
use ark_ec::pairing::Pairing;
use ark_ec::short_weierstrass::{Affine, SWCurveConfig};
use ark_ec::twisted_edwards::TECurveConfig;
use ark_ff::{Field, Fp2Config, PrimeField};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{Msm, MsmOptions};
use num_bigint::BigUint;
use outside::families::{baby_jubjub, bls12_379, bls12_small};
use points::{Coordinates, Element, multiple};
use sums::{cases, devices, element, formulas, integers, modulus, random, scalar, weierstrass};

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
        multiple(k, &generator, None, |p, q| first.weierstrass_sum(&integers(&C1::COEFF_A), p, q))
            .expect("k is below r and not zero")
    };
    let times2 = |k: &BigUint| {
        let generator = Some((integers(&C2::GENERATOR.x), integers(&C2::GENERATOR.y)));
        multiple(k, &generator, None, |p, q| second.weierstrass_sum(&integers(&C2::COEFF_A), p, q))
            .expect("k is below r and not zero")
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
    formulas::<G1, G1Config>(&first);
    formulas::<G2, G2Config>(&second);
    pairing::<Engine, G1Config, G2Config>(&first, &second);
}

/// The sum on `a·x² + y² = 1 + d·x²·y²`.
fn edwards_sum(
    field: &Coordinates,
    [a, d]: [&Element; 2],
    ((x1, y1), (x2, y2)): (&(Element, Element), &(Element, Element)),
) -> (Element, Element) {
    let one: Element = vec![1u32.into()];
    let (xx, yy) = (field.mul(x1, x2), field.mul(y1, y2));
    let product = field.mul(d, &field.mul(&xx, &yy));
    let x = field.add(&field.mul(x1, y2), &field.mul(y1, x2));
    let y = field.sub(&yy, &field.mul(a, &xx));
    (
        field.mul(&x, &field.inverse(&field.add(&one, &product))),
        field.mul(&y, &field.inverse(&field.sub(&one, &product))),
    )
}

#[test]
fn baby_jubjub_sums() {
    use baby_jubjub::{Fq, Fr, G1, G1Affine, G1Config};
    let coordinates = Coordinates { p: modulus::<Fq>(), nonresidue: BigUint::ZERO };
    let (a, d) = (integers(&G1Config::COEFF_A), integers(&G1Config::COEFF_D));
    assert_eq!((&a, &d), (&vec![168700u32.into()], &vec![168696u32.into()]));
    type Affine = (Element, Element);
    let sum = |p: &Affine, q: &Affine| edwards_sum(&coordinates, [&a, &d], (p, q));
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
