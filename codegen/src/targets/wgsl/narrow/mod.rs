//! Elements on limbs of 13 bits: products of two limbs are words with room for a sum, and sums have no
//! carries.
//!
//! A Montgomery product of 254 bits is 820 products of limbs, each a multiplication and an addition, where
//! words of 32 bits take 136 products of four half products each. Elements are in Montgomery form by the
//! radix of the layout, `R = 2^(32·words)`, which is no power of `2^13`: a product's last row of reduction
//! divides by the bits that are left. So memory, constants and all that speaks of words are those of
//! [`Wgsl`](super::Wgsl); an element is unpacked where it is made of words, and packed where its words are
//! read.
//!
//! The arithmetic is that of [`simd`](crate::targets::simd) with another machine: bounds in two dimensions,
//! and normalisation where something multiplies.

pub mod bound;
pub mod check;
mod regroup;
mod rules;
#[cfg(test)]
mod tests;
mod variants;

pub use bound::{BITS, Bound, limbs, to_limbs};
pub use rules::Numbers;

pub(super) use regroup::{packed, unpacked};

use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::{Kernel, Type};
use crate::targets::judged::Judged;
use crate::targets::wgsl::columns::ir::{Op, Program};
use crate::targets::{self, Arithmetic, Claim, Load, Machine, Unproven};
use std::ops::AddAssign;

/// GPUs, by WGSL, on limbs of 13 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {}

/// A legal variant.
pub type Choice = targets::Choice<Narrow>;

/// Instructions by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Products of two limbs, with an addition.
    pub products: u32,
    /// Everything else.
    pub others: u32,
}

impl Cost {
    /// Of a program.
    fn of(program: &Program) -> Cost {
        let mut cost = Cost::default();
        for (_, op) in program.needed() {
            match op {
                Op::Mul { .. } => cost.products += 1,
                Op::Quotient { .. } | Op::Carry { .. } => {
                    cost.products += 1;
                    cost.others += 1;
                }
                Op::Add(..)
                | Op::Sub(..)
                | Op::Shift { .. }
                | Op::Mask { .. }
                | Op::Double { .. }
                | Op::Select { .. } => cost.others += 1,
            }
        }
        cost
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.products += other.products;
        self.others += other.others;
    }
}

static JUDGED: Judged<check::Accepted> = Judged::new();

impl Arithmetic for Narrow {
    type Bound = Bound;
    type Cost = Cost;
    type Program = Program;
    type Accepted = check::Accepted;
    type Rules = Numbers;

    fn supports(kernel: &Kernel) -> Result<(), PassError> {
        super::Wgsl::supports(kernel)
    }

    fn choices(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice> {
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

    fn prove(field: &FieldDesc, claims: &[Claim<'_, Narrow>]) -> Vec<Result<check::Accepted, Unproven>> {
        JUDGED.all(field, claims, |Claim { op, operands, choice }| {
            check::check(field, op, operands, &choice.program, choice.out)
        })
    }

    fn rules(field: &FieldDesc) -> Numbers {
        Numbers::new(field)
    }

    fn slack(_: &FieldDesc, choice: &Choice, _: &[Bound]) -> Vec<u64> {
        let (family, form) = choice.variant.rsplit_once('.').unwrap_or_default();
        match form {
            "loose" | "carried" | "weak" | "copy" | "copied"
                if !matches!(family, "is_zero" | "maybe_zero") =>
            {
                vec![bound::MOST - choice.out.times]
            }
            _ => vec![],
        }
    }
}

/// Estimates by the operations of the text.
impl Machine for Narrow {
    fn time(cost: &Cost) -> u64 {
        u64::from(2 * cost.products + cost.others)
    }

    fn price(cost: &Cost, _: Load) -> u64 {
        Self::time(cost)
    }

    fn pressure(program: &Program) -> u32 {
        program.pressure()
    }

    fn registers(kernel: &Kernel, ty: Type) -> u32 {
        match ty {
            Type::Field => limbs(kernel.field()) as u32,
            other => super::Wgsl::registers(kernel, other),
        }
    }

    fn in_memory(kernel: &Kernel) -> Vec<bool> {
        super::Wgsl::in_memory(kernel)
    }

    fn room_beside_points(kernel: &Kernel) -> u32 {
        super::Wgsl::room_beside_points(kernel)
    }

    fn calls(kernel: &Kernel) -> bool {
        super::Wgsl::calls(kernel)
    }

    fn calls_function(function: &Kernel, sites: usize) -> bool {
        super::Wgsl::calls_function(function, sites)
    }

    fn crowds(kernel: &Kernel) -> bool {
        super::Wgsl::crowds(kernel)
    }
}
