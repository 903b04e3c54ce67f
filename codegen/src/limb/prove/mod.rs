//! Proofs of blocks: that a block computes its operation for all operands within their bounds.

mod bound;
mod exec;
mod expand;
mod form;
mod goal;
mod memo;
mod model;
mod poly;

pub use memo::{Claim, prove_all};
use thiserror::Error;

use super::{Bound, Choice, LimbOp};
use crate::spec::FieldDesc;

/// Why a block is not proven. It may still be right; it is not used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProofError {
    /// An instruction does what the prover cannot follow or justify.
    #[error("instruction {at} {reason}")]
    Instruction {
        /// Index in the block.
        at: usize,
        /// What it does.
        reason: &'static str,
    },
    /// The inputs or outputs are not those of the operation.
    #[error("the block's inputs or outputs are not those of {0}")]
    Shape(String),
    /// A result may exceed the variant's bound.
    #[error("the result may reach {max}, the bound is {bound}")]
    Bound {
        /// What could be shown.
        max: String,
        /// Largest value within the bound.
        bound: String,
    },
    /// The result is not shown to be the definition's.
    #[error("the result is not shown to be {op}: {left} terms differ")]
    Definition {
        /// The operation.
        op: String,
        /// Number of terms that are left.
        left: usize,
    },
}

/// Shows that `choice` computes `op` within its bound for all operands within `operands`.
pub fn prove(field: &FieldDesc, op: &LimbOp, operands: &[Bound], choice: &Choice) -> Result<(), ProofError> {
    goal::prove(field, op, operands, choice.block(), choice.out)
}

#[cfg(test)]
mod tests;
