//! What it takes to have computed an operation.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use super::certificate::{Proof, Reason, Test, Use, Val, Var};
use super::definition::{Term, definition};
use super::insts::Machine;
use super::sum::Sum;
use super::{Claim, Refused};
use crate::targets::ptx::FieldOp;
use crate::targets::ptx::arithmetic::num::Num;

/// The block's shape is that of the operation.
pub(super) fn shape(claim: &Claim<'_>) -> Result<(), Refused> {
    let Claim { field, op, block, operands } = claim;
    let is_test = matches!(op, FieldOp::IsZero | FieldOp::MaybeZero);
    let outputs = vec![if is_test { 1 } else { field.words }; op.results()];
    let right = operands.len() == op.operands(field)
        && field.p.bit(0)
        && block.inputs().iter().map(|input| input.words.len()).eq(operands.iter().map(|_| field.words))
        && block.outputs().iter().map(|output| output.words.len()).eq(outputs);
    if right { Ok(()) } else { Err(Refused("has another shape")) }
}

impl Machine<'_> {
    /// The block computes the operation.
    pub(super) fn reason(&mut self, claim: &Claim<'_>, reason: &Reason) -> Result<(), Refused> {
        let p = BigInt::from(claim.field.p.clone());
        match (claim.op, reason) {
            (FieldOp::IsZero, Reason::Zero { bound, same, tests, none, found }) => {
                let (words, max) =
                    self.cx.bounded.get(*bound).cloned().ok_or(Refused("uses a fact that is none"))?;
                self.congruent(
                    claim,
                    (0, same),
                    &words.iter().map(|&word| Val::Node(word)).collect::<Vec<_>>(),
                    &p,
                )?;
                tests.iter().try_for_each(|test| self.only(test, &words, &p))?;
                self.none(tests, none)?;
                self.found(&words, &max, found, &p)
            }
            (FieldOp::MaybeZero, Reason::MaybeZero { always: true, found }) => {
                let proof = found.first().ok_or(Refused("leaves out a multiple"))?;
                self.yes(proof)
            }
            (FieldOp::MaybeZero, Reason::MaybeZero { always: false, found }) => {
                let (words, max) =
                    self.cx.bounded.first().cloned().ok_or(Refused("uses a fact that is none"))?;
                self.found(&words, &max, found, &p)
            }
            (FieldOp::IsZero | FieldOp::MaybeZero, _) => Err(Refused("is about another operation")),
            (_, Reason::Congruent(outputs)) if outputs.len() == self.block.outputs().len() => {
                outputs.iter().enumerate().try_for_each(|(k, uses)| {
                    let words = self.output(k)?;
                    self.congruent(claim, (k, uses), &words, &p)
                })
            }
            _ => Err(Refused("is about another operation")),
        }
    }

    /// `words` are result `k` modulo `p`. Both times a power of two, of which the odd `p` has none.
    fn congruent(
        &self,
        claim: &Claim<'_>,
        (k, uses): (usize, &[Use]),
        words: &[Val],
        p: &BigInt,
    ) -> Result<(), Refused> {
        let (cx, mut sum) = (&self.cx, Sum::new());
        for (i, &word) in words.iter().enumerate() {
            sum.word(cx, word, &-Num::power(cx.scale + i), &[])?;
        }
        for Term { factor, x, y, down } in definition(claim.op, claim.field.words, k) {
            let up = cx.scale.checked_sub(down).ok_or(Refused("has too small a unit"))?;
            let start = x.1.start;
            for i in x.1 {
                let x_i = cx.operand(x.0, i)?;
                match y {
                    None => sum.term(cx, &[x_i], &factor << (32 * (up + i - start)))?,
                    Some(y) => (0..claim.field.words).try_for_each(|j| {
                        sum.term(cx, &[x_i, cx.operand(y, j)?], &factor << (32 * (up + i - start + j)))
                    })?,
                }
            }
        }
        sum.vanishes(cx, uses, Some(p))
    }

    /// Where a test holds the words are a multiple of `p`.
    fn only(&mut self, test: &Test, words: &[Var], p: &BigInt) -> Result<(), Refused> {
        let multiple = BigInt::from(test.number.clone()) % p == BigInt::zero();
        let range = self.cx.range(Val::Node(test.flag))?;
        if !multiple || range.0 < 0 || range.1 > 1 || test.value > 1 || test.words.len() != words.len() {
            return Err(Refused("tests for other numbers"));
        }
        let digits = digits(&test.number, words.len())?;
        self.cx.assuming(&[(test.flag, test.value)], |cx| {
            for ((&word, digit), [least, most]) in words.iter().zip(digits).zip(&test.words) {
                let (word, digit) = (Val::Node(word), Val::Const(digit));
                cx.not_negative(least, &|cx, sum, k| {
                    sum.word(cx, word, k, &[])?;
                    sum.word(cx, digit, &-k, &[])
                })?;
                cx.not_negative(most, &|cx, sum, k| {
                    sum.word(cx, word, &-k, &[])?;
                    sum.word(cx, digit, k, &[])
                })?;
            }
            Ok(())
        })
    }

    /// Where no test holds the output is 0: it is at most their number.
    fn none(&mut self, tests: &[Test], none: &Proof) -> Result<(), Refused> {
        let output = self.output(0)?[0];
        self.cx.not_negative(none, &|cx, sum, k| {
            sum.word(cx, output, &-k, &[])?;
            tests.iter().try_for_each(|test| {
                let sign = if test.value == 1 { 1 } else { -1 };
                sum.word(cx, Val::Node(test.flag), &k.times(sign), &[])?;
                sum.term(cx, &[], k.times(i128::from(1 - test.value)))
            })
        })
    }

    /// The output is 1 wherever the words, at most `max`, are a multiple of `p`.
    fn found(&mut self, words: &[Var], max: &BigInt, found: &[Proof], p: &BigInt) -> Result<(), Refused> {
        let mut multiple = BigInt::zero();
        for proof in found {
            let number = multiple.to_biguint().ok_or(Refused("tests for other numbers"))?;
            let digits = digits(&number, words.len())?;
            let mut values = Vec::with_capacity(words.len());
            for (&word, digit) in words.iter().zip(digits) {
                let range = self.cx.range(Val::Node(word))?;
                if range.0 < 0 || range.1 > i128::from(u32::MAX) {
                    return Err(Refused("tests what is no word"));
                }
                values.push((word, digit));
            }
            let before = self.cx.assumed.len();
            self.cx.assumed.extend(values);
            let yes = self.yes(proof);
            self.cx.assumed.truncate(before);
            yes?;
            multiple += p;
        }
        if multiple > *max { Ok(()) } else { Err(Refused("leaves out a multiple")) }
    }

    /// The output is 1: not less, and never more.
    fn yes(&mut self, proof: &Proof) -> Result<(), Refused> {
        let output = self.output(0)?[0];
        if self.cx.range(output)?.1 > 1 {
            return Err(Refused("gives more than one bit"));
        }
        self.cx.not_negative(proof, &|cx, sum, k| {
            sum.word(cx, output, k, &[])?;
            sum.term(cx, &[], -k)
        })
    }

    pub(super) fn output(&self, k: usize) -> Result<Vec<Val>, Refused> {
        let output = self.block.outputs().get(k).ok_or(Refused("has another shape"))?;
        output.words.iter().map(|&src| self.get(src)).collect()
    }
}

/// The words of a number.
fn digits(number: &BigUint, words: usize) -> Result<Vec<u32>, Refused> {
    let mut digits = number.to_u32_digits();
    if digits.len() > words {
        return Err(Refused("tests for other numbers"));
    }
    digits.resize(words, 0);
    Ok(digits)
}
