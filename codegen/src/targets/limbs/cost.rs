//! What a program costs: instructions by kind.

use super::ir::{Inst, Pair, Program};
use std::ops::AddAssign;

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
    pub(in crate::targets) fn of(program: &Program) -> Cost {
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
