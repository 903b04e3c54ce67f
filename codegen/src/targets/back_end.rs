//! What a target writes: kernels that passed the gate to the text of an image.

use super::Machine;
use crate::declaration::FieldDesc;
use crate::error::EmitError;
use crate::passes::Checked;
use curvesmith_abi::Needs;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};
use std::fmt::Debug;

/// A writer of kernels. It is given what the [gate](crate::passes::gate) has let through for this target and
/// nothing else.
pub trait BackEnd: Machine {
    /// By what the text is made, where a target has several ways.
    type Emitter: Copy + Debug + Default + Eq;

    /// How an element of the prime field lies in a kernel, between loads and stores.
    fn layout(field: &FieldDesc) -> Layout;

    /// The kernels, in order, as one text.
    fn emit(kernels: &[Checked<Self>], emitter: Self::Emitter) -> Result<Artefact, EmitError>;
}

/// An element in a kernel: limbs in Montgomery form, the least significant first. `R` is the target's, most
/// often `2^(limbs·bits)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Limbs of an element.
    pub limbs: usize,
    /// Bits of a limb.
    pub bits: u32,
}

impl Layout {
    /// A number that the limbs hold, cut into them.
    pub fn cut(self, x: &BigUint) -> Vec<u64> {
        let mask = (BigUint::one() << self.bits) - 1u32;
        let limb = |i: usize| ((x >> (self.bits as usize * i)) & &mask).to_u64();
        (0..self.limbs).map(|i| limb(i).expect("a limb has at most 64 bits")).collect()
    }
}

/// An emitted text, and what it needs of whoever runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artefact {
    /// The text, in the target's language.
    pub text: String,
    /// What each of its kernels needs, in their order.
    pub needs: Vec<Needs>,
}
