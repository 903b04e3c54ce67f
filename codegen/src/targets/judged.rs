//! What checkers have said of claims.

use super::{Arithmetic, Claim, Unproven};
use crate::declaration::FieldDesc;
use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// By target and by the seals of claims.
type Verdicts<A> = BTreeMap<(TypeId, [u8; 32]), Result<A, Unproven>>;

/// Verdicts of one checker. The kernels of an image have most claims in common, and the placing pass those of
/// the gate: each is judged once in a process.
pub(super) struct Judged<A>(Mutex<Verdicts<A>>);

impl<A: Clone> Judged<A> {
    pub(super) const fn new() -> Self {
        Judged(Mutex::new(BTreeMap::new()))
    }

    /// For [`Arithmetic::prove`], by what judges a claim.
    pub(super) fn all<T: Arithmetic<Accepted = A>>(
        &self,
        field: &FieldDesc,
        claims: &[Claim<'_, T>],
        judge: impl Fn(&Claim<'_, T>) -> Result<A, Unproven>,
    ) -> Vec<Result<A, Unproven>> {
        let judged = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let verdict = |claim: &Claim<'_, T>| {
            let key = (TypeId::of::<T>(), claim.seal(field).bytes());
            let known = judged().get(&key).cloned();
            known.unwrap_or_else(|| {
                let verdict = judge(claim);
                judged().insert(key, verdict.clone());
                verdict
            })
        };
        claims.iter().map(verdict).collect()
    }
}
