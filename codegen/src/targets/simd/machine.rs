//! Prices are estimates: products of limbs go through one port, all else through two.

use super::arithmetic::bound::Limbs;
use super::arithmetic::ir::{Op, Program};
use super::{Instructions, Simd};
use crate::fir::ir::{Kernel, Type};
use crate::targets::{Load, Machine};
use std::ops::AddAssign;

/// Instructions by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Halves of products of two limbs.
    pub products: u32,
    /// Everything else.
    pub others: u32,
}

impl Cost {
    /// Of a program.
    pub(super) fn of(program: &Program) -> Cost {
        let mut cost = Cost::default();
        for (_, op) in program.needed() {
            match op {
                Op::Low { .. } | Op::High { .. } | Op::Quotient { .. } => cost.products += 1,
                Op::Whole { .. } => {
                    cost.products += 1;
                    cost.others += 1;
                }
                Op::Carry { .. } => cost.others += 2,
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

impl<I: Instructions> Machine for Simd<I> {
    /// In half cycles.
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
            Type::Field => Limbs::of(I::PRODUCTS, kernel.field()).n as u32,
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

    /// All programs are copied to where they are used.
    fn calls(_: &Kernel) -> bool {
        false
    }

    fn calls_function(_: &Kernel, _: usize) -> bool {
        false
    }

    fn crowds(_: &Kernel) -> bool {
        false
    }
}
