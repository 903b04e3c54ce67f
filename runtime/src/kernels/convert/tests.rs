//! Conversions against arkworks, with markers written by hand.

use super::*;
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::UniformRand;
use ark_std::rand::{SeedableRng, rngs::StdRng};

macro_rules! field {
    ($name:ident, $ark:ty, $words:literal) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;
        impl Field for $name {
            type Ark = $ark;
            const NAME: &'static str = stringify!($name);
            const WORDS: usize = $words;
            fn images() -> &'static [&'static [u8]] {
                &[]
            }
        }
    };
}

macro_rules! group {
    ($name:ident, $config:ty, $degree:literal) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;
        impl Group for $name {
            type Config = $config;
            type Base = Fq;
            type Scalar = Fr;
            const NAME: &'static str = stringify!($name);
            const DEGREE: usize = $degree;
            fn images() -> &'static [&'static [u8]] {
                &[]
            }
        }
    };
}

field!(Fq, ark_bn254::Fq, 8);
field!(Fr, ark_bn254::Fr, 8);
group!(G1, ark_bn254::g1::Config, 1);
group!(G2, ark_bn254::g2::Config, 2);

/// The words of `(x·k², y·k³, k², k³)` in device form.
fn xyzz<G: Group>(point: AffineOf<G>, k: CoordinateOf<G>) -> Vec<u32> {
    let k2 = k.square();
    let coordinates = [point.x * k2, point.y * k2 * k, k2, k2 * k];
    let elements: Vec<_> = coordinates.iter().flat_map(|c| c.to_base_prime_field_elements()).collect();
    let mut words = vec![0; elements.len() * element_words::<G::Base>()];
    to_device::<G::Base>(&elements, &mut words);
    words
}

fn check<G: Group>() {
    let mut rng = StdRng::seed_from_u64(7);
    let g = ProjectiveOf::<G>::generator();
    for _ in 0..20 {
        let point = (g * crate::group::ScalarOf::<G>::rand(&mut rng)).into_affine();
        let words = xyzz::<G>(point, CoordinateOf::<G>::rand(&mut rng));
        assert_eq!(point_from_device::<G>(&words).unwrap(), ProjectiveOf::<G>::from(point));

        let mut affine = vec![7; words.len() / 2];
        points_to_device::<G>(&[point], &mut affine);
        assert_eq!(affine, xyzz::<G>(point, CoordinateOf::<G>::ONE)[..affine.len()]);
    }
    let mut words = xyzz::<G>(g.into_affine(), CoordinateOf::<G>::ONE);
    let quarter = words.len() / 4;
    words[3 * quarter] ^= 1;
    assert!(matches!(point_from_device::<G>(&words), Err(RuntimeError::Device { .. })));
    words[2 * quarter..3 * quarter].fill(0);
    assert_eq!(point_from_device::<G>(&words).unwrap(), ProjectiveOf::<G>::ZERO);
    words[0..quarter].fill(u32::MAX);
    assert!(matches!(point_from_device::<G>(&words), Err(RuntimeError::Device { .. })));

    let mut affine = vec![7; words.len() / 2];
    points_to_device::<G>(&[AffineOf::<G>::zero()], &mut affine);
    assert!(affine.iter().all(|&w| w == IDENTITY_WORD));
}

#[test]
fn points_in_both_directions() {
    check::<G1>();
    check::<G2>();
}
