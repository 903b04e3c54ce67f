//! Proofs of blocks: that a block computes its operation for all operands within their bounds.

mod bound;
mod exec;
mod expand;
mod form;
mod goal;
mod memo;
mod model;
mod poly;
mod query;
mod record;
mod zero;

pub use memo::prove_all;
use thiserror::Error;

use super::check::{self, Accepted, Refused, check};
use super::{Block, Bound, Choice, FieldOp};
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
    /// The checker refuses the certificate: the search has found what does not follow.
    #[error("the certificate {0}")]
    Refused(#[from] Refused),
}

/// Shows that `choice` computes `op` within its bound for all operands within `operands`.
pub fn prove(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    choice: &Choice,
) -> Result<Accepted, ProofError> {
    prove_block(field, op, operands, choice.block(), choice.out)
}

/// As [`prove`], of a block and the bound of its results.
fn prove_block(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    block: &Block,
    out: Bound,
) -> Result<Accepted, ProofError> {
    let mut proofs = prove_cases(field, op, operands, block, &[(operands, out)])?;
    proofs.pop().expect("one proof for each case")
}

/// Searches for a certificate and has it checked: that a block computes an operation for `operands`, and that its
/// results are within the second bound of each case for operands within the first.
fn prove_cases(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    block: &Block,
    cases: &[(&[Bound], Bound)],
) -> Result<Vec<Result<Accepted, ProofError>>, ProofError> {
    let (certificate, found) = goal::certify(field, op, operands, block, cases)?;
    let accepted = check(&check::Claim { field, op, block, operands, cases }, &certificate)?;
    let judged = |(found, accepted): (Result<(), ProofError>, Option<Accepted>)| match (found, accepted) {
        (_, Some(accepted)) => Ok(accepted),
        (found, None) => Err(found.err().unwrap_or(ProofError::Refused(Refused("leaves out a case")))),
    };
    Ok(found.into_iter().zip(accepted).map(judged).collect())
}

#[cfg(test)]
mod tests;
