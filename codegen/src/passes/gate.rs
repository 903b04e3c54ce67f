//! The gate between passes and back ends: nothing is emitted that was not checked here, as it is emitted.

use super::certificate::{self, Certificate, certify};
use super::info::{Fact, KernelInfo};
use crate::declaration::FieldDesc;
use crate::error::PassError;
use crate::fir::ir::{Kernel, Op, Value};
use crate::fir::verify::verify;
use crate::targets::{Accepted as _, Arithmetic, Bound, Claim, Unproven};
use std::sync::Arc;

/// A kernel that the back end of a target may emit, with the bounds and programs it is emitted with. Only
/// [`check`] makes one, and nothing changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked<T: Arithmetic> {
    kernel: Arc<Kernel>,
    info: KernelInfo<T>,
    certificate: Certificate,
    functions: Vec<Arc<Checked<T>>>,
}

impl<T: Arithmetic> Checked<T> {
    /// The kernel in its final form.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The bound and program of each of its values.
    pub fn info(&self) -> &KernelInfo<T> {
        &self.info
    }

    /// Why the bounds hold.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// What it calls, in the order of the kernel's functions.
    pub fn functions(&self) -> &[Arc<Checked<T>>] {
        &self.functions
    }

    /// What it calls and what that calls, each once and before its callers; it is the last.
    pub fn with_functions(&self) -> Vec<&Checked<T>> {
        let mut all: Vec<&Checked<T>> = vec![];
        for checked in self.functions.iter().flat_map(|function| function.with_functions()).chain([self]) {
            if !all.iter().any(|known| known.kernel.symbol == checked.kernel.symbol) {
                all.push(checked);
            }
        }
        all
    }

    pub(super) fn shared_kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }
}

/// Judges a kernel as the last pass left it, and believes no pass:
///
/// 1. the kernel is well-formed, the facts are about it, what it calls has passed the gate, and the target
///    has what it asks for;
/// 2. the bounds hold: the certificate that the facts amount to is checked, calls by the certificates of what
///    is called;
/// 3. every program computes its operation, within the bound that is claimed of it, for the operands that the
///    certificate allows. The proofs are those that the placing pass has made of the same blocks, where it
///    has.
pub fn check<T: Arithmetic>(
    kernel: Kernel,
    info: KernelInfo<T>,
    functions: Vec<Arc<Checked<T>>>,
) -> Result<Checked<T>, PassError> {
    well_formed(&kernel, "as scheduled")?;
    about(&kernel, &info)?;
    if !kernel.functions.iter().eq(functions.iter().map(|f| &f.kernel)) {
        return Err(PassError::Malformed("functions that are not those it calls".into()));
    }
    T::supports(&kernel)?;
    let callees: Vec<&Certificate> = functions.iter().map(|f| &f.certificate).collect();
    let certificate = certify(&kernel, &info);
    certificate::check::<T>(&kernel, &certificate, &callees)?;
    blocks(&kernel, &info)?;
    Ok(Checked { kernel: Arc::new(kernel), info, certificate, functions })
}

/// What the verifier says of a kernel, and when.
pub(super) fn well_formed(kernel: &Kernel, when: &str) -> Result<(), PassError> {
    verify(kernel).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
        PassError::Malformed(format!("{when}: {}", lines.join("; ")))
    })
}

/// There is a fact for each value and each local, no program's result exceeds the bound that stands for it,
/// and no operand what the program was chosen for. A certificate knows the size of values alone; bounds may
/// say more.
fn about<T: Arithmetic>(kernel: &Kernel, info: &KernelInfo<T>) -> Result<(), PassError> {
    if info.facts.len() != kernel.values().count() || info.locals.len() != kernel.locals.len() {
        return Err(PassError::Malformed("facts of another kernel".into()));
    }
    let Some(field) = &kernel.field else { return Ok(()) };
    for v in kernel.values() {
        let fact = &info.facts[v.0 as usize];
        if let (Some(bound), Some((choice, _))) = (fact.bound, &fact.choice)
            && !choice.out.within(bound, field)
        {
            return Err(PassError::Bounds { value: v, reason: "claims less than its program gives".into() });
        }
        let exceeds = |(a, limit): &(Value, T::Bound)| {
            !info.facts[a.0 as usize].bound.is_some_and(|bound| bound.within(*limit, field))
        };
        if let Some((value, _)) = relied_on(kernel, v, fact).into_iter().find(exceeds) {
            return Err(PassError::Bounds { value, reason: "exceeds what a user relies on".into() });
        }
    }
    Ok(())
}

/// What a value relies on of those that it is computed from.
fn relied_on<T: Arithmetic>(kernel: &Kernel, v: Value, fact: &Fact<T>) -> Vec<(Value, T::Bound)> {
    match (&kernel[v], &fact.choice, fact.bound) {
        (Op::Field(_, operands), Some((_, limits)), _) => {
            operands.iter().copied().zip(limits.iter().copied()).collect()
        }
        (Op::Select(_, a, b), _, Some(bound)) => vec![(*a, bound), (*b, bound)],
        (Op::Word(a, _, below), ..) => {
            vec![(*a, T::Bound::at_most(kernel.field(), &below.limit(kernel.field())))]
        }
        _ => vec![],
    }
}

/// The program of every operation is proven: the checker has accepted a certificate of just that.
fn blocks<T: Arithmetic>(kernel: &Kernel, info: &KernelInfo<T>) -> Result<(), PassError> {
    let Some(field) = &kernel.field else { return Ok(()) };
    let (values, claims) = claims(kernel, info);
    let proofs = T::prove(field, &claims);
    proven(field, &values, &claims, proofs)
}

/// Each claim has a proof, and of nothing else: whoever keeps proofs need not be believed.
fn proven<T: Arithmetic>(
    field: &FieldDesc,
    values: &[Value],
    claims: &[Claim<'_, T>],
    proofs: Vec<Result<T::Accepted, Unproven>>,
) -> Result<(), PassError> {
    if proofs.len() != claims.len() {
        let (proofs, claims) = (proofs.len(), claims.len());
        return Err(PassError::Malformed(format!("{claims} programs and {proofs} proofs")));
    }
    for ((value, claim), proof) in values.iter().zip(claims).zip(proofs) {
        let other = |accepted: T::Accepted| match accepted.seal() == claim.seal(field) {
            true => Ok(()),
            false => Err(Unproven("the proof is of another claim".into())),
        };
        proof.and_then(other).map_err(|source| {
            let (op, variant) = (format!("{:?}", claim.op), claim.choice.variant);
            PassError::Block { value: *value, op, variant, source }
        })?;
    }
    Ok(())
}

/// What is to be proven of the programs of a kernel.
pub(super) fn claims<'i, T: Arithmetic>(
    kernel: &Kernel,
    info: &'i KernelInfo<T>,
) -> (Vec<Value>, Vec<Claim<'i, T>>) {
    let claim = |v: Value| {
        let (choice, operands) = info.facts[v.0 as usize].choice.as_ref()?;
        Some((v, Claim { op: kernel[v].field()?.0.clone(), operands, choice }))
    };
    kernel.values().filter_map(claim).unzip()
}

#[cfg(test)]
mod tests;
