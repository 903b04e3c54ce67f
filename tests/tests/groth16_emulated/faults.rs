//! Every call to a device fails once, while a key is loaded and while a proof is made.

use super::{fixture, load};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::snarkjs::{Zkey, ZkeyFile};
use curvesmith::{
    Device, EmulatorOptions, Groth16, KeyError, KeyOptions, ProveError, RuntimeError, Witness, bls12_381,
    bn254, verify,
};
use curvesmith_emulator::{DeviceCall, Emulator, InjectedFault};
use curvesmith_tests::Size;

type C = bn254::Curve;

fn key() -> Zkey<C> {
    ZkeyFile::open(&fixture("bn128_mult", "circuit.zkey")).unwrap().read(false).unwrap()
}

fn witness() -> Witness<C> {
    Witness::from_wtns(&fixture("bn128_mult", "witness.wtns")).unwrap()
}

/// Memory is wiped, so that it is filled too.
fn options() -> KeyOptions {
    KeyOptions::default().wipe(true)
}

fn device() -> (Emulator, Device) {
    let emulator = Emulator::new(EmulatorOptions::default().threads(1));
    (emulator.clone(), Device::on_emulator(emulator, None))
}

/// What is not freed, once nothing waits for re-use.
fn kept(emulator: &Emulator, device: &Device) -> (u64, usize) {
    device.release_unused();
    (emulator.memory_in_use(), emulator.allocations())
}

/// Of the failure that was asked for, or of what follows from it: work that reads what was not written.
fn assert_on_purpose(call: DeviceCall, at: u64, error: &RuntimeError) {
    let typed = matches!(
        error,
        RuntimeError::Device { .. } | RuntimeError::Launch { .. } | RuntimeError::OutOfMemory { .. }
    );
    let text = error.to_string();
    let possible = ["failed on purpose", "is uninitialised", "is not canonical"];
    assert!(typed && possible.iter().any(|reason| text.contains(reason)), "{call:?} {at}: {error:?}");
}

/// Calls of this kind that are let pass before one fails: one after the other, or some, until none fails.
fn positions(call: DeviceCall) -> impl Iterator<Item = u64> {
    let many = matches!(call, DeviceCall::Alloc | DeviceCall::Launch | DeviceCall::Record | DeviceCall::Wait);
    let step = if many { Size::from_env().pick(29, 1) } else { Size::from_env().pick(3, 1) };
    (0..).step_by(step)
}

/// Makes calls that fail at each position, until one is through. How many failed.
fn each(emulator: &Emulator, call: DeviceCall, mut run: impl FnMut(u64, bool)) -> usize {
    let mut failed = 0;
    for at in positions(call) {
        emulator.fail_after(at, Some(call), InjectedFault::Failure);
        run(at, true);
        let pending = emulator.fault_pending();
        emulator.fail_never();
        run(at, false);
        if pending {
            break;
        }
        failed += 1;
    }
    failed
}

#[test]
fn every_failing_call_fails_the_load_of_a_key() {
    let key = key();
    let mut failed = 0;
    for call in DeviceCall::ALL {
        let (emulator, device) = device();
        if !matches!(call, DeviceCall::Load | DeviceCall::Stream) {
            // What a device has once stays with it.
            drop(Groth16::from_zkey_parts(&device, key.clone(), &options()).unwrap());
        }
        let mut loaded = kept(&emulator, &device);
        failed += each(&emulator, call, |at, fails| {
            let prover = Groth16::from_zkey_parts(&device, key.clone(), &options());
            let happened = fails && !emulator.fault_pending();
            match &prover {
                // Tried again after unused memory has been given back.
                Ok(_) => assert!(!happened || call == DeviceCall::Alloc, "{call:?} {at} was not noticed"),
                Err(KeyError::Device(error)) => {
                    assert!(happened, "{call:?} {at}: {error}");
                    assert_on_purpose(call, at, error);
                }
                Err(error) => panic!("{call:?} {at}: {error:?}"),
            }
            if !fails {
                let proof = prover.as_ref().unwrap().prove(&witness(), &mut StdRng::seed_from_u64(at));
                proof.unwrap();
            }
            drop(prover);
            let now = kept(&emulator, &device);
            if call == DeviceCall::Load {
                // Images that were loaded beside the one that was not stay.
                assert!(now.1 >= loaded.1, "{call:?} {at}");
                loaded = now;
            }
            assert_eq!(now, loaded, "{call:?} {at}");
        });
        drop(device);
        assert_eq!((emulator.memory_in_use(), emulator.allocations()), (0, 0), "{call:?}");
    }
    assert!(failed >= 12, "only {failed} loads failed");
}

#[test]
fn every_failing_call_fails_its_proof() {
    let (key, witness) = (key(), witness());
    let [r, s] = [3u64, 8].map(ark_bn254::Fr::from);
    let expected = Groth16::from_zkey_parts(&Device::cpu(), key.clone(), &options())
        .unwrap()
        .prove_with_fixed_randomness_insecure(&witness, r, s)
        .unwrap();
    let load = || {
        let (emulator, device) = device();
        let prover = Groth16::from_zkey_parts(&device, key.clone(), &options()).unwrap();
        // Page-locked memory of the load would serve the proof, too.
        device.release_unused();
        (emulator, device, prover)
    };
    // The first proof leaves the powers of the coset's shift with the key, once.
    let (loaded, proved) = {
        let (emulator, device, prover) = load();
        let loaded = kept(&emulator, &device);
        prover.prove_with_fixed_randomness_insecure(&witness, r, s).unwrap();
        (loaded, kept(&emulator, &device))
    };
    let mut failed = 0;
    for call in DeviceCall::ALL {
        let (emulator, device, prover) = load();
        let found = each(&emulator, call, |at, fails| {
            let proof = prover.prove_with_fixed_randomness_insecure(&witness, r, s);
            let happened = fails && !emulator.fault_pending();
            let now = kept(&emulator, &device);
            match proof {
                Ok(proof) => {
                    assert_eq!(now, proved, "{call:?} {at}");
                    assert!(!happened || call == DeviceCall::Alloc, "{call:?} {at} was not noticed");
                    assert_eq!(proof, expected, "{call:?} {at}");
                }
                Err(ProveError::Device(error)) => {
                    assert!(happened, "{call:?} {at}: {error}");
                    assert!(
                        [loaded, proved].contains(&now),
                        "{call:?} {at}: {now:?} is kept, not {proved:?}"
                    );
                    assert_on_purpose(call, at, &error);
                }
                Err(error) => panic!("{call:?} {at}: {error:?}"),
            }
        });
        // Kernels were loaded with the key.
        assert_eq!(found == 0, call == DeviceCall::Load, "{call:?}: {found}");
        failed += found;
        drop((prover, device));
        assert_eq!((emulator.memory_in_use(), emulator.allocations()), (0, 0), "{call:?}");
    }
    assert!(failed >= 20, "only {failed} proofs failed");
}

#[test]
fn a_device_that_is_lost_in_a_proof_leaves_nothing() {
    let mut lost = 0;
    for at in (0..).step_by(Size::from_env().pick(60, 5)) {
        let (emulator, device) = device();
        let prover = Groth16::from_zkey_parts(&device, key(), &options()).unwrap();
        emulator.fail_after(at, None, InjectedFault::DeviceLost);
        let prove = || prover.prove(&witness(), &mut StdRng::seed_from_u64(at));
        let first = prove();
        if emulator.fault_pending() {
            first.unwrap();
            break;
        }
        lost += 1;
        // It stays lost.
        for error in [first, prove()].map(Result::unwrap_err) {
            assert!(matches!(error, ProveError::Device(RuntimeError::DeviceLost { .. })), "{at}: {error:?}");
        }
        let error = Groth16::from_zkey_parts(&device, key(), &options()).unwrap_err();
        assert!(matches!(error, KeyError::Device(RuntimeError::DeviceLost { .. })), "{at}: {error:?}");
        drop((prover, device));
        assert_eq!((emulator.memory_in_use(), emulator.allocations()), (0, 0), "lost after {at}");
    }
    assert!(lost >= 2, "only {lost} were lost");
}

#[test]
fn provers_of_two_curves_share_a_device() {
    let (emulator, device) = device();
    {
        let (bn, bn_witness) = load::<bn254::Curve>(&device, "bn128_mult");
        let (bls, bls_witness) = load::<bls12_381::Curve>(&device, "bls12381_mult");
        let proofs = Size::from_env().pick(2, 20);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for seed in 0..proofs {
                    let proof = bn.prove(&bn_witness, &mut StdRng::seed_from_u64(seed)).unwrap();
                    let public = &bn_witness.values()[1..=bn.public_inputs()];
                    verify::<bn254::Curve>(bn.verifying_key(), public, &proof).unwrap();
                }
            });
            scope.spawn(|| {
                for seed in 0..proofs {
                    let proof = bls.prove(&bls_witness, &mut StdRng::seed_from_u64(seed)).unwrap();
                    let public = &bls_witness.values()[1..=bls.public_inputs()];
                    verify::<bls12_381::Curve>(bls.verifying_key(), public, &proof).unwrap();
                }
            });
        });
    }
    drop(device);
    assert_eq!((emulator.memory_in_use(), emulator.allocations()), (0, 0));
}
