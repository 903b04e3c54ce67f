//! Processors with vectors: as many elements at once as a vector has words of 64 bits.
//!
//! The target has the pure part of the language, functions of field elements. An element is limbs of 52 bits, in Montgomery
//! form with `R = 2^(52·limbs)`; vectors hold one limb of each of their elements. Between functions elements are *resident*:
//! normal, and below `2p`.
//!
//! ```text
//! function(field, name, inputs, body) ─► prepare::<Simd> ─► emit ─► Rust source
//! ```
//!
//! The method is that of Gueron and Krasnov, "Accelerating Big Integer Arithmetic Using Intel IFMA Extensions" (ARITH 2016):
//! halves of 104-bit products are summed in columns, and carries wait until something multiplies.

pub mod arithmetic;
mod emit;
mod function;
mod library;
mod machine;
#[cfg(test)]
mod tests;

pub use arithmetic::bound::{BITS, Bound, limbs, r, resident, to_limbs};
pub use emit::Tier;
pub use function::function;
pub use library::{additions, transforms};
pub use machine::Cost;

use super::{self as targets};

/// Processors, by Rust with their vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {}

/// A legal variant.
pub type Choice = targets::Choice<Simd>;
