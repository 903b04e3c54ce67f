//! Tests over the fixtures, with markers that have no kernels.

mod constraints;
mod files;
mod hostile;
mod shown;

pub(crate) use crate::{bls12_381, bn254};

use std::path::PathBuf;

/// Fixture folders, each a small key of its own circuit.
pub(crate) const BN_MULT: &str = "bn128_mult";
pub(crate) const BLS_MULT: &str = "bls12381_mult";
pub(crate) const SEMAPHORE: &str = "bn128_semaphore20_ceremony";

pub(crate) fn fixture(case: &str, file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(case).join(file)
}
