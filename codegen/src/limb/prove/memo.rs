//! Proofs that were made, so that equal blocks of many kernels are proven once in a process.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{ProofError, prove};
use crate::limb::{Bound, Choice, LimbOp};
use crate::spec::FieldDesc;

/// Results by modulus, operation, operand bounds and variant, which determine a block.
static MADE: Mutex<BTreeMap<String, Result<(), ProofError>>> = Mutex::new(BTreeMap::new());

/// As [`prove`], made once. The result is that of a function of the arguments, whoever asks first.
pub fn prove_once(
    field: &FieldDesc,
    op: &LimbOp,
    operands: &[Bound],
    choice: &Choice,
) -> Result<(), ProofError> {
    let key = format!("{:x} {op:?} {operands:?} {} {:?}", field.p, choice.variant, choice.out);
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    made.unwrap_or_else(|| {
        // Not under the lock: two threads may prove the same, and find the same.
        let result = prove(field, op, operands, choice);
        MADE.lock().unwrap_or_else(PoisonError::into_inner).insert(key, result.clone());
        result
    })
}
