//! PTX: NVIDIA GPUs of compute capability 7.5 and later. It is emitted once for all of them, and priced by
//! the table of 9.0.

pub mod arithmetic;
pub mod emit;
pub mod machine;

#[cfg(test)]
pub(crate) mod tests;

pub use arithmetic::{Block, Bound, FieldOp, MAX_ROWS, Numbers, all_choices, choices, choose};
pub use machine::{Cost, Pipes};

use super::{self as targets};

/// NVIDIA GPUs, by PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ptx {}

/// A legal variant.
pub type Choice = targets::Choice<Ptx>;

/// A legal variant that may not be built yet.
pub type Offer = targets::Offer<Ptx>;
