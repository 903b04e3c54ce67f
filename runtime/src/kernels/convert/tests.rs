//! Conversions against arkworks, with markers written by hand.

use super::*;
use crate::field::ElementOf;
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{Fp64, MontBackend, MontConfig, UniformRand};
use ark_std::rand::{SeedableRng, rngs::StdRng};

macro_rules! field {
    ($name:ident, $ark:ty, $words:literal) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;
        impl Field for $name {
            type Ark = $ark;
            const NAME: &'static str = stringify!($name);
            const WORDS: usize = $words;
            fn images() -> &'static [u8] {
                &[]
            }
        }
        impl ElementOf<$name> for $ark {}
    };
}

macro_rules! group {
    ($name:ident, $points:ty, $base:ident, $scalar:ident, $degree:literal) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;
        impl Group for $name {
            type Projective = $points;
            type Base = $base;
            type Scalar = $scalar;
            const NAME: &'static str = stringify!($name);
            const DEGREE: usize = $degree;
            fn images() -> &'static [u8] {
                &[]
            }
        }
    };
}

field!(Fq, ark_bn254::Fq, 8);
field!(Fr, ark_bn254::Fr, 8);
field!(JubjubFr, ark_ed_on_bls12_381::Fr, 8);
field!(JubjubFq, ark_ed_on_bls12_381::Fq, 8);
group!(G1, ark_bn254::G1Projective, Fq, Fr, 1);
group!(G2, ark_bn254::G2Projective, Fq, Fr, 2);
group!(Jubjub, ark_ed_on_bls12_381::EdwardsProjective, JubjubFq, JubjubFr, 1);

/// BN254's scalars with nine words: a form that is not arkworks'.
#[derive(Clone, Copy, Debug)]
struct Nine;
impl Field for Nine {
    type Ark = ark_bn254::Fr;
    const NAME: &'static str = "Nine";
    const WORDS: usize = 9;
    fn images() -> &'static [u8] {
        &[]
    }
}

impl ElementOf<Nine> for ark_bn254::Fr {}

#[test]
fn elements_are_montgomery_words() {
    let mut rng = StdRng::seed_from_u64(3);
    for value in [Fr::rand_value(&mut rng), ark_bn254::Fr::ZERO, -ark_bn254::Fr::ONE] {
        const { assert!(Fr::SAME_FORM && !Nine::SAME_FORM) };
        // By the definition: value·R mod p, in 8 words here.
        let r = ark_bn254::Fr::from(2u64).pow([256]);
        let expected: Vec<u8> =
            (value * r).into_bigint().0.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        let bytes = device_bytes::<Fr>(&[value]);
        assert_eq!(bytes, expected);
        assert_eq!(read_element::<Fr>(&bytes), Some(value));

        let bytes = device_bytes::<Nine>(&[value]);
        let r = ark_bn254::Fr::from(2u64).pow([288]);
        assert_eq!(bytes.len(), 48);
        assert_eq!(read_element::<Nine>(&bytes), Some(value));
        let mut canonical = (value * r).into_bigint().0.to_vec();
        canonical.resize(6, 0);
        assert_eq!(bytes, canonical.iter().flat_map(|limb| limb.to_le_bytes()).collect::<Vec<_>>());
    }
}

#[test]
fn values_beyond_the_modulus_are_refused() {
    let p: Vec<u8> = ark_bn254::Fr::MODULUS.0.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    assert_eq!((read_element::<Fr>(&p), read_element::<Fr>(&[0xff; 32])), (None, None));
    let mut padded = device_bytes::<Nine>(&[ark_bn254::Fr::ONE]);
    padded[47] = 1;
    assert_eq!(read_element::<Nine>(&padded), None);
}

/// What uploads and downloads of vectors do, with padding and without.
#[test]
fn vectors_are_limbs_with_zeros_between_them() {
    type Ark = ark_bn254::Fr;
    let mut rng = StdRng::seed_from_u64(4);
    let values: Vec<Ark> = (0..5).map(|_| Fr::rand_value(&mut rng)).collect();
    for stride in [32, 48] {
        let mut bytes = vec![0xaa; values.len() * stride];
        Ark::write_limbs(&values, stride, &mut bytes);
        for (value, bytes) in values.iter().zip(bytes.chunks(stride)) {
            let (limbs, padding) = bytes.split_at(32);
            assert_eq!(limbs, device_bytes::<Fr>(&[*value]));
            assert!(padding.iter().all(|byte| *byte == 0));
        }
        let mut back = vec![Ark::ZERO; values.len()];
        assert_eq!(Ark::read_limbs(&bytes, stride, &mut back), Some(()));
        assert_eq!(back, values);
        for damaged in [stride - 1, 3 * stride - 1] {
            let mut bytes = bytes.clone();
            bytes[damaged] = 0xff;
            assert_eq!(Ark::read_limbs(&bytes, stride, &mut back), None, "stride {stride}, byte {damaged}");
        }
        let p = Ark::MODULUS.0.iter().flat_map(|limb| limb.to_le_bytes());
        bytes.splice(stride..stride + 32, p);
        assert_eq!(Ark::read_limbs(&bytes, stride, &mut back), None, "the modulus, stride {stride}");
    }
}

#[derive(MontConfig)]
#[modulus = "2013265921"]
#[generator = "31"]
struct BabyBearConfig;

#[test]
fn one_word_takes_four_bytes() {
    type Ark = Fp64<MontBackend<BabyBearConfig, 1>>;
    let values: Vec<Ark> = [0u64, 1, 77, 2013265920].map(Ark::from).into();
    let mut bytes = vec![0xaa; 4 * values.len()];
    Ark::write_limbs(&values, 4, &mut bytes);
    let words: Vec<u64> =
        bytes.as_chunks::<4>().0.iter().map(|word| u64::from(u32::from_le_bytes(*word))).collect();
    assert_eq!(words, values.iter().map(|value| value.mont_limbs()[0]).collect::<Vec<_>>());
    let mut back = vec![Ark::ZERO; values.len()];
    assert_eq!(Ark::read_limbs(&bytes, 4, &mut back), Some(()));
    assert_eq!(back, values);
    bytes[8..12].copy_from_slice(&2013265921u32.to_le_bytes());
    assert_eq!(Ark::read_limbs(&bytes, 4, &mut back), None);
}

trait RandValue: Field {
    fn rand_value(rng: &mut StdRng) -> Self::Ark {
        Self::Ark::rand(rng)
    }
}
impl<F: Field> RandValue for F {}

/// The bytes of `(x·k², y·k³, k², k³)` in device form.
fn xyzz<G: Group>(point: AffineOf<G>, k: CoordinateOf<G>) -> Vec<u8> {
    let k2 = k.square();
    let (x, y) = point.xy().expect("not the identity");
    let coordinates = [x * k2, y * k2 * k, k2, k2 * k];
    let elements: Vec<_> = coordinates.iter().flat_map(|c| c.to_base_prime_field_elements()).collect();
    device_bytes::<G::Base>(&elements)
}

fn check<G: Group>() {
    let mut rng = StdRng::seed_from_u64(7);
    let g = ProjectiveOf::<G>::generator();
    for _ in 0..20 {
        let point = (g * crate::group::ScalarOf::<G>::rand(&mut rng)).into_affine();
        let bytes = xyzz::<G>(point, CoordinateOf::<G>::rand(&mut rng));
        assert_eq!(read_point::<G>(&bytes, CurveForm::Declared).unwrap(), ProjectiveOf::<G>::from(point));

        let mut affine = vec![7; bytes.len() / 2];
        write_point::<G>(&point, &mut affine);
        assert_eq!(affine, xyzz::<G>(point, CoordinateOf::<G>::ONE)[..affine.len()]);
    }
    let mut bytes = xyzz::<G>(g.into_affine(), CoordinateOf::<G>::ONE);
    let quarter = bytes.len() / 4;
    bytes[3 * quarter] ^= 1;
    assert!(matches!(read_point::<G>(&bytes, CurveForm::Declared), Err(RuntimeError::Device { .. })));
    bytes[2 * quarter..3 * quarter].fill(0);
    assert_eq!(read_point::<G>(&bytes, CurveForm::Declared).unwrap(), ProjectiveOf::<G>::ZERO);
    bytes[0..quarter].fill(u8::MAX);
    assert!(matches!(read_point::<G>(&bytes, CurveForm::Declared), Err(RuntimeError::Device { .. })));

    let mut affine = vec![7; bytes.len() / 2];
    write_point::<G>(&AffineOf::<G>::zero(), &mut affine);
    assert!(affine.iter().all(|&byte| byte == 0xff));
}

#[test]
fn points_in_both_directions() {
    check::<G1>();
    check::<G2>();
}

/// `(x·k, y·k, k, x·y·k)` in device form.
fn extended(point: ark_ed_on_bls12_381::EdwardsAffine, k: ark_ed_on_bls12_381::Fq) -> Vec<u8> {
    device_bytes::<JubjubFq>(&[point.x * k, point.y * k, k, point.x * point.y * k])
}

#[test]
fn edwards_points_in_both_directions() {
    use ark_ed_on_bls12_381::{EdwardsAffine, EdwardsProjective, Fq, Fr};
    let mut rng = StdRng::seed_from_u64(8);
    let read = |bytes: &[u8]| read_point::<Jubjub>(bytes, CurveForm::Declared);
    let g = EdwardsProjective::generator();
    for _ in 0..20 {
        let point = (g * Fr::rand(&mut rng)).into_affine();
        let bytes = extended(point, Fq::rand(&mut rng));
        let found = read(&bytes).unwrap();
        assert_eq!(found, EdwardsProjective::from(point));
        assert_eq!(found + g, g + point, "its T is right");
        let mut affine = vec![7; bytes.len() / 2];
        write_point::<Jubjub>(&point, &mut affine);
        assert_eq!(affine, extended(point, Fq::ONE)[..affine.len()]);
    }
    let identity = EdwardsAffine::zero();
    assert_eq!(read(&[0; 128]).unwrap(), identity);
    assert_eq!(read(&extended(identity, Fq::rand(&mut rng))).unwrap(), identity);
    let mut affine = vec![7; 64];
    write_point::<Jubjub>(&identity, &mut affine);
    assert_eq!(affine, [0xff; 64]);

    let g = g.into_affine();
    let good = extended(g, Fq::ONE);
    for coordinate in 0..4 {
        let mut bytes = good.clone();
        bytes[32 * coordinate] ^= 1;
        assert!(matches!(read(&bytes), Err(RuntimeError::Device { .. })), "coordinate {coordinate}");
    }
    // X·Y = Z·T, and off the curve; then at infinity.
    assert!(read(&device_bytes::<JubjubFq>(&[g.x, g.x, Fq::ONE, g.x * g.x])).is_err());
    assert!(read(&device_bytes::<JubjubFq>(&[Fq::ZERO, Fq::ONE, Fq::ZERO, Fq::ZERO])).is_err());
}

#[test]
fn sums_are_combined_by_their_weight() {
    let mut rng = StdRng::seed_from_u64(9);
    let g = ProjectiveOf::<G1>::generator();
    let points: Vec<_> = (0..9).map(|_| (g * ark_bn254::Fr::rand(&mut rng)).into_affine()).collect();
    let bytes: Vec<u8> =
        points.iter().flat_map(|point| xyzz::<G1>(*point, ark_bn254::Fq::rand(&mut rng))).collect();
    let exponents = [2, 2, 3, 0, 5, 6, 20, 8, 8];
    let expected: ProjectiveOf<G1> =
        points.iter().zip(exponents).map(|(point, e)| *point * ark_bn254::Fr::from(1u64 << e)).sum();
    assert_eq!(combine_sums::<G1>(&bytes, CurveForm::Declared, exponents.into_iter()).unwrap(), expected);
    assert_eq!(
        combine_sums::<G1>(&[], CurveForm::Declared, std::iter::empty()).unwrap(),
        ProjectiveOf::<G1>::ZERO
    );
}
