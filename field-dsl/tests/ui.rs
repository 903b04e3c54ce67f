//! One file per message of the macros. `TRYBUILD=overwrite` rewrites the expectations.
//!
//! Messages of the const assertions on bound types are framed by rustc, differently from
//! release to release: those of `ui/bound` are compared under the release that wrote them.

use std::process::Command;

const RELEASE_OF_BOUND: &str = "rustc 1.95.";

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if version.starts_with(RELEASE_OF_BOUND) {
        cases.compile_fail("tests/ui/bound/*.rs");
    } else {
        eprintln!("skipped tests/ui/bound: written by {RELEASE_OF_BOUND}x, this is {version}");
    }
}
