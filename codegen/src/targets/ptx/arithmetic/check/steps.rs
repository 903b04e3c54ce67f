//! Definitions, and what is shown of them.

use num_bigint::BigInt;

use super::Refused;
use super::certificate::{Poly, Proof, Step, Use, Val, Var};
use super::insts::Machine;
use super::sum::{B, Context, Rule, Sum, Variable};
use crate::targets::ptx::arithmetic::ir::Logic;
use crate::targets::ptx::arithmetic::num::Num;

impl Machine<'_> {
    /// Takes one step.
    pub(super) fn step(&mut self, step: &Step) -> Result<(), Refused> {
        let cx = &mut self.cx;
        match step {
            Step::Let { value, inline } => {
                let range = cx.interval(value)?;
                cx.define(Rule::Let(value.clone(), *inline), range);
            }
            Step::Product(factors) => {
                let range = cx.product(factors)?;
                cx.define(Rule::Product(factors.clone()), range);
            }
            Step::Divide { value, sign } => {
                let range = cx.quotient(value, *sign, None)?;
                cx.define(Rule::High(value.clone(), *sign), range);
                cx.define(Rule::Low, (0, B - 1));
            }
            Step::Quotient { value, sign, low, uses } => {
                let range = cx.quotient(value, *sign, Some(*low))?;
                cx.congruent(value, *low, uses)?;
                cx.define(Rule::Quotient(value.clone(), *sign, *low), range);
            }
            Step::Truth(value) => {
                cx.interval(value)?;
                cx.define(Rule::Truth(value.clone()), (0, 1));
            }
            Step::Logic { op, a, b } => {
                let most = cx.most_bits(*op, *a, *b)?;
                cx.define(Rule::Logic(*op, *a, *b), (0, most));
            }
            Step::Narrow { var, range, proofs } => cx.narrow(*var, *range, proofs)?,
            Step::Bound { words, max, proof } => cx.bound(words, max, proof)?,
            Step::Imply { flag, word, proof } => cx.imply(*flag, *word, proof)?,
            Step::Rename { word, to, uses } => self.rename(*word as usize, *to, uses)?,
            Step::Inst(written) => self.inst(written)?,
        }
        Ok(())
    }
}

impl Context {
    pub(super) fn define(&mut self, rule: Rule, (least, most): (i128, i128)) {
        self.vars.push(Variable { rule, least, most });
    }

    fn product(&self, factors: &[Var]) -> Result<(i128, i128), Refused> {
        let mut range = (1i128, 1i128);
        for &factor in factors {
            let factor = self.var(factor)?;
            if factor.least < 0 {
                return Err(Refused("multiplies what may be negative"));
            }
            let times = |x: i128, y| x.checked_mul(y).ok_or(Refused("grows too large"));
            range = (times(range.0, factor.least)?, times(range.1, factor.most)?);
        }
        Ok(range)
    }

    /// The range of `high` in `low + sign·2^32·high = value`, for any word `low` or the one that is given.
    fn quotient(&self, value: &Poly, sign: i128, low: Option<u32>) -> Result<(i128, i128), Refused> {
        let (least, most) = self.interval(value)?;
        let off = |x: i128, low: i128| x.checked_sub(low).ok_or(Refused("grows too large"));
        let top = B - 1;
        let (low, room) = low.map_or((0, 0), |low| (i128::from(low), top));
        // Rounded to the inside where the division is exact.
        let ends = (off(least, low - room)?.div_euclid(B), off(most, low)?.div_euclid(B));
        match sign {
            1 => Ok(ends),
            -1 => Ok((-ends.1, -ends.0)),
            _ => Err(Refused("divides by another number")),
        }
    }

    /// Shows `value ≡ low` modulo `2^32`.
    fn congruent(&self, value: &Poly, low: u32, uses: &[Use]) -> Result<(), Refused> {
        let mut sum = Sum::new();
        sum.poly(self, value, &1.into(), &[])?;
        sum.word(self, Val::Const(low), &(-1).into(), &[])?;
        sum.vanishes(self, uses, Some(&B.into()))
    }

    /// The largest result of a bitwise operation.
    fn most_bits(&self, op: Logic, a: Val, b: Val) -> Result<i128, Refused> {
        let (a, b) = (self.range(a)?, self.range(b)?);
        if a.0 < 0 || b.0 < 0 || a.1 >= B || b.1 >= B {
            return Err(Refused("takes the bits of what is no word"));
        }
        let bits = 128 - (a.1 | b.1).leading_zeros();
        Ok(if op == Logic::And { a.1.min(b.1) } else { (1 << bits) - 1 })
    }

    fn narrow(&mut self, var: Var, [least, most]: [i128; 2], proofs: &[Proof; 2]) -> Result<(), Refused> {
        let known = self.range(Val::Node(var))?;
        if least > known.0 {
            let from = Poly { terms: vec![(var, 1)], constant: negative(least)? };
            self.not_negative(&proofs[0], &|cx, sum, k| sum.poly(cx, &from, k, &[]))?;
        }
        if most < known.1 {
            let up_to = Poly { terms: vec![(var, -1)], constant: most };
            self.not_negative(&proofs[1], &|cx, sum, k| sum.poly(cx, &up_to, k, &[]))?;
        }
        self.limit(var, (least, most));
        Ok(())
    }

    /// Notes what is known of the range of a variable.
    pub(super) fn limit(&mut self, var: Var, (least, most): (i128, i128)) {
        if let Some(var) = self.vars.get_mut(var as usize) {
            (var.least, var.most) = (var.least.max(least), var.most.min(most));
        }
    }

    fn bound(&mut self, words: &[Var], max: &BigInt, proof: &Proof) -> Result<(), Refused> {
        let vals: Vec<Val> = words.iter().map(|&var| Val::Node(var)).collect();
        self.at_most(&vals, max, proof)?;
        self.bounded.push((words.to_vec(), max.clone()));
        Ok(())
    }

    /// Shows `Σ wordsᵢ·2^(32i) ≤ max`.
    pub(super) fn at_most(&mut self, words: &[Val], max: &BigInt, proof: &Proof) -> Result<(), Refused> {
        self.not_negative(proof, &|cx, sum, k| {
            sum.term(cx, &[], k * &Num::from(max.clone()))?;
            sum.number(cx, words.iter().copied(), -k)
        })
    }

    fn imply(&mut self, flag: Var, word: Var, proof: &Proof) -> Result<(), Refused> {
        let (flags, words) = (self.range(Val::Node(flag))?, self.range(Val::Node(word))?);
        if flags.0 < 0 || flags.1 > 1 || words.0 < 0 {
            return Err(Refused("implies by what is no boolean"));
        }
        self.assuming(&[(flag, 0)], |cx| {
            cx.not_negative(proof, &|cx, sum, k| sum.word(cx, Val::Node(word), &-k, &[]))
        })?;
        self.implied.push((flag, word));
        Ok(())
    }
}

fn negative(x: i128) -> Result<i128, Refused> {
    x.checked_neg().ok_or(Refused("grows too large"))
}
