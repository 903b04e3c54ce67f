//! Groth16 on every declared curve with a pairing, by a key from arkworks: the bytes of `ark_groth16` for the same randomness, on the
//! CPU and by the embedded PTX on the emulator.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

use ark_ff::UniformRand;
use ark_groth16::{Groth16 as ArkGroth16, r1cs_to_qap::LibsnarkReduction};
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::sample::Chain;
use curvesmith::{
    Device, EmulatorOptions, Field, Groth16, KeyOptions, PairingCurve, Witness, constraints_of, verify,
};
use curvesmith_curves::{bls12_377, bls12_381, bn254, bw6_761, mnt4_298, mnt4_753, mnt6_298, mnt6_753};
use curvesmith_tests::Size;

type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;
type Ark<C> = ArkGroth16<<C as PairingCurve>::Engine, LibsnarkReduction>;

fn proves<C: PairingCurve>(steps: u64) {
    let mut rng = StdRng::seed_from_u64(steps);
    let circuit = Chain { start: Scalar::<C>::from(3u64), steps, claimed: None };
    let (key, _) = Ark::<C>::circuit_specific_setup(circuit.clone(), &mut rng).unwrap();
    let [r, s] = [Scalar::<C>::rand(&mut rng), Scalar::<C>::rand(&mut rng)];
    let theirs = Ark::<C>::create_proof_with_reduction(circuit.clone(), &key, r, s).unwrap();
    let witness = Witness::new(circuit.assignment());
    let public = &witness.values()[1..key.vk.gamma_abc_g1.len()];
    for device in [Device::cpu(), Device::emulator(EmulatorOptions::default()).unwrap()] {
        let constraints = constraints_of(circuit.clone()).unwrap();
        let prover = Groth16::<C>::from_ark(&device, &key, constraints, &KeyOptions::default()).unwrap();
        let ours = prover.prove_with_fixed_randomness_insecure(&witness, r, s).unwrap();
        assert_eq!(ours, theirs, "{}", C::NAME);
        if let Some(emulator) = device.as_emulator() {
            for group in ["g1", "g2"].map(|group| format!("{}_{group}_accumulate", C::NAME)) {
                assert!(emulator.launches().iter().any(|launch| launch.symbol == group), "{group}");
            }
        }
    }
    verify::<C>(&key.vk, public, &theirs).unwrap();
    let other: Vec<Scalar<C>> = public.iter().map(|x| *x + Scalar::<C>::from(1u64)).collect();
    verify::<C>(&key.vk, &other, &theirs).unwrap_err();
}

#[test]
fn bn254_and_bls12_381() {
    proves::<bn254::Curve>(6);
    proves::<bls12_381::Curve>(6);
}

#[test]
fn bls12_377() {
    proves::<bls12_377::Curve>(6);
}

#[test]
fn mnt4_298() {
    proves::<mnt4_298::Curve>(6);
}

#[test]
fn mnt6_298() {
    proves::<mnt6_298::Curve>(6);
}

#[test]
fn mnt4_753() {
    proves::<mnt4_753::Curve>(2);
}

#[test]
fn mnt6_753() {
    proves::<mnt6_753::Curve>(2);
}

#[test]
fn bw6_761() {
    proves::<bw6_761::Curve>(if Size::from_env() == Size::Short { 2 } else { 6 });
}
