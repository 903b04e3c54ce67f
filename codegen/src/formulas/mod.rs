//! Towers and curve formulas, written once for every field and every coordinate degree.
//!
//! Nothing here reduces by hand: the formulas say what is computed, and a pass places the
//! reductions that the chosen multipliers need.

pub mod tower;
pub mod xyzz;
