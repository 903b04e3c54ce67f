//! The MSM of a curve declared outside of the workspace, against ark-secp256k1.

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ff::{AdditiveGroup, BigInteger, PrimeField, UniformRand};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{Device, EmulatorOptions, Msm, MsmOptions};
use outside::secp256k1;

/// The same number in another type of the same field.
fn same<A: PrimeField, B: PrimeField>(x: A) -> B {
    B::from_le_bytes_mod_order(&x.into_bigint().to_bytes_le())
}

fn check(device: &Device) {
    let mut rng = StdRng::seed_from_u64(1);
    for n in [0usize, 1, 2, 33, 300] {
        let theirs: Vec<ark_secp256k1::Affine> = (0..n)
            .map(|i| match i % 7 {
                // The identity, and runs of equal and of opposite points.
                3 => ark_secp256k1::Affine::zero(),
                4 => ark_secp256k1::Projective::generator().into_affine(),
                5 => -ark_secp256k1::Projective::generator().into_affine(),
                _ => ark_secp256k1::Projective::rand(&mut rng).into_affine(),
            })
            .collect();
        let scalars: Vec<ark_secp256k1::Fr> = (0..n)
            .map(|i| match i % 5 {
                0 => ark_secp256k1::Fr::ZERO - ark_secp256k1::Fr::from(1u64),
                1 => ark_secp256k1::Fr::from(i as u64 % 3),
                _ => ark_secp256k1::Fr::rand(&mut rng),
            })
            .collect();
        let bases: Vec<secp256k1::G1Affine> = theirs
            .iter()
            .map(|p| match p.xy() {
                Some((x, y)) => secp256k1::G1Affine::new(same(x), same(y)),
                None => secp256k1::G1Affine::identity(),
            })
            .collect();
        let ours: Vec<secp256k1::Fr> = scalars.iter().map(|s| same(*s)).collect();

        let expected = ark_secp256k1::Projective::msm(&theirs, &scalars).unwrap().into_affine();
        let msm = Msm::<secp256k1::G1>::new(device, &bases, MsmOptions::default()).unwrap();
        let sum = msm.run(&ours).unwrap().into_affine();
        let sum = sum.xy().map(|(x, y)| (same::<_, ark_secp256k1::Fq>(x), same::<_, ark_secp256k1::Fq>(y)));
        assert_eq!(sum, expected.xy(), "n = {n} on {}", device.name());
    }
}

#[test]
fn on_the_cpu() {
    check(&Device::cpu());
}

#[test]
fn on_the_emulator() {
    check(&Device::emulator(EmulatorOptions::default()).unwrap());
}
