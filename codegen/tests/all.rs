//! All tests of the compiler from outside, as one program: each would compile the passes anew.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]
#![allow(clippy::duplicate_mod, reason = "the same cases run kernels of two geometries")]

mod asm;
mod constants;
mod edwards_checks;
mod emit;
mod fir;
mod kernels;
mod kernels_wgsl;
mod limits;
mod passes;
mod suggestions;

/// Whether larger sizes were asked for, by the environment variable `CURVESMITH_TEST_SIZE`.
fn is_long() -> bool {
    std::env::var("CURVESMITH_TEST_SIZE").is_ok_and(|size| size == "long")
}
