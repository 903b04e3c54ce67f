//! Benchmarks of curvesmith: inputs that cannot be committed, and peers to measure beside.

pub mod peer;
pub mod plots;
pub mod synthetic;

use std::path::PathBuf;

/// A file of the committed circuit `case`.
pub fn fixture(case: &str, file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(case).join(file)
}
