//! Runs of guarded and selecting instructions: whole values by cases of a predicate.

use num_bigint::BigInt;
use num_traits::One;

use super::{Exec, sign};
use crate::limb::ir::{CarryOut, Flag, Inst, Pred};
use crate::limb::prove::ProofError;
use crate::limb::prove::bound::Known;
use crate::limb::prove::model::{B, Kind, Val, Zero};
use crate::limb::prove::poly::{Id, Poly};

/// A run of guarded or selecting instructions is one step on whole values.
struct Choice {
    /// The words where the predicate holds, and where it does not.
    then: Vec<Poly>,
    otherwise: Vec<Poly>,
}

impl Exec<'_> {
    /// A run of `selp` by one predicate.
    pub(super) fn selects(&mut self, q: Pred) -> Result<usize, ProofError> {
        let (mut count, mut words) = (0, Vec::new());
        let mut choice = Choice { then: Vec::new(), otherwise: Vec::new() };
        while let Some(&Inst::Selp { d, a, b, q: other }) = self.block.insts().get(self.at + count) {
            // A word of the run ends it.
            let (Ok(a), Ok(b), true) = (self.get(a), self.get(b), other == q) else { break };
            choice.then.push(self.model.poly(a));
            choice.otherwise.push(self.model.poly(b));
            words.push(d);
            count += 1;
        }
        if count == 0 {
            return Err(self.error("reads a word that is not written yet"));
        }
        let q = self.pred(q)?;
        let values = self.choose(&q, choice)?;
        for (word, value) in words.iter().zip(values) {
            self.words[word.index()] = Some(value);
        }
        Ok(count)
    }

    /// A run of guarded additions or subtractions, the flag staying within.
    pub(super) fn guarded(&mut self, q: Pred) -> Result<usize, ProofError> {
        let holds = self.pred(q)?;
        let (mut count, mut words) = (0, Vec::new());
        let mut choice = Choice { then: Vec::new(), otherwise: Vec::new() };
        let mut carry: Option<(Flag, Poly)> = None;
        while let Some(&inst) = self.block.insts().get(self.at + count) {
            let (d, a, b, cin, out, kind) = match inst {
                Inst::Add { d, a, b, cin, out, guard: Some(g) } if g == q => (d, a, b, cin, out, Flag::Carry),
                Inst::Sub { d, a, b, cin, out, guard: Some(g) } if g == q => {
                    (d, a, b, cin, out, Flag::Borrow)
                }
                _ => break,
            };
            let (Ok(a), Ok(b)) = (self.get(a), self.get(b)) else { break };
            // The run is one chain, and ends where its last carry is dropped.
            if cin != carry.is_some() || carry.as_ref().is_some_and(|(set, _)| *set != kind) {
                break;
            }
            let sign = sign(kind);
            let (old, other) = (self.model.poly(a), self.model.poly(b));
            let mut value = old.plus(sign, &other);
            if let Some((_, carry)) = &carry {
                value = value.plus(sign, carry);
            }
            words.push(d);
            choice.otherwise.push(old);
            count += 1;
            if out == CarryOut::Flag {
                let (word, next) = self.split(value, sign, out)?;
                choice.then.push(self.model.poly(word));
                carry = Some((kind, next));
                continue;
            }
            let top = self.guarded_top(&holds, value, sign, out)?;
            choice.then.push(top);
            carry = None;
            break;
        }
        if count == 0 {
            return Err(self.error("does not continue its guarded chain"));
        }
        if carry.is_some() {
            return Err(self.error("starts a guarded chain without an end"));
        }
        self.flag = None;
        let values = self.choose(&holds, choice)?;
        for (word, value) in words.iter().zip(values) {
            self.words[word.index()] = Some(value);
        }
        Ok(count)
    }

    /// The last word of a guarded chain, given that the guard holds: its carry is often known then.
    fn guarded_top(
        &mut self,
        holds: &Poly,
        value: Poly,
        sign: i128,
        out: CarryOut,
    ) -> Result<Poly, ProofError> {
        let known = self.known(holds, true);
        let carries = [0, 1].into_iter().filter(|&c| c == 0 || out == CarryOut::Lost);
        for carry in carries {
            let word = value.plus(-sign * B * carry, &Poly::constant(1));
            let (lo, hi) = self.model.range(&value);
            let limit = (Some(B), Some(0));
            let trivial = lo >= 0 && hi < B && carry == 0;
            if trivial || self.query().within(&word, limit, &known) {
                return Ok(word);
            }
        }
        if out == CarryOut::Never {
            return Err(self.error("drops a carry that is not shown to be zero"));
        }
        let (word, _) = self.split(value, sign, CarryOut::Lost)?;
        Ok(self.model.poly(word))
    }

    /// `q ? then : otherwise` as one group of words.
    fn choose(&mut self, q: &Poly, choice: Choice) -> Result<Vec<Val>, ProofError> {
        let mut words = Vec::with_capacity(choice.then.len());
        for (then, otherwise) in choice.then.iter().zip(&choice.otherwise) {
            let difference = then.plus(-1, otherwise);
            let part = self.model.multiply(q, &difference);
            let part = part.ok_or_else(|| self.error("selects by a condition that is too deep"))?;
            words.push(otherwise.plus(1, &part));
        }
        if q.value().is_some() || words.iter().all(|word| self.model.booleans(word).is_some()) {
            return Ok(words.into_iter().map(|word| self.model.exact(word)).collect());
        }
        // Where the condition speaks of the words' operands their history still matters.
        let tests = |&(id, _): &(Id, i128)| self.model.node(id).zero.is_some();
        if !q.terms.iter().any(tests) {
            self.gather(&choice.then);
            self.gather(&choice.otherwise);
        }
        let max = self.case_bound(q, &choice);
        // Words that the bound leaves no room for are zero: they join the word below.
        let used = (max.bits() as usize).div_ceil(32).max(1);
        while words.len() > used {
            let top = words.pop().expect("not empty");
            let last = words.last_mut().expect("at least one word is used");
            *last = last.plus(B, &top);
        }
        let mut ids = Vec::with_capacity(words.len());
        for (k, word) in words.into_iter().enumerate() {
            let most = i128::try_from((&max >> (32 * k)).min(BigInt::from(B - 1))).expect("below 2^32");
            // A word that is zero stays a node, so that the group is whole.
            ids.push(self.model.push(Kind::Exact(word), 0, most));
        }
        let mut values: Vec<Val> = ids.iter().map(|&id| Val::Node(id)).collect();
        self.model.group(ids, max);
        values.resize(choice.then.len(), Val::Const(0));
        Ok(values)
    }

    /// Makes words a group if that says more than their ranges, so that their history is gone through
    /// once.
    fn gather(&mut self, words: &[Poly]) {
        let ids: Option<Vec<Id>> = words.iter().map(Poly::single).collect();
        let Some(ids) = ids.filter(|ids| ids.iter().all(|&id| self.model.node(id).group.is_none())) else {
            return;
        };
        let distinct = ids.windows(2).all(|pair| pair[0] < pair[1]);
        let max = self.query().largest(words, &[], &BigInt::ZERO);
        let all = (BigInt::one() << (32 * ids.len())) - 1;
        if distinct && max >= BigInt::ZERO && max < all {
            self.model.group(ids, max);
        }
    }

    /// Largest value of the words over both cases.
    fn case_bound(&self, q: &Poly, choice: &Choice) -> BigInt {
        let all = (BigInt::one() << (32 * choice.then.len())) - 1;
        let case = |words: &[Poly], holds, enough: &BigInt| {
            self.query().largest(words, &self.known(q, holds), enough)
        };
        let then = case(&choice.then, true, &BigInt::ZERO);
        let otherwise = case(&choice.otherwise, false, &then);
        then.max(otherwise).min(all).max(BigInt::ZERO)
    }

    /// What is known where `q` is `holds`.
    fn known(&self, q: &Poly, holds: bool) -> Vec<Known> {
        let (id, value) = match (q.terms.as_slice(), q.constant) {
            ([(id, 1)], 0) => (*id, holds),
            ([(id, -1)], 1) => (*id, !holds),
            _ => return Vec::new(),
        };
        let node = self.model.node(id);
        let mut facts = Vec::new();
        if let Some(fact) = &node.fact {
            facts.push(if value { fact.clone() } else { fact.times(-1).shifted(-1) });
        }
        // Words not all zero have a positive sum.
        if let (Some(Zero::All(words)), true) = (&node.zero, value) {
            let sum = words.iter().fold(Poly::constant(-1), |sum, &word| sum.plus(1, &Poly::of(word)));
            facts.push(sum);
        }
        vec![Known { id, value, facts }]
    }
}
