//! A host with a wide product, an add with carry and a conditional move. Estimates: nothing of it is
//! measured.

use super::{Portable, limbs};
use crate::fir::ir::{Kernel, Type};
use crate::targets::limbs::{Cost, ir::Program};
use crate::targets::{Load, Machine};

impl Machine for Portable {
    /// Instructions of a machine with a wide product, an add with carry and a conditional move. An estimate:
    /// nothing of it is measured.
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
}
