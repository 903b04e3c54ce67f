//! What `verify` says, and with which code.

use super::{curvesmith, fixture};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const CASE: &str = "bn128_mult";
const FILES: [&str; 3] = ["verification_key.json", "public.json", "proof_snarkjs.json"];

/// Runs `verify` with file number `which` of a case replaced.
#[track_caller]
fn with(case: &str, which: usize, file: &Path, code: i32, message: &str) {
    let mut files = FILES.map(|name| fixture(case, name));
    files[which] = file.to_owned();
    let output = curvesmith().arg("verify").args(files).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.contains(message), "{text:?} does not contain {message:?}");
    assert_eq!(text.trim_end().lines().count(), usize::from(code != 0), "{text}");
}

#[test]
fn proofs_that_are_none_are_not_valid() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("file.json");
    let check = |case: &str, which: usize, text: &str, code: i32, message: &str| {
        fs::write(&path, text).unwrap();
        with(case, which, &path, code, message);
    };
    let [key, public, proof] = FILES.map(|name| fs::read_to_string(fixture(CASE, name)).unwrap());
    check(CASE, 2, &proof, 0, "");
    check(CASE, 1, &public, 0, "");
    check(CASE, 0, &key, 0, "");

    let value: serde_json::Value = serde_json::from_str(&proof).unwrap();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = value.clone();
        change(&mut value);
        value.to_string()
    };
    let (a, c) = (value["pi_a"].clone(), value["pi_c"].clone());
    check(CASE, 2, &changed(&|v| v["pi_a"] = c.clone()), 1, "the proof is not valid");
    check(CASE, 2, &changed(&|v| v["pi_a"][0] = a[1].clone()), 1, "off the curve");
    check(CASE, 2, &changed(&|v| v["pi_a"][0] = "01".into()), 1, "decimal string");
    check(CASE, 2, &changed(&|v| v["pi_a"][0] = "9".repeat(77).into()), 1, "decimal string");
    check(CASE, 2, &changed(&|v| v["pi_a"] = 1.into()), 1, "an array");
    check(CASE, 2, &changed(&|v| v["protocol"] = "plonk".into()), 1, "groth16");
    check(CASE, 2, &proof.replacen('{', "{\"pi_a\":[\"1\",\"2\",\"1\"],", 1), 1, "pi_a is given twice");
    check(CASE, 2, "{", 1, "not JSON");
    check(CASE, 2, "", 1, "not JSON");
    check(CASE, 2, "\u{feff}{}", 1, "not JSON");
    check(CASE, 2, &" ".repeat(1 << 17), 1, "larger than 65536 bytes");
    fs::write(&path, b"{\"pi_a\": \"\xff\"}").unwrap();
    with(CASE, 2, &path, 1, "not JSON");

    check(CASE, 1, "[]", 1, "expected 3 public inputs");
    check(CASE, 1, &public.replace(']', ",\"1\"]"), 1, "expected 3 public inputs");
    check(CASE, 1, "{}", 1, "an array");
    check(CASE, 1, "[1,2,3]", 1, "decimal string");
    check(CASE, 1, &public.replacen("\"", "\"0", 1), 1, "decimal string");
    check(CASE, 1, "[\"1\", \"1\", \"1\"]", 1, "the proof is not valid");

    check(CASE, 0, &proof, 2, "nPublic is missing");
    check(CASE, 0, "[]", 2, "an object");
    check(CASE, 0, "{", 2, "not JSON");
    let identity = "[\"0\",\"1\",\"0\"]";
    let value: serde_json::Value = serde_json::from_str(&key).unwrap();
    let mut without = value.clone();
    without["vk_alpha_1"] = serde_json::from_str(identity).unwrap();
    check(CASE, 0, &without.to_string(), 2, "key point alpha is the identity");
    let mut other = value;
    other["vk_alpha_1"] = c;
    check(CASE, 0, &other.to_string(), 1, "the proof is not valid");
}

/// (0, 2) has order 3 on y² = x³ + 4: fault of the proof in a proof, of the key in a key.
#[test]
fn points_outside_the_subgroup_are_judged_by_their_file() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("file.json");
    for (which, field, code) in [(2, "pi_a", 1), (2, "pi_c", 1), (0, "vk_alpha_1", 2)] {
        let text = fs::read_to_string(fixture("bls12381_mult", FILES[which])).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value[field] = serde_json::json!(["0", "2", "1"]);
        fs::write(&path, value.to_string()).unwrap();
        with("bls12381_mult", which, &path, code, &format!("{field} is outside the subgroup"));
    }
}

#[test]
fn files_that_cannot_be_read_are_bad_input() {
    let dir = TempDir::new().unwrap();
    for which in 0..3 {
        with(CASE, which, &dir.path().join("missing.json"), 2, "missing.json: No such file");
        with(CASE, which, dir.path(), 2, "is a directory");
        with(CASE, which, Path::new("/dev/zero"), 2, "not a regular file");
        with(CASE, which, Path::new("/dev/null"), 2, "not a regular file");
    }
}

/// A key before the second phase of its setup, γ = δ, and the proof (α, β, −Σ xᵢ·ICᵢ) that 3·11 is
/// 1000.
#[test]
fn keys_without_a_second_phase_are_warned_of_or_refused() {
    const WEAK: &str = "bn128_no_phase2";
    let seen = "anyone can make proofs under this key: gamma and delta are equal\n";
    let out = TempDir::new().unwrap();
    let files = ["verification_key.json", "public.json", "proof_forged.json"].map(|name| fixture(WEAK, name));
    let key = fixture(WEAK, "circuit.zkey");
    let says = |arguments: &[&Path], options: &[&str], code: i32, level: &str, path: &Path| {
        let output = curvesmith().args(arguments).args(options).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert_eq!(text, format!("{level}: {}: {seen}", path.display()));
        output.stdout
    };
    let verify = [Path::new("verify"), &files[0], &files[1], &files[2]];
    assert_eq!(says(&verify, &[], 0, "warning", &files[0]), b"valid proof\n");
    assert_eq!(says(&verify, &["--strict"], 2, "error", &files[0]), b"");
    let export = ["zkey", "export", "verificationkey"].map(Path::new);
    let export = [&export[..], &[&key, Path::new("-")]].concat();
    let exported = says(&export, &[], 0, "warning", &key);
    assert_eq!(String::from_utf8(exported).unwrap(), fs::read_to_string(&files[0]).unwrap());
    let (proof, public) = (out.path().join("proof.json"), out.path().join("public.json"));
    let witness = fixture(WEAK, "witness.wtns");
    let prove = [Path::new("prove"), &key, &witness, &proof, &public];
    says(&prove, &["--device", "cpu", "--strict"], 2, "error", &key);
    assert!(!proof.exists());
    says(&prove, &["--device", "cpu"], 0, "warning", &key);
    says(&[Path::new("verify"), &files[0], &public, &proof], &[], 0, "warning", &files[0]);
    // Others are not warned of.
    let sound = FILES.map(|name| fixture(CASE, name));
    let output = curvesmith().args(["verify", "--strict"]).args(sound).output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

/// Names that snarkjs reads, and points that are none.
#[test]
fn names_of_other_tools_are_read() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("file.json");
    for (case, which, from, to) in [
        (CASE, 0, "\"bn128\"", "\"bn254\""),
        (CASE, 2, "\"bn128\"", "\"bn254\""),
        (CASE, 0, "\"groth16\"", "\"groth\""),
        ("bls12381_mult", 0, "\"bls12381\"", "\"bls12_381\""),
    ] {
        let text = fs::read_to_string(fixture(case, FILES[which])).unwrap();
        assert!(text.contains(from));
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        with(case, which, &path, 0, "");
    }
    for (which, field, code) in [(2, "pi_c", 1), (0, "vk_alpha_1", 2)] {
        let text = fs::read_to_string(fixture(CASE, FILES[which])).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value[field] = serde_json::json!(["0", "0", "1"]);
        fs::write(&path, value.to_string()).unwrap();
        with(CASE, which, &path, code, &format!("{field} is off the curve"));
    }
}

#[test]
fn help_tells_the_codes() {
    for arguments in [&["--help"][..], &["verify", "--help"]] {
        let output = curvesmith().args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("Exit codes:\n  0 "), "{text}");
    }
}

/// What a file that was made for it makes of memory: the process has 600 MB of addresses.
#[cfg(target_os = "linux")]
#[test]
fn hostile_json_takes_little_memory() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("file.json");
    let run = |which: usize, code: i32, message: &str| {
        let mut files: [PathBuf; 3] = FILES.map(|name| fixture(CASE, name));
        files[which] = path.clone();
        let output = std::process::Command::new("sh")
            .args(["-c", "ulimit -v 600000; exec \"$0\" verify \"$@\"", env!("CARGO_BIN_EXE_curvesmith")])
            .args(files)
            .env("RAYON_NUM_THREADS", "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(message) && text.trim_end().lines().count() == 1, "{text}");
    };
    let objects = format!("[{{}}{}]", ",{\"\":0}".repeat(8 << 20));
    fs::write(&path, &objects).unwrap();
    run(2, 1, "larger than 65536 bytes");
    run(1, 1, "larger than 68608 bytes");
    run(0, 2, "too many values");
    // As many values as a file may have.
    fs::write(&path, format!("[\"\"{}]", ",\"0\"".repeat(8 << 20))).unwrap();
    run(0, 2, "the file is an array, expected an object");
    fs::write(&path, format!("{{\"curve\":\"bn128\",\"protocol\":\"{}\"}}", "9".repeat(60 << 20))).unwrap();
    run(0, 2, "bytes)");
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    run(0, 2, "larger than 67108864 bytes");
}
