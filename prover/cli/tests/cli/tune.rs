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

/// An adapter with words of 64 bits is measured by those and by words of 32 bits, and opened by what took
/// less time.
#[test]
#[cfg(feature = "wgpu")]
fn the_faster_products_of_an_adapter_are_taken() {
    use ::curvesmith::wgpu::{WgpuDevice, WgpuOptions, adapters};
    use ::curvesmith::{Device, MeasuredWindow, MeasuredWindows};

    let adapters = adapters();
    let Some(adapter) = adapters.first().filter(|adapter| adapter.unusable.is_none()) else {
        assert!(std::env::var_os("CURVESMITH_NEED_WGPU").is_none(), "there is no adapter of wgpu");
        return eprintln!("SKIPPED: the products of an adapter: there is none");
    };
    let directory = TempDir::new().unwrap();
    let on_it = ["--device", "wgpu", "--curve", "secp256r1", "--log-n", "1", "--runs", "1"];
    let tune = |more: &[&str]| {
        let only = ["--reach", "0", "--multiples", "1"];
        texts(&in_cache(directory.path(), &[&["tune"], &on_it[..], &only, more].concat())).0
    };
    let rows = tune(&["--dry-run", "--json"]);
    let words: Vec<Option<u64>> = rows
        .lines()
        .map(|row| serde_json::from_str::<serde_json::Value>(row).unwrap()["words"].as_u64())
        .collect();
    if !adapter.limits.features.to_string().contains("64-bit words") {
        return assert_eq!(words, [Some(32)]);
    }
    assert_eq!(words, [Some(64), Some(32)]);
    assert!(tune(&[]).contains(" bits take less time"));
    // Each has its table; the times in them decide.
    let devices = Device::wgpu(0).unwrap().by_each_product().unwrap();
    let table = |words_64| {
        let options = WgpuOptions { words_64, ..WgpuOptions::default() };
        MeasuredWindows::load(directory.path(), &WgpuDevice::with_options(0, options).unwrap())
    };
    let tables = [true, false].map(table);
    assert!(tables.iter().all(|table| table.rows().len() == 1), "{tables:?}");
    let opened = |of_64: u64, of_32: u64| {
        for ((device, table), nanoseconds) in devices.iter().zip(&tables).zip([of_64, of_32]) {
            let mut changed = MeasuredWindows::default();
            changed.insert(MeasuredWindow { nanoseconds, ..table.rows()[0].clone() });
            device.keep_windows(&changed, Some(directory.path())).unwrap();
        }
        let mut bench: Command = curvesmith();
        bench.args(["bench", "msm"]).args(on_it).env("CURVESMITH_CACHE_DIR", directory.path());
        let (_, log) = texts(&bench.env("CURVESMITH_LOG", "info").output().unwrap());
        log.contains("products of words of 32 bits, as measured")
    };
    assert!(opened(6, 5));
    assert!(!opened(5, 6) && !opened(6, 6));
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
