//! What a target writes: kernels that passed the gate to the text of an image.

use super::Machine;
use crate::declaration::FieldDesc;
use crate::error::EmitError;
use crate::passes::Checked;
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
    /// Most that one of its kernels needs.
    pub needs: Needs,
}

/// What kernels need of a device; 0 where they need none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Threads a block.
    pub threads: u32,
    /// Bytes of shared memory a block.
    pub shared_bytes: u32,
    /// Buffers of a launch.
    pub buffers: u32,
}

impl Needs {
    /// What two kernels need that run one after the other.
    pub fn join(self, other: Needs) -> Needs {
        Needs {
            threads: self.threads.max(other.threads),
            shared_bytes: self.shared_bytes.max(other.shared_bytes),
            buffers: self.buffers.max(other.buffers),
        }
    }
}
