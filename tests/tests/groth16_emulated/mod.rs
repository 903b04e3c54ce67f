//! Whole proofs by the embedded PTX on the emulator: the known answers of snarkjs' keys, an
//! arkworks key, and what happens when a kernel is wrong.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod counts;
mod ends;
mod faults;
mod trace;

use ark_ff::Zero;
use ark_groth16::Groth16 as ArkGroth16;
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::snarkjs::{ZkeyCurve, json::proof_to_json};
use curvesmith::{
    Device, EmulatorOptions, Fault, Field, Groth16, Group, KeyOptions, ProveError, R1cs, RuntimeError,
    Witness, bls12_381, bn254, verify,
};
use curvesmith_abi::kernels::msm_has_lane_pairs;
use curvesmith_abi::{Form, Geometry};
use curvesmith_emulator::{DeviceCall, InjectedFault};
use curvesmith_sample::Chain;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The kernel that adds entries into buckets, where no option says which.
fn accumulation<G: Group>() -> String {
    let pairs = msm_has_lane_pairs(&Geometry::PTX, Form::Xyzz, G::Base::WORDS, G::DEGREE);
    format!("{}_{}", G::NAME, if pairs { "accumulate_lanes" } else { "accumulate" })
}

type Scalar<C> = <<C as curvesmith::PairingCurve>::Fr as Field>::Ark;

fn fixture(case: &str, file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(case).join(file)
}

fn json(case: &str, file: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture(case, file)).unwrap()).unwrap()
}

fn emulator() -> Device {
    Device::emulator(EmulatorOptions::default()).unwrap()
}

fn load<C: ZkeyCurve>(device: &Device, case: &str) -> (Groth16<C>, Witness<C>) {
    let prover = Groth16::from_zkey(device, &fixture(case, "circuit.zkey"), &KeyOptions::default()).unwrap();
    (prover, Witness::from_wtns(&fixture(case, "witness.wtns")).unwrap())
}

/// Kernels that ran on the emulator.
fn ran(device: &Device) -> BTreeSet<String> {
    device.as_emulator().unwrap().launches().into_iter().map(|l| l.symbol).collect()
}

fn known_answers<C: ZkeyCurve>(case: &str, curve: &str) {
    known_answers_on::<C>(emulator(), case, curve);
}

/// Proofs with the randomness of a fixture are the fixture's.
pub(crate) fn answers<C: ZkeyCurve>(device: &Device, case: &str) {
    let (prover, witness) = load::<C>(device, case);
    let stages = json(case, "stages.json");
    let number = |name: &str| stages[name].as_str().and_then(|s| s.parse::<Scalar<C>>().ok()).unwrap();
    let zero = Scalar::<C>::zero();
    for (r, s, file) in
        [(zero, zero, "kat_r0_s0.proof.json"), (number("r"), number("s"), "kat_r1_s1.proof.json")]
    {
        let proof = prover.prove_with_fixed_randomness_insecure(&witness, r, s).unwrap();
        let found: Value = serde_json::from_str(&proof_to_json::<C>(&proof)).unwrap();
        assert_eq!(found, json(case, file), "{case} {file}");
    }
}

fn known_answers_on<C: ZkeyCurve>(device: Device, case: &str, curve: &str) {
    answers::<C>(&device, case);
    // Nothing between the upload and the sums of the windows is left to the host.
    let ran = ran(&device);
    let group = ["merge_partials", "bit_sums"];
    let field = ["digits", "mul", "mul_sub"];
    let common = ["radix_count", "scan_tiles", "radix_scatter_first", "bucket_starts"];
    let expected = (group.iter().flat_map(|k| [format!("{curve}_g1_{k}"), format!("{curve}_g2_{k}")]))
        .chain([format!("{curve}_g1_accumulate"), accumulation::<C::G2>()])
        .chain(field.iter().map(|k| format!("{curve}_fr_{k}")))
        .chain(common.iter().map(|k| format!("common_{k}")));
    for symbol in expected {
        assert!(ran.contains(&symbol), "{symbol} did not run: {ran:?}");
    }
    for family in ["ntt_", "spmv_"].map(|family| format!("{curve}_fr_{family}")) {
        assert!(ran.iter().any(|symbol| symbol.starts_with(&family)), "no {family} ran: {ran:?}");
    }
}

#[test]
fn small_proofs_are_the_known_answers() {
    known_answers::<bn254::Curve>("bn128_mult", "bn254");
    known_answers::<bls12_381::Curve>("bls12381_mult", "bls12_381");
}

/// The launch policies of a GPU with 132 multiprocessors: many slices.
#[test]
fn proofs_with_the_policies_of_a_gpu_are_the_known_answers() {
    let device = Device::emulator(EmulatorOptions::default().multiprocessors(132)).unwrap();
    known_answers_on::<bn254::Curve>(device.clone(), "bn128_mult", "bn254");
    let ran = ran(&device);
    assert!(["g1", "g2"].iter().all(|g| ran.contains(&format!("bn254_{g}_base_multiples"))), "{ran:?}");
}

#[test]
fn keys_have_multiples_where_there_is_room() {
    let device =
        |memory| Device::emulator(EmulatorOptions::default().multiprocessors(132).memory(memory)).unwrap();
    let load = |device: &Device, multiples| {
        let options = KeyOptions::default().multiples(multiples);
        Groth16::<bn254::Curve>::from_zkey(device, &fixture("bn128_mult", "circuit.zkey"), &options).unwrap()
    };
    let roomy = device(1 << 30);
    assert!(load(&roomy, true).multiples() > 1);
    assert_eq!(load(&roomy, false).multiples(), 1);
    assert_eq!(load(&emulator(), true).multiples(), 1, "the emulator's own policy keeps none");
    let plain = device(1 << 30);
    let key = load(&plain, false);
    let used = plain.as_emulator().unwrap().memory_in_use();
    assert_eq!(load(&device(used + 4096), true).multiples(), 1, "{key:?}");
}

#[test]
fn a_batch_is_proven_at_once_on_one_device() {
    let device = Device::emulator(EmulatorOptions::default().multiprocessors(132)).unwrap();
    let (prover, good) = load::<bn254::Curve>(&device, "bn128_mult");
    let mut wrong = good.values().to_vec();
    wrong[2] += Scalar::<bn254::Curve>::from(1u64);
    let values = |i: usize| if i % 4 == 1 { wrong.clone() } else { good.values().to_vec() };
    let witnesses: Vec<_> = (0..9).map(|i| Witness::<bn254::Curve>::new(values(i))).collect();
    let proofs = prover.prove_batch(&witnesses, &mut StdRng::seed_from_u64(3));
    assert_eq!(proofs.len(), 9);
    for (i, proof) in proofs.iter().enumerate() {
        let public = &good.values()[1..=prover.public_inputs()];
        match proof {
            Ok(proof) => verify::<bn254::Curve>(prover.verifying_key(), public, proof).unwrap(),
            Err(error) => assert!(matches!(error, ProveError::SelfCheck { .. }), "{error}"),
        }
        assert_eq!(proof.is_err(), i % 4 == 1, "proof {i}");
    }
}

#[test]
fn a_batch_is_proven_where_there_is_memory_for_one_proof() {
    let prepare = |memory| {
        let device = Device::emulator(EmulatorOptions::default().memory(memory)).unwrap();
        let (prover, witness) = load::<bn254::Curve>(&device, "bn128_mult");
        device.release_unused();
        (device, prover, witness)
    };
    let (probe, prover, witness) = prepare(1 << 30);
    let in_use = || probe.as_emulator().unwrap().memory_in_use();
    let resident = in_use();
    prover.prove(&witness, &mut StdRng::seed_from_u64(4)).unwrap();
    // What a proof took stays with the device for the next.
    let (_device, prover, _) = prepare(resident + (in_use() - resident) * 11 / 10);
    let alone = |seed| prover.prove(&witness, &mut StdRng::seed_from_u64(seed));
    alone(5).unwrap();
    let at_once: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|seed| scope.spawn(move || alone(seed))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let no_memory =
        |error: &ProveError| matches!(error, ProveError::Device(RuntimeError::OutOfMemory { .. }));
    assert!(at_once.iter().any(|proof| proof.as_ref().is_err_and(no_memory)), "there is room for several");
    let witnesses: Vec<_> = (0..8).map(|_| Witness::<bn254::Curve>::new(witness.values().to_vec())).collect();
    for proof in prover.prove_batch(&witnesses, &mut StdRng::seed_from_u64(6)) {
        proof.unwrap();
    }
}

/// Counts by faults how often memory is filled.
#[test]
fn a_proof_that_wipes_fills_its_memory() {
    let fills = |wipe| {
        let device = emulator();
        let options = KeyOptions::default().wipe(wipe);
        let key = fixture("bn128_mult", "circuit.zkey");
        let prover = Groth16::<bn254::Curve>::from_zkey(&device, &key, &options).unwrap();
        let witness = Witness::from_wtns(&fixture("bn128_mult", "witness.wtns")).unwrap();
        let emulator = device.as_emulator().unwrap();
        let more = |n: &u64| {
            emulator.fail_after(*n, Some(DeviceCall::Fill), InjectedFault::Failure);
            let proof = prover.prove(&witness, &mut StdRng::seed_from_u64(*n));
            let happened = !emulator.fault_pending();
            emulator.fail_never();
            assert_eq!(proof.is_err(), happened);
            happened
        };
        (0..).step_by(6).take_while(more).count()
    };
    let (kept, wiped) = (fills(false), fills(true));
    assert!(wiped > kept + 3, "{kept} and {wiped}");
}

#[test]
fn a_production_proof_is_the_known_answer() {
    known_answers::<bn254::Curve>("bn128_semaphore20_ceremony", "bn254");
}

#[test]
fn an_arkworks_key_proves_on_the_emulator() {
    let mut rng = StdRng::seed_from_u64(11);
    let circuit = Chain::<ark_bls12_381::Fr>::filling(5);
    let (pk, vk) =
        ArkGroth16::<ark_bls12_381::Bls12_381>::circuit_specific_setup(circuit.clone(), &mut rng).unwrap();
    let constraints: R1cs<ark_bls12_381::Fr> = curvesmith::constraints_of(circuit.clone()).unwrap();
    let device = emulator();
    let prover =
        Groth16::<bls12_381::Curve>::from_ark(&device, &pk, constraints, &KeyOptions::default()).unwrap();
    let proof = prover.prove_circuit(circuit.clone(), &mut rng).unwrap();
    let public = [circuit.assignment()[1]];
    assert!(ArkGroth16::<ark_bls12_381::Bls12_381>::verify(&vk, &public, &proof).unwrap());
    assert!(ran(&device).contains("bls12_381_g2_accumulate_lanes"));
}

/// A kernel that writes zeros makes the self-check fail, and the CPU's re-proof clears the witness.
#[test]
fn every_kernel_of_a_proof_matters() {
    let device = emulator();
    let (prover, witness) = load::<bn254::Curve>(&device, "bn128_mult");
    let mut rng = StdRng::seed_from_u64(12);
    prover.prove(&witness, &mut rng).unwrap();
    // A tiny circuit has nothing to merge.
    let harmless = |s: &str| s.ends_with("merge_partials");
    let symbols: Vec<String> = ran(&device).into_iter().filter(|s| !harmless(s)).collect();
    assert!(symbols.len() >= 15, "{symbols:?}");
    for symbol in symbols {
        let device = emulator();
        device.as_emulator().unwrap().replace_with_zeros(&symbol);
        // Some kernels run when the key is loaded.
        let (prover, witness) = load::<bn254::Curve>(&device, "bn128_mult");
        match prover.prove(&witness, &mut rng) {
            Err(ProveError::SelfCheck { fault: Fault::Device, .. } | ProveError::Device(_)) => {}
            other => panic!("{symbol} writes zeros: {other:?}"),
        }
    }
}

#[test]
fn a_wrong_witness_is_blamed_on_the_emulator_too() {
    let (prover, witness) = load::<bn254::Curve>(&emulator(), "bn128_mult");
    let mut values = witness.values().to_vec();
    let last = values.len() - 1;
    values[last] += ark_bn254::Fr::from(1u64);
    let error = prover.prove(&Witness::new(values), &mut StdRng::seed_from_u64(13)).unwrap_err();
    assert!(matches!(error, ProveError::SelfCheck { fault: Fault::Witness, .. }), "{error}");
}
