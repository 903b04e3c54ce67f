//! Exact rewriting of polynomials into leaves.
//!
//! Monomials are taken in descending order and their newest factor that has a definition is replaced by
//! it; definitions use older nodes only, so that every monomial is met once, complete.

use std::collections::BTreeMap;

use super::model::{B, Kind, Model, Val};
use super::poly::{Id, Poly};
use crate::targets::ptx::arithmetic::check::certificate::{Fact, Use};
use crate::targets::ptx::arithmetic::num::Num;

/// Up to four factors, descending, 0 for none.
pub(super) type Mono = [Id; 4];

/// A monomial as one number, the newest factor highest: quicker to compare, in the same order.
pub(super) type Key = u128;

/// A polynomial by monomial.
pub(super) type Terms = BTreeMap<Key, Num>;

/// The number of a monomial.
pub(super) fn key(mono: Mono) -> Key {
    mono.iter().fold(0, |key, &id| key << 32 | Key::from(id))
}

/// The monomial of a number.
pub(super) fn mono(key: Key) -> Mono {
    [96, 64, 32, 0].map(|at| (key >> at) as Id)
}

/// `Σ k·node` written out, and the equations of which multiples were taken off for that; nodes with `stop`
/// kept whole; `None` where that grows beyond four factors.
pub(super) fn to_leaves(
    model: &Model,
    form: BTreeMap<Id, Num>,
    stop: &dyn Fn(Id) -> bool,
    log: Option<&mut Vec<Use>>,
) -> Option<Terms> {
    let terms = form.into_iter().map(|(id, k)| (key([id, 0, 0, 0]), k)).collect();
    Expansion { model, stop, terms, done: Terms::new(), log }.run(|_, _, _| Some(false))
}

/// What decides about a leaf that is left alone: its coefficient may be dropped (`true`), or terms be
/// added.
pub(super) type Hook<'h> = dyn FnMut(&mut Terms, Id, &Num) -> Option<bool> + 'h;

/// As [`to_leaves`] for a polynomial, everything written out. `leaf` is asked about every carry that
/// is left alone.
pub(super) fn fully(model: &Model, form: Terms, leaf: &mut Hook<'_>, log: &mut Vec<Use>) -> Option<Terms> {
    Expansion { model, stop: &|_| false, terms: form, done: Terms::new(), log: Some(log) }.run(leaf)
}

struct Expansion<'a> {
    model: &'a Model,
    stop: &'a dyn Fn(Id) -> bool,
    terms: Terms,
    done: Terms,
    log: Option<&'a mut Vec<Use>>,
}

impl Expansion<'_> {
    fn run(mut self, mut leaf: impl FnMut(&mut Terms, Id, &Num) -> Option<bool>) -> Option<Terms> {
        while let Some((at, k)) = self.terms.pop_last() {
            let mono = mono(at);
            if k.is_zero() {
                continue;
            }
            match (0..4).find(|&factor| mono[factor] != 0 && self.defined(mono[factor])) {
                Some(factor) => self.replace(mono, factor, &k)?,
                None => {
                    let alone = mono[1] == 0 && matches!(self.model.node(mono[0]).kind, Kind::High(_));
                    if !(alone && leaf(&mut self.terms, mono[0], &k)?) {
                        self.done.insert(at, k);
                    }
                }
            }
        }
        Some(self.done)
    }

    fn defined(&self, id: Id) -> bool {
        if (self.stop)(id) {
            return false;
        }
        match &self.model.node(id).kind {
            Kind::Leaf => false,
            Kind::Exact(_) | Kind::Low(_) | Kind::Product(_) => true,
            Kind::High(pair) => matches!(self.model.pairs[*pair].low, Val::Const(_)),
        }
    }

    fn replace(&mut self, mono: Mono, at: usize, k: &Num) -> Option<()> {
        let model = self.model;
        let mut others = mono;
        others[at] = 0;
        match &model.node(mono[at]).kind {
            Kind::Exact(poly) => {
                self.note(Fact::Defined(mono[at]), others, k);
                self.add(others, k, poly)
            }
            Kind::Low(pair) => {
                let pair = &model.pairs[*pair];
                self.note(Fact::Defined(pair.high), others, k);
                self.add(others, k, &pair.value)?;
                self.add_term(others, pair.high, k.times(-pair.sign * B))
            }
            Kind::High(pair) => {
                let pair = &model.pairs[*pair];
                let Val::Const(low) = pair.low else { return None };
                let k = k.times(pair.sign);
                let shared = &k >> 32;
                if &shared << 32 != k {
                    return None;
                }
                self.note(Fact::Defined(pair.high), others, &shared);
                let value = pair.value.clone().shifted(-i128::from(low));
                self.add(others, &shared, &value)
            }
            Kind::Product(factors) => {
                let mut all: Vec<Id> = others.iter().copied().filter(|&id| id != 0).collect();
                all.extend(factors);
                self.add_factors(&all, k.clone())
            }
            Kind::Leaf => None,
        }
    }

    /// Notes that `k` times an equation was taken off.
    fn note(&mut self, fact: Fact, others: Mono, k: &Num) {
        if let Some(log) = &mut self.log {
            let by = others.iter().copied().filter(|&id| id != 0).collect();
            log.push(Use { fact, times: k.clone(), by });
        }
    }

    fn add(&mut self, others: Mono, k: &Num, poly: &Poly) -> Option<()> {
        if poly.constant != 0 {
            let all: Vec<Id> = others.iter().copied().filter(|&id| id != 0).collect();
            self.add_factors(&all, k.times(poly.constant))?;
        }
        for &(id, c) in &poly.terms {
            self.add_term(others, id, if c == 1 { k.clone() } else { k.times(c) })?;
        }
        Some(())
    }

    fn add_term(&mut self, others: Mono, id: Id, k: Num) -> Option<()> {
        let mut all: Vec<Id> = others.iter().copied().filter(|&id| id != 0).collect();
        all.push(id);
        self.add_factors(&all, k)
    }

    fn add_factors(&mut self, all: &[Id], k: Num) -> Option<()> {
        let factors = match all {
            [] => Vec::new(),
            [id] if !matches!(self.model.node(*id).kind, Kind::Product(_)) => vec![*id],
            _ => {
                let (factors, implied) = self.model.factors(all)?;
                for (index, by) in implied {
                    if let Some(log) = &mut self.log {
                        log.push(Use { fact: Fact::Implied(index), times: -&k, by });
                    }
                }
                factors
            }
        };
        let mut mono = [0; 4];
        for (slot, &id) in mono.iter_mut().zip(factors.iter().rev()) {
            *slot = id;
        }
        *self.terms.entry(key(mono)).or_default() += &k;
        Some(())
    }
}
