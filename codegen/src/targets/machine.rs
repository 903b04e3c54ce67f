//! What a target runs on: prices of programs, registers, and what lives in memory or is called.

use super::Arithmetic;
use crate::fir::ir::{Kernel, Type};

/// The machine that programs of an [`Arithmetic`] run on.
pub trait Machine: Arithmetic {
    /// The time to expect of programs that run together.
    fn time(cost: &Self::Cost) -> u64;

    /// What a program adds to the time of code that keeps busy what `load` says. Linear, unlike
    /// [`Machine::time`]; the same unit for all loads.
    fn price(cost: &Self::Cost, load: Load) -> u64;

    /// Registers that a program needs at once, operands included.
    fn pressure(program: &Self::Program) -> u32;

    /// Registers that a value of a type takes in a kernel.
    fn registers(kernel: &Kernel, ty: Type) -> u32;

    /// Which locals of a kernel live in memory: by local. They take registers where they are used only, and
    /// are set as early as may be.
    fn in_memory(kernel: &Kernel) -> Vec<bool>;

    /// Registers that a product of an extension may need in a kernel that adds points: one that needs more
    /// makes it spill.
    fn room_beside_points(kernel: &Kernel) -> u32;

    /// Whether the products of a kernel are functions of their own. Decided before variants are chosen.
    fn calls(kernel: &Kernel) -> bool;

    /// Whether a function, of the prime field alone, is called by a kernel that does so in so many places.
    /// One that is not called is copied to where it is used.
    fn calls_function(function: &Kernel, sites: usize) -> bool;

    /// Whether products compete with those that run beside them: then one in company is a variant with one
    /// part.
    fn crowds(kernel: &Kernel) -> bool;
}

/// What the code around an operation keeps busy, as a plan supposes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Load {
    /// Nothing more than anything else.
    #[default]
    Even,
    /// What multiplies.
    Products,
    /// What adds.
    Sums,
}
