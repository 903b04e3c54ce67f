//! Declare a field or a curve, get GPU kernels and a Groth16 prover.

pub mod montgomery;
pub mod snarkjs;
mod verify;

pub use curvesmith_field_dsl::{curve, field};
pub use curvesmith_runtime::{Device, DeviceVisitor, RuntimeError};
pub use verify::{VerifyError, verify};

/// What macro expansions name. Not an interface for people.
#[doc(hidden)]
pub mod __private {
    pub use curvesmith_runtime::__private::*;
}

#[cfg(test)]
mod tests;
