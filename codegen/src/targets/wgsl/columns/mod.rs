//! Straight-line programs on limbs whose products are words: sums of products need no carries, and a column
//! of them is carried once. What they are, why they are right, and the reduction that they share.
//!
//! A product reduces row by row, each row dividing by the bits of a limb. Elements are in Montgomery form by
//! the radix of the layout, `2^(32·words)`, which is no power of a limb's: the last row divides by the bits
//! that are left, and the result is cut anew.

pub mod check;
pub mod ir;
mod sums;
#[cfg(test)]
pub(super) mod tests;

pub(super) use sums::{Columns, Reduced, Term, carried_up, rectangle, regrouped, rows, squares};

/// Of what size everything is, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Limbs of an element.
    pub count: usize,
    /// A limb of operands and results.
    pub element: u32,
    /// A limb of what is multiplied.
    pub limb: u32,
    /// A word, which holds a limb.
    pub word: u32,
}
