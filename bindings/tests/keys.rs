//! Keys, proofs and verdicts.

use crate::fixture;
use curvesmith::emulator::{Emulator, EmulatorOptions};
use curvesmith_bindings::{
    Cancel, Device, ErrorKind, Key, KeyOptions, Keys, Proof, Source, Verdict, device, devices, verify,
};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const CIRCUITS: [&str; 2] = ["bn128_mult", "bls12381_mult"];

fn load(circuit: &str) -> Key {
    let key = fixture(circuit).join("circuit.zkey");
    Key::load(Source::File(&key), &device("cpu").unwrap(), &KeyOptions::default()).unwrap()
}

fn text(circuit: &str, name: &str) -> String {
    fs::read_to_string(fixture(circuit).join(name)).unwrap()
}

/// What snarkjs has of the circuit is what is asked for: `public.json`, `verification_key.json`, and its own
/// proof.
#[test]
fn proofs_are_valid_and_texts_are_those_of_snarkjs() {
    for circuit in CIRCUITS {
        let key = load(circuit);
        let vk = text(circuit, "verification_key.json");
        let witness = fs::read(fixture(circuit).join("witness.wtns")).unwrap();
        let own = key.prove(Source::Bytes(&witness), &Cancel::default()).unwrap();
        assert_eq!(own.public, text(circuit, "public.json"), "{circuit}");
        assert_eq!(verify(&vk, &own.public, &own.proof).unwrap(), Verdict::Valid, "{circuit}");
        let theirs = text(circuit, "proof_snarkjs.json");
        assert_eq!(verify(&vk, &own.public, &theirs).unwrap(), Verdict::Valid, "{circuit}");
        let compact = own.compact().unwrap();
        assert!(
            !compact.proof.contains([' ', '\n']) && !compact.proof.contains("curve"),
            "{}",
            compact.proof
        );
        assert_eq!(verify(&vk, &compact.public, &compact.proof).unwrap(), Verdict::Valid, "{circuit}");
        let members = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let (mut exported, mut known) = (members(&key.verification_key()), members(&vk));
        // Not used by any verifier here, and not exported.
        exported.as_object_mut().unwrap().remove("vk_alphabeta_12");
        known.as_object_mut().unwrap().remove("vk_alphabeta_12");
        assert_eq!(exported, known, "{circuit}");
    }
}

#[test]
fn claims_that_do_not_hold_are_not_valid_and_other_texts_are_errors() {
    let vk = text("bn128_mult", "verification_key.json");
    let (public, proof) = (text("bn128_mult", "public.json"), text("bn128_mult", "proof_snarkjs.json"));
    let invalid = |public: &str, proof: &str| match verify(&vk, public, proof).unwrap() {
        Verdict::Invalid(reason) => reason,
        Verdict::Valid => panic!("valid: {public} {proof}"),
    };
    assert_eq!(invalid("[\"34\", \"99\", \"3\"]", &proof), "the proof is not valid");
    assert!(invalid("[]", &proof).contains("public inputs"), "{}", invalid("[]", &proof));
    assert!(invalid(&public, "{\"protocol\": \"groth16\"}").contains("pi_a"));
    for (vk, public, proof) in
        [("{}", &*public, &*proof), ("nonsense", &public, &proof), (&vk, "[", &proof), (&vk, &public, "")]
    {
        assert_eq!(
            verify(vk, public, proof).unwrap_err().kind,
            ErrorKind::Input,
            "{vk:.20} {public:.20} {proof:.20}"
        );
    }
}

#[test]
fn each_fault_has_its_kind() {
    let key = load("bn128_mult");
    let prove = |witness: &[u8]| key.prove(Source::Bytes(witness), &Cancel::default());
    let witness = fs::read(fixture("bn128_mult").join("witness.wtns")).unwrap();
    let kind = |result: Result<Proof, curvesmith_bindings::Error>| result.unwrap_err().kind;
    assert_eq!(kind(prove(&[])), ErrorKind::Input);
    assert_eq!(kind(prove(&witness[..100])), ErrorKind::Input);
    let other = fs::read(fixture("bn128_semaphore20_ceremony").join("witness.wtns")).unwrap();
    assert_eq!(kind(prove(&other)), ErrorKind::WitnessLength);
    // The last value is a factor: another one satisfies no constraint.
    let mut wrong = witness.clone();
    let at = wrong.len() - 32;
    wrong[at] ^= 1;
    assert_eq!(kind(prove(&wrong)), ErrorKind::Invalid);
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(kind(key.prove(Source::Bytes(&witness), &cancel)), ErrorKind::Cancelled);
    assert_eq!(device("cuda:77").unwrap_err().kind, ErrorKind::Device);
    let cpu = device("cpu").unwrap();
    let load =
        |source: Source<'_>| Key::load(source, &cpu, &KeyOptions::default()).map(drop).unwrap_err().kind;
    assert_eq!(load(Source::Bytes(&[])), ErrorKind::Input);
    assert_eq!(load(Source::File(&fixture("nothing"))), ErrorKind::Input);
    assert_eq!(load(Source::File(&fixture("bn128_mult"))), ErrorKind::Input);
    // One of several is wrong, the others are proven.
    let results = key.prove_batch(
        &[Source::Bytes(&witness), Source::Bytes(&wrong), Source::Bytes(&other), Source::Bytes(&witness)],
        &Cancel::default(),
    );
    let kinds: Vec<_> =
        results.into_iter().map(|result| result.map(drop).map_err(|error| error.kind)).collect();
    assert_eq!(kinds, [Ok(()), Err(ErrorKind::Invalid), Err(ErrorKind::WitnessLength), Ok(())]);
    let ended = key.prove_batch(&[Source::Bytes(&witness)], &cancel);
    assert!(ended.into_iter().all(|result| kind(result) == ErrorKind::Cancelled));
}

/// Which is listed, whether it can be used or not; another ordinal than there is tells what to do.
#[test]
fn adapters_are_devices_where_the_build_has_them() {
    let (_, listed) = devices().into_iter().find(|(name, _)| *name == "wgpu").unwrap();
    let error = device("wgpu:77").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Device, "{error}");
    if !cfg!(feature = "wgpu") {
        assert!(error.message.contains("without the feature `wgpu`; build"), "{error}");
        assert!(listed.is_err());
        return;
    }
    let expected = if listed.is_ok() { "adapters, counted from 0" } else { "install the driver" };
    assert!(error.message.contains("wgpu:77") && error.message.contains(expected), "{error}");
    let needed = std::env::var_os("CURVESMITH_NEED_WGPU").is_some();
    match listed {
        Ok(name) => assert_eq!(device("wgpu:0").unwrap().name(), name),
        Err(reason) => assert!(!needed, "{reason}"),
    }
}

#[test]
fn keys_are_found_by_content() {
    let keys = Keys::new(2);
    let cpu = device("cpu").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.zkey");
    let [bn, bls] = CIRCUITS.map(|circuit| fixture(circuit).join("circuit.zkey"));
    fs::copy(&bn, &copy).unwrap();
    let bytes = fs::read(&bn).unwrap();
    let first = keys.get(Source::File(&bn), &cpu).unwrap();
    for source in [Source::File(&bn), Source::File(&copy), Source::Bytes(&bytes)] {
        assert!(Arc::ptr_eq(&first, &keys.get(source, &cpu).unwrap()));
    }
    // A file with another content is another key, at once.
    fs::copy(&bls, &copy).unwrap();
    assert_eq!(keys.get(Source::File(&copy), &cpu).unwrap().curve(), "bls12_381");
    assert_eq!(keys.len(), 2);
    // The third content takes the place of the one that was used longest ago; what is no key leaves nothing.
    assert_eq!(keys.get(Source::Bytes(&bytes[..1000]), &cpu).unwrap_err().kind, ErrorKind::Input);
    let no_phase2 = fixture("bn128_no_phase2").join("circuit.zkey");
    assert!(!keys.get(Source::File(&no_phase2), &cpu).unwrap().weaknesses().is_empty());
    assert!(keys.len() <= 2);
    assert!(!Arc::ptr_eq(&first, &keys.get(Source::File(&bn), &cpu).unwrap()));
    keys.clear();
    assert!(keys.is_empty());
    // Where none is kept, each call has its own.
    let none = Keys::new(0);
    let [a, b] = [(); 2].map(|()| none.get(Source::File(&bn), &cpu).unwrap());
    assert!(!Arc::ptr_eq(&a, &b) && none.is_empty());
}

/// Two keys of one size on a device that has room for one and a half.
#[test]
fn where_the_device_has_no_room_other_keys_go() {
    let of = |bytes: u64| {
        let emulator = Emulator::new(EmulatorOptions::default().memory(bytes));
        (Device::on_emulator(emulator.clone(), None), emulator)
    };
    let [one, two] = ["bn128_mult", "bn128_no_phase2"].map(|circuit| fixture(circuit).join("circuit.zkey"));
    let keys = Keys::new(2);
    let get = |key: &Path, device: &Device| keys.get(Source::File(key), device);
    let (roomy, emulator) = of(1 << 30);
    get(&one, &roomy).unwrap();
    let first = emulator.memory_in_use();
    get(&two, &roomy).unwrap();
    let second = emulator.memory_in_use() - first;
    assert_eq!(keys.len(), 2);
    keys.clear();
    let (small, _) = of(first + second / 4);
    let dropped = Arc::downgrade(&get(&one, &small).unwrap());
    let held = get(&two, &small).unwrap();
    assert_eq!(keys.len(), 1);
    assert!(dropped.upgrade().is_none());
    // One that is in use lives on: there is no room, and the store has nothing of what failed.
    let error = get(&one, &small).unwrap_err();
    assert_eq!(error.kind, ErrorKind::DeviceMemory, "{error}");
    assert!(keys.is_empty());
    drop(held);
    assert!(get(&one, &small).is_ok());
}

#[test]
fn threads_that_ask_at_once_load_a_key_once() {
    let keys = Keys::new(2);
    let cpu = device("cpu").unwrap();
    let file = fixture("bn128_mult").join("circuit.zkey");
    let get = || keys.get(Source::File(&file), &cpu).unwrap();
    let found: Vec<Arc<Key>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(get)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.iter().all(|key| Arc::ptr_eq(key, &found[0])));
}
