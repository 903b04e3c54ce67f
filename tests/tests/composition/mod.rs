//! MSM, NTT, SpMV, sort and pointwise operations as the runtime composes them, against the CPU's algorithms
//! and the definitions: with FIR's interpreter in the place of a device, with the embedded PTX on the
//! emulator, and on a GPU where there is one, and the embedded WGSL on an adapter of wgpu.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod adapter;
mod checks;
mod emulator;
#[cfg(feature = "long-tests")]
mod every_curve;
mod gpu;
mod interpreter;
mod resident;
