//! Portable Rust: straight-line code over `u64`.
//!
//! A target for any host, and the seed of one with vector instructions. It has the pure part of the language: functions of
//! field elements. Elements are `⌈bits/64⌉` limbs in Montgomery form with `R = 2^(64·limbs)`, as arkworks has them, and bounds
//! are whole multiples of `p`: the value of a bound `k` is below `k·p`.
//!
//! ```text
//! function(field, name, inputs, body) ─► prepare::<Portable> ─► emit ─► Rust source
//! ```
//!
//! Each variant is a function of the source, which has no loops, no branches but those of selections, and no
//! intrinsics. [`check`] proves it for all operands.

mod bound;
pub mod check;
mod emit;
mod function;
pub mod ir;
mod library;
mod rules;
#[cfg(test)]
mod tests;
mod variants;

pub use bound::{Bound, limbs, r, to_limbs};
pub use emit::emit;
pub use function::function;
pub use library::library;
pub use rules::Numbers;

use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::{Kernel, Type};
use crate::targets::{self, Claim, Load, Target, Unproven};
use ir::{Inst, Pair, Program};
use std::ops::AddAssign;

/// Hosts, by Rust on words of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Portable {}

/// A legal variant.
pub type Choice = targets::Choice<Portable>;

/// Instructions by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Products of two limbs, with two additions.
    pub products: u32,
    /// Additions and subtractions of limbs.
    pub sums: u32,
    /// Selections of limbs.
    pub selections: u32,
}

impl Cost {
    /// Of a program.
    fn of(program: &Program) -> Cost {
        let mut cost = Cost::default();
        for inst in &program.insts {
            match inst {
                Inst::Pair { by: Pair::MulAdd(..), .. } => cost.products += 1,
                Inst::Pair { .. } => cost.sums += 1,
                Inst::Select { .. } => cost.selections += 1,
            }
        }
        cost
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.products += other.products;
        self.sums += other.sums;
        self.selections += other.selections;
    }
}

impl Target for Portable {
    type Bound = Bound;
    type Cost = Cost;
    type Program = Program;
    type Accepted = check::Accepted;
    type Rules = Numbers;

    fn supports(kernel: &Kernel) -> Result<(), PassError> {
        function::Function::of(kernel).map(drop)
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

    /// Instructions of a machine with a wide product, an add with carry and a conditional move. An estimate: nothing of it
    /// is measured.
    fn time(cost: &Cost) -> u64 {
        u64::from(3 * cost.products + cost.sums + 2 * cost.selections)
    }

    /// One unit for all: such a machine finds work for what is idle by itself.
    fn price(cost: &Cost, _: Load) -> u64 {
        Self::time(cost)
    }

    fn pressure(program: &Program) -> u32 {
        program.pressure()
    }

    fn registers(kernel: &Kernel, ty: Type) -> u32 {
        match ty {
            Type::Field => limbs(kernel.field()) as u32,
            Type::U32 | Type::U64 | Type::Pred => 1,
            Type::Ext(_) | Type::Fields => 0,
        }
    }

    fn in_memory(kernel: &Kernel) -> Vec<bool> {
        vec![false; kernel.locals.len()]
    }

    /// What spills is rustc's to say.
    fn room_beside_points(_: &Kernel) -> u32 {
        u32::MAX
    }

    /// All programs are functions; whether they are inlined is rustc's to say.
    fn calls(_: &Kernel) -> bool {
        true
    }

    fn calls_function(_: &Kernel, _: usize) -> bool {
        false
    }

    fn crowds(_: &Kernel) -> bool {
        false
    }

    fn prove(field: &FieldDesc, claims: &[Claim<'_, Portable>]) -> Vec<Result<check::Accepted, Unproven>> {
        let prove = |claim: &Claim<'_, Portable>| {
            check::check(field, &claim.op, claim.operands, &claim.choice.program, claim.choice.out)
        };
        claims.iter().map(prove).collect()
    }

    fn rules(field: &FieldDesc) -> Numbers {
        Numbers::new(field)
    }

    fn slack(field: &FieldDesc, choice: &Choice, _: &[Bound]) -> Vec<u64> {
        let (family, form) = choice.variant.rsplit_once('.').unwrap_or_default();
        match form {
            "lazy" | "borrow" | "weak" | "copy" if family != "is_zero" => {
                vec![variants::spare(field, choice.out)]
            }
            _ => vec![],
        }
    }
}
