//! What tells one claim from all others.

use super::{Arithmetic, Claim};
use crate::declaration::{FieldDesc, FieldOp};
use std::hash::{Hash, Hasher};

/// A hash of a claim: modulus and words of the field, operation, program, and the bounds of operands and
/// result. Anyone can make one; that a checker has accepted the claim is said by the checker's own type,
/// which carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal(blake3::Hash);

impl Seal {
    /// The hash.
    pub(super) fn bytes(&self) -> [u8; 32] {
        *self.0.as_bytes()
    }
}

/// The part of a seal that knows no bounds.
#[derive(Clone, Debug)]
pub(super) struct OpenSeal(blake3::Hasher);

impl OpenSeal {
    /// That a program computes an operation.
    pub(super) fn new(field: &FieldDesc, op: &FieldOp, program: &impl Hash) -> Self {
        let mut hasher = Bytes(blake3::Hasher::new());
        (&field.p, field.words, op, program).hash(&mut hasher);
        Self(hasher.0)
    }

    /// For operands within some bounds, with results within another.
    pub(super) fn within<B: Hash>(&self, operands: &[B], out: B) -> Seal {
        let mut hasher = Bytes(self.0.clone());
        (operands, out).hash(&mut hasher);
        Seal(hasher.0.finalize())
    }
}

impl<T: Arithmetic> Claim<'_, T> {
    /// The seal of what is to be proven.
    pub fn seal(&self, field: &FieldDesc) -> Seal {
        OpenSeal::new(field, &self.op, &self.choice.program).within(self.operands, self.choice.out)
    }
}

/// Takes what [`Hash`] writes, lengths of sequences included.
struct Bytes(blake3::Hasher);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("what is asked for is the whole hash")
    }
}
