//! `tune`: what it keeps, and what a cache directory may hold or lack without harm.

use super::curvesmith;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn in_cache(directory: &Path, arguments: &[&str]) -> Output {
    let mut command: Command = curvesmith();
    command.args(arguments).env("CURVESMITH_CACHE_DIR", directory).env_remove("CURVESMITH_LOG");
    command.env_remove("RUST_LOG").output().unwrap()
}

fn tune(directory: &Path, more: &[&str]) -> Output {
    let all =
        ["tune", "--device", "emulator", "--curve", "bn254", "--log-n", "4", "--runs", "1", "--reach", "1"];
    in_cache(directory, &[&all, more].concat())
}

/// Standard output and standard error of a command that succeeds.
#[track_caller]
fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{error}");
    (out, error)
}

#[test]
fn a_table_is_kept_and_used() {
    let directory = TempDir::new().unwrap();
    let cache = directory.path().join("cache");
    let (out, _) = texts(&tune(&cache, &["--dry-run", "--json"]));
    let row: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&row["curve"], &row["n"], &row["most_multiples"]), (&"bn254".into(), &16.into(), &1.into()));
    assert!(row["times_s"].as_array().unwrap().len() > 1, "{out}");
    assert!(!cache.exists(), "nothing was to be kept");

    let (out, _) = texts(&tune(&cache, &["--multiples", "4"]));
    assert_eq!(out.lines().filter(|line| line.starts_with("bn254 ")).count(), 2, "{out}");
    let files: Vec<_> = fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);

    // It is read by other commands: in silence, or with a line where it is no table.
    let bench = || {
        let all = ["bench", "msm", "--device", "emulator", "--curve", "bn254", "--log-n", "4", "--runs", "1"];
        texts(&in_cache(&cache, &all)).1
    };
    assert_eq!(bench(), "");
    let whole = fs::read(&files[0]).unwrap();
    fs::write(&files[0], &whole[..whole.len() - 1]).unwrap();
    let said = bench();
    assert!(said.contains("WARN") && said.contains("measured windows are not used"), "{said}");
    texts(&tune(&cache, &[]));
    assert_eq!(bench(), "");
}

#[test]
fn what_cannot_be_kept_or_measured_is_told() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let refused = |output: Output, what: &str| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("error: ") && said.contains(what), "{said}");
    };
    refused(tune(&file.path().join("below"), &[]), "measured windows");
    let cpu = ["tune", "--device", "cpu", "--curve", "bn254", "--log-n", "4"];
    refused(in_cache(file.path(), &cpu), "the CPU chooses windows of its own");
}
