//! Sums of points on devices against points computed on integers.

use super::points::{Coordinates, Element, Point, multiple};
use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};
use ark_std::rand::{RngCore, SeedableRng, rngs::StdRng};
use curvesmith::{Device, EmulatorOptions, Group, Msm, MsmOptions};
use num_bigint::BigUint;

pub fn integers<F: Field>(x: &F) -> Element {
    x.to_base_prime_field_elements().map(|c| BigUint::from_bytes_le(&c.into_bigint().to_bytes_le())).collect()
}

pub fn element<F: Field>(x: &[BigUint]) -> F {
    let coordinate = |x: &BigUint| F::BasePrimeField::from_le_bytes_mod_order(&x.to_bytes_le());
    F::from_base_prime_field_elems(x.iter().map(coordinate)).expect("as many as there are")
}

pub fn scalar<F: PrimeField>(x: &BigUint) -> F {
    F::from_le_bytes_mod_order(&x.to_bytes_le())
}

pub fn modulus<F: PrimeField>() -> BigUint {
    BigUint::from_bytes_le(&F::MODULUS.to_bytes_le())
}

pub fn random(below: &BigUint, rng: &mut StdRng) -> BigUint {
    let mut bytes = vec![0; 72];
    rng.fill_bytes(&mut bytes);
    BigUint::from_bytes_le(&bytes) % below
}

pub fn devices() -> [Device; 2] {
    [Device::cpu(), Device::emulator(EmulatorOptions::default()).unwrap()]
}

/// Discrete logarithms and scalars: ends of the range, equal and opposite points.
pub fn cases(r: &BigUint, rng: &mut StdRng) -> (Vec<BigUint>, Vec<BigUint>) {
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

/// Sums of multiples of the generator, on integers and on devices.
pub fn weierstrass<G, C>(coordinates: &Coordinates)
where
    C: SWCurveConfig,
    G: Group<Projective = Projective<C>, Scalar: curvesmith::Field<Ark = C::ScalarField>>,
{
    let sum = |p: &Point, q: &Point| coordinates.weierstrass_sum(&integers(&C::COEFF_A), p, q);
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

/// Sums of two in all pairs of the identity, equal, opposite and unrelated points, by kernels and by the
/// generated types.
pub fn formulas<G, C>(coordinates: &Coordinates)
where
    C: SWCurveConfig,
    G: Group<Projective = Projective<C>, Scalar: curvesmith::Field<Ark = C::ScalarField>>,
{
    let sum = |p: &Point, q: &Point| coordinates.weierstrass_sum(&integers(&C::COEFF_A), p, q);
    let generator: Point = Some((integers(&C::GENERATOR.x), integers(&C::GENERATOR.y)));
    let times = |k: BigUint| multiple(&k, &generator, None, sum);
    let r = modulus::<C::ScalarField>();
    let k = random(&r, &mut StdRng::seed_from_u64(4));
    let points = [BigUint::ZERO, 1u32.into(), &r - 1u32, 2u32.into(), k.clone(), &r - k].map(times);
    for device in devices() {
        for (p, q) in points.iter().flat_map(|p| points.iter().map(move |q| (p, q))) {
            let expected = point::<C>(&sum(p, q));
            let what = || format!("{p:?} + {q:?} in {} on {}", G::NAME, device.name());
            let bases = [point::<C>(p), point(q)];
            let msm = Msm::<G>::new(&device, &bases, MsmOptions::default()).unwrap();
            assert_eq!(msm.run(&[1u64.into(); 2]).unwrap().into_affine(), expected, "{}", what());
            let [left, right] = bases.map(AffineRepr::into_group);
            for found in [left + right, left + bases[1], if p == q { left.double() } else { right + left }] {
                assert_eq!(found.into_affine(), expected, "{}", what());
            }
        }
    }
}

fn point<C: SWCurveConfig>(p: &Point) -> Affine<C> {
    match p {
        Some((x, y)) => Affine::new(element(x), element(y)),
        None => Affine::zero(),
    }
}
