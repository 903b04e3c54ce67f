//! Checks certificates of blocks: that a block computes its operation for all operands within their bounds.
//!
//! What stands here is trusted; what finds certificates (`target/ptx/prove`) is not, and nothing of it is used here. A
//! certificate names integers that the operands determine (`Step`), and the checker
//! follows it by few rules:
//!
//! * **Definitions** always hold: a polynomial or product of what is known, the division of one by `2^32`, a truth value.
//! * **Equations**: a polynomial is zero, or divisible by a number, if it is so term by term once multiples of
//!   known equations are taken off.
//! * **Bounds**: an integer is not negative if some multiple of it, without positive multiples of what is known not to be
//!   negative, is more than minus that multiple by the ranges of the variables.
//! * **Cases**: what holds where a boolean is 0, and where it is 1, holds.
//! * **Instructions**: what one writes is the only integer that is in the range of words and has its equation.
//!
//! The claim is that of `Claim`: the definitions of the operations are in `goal.rs`.

pub(in crate::target::ptx) mod certificate;
#[cfg(test)]
mod corpus;
pub(in crate::target::ptx) mod definition;
mod goal;
mod insts;
mod steps;
mod sum;
#[cfg(test)]
mod tests;

use num_bigint::BigInt;

use super::{Block, Bound, FieldOp};
use crate::spec::FieldDesc;
use certificate::{Certificate, Proof, Var};
use insts::Machine;
use sum::{B, Context, Rule};

/// What a certificate does that does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub(in crate::target::ptx) &'static str);

impl std::error::Error for Refused {}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// A block was shown to be right. Only `check` makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted(());

/// What is claimed of a block.
#[derive(Clone, Copy, Debug)]
pub(in crate::target::ptx) struct Claim<'a> {
    pub(in crate::target::ptx) field: &'a FieldDesc,
    pub(in crate::target::ptx) op: &'a FieldOp,
    pub(in crate::target::ptx) block: &'a Block,
    /// For operands within these bounds it computes the operation modulo `p`.
    pub(in crate::target::ptx) operands: &'a [Bound],
    /// For operands within the first bounds its results are within the second.
    pub(in crate::target::ptx) cases: &'a [(&'a [Bound], Bound)],
}

/// Checks a certificate: for each case whether it was claimed, and then shown.
pub(in crate::target::ptx) fn check(
    claim: &Claim<'_>,
    certificate: &Certificate,
) -> Result<Vec<Option<Accepted>>, Refused> {
    goal::shape(claim)?;
    let context = Context {
        scale: certificate.scale,
        vars: Vec::new(),
        assumed: Vec::new(),
        bounded: Vec::new(),
        implied: Vec::new(),
    };
    let mut machine = Machine::new(context, claim.block);
    machine.operands(claim)?;
    certificate.steps.iter().try_for_each(|step| machine.step(step))?;
    if machine.at != claim.block.insts().len() {
        return Err(Refused("leaves out instructions"));
    }
    machine.reason(claim, &certificate.reason)?;
    if certificate.cases.len() != claim.cases.len() {
        return Err(Refused("has other cases"));
    }
    let cases = claim.cases.iter().zip(&certificate.cases);
    cases
        .map(|(case, proofs)| proofs.as_ref().map(|proofs| machine.case(claim, *case, proofs)).transpose())
        .collect()
}

impl<'c> Machine<'c> {
    /// Defines the words of the operands.
    fn operands(&mut self, claim: &Claim<'c>) -> Result<(), Refused> {
        self.cx.define(Rule::Given, (0, 0));
        for (input, bound) in claim.block.inputs().iter().zip(claim.operands) {
            let mut words = Vec::with_capacity(input.words.len());
            for &word in &input.words {
                words.push(self.cx.vars.len() as Var);
                self.set(word, certificate::Val::Node(self.cx.vars.len() as Var))?;
                self.cx.define(Rule::Given, (0, B - 1));
            }
            self.cx.bounded.push((words, 0.into()));
            self.operand(self.cx.bounded.len() - 1, bound.max(claim.field).into());
        }
        Ok(())
    }

    /// Operand `k` is at most `max`, and so are its words.
    fn operand(&mut self, k: usize, max: BigInt) {
        for (i, &word) in self.cx.bounded[k].0.iter().enumerate() {
            let most = i128::try_from(&max >> (32 * i)).map_or(B - 1, |most| most.min(B - 1));
            self.cx.vars[word as usize].most = most;
        }
        self.cx.bounded[k].1 = max;
    }

    /// For these operands all results are within the bound.
    fn case(
        &mut self,
        claim: &Claim<'_>,
        (operands, out): (&[Bound], Bound),
        proofs: &[Proof],
    ) -> Result<Accepted, Refused> {
        if let FieldOp::IsZero | FieldOp::MaybeZero = claim.op {
            return Ok(Accepted(()));
        }
        for (k, bound) in operands.iter().enumerate() {
            self.operand(k, bound.max(claim.field).into());
        }
        if proofs.len() != claim.block.outputs().len() {
            return Err(Refused("leaves out results"));
        }
        let max = BigInt::from(out.max(claim.field));
        for (k, proof) in proofs.iter().enumerate() {
            let words = self.output(k)?;
            self.cx.at_most(&words, &max, proof)?;
        }
        Ok(Accepted(()))
    }
}

impl Context<'_> {
    /// Word `i` of an operand.
    fn operand(&self, operand: usize, i: usize) -> Result<Var, Refused> {
        let word = self.bounded.get(operand).and_then(|(words, _)| words.get(i));
        word.copied().ok_or(Refused("has another shape"))
    }
}
