//! Proofs that are not made: cancelled ones, and those of keys for which there is no room.

use super::{emulator, fixture, load};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{
    Device, EmulatorOptions, Groth16, KeyError, KeyOptions, ProveError, RuntimeError, bn254, constraints_of,
    snark, verify, witness_of,
};
use curvesmith_tests::Size;
use std::sync::Arc;
use std::time::Duration;

fn rng() -> StdRng {
    StdRng::seed_from_u64(21)
}

#[test]
fn a_cancelled_proof_ends_early_and_leaves_nothing() {
    let device = emulator();
    let emulator = device.as_emulator().unwrap();
    let (prover, witness) = load::<bn254::Curve>(&device, "bn128_mult");
    let prover = Arc::new(prover);
    let whole = prover.submit(witness.clone(), &mut rng()).wait().unwrap();
    verify::<bn254::Curve>(prover.verifying_key(), &witness.values()[1..=3], &whole).unwrap();
    let launches = {
        emulator.clear_launches();
        prover.prove(&witness, &mut rng()).unwrap();
        emulator.launches().len()
    };
    device.release_unused();
    let in_use = (emulator.memory_in_use(), emulator.allocations());
    for begun in [0, 1, launches / 2] {
        // On a busy machine the proof may be made before anybody sees how far it is.
        let cancelled = || {
            emulator.clear_launches();
            let job = prover.submit(witness.clone(), &mut rng());
            while emulator.launches().len() < begun && !job.is_finished() {
                std::thread::sleep(Duration::from_micros(50));
            }
            job.cancel();
            job.wait().err()
        };
        let error = (0..20).find_map(|_| cancelled()).unwrap();
        assert!(matches!(error, ProveError::Device(RuntimeError::Cancelled)), "{error}");
        let found = emulator.launches().len();
        assert!(found >= begun && found < launches, "{found} of {launches} launches, cancelled at {begun}");
        device.release_unused();
        assert_eq!((emulator.memory_in_use(), emulator.allocations()), in_use, "cancelled at {begun}");
        assert_eq!(prover.submit(witness.clone(), &mut rng()).wait().unwrap(), whole);
        device.release_unused();
    }
    // One that is dropped is waited for.
    drop(prover.submit(witness.clone(), &mut rng()));
    assert_eq!(Arc::strong_count(&prover), 1);
}

#[test]
fn a_key_without_room_is_refused_before_anything_is_launched() {
    let key = fixture("bn128_mult", "circuit.zkey");
    let load = |memory| {
        let device = Device::emulator(EmulatorOptions::default().memory(memory)).unwrap();
        let loaded = Groth16::<bn254::Curve>::from_zkey(&device, &key, &KeyOptions::default());
        (device, loaded)
    };
    let (device, refused) = load(1000);
    let Err(KeyError::DeviceMemory { needed, available: 1000 }) = refused else { panic!("{refused:?}") };
    let text = refused.unwrap_err().to_string();
    assert!(text.contains(&needed.to_string()) && text.contains("1000"), "{text}");
    let emulator = device.as_emulator().unwrap();
    assert_eq!((emulator.allocations(), emulator.launches().len()), (0, 0));
    assert!(matches!(load(needed - 1).1, Err(KeyError::DeviceMemory { .. })));
    // What is counted is the least: the device has the last word.
    let exact = load(needed).1;
    assert!(matches!(exact, Ok(_) | Err(KeyError::Device(RuntimeError::OutOfMemory { .. }))), "{exact:?}");
    // Points of A, B and L for 5 wires, and H, of 64 bytes in G1 and 128 in G2; 5 values and three vectors.
    let domain = 8;
    assert_eq!(needed, (3 * 5 + domain) * 64 + 5 * 128 + (5 + 3 * domain) * 32);
}

/// A key whose points have no room is streamed where that is allowed: the same proofs, from parts.
#[test]
fn a_key_without_room_is_streamed_where_that_is_allowed() {
    use ark_snark::SNARK as _;
    let circuit = curvesmith_sample::Chain::<ark_bn254::Fr>::filling(11);
    let (pk, _) =
        ark_groth16::Groth16::<ark_bn254::Bn254>::circuit_specific_setup(circuit.clone(), &mut rng())
            .unwrap();
    let load = |memory, options: &KeyOptions| {
        let device = Device::emulator(EmulatorOptions::default().memory(memory)).unwrap();
        let r1cs = constraints_of(circuit.clone()).unwrap();
        let loaded = Groth16::<bn254::Curve>::from_ark(&device, &pk, r1cs, options);
        (device, loaded)
    };
    let Err(KeyError::DeviceMemory { needed, .. }) = load(1000, &KeyOptions::default()).1 else {
        panic!("nothing fits into 1000 bytes")
    };
    let allowed = KeyOptions::default().stream(true);
    let (device, loaded) = load(needed - 1, &allowed.clone().check_subgroups(Size::from_env() == Size::Long));
    let prover = loaded.unwrap();
    assert!(prover.streamed_parts() > 1, "{} parts", prover.streamed_parts());
    assert_eq!(prover.multiples(), 1);
    let witness = witness_of(circuit.clone()).unwrap();
    let (r, s) = (ark_bn254::Fr::from(7u64), ark_bn254::Fr::from(11u64));
    let expected =
        ark_groth16::Groth16::<ark_bn254::Bn254>::create_proof_with_reduction(circuit.clone(), &pk, r, s);
    let proof = prover.prove_with_fixed_randomness_insecure(&witness, r, s).unwrap();
    assert_eq!(proof, expected.unwrap());
    assert!(super::ran(&device).contains("bn254_g2_accumulate"));
    // And again, in the same memory.
    if Size::from_env() == Size::Long {
        prover.prove(&witness, &mut rng()).unwrap();
    }
    let emulator = device.as_emulator().unwrap();
    device.release_unused();
    let kept = emulator.memory_in_use();
    assert!(kept < (needed - 1) / 2, "matrices and tables take {kept} of {needed} bytes");
    // Room for all: nothing is streamed.
    assert_eq!(load(64 << 20, &allowed).1.unwrap().streamed_parts(), 0);
    // Not even the vectors of a proof fit.
    let refused = load(1000, &allowed).1;
    assert!(
        matches!(refused, Err(KeyError::DeviceMemory { needed: least, .. }) if least < needed),
        "{refused:?}"
    );
}

/// arkworks' interface on a device of one's choice.
#[test]
fn the_interface_of_arkworks_takes_a_device() {
    use ark_snark::SNARK as _;
    let device = emulator();
    snark::set_device(device.clone());
    type Snark = snark::Groth16<bn254::Curve>;
    let circuit = curvesmith_sample::Chain::<ark_bn254::Fr>::filling(3);
    let (pk, vk) = Snark::circuit_specific_setup(circuit.clone(), &mut rng()).unwrap();
    let proof = Snark::prove(&pk, circuit.clone(), &mut rng()).unwrap();
    let theirs = ark_groth16::Groth16::<ark_bn254::Bn254>::prove(&pk, circuit.clone(), &mut rng()).unwrap();
    assert_eq!(proof, theirs);
    assert!(Snark::verify(&vk, &circuit.assignment()[1..2], &proof).unwrap());
    assert!(super::ran(&device).contains("bn254_g2_accumulate"));
    device.release_unused();
}
