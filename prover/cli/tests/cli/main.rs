//! The binary as its users see it: files, exit codes, one-line errors.

#![allow(clippy::unwrap_used, reason = "helpers of tests, which may")]

#[cfg(target_os = "linux")]
mod crowd;
mod hostile;
mod outputs;
mod serve;
mod streams;
mod tune;
mod verdicts;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod worker;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const CASES: [&str; 3] = ["bn128_mult", "bls12381_mult", "bn128_semaphore20_ceremony"];

fn fixture(case: &str, file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(case).join(file)
}

fn curvesmith() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curvesmith"));
    // A layer of Mesa's would write to standard error where there is no desktop.
    command.env("NODEVICE_SELECT", "1");
    command
}

/// `prove` with outputs `proof.json` and `public.json` in `out`.
fn prove(key: &Path, witness: &Path, out: &Path, options: &[&str]) -> Output {
    let files = [key.to_owned(), witness.to_owned(), out.join("proof.json"), out.join("public.json")];
    curvesmith().arg("prove").args(files).args(options).output().unwrap()
}

fn verify(case: &str, out: &Path) -> Output {
    let key = fixture(case, "verification_key.json");
    curvesmith()
        .arg("verify")
        .arg(key)
        .args(["public.json", "proof.json"].map(|f| out.join(f)))
        .output()
        .unwrap()
}

/// The command failed with this code and one line, which holds `message`, and left no file.
#[track_caller]
fn failed(output: &Output, code: i32, message: &str, out: &Path) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.starts_with("error: ") && text.trim_end().lines().count() == 1, "{text}");
    assert!(text.contains(message), "{text:?} does not contain {message:?}");
    let left: Vec<_> = fs::read_dir(out).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn proves_and_verifies_the_fixtures() {
    for case in CASES {
        let out = TempDir::new().unwrap();
        let (key, witness) = (fixture(case, "circuit.zkey"), fixture(case, "witness.wtns"));
        let output = prove(&key, &witness, out.path(), &["--device", "cpu", "--stats=json"]);
        assert!(output.status.success(), "{output:?}");
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(stats["device"], "cpu");
        let stages = stats["stages"].as_array().unwrap();
        let msm = stages.iter().find(|stage| stage["name"] == "msm h").unwrap();
        assert!(msm["host_s"].as_f64().unwrap() > 0.0);
        let public = fs::read(out.path().join("public.json")).unwrap();
        assert_eq!(public, fs::read(fixture(case, "public.json")).unwrap());
        assert_eq!(verify(case, out.path()).status.code(), Some(0));

        let public = String::from_utf8(public).unwrap();
        let at = public.rfind(|c: char| c.is_ascii_digit()).unwrap();
        let digit = if &public[at..=at] == "1" { "2" } else { "1" };
        let other = format!("{}{digit}{}", &public[..at], &public[at + 1..]);
        fs::write(out.path().join("public.json"), other).unwrap();
        let output = verify(case, out.path());
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("the proof is not valid"));
    }
}

#[test]
fn a_trace_shows_every_stream_of_a_proof() {
    let (out, files) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (key, witness) = (fixture("bn128_mult", "circuit.zkey"), fixture("bn128_mult", "witness.wtns"));
    let trace = files.path().join("trace.json");
    let options = ["--device", "emulator", "--stats", "--trace", trace.to_str().unwrap()];
    let output = prove(&key, &witness, out.path(), &options);
    assert!(output.status.success(), "{output:?}");
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("launches") && table.contains("msm b2"), "{table}");
    assert!(table.contains(", device busy for "), "{table}");
    let trace: serde_json::Value = serde_json::from_slice(&fs::read(trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let rows =
        |name: &str| events.iter().filter(|e| e["name"] == name).map(|e| &e["tid"]).collect::<Vec<_>>();
    // The sums over A, B (twice), L and H have streams of their own.
    let accumulations = [rows("bn254_g1_accumulate"), rows("bn254_g2_accumulate")].concat();
    let streams: std::collections::BTreeSet<_> = accumulations.iter().map(|row| row.as_u64()).collect();
    assert_eq!((accumulations.len(), streams.len()), (5, 5));
    for name in ["upload", "download", "self-check", "bn254_fr_spmv_thread"] {
        assert!(!rows(name).is_empty(), "{name}");
    }

    let (out, twice) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let proof = out.path().join("proof.json");
    let output = prove(&key, &witness, out.path(), &["--device", "cpu", "--trace", proof.to_str().unwrap()]);
    failed(&output, 2, "is the same file as", out.path());
    let bad = twice.path().join("no/such/folder");
    let output = prove(&key, &witness, out.path(), &["--device", "cpu", "--trace", bad.to_str().unwrap()]);
    failed(&output, 2, "cannot be written", out.path());
}

#[test]
fn bench_measures_a_range_of_sizes() {
    for (options, launches) in [(vec!["msm", "--group", "g2"], true), (vec!["ntt", "--resident"], true)] {
        let common = ["--curve", "bn254", "--log-n", "3..4", "--runs", "1", "--device", "emulator", "--json"];
        let output = curvesmith().arg("bench").args(&options).args(common).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.iter().map(|line| line["log_n"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 4]);
        assert!(lines.iter().all(|line| line["curve"] == "bn254"), "{text}");
        let busy = lines.iter().map(|line| line["busy_share"].as_f64().unwrap());
        assert!(busy.into_iter().all(|share| share > 0.0 && share <= 1.0), "{text}");
        assert_eq!(lines.iter().all(|line| line["launches"].as_u64().unwrap() > 0), launches);
    }
    let sha256 = "bench groth16 --circuit sha256 --curve bn254 --log-n 3 --runs 1 --device cpu --json";
    let output = curvesmith().args(sha256.split(' ')).output().unwrap();
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.starts_with("note: 2^3: making a key") && notes.lines().count() == 2, "{notes}");
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["circuit"], &line["log_n"]), (&"sha256".into(), &3.into()));
    let bad = ["bench", "ntt", "--curve", "bn254", "--log-n", "9..3"];
    assert_eq!(curvesmith().args(bad).output().unwrap().status.code(), Some(2));
}

/// What a field has no domain for is a fault of the arguments, found before anything is done or
/// printed.
#[test]
fn bench_refuses_sizes_that_are_none() {
    let refused = |arguments: &str, message: &str| {
        let output = curvesmith().arg("bench").args(arguments.split(' ')).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
        assert!(text.contains(message), "{arguments}: {text}");
        assert!(output.stdout.is_empty(), "{arguments}");
    };
    for size in ["29", "0", "1..29", "x"] {
        refused(&format!("msm --curve bn254 --log-n {size} --device cpu"), "is not in 1..28");
    }
    // There is no such device: sizes come first, so these are taken.
    for size in [
        "ntt --curve bn254 --log-n 28",
        "ntt --curve bls12-381 --log-n 27..28",
        "msm --curve bn254 --log-n 28",
    ] {
        let output =
            curvesmith().arg("bench").args(size.split(' ')).args(["--device", "cuda:4000000000"]).output();
        assert_eq!(output.unwrap().status.code(), Some(3), "{size}");
    }
    // A window is for its plan to refuse.
    let window = "bench msm --curve bn254 --log-n 3 --window 24 --runs 1 --device emulator";
    let output = curvesmith().args(window.split(' ')).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    #[cfg(feature = "grumpkin")]
    refused("ntt --curve grumpkin --log-n 1..2 --device cpu", "expected at most 1 on grumpkin");
    #[cfg(feature = "secp256r1")]
    refused("ntt --curve secp256r1 --log-n 5 --device cpu", "expected at most 4 on secp256r1");
}

#[cfg(all(feature = "jubjub", feature = "secp256r1"))]
#[test]
fn bench_takes_curves_without_a_pairing() {
    let bench = |algorithm: &[&str], curve: &str| {
        let common = ["--curve", curve, "--log-n", "3", "--runs", "1", "--device", "emulator", "--json"];
        curvesmith().arg("bench").args(algorithm).args(common).output().unwrap()
    };
    for (algorithm, curve) in [("msm", "jubjub"), ("msm", "p256"), ("spmv", "jubjub")] {
        let output = bench(&[algorithm], curve);
        assert!(output.status.success(), "{algorithm} {curve}: {output:?}");
    }
    for algorithm in [&["groth16"][..], &["msm", "--group", "g2"]] {
        let output = bench(algorithm, "jubjub");
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("jubjub has no pairing"), "{text}");
    }
}

#[test]
fn a_wrong_witness_gives_no_proof() {
    let out = TempDir::new().unwrap();
    let files = TempDir::new().unwrap();
    let key = fixture("bn128_mult", "circuit.zkey");
    let good = fs::read(fixture("bn128_mult", "witness.wtns")).unwrap();
    let witness = files.path().join("wrong.wtns");
    let mut wrong = good.clone();
    let last = wrong.len() - 32;
    wrong[last] ^= 1;
    fs::write(&witness, &wrong).unwrap();
    let output = prove(&key, &witness, out.path(), &["--device", "cpu"]);
    failed(&output, 1, "witness or key at fault", out.path());

    let output = prove(&key, &witness, out.path(), &["--device", "cpu", "--no-self-check"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(verify("bn128_mult", out.path()).status.code(), Some(1));
}

#[test]
fn bad_input_is_one_line_and_no_file() {
    let out = TempDir::new().unwrap();
    let files = TempDir::new().unwrap();
    let (key, witness) = (fixture("bn128_mult", "circuit.zkey"), fixture("bn128_mult", "witness.wtns"));
    let check = |key: &Path, witness: &Path, message: &str| {
        failed(&prove(key, witness, out.path(), &["--device", "cpu"]), 2, message, out.path());
    };
    check(&fixture("bls12381_mult", "circuit.zkey"), &witness, "witness.wtns: section 1 (header)");
    check(
        &fixture("bn128_semaphore20_ceremony", "circuit.zkey"),
        &witness,
        "witness has 5 values, but the circuit has 6454 wires",
    );
    check(&witness, &witness, "begins with `zkey`");
    check(&key, &key, "begins with `wtns`");
    check(Path::new("/nonexistent.zkey"), &witness, "/nonexistent.zkey: No such file");
    check(files.path(), &witness, "is a directory");
    check(Path::new("/dev/zero"), &witness, "not a regular file");
    let mut plonk = fs::read(&key).unwrap();
    plonk[24] = 2;
    let plonk_path = files.path().join("plonk.zkey");
    fs::write(&plonk_path, plonk).unwrap();
    check(&plonk_path, &witness, "plonk key, expected groth16");

    let output = curvesmith().args(["prove", "a", "b", "c", "d", "--device", "tpu"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = curvesmith().args(["bench", "ntt", "--curve", "bn254", "--log-n", "99"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn outputs_that_cannot_be_written_leave_nothing() {
    let out = TempDir::new().unwrap();
    let (key, witness) = (fixture("bn128_mult", "circuit.zkey"), fixture("bn128_mult", "witness.wtns"));
    let run = |proof: &str, public: &str| {
        let mut command = curvesmith();
        command.arg("prove").args([&key, &witness]).args(["--device", "cpu"]);
        command.current_dir(out.path()).args([proof, public]).output().unwrap()
    };
    failed(&run("missing/proof.json", "public.json"), 2, "missing/proof.json: cannot be written", out.path());
    failed(
        &run("proof.json", "missing/public.json"),
        2,
        "missing/public.json: cannot be written",
        out.path(),
    );
    failed(&run("same.json", "same.json"), 2, "given for both outputs", out.path());
    failed(&run("proof.json", "."), 2, "not a regular file", out.path());
    failed(
        &run("/dev/null", "public.json"),
        2,
        "/dev/null: cannot be written: not a regular file",
        out.path(),
    );
    assert!(!Path::new("/dev/null").is_file());
}

/// A disk without room, as a limit on the size of files.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing() {
    let out = TempDir::new().unwrap();
    let script = "ulimit -f 0; exec \"$0\" prove \"$@\" --device cpu";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_curvesmith")])
        .args([fixture("bn128_mult", "circuit.zkey"), fixture("bn128_mult", "witness.wtns")])
        .args([out.path().join("proof.json"), out.path().join("public.json")])
        .output()
        .unwrap();
    failed(&output, 3, "proof.json: cannot be written: ", out.path());
}

#[test]
fn files_of_another_kind_do_not_verify() {
    let check = |files: [PathBuf; 3], code: i32, message: &str| {
        let output = curvesmith().arg("verify").args(files).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(message), "{text}");
    };
    let [bn, bls, semaphore] = ["bn128_mult", "bls12381_mult", "bn128_semaphore20_ceremony"];
    let (key, public, proof) = ("verification_key.json", "public.json", "proof_snarkjs.json");
    check(
        [fixture(bn, key), fixture(bn, public), fixture(bls, proof)],
        1,
        "curve is \"bls12381\", expected bn128",
    );
    check([fixture(bn, key), fixture(semaphore, public), fixture(bn, proof)], 1, "expected 3 public inputs");
    check([fixture(bn, proof), fixture(bn, public), fixture(bn, proof)], 2, "nPublic is missing");
    check([fixture(bn, "circuit.zkey"), fixture(bn, public), fixture(bn, proof)], 2, "not JSON");
}

#[test]
fn lists_curves_and_devices() {
    let curves = String::from_utf8(curvesmith().arg("curves").output().unwrap().stdout).unwrap();
    let all = [
        "bandersnatch",
        "bls12_377",
        "bls12381",
        "bls24_315",
        "bn254",
        "bn462",
        "bw6_761",
        "curve25519",
        "grumpkin",
        "jubjub",
        "mnt4_298",
        "mnt4_753",
        "mnt6_298",
        "mnt6_753",
        "pallas",
        "secp256k1",
        "secp256r1",
        "vesta",
    ];
    let names = if cfg!(feature = "all-curves") { &all[..] } else { &["bls12381", "bn254"] };
    for curve in names {
        assert!(curves.contains(curve), "{curves}");
    }
    let devices = curvesmith().arg("devices").output().unwrap();
    assert!(devices.status.success());
    let devices = String::from_utf8_lossy(&devices.stdout);
    assert!(devices.contains("cpu       usable, ") && devices.contains("\nwgpu      "), "{devices}");
}

#[test]
fn an_adapter_that_is_not_there_is_named() {
    let out = TempDir::new().unwrap();
    let [key, witness] = ["circuit.zkey", "witness.wtns"].map(|file| fixture("bn128_mult", file));
    let output = prove(&key, &witness, out.path(), &["--device", "wgpu:77"]);
    let message = match (cfg!(feature = "wgpu"), std::env::var_os("CURVESMITH_NEED_WGPU").is_some()) {
        (false, _) => "wgpu:77: this program was built without the feature `wgpu`; build",
        (true, true) => "adapters, counted from 0",
        (true, false) => "wgpu:77: ",
    };
    failed(&output, 3, message, out.path());
}

/// The processor's instructions can be chosen, and are named; a name that means nothing is an error.
#[test]
fn tiers_of_the_processor() {
    let with = |tier: &str, arguments: &[&str]| {
        let mut command = curvesmith();
        command.args(arguments).env("CURVESMITH_CPU_TIER", tier).output().unwrap()
    };
    let devices = with("scalar", &["devices"]);
    assert!(String::from_utf8_lossy(&devices.stdout).contains("cpu       usable, scalar\n"));
    let out = tempfile::tempdir().unwrap();
    let files = [fixture("bn128_mult", "circuit.zkey"), fixture("bn128_mult", "witness.wtns")];
    let [key, witness] = files.each_ref().map(|path| path.to_str().unwrap());
    let [proof, public] = ["proof.json", "public.json"].map(|name| out.path().join(name));
    let paths = [key, witness, proof.to_str().unwrap(), public.to_str().unwrap()];
    let options = [&["prove"], &paths[..], &["--device", "cpu", "--stats=json"]].concat();
    let refused = with("avx9", &options);
    failed(&refused, 3, "CURVESMITH_CPU_TIER: `avx9` is none; there are: scalar, ", out.path());
    let proved = with("scalar", &options);
    let stats: serde_json::Value = serde_json::from_slice(&proved.stdout).unwrap();
    assert_eq!(stats["tier"], "scalar");
}
