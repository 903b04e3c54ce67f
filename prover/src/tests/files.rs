//! Fixture files read, and written back byte for byte.

use super::{BLS_MULT, BN_MULT, SEMAPHORE, bls12_381, bn254, fixture};
use crate::snarkjs::json::{JsonFile, proof_to_json, public_to_json, verification_key_to_json};
use crate::snarkjs::{ZkeyCurve, ZkeyFile, read_witness};
use crate::{VerifyError, verify};
use ark_ec::AffineRepr as _;
use ark_ff::{One, Zero};
use curvesmith_runtime::field::Field;

fn json_files_round_trip<C: ZkeyCurve>(case: &str) {
    let text = |name| std::fs::read_to_string(fixture(case, name)).unwrap();
    let file = |name| JsonFile::read(&fixture(case, name)).unwrap();
    let vk = file("verification_key.json").verification_key::<C>().unwrap();
    // Semaphore's publishers indent by two and end with a newline: the same value in another layout.
    let expected = match case {
        SEMAPHORE => {
            let lines = text("verification_key.json").lines().map(halve_indent).collect::<Vec<_>>();
            lines.join("\n")
        }
        _ => text("verification_key.json"),
    };
    assert_eq!(verification_key_to_json::<C>(&vk), expected);
    let count = vk.gamma_abc_g1.len() - 1;
    let public = file("public.json").public::<C>(count).unwrap();
    assert_eq!(public_to_json::<C>(&public), text("public.json"));
    let proof = file("proof_snarkjs.json").proof::<C>().unwrap();
    assert_eq!(proof_to_json::<C>(&proof), text("proof_snarkjs.json"));
    verify::<C>(&vk, &public, &proof).unwrap();

    let key = ZkeyFile::open(&fixture(case, "circuit.zkey")).unwrap().read::<C>(false).unwrap();
    assert_eq!(key.vk, vk);
    let witness = read_witness::<<C::Fr as Field>::Ark>(&fixture(case, "witness.wtns"), None).unwrap();
    assert_eq!(witness.len(), key.dimensions.wires as usize);
    assert_eq!(witness[1..=count], public);
    // The constraints hold: (A w)(B w) = (C w) is not in the file, but the rows that bind
    // public inputs are, and give the inputs back.
    let product = |m: &curvesmith_runtime::Csr<<C::Fr as Field>::Ark>, row: usize| {
        let range = m.row_offsets[row] as usize..m.row_offsets[row + 1] as usize;
        range.map(|i| m.values[i] * witness[m.columns[i] as usize]).sum::<<C::Fr as Field>::Ark>()
    };
    let last = (0..key.a.rows()).rev().find(|r| key.a.row_offsets[*r] < key.a.row_offsets[*r + 1]).unwrap();
    for s in 0..=count {
        assert_eq!(product(&key.a, last - count + s), witness[s]);
    }
}

/// What was opened is written to before all of it is read.
#[cfg(unix)]
#[test]
fn files_that_change_are_refused() {
    use crate::snarkjs::{FormatError, R1csFile, WtnsError, ZkeyError};
    use std::fs::{File, OpenOptions};
    use std::os::unix::fs::FileExt;
    use std::time::{Duration, SystemTime};
    type Change = fn(&File);
    let open = |path: &std::path::Path| OpenOptions::new().write(true).open(path).unwrap();
    let key = std::env::temp_dir().join(format!("curvesmith-{}.zkey", std::process::id()));
    let copy = || std::fs::copy(fixture(BN_MULT, "circuit.zkey"), &key).unwrap();
    let later = || SystemTime::now() + Duration::from_secs(5);
    let changes: [Change; 4] = [
        |file| file.set_len(file.metadata().unwrap().len() / 2).unwrap(),
        |file| file.set_len(file.metadata().unwrap().len() + 1).unwrap(),
        |file| file.set_len(0).unwrap(),
        |file| {
            // The last byte of a point of H, in the same length.
            file.write_all_at(&[0xff], file.metadata().unwrap().len() - 300).unwrap();
        },
    ];
    for change in changes {
        copy();
        let opened = ZkeyFile::open(&key).unwrap();
        opened.read::<bn254::Curve>(false).unwrap();
        change(&open(&key));
        open(&key).set_modified(later()).unwrap();
        let found = opened.read::<bn254::Curve>(true).map(|_| ());
        assert!(matches!(found, Err(ZkeyError { problem: FormatError::Changed, .. })), "{found:?}");
        let found = opened.read_verifying_key::<bn254::Curve>().map(|_| ());
        assert!(matches!(found, Err(ZkeyError { problem: FormatError::Changed, .. })), "{found:?}");
    }
    // One that is replaced stays what it was for whoever has opened it.
    copy();
    let opened = ZkeyFile::open(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    std::fs::write(&key, "another").unwrap();
    opened.read::<bn254::Curve>(false).unwrap();
    // A writer that does not end.
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::fs::copy(fixture(SEMAPHORE, "witness.wtns"), &key).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (file, mut i) = (open(&key), 0);
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                i += 1;
                file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(i)).unwrap();
            }
        });
        let read = || read_witness::<ark_bn254::Fr>(&key, None).map(|_| ());
        let seen = (0..1000).map(|_| read()).find(Result::is_err);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(seen, Some(Err(WtnsError { problem: FormatError::Changed, .. }))), "{seen:?}");
    });
    std::fs::remove_file(&key).unwrap();
    let _: fn(&std::path::Path) -> Result<R1csFile, _> = R1csFile::open;
}

fn halve_indent(line: &str) -> String {
    let text = line.trim_start();
    format!("{}{text}", " ".repeat((line.len() - text.len()) / 2))
}

#[test]
fn fixtures_round_trip() {
    json_files_round_trip::<bn254::Curve>(BN_MULT);
    json_files_round_trip::<bls12_381::Curve>(BLS_MULT);
    json_files_round_trip::<bn254::Curve>(SEMAPHORE);
}

#[test]
fn verify_refuses_what_ark_groth16_lets_pass() {
    type C = bn254::Curve;
    let file = |name| JsonFile::read(&fixture(BN_MULT, name)).unwrap();
    let vk = file("verification_key.json").verification_key::<C>().unwrap();
    let public = file("public.json").public::<C>(3).unwrap();
    let proof = file("proof_snarkjs.json").proof::<C>().unwrap();

    let mut extra = public.clone();
    extra.push(ark_bn254::Fr::one());
    let found = verify::<C>(&vk, &extra, &proof);
    assert!(matches!(found, Err(VerifyError::InputCount { expected: 3, found: 4 })), "{found:?}");
    assert!(verify::<C>(&vk, &public[..2], &proof).is_err());

    let mut other = public.clone();
    other[1] += ark_bn254::Fr::one();
    assert!(matches!(verify::<C>(&vk, &other, &proof), Err(VerifyError::NotValid)));

    let mut off = proof.clone();
    off.a.y += ark_bn254::Fq::one();
    assert!(matches!(verify::<C>(&vk, &public, &off), Err(VerifyError::Point { .. })));

    let mut outside = proof;
    outside.b = point_outside_subgroup();
    assert!(matches!(verify::<C>(&vk, &public, &outside), Err(VerifyError::Point { .. })));
}

/// A point of E'(Fq2) that is not in G2: almost every one is.
fn point_outside_subgroup() -> ark_bn254::G2Affine {
    let mut x = ark_bn254::Fq2::zero();
    loop {
        x += ark_bn254::Fq2::one();
        if let Some(point) = ark_bn254::G2Affine::get_point_from_x_unchecked(x, false) {
            assert!(!point.is_in_correct_subgroup_assuming_on_curve());
            return point;
        }
    }
}

#[test]
fn json_refuses_what_is_not_canonical() {
    type C = bn254::Curve;
    let text = std::fs::read_to_string(fixture(BN_MULT, "proof_snarkjs.json")).unwrap();
    let parse = |text: &str| JsonFile::parse("proof.json".as_ref(), text).and_then(|f| f.proof::<C>());
    parse(&text).unwrap();
    let x = "21585250728881709581676310721236544349818270716563219159632778313702049999350";
    let q = crate::snarkjs::modulus::<ark_bn254::Fq>();
    let x_plus_q = (x.parse::<num_bigint::BigUint>().unwrap() + q).to_string();
    for (from, to, names) in [
        (x, x_plus_q.as_str(), "pi_a[0]"),
        (x, "021585250728881709581676310721236544349818270716563219159632778313702049999350", "pi_a[0]"),
        (x, "-1", "pi_a[0]"),
        (x, "0x10", "pi_a[0]"),
        (x, "", "pi_a[0]"),
        (x, "1", "pi_a"),
        ("groth16", "plonk", "protocol"),
        ("bn128", "bls12381", "curve"),
        ("\"pi_c\"", "\"pi_d\"", "pi_c"),
        ("   \"0\"\n", "   \"1\"\n", "pi_b[2]"),
        ("groth16", "groth17", "protocol"),
        ("bn128", "bn1284", "curve"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from} is in the file");
        let error = parse(&changed).unwrap_err().to_string();
        assert!(error.starts_with(&format!("proof.json: {names} is ")), "{error}");
    }
    for (from, to) in [("bn128", "bn254"), ("bn128", "BN254"), ("bn128", "alt_bn128"), ("groth16", "groth")] {
        assert_eq!(parse(&text.replacen(from, to, 1)).unwrap(), parse(&text).unwrap(), "{to}");
    }
    // The identity has one spelling.
    let mut proof: serde_json::Value = serde_json::from_str(&text).unwrap();
    proof["pi_c"] = serde_json::json!(["0", "1", "0"]);
    assert!(parse(&proof.to_string()).unwrap().c.is_zero());
    for (name, zero) in [
        ("pi_c", serde_json::json!(["0", "0", "1"])),
        ("pi_b", serde_json::json!([["0", "0"], ["0", "0"], ["1", "0"]])),
    ] {
        let mut proof = proof.clone();
        proof[name] = zero;
        let error = parse(&proof.to_string()).unwrap_err().to_string();
        assert_eq!(error, format!("proof.json: {name} is off the curve, expected a point on the curve"));
    }
    assert_eq!(crate::snarkjs::json::public_to_json::<C>(&[]), "[\n]");
    assert!(parse(&format!("[{}]", "[".repeat(100_000))).is_err());
    let long = text.replacen(x, &"9".repeat(1 << 20), 1);
    assert!(parse(&long).unwrap_err().to_string().len() < 200);

    let public =
        |text: &str, count| JsonFile::parse("public.json".as_ref(), text).and_then(|f| f.public::<C>(count));
    let r = crate::snarkjs::modulus::<ark_bn254::Fr>();
    public("[\"1\"]", 1).unwrap();
    assert!(public("[\"1\"]", 2).is_err());
    assert!(public("[1]", 1).is_err());
    assert!(public(&format!("[\"{r}\"]"), 1).is_err());
}
