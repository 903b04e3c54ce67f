//! Portable Rust: straight-line code over `u64`.
//!
//! A target for any host, and the seed of one with vector instructions. It has the pure part of the language:
//! functions of field elements. Elements are `⌈bits/64⌉` limbs in Montgomery form with `R = 2^(64·limbs)`, as
//! arkworks has them, and bounds are whole multiples of `p`: the value of a bound `k` is below `k·p`.
//!
//! ```text
//! function(field, name, inputs, body) ─► prepare::<Portable> ─► emit ─► Rust source
//! ```
//!
//! Each variant is a function of the source, which has no loops, no branches but those of selections, and no
//! intrinsics. [`limbs::check`](super::limbs::check) proves it for all operands.

mod arithmetic;
mod bound;
mod emit;
mod function;
mod library;
mod machine;
#[cfg(test)]
mod tests;

pub use bound::Bound;
pub use function::function;
pub use library::library;

use super::{self as targets, limbs::Limbs};
use crate::declaration::FieldDesc;
use num_bigint::BigUint;

/// Hosts, by Rust on words of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Portable {}

/// A legal variant.
pub type Choice = targets::Choice<Portable>;

/// Limbs of an element: the least that hold `p`.
pub fn limbs(field: &FieldDesc) -> usize {
    Portable::limbs(field)
}

/// `R = 2^(64·limbs)`, Montgomery's radix on this target.
pub fn r(field: &FieldDesc) -> BigUint {
    Portable::r(field)
}

/// `x` as little-endian limbs, at least `n`.
pub fn to_limbs(x: &BigUint, n: usize) -> Vec<u64> {
    Portable::to_limbs(x, n)
}
