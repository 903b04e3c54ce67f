//! Where proofs are written, and what is left when they are not.

use super::{curvesmith, failed, fixture};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[track_caller]
fn refused(dir: &Path, files: [&str; 4], message: &str) {
    let before = listing(dir);
    let output =
        curvesmith().arg("prove").args(files).args(["--device", "cpu"]).current_dir(dir).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{files:?}: {text}");
    assert!(text.starts_with("error: ") && text.trim_end().lines().count() == 1, "{text}");
    assert!(text.contains(message), "{text:?} does not contain {message:?}");
    assert_eq!(listing(dir), before, "{files:?}");
}

/// Names and contents of all files.
fn listing(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap_or_default()))
        .collect();
    files.sort();
    files
}

/// A folder with a key `k` and a witness `w`, and a folder `sub`.
fn folder_of_tests() -> TempDir {
    let dir = TempDir::new().unwrap();
    for (name, file) in [("k", "circuit.zkey"), ("w", "witness.wtns")] {
        fs::copy(fixture("bn128_mult", file), dir.path().join(name)).unwrap();
    }
    fs::create_dir(dir.path().join("sub")).unwrap();
    dir
}

#[test]
fn outputs_that_are_one_file_are_refused() {
    let dir = folder_of_tests();
    let both = "given for both outputs";
    refused(dir.path(), ["k", "w", "new.json", "./new.json"], both);
    refused(dir.path(), ["k", "w", "new.json", "sub/../new.json"], both);
    refused(dir.path(), ["k", "w", dir.path().join("new.json").to_str().unwrap(), "new.json"], both);
    fs::write(dir.path().join("old.json"), "old").unwrap();
    refused(dir.path(), ["k", "w", "old.json", "sub/../old.json"], both);
    refused(dir.path(), ["k", "w", "k", "public.json"], "k: would replace the input k");
    refused(dir.path(), ["k", "w", "proof.json", "sub/../w"], "sub/../w: would replace the input w");
}

#[cfg(unix)]
#[test]
fn links_do_not_hide_that_outputs_are_one_file() {
    use std::os::unix::fs::symlink;
    let dir = folder_of_tests();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("old.json"), "old").unwrap();
    symlink("old.json", at("soft.json")).unwrap();
    fs::hard_link(at("old.json"), at("hard.json")).unwrap();
    symlink(".", at("here")).unwrap();
    symlink("w", at("soft-w")).unwrap();
    fs::hard_link(at("k"), at("hard-k")).unwrap();
    let both = "given for both outputs";
    refused(dir.path(), ["k", "w", "old.json", "soft.json"], both);
    refused(dir.path(), ["k", "w", "soft.json", "old.json"], both);
    refused(dir.path(), ["k", "w", "hard.json", "old.json"], both);
    refused(dir.path(), ["k", "w", "new.json", "here/new.json"], both);
    refused(dir.path(), ["k", "w", "soft-w", "public.json"], "would replace the input w");
    refused(dir.path(), ["k", "w", "proof.json", "hard-k"], "would replace the input k");
    refused(dir.path(), ["hard-k", "soft-w", "proof.json", "w"], "would replace the input soft-w");

    // Links to one folder by two names are no reason to refuse two files.
    let files = ["k", "w", "here/proof.json", "soft.json"];
    let output = curvesmith().arg("prove").args(files).current_dir(dir.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(fs::read_to_string(at("old.json")).unwrap().starts_with('['));
    assert!(at("soft.json").is_symlink() && at("proof.json").is_file());
}

/// Semaphore on the emulator takes many seconds; the signal comes as soon as both files are open.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_nothing() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let out = TempDir::new().unwrap();
        let case = "bn128_semaphore20_ceremony";
        // A shell has background jobs ignore SIGINT, and so would whatever a test in one starts.
        let mut child = Command::new("env")
            .args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_curvesmith"), "prove"])
            .args([fixture(case, "circuit.zkey"), fixture(case, "witness.wtns")])
            .args([out.path().join("proof.json"), out.path().join("public.json")])
            .args(["--device", "emulator"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while fs::read_dir(out.path()).unwrap().count() < 2 {
            assert!(child.try_wait().unwrap().is_none() && Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(5));
        }
        let kill = ["-s", signal, &child.id().to_string()].map(str::to_owned);
        assert!(Command::new("kill").args(kill).status().unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(128 + number), "{status}");
        let left: Vec<_> = fs::read_dir(out.path()).unwrap().collect();
        assert!(left.is_empty(), "SIG{signal} left {left:?}");
    }
}

/// What `nohup` asks for.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    let out = TempDir::new().unwrap();
    let script = "trap '' HUP; \"$@\" & while ! ls -A \"$OUT\" | grep -q curvesmith; do sleep 0.01; done; kill -HUP $!; wait $!";
    let status = Command::new("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_curvesmith"), "prove"])
        .args([fixture("bn128_mult", "circuit.zkey"), fixture("bn128_mult", "witness.wtns")])
        .args([out.path().join("proof.json"), out.path().join("public.json")])
        .args(["--device", "emulator"])
        .env("OUT", out.path())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 2);
}

#[test]
fn a_missing_folder_is_named() {
    let out = TempDir::new().unwrap();
    let files = [
        fixture("bn128_mult", "circuit.zkey"),
        fixture("bn128_mult", "witness.wtns"),
        out.path().join("proof.json"),
        out.path().join("missing/../public.json"),
    ];
    let output = curvesmith().arg("prove").args(files).output().unwrap();
    failed(&output, 2, "missing/../public.json: cannot be written", out.path());
}
