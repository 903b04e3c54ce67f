//! What the certificate says of what the search has found.

use super::model::{B, Kind, Model, Val, Zero};
use super::poly::{Id, Poly};
use crate::targets::ptx::arithmetic::check::certificate::{Fact, Proof, Step, Use, Written};
use crate::targets::ptx::arithmetic::ir::Logic;
use crate::targets::ptx::arithmetic::num::Num;

/// The steps of a certificate as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Record {
    steps: Vec<Step>,
    unit: Num,
    bounds: usize,
    implied: usize,
}

impl Record {
    pub(super) fn new(scale: usize) -> Record {
        Record { unit: Num::power(scale), ..Record::default() }
    }

    pub(super) fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    pub(super) fn inst(&mut self, written: Written) {
        self.step(Step::Inst(written));
    }

    pub(super) fn take(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.steps)
    }

    /// The number of the bound that is shown next.
    pub(super) fn next_bound(&mut self) -> usize {
        self.bounds += 1;
        self.bounds - 1
    }
}

/// A word, and the end of its range.
type End = (Val, fn(Id) -> Fact);

/// A fact as it is.
pub(super) fn fact(fact: Fact, times: i128) -> Use {
    Use { fact, times: times.into(), by: Vec::new() }
}

/// By ranges alone.
pub(super) fn obvious() -> Proof {
    Proof::Sum(Vec::new())
}

/// Facts times a number.
pub(super) fn scaled(uses: &[Use], k: &Num) -> Vec<Use> {
    uses.iter().map(|using| Use { times: &using.times * k, ..using.clone() }).collect()
}

/// A proof with more facts in all cases.
pub(super) fn with(proof: Proof, uses: &[Use]) -> Proof {
    match proof {
        Proof::Sum(mut all) => {
            all.extend_from_slice(uses);
            Proof::Sum(all)
        }
        Proof::Cases(id, cases) => Proof::Cases(id, Box::new(cases.map(|case| with(case, uses)))),
    }
}

/// A proof in all cases of booleans.
pub(super) fn by_cases(booleans: &[Id]) -> Proof {
    match booleans {
        [] => obvious(),
        [id, rest @ ..] => Proof::Cases(*id, Box::new([by_cases(rest), by_cases(rest)])),
    }
}

impl Model {
    pub(super) fn unit(&self) -> &Num {
        &self.record.unit
    }

    /// Facts in units of the proofs.
    pub(super) fn in_units(&self, uses: &[Use]) -> Vec<Use> {
        scaled(uses, self.unit())
    }

    /// The equation `poly - word = 0` of a word that [`exact`](Self::exact) gave.
    pub(super) fn defined(&self, word: Val, poly: &Poly) -> Vec<Use> {
        match word {
            Val::Node(id) if poly.single() != Some(id) && !self.node(id).inline => {
                vec![fact(Fact::Defined(id), -1)]
            }
            _ => Vec::new(),
        }
    }

    /// The equation `value - low - 2^32·high = 0` of a pair.
    pub(super) fn defined_pair(&self, high: Val) -> Vec<Use> {
        match high {
            Val::Node(id) => vec![fact(Fact::Defined(id), -1)],
            Val::Const(_) => Vec::new(),
        }
    }

    /// The equation of word and carry of a value.
    pub(super) fn defined_sum(&self, word: Val, carry: &Poly, value: &Poly, sign: i128) -> Vec<Use> {
        let pair = carry.single().filter(|&id| match self.node(id).kind {
            Kind::High(pair) => self.pairs[pair].low == word && self.pairs[pair].value == *value,
            _ => false,
        });
        match pair {
            Some(high) => self.defined_pair(Val::Node(high)),
            None => self.defined(word, &value.plus(-sign * B, carry)),
        }
    }

    /// The ends of the ranges of words.
    pub(super) fn ends(&self, words: [End; 2]) -> Vec<Use> {
        let end = |(word, end): End| match word {
            Val::Node(id) => Some(Use { fact: end(id), times: self.unit().clone(), by: Vec::new() }),
            Val::Const(_) => None,
        };
        words.into_iter().filter_map(end).collect()
    }

    /// Shows that a word that is new is one: the proofs are of `poly`, not negative and below `2^32`.
    pub(super) fn record_word(&mut self, word: Val, poly: &Poly, [least, most]: [Proof; 2]) {
        let range = self.range(poly);
        let Val::Node(var) = word else { return };
        if poly.single() == Some(var) || (range.0 >= 0 && range.1 < B) {
            return;
        }
        let unit = self.unit().clone();
        let defined = |k: Num| match self.node(var).inline {
            true => Vec::new(),
            false => vec![Use { fact: Fact::Defined(var), times: k, by: Vec::new() }],
        };
        let proofs = [with(least, &defined(unit.clone())), with(most, &defined(-unit))];
        self.record.step(Step::Narrow { var, range: [0, B - 1], proofs });
    }

    /// Why `q` is the truth value of `value ≥ 0`: `value + 2^32·(1 - q)` and `2^32·q - 1 - value` are not
    /// negative.
    pub(super) fn truth(&self, value: &Poly, q: &Poly) -> [Proof; 2] {
        let Some(&(id, k)) = q.terms.first() else { return [obvious(), obvious()] };
        debug_assert!(self.known_boolean(value).is_some());
        let [holds, fails] = self.truth_of(id).map(|uses| Proof::Sum(self.in_units(&uses)));
        if k > 0 { [holds, fails] } else { [fails, holds] }
    }

    /// As [`truth`](Self::truth), of a boolean and its fact.
    pub(super) fn truth_of(&self, id: Id) -> [Vec<Use>; 2] {
        match self.node(id).kind {
            Kind::High(pair) => {
                let sign = self.pairs[pair].sign;
                [-sign, sign].map(|k| vec![fact(Fact::Defined(id), k)])
            }
            _ => [vec![fact(Fact::Holds(id), 1)], vec![fact(Fact::Fails(id), 1)]],
        }
    }

    /// The equations by which a polynomial is its residue modulo `2^32`.
    pub(super) fn residue_uses(&self, poly: &Poly) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut open: Vec<(Id, i128)> = poly.terms.clone();
        while let Some((id, k)) = open.pop() {
            let node = self.node(id);
            if node.residue.is_none() {
                continue;
            }
            let (of, value) = match (&node.kind, &node.divided) {
                (Kind::Exact(value), _) => (id, value),
                (Kind::Low(pair), _) => (self.pairs[*pair].high, &self.pairs[*pair].value),
                (_, Some((high, value))) => (*high, value),
                _ => continue,
            };
            uses.push(fact(Fact::Defined(of), k));
            open.extend(value.terms.iter().map(|&(id, c)| (id, (k * (c % B)) % B)));
        }
        uses
    }

    /// Facts of which the sum is `Σ words - id ≥ 0`, for the words that are zero where `id` is.
    pub(super) fn at_most_words(&self, id: Id) -> Vec<Use> {
        let (mut uses, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            let node = self.node(id);
            let operand = |val: Val| match val {
                Val::Node(id) => Some(id),
                Val::Const(_) => None,
            };
            match (&node.bits, &node.zero, &node.fact) {
                (Some((Logic::Or, a, b)), _, _) => {
                    uses.push(fact(Fact::Both(id), 1));
                    open.extend([*a, *b].into_iter().filter_map(operand));
                }
                (_, Some(Zero::All(words)), Some(said)) if *words != [id] => {
                    uses.extend(self.truth_of(id)[0].clone());
                    open.extend(said.terms.iter().map(|&(id, _)| id));
                }
                _ => {}
            }
        }
        uses
    }

    /// Facts of which the sum is `id - word ≥ 0`, for a word that is zero where `id` is.
    pub(super) fn at_least_word(&self, id: Id, word: Id) -> Option<Vec<Use>> {
        if id == word {
            return Some(Vec::new());
        }
        let Some((Logic::Or, a, b)) = self.node(id).bits else { return None };
        [(a, Fact::Left(id)), (b, Fact::Right(id))].into_iter().find_map(|(operand, side)| match operand {
            Val::Node(operand) => {
                let mut uses = self.at_least_word(operand, word)?;
                uses.push(fact(side, 1));
                Some(uses)
            }
            Val::Const(_) => None,
        })
    }

    /// Facts of which the sum is that a word is zero, where a boolean is.
    pub(super) fn zero_where_not(&self, flag: Id, word: Id) -> Vec<Use> {
        let Some(said) = &self.node(flag).fact else {
            return self.at_least_word(flag, word).unwrap_or_default();
        };
        let mut uses = self.truth_of(flag)[1].clone();
        let above = said.terms.iter().find_map(|&(id, _)| self.at_least_word(id, word));
        uses.extend(above.unwrap_or_default());
        uses
    }

    /// Shows that a word is zero where a boolean is; the number of the fact.
    pub(super) fn record_implied(&mut self, flag: Id, word: Id) -> usize {
        let proof = Proof::Sum(self.in_units(&self.zero_where_not(flag, word)));
        self.record.step(Step::Imply { flag, word, proof });
        self.record.implied += 1;
        self.record.implied - 1
    }
}
