//! What is asked of bounds, and the plans by which they are looked for.

use std::cell::Cell;

use num_bigint::BigInt;
use num_traits::One;

use super::bound::Work;
use super::form::Spare;
use super::model::Model;
use super::poly::{Id, Poly};
use crate::targets::ptx::arithmetic::check::certificate::{Fact, Proof, Use};
use crate::targets::ptx::arithmetic::num::Num;

/// A boolean's value in one case of a case split, and polynomials that are then not negative, and why.
pub(super) struct Known {
    pub(super) id: Id,
    pub(super) value: bool,
    pub(super) facts: Vec<(Poly, Vec<Use>)>,
}

/// What to do with a word that weighs more than its carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Bound it as a word.
    Words,
    /// As `Words`; carries are rewritten only where that completes a product of two words.
    Local,
    /// Write it as its sum; the carry is negative and dropped.
    Sums,
    /// As `Sums`, but words that are multiplied stay words.
    Mixed,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Sums to go back through before the rest is bounded by ranges.
    pub(super) fuel: usize,
    pub(super) style: Style,
    /// Write out the factors of products first.
    pub(super) expand: bool,
    /// Rewrite through open groups deeper than this.
    pub(super) depth: u32,
}

impl Plan {
    /// Whether forms are rewritten as far as they can be.
    fn is_thorough(self) -> bool {
        self.fuel == usize::MAX && self.style != Style::Local
    }
}

/// What a rewriting met that another plan would treat otherwise.
#[derive(Clone, Copy, Default)]
pub(super) struct Met {
    /// The fuel was used up.
    pub(super) end: bool,
    /// A word that weighs more than its carry.
    pub(super) choice: bool,
    /// A product that can be written out.
    pub(super) product: bool,
    /// A group that can be rewritten through.
    pub(super) open: bool,
}

/// How far bounds on the way to a result are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Search {
    /// As far as it mostly takes.
    #[default]
    Quick,
    /// By all plans.
    Thorough,
}

/// What queries of one block leave to the next.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) search: Search,
    pub(super) forms: Spare,
    /// The thorough plan by which something was shown last.
    last: Cell<Option<Plan>>,
}

impl Memory {
    pub(super) fn of(search: Search) -> Memory {
        Memory { search, ..Memory::default() }
    }
}

/// A fact that is added with a weight.
type Help<'k> = Option<(&'k (Poly, Vec<Use>), &'k Num)>;

/// Bounds under the definitions of one model.
pub(super) struct Query<'a> {
    pub(super) model: &'a Model,
    pub(super) scale: usize,
    pub(super) memory: &'a Memory,
    met: Cell<Met>,
}

impl<'a> Query<'a> {
    pub(super) fn new(model: &'a Model, scale: usize, memory: &'a Memory) -> Query<'a> {
        Query { model, scale, memory, met: Cell::default() }
    }

    /// Why `value ≥ from` and `value < below`, where asked.
    pub(super) fn within(
        &self,
        value: &Poly,
        (below, from): (Option<i128>, Option<i128>),
        known: &[Known],
    ) -> Option<[Proof; 2]> {
        let shown = |value: &Poly, limit: Option<i128>| {
            limit.map_or_else(|| Some(self.obvious(value)), |limit| self.below(value, limit, known))
        };
        let most = shown(value, below)?;
        let least = shown(&value.times(-1), from.map(|limit| 1 - limit))?;
        Some([least, most])
    }

    fn below(&self, value: &Poly, limit: i128, known: &[Known]) -> Option<Proof> {
        if self.model.range(value).1 < limit {
            return Some(self.obvious(value));
        }
        let limit = BigInt::from(limit) << (32 * self.scale);
        let mut found = None;
        let mut attempt = |plan: Plan| {
            let with = |fact: Option<&(Poly, Vec<Use>)>, log: bool| {
                let mut form = Work::new(self, plan, known, log);
                form.add(value, &self.unit());
                if let Some((fact, uses)) = fact {
                    form.help(fact, uses, &self.unit());
                }
                form.upper()
            };
            let facts = known.iter().flat_map(|known| &known.facts).map(Some);
            let help = std::iter::once(None).chain(facts).find(|help| with(*help, false).0 < limit);
            let Some(help) = help else { return false };
            found = Some(with(help, true).1);
            if plan.is_thorough() {
                self.memory.last.set(Some(plan));
            }
            true
        };
        // What was hard to show last is often like it.
        let _ = self.quick(&mut attempt)
            || self.memory.last.get().is_some_and(&mut attempt)
            || self.thorough(&mut attempt);
        found.map(Proof::Sum)
    }

    /// A bound by ranges alone, from above. Abbreviations have their own.
    fn obvious(&self, value: &Poly) -> Proof {
        let inline = value.terms.iter().filter(|(id, _)| self.model.node(*id).inline);
        let using = |&(id, k): &(Id, i128)| {
            let (fact, times) = if k > 0 { (Fact::AtMost(id), k) } else { (Fact::AtLeast(id), -k) };
            Use { fact, times: self.unit().times(times), by: Vec::new() }
        };
        Proof::Sum(inline.map(using).collect())
    }

    /// An upper bound of `Σ wordsᵢ·2^(32i)`, and why; no better one is looked for below `enough`.
    pub(super) fn largest(&self, words: &[Poly], known: &[Known], enough: &BigInt) -> (BigInt, Proof) {
        self.bounded(words, known, enough, false)
    }

    /// As [`largest`](Self::largest), of words on the way to a result, where nothing says how small is small
    /// enough: a [quick](Search::Quick) search takes what the first plan finds, if that says anything.
    pub(super) fn least(&self, words: &[Poly], known: &[Known], enough: &BigInt) -> (BigInt, Proof) {
        self.bounded(words, known, enough, self.memory.search == Search::Quick)
    }

    fn bounded(&self, words: &[Poly], known: &[Known], enough: &BigInt, quick: bool) -> (BigInt, Proof) {
        let all = (BigInt::one() << (32 * words.len())) - 1;
        let facts = known.iter().flat_map(|known| &known.facts);
        let top = self.unit() << (32 * words.len().saturating_sub(1));
        let weights = [top, self.unit()];
        let mut helps: Vec<Help<'_>> = vec![None];
        helps.extend(facts.flat_map(|fact| weights.iter().map(move |weight| Some((fact, weight)))));
        let attempt = |plan: Plan, help: Help<'_>, log: bool| {
            let mut work = Work::new(self, plan, known, log);
            let mut weight = self.unit();
            for word in words {
                work.add(word, &weight);
                weight = weight << 32;
            }
            if let Some(((fact, uses), weight)) = help {
                work.help(fact, uses, weight);
            }
            let (bound, uses) = work.upper();
            (bound >> (32 * self.scale), uses)
        };
        let mut best: Option<(BigInt, Plan, Help<'_>)> = None;
        // The first attempt mostly is the last.
        let mut uses = None;
        self.thorough(|plan| {
            helps.iter().any(|help| {
                let (bound, log) = attempt(plan, *help, best.is_none());
                if best.as_ref().is_none_or(|(least, ..)| bound < *least) {
                    uses = best.is_none().then_some(log);
                    best = Some((bound, plan, *help));
                }
                best.as_ref().is_some_and(|(least, ..)| least <= enough)
            }) || (quick && best.as_ref().is_some_and(|(least, ..)| *least < all))
        });
        let (bound, plan, help) = best.expect("there is a plan");
        let uses = uses.unwrap_or_else(|| attempt(plan, help, true).1);
        (bound, Proof::Sum(uses))
    }

    /// Whether an attempt succeeds that looks at what is near.
    fn quick(&self, mut attempt: impl FnMut(Plan) -> bool) -> bool {
        let depth = self.model.depth();
        let mut plan = Plan { fuel: usize::MAX, style: Style::Local, expand: false, depth };
        if attempt(plan) {
            return true;
        }
        plan.style = Style::Words;
        for fuel in [16, 4 * self.scale] {
            self.met.take();
            if attempt(Plan { fuel, ..plan }) {
                return true;
            }
            if !self.met.get().end {
                return false;
            }
        }
        false
    }

    /// Whether an attempt succeeds that goes all the way. Those that would do the same as one before
    /// are left out.
    fn thorough(&self, mut attempt: impl FnMut(Plan) -> bool) -> bool {
        for depth in (0..=self.model.depth()).rev() {
            let mut open = false;
            for expand in [false, true] {
                self.met.take();
                for style in [Style::Words, Style::Sums, Style::Mixed] {
                    if style != Style::Words && !self.met.get().choice {
                        break;
                    }
                    if attempt(Plan { fuel: usize::MAX, style, expand, depth }) {
                        return true;
                    }
                }
                open |= self.met.get().open;
                if !self.met.get().product {
                    break;
                }
            }
            if !open {
                break;
            }
        }
        false
    }

    pub(super) fn note(&self, note: impl FnOnce(&mut Met)) {
        let mut met = self.met.get();
        note(&mut met);
        self.met.set(met);
    }

    pub(super) fn unit(&self) -> Num {
        Num::power(self.scale)
    }
}
