//! What is shown of a choice: by the checker of [programs on limbs](crate::targets::wgsl::columns).

use super::bound::{Bound, sizes};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::seal::OpenSeal;
use crate::targets::wgsl::columns::check::{self, Extent};
use crate::targets::wgsl::columns::ir::Program;
use crate::targets::{self, Bound as _, Seal, Unproven};

/// A program was shown to be right. Only `check` makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted(Seal);

impl targets::Accepted for Accepted {
    fn seal(&self) -> Seal {
        self.0
    }
}

/// Shows that the program computes `op` within `out` for all operands within `operands`.
pub(in crate::targets::wgsl) fn check(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    program: &Program,
    out: Bound,
) -> Result<Accepted, Unproven> {
    let extent = |bound: &Bound| Extent { limit: bound.limit(field), loose: bound.loose };
    let within: Vec<Extent> = operands.iter().map(extent).collect();
    // What is zero or not is a canonical value.
    let result = if op.tests_zero() { Bound::CANONICAL } else { out };
    check::check(field, sizes(field), op, &within, program, &extent(&result))?;
    Ok(Accepted(OpenSeal::new(field, op, program).within(operands, out)))
}
