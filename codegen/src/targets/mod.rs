//! Targets: what the operations of a field become, and everything that passes have to know for it.
//!
//! A target is a type without values and a folder with everything of it. Three traits say what it is, each
//! with one reason to change:
//!
//! * [`Arithmetic`]: how the size of a value is known ([`Bound`]), by which variants an operation can be
//!   computed ([`Choice`]), what has to be shown of a variant, and what it promises.
//! * [`Machine`]: what programs cost there, what takes registers, what lives in memory, what is called.
//! * [`BackEnd`]: how an element lies in a kernel, and how kernels become the text of an image.
//!
//! Passes choose, place and order, and ask for the weakest trait that they need; the
//! [gate](crate::passes::gate) lets nothing through that the target's checker has not accepted; the back end
//! takes `Checked<T>`, and `T` is part of that type.
//!
//! | target | machine | bounds | programs | text |
//! | --- | --- | --- | --- | --- |
//! | [`ptx::Ptx`] | NVIDIA GPUs, words of 32 bits | units of `R/2^32` | blocks with carry chains | PTX |
//! | [`portable::Portable`] | hosts, limbs of 64 bits | multiples of `p` | straight-line code | Rust over `u64` |
//! | [`wgsl::Wgsl`] | GPUs of WebGPU, words of 32 bits | a 16th of `p` and more | the same, rows in loops | WGSL |
//! | [`simd::Simd`] | x86-64 with AVX-512 IFMA, limbs of 52 bits, or AVX2, of 28 or 29 | multiples of `p`, looseness of limbs | lane programs | Rust with `core::arch` |
//!
//! `FieldDesc` has the layout of an element in memory, which belongs to the kernels' interface: words of 32
//! bits, in Montgomery form with `R = 2^(32·words)`. What an element is between loads and stores, limb size
//! and `R` included, is the target's own. The operations that speak of words (`Op::Word`, `Op::FromWords`,
//! `FieldOp::FromMont`, `FieldOp::MulTable`) mean those of the layout; a target without them refuses the
//! kernel.

mod arithmetic;
mod back_end;
mod judged;
pub mod limbs;
mod machine;
mod offer;
pub mod portable;
pub mod ptx;
mod pure;
mod seal;
pub mod simd;
#[cfg(test)]
mod tests;
pub mod walk;
pub mod wgsl;

pub use arithmetic::{Accepted, Arithmetic, Bound, Choice, Claim, Limit, Outcome, Rules, Unproven};
pub use back_end::{Artefact, BackEnd, Layout};
pub use machine::{Load, Machine};
pub use offer::{Offer, cheapest};
pub use seal::Seal;
