//! The compiler of curvesmith: field and curve specs to PTX images.
//!
//! ```text
//! spec ─► FIR (field ops + kernel statements) ─► passes ─► blocks ─► LLVM IR + asm blocks ─► PTX ─► Image
//! ```
//! Deterministic: no clock, path, hash order or thread order enters the output.

pub mod declaration;
#[cfg(feature = "llvm")]
pub mod dump;
pub mod error;
pub mod fir;
pub mod formulas;
#[cfg(feature = "llvm")]
mod image;
pub mod kernels;
#[cfg(feature = "llvm")]
pub mod llvm;
pub mod passes;
#[cfg(feature = "llvm")]
pub mod probes;
pub mod targets;
#[cfg(feature = "llvm")]
mod version;

pub use error::{EmitError, PassError};
#[cfg(feature = "llvm")]
pub use image::{
    Emitted, Plan, check_llvm, compile_common, compile_constant, compile_field, compile_formulas,
    compile_group, emitter_version, pack, plan_common, plan_constant, plan_field, plan_group,
};
