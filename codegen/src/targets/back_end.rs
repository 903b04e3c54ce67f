//! What a target writes: kernels that passed the gate to the text of an image.

use super::Machine;
use crate::declaration::FieldDesc;
use crate::error::EmitError;
use crate::passes::Checked;
use curvesmith_abi::Needs;
use std::fmt::Debug;

/// A writer of kernels. It is given what the [gate](crate::passes::gate) has let through for this target and nothing else.
pub trait BackEnd: Machine {
    /// By what the text is made, where a target has several ways.
    type Emitter: Copy + Debug + Default + Eq;

    /// How an element of the prime field lies in a kernel, between loads and stores.
    fn layout(field: &FieldDesc) -> Layout;

    /// The kernels, in order, as one text.
    fn emit(kernels: &[Checked<Self>], emitter: Self::Emitter) -> Result<Artefact, EmitError>;
}

/// An element in a kernel: limbs in Montgomery form with `R = 2^(limbs·bits)`, the least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Limbs of an element.
    pub limbs: usize,
    /// Bits of a limb.
    pub bits: u32,
}

/// An emitted text, and what it needs of whoever runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artefact {
    /// The text, in the target's language.
    pub text: String,
    /// What each of its kernels needs, in their order.
    pub needs: Vec<Needs>,
}
