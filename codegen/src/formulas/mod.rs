//! Curve formulas, written once for every field and every tower.
//!
//! Nothing here reduces by hand: the formulas say what is computed, and passes choose how extensions are multiplied and
//! place the reductions that the chosen multipliers need.

pub mod xyzz;
