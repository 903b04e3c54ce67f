//! Runs of guarded and selecting instructions: whole values by cases of a predicate.

use num_bigint::BigInt;
use num_traits::One;

use super::{Exec, sign};
use crate::targets::ptx::arithmetic::check::certificate::{Fact, Proof, Step, Use, Written};
use crate::targets::ptx::arithmetic::ir::{CarryOut, Flag, Inst, Pred, Word};
use crate::targets::ptx::arithmetic::num::Num;
use crate::targets::ptx::arithmetic::prove::ProofError;
use crate::targets::ptx::arithmetic::prove::model::{B, Implied, Kind, Val, Zero};
use crate::targets::ptx::arithmetic::prove::poly::{Id, Poly};
use crate::targets::ptx::arithmetic::prove::query::Known;
use crate::targets::ptx::arithmetic::prove::record::{fact, obvious, scaled, with};

/// A run of guarded or selecting instructions is one step on whole values.
#[derive(Default)]
struct Choice {
    words: Vec<Word>,
    /// The words where the predicate holds, and where it does not.
    then: Vec<Poly>,
    otherwise: Vec<Poly>,
}

/// What a run writes.
struct Chosen {
    /// The words as they are written, and why.
    written: Vec<(Val, Vec<Use>)>,
    /// The words as they are known after the run.
    values: Vec<Val>,
    /// What is shown after the run.
    after: Vec<Step>,
}

/// A word of `q ? then : otherwise`, and what was implied in it.
type Part = (Poly, Vec<(i128, Implied)>);

/// The sum in a guarded instruction.
struct Sum {
    word: Poly,
    carry: Poly,
    uses: Vec<Use>,
    range: [Proof; 2],
}

impl Exec<'_> {
    /// A run of `selp` by one predicate.
    pub(super) fn selects(&mut self, q: Pred) -> Result<usize, ProofError> {
        let (mut count, mut choice) = (0, Choice::default());
        while let Some(&Inst::Selp { d, a, b, q: other }) = self.block.insts().get(self.at + count) {
            // A word of the run ends it.
            let (Ok(a), Ok(b), true) = (self.get(a), self.get(b), other == q) else { break };
            choice.then.push(self.model.poly(a));
            choice.otherwise.push(self.model.poly(b));
            choice.words.push(d);
            count += 1;
        }
        if count == 0 {
            return Err(self.error("reads a word that is not written yet"));
        }
        let q = self.pred(q)?;
        let chosen = self.choose(&q, &choice)?;
        for (word, uses) in chosen.written {
            self.model.record.inst(Written::Select { word, uses });
        }
        self.write_run(&choice, chosen.values, chosen.after);
        Ok(count)
    }

    fn write_run(&mut self, choice: &Choice, values: Vec<Val>, after: Vec<Step>) {
        after.into_iter().for_each(|step| self.model.record.step(step));
        for (word, value) in choice.words.iter().zip(values) {
            self.words[word.index()] = Some(value);
        }
    }

    /// A run of guarded additions or subtractions, the flag staying within.
    pub(super) fn guarded(&mut self, q: Pred) -> Result<usize, ProofError> {
        let holds = self.pred(q)?;
        let (mut sums, mut choice) = (Vec::new(), Choice::default());
        let mut carry: Option<(Flag, Poly)> = None;
        while let Some(&inst) = self.block.insts().get(self.at + sums.len()) {
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
            choice.words.push(d);
            choice.otherwise.push(old);
            if out == CarryOut::Flag {
                let (then, sum) = self.guarded_word(value, sign, out)?;
                choice.then.push(then);
                carry = Some((kind, sum.carry.clone()));
                sums.push(sum);
                continue;
            }
            let (top, sum) = self.guarded_top(&holds, value, sign, out)?;
            choice.then.push(top);
            sums.push(sum);
            carry = None;
            break;
        }
        if sums.is_empty() {
            return Err(self.error("does not continue its guarded chain"));
        }
        if carry.is_some() {
            return Err(self.error("starts a guarded chain without an end"));
        }
        self.flag = None;
        let chosen = self.choose(&holds, &choice)?;
        let count = sums.len();
        for (Sum { word: sum, carry, uses, range }, (word, kept)) in sums.into_iter().zip(chosen.written) {
            self.model.record.inst(Written::Guarded { sum, carry, uses, range, word, kept });
        }
        self.write_run(&choice, chosen.values, chosen.after);
        Ok(count)
    }

    /// A word of a guarded chain.
    fn guarded_word(&mut self, value: Poly, sign: i128, out: CarryOut) -> Result<(Poly, Sum), ProofError> {
        let (word, carry) = self.split(value.clone(), sign, out)?;
        let uses = self.model.defined_sum(word, &carry, &value, sign);
        let (poly, range) = match word {
            Val::Const(c) => (Poly::constant(c.into()), [obvious(), obvious()]),
            Val::Node(id) => {
                let range = [Fact::AtLeast(id), Fact::AtMost(id)];
                (Poly::of(id), range.map(|end| Proof::Sum(self.model.in_units(&[fact(end, 1)]))))
            }
        };
        Ok((self.model.poly(word), Sum { word: poly, carry, uses, range }))
    }

    /// The last word of a guarded chain, given that the guard holds: its carry is often known then.
    fn guarded_top(
        &mut self,
        holds: &Poly,
        value: Poly,
        sign: i128,
        out: CarryOut,
    ) -> Result<(Poly, Sum), ProofError> {
        let known = self.known(holds, true);
        let carries = [0, 1].into_iter().filter(|&c| c == 0 || out == CarryOut::Lost);
        for carry in carries {
            let word = value.plus(-sign * B * carry, &Poly::constant(1));
            let (lo, hi) = self.model.range(&value);
            let limit = (Some(B), Some(0));
            let trivial = lo >= 0 && hi < B && carry == 0;
            let range = if trivial {
                Some([obvious(), obvious()])
            } else {
                self.query().within(&word, limit, &known)
            };
            if let Some(range) = range {
                let carry = Poly::constant(carry);
                return Ok((word.clone(), Sum { word, carry, uses: Vec::new(), range }));
            }
        }
        if out == CarryOut::Never {
            return Err(self.error("drops a carry that is not shown to be zero"));
        }
        self.guarded_word(value, sign, CarryOut::Lost)
    }

    /// `q ? then : otherwise` as one group of words.
    fn choose(&mut self, q: &Poly, choice: &Choice) -> Result<Chosen, ProofError> {
        let mut parts: Vec<Part> = Vec::with_capacity(choice.then.len());
        for (then, otherwise) in choice.then.iter().zip(&choice.otherwise) {
            let difference = then.plus(-1, otherwise);
            let part = self.model.multiply(q, &difference);
            let (part, implied) =
                part.ok_or_else(|| self.error("selects by a condition that is too deep"))?;
            parts.push((otherwise.plus(1, &part), implied));
        }
        if q.value().is_some() || parts.iter().all(|(word, _)| self.model.booleans(word).is_some()) {
            let words: Vec<Val> = parts.iter().map(|(word, _)| self.model.exact(word.clone())).collect();
            let written =
                words.iter().zip(&parts).map(|(&word, part)| (word, self.chosen(word, part))).collect();
            return Ok(Chosen { written, values: words, after: Vec::new() });
        }
        // Where the condition speaks of the words' operands their history still matters.
        let tests = |&(id, _): &(Id, i128)| self.model.node(id).zero.is_some();
        if !q.terms.iter().any(tests) {
            self.gather(&choice.then);
            self.gather(&choice.otherwise);
        }
        let (max, proof) = self.case_bound(q, choice, &parts);
        let (ids, proof) = self.define(&parts, proof);
        let written =
            ids.iter().zip(&parts).map(|(&id, part)| (Val::Node(id), self.chosen(Val::Node(id), part)));
        let written = written.collect();
        // Words that the bound leaves no room for are zero: they join the word below.
        let used = (max.bits() as usize).div_ceil(32).max(1);
        let (ids, mut after) = match ids.len() > used {
            true => self.joined(choice, &parts, ids, used, (&max, proof)),
            false => (ids.clone(), vec![Step::Bound { words: ids, max: max.clone(), proof }]),
        };
        let index = self.model.groups.len();
        self.model.group(ids.clone(), max.clone());
        let shown = self.model.groups[index].shown.expect("a group with a bound");
        for (k, &var) in ids.iter().enumerate() {
            let most = i128::try_from((&max >> (32 * k)).min(BigInt::from(B - 1))).expect("below 2^32");
            self.model.node_mut(var).hi = most;
            let bounded =
                Use { fact: Fact::Bounded(shown), times: self.model.unit() >> (32 * k), by: Vec::new() };
            let proofs = [obvious(), Proof::Sum(vec![bounded])];
            after.push(Step::Narrow { var, range: [0, most], proofs });
        }
        let mut values: Vec<Val> = ids.into_iter().map(Val::Node).collect();
        values.resize(choice.then.len(), Val::Const(0));
        Ok(Chosen { written, values, after })
    }

    /// The equation of a word of a run.
    fn chosen(&self, word: Val, (value, implied): &Part) -> Vec<Use> {
        let mut uses = self.model.defined(word, value);
        let using = |(c, (index, by)): &(i128, Implied)| Use {
            fact: Fact::Implied(*index),
            times: Num::from(-c),
            by: by.clone(),
        };
        uses.extend(implied.iter().map(using));
        uses
    }

    /// Nodes for the words of a run, and the proof of their bound with their equations.
    fn define(&mut self, parts: &[Part], proof: Option<Proof>) -> (Vec<Id>, Proof) {
        let (mut ids, mut uses) = (Vec::with_capacity(parts.len()), Vec::new());
        for (k, part) in parts.iter().enumerate() {
            self.model.record.step(Step::Let { value: part.0.clone(), inline: false });
            // A word that is zero stays a node, so that the group is whole.
            let id = self.model.push(Kind::Exact(part.0.clone()), 0, B - 1);
            let weight = self.model.unit() << (32 * k);
            uses.extend(scaled(&self.chosen(Val::Node(id), part), &weight));
            ids.push(id);
        }
        (ids, proof.map_or_else(obvious, |proof| with(proof, &uses)))
    }

    /// Joins words that are zero to the highest of those that are `used`.
    fn joined(
        &mut self,
        choice: &Choice,
        parts: &[Part],
        mut ids: Vec<Id>,
        used: usize,
        (max, proof): (&BigInt, Proof),
    ) -> (Vec<Id>, Vec<Step>) {
        let all = self.model.record.next_bound();
        let mut steps = vec![Step::Bound { words: ids.clone(), max: max.clone(), proof }];
        let (mut value, mut weight, mut uses) = (Poly::default(), 1i128, Vec::new());
        for (k, (&id, (part, _))) in ids.iter().zip(parts).enumerate().skip(used - 1) {
            value = value.plus(weight, part);
            uses.push(fact(Fact::Defined(id), weight));
            weight = weight.saturating_mul(B);
            if k >= used {
                let times = self.model.unit() >> (32 * k);
                let proof = Proof::Sum(vec![Use { fact: Fact::Bounded(all), times, by: Vec::new() }]);
                steps.push(Step::Narrow { var: id, range: [0, 0], proofs: [obvious(), proof] });
                steps.push(Step::Rename { word: choice.words[k].0, to: Val::Const(0), uses: Vec::new() });
            }
        }
        self.model.record.step(Step::Let { value: value.clone(), inline: false });
        let id = self.model.push(Kind::Exact(value), 0, B - 1);
        // word - id = 0
        uses.push(fact(Fact::Defined(id), -1));
        let unit = self.model.unit().clone();
        let proofs = [-&unit, unit.clone()].map(|k| Proof::Sum(scaled(&uses, &k)));
        steps.push(Step::Narrow { var: id, range: [0, B - 1], proofs });
        let mut both = scaled(&uses, &(&unit << (32 * (used - 1))));
        both.push(Use { fact: Fact::Bounded(all), times: unit, by: Vec::new() });
        steps.push(Step::Rename { word: choice.words[used - 1].0, to: Val::Node(id), uses });
        ids.truncate(used - 1);
        ids.push(id);
        steps.push(Step::Bound { words: ids.clone(), max: max.clone(), proof: Proof::Sum(both) });
        (ids, steps)
    }

    /// Makes words a group if that says more than their ranges, so that their history is gone through
    /// once.
    fn gather(&mut self, words: &[Poly]) {
        let ids: Option<Vec<Id>> = words.iter().map(Poly::single).collect();
        let Some(ids) = ids.filter(|ids| ids.iter().all(|&id| self.model.node(id).group.is_none())) else {
            return;
        };
        let distinct = ids.windows(2).all(|pair| pair[0] < pair[1]);
        let (max, proof) = self.query().least(words, &[], &BigInt::ZERO);
        let all = (BigInt::one() << (32 * ids.len())) - 1;
        if distinct && max >= BigInt::ZERO && max < all {
            self.model.group(ids.clone(), max.clone());
            self.model.record.step(Step::Bound { words: ids, max, proof });
        }
    }

    /// Largest value of the words over both cases, and why; there is no reason where any words are as small.
    fn case_bound(&self, q: &Poly, choice: &Choice, parts: &[Part]) -> (BigInt, Option<Proof>) {
        let all = (BigInt::one() << (32 * parts.len())) - 1;
        let case =
            |words: &[Poly], holds, enough: &BigInt| self.query().least(words, &self.known(q, holds), enough);
        let (then, why) = case(&choice.then, true, &BigInt::ZERO);
        let (otherwise, why_not) = case(&choice.otherwise, false, &then);
        let max = then.max(otherwise).max(BigInt::ZERO);
        if max >= all {
            return (all, None);
        }
        let booleans = self.model.booleans(q).unwrap_or_default();
        let leaf =
            |corner| if self.model.at(q, &booleans, corner) == 1 { why.clone() } else { why_not.clone() };
        let cases = match booleans[..] {
            [a] => Proof::Cases(a, Box::new([leaf([0, 0]), leaf([1, 0])])),
            [a, b] => {
                let inner = |x| Proof::Cases(b, Box::new([leaf([x, 0]), leaf([x, 1])]));
                Proof::Cases(a, Box::new([inner(0), inner(1)]))
            }
            _ => obvious(),
        };
        (max, Some(cases))
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
            let [yes, no] = self.model.truth_of(id);
            facts.push(if value { (fact.clone(), yes) } else { (fact.times(-1).shifted(-1), no) });
        }
        // Words not all zero have a positive sum.
        if let (Some(Zero::All(words)), true) = (&node.zero, value) {
            let sum = words.iter().fold(Poly::constant(-1), |sum, &word| sum.plus(1, &Poly::of(word)));
            facts.push((sum, self.model.at_most_words(id)));
        }
        vec![Known { id, value, facts }]
    }
}
