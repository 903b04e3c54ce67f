//! Limbs: bounds of values and limbs, lane programs, and their proof.

pub mod bound;
pub mod check;
pub mod ir;
mod rules;
mod variants;

pub use rules::Numbers;

use super::{Choice, Cost, Instructions, Simd};
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::Kernel;
use crate::targets::judged::Judged;
use crate::targets::{Arithmetic, Claim, Machine, Unproven, pure};
use bound::{Bound, Limbs};
use ir::Program;

static JUDGED: Judged<check::Accepted> = Judged::new();

impl<I: Instructions> Arithmetic for Simd<I> {
    type Bound = Bound;
    type Cost = Cost;
    type Program = Program;
    type Accepted = check::Accepted;
    type Rules = Numbers;

    fn supports(kernel: &Kernel) -> Result<(), PassError> {
        pure::supports(kernel)
    }

    fn resident(_: &FieldDesc) -> Option<Bound> {
        Some(bound::resident())
    }

    fn choices(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice<I>> {
        if op.fault(field, operands.len()).is_some() {
            return vec![];
        }
        let mut choices = variants::offers(field, op, operands);
        choices.sort_by_key(|choice| (Self::time(&choice.cost), choice.variant));
        choices
    }

    fn rank(cost: &Cost) -> (u64, u64) {
        (Self::time(cost), 0)
    }

    fn products(cost: &Cost) -> usize {
        cost.products as usize
    }

    fn prove(field: &FieldDesc, claims: &[Claim<'_, Self>]) -> Vec<Result<check::Accepted, Unproven>> {
        JUDGED.all(field, claims, |Claim { op, operands, choice }| {
            check::check(I::PRODUCTS, field, op, operands, &choice.program, choice.out)
        })
    }

    fn rules(field: &FieldDesc) -> Numbers {
        Numbers::new(Limbs::of(I::PRODUCTS, field), field)
    }

    fn slack(field: &FieldDesc, choice: &Choice<I>, _: &[Bound]) -> Vec<u64> {
        let (family, form) = choice.variant.rsplit_once('.').unwrap_or_default();
        match form {
            "loose" | "carried" | "weak" | "copy" | "copied" if family != "is_zero" => {
                vec![Limbs::of(I::PRODUCTS, field).most(field) - choice.out.times]
            }
            _ => vec![],
        }
    }
}
