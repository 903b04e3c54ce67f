//! MSM, NTT, SpMV, sort and pointwise operations as the runtime composes them, against the
//! CPU backend and the definitions: with FIR's interpreter in the place of a device, and
//! with the embedded PTX on the emulator.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod checks;
mod emulator;
mod gpu;
mod interpreter;
