//! The Python package's module in Rust, `curvesmith._native`. Python in `python/curvesmith` is its only
//! caller, and gives it the types and shapes that it expects; how the package is used is documented there.
//!
//! * Every call runs in [`curvesmith_bindings::call`], so that no panic reaches Python, and detached from the
//!   interpreter, so that other threads of Python go on. A proof runs on a thread of its own, and ends when
//!   Python gets a signal.
//! * Other threads can write to a caller's arrays meanwhile. So numpy copies an array before it is read, and
//!   a transform is done in that copy, which is its result.

mod arrays;
mod detached;
mod keys;

use curvesmith_bindings as bindings;
use detached::detached;
use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::arrays::{Msm, Ntt};
    #[pymodule_export]
    use super::keys::{Key, prove, verify};
    #[pymodule_export]
    use super::{curves, devices, shapes};
}

/// Names of the curves of this build.
#[pyfunction]
fn curves() -> Vec<&'static str> {
    bindings::curves().collect()
}

/// Names of devices that can be used, and what they are.
#[pyfunction]
fn devices(py: Python<'_>) -> PyResult<Vec<(&'static str, String)>> {
    let usable =
        || bindings::devices().into_iter().filter_map(|(name, device)| Some((name, device.ok()?))).collect();
    detached(py, || Ok(usable()))
}

/// Words of a scalar, words of a coordinate's elements, and how many of these a coordinate of either group
/// has.
#[pyfunction]
fn shapes(py: Python<'_>, curve: &str) -> PyResult<(usize, usize, [usize; 2])> {
    let shapes = detached(py, || bindings::shapes(curve))?;
    Ok((shapes.scalar_words, shapes.base_words, shapes.degrees))
}

/// The device of this name, or the one that the environment names.
fn device(name: Option<&str>) -> bindings::Result<bindings::Device> {
    name.map_or_else(bindings::default_device, bindings::device)
}
