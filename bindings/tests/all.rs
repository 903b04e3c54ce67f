//! Tests of the shared layer, as one program.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod keys;
mod sums;

use std::path::PathBuf;

/// A file of the fixtures.
fn fixture(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures")).join(name)
}
