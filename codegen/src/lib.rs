//! The compiler of curvesmith: field and curve specs to images of PTX and WGSL.
//!
//! ```text
//! declaration ─► FIR (field ops + kernel statements) ─► passes ─► programs ─► text of a target ─► Image
//! ```
//! Deterministic: no clock, path, hash order or thread order enters the output.

mod compression;
pub mod declaration;
pub mod dump;
pub mod error;
pub mod fir;
pub mod formulas;
mod image;
pub mod kernels;
pub mod passes;
pub mod targets;
mod version;

pub use error::{EmitError, PassError};
pub use image::{
    Emitted, Format, Plan, compile_common, compile_constant, compile_field, compile_formulas, compile_group,
    emitter_version, pack, plan_common, plan_constant, plan_field, plan_group,
};
pub use version::compiler_version;
