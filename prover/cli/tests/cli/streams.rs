//! Standard input and output in place of files, snarkjs' names, and what the command line says of itself.

use super::{CASES, curvesmith, fixture};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const CASE: &str = "bn128_mult";

/// Runs a command with this on standard input.
fn run(arguments: &[&Path], input: &[u8]) -> Output {
    let mut child = curvesmith()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // One that ends without reading is not at fault.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

#[track_caller]
fn refused(output: &Output, code: i32, message: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.contains(message) && text.trim_end().lines().count() == 1, "{text:?} has no {message:?}");
}

#[test]
fn a_proof_goes_through_pipes() {
    let dir = TempDir::new().unwrap();
    let [key, witness, vk, public] = ["circuit.zkey", "witness.wtns", "verification_key.json", "public.json"]
        .map(|name| fixture(CASE, name));
    let (dash, prove, verify) = (Path::new("-"), Path::new("prove"), Path::new("verify"));
    let bytes = fs::read(&witness).unwrap();
    let file = dir.path().join("file.json");
    let proof = run(&[prove, &key, dash, dash, &file], &bytes);
    assert!(proof.status.success(), "{proof:?}");
    assert_eq!(fs::read(&file).unwrap(), fs::read(&public).unwrap());
    let valid = run(&[verify, &vk, &file, dash], &proof.stdout);
    assert_eq!((valid.status.code(), &*valid.stdout), (Some(0), &b"valid proof\n"[..]));
    refused(&run(&[verify, &vk, &file, dash], b"{}"), 1, "standard input: protocol is missing");
    refused(
        &run(&[verify, &vk, &file, dash], &[b' '; 1 << 17]),
        1,
        "standard input: larger than 65536 bytes",
    );
    fs::write(&file, &proof.stdout).unwrap();
    assert!(run(&[verify, &vk, dash, &file], &fs::read(&public).unwrap()).status.success());
    assert!(run(&[verify, dash, &public, &file], &fs::read(&vk).unwrap()).status.success());
    let printed = run(&[prove, &key, &witness, &file, dash], b"");
    assert_eq!(printed.stdout, fs::read(&public).unwrap());

    fs::remove_file(&file).unwrap();
    refused(&run(&[prove, &key, &witness, dash, dash], b""), 2, "-: given for both outputs");
    refused(&run(&[verify, dash, dash, &file], b""), 2, "-: given for more than one input");
    let stats = Path::new("--stats");
    refused(&run(&[prove, &key, &witness, dash, &file, stats], b""), 2, "standard output is taken");
    refused(&run(&[prove, &key, dash, dash, &file], b"wtns"), 2, "standard input: the file header");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_proof_that_cannot_be_printed_leaves_nothing() {
    let dir = TempDir::new().unwrap();
    let output = curvesmith()
        .arg("prove")
        .args(["circuit.zkey", "witness.wtns"].map(|name| fixture(CASE, name)))
        .arg("-")
        .arg(dir.path().join("public.json"))
        .args(["--device", "cpu"])
        .stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
        .output()
        .unwrap();
    refused(&output, 2, "standard output: cannot be written");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Standard output is closed: nothing is done whose result would be lost, and the rest is as ever.
#[test]
fn a_closed_standard_output_is_told_before_any_work() {
    let dir = TempDir::new().unwrap();
    let [zkey, wtns] = ["circuit.zkey", "witness.wtns"].map(|file| fixture(CASE, file));
    let [proof, public] = ["proof.json", "public.json"].map(|file| dir.path().join(file));
    let run = |command: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec \"$0\" {command} >&-"), env!("CARGO_BIN_EXE_curvesmith")]);
        shell.args([&zkey, &wtns, &proof, &public]).stdin(Stdio::null()).output().unwrap()
    };
    for command in [
        "curves",
        "bench msm --curve bn254 --log-n 4 --device cpu",
        "serve --device cpu",
        "zkey export verificationkey $1 -",
        "prove --device cpu $1 $2 $3 -",
    ] {
        refused(&run(command), 2, "standard output: is closed");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let files = run("prove --device cpu $1 $2 $3 $4");
    assert_eq!(files.status.code(), Some(0), "{files:?}");
    let asked_for = Command::new("sh")
        .args(["-c", "exec \"$0\" curves 1<>/dev/null", env!("CARGO_BIN_EXE_curvesmith")])
        .output();
    assert_eq!(asked_for.unwrap().status.code(), Some(0));
}

fn unindented(text: &[u8]) -> Vec<&str> {
    std::str::from_utf8(text).unwrap().lines().map(str::trim_start).collect()
}

#[test]
fn the_verification_key_is_that_of_snarkjs() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("vk.json");
    for case in CASES {
        let (key, expected) =
            (fixture(case, "circuit.zkey"), fs::read(fixture(case, "verification_key.json")).unwrap());
        let export = ["zkey", "export", "verificationkey"];
        let output = curvesmith().args(export).args([&key, &path]).output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        let written = fs::read(&path).unwrap();
        match case {
            // Its publishers indent by two and end with a newline.
            "bn128_semaphore20_ceremony" => assert!(unindented(&written) == unindented(&expected)),
            _ => assert!(written == expected, "{case}"),
        }
        let output = curvesmith().args(export).arg(&key).arg("-").output().unwrap();
        assert!(output.stdout == written, "{case}");
        fs::remove_file(&path).unwrap();
        refused(&curvesmith().args(export).args([&key, &key]).output().unwrap(), 2, "is the same file as");
        let witness = fixture(case, "witness.wtns");
        let output = curvesmith().args(export).args([&witness, &path]).output().unwrap();
        refused(&output, 2, "begins with `zkey`");
    }
    // (0, 2) has order 3: in Montgomery form, the last point of section 3.
    let mut key = fs::read(fixture("bls12381_mult", "circuit.zkey")).unwrap();
    let (at, size) = super::hostile::section(&key, 3);
    key[at + size - 96..at + size].copy_from_slice(&super::hostile::point_of_order_3());
    let crafted = dir.path().join("crafted.zkey");
    fs::write(&crafted, key).unwrap();
    let output =
        curvesmith().args(["zkey", "export", "verificationkey"]).args([&crafted, &path]).output().unwrap();
    refused(&output, 2, "is outside the subgroup of order r");
    assert!(!path.exists());
}

#[test]
fn snarkjs_names_do_the_same() {
    let dir = TempDir::new().unwrap();
    let [proof, public] = ["proof.json", "public.json"].map(|name| dir.path().join(name));
    let [key, witness, vk] =
        ["circuit.zkey", "witness.wtns", "verification_key.json"].map(|name| fixture(CASE, name));
    let output =
        curvesmith().args(["groth16", "prove"]).args([&key, &witness, &proof, &public]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let verify = || curvesmith().args(["groth16", "verify"]).args([&vk, &public, &proof]).output().unwrap();
    assert!(verify().status.success());
    fs::write(&public, "[\"1\", \"1\", \"1\"]").unwrap();
    refused(&verify(), 1, "the proof is not valid");
}

#[test]
fn shells_and_man_are_told_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = curvesmith().args(["completions", shell]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains("verificationkey"), "{shell}: {text}");
    }
    let page = |command: &[&str]| {
        let output = curvesmith().arg("man").args(command).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(page(&[]).contains("curvesmith\\-serve"));
    assert!(page(&["zkey", "export"]).contains("curvesmith\\-zkey\\-export\\-verificationkey"));
    assert!(page(&["serve"]).contains("socket"));
    refused(&curvesmith().args(["man", "zkey", "import"]).output().unwrap(), 2, "no command \"import\"");
}

#[test]
fn the_log_is_asked_for_by_either_name() {
    let traces = |variables: &[(&str, &str)]| {
        let dir = TempDir::new().unwrap();
        let output = curvesmith()
            .arg("prove")
            .args(["circuit.zkey", "witness.wtns"].map(|name| fixture(CASE, name)))
            .args(["proof.json", "public.json"].map(|name| dir.path().join(name)))
            .args(["--device", "emulator"])
            .env_remove("CURVESMITH_LOG")
            .env_remove("RUST_LOG")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        // Colours would be written to a file.
        assert!(!output.stderr.contains(&0x1b));
        !output.stderr.is_empty()
    };
    assert!(!traces(&[]));
    assert!(traces(&[("RUST_LOG", "trace")]));
    assert!(traces(&[("RUST_LOG", "error"), ("CURVESMITH_LOG", "trace")]));
    assert!(!traces(&[("RUST_LOG", "trace"), ("CURVESMITH_LOG", "error")]));
}

/// The circuit of the small fixture: c·a and a·c² for the wires (1, c·a, a·c², a, c), as circom writes it.
fn circuit(path: &Path) {
    let prime = "010000f093f5e1439170b97948e833285d588181b64550b829a031e1724e6430";
    let element = |first: u8| [&[first][..], &[0; 31]].concat();
    let prime: Vec<u8> = (0..32).map(|i| u8::from_str_radix(&prime[2 * i..2 * i + 2], 16).unwrap()).collect();
    let mut header = [&32u32.to_le_bytes()[..], &prime].concat();
    [5u32, 2, 1, 1].iter().for_each(|count| header.extend(count.to_le_bytes()));
    header.extend(0u64.to_le_bytes());
    header.extend(2u32.to_le_bytes());
    let mut constraints = Vec::new();
    for wire in [3u32, 4, 1, 3, 1, 2] {
        constraints.extend([1, wire].map(u32::to_le_bytes).as_flattened());
        constraints.extend(element(1));
    }
    let mut file = b"r1cs\x01\0\0\0\x02\0\0\0".to_vec();
    for (id, content) in [(1u32, header), (2, constraints)] {
        file.extend(id.to_le_bytes());
        file.extend((content.len() as u64).to_le_bytes());
        file.extend(content);
    }
    fs::write(path, file).unwrap();
}

#[test]
fn a_witness_is_checked_against_its_circuit() {
    let dir = TempDir::new().unwrap();
    let [r1cs, wrong] = ["circuit.r1cs", "wrong.wtns"].map(|name| dir.path().join(name));
    circuit(&r1cs);
    let witness = fixture(CASE, "witness.wtns");
    let [wtns, check, dash] = ["wtns", "check", "-"].map(Path::new);
    let mut bytes = fs::read(&witness).unwrap();
    for (file, input) in [(&*witness, &b""[..]), (dash, &bytes)] {
        let output = run(&[wtns, check, &r1cs, file], input);
        assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"valid witness\n"[..]), "{output:?}");
    }
    let last = bytes.len() - 32;
    bytes[last] ^= 1;
    fs::write(&wrong, bytes).unwrap();
    refused(&run(&[wtns, check, &r1cs, &wrong], b""), 1, "wrong.wtns: constraint 0 is not satisfied");
    let other = fixture("bn128_semaphore20_ceremony", "witness.wtns");
    refused(
        &run(&[wtns, check, &r1cs, &other], b""),
        2,
        "witness has 6454 values, but the circuit has 5 wires",
    );
    let other = fixture("bls12381_mult", "witness.wtns");
    refused(&run(&[wtns, check, &r1cs, &other], b""), 2, "witness.wtns: section 1 (header)");
    refused(&run(&[wtns, check, &witness, &witness], b""), 2, "begins with `r1cs`");
}

/// The key's wires bound what is read and what memory is taken, whatever a witness says of itself.
#[test]
fn a_witness_is_no_larger_than_its_key_says() {
    let dir = TempDir::new().unwrap();
    let [sparse, proof, public] =
        ["sparse.wtns", "proof.json", "public.json"].map(|name| dir.path().join(name));
    let key = fixture(CASE, "circuit.zkey");
    // 2^26 values, of which none takes room on the disk.
    let count = 1u32 << 26;
    let mut bytes = fs::read(fixture(CASE, "witness.wtns")).unwrap();
    bytes.truncate(12 + 12 + 36);
    bytes.extend(count.to_le_bytes());
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((u64::from(count) * 32).to_le_bytes());
    fs::write(&sparse, &bytes).unwrap();
    let file = fs::File::options().write(true).open(&sparse).unwrap();
    file.set_len(bytes.len() as u64 + u64::from(count) * 32).unwrap();
    let prove = Path::new("prove");
    let output = run(&[prove, &key, &sparse, &proof, &public], b"");
    refused(&output, 2, "sparse.wtns: witness has 67108864 values, but the circuit has 5 wires");
    let endless = curvesmith()
        .args([prove, &key, Path::new("-"), &proof, &public])
        .stdin(fs::File::open("/dev/zero").unwrap())
        .output()
        .unwrap();
    refused(&endless, 2, "standard input: more than 65696 bytes, expected a witness of 5 values");
    assert!(!proof.exists() && !public.exists());
}

/// A command on a terminal of its own: what it shows. `None`, with a word on it, where there is no `script`
/// to make one.
#[cfg(target_os = "linux")]
fn on_a_terminal(arguments: &[&Path], no_color: bool) -> Option<String> {
    let words = arguments.iter().map(|word| format!(" '{}'", word.display())).collect::<String>();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("'{}'{words}", env!("CARGO_BIN_EXE_curvesmith")), "/dev/null"]);
    script.env("TERM", "xterm").env_remove("NO_COLOR").stdin(Stdio::null());
    if no_color {
        script.env("NO_COLOR", "1");
    }
    match script.output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) => {
            eprintln!("SKIPPED: no terminal, {error}");
            None
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn colours_are_for_terminals_that_want_them() {
    // Bold, and a colour, of clap's messages.
    let colours = |text: &str| text.contains("\x1b[1m") || text.contains("\x1b[31m");
    let nonsense = [Path::new("prove"), Path::new("--nonsense")];
    let Some(coloured) = on_a_terminal(&nonsense, false) else { return };
    assert!(coloured.contains("--nonsense") && colours(&coloured), "{coloured:?}");
    let plain = on_a_terminal(&nonsense, true).unwrap();
    assert!(plain.contains("--nonsense") && !plain.contains('\x1b'), "{plain:?}");
    let piped = curvesmith().args(nonsense).env_remove("NO_COLOR").output().unwrap();
    assert!(!String::from_utf8_lossy(&piped.stderr).contains('\x1b'), "{piped:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn progress_is_for_terminals() {
    let dir = TempDir::new().unwrap();
    let key = fixture("bn128_semaphore20_ceremony", "circuit.zkey");
    let witness = fixture("bn128_semaphore20_ceremony", "witness.wtns");
    let [proof, public] = ["proof.json", "public.json"].map(|name| dir.path().join(name));
    let words = |text: &'static str| text.split(' ').map(Path::new).collect::<Vec<_>>();
    let bench = words("bench spmv --curve bn254 --log-n 3..4 --runs 1 --device cpu");
    let mut export = words("zkey export verificationkey");
    export.extend([&*key, Path::new("-")]);
    let mut prove = words("prove --device cpu");
    prove.extend([&*key, &*witness, &*proof, &*public]);
    for (arguments, message) in [
        (bench, "2^4: measuring"),
        (export, "reading and checking the verification key"),
        (prove, "reading the key"),
    ] {
        let piped = curvesmith().args(&arguments).output().unwrap();
        assert!(piped.status.success() && piped.stderr.is_empty(), "{piped:?}");
        assert!(!piped.stdout.contains(&b'\x1b'), "{arguments:?}");
        let Some(shown) = on_a_terminal(&arguments, false) else { return };
        assert!(shown.contains(message), "{arguments:?}: {shown:?}");
    }
}
