//! A GPU with words of 32 bits and no carries. Estimates by the operations of the text: nothing of it is
//! measured.

use super::Wgsl;
use crate::fir::ir::{Kernel, Type};
use crate::targets::limbs::{Cost, ir::Program};
use crate::targets::{Load, Machine};

impl Machine for Wgsl {
    /// Operations: a product of two words and what is added to it takes four products and some twenty other
    /// ones, a sum with its carry four.
    fn time(cost: &Cost) -> u64 {
        u64::from(24 * cost.products + 4 * cost.sums + cost.selections)
    }

    fn price(cost: &Cost, _: Load) -> u64 {
        Self::time(cost)
    }

    fn pressure(program: &Program) -> u32 {
        program.pressure()
    }

    fn registers(kernel: &Kernel, ty: Type) -> u32 {
        match ty {
            Type::Field => kernel.field().words as u32,
            Type::U64 => 2,
            Type::U32 | Type::Pred => 1,
            Type::Ext(_) | Type::Fields => 0,
        }
    }

    /// What spills is the driver's to say.
    fn in_memory(kernel: &Kernel) -> Vec<bool> {
        vec![false; kernel.locals.len()]
    }

    fn room_beside_points(_: &Kernel) -> u32 {
        u32::MAX
    }

    /// All programs are functions; drivers inline what they like.
    fn calls(_: &Kernel) -> bool {
        true
    }

    /// A text that stands once is compiled once by drivers that do not inline, and is shorter for all.
    fn calls_function(_: &Kernel, sites: usize) -> bool {
        sites > 1
    }

    fn crowds(_: &Kernel) -> bool {
        false
    }
}
