//! Portable Rust: straight-line code over `u64`.
//!
//! A target for any host, and the seed of one with vector instructions. It has the pure part of the language: functions of
//! field elements. Elements are `⌈bits/64⌉` limbs in Montgomery form with `R = 2^(64·limbs)`, as arkworks has them, and bounds
//! are whole multiples of `p`: the value of a bound `k` is below `k·p`.
//!
//! ```text
//! function(field, name, inputs, body) ─► prepare::<Portable> ─► emit ─► Rust source
//! ```
//!
//! Each variant is a function of the source, which has no loops, no branches but those of selections, and no
//! intrinsics. [`arithmetic::check`] proves it for all operands.

pub mod arithmetic;
mod emit;
mod function;
mod library;
mod machine;
#[cfg(test)]
mod tests;

pub use arithmetic::{Bound, Numbers, limbs, r, to_limbs};
pub use function::function;
pub use library::library;
pub use machine::Cost;

use super::{self as targets};

/// Hosts, by Rust on words of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Portable {}

/// A legal variant.
pub type Choice = targets::Choice<Portable>;
