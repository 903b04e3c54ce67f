//! All tests across crates, as one program: each would compile the engines anew for the same curves.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]
#![allow(clippy::duplicate_mod, reason = "the compiler's cases run as PTX and as WGSL")]

mod composition;
mod field_ops;
mod fields;
mod groth16_curves;
mod groth16_emulated;
mod kernels_emulated;
mod missing_barriers;
mod msm;
mod portable;
mod random_programs;
mod simd;
mod stress;
mod tiers;
mod translation;
mod wgsl;
