//! WGSL, the language of WebGPU: any GPU by Vulkan, Metal, Direct3D and browsers.
//!
//! Elements are the words of the layout, in Montgomery form with `R = 2^(32·words)`. The language has words
//! of 32 bits and no carries, so that programs are those of [limbs](super::limbs), whose instructions become
//! a few operations each: a product of two words is made of half products, or of one of 64 bits where the
//! device has them ([`curvesmith_abi::wgsl`]). Products of elements are written on other limbs, from the same
//! words to the same words, where an element has bits to spare (`products`).
//!
//! ```text
//! kernel ─► prepare::<Wgsl> ─► emit ─► a module with an entry point for each kernel
//! ```
//!
//! A program is a function of the module. Its rows, where they are alike, are a loop that is shown to be the
//! program. What the device has to bind is said at [`BackEnd::emit`](super::BackEnd::emit).

mod arithmetic;
mod bound;
pub mod columns;
mod emit;
mod machine;
mod products;
#[cfg(test)]
mod tests;

pub use bound::Bound;

use super::{self as targets};

/// GPUs, by WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wgsl {}

/// A legal variant.
pub type Choice = targets::Choice<Wgsl>;
