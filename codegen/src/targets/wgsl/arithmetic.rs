//! Limbs that are the words of the layout: its bounds, and straight-line programs.

use super::bound::{self, Bound};
use super::{Choice, Wgsl};
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::{Block, Kernel, Order, Stmt};
use crate::targets::limbs::{self, Cost, Limbs, Numbers, check, ir::Program};
use crate::targets::{Arithmetic, Claim, Machine, Unproven};
use num_bigint::BigUint;

impl Limbs for Wgsl {
    const BITS: usize = 32;
    const ROLLED: bool = true;

    fn capacity(field: &FieldDesc) -> BigUint {
        field.r()
    }

    fn unit(field: &FieldDesc) -> BigUint {
        bound::unit(field)
    }
}

impl Arithmetic for Wgsl {
    type Bound = Bound;
    type Cost = Cost;
    type Program = Program;
    type Accepted = check::Accepted;
    type Rules = Numbers;

    /// An error names what orders memory: the language has relaxed atomics, and barriers of a block.
    fn supports(kernel: &Kernel) -> Result<(), PassError> {
        match orders(&kernel.body) {
            false => Ok(()),
            true => Err(PassError::Unsupported("accesses that order others, or fences".into())),
        }
    }

    fn choices(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice> {
        limbs::choices(field, op, operands, Self::time)
    }

    fn rank(cost: &Cost) -> (u64, u64) {
        (Self::time(cost), 0)
    }

    fn products(cost: &Cost) -> usize {
        cost.products as usize
    }

    fn prove(field: &FieldDesc, claims: &[Claim<'_, Wgsl>]) -> Vec<Result<check::Accepted, Unproven>> {
        limbs::prove(field, claims)
    }

    fn rules(field: &FieldDesc) -> Numbers {
        Numbers::of::<Wgsl>(field)
    }

    fn slack(field: &FieldDesc, choice: &Choice, _: &[Bound]) -> Vec<u64> {
        limbs::slack(field, choice)
    }
}

/// Whether something in a block orders other accesses.
fn orders(block: &Block) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Fence(_)
        | Stmt::LoadOrdered { order: Order::AcquireRelease, .. }
        | Stmt::StoreOrdered { order: Order::AcquireRelease, .. }
        | Stmt::Atomic { order: Order::AcquireRelease, .. } => true,
        other => other.blocks().into_iter().any(orders),
    })
}
