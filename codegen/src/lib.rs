//! The compiler of curvesmith: field and curve specs to PTX images.
//!
//! ```text
//! spec ─► FIR (field ops + kernel statements) ─► passes ─► limb blocks ─► LLVM IR + asm blocks ─► PTX ─► Image
//! ```
//! Deterministic: no clock, path, hash order or thread order enters the output.

pub mod fir;
pub mod formulas;
pub mod kernels;
pub mod limb;
pub mod spec;
