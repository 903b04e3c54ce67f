//! MSM, NTT, SpMV, sort and pointwise operations as the runtime composes them, against the
//! CPU's algorithms and the definitions: with FIR's interpreter in the place of a device, with
//! the embedded PTX on the emulator, and on a GPU where there is one.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod checks;
mod emulator;
#[cfg(feature = "long-tests")]
mod every_curve;
mod gpu;
mod interpreter;
mod resident;
