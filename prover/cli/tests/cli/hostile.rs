//! Keys and witnesses that were made to do harm.

use super::{curvesmith, failed, fixture, prove};
use curvesmith::montgomery::MontgomeryField;
use curvesmith::{Field, PairingCurve};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Offset of a section's content, and its length.
pub(super) fn section(bytes: &[u8], id: u32) -> (usize, usize) {
    let mut at = 12;
    loop {
        let size = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().unwrap()) as usize;
        if bytes[at..at + 4] == id.to_le_bytes() {
            return (at + 12, size);
        }
        at += 12 + size;
    }
}

/// (0, 2) on BLS12-381 as keys hold it.
pub(super) fn point_of_order_3() -> Vec<u8> {
    type Fq = <<curvesmith::bls12_381::Curve as PairingCurve>::Fq as Field>::Ark;
    let mut point = Vec::new();
    Fq::from(0u64).push_montgomery_le(&mut point);
    Fq::from(2u64).push_montgomery_le(&mut point);
    point
}

/// A point of order 3 among the A points: no pairing sees it, and the proof would tell the last
/// wire modulo 3.
#[test]
fn a_point_of_small_order_gives_no_proof() {
    let point = point_of_order_3();
    let mut key = fs::read(fixture("bls12381_mult", "circuit.zkey")).unwrap();
    let (at, size) = section(&key, 5);
    let last = size / point.len() - 1;
    key[at + size - point.len()..at + size].copy_from_slice(&point);
    let files = TempDir::new().unwrap();
    let path = files.path().join("crafted.zkey");
    fs::write(&path, key).unwrap();
    let out = TempDir::new().unwrap();
    let witness = fixture("bls12381_mult", "witness.wtns");
    for options in [&[][..], &["--no-self-check"], &["--no-self-check", "--trust-key"]] {
        let output = prove(&path, &witness, out.path(), &[&["--device", "cpu"], options].concat());
        failed(&output, 1, "proof point A, made on cpu, is outside the subgroup of order r", out.path());
    }
    for options in [&["--check-subgroups"][..], &["--check-subgroups", "--trust-key"]] {
        let output = prove(&path, &witness, out.path(), &[&["--device", "cpu"], options].concat());
        let message = format!("crafted.zkey: a_query: point {last} is outside the subgroup");
        failed(&output, 2, &message, out.path());
    }
    let key = fixture("bls12381_mult", "circuit.zkey");
    let output = prove(&key, &witness, out.path(), &["--device", "cpu", "--check-subgroups"]);
    assert!(output.status.success(), "{output:?}");
}

#[cfg(unix)]
#[test]
fn pipes_do_not_hang() {
    let dir = TempDir::new().unwrap();
    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let good = |command: &str| -> Vec<PathBuf> {
        match command {
            "prove" => ["circuit.zkey", "witness.wtns"].map(|name| fixture("bn128_mult", name)).into(),
            _ => ["verification_key.json", "public.json", "proof_snarkjs.json"]
                .map(|name| fixture("bn128_mult", name))
                .into(),
        }
    };
    for (command, which) in [("prove", 0), ("prove", 1), ("verify", 0), ("verify", 1), ("verify", 2)] {
        let mut files = good(command);
        files[which] = pipe.clone();
        if command == "prove" {
            files.extend(["proof.json", "public.json"].map(|name| dir.path().join(name)));
        }
        let mut child = curvesmith().arg(command).args(files).stderr(Stdio::piped()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                child.kill().unwrap();
                panic!("{command} waits for file {which}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("pipe: not a regular file") && text.lines().count() == 1, "{text}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// A file with holes of these sizes for sections.
fn sparse(path: &Path, bytes: &[u8], sections: &[(u32, Option<u64>)]) {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = fs::File::create(path).unwrap();
    file.write_all(&bytes[..12]).unwrap();
    for (id, hole) in sections {
        let (at, size) = section(bytes, *id);
        file.write_all(&id.to_le_bytes()).unwrap();
        file.write_all(&hole.unwrap_or(size as u64).to_le_bytes()).unwrap();
        match hole {
            None => file.write_all(&bytes[at..at + size]).unwrap(),
            Some(hole) => drop(file.seek(SeekFrom::Current(*hole as i64)).unwrap()),
        }
    }
    let end = file.stream_position().unwrap();
    file.set_len(end).unwrap();
}

/// Wires of files that take no space on the disk.
const WIRES: u64 = 1 << 22;

/// A key of so many wires, whose points A take 256 MiB.
pub(super) fn large_key(path: &Path) {
    let mut bytes = fs::read(fixture("bn128_mult", "circuit.zkey")).unwrap();
    let (header, _) = section(&bytes, 2);
    bytes[header + 72..header + 76].copy_from_slice(&(WIRES as u32).to_le_bytes());
    let holes = [(5, 64 * WIRES), (6, 64 * WIRES), (7, 128 * WIRES), (8, 64 * (WIRES - 4))];
    let sections: Vec<_> =
        (1..=10).map(|id| (id, holes.iter().find(|(hole, _)| *hole == id).map(|(_, size)| *size))).collect();
    sparse(path, &bytes, &sections);
}

/// Keys and witnesses of 2^22 wires in 300 MB of addresses.
#[cfg(target_os = "linux")]
#[test]
fn a_key_larger_than_the_memory_is_an_error() {
    let files = TempDir::new().unwrap();
    let out = TempDir::new().unwrap();
    let (key, witness) = (files.path().join("large.zkey"), files.path().join("large.wtns"));
    large_key(&key);
    let mut bytes = fs::read(fixture("bn128_mult", "witness.wtns")).unwrap();
    let (header, _) = section(&bytes, 1);
    bytes[header + 36..header + 40].copy_from_slice(&(WIRES as u32).to_le_bytes());
    sparse(&witness, &bytes, &[(1, None), (2, Some(32 * WIRES))]);
    let (values, _) = section(&fs::read(&witness).unwrap(), 2);
    let file = fs::OpenOptions::new().write(true).open(&witness).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[1], values as u64).unwrap();

    let run = |kilobytes: u32| {
        Command::new("sh")
            .args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" prove \"$@\" --device cpu")])
            .args([Path::new(env!("CARGO_BIN_EXE_curvesmith")), &key, &witness])
            .args([out.path().join("proof.json"), out.path().join("public.json")])
            .env("RAYON_NUM_THREADS", "1")
            .output()
            .unwrap()
    };
    failed(&run(120_000), 3, "large.wtns: no memory for 134217728 bytes of values", out.path());
    failed(&run(300_000), 3, "large.zkey: no memory for 268435456 bytes of points A", out.path());
}
