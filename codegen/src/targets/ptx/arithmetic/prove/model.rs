//! What is known of the values of a block: an arena of nodes, each with a range and a definition.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::poly::{Id, Poly};
use super::record::Record;
pub(super) use crate::targets::ptx::arithmetic::check::certificate::Val;
use crate::targets::ptx::arithmetic::check::certificate::{Halves, Step};
use crate::targets::ptx::arithmetic::ir::Logic;

/// `2^32`.
pub(super) const B: i128 = 1 << 32;

/// Larger coefficients are not kept: the value becomes opaque.
const MAX_HEIGHT: i128 = 1 << 40;

/// Products that may be larger are not kept.
const MAX_PRODUCT: i128 = 1 << 80;

/// Nodes of a boolean polynomial that is written out where it is used.
const MAX_INLINE: usize = 8;

/// How a node is defined.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Input words, and whatever nothing is known of but its range.
    Leaf,
    /// Equal to a polynomial of older nodes.
    Exact(Poly),
    /// Low part of a pair.
    Low(usize),
    /// High part of a pair: a carry, a borrow, the high word of a product, bits shifted out.
    High(usize),
    /// Product of two to four older nodes, sorted; a boolean at most once.
    Product(Vec<Id>),
}

/// `low + sign·2^32·high = value`, with `low` in `[0, 2^32)` and `high ≥ 0`. `high` is the node before
/// `low` where `low` is a node.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) value: Poly,
    pub(super) sign: i128,
    pub(super) high: Id,
    pub(super) low: Val,
}

/// A word whose being zero says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Zero {
    /// `or`: zero where all of these are.
    All(Vec<Id>),
    /// `xor`: zero where the word equals the constant.
    Equals(Id, u32),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Range of the value. Never negative.
    pub(super) lo: i128,
    pub(super) hi: i128,
    /// The value modulo `2^32`, where that says more than the node itself.
    pub(super) residue: Option<Poly>,
    /// Index into [`Model::groups`].
    pub(super) group: Option<usize>,
    /// A boolean polynomial, to be written out where it is used.
    pub(super) inline: bool,
    /// For a boolean: it is 1 exactly where this is not negative.
    pub(super) fact: Option<Poly>,
    pub(super) zero: Option<Zero>,
    /// Used as a multiplier: better bounded as a word.
    pub(super) multiplier: bool,
    /// The operands of a bitwise operation.
    pub(super) bits: Option<(Logic, Val, Val)>,
    /// Of the low word of a product whose high word nothing needs: that word, and the product.
    pub(super) divided: Option<(Id, Poly)>,
}

/// Words that together have a known bound: `Σ wordᵢ·2^(32i) ≤ max`.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) words: Vec<Id>,
    pub(super) max: BigInt,
    /// 0 where nothing more is known. An open group is one of words whose definitions say more than the
    /// bound, so that forms may be rewritten through them: one more than the groups that they lead to.
    pub(super) depth: u32,
    /// Which bound of the certificate this is; none where it follows from the ranges of the words.
    pub(super) shown: Option<usize>,
}

/// A fact of the certificate, `word = flag·word`, and what both sides are multiplied with.
pub(super) type Implied = (usize, Vec<Id>);

/// The arena.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) nodes: Vec<Node>,
    pub(super) pairs: Vec<Pair>,
    pub(super) groups: Vec<Group>,
    pub(super) record: Record,
    products: BTreeMap<Vec<Id>, Id>,
    /// By flag and word.
    implied: BTreeMap<(Id, Id), usize>,
    facts: BTreeMap<Poly, Id>,
    halves: BTreeMap<(Val, Val), Halves>,
    shifts: BTreeMap<(Id, u32), Halves>,
}

impl Model {
    /// Proofs are in units of `2^(32·scale)`.
    pub(super) fn new(scale: usize) -> Model {
        let mut model = Model { record: Record::new(scale), ..Model::default() };
        model.push(Kind::Leaf, 0, 0);
        model
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn push(&mut self, kind: Kind, lo: i128, hi: i128) -> Id {
        let node = Node {
            kind,
            lo,
            hi,
            residue: None,
            group: None,
            inline: false,
            fact: None,
            zero: None,
            multiplier: false,
            bits: None,
            divided: None,
        };
        self.nodes.push(node);
        (self.nodes.len() - 1) as Id
    }

    /// States `Σ wordsᵢ·2^(32i) ≤ max`, which the next bound of the certificate is to show.
    pub(super) fn group(&mut self, words: Vec<Id>, max: BigInt) {
        let shown = Some(self.record.next_bound());
        self.add_group(Group { words, max, depth: 0, shown });
    }

    /// Makes words that are multiplied a group with nothing but their ranges known, which forms may end at.
    pub(super) fn open_group(&mut self, words: &[Id]) {
        if words.iter().any(|&id| self.node(id).group.is_some()) {
            return;
        }
        let weigh = |(k, &id): (usize, &Id)| BigInt::from(self.node(id).hi) << (32 * k);
        let max = words.iter().enumerate().map(weigh).sum();
        let depth = 1 + self.depth_below(words);
        self.add_group(Group { words: words.to_vec(), max, depth, shown: None });
    }

    /// The greatest depth of the groups that the definitions of `words` lead to.
    fn depth_below(&self, words: &[Id]) -> u32 {
        let (mut depth, mut seen, mut next) = (0, BTreeSet::new(), words.to_vec());
        while let Some(id) = next.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(group) = self.node(id).group {
                depth = depth.max(self.groups[group].depth);
                continue;
            }
            match &self.node(id).kind {
                Kind::Leaf => {}
                Kind::Exact(poly) => next.extend(poly.terms.iter().map(|&(id, _)| id)),
                Kind::Low(pair) | Kind::High(pair) => {
                    next.extend(self.pairs[*pair].value.terms.iter().map(|&(id, _)| id));
                }
                Kind::Product(factors) => next.extend(factors),
            }
        }
        depth
    }

    fn add_group(&mut self, group: Group) {
        let index = self.groups.len();
        for &id in &group.words {
            self.node_mut(id).group = Some(index);
        }
        self.groups.push(group);
    }

    /// The group at which a form that is rewritten through all deeper than `depth` ends.
    pub(super) fn group_of(&self, id: Id, depth: u32) -> Option<&Group> {
        let group = &self.groups[self.node(id).group?];
        (group.depth <= depth).then_some(group)
    }

    /// The depth of the deepest group.
    pub(super) fn depth(&self) -> u32 {
        self.groups.iter().map(|group| group.depth).max().unwrap_or(0)
    }

    /// A word of which only the range is known.
    pub(super) fn opaque(&mut self, hi: i128) -> Id {
        self.push(Kind::Leaf, 0, hi)
    }

    pub(super) fn is_bool(&self, id: Id) -> bool {
        let node = self.node(id);
        node.lo >= 0 && node.hi <= 1
    }

    /// Range of a polynomial, from the ranges of its nodes.
    pub(super) fn range(&self, poly: &Poly) -> (i128, i128) {
        let (mut lo, mut hi) = (poly.constant, poly.constant);
        for &(id, k) in &poly.terms {
            let node = self.node(id);
            let ends = (k.saturating_mul(node.lo), k.saturating_mul(node.hi));
            lo = lo.saturating_add(ends.0.min(ends.1));
            hi = hi.saturating_add(ends.0.max(ends.1));
        }
        (lo, hi)
    }

    /// A word as a polynomial; booleans are written out.
    pub(super) fn poly(&self, val: Val) -> Poly {
        match val {
            Val::Const(c) => Poly::constant(i128::from(c)),
            Val::Node(id) => match &self.node(id).kind {
                Kind::Exact(poly) if self.node(id).inline => poly.clone(),
                _ => Poly::of(id),
            },
        }
    }

    pub(super) fn val_range(&self, val: Val) -> (i128, i128) {
        match val {
            Val::Const(c) => (i128::from(c), i128::from(c)),
            Val::Node(id) => (self.node(id).lo, self.node(id).hi),
        }
    }

    /// The word that a polynomial is, known to lie in `[0, 2^32)`.
    pub(super) fn exact(&mut self, poly: Poly) -> Val {
        if let Some(c) = poly.value() {
            // A value outside is impossible; the code that would compute it is never reached.
            return Val::Const(c.rem_euclid(B) as u32);
        }
        if let Some(id) = poly.single() {
            return Val::Node(id);
        }
        let (lo, hi) = self.range(&poly);
        let (lo, hi) = (lo.clamp(0, B - 1), hi.clamp(0, B - 1));
        if poly.height() > MAX_HEIGHT {
            self.record.step(Step::Let { value: poly, inline: false });
            return Val::Node(self.push(Kind::Leaf, lo, hi));
        }
        let booleans = self.booleans(&poly).is_some();
        let inline = booleans && poly.terms.len() <= MAX_INLINE;
        let residue = (booleans || poly.terms.len() == 1).then(|| self.residue(&poly));
        self.record.step(Step::Let { value: poly.clone(), inline });
        let id = self.push(Kind::Exact(poly), lo, hi);
        let node = self.node_mut(id);
        node.inline = inline;
        node.residue = residue;
        Val::Node(id)
    }

    /// A polynomial equal modulo `2^32`, with coefficients of least absolute value.
    pub(super) fn residue(&self, poly: &Poly) -> Poly {
        let mut sum = Poly::constant(poly.constant);
        for &(id, k) in &poly.terms {
            let residue = self.node(id).residue.clone().unwrap_or_else(|| Poly::of(id));
            sum = sum.plus(k, &residue);
        }
        let least = |k: i128| {
            let k = k.rem_euclid(B);
            if k > B / 2 { k - B } else { k }
        };
        let terms = sum.terms.iter().map(|&(id, k)| (id, least(k))).filter(|&(_, k)| k != 0).collect();
        Poly { terms, constant: least(sum.constant) }
    }

    /// The boolean `[fact ≥ 0]`, as a polynomial. Equal facts and their negations give one node.
    pub(super) fn known_boolean(&self, fact: &Poly) -> Option<Poly> {
        let (lo, hi) = self.range(fact);
        if lo >= 0 || hi < 0 {
            return Some(Poly::constant(i128::from(lo >= 0)));
        }
        if let Some(&id) = self.facts.get(fact) {
            return Some(Poly::of(id));
        }
        let negation = fact.times(-1).shifted(-1);
        self.facts.get(&negation).map(|&id| Poly::of(id).times(-1).shifted(1))
    }

    /// As [`known_boolean`](Self::known_boolean), a new node where there is none.
    pub(super) fn boolean(&mut self, fact: Poly) -> Poly {
        if let Some(poly) = self.known_boolean(&fact) {
            return poly;
        }
        self.record.step(Step::Truth(fact.clone()));
        let id = self.push(Kind::Leaf, 0, 1);
        self.name_boolean(id, fact);
        Poly::of(id)
    }

    fn name_boolean(&mut self, id: Id, fact: Poly) {
        self.node_mut(id).fact = Some(fact.clone());
        self.facts.insert(fact, id);
    }

    /// The pair of `value`, with `high` in `[0, most]`.
    pub(super) fn pair(&mut self, value: Poly, sign: i128, most: i128) -> (Id, Id) {
        let index = self.pairs.len();
        self.record.step(Step::Divide { value: value.clone(), sign });
        let high = self.push(Kind::High(index), 0, most);
        let low = self.push(Kind::Low(index), 0, B - 1);
        self.pairs.push(Pair { value, sign, high, low: Val::Node(low) });
        (low, high)
    }

    /// The carry of a sum (`sign` 1) or borrow of a difference (-1) that is not known to be constant,
    /// and the word.
    pub(super) fn carry(&mut self, value: Poly, sign: i128) -> (Val, Poly) {
        let fact = if sign > 0 { value.clone().shifted(-B) } else { value.times(-1).shifted(-1) };
        if let Some(carry) = self.known_boolean(&fact) {
            let value = value.plus(-sign * B, &carry);
            let word = self.exact(value.clone());
            let [mut least, mut most] = self.truth(&fact, &carry);
            if sign < 0 {
                std::mem::swap(&mut least, &mut most);
            }
            self.record_word(word, &value, [least, most]);
            return (word, carry);
        }
        let (low, high) = self.pair(value, sign, 1);
        self.name_boolean(high, fact);
        (Val::Node(low), Poly::of(high))
    }

    /// The carry of a sum whose word is the constant `low`.
    pub(super) fn carry_of_constant(&mut self, value: Poly, sign: i128, low: u32) -> Poly {
        let index = self.pairs.len();
        let uses = self.residue_uses(&value);
        self.record.step(Step::Quotient { value: value.clone(), sign, low, uses });
        let high = self.push(Kind::High(index), 0, 1);
        self.pairs.push(Pair { value, sign, high, low: Val::Const(low) });
        Poly::of(high)
    }

    /// Low and high word of `a·b`.
    pub(super) fn halves(&mut self, a: Val, b: Val) -> Halves {
        let (a, b) = (a.min(b), a.max(b));
        if let Some(halves) = self.halves.get(&(a, b)) {
            return halves.clone();
        }
        let (value, hi) = self.whole(a, b);
        let halves = self.divided(value, hi);
        if let (Val::Node(low), Val::Node(_)) = (halves.low, halves.high) {
            self.node_mut(low).residue = self.product_residue(a, b);
        }
        self.halves.insert((a, b), halves.clone());
        halves
    }

    /// Low and high word of a value that is at most `hi`.
    fn divided(&mut self, value: Poly, hi: i128) -> Halves {
        if hi < B {
            let low = self.exact(value.clone());
            return Halves { low, high: Val::Const(0), uses: self.defined(low, &value) };
        }
        let (low, high) = self.pair(value, 1, hi >> 32);
        let (low, high) = (Val::Node(low), Val::Node(high));
        Halves { low, high, uses: self.defined_pair(high) }
    }

    /// The low word of `a·b` where nothing needs the high one: opaque but for its residue.
    pub(super) fn low_half(&mut self, a: Val, b: Val) -> Halves {
        let (a, b) = (a.min(b), a.max(b));
        let (value, hi) = self.whole(a, b);
        if self.halves.contains_key(&(a, b)) || hi < B {
            return self.halves(a, b);
        }
        let residue = self.product_residue(a, b);
        self.record.step(Step::Divide { value: value.clone(), sign: 1 });
        let high = self.opaque(hi >> 32);
        let low = self.opaque(B - 1);
        let node = self.node_mut(low);
        (node.residue, node.divided) = (residue, Some((high, value)));
        let (low, high) = (Val::Node(low), Val::Node(high));
        Halves { low, high, uses: self.defined_pair(high) }
    }

    /// `a·b` and its largest value; `a ≤ b`, so that a constant is first.
    fn whole(&mut self, a: Val, b: Val) -> (Poly, i128) {
        let hi = self.val_range(a).1 * self.val_range(b).1;
        for factor in [a, b] {
            if let Val::Node(id) = factor {
                self.node_mut(id).multiplier = true;
            }
        }
        let value = match (a, b) {
            (Val::Const(a), b) => self.poly(b).times(i128::from(a)),
            (a, Val::Const(b)) => self.poly(a).times(i128::from(b)),
            (Val::Node(a), Val::Node(b)) => Poly::of(self.product(&[a, b]).expect("two factors")),
        };
        (value, hi)
    }

    fn product_residue(&self, a: Val, b: Val) -> Option<Poly> {
        match (a, b) {
            (Val::Const(a), b) => Some(self.residue(&self.residue(&self.poly(b)).times(i128::from(a)))),
            _ => None,
        }
    }

    /// Low word of `a·2^by`, and the bits shifted out.
    pub(super) fn shifted(&mut self, a: Val, by: u32) -> Halves {
        let a = match a {
            Val::Const(c) => {
                let wide = u64::from(c) << by;
                let (low, high) = (Val::Const(wide as u32), Val::Const((wide >> 32) as u32));
                return Halves { low, high, uses: Vec::new() };
            }
            Val::Node(a) => a,
        };
        if let Some(halves) = self.shifts.get(&(a, by)) {
            return halves.clone();
        }
        let value = self.poly(Val::Node(a)).times(1 << by);
        let hi = self.node(a).hi << by;
        let halves = self.divided(value, hi);
        self.shifts.insert((a, by), halves.clone());
        halves
    }

    /// The product of nodes as a node; `None` above four factors, or where it may be too large.
    pub(super) fn product(&mut self, factors: &[Id]) -> Option<Id> {
        let (factors, _) = self.factors(factors)?;
        if let [id] = factors.as_slice() {
            return Some(*id);
        }
        if let Some(&id) = self.products.get(&factors) {
            return Some(id);
        }
        let (mut lo, mut hi) = (1i128, 1i128);
        for &id in &factors {
            lo = lo.saturating_mul(self.node(id).lo);
            hi = hi.saturating_mul(self.node(id).hi);
        }
        if hi > MAX_PRODUCT {
            return None;
        }
        self.record.step(Step::Product(factors.clone()));
        let id = self.push(Kind::Product(factors.clone()), lo, hi);
        self.products.insert(factors, id);
        Some(id)
    }

    /// The factors written out and sorted: a boolean once, and not beside a word that is zero where
    /// the boolean is. What was implied is listed with the factors beside it.
    pub(super) fn factors(&self, factors: &[Id]) -> Option<(Vec<Id>, Vec<Implied>)> {
        let mut all = Vec::with_capacity(4);
        for &id in factors {
            match &self.node(id).kind {
                Kind::Product(inner) => all.extend(inner.iter().copied()),
                _ => all.push(id),
            }
        }
        all.sort_unstable();
        let mut kept: Vec<Id> = Vec::with_capacity(all.len());
        for &id in &all {
            if kept.last() != Some(&id) || !self.is_bool(id) {
                kept.push(id);
            }
        }
        let mut implied = Vec::new();
        // The words that imply a boolean are older.
        for at in (0..kept.len()).rev().filter(|_| !self.implied.is_empty()) {
            let with =
                kept.iter().find_map(|&word| self.implied.get(&(kept[at], word)).map(|index| (*index, word)));
            if let Some((index, word)) = with {
                kept.remove(at);
                let beside = kept.iter().position(|&other| other == word);
                let by = (0..kept.len()).filter(|&i| Some(i) != beside).map(|i| kept[i]).collect();
                implied.push((index, by));
            }
        }
        (kept.len() <= 4).then_some((kept, implied))
    }

    /// Notes what is zero where a word is, and shows it of a boolean.
    pub(super) fn vanishes(&mut self, id: Id, zero: Zero) {
        if let (Zero::All(words), true) = (&zero, self.is_bool(id)) {
            for &word in words {
                if word != id && !self.implied.contains_key(&(id, word)) {
                    let index = self.record_implied(id, word);
                    self.implied.insert((id, word), index);
                }
            }
        }
        self.node_mut(id).zero = Some(zero);
    }

    /// `x·y`; `None` where a coefficient or the number of factors grows out of hand. What was implied is
    /// listed with its coefficient.
    pub(super) fn multiply(&mut self, x: &Poly, y: &Poly) -> Option<(Poly, Vec<(i128, Implied)>)> {
        if x.height() > MAX_HEIGHT || y.height() > MAX_HEIGHT {
            return None;
        }
        let (mut product, mut all) = (y.times(x.constant), Vec::new());
        for &(a, ka) in &x.terms {
            product = product.plus(ka * y.constant, &Poly::of(a));
            for &(b, kb) in &y.terms {
                let (_, implied) = self.factors(&[a, b])?;
                all.extend(implied.into_iter().map(|implied| (ka * kb, implied)));
                product = product.plus(ka * kb, &Poly::of(self.product(&[a, b])?));
            }
        }
        Some((product, all))
    }

    /// Whether a node is a carry or a predicate.
    pub(super) fn is_flag(&self, id: Id) -> bool {
        let node = self.node(id);
        // Not the high word of a product that happens to be small.
        let cleared = matches!(node.kind, Kind::High(pair) if matches!(self.pairs[pair].low, Val::Const(_)));
        node.hi <= 1 && (cleared || node.fact.is_some())
    }

    /// The booleans of a polynomial of booleans and their products; `None` for any other.
    pub(super) fn booleans(&self, poly: &Poly) -> Option<Vec<Id>> {
        let mut all = Vec::new();
        for &(id, _) in &poly.terms {
            match &self.node(id).kind {
                Kind::Product(factors) => all.extend(factors.iter().copied()),
                _ => all.push(id),
            }
        }
        all.sort_unstable();
        all.dedup();
        all.iter().all(|&id| self.is_flag(id)).then_some(all)
    }

    /// The value of a polynomial of at most two booleans at one corner.
    pub(super) fn at(&self, poly: &Poly, booleans: &[Id], corner: [i128; 2]) -> i128 {
        let value = |id: Id| booleans.iter().position(|&b| b == id).map_or(1, |k| corner[k]);
        let term = |&(id, k): &(Id, i128)| match &self.node(id).kind {
            Kind::Product(factors) => k * factors.iter().map(|&id| value(id)).product::<i128>(),
            _ => k * value(id),
        };
        poly.constant + poly.terms.iter().map(term).sum::<i128>()
    }

    /// The values of a polynomial of at most two booleans.
    pub(super) fn corners(&self, poly: &Poly, booleans: &[Id]) -> BTreeSet<i128> {
        [[0, 0], [1, 0], [0, 1], [1, 1]].iter().map(|&corner| self.at(poly, booleans, corner)).collect()
    }

    /// `f(poly)` for a polynomial of at most two booleans, as a polynomial of them: the values at the
    /// corners determine it.
    pub(super) fn tabulate(&mut self, poly: &Poly, booleans: &[Id], f: impl Fn(i128) -> i128) -> Poly {
        let at = |corner: [i128; 2]| f(self.at(poly, booleans, corner));
        let (none, first, second, both) = (at([0, 0]), at([1, 0]), at([0, 1]), at([1, 1]));
        let mut result = Poly::constant(none);
        if let [a, ..] = *booleans {
            result = result.plus(first - none, &Poly::of(a));
        }
        if let [a, b] = *booleans {
            result = result.plus(second - none, &Poly::of(b));
            let product = self.product(&[a, b]).expect("two factors");
            result = result.plus(both - first - second + none, &Poly::of(product));
        }
        result
    }
}
