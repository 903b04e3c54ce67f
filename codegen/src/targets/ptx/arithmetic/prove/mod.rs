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

use super::check::certificate::Proof;
use super::check::{self, Accepted, Checked, Refused, check};
use super::{Block, Bound, FieldOp};
use crate::declaration::FieldDesc;
use goal::Found;
use query::Search;

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

/// A block that is shown to compute its operation, for operands within some bounds.
struct Shown {
    operands: Vec<Bound>,
    found: Found,
    checked: Checked,
    /// Whether it is known why results fit their words, which mostly says how small those of smaller operands
    /// are.
    fit: Option<bool>,
}

impl Shown {
    /// Searches for a certificate and has it checked.
    fn new(
        field: &FieldDesc,
        op: &FieldOp,
        operands: &[Bound],
        block: &Block,
        search: Search,
    ) -> Result<Shown, ProofError> {
        let (found, certificate) = Found::search(field, op, operands, block, search)?;
        let checked = check(&check::Claim { field, op, block, operands }, &certificate)?;
        Ok(Shown { operands: operands.to_vec(), found, checked, fit: None })
    }

    /// Shows that results are within `out` for operands within bounds that are not weaker than those it is
    /// shown for.
    fn case(&mut self, operands: &[Bound], out: Bound) -> Result<Accepted, ProofError> {
        let Shown { operands: all, found, checked, fit } = self;
        let prepare = |proofs: Vec<Proof>| checked.prepare(&proofs).is_ok();
        if operands != all
            && *fit.get_or_insert_with(|| found.bounds(all, Bound::ANY).is_ok_and(prepare))
            && let Ok(accepted) = checked.prepared_case((operands, out))
        {
            return Ok(accepted);
        }
        let proofs = found.bounds(operands, out)?;
        Ok(checked.case((operands, out), &proofs)?)
    }
}

/// Shows that a block computes an operation, with results within `out`, for all operands within `operands`.
fn prove(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    block: &Block,
    out: Bound,
) -> Result<Accepted, ProofError> {
    let by = |search| Shown::new(field, op, operands, block, search)?.case(operands, out);
    by(Search::Quick).or_else(|_| by(Search::Thorough))
}

#[cfg(test)]
mod tests;
