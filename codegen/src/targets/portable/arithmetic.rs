//! Limbs of 64 bits: bounds in multiples of `p`, and straight-line programs.

use super::bound::{Bound, most};
use super::function::supports;
use super::{Choice, Portable};
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::Kernel;
use crate::targets::limbs::{self, Cost, Limbs, Numbers, check, ir::Program};
use crate::targets::{Arithmetic, Claim, Machine, Unproven};
use num_bigint::BigUint;

impl Limbs for Portable {
    const BITS: usize = 64;

    fn capacity(field: &FieldDesc) -> BigUint {
        &field.p * most(field)
    }

    fn unit(field: &FieldDesc) -> BigUint {
        field.p.clone()
    }
}

impl Arithmetic for Portable {
    type Bound = Bound;
    type Cost = Cost;
    type Program = Program;
    type Accepted = check::Accepted;
    type Rules = Numbers;

    fn supports(kernel: &Kernel) -> Result<(), PassError> {
        supports(kernel)
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

    fn prove(field: &FieldDesc, claims: &[Claim<'_, Portable>]) -> Vec<Result<check::Accepted, Unproven>> {
        limbs::prove(field, claims)
    }

    fn rules(field: &FieldDesc) -> Numbers {
        Numbers::of::<Portable>(field)
    }

    fn slack(field: &FieldDesc, choice: &Choice, _: &[Bound]) -> Vec<u64> {
        limbs::slack(field, choice)
    }
}
