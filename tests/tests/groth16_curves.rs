//! Groth16 on every declared curve with a pairing, by a key from arkworks: the bytes of `ark_groth16` for the
//! same randomness, on the CPU, by the embedded PTX on the emulator, and on a GPU where there is one (skipped
//! loudly elsewhere, unless `REQUIRE_GPU=1`); and on domains beyond the two-adicity of the scalars.
//!
//! Without feature `long-tests` on a toy curve and one in fields of 24 words, with G2 over Fq3; other tests
//! prove on BN254 and BLS12-381.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

use ark_ff::{PrimeField, UniformRand};
use ark_groth16::{Groth16 as ArkGroth16, r1cs_to_qap::LibsnarkReduction};
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, SynthesisError, Variable,
};
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{
    Device, EmulatorOptions, Field, Groth16, KeyOptions, PairingCurve, Witness, constraints_of, curve, verify,
};
use curvesmith_curves::mnt6_753;
#[cfg(feature = "long-tests")]
use curvesmith_curves::{bls12_377, bls12_381, bn254, bw6_761, mnt4_298, mnt4_753, mnt6_298};
use curvesmith_sample::Chain;

type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;
type Ark<C> = ArkGroth16<<C as PairingCurve>::Engine, LibsnarkReduction>;

fn proves<C: PairingCurve>(steps: u64) {
    let circuit = Chain { start: Scalar::<C>::from(3u64), steps, claimed: None };
    proves_on::<C>(circuit.clone(), &circuit.assignment(), steps, &devices());
}

fn devices() -> Vec<Device> {
    let mut devices = vec![Device::cpu(), Device::emulator(EmulatorOptions::default()).unwrap()];
    match Device::cuda(0) {
        Ok(gpu) => devices.push(gpu),
        Err(error) if std::env::var_os("REQUIRE_GPU").is_some_and(|v| v == "1") => panic!("{error}"),
        Err(error) => eprintln!("SKIPPED, no GPU: {error}"),
    }
    devices
}

/// The size of the domain.
fn proves_on<C: PairingCurve>(
    circuit: impl ConstraintSynthesizer<Scalar<C>> + Clone,
    assignment: &[Scalar<C>],
    seed: u64,
    devices: &[Device],
) -> usize {
    let mut rng = StdRng::seed_from_u64(seed);
    let (key, _) = Ark::<C>::circuit_specific_setup(circuit.clone(), &mut rng).unwrap();
    let [r, s] = [Scalar::<C>::rand(&mut rng), Scalar::<C>::rand(&mut rng)];
    let theirs = Ark::<C>::create_proof_with_reduction(circuit.clone(), &key, r, s).unwrap();
    let witness = Witness::new(assignment.to_vec());
    let public = &witness.values()[1..key.vk.gamma_abc_g1.len()];
    let mut domain = 0;
    for device in devices {
        let constraints = constraints_of(circuit.clone()).unwrap();
        let prover = Groth16::<C>::from_ark(device, &key, constraints, &KeyOptions::default()).unwrap();
        let ours = prover.prove_with_fixed_randomness_insecure(&witness, r, s).unwrap();
        assert_eq!(ours, theirs, "{}", C::NAME);
        if let Some(emulator) = device.as_emulator() {
            for group in ["g1", "g2"].map(|group| format!("{}_{group}_accumulate", C::NAME)) {
                // In some of G2 on pairs of lanes.
                let lanes = format!("{group}_lanes");
                let launches = emulator.launches();
                assert!(launches.iter().any(|launch| [&group, &lanes].contains(&&launch.symbol)), "{group}");
            }
        }
        domain = prover.domain_size();
    }
    verify::<C>(&key.vk, public, &theirs).unwrap();
    let other: Vec<Scalar<C>> = public.iter().map(|x| *x + Scalar::<C>::from(1u64)).collect();
    verify::<C>(&key.vk, &other, &theirs).unwrap_err();
    domain
}

/// Knowledge of a root of a public value, said in many ways: `(x + i)·x = y + i·x`. With few wires a key is
/// made in seconds, however many constraints there are.
#[derive(Clone)]
struct Squares<F> {
    root: F,
    constraints: u64,
}

impl<F: PrimeField> Squares<F> {
    fn assignment(&self) -> Vec<F> {
        vec![F::ONE, self.root.square(), self.root]
    }
}

impl<F: PrimeField> ConstraintSynthesizer<F> for Squares<F> {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let square = cs.new_input_variable(|| Ok(self.root.square()))?;
        let root = cs.new_witness_variable(|| Ok(self.root))?;
        for i in (0..self.constraints).map(F::from) {
            cs.enforce_r1cs_constraint(
                || LinearCombination::from(root) + (i, Variable::One),
                || root.into(),
                || LinearCombination::from(square) + (i, root),
            )?;
        }
        Ok(())
    }
}

curve! {
    /// `p` = 103, `r` = 97: the scalar field has transforms of up to 2^5 elements, and of 3·2^a.
    mod toy_bn {
        crate = curvesmith;
        allow(weak_curve);
        family: bn { x = 1; fr { generator = 5; small_subgroup = 3^1; }; };
    }
}

#[test]
fn a_toy_curve_on_mixed_domains() {
    let devices = devices();
    for (constraints, domain) in [(30, 32), (31, 48), (46, 48)] {
        let circuit = Squares { root: Scalar::<toy_bn::Curve>::from(7u64), constraints };
        let assignment = circuit.assignment();
        assert_eq!(proves_on::<toy_bn::Curve>(circuit, &assignment, 1, &devices), domain, "{constraints}");
    }
}

/// More constraints than the scalar field has roots of unity of a power of two: a domain of 5·2^13 elements.
#[cfg(feature = "long-tests")]
#[test]
fn mnt6_753_above_its_two_adicity() {
    let circuit = Squares { root: Scalar::<mnt6_753::Curve>::from(7u64), constraints: (1 << 15) + 100 };
    let assignment = circuit.assignment();
    assert_eq!(proves_on::<mnt6_753::Curve>(circuit, &assignment, 1, &[Device::cpu()]), 5 << 13);
}

#[cfg(feature = "long-tests")]
#[test]
fn bn254_and_bls12_381() {
    proves::<bn254::Curve>(6);
    proves::<bls12_381::Curve>(6);
}

#[cfg(feature = "long-tests")]
#[test]
fn bls12_377() {
    proves::<bls12_377::Curve>(6);
}

#[cfg(feature = "long-tests")]
#[test]
fn mnt4_298() {
    proves::<mnt4_298::Curve>(6);
}

#[cfg(feature = "long-tests")]
#[test]
fn mnt6_298() {
    proves::<mnt6_298::Curve>(6);
}

#[cfg(feature = "long-tests")]
#[test]
fn mnt4_753() {
    proves::<mnt4_753::Curve>(2);
}

#[test]
fn mnt6_753() {
    proves::<mnt6_753::Curve>(2);
}

#[cfg(feature = "long-tests")]
#[test]
fn bw6_761() {
    proves::<bw6_761::Curve>(6);
}
