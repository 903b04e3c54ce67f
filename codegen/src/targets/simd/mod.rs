//! Processors with vectors: as many elements at once as a vector has words of 64 bits.
//!
//! The target has the pure part of the language, functions of field elements. An element is limbs in
//! Montgomery form with `R = 2^(bits·limbs)`; vectors hold one limb of each of their elements. Between
//! functions elements are *resident*: normal, and below `2p`.
//!
//! ```text
//! function(field, name, inputs, body) ─► prepare::<Simd<Instructions>> ─► emit ─► Rust source
//! ```
//!
//! The method is that of Gueron and Krasnov, "Accelerating Big Integer Arithmetic Using Intel IFMA
//! Extensions" (ARITH 2016): products are summed in columns, and carries wait until something multiplies.
//! What a processor multiplies says how many bits limbs have: [`Ifma512`] adds halves of products of 52 bits
//! to words, [`Avx2`] has products of 32 bits.

pub mod arithmetic;
mod emit;
mod function;
mod instructions;
mod library;
mod machine;
#[cfg(test)]
mod tests;

pub use arithmetic::bound::{Bound, Limbs, Products, resident};
pub use function::function;
pub use instructions::{Avx2, Ifma512, InstructionSet, Instructions};
pub use library::{additions, transforms};
pub use machine::Cost;

use super::{self as targets};
use std::marker::PhantomData;

/// Processors, by Rust with their vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd<I>(PhantomData<I>);

/// A legal variant.
pub type Choice<I> = targets::Choice<Simd<I>>;
