//! Upper bounds of polynomials over all inputs.
//!
//! A form `Σ kᵢ·nodeᵢ` is rewritten from its newest node to its oldest. A pair `d + 2^32·c = v` gives
//! a choice. In terms of words, `c = (v - d)/2^32`: the carry disappears and the word keeps the
//! coefficient `k_d - k_c/2^32`. In terms of sums, `d = v - 2^32·c`: the word disappears. Where word
//! and carry come with the weights of one number, nothing is left of either and the two agree: that is
//! how the sum of an accumulator's words becomes the sum of what was added to it. Anything left over
//! is bounded by its range. Whatever is chosen, the result is an upper bound; a poor choice only
//! makes it weak.
//!
//! All numbers are scaled by a power of `2^32`, so that the divisions are mostly exact; a remainder
//! is bounded like the carry that it multiplies.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};

use super::expand;
use super::form::{Form, Sparse};
use super::model::{B, Group, Kind, Model, Val};
use super::poly::{Id, Poly};
use super::query::{Known, Plan, Query, Style};
use super::record::scaled;
use crate::targets::ptx::arithmetic::check::certificate::{Fact, Use};
use crate::targets::ptx::arithmetic::num::{Num, Total};

/// A form being bounded.
pub(super) struct Work<'q> {
    query: &'q Query<'q>,
    plan: Plan,
    known: &'q [Known],
    sum: Form,
    /// `outer·Σ k·inner`, by the older factor.
    products: BTreeMap<Id, Sparse>,
    /// Products that are to be written out, and nodes that are bounded after that.
    later: Option<(Sparse, Form)>,
    total: Total,
    /// What the bound rests on, where that is asked for, and what the form is multiplied with.
    log: Option<Vec<Use>>,
    path: Vec<Id>,
}

impl<'q> Work<'q> {
    pub(super) fn new(query: &'q Query<'q>, plan: Plan, known: &'q [Known], log: bool) -> Self {
        let form = || query.memory.forms.take(query.model.nodes.len());
        let later = plan.expand.then(|| (Sparse::new(), form()));
        Work {
            query,
            plan,
            known,
            sum: form(),
            products: BTreeMap::new(),
            later,
            total: Total::default(),
            log: log.then(Vec::new),
            path: Vec::new(),
        }
    }

    /// Adds a fact times a weight.
    pub(super) fn help(&mut self, fact: &Poly, uses: &[Use], weight: &Num) {
        self.add(fact, weight);
        if let Some(log) = &mut self.log {
            log.extend(scaled(uses, weight));
        }
    }

    /// Notes that a fact times a number is what is bounded, less what is left.
    fn note(&mut self, fact: Fact, times: impl FnOnce() -> Num) {
        if let Some(log) = &mut self.log {
            log.push(Use { fact, times: times(), by: self.path.clone() });
        }
    }

    /// Notes that an equation was used to replace `k` of what it defines.
    fn replaced(&mut self, id: Id, k: &Num) {
        if !k.is_zero() {
            self.note(Fact::Defined(id), || -k);
        }
    }

    fn model(&self) -> &'q Model {
        self.query.model
    }

    pub(super) fn add(&mut self, poly: &Poly, k: &Num) {
        if k.is_zero() {
            return;
        }
        if poly.constant != 0 {
            self.total.add(&k.times(poly.constant));
        }
        for &(id, c) in &poly.terms {
            self.sum.add(id, k, c);
        }
    }

    pub(super) fn upper(mut self) -> (BigInt, Vec<Use>) {
        self.rewrite();
        if let Some((products, leaves)) = self.later.take() {
            self.plan.fuel = 0;
            let empty = std::mem::replace(&mut self.sum, leaves);
            self.query.memory.forms.give(empty);
            self.write_out(products);
            self.rewrite();
        }
        self.query.memory.forms.give(self.sum);
        (self.total.into_bigint(), self.log.unwrap_or_default())
    }

    fn rewrite(&mut self) {
        loop {
            let outer = self.products.last_key_value().map(|(&id, _)| id);
            let Some(id) = self.sum.newest().max(outer) else { return };
            let k = self.coefficient(id);
            if !k.is_zero() {
                self.node(id, k);
            }
        }
    }

    /// Takes the coefficient of a node that nothing newer adds to any more.
    fn coefficient(&mut self, id: Id) -> Num {
        let mut k = self.sum.take(id);
        if self.products.is_empty() {
            return k;
        }
        match self.products.remove(&id) {
            None => k,
            // outer·Σ ≤ outer·max Σ, since outer ≥ 0.
            Some(inner) => {
                let plan = Plan { expand: false, ..self.plan };
                let mut work = Work::new(self.query, plan, self.known, self.log.is_some());
                work.path.clone_from(&self.path);
                work.path.push(id);
                for (id, k) in inner {
                    work.sum.add(id, &k, 1);
                }
                let (most, uses) = work.upper();
                if let Some(log) = &mut self.log {
                    log.extend(uses);
                }
                k += &Num::from(most);
                k
            }
        }
    }

    fn node(&mut self, id: Id, k: Num) {
        let node = self.model().node(id);
        if let Some(known) = self.known(id) {
            if known {
                self.total.add(&k);
            }
            return;
        }
        if let Some(group) = self.model().group_of(id, self.plan.depth) {
            if group.depth > 0 {
                self.query.note(|met| met.open = true);
            }
            return self.group(group, id, k);
        }
        if let Kind::Product(factors) = &node.kind {
            return self.product(id, factors, k);
        }
        if let Kind::Low(pair) | Kind::High(pair) = node.kind {
            // Words of products are always taken together.
            if self.model().node(self.model().pairs[pair].high).hi <= 1 {
                let ends = self.plan.style == Style::Local && !self.completes(pair);
                if self.plan.fuel == 0 || ends {
                    self.query.note(|met| met.end = true);
                    return self.by_range(id, &k);
                }
                self.plan.fuel -= 1;
            }
        }
        match &node.kind {
            Kind::Exact(poly) => {
                self.replaced(id, &k);
                self.add(poly, &k);
            }
            Kind::Low(pair) => self.low(*pair, id, k),
            Kind::High(pair) => self.high(*pair, id, k),
            Kind::Leaf | Kind::Product(_) => self.by_range(id, &k),
        }
    }

    /// Whether the sum of a pair has the low word of a product whose high word is in the form.
    fn completes(&self, pair: usize) -> bool {
        let half = |&(id, _): &(Id, i128)| match self.model().node(id).kind {
            Kind::Low(half) => self.sum.contains(self.model().pairs[half].high),
            _ => false,
        };
        self.model().pairs[pair].value.terms.iter().any(half)
    }

    fn low(&mut self, pair: usize, low: Id, k: Num) {
        let pair = &self.model().pairs[pair];
        let carry = self.coefficient(pair.high);
        if let Some(known) = self.known(pair.high) {
            if self.plan.style == Style::Words && carry.is_zero() {
                self.query.note(|met| met.choice = true);
                return self.by_range(low, &k);
            }
            // low = value - sign·2^32·known.
            let known = i128::from(known);
            self.replaced(pair.high, &k);
            self.add(&pair.value, &k);
            self.total.add(&k.times(-pair.sign * B * known));
            self.total.add(&carry.times(known));
            return;
        }
        let (shared, rest) = self.shared(pair.sign, &carry);
        let left = less(&k, &shared);
        if left.is_positive() && pair.sign > 0 {
            self.query.note(|met| met.choice = true);
        }
        let sums = match self.plan.style {
            Style::Words | Style::Local => false,
            Style::Sums => true,
            Style::Mixed => !self.model().node(low).multiplier,
        };
        if sums && left.is_positive() && pair.sign > 0 {
            // k·value + (carry - 2^32·k)·high, the last not positive.
            self.replaced(pair.high, &k);
            self.add(&pair.value, &k);
            return;
        }
        self.rest(pair.high, rest);
        self.replaced(pair.high, &shared);
        self.add(&pair.value, &shared);
        self.by_range(low, &left);
    }

    /// Adds what a carry is left with at most.
    fn rest(&mut self, high: Id, rest: Num) {
        if !self.path.is_empty() && !rest.is_zero() {
            self.note(Fact::AtMost(high), || &rest >> 32);
        }
        self.total.add(&rest);
    }

    fn high(&mut self, pair: usize, high: Id, k: Num) {
        let pair = &self.model().pairs[pair];
        let (shared, rest) = self.shared(pair.sign, &k);
        if self.model().node(high).hi < 1 {
            return;
        }
        self.rest(high, rest);
        self.replaced(high, &shared);
        self.add(&pair.value, &shared);
        match pair.low {
            Val::Const(c) => self.total.add(&shared.times(-i128::from(c))),
            Val::Node(low) => {
                let k = less(&self.sum.take(low), &shared);
                self.by_range(low, &k);
            }
        }
    }

    /// `k·high` as `shared·(value - low)` plus at most the second number.
    fn shared(&self, sign: i128, k: &Num) -> (Num, Num) {
        if k.is_zero() {
            return Default::default();
        }
        // Rounded down.
        let shared = if sign > 0 { k >> 32 } else { &-k >> 32 };
        // rest·sign·high with high in [0, 2^32), and rest not negative.
        let rest = if sign > 0 { less(k, &(&shared << 32)) << 32 } else { Num::default() };
        (shared, rest)
    }

    fn product(&mut self, id: Id, factors: &[Id], k: Num) {
        let mut rest = Vec::with_capacity(factors.len());
        for &factor in factors {
            match self.known(factor) {
                Some(false) => return,
                Some(true) => {}
                None => rest.push(factor),
            }
        }
        match rest.as_slice() {
            [] => self.total.add(&k),
            [one] => self.sum.add(*one, &k, 1),
            _ if self.later.is_some() => {
                let (products, _) = self.later.as_mut().expect("is some");
                add_to(products, id, &k);
            }
            [outer, inner] => {
                if self.can_be_written(*outer, *inner) {
                    self.query.note(|met| met.product = true);
                }
                add_to(self.products.entry(*outer).or_default(), *inner, &k);
            }
            _ => {
                self.query.note(|met| met.product = true);
                self.by_range(id, &k);
            }
        }
    }

    /// Whether writing out a product of two nodes changes it: not one of two independent inputs.
    fn can_be_written(&self, outer: Id, inner: Id) -> bool {
        let model = self.model();
        let ends =
            |id| matches!(model.node(id).kind, Kind::Leaf) || model.group_of(id, self.plan.depth).is_some();
        let open = |id| model.node(id).group.is_some_and(|group| model.groups[group].depth > 0);
        if open(outer) || open(inner) {
            self.query.note(|met| met.open = true);
        }
        let group = model.node(outer).group;
        !ends(outer) || !ends(inner) || (group.is_some() && group == model.node(inner).group)
    }

    /// A group's words, all at once: `λ·Σ wordᵢ·2^(32i) ≤ λ·max` for the `λ` that uses up the top word.
    fn group(&mut self, group: &'q Group, id: Id, k: Num) {
        if let Some((_, leaves)) = &mut self.later {
            leaves.add(id, &k, 1);
            return;
        }
        let mut weights = Vec::with_capacity(group.words.len());
        for &word in group.words.iter().rev() {
            let weight = if word == id { k.clone() } else { self.coefficient(word) };
            weights.push((word, weight));
        }
        let top = 32 * (group.words.len() - 1);
        let (_, weight) = &weights[0];
        let none = Num::default();
        let mut lambda = if weight.is_positive() { weight >> top } else { Num::default() };
        let bound = |lambda: &Num| {
            let mut bound = Total::default();
            bound.add_bigint(&(lambda.to_bigint() * &group.max));
            for (i, (word, weight)) in weights.iter().enumerate() {
                bound.add(&self.range(*word, &less(weight, &(lambda << (top - 32 * i)))));
            }
            bound.into_bigint()
        };
        // A few words of a group are better bounded alone.
        let mut least = bound(&none);
        if !lambda.is_zero() {
            let together = bound(&lambda);
            if together < least {
                least = together;
            } else {
                lambda = none;
            }
        }
        self.total.add_bigint(&least);
        if self.log.is_some() {
            for (i, (word, weight)) in weights.iter().enumerate() {
                let part = &lambda << (top - 32 * i);
                self.ranged(*word, &less(weight, &part));
                if group.shown.is_none() && !part.is_zero() {
                    self.note(Fact::AtMost(*word), || part);
                }
            }
            if let (Some(shown), false) = (group.shown, lambda.is_zero()) {
                self.note(Fact::Bounded(shown), || lambda);
            }
        }
    }

    /// Notes the use of a range, where the checker would not see it: inside of a product, and of an
    /// abbreviation.
    fn ranged(&mut self, id: Id, k: &Num) {
        if self.path.is_empty() && !self.model().node(id).inline {
            return;
        }
        match k.sign() {
            Sign::Plus => self.note(Fact::AtMost(id), || k.clone()),
            Sign::Minus => self.note(Fact::AtLeast(id), || -k),
            Sign::NoSign => {}
        }
    }

    fn by_range(&mut self, id: Id, k: &Num) {
        if let Some((_, leaves)) = &mut self.later {
            leaves.add(id, k, 1);
            return;
        }
        let most = self.range(id, k);
        self.total.add(&most);
        self.ranged(id, k);
    }

    /// Upper bound of `k·node` from the node's range.
    fn range(&self, id: Id, k: &Num) -> Num {
        let node = self.model().node(id);
        match k.sign() {
            Sign::Plus => k.times(node.hi),
            Sign::Minus => k.times(node.lo),
            Sign::NoSign => Num::default(),
        }
    }

    /// Products of words as products of what the words are made of, so that they can cancel.
    fn write_out(&mut self, products: Sparse) {
        let model = self.model();
        let depth = self.plan.depth;
        let stop = |id| model.group_of(id, depth).is_some();
        let mut log = self.log.is_some().then(Vec::new);
        let Some(terms) = expand::to_leaves(model, products, &stop, log.as_mut()) else {
            // Too deep: nothing is known.
            self.total.add(&Num::power(2 * self.query.scale + 4));
            return;
        };
        if let (Some(all), Some(log)) = (&mut self.log, log) {
            all.extend(scaled(&log, &Num::from(-1)));
        }
        for (key, k) in terms {
            let present: Vec<Id> = expand::mono(key).iter().copied().filter(|&id| id != 0).collect();
            match present.as_slice() {
                [] => self.total.add(&k),
                [one] => self.sum.add(*one, &k, 1),
                // Descending: the last is the oldest.
                [inner, outer] => self.pair_of_leaves(*inner, *outer, k),
                many => {
                    if k.is_positive() {
                        let most = many.iter().fold(k, |k, &id| k.times(model.node(id).hi));
                        self.total.add(&most);
                    }
                }
            }
        }
    }

    /// A product of two words of one group counts half for either, so that the square of the group's
    /// value appears.
    fn pair_of_leaves(&mut self, inner: Id, outer: Id, k: Num) {
        let model = self.model();
        let group = model.node(inner).group;
        if inner != outer && group.is_some() && group == model.node(outer).group {
            let half = &k >> 1;
            add_to(self.products.entry(inner).or_default(), outer, &half);
            add_to(self.products.entry(outer).or_default(), inner, &less(&k, &half));
        } else {
            add_to(self.products.entry(outer).or_default(), inner, &k);
        }
    }

    fn known(&self, id: Id) -> Option<bool> {
        self.known.iter().find(|known| known.id == id).map(|known| known.value)
    }
}

fn add_to(form: &mut Sparse, id: Id, k: &Num) {
    *form.entry(id).or_default() += k;
}

/// `x - y`.
fn less(x: &Num, y: &Num) -> Num {
    let mut rest = -y;
    rest += x;
    rest
}
