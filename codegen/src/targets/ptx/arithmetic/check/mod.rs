//! Checks certificates of blocks: that a block computes its operation for all operands within their bounds.
//!
//! What stands here is trusted; what finds certificates (`targets/ptx/prove`) is not, and nothing of it is
//! used here. A certificate names integers that the operands determine (`Step`), and the checker follows it
//! by few rules:
//!
//! * **Definitions** always hold: a polynomial or product of what is known, the division of one by `2^32`, a
//!   truth value.
//! * **Equations**: a polynomial is zero, or divisible by a number, if it is so term by term once multiples
//!   of known equations are taken off.
//! * **Bounds**: an integer is not negative if some multiple of it, without positive multiples of what is
//!   known not to be negative, is more than minus that multiple by the ranges of the variables.
//! * **Cases**: what holds where a boolean is 0, and where it is 1, holds.
//! * **Instructions**: what one writes is the only integer that is in the range of words and has its
//!   equation.
//!
//! The claim is that of `Claim`: the definitions of the operations are in `goal.rs`.

pub(in crate::targets::ptx) mod certificate;
#[cfg(test)]
mod corpus;
pub(in crate::targets::ptx) mod definition;
mod goal;
mod insts;
mod steps;
mod sum;
#[cfg(test)]
mod tests;

use num_bigint::BigInt;

use super::num::Num;
use super::{Block, Bound, FieldOp};
use crate::declaration::FieldDesc;
use crate::targets::seal::OpenSeal;
use crate::targets::{self, Seal};
use certificate::{Certificate, Proof, Val, Var};
use insts::Machine;
use sum::{B, Context, Rule, Sum};

/// What a certificate does that does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub(in crate::targets::ptx) &'static str);

impl std::error::Error for Refused {}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// A block was shown to be right. Only a checked block (`Checked`) makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted(Seal);

impl targets::Accepted for Accepted {
    fn seal(&self) -> Seal {
        self.0
    }
}

/// What is claimed of a block: for operands within these bounds it computes the operation modulo `p`.
#[derive(Clone, Copy, Debug)]
pub(in crate::targets::ptx) struct Claim<'a> {
    pub(in crate::targets::ptx) field: &'a FieldDesc,
    pub(in crate::targets::ptx) op: &'a FieldOp,
    pub(in crate::targets::ptx) block: &'a Block,
    pub(in crate::targets::ptx) operands: &'a [Bound],
}

/// A block that was shown to do what was claimed. Only [`check`] makes one.
pub(in crate::targets::ptx) struct Checked {
    cx: Context,
    field: FieldDesc,
    seal: OpenSeal,
    operands: Vec<Bound>,
    /// The words of the results, or none of an operation whose result is a bit.
    outputs: Vec<Vec<Val>>,
    /// What proofs that were prepared leave of the negative of each result, whatever the largest values of
    /// the operands.
    prepared: Vec<Sum>,
}

/// Checks a certificate of a claim.
pub(in crate::targets::ptx) fn check(
    claim: &Claim<'_>,
    certificate: &Certificate,
) -> Result<Checked, Refused> {
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
    let results = match claim.op {
        FieldOp::IsZero | FieldOp::MaybeZero => 0,
        _ => claim.block.outputs().len(),
    };
    let outputs = (0..results).map(|k| machine.output(k)).collect::<Result<_, _>>()?;
    Ok(Checked {
        cx: machine.cx,
        field: claim.field.clone(),
        seal: OpenSeal::new(claim.field, claim.op, claim.block),
        operands: claim.operands.to_vec(),
        outputs,
        prepared: Vec::new(),
    })
}

impl Machine<'_> {
    /// Defines the words of the operands.
    fn operands(&mut self, claim: &Claim<'_>) -> Result<(), Refused> {
        self.cx.define(Rule::Given, (0, 0));
        for (input, bound) in claim.block.inputs().iter().zip(claim.operands) {
            let mut words = Vec::with_capacity(input.words.len());
            for &word in &input.words {
                words.push(self.cx.vars.len() as Var);
                self.set(word, Val::Node(self.cx.vars.len() as Var))?;
                self.cx.define(Rule::Given, (0, B - 1));
            }
            self.cx.bounded.push((words, 0.into()));
            self.cx.limit_operand(self.cx.bounded.len() - 1, bound.max(claim.field).into());
        }
        Ok(())
    }
}

impl Checked {
    /// Shows that for operands within the first bounds, which are within those of the claim, all results are
    /// within the second.
    pub(in crate::targets::ptx) fn case(
        &mut self,
        (operands, out): (&[Bound], Bound),
        proofs: &[Proof],
    ) -> Result<Accepted, Refused> {
        if proofs.len() != self.outputs.len() {
            return Err(Refused("leaves out results"));
        }
        self.limit_operands(operands)?;
        let max = BigInt::from(out.max(&self.field));
        for (words, proof) in self.outputs.iter().zip(proofs) {
            self.cx.at_most(words, &max, proof)?;
        }
        Ok(Accepted(self.seal.within(operands, out)))
    }

    /// Looks at proofs, none of them by cases, that are to bound the results for several operands. What they
    /// use holds for all operands of the claim, and so for fewer; only how large these are at most is left
    /// open.
    pub(in crate::targets::ptx) fn prepare(&mut self, proofs: &[Proof]) -> Result<(), Refused> {
        self.limit_operands(&self.operands.clone())?;
        self.prepared.clear();
        for (words, proof) in self.outputs.iter().zip(proofs) {
            let Proof::Sum(uses) = proof else { return Err(Refused("is by cases")) };
            let mut sum = Sum::new();
            sum.number(&self.cx, words.iter().copied(), -self.cx.unit())?;
            sum.without(&self.cx, uses, true)?;
            self.prepared.push(sum);
        }
        Ok(())
    }

    /// As [`case`](Self::case), by the proofs that were prepared.
    pub(in crate::targets::ptx) fn prepared_case(
        &mut self,
        (operands, out): (&[Bound], Bound),
    ) -> Result<Accepted, Refused> {
        if self.prepared.len() != self.outputs.len() {
            return Err(Refused("leaves out results"));
        }
        self.limit_operands(operands)?;
        let max = Num::from(BigInt::from(out.max(&self.field)));
        let units = (&self.cx.unit() * &max).to_bigint();
        self.prepared.iter().try_for_each(|sum| sum.concludes(&self.cx, units.clone()))?;
        Ok(Accepted(self.seal.within(operands, out)))
    }

    /// Operands within these bounds, which are within those of the claim.
    fn limit_operands(&mut self, operands: &[Bound]) -> Result<(), Refused> {
        let within = |(case, all): (&Bound, &Bound)| case.max(&self.field) <= all.max(&self.field);
        if operands.len() != self.operands.len() || !operands.iter().zip(&self.operands).all(within) {
            return Err(Refused("is about other operands"));
        }
        for (k, bound) in operands.iter().enumerate() {
            self.cx.limit_operand(k, bound.max(&self.field).into());
        }
        Ok(())
    }
}

impl Context {
    /// Operand `k` is at most `max`, and so are its words.
    fn limit_operand(&mut self, k: usize, max: BigInt) {
        for (i, &word) in self.bounded[k].0.iter().enumerate() {
            let most = i128::try_from(&max >> (32 * i)).map_or(B - 1, |most| most.min(B - 1));
            self.vars[word as usize].most = most;
        }
        self.bounded[k].1 = max;
    }

    /// Word `i` of an operand.
    fn operand(&self, operand: usize, i: usize) -> Result<Var, Refused> {
        let word = self.bounded.get(operand).and_then(|(words, _)| words.get(i));
        word.copied().ok_or(Refused("has another shape"))
    }
}
