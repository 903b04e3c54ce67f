//! A thread's work on a pair of neighbouring lanes: a kernel over a quadratic extension `F[u]/(u² - ξ)`
//! becomes one over `F`, in which lane `2i + k` does what concerns the coefficients of `u^k` of what thread
//! `i` did.
//!
//! | what a thread has | what the lanes of its pair have |
//! | --- | --- |
//! | words, truth values, elements of `F` | the same, both of them |
//! | elements of the extension, and locals for them | a coefficient each, an element of `F` |
//! | coefficients as elements of `F`, and their words | as long as they stay what they are, the lane whose coefficient it is has it; elsewhere it is fetched from there |
//!
//! Sums are made by coefficients. For a product each lane has the other's coefficients of both operands, and
//! one reduction: with `x'` for what the other lane has of `x`, the even lane computes `a·b + a'·ξb'` and the
//! odd one `a·b' + a'·b` by the same instructions, with operands that are selected. A square is one product
//! in either lane (Devegili et al., ePrint 2006/471, section 3.2): `(a + a')·(a + ξa')` and `a·a'`, the
//! second of which the even lane asks for where `ξ ≠ -1`.
//!
//! **The lanes of a pair never part.** What decides the way are truth values, which both have: they come of
//! words that both have, and an element is zero where a vote of the two says so. So each exchange names the
//! pair in its mask, wherever it stands, while pairs part as threads do.
//!
//! A lane reads and writes its own part of a point. Where the halves of a store cannot be put together, where
//! something else is written, or where threads speak to each other, there is no such form: an error.

use super::rewrite::{Rewriter, map_results, map_uses, mul_number};
use crate::declaration::FieldOp;
use crate::error::PassError;
use crate::fir::ir::{
    Below, Block, CmpOp, IntOp, Kernel, LocalDecl, Op, Place, ShuffleMode, Special, Stmt, Type, Value,
};
use curvesmith_abi::{Element, ParamKind, padded_words};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// The kernel on pairs of lanes: with as many threads a block, half as many of those that it was written for.
pub fn spread_over_lanes(kernel: &Kernel) -> Result<Kernel, PassError> {
    let [level] = kernel.tower.levels() else {
        return Err(without("a tower of other levels than one"));
    };
    if level.degree != 2 {
        return Err(without("an extension of another degree than 2"));
    }
    if kernel.function.is_some() || !kernel.functions.is_empty() || !kernel.shared.is_empty() {
        return Err(without("functions or shared memory"));
    }
    let mut r = Rewriter::new(kernel);
    for LocalDecl { ty } in &mut r.new.locals {
        *ty = own_type(*ty);
    }
    let mut body = Block::new();
    let pair = Pair::new(&mut r, &mut body);
    let held = vec![None; kernel.values().count()];
    let nonresidue = level.nonresidue[0].clone();
    let mut spread = Spread { r, held, pair, nonresidue, known: Known::default(), half: None };
    spread.block(&kernel.body, &mut body)?;
    spread.r.new.body = body;
    Ok(spread.r.new)
}

fn without(what: &str) -> PassError {
    PassError::Malformed(format!("{what}: there is no form of it on pairs of lanes"))
}

fn own_type(ty: Type) -> Type {
    if matches!(ty, Type::Ext(_)) { Type::Field } else { ty }
}

/// Where a lane stands in its pair.
#[derive(Clone, Copy)]
struct Pair {
    /// 0 in even lanes, 1 in odd ones.
    number: Value,
    is_odd: Value,
    /// The lanes of the pair.
    mask: Value,
    /// Their numbers in the warp.
    lanes: [Value; 2],
    one: Value,
}

impl Pair {
    fn new(r: &mut Rewriter<'_>, out: &mut Block) -> Self {
        let lane = r.compute(Op::Special(Special::Lane), out);
        let [zero, one, three] = [0, 1, 3].map(|n| r.compute(Op::U32(n), out));
        let number = r.compute(Op::Int(IntOp::And, lane, one), out);
        let is_odd = r.compute(Op::Cmp(CmpOp::Ne, number, zero), out);
        let even = r.compute(Op::Int(IntOp::Sub, lane, number), out);
        let odd = r.compute(Op::Int(IntOp::Or, lane, one), out);
        let mask = r.compute(Op::Int(IntOp::Shl, three, even), out);
        Pair { number, is_odd, mask, lanes: [even, odd], one }
    }
}

/// An old element of the prime field, or a word, that is of a coefficient: the lane of this number has it,
/// where the other one has what the other coefficient has for it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Held {
    own: Value,
    number: usize,
}

/// What was computed in the open blocks and can be used again.
#[derive(Clone, Default)]
struct Known {
    /// What the other lane has of a value.
    partners: BTreeMap<Value, Value>,
    /// The factors that stand for the right operand of a product.
    factors: BTreeMap<Value, [Value; 2]>,
    /// Old values that were fetched from the lane that has them.
    fetched: BTreeMap<Value, Value>,
    /// Elements by their own words.
    elements: BTreeMap<(Vec<Value>, Below), Value>,
    /// The words of a place that were loaded, since when nothing was written.
    loaded: Vec<(Place, Vec<Value>)>,
}

/// A store of one coefficient that waits for that of the other.
struct Half {
    place: Place,
    number: usize,
    words: Vec<Value>,
}

struct Spread<'a> {
    r: Rewriter<'a>,
    /// By old value; others are in both lanes, or elements of the extension, of which each lane has its
    /// coefficient.
    held: Vec<Option<Held>>,
    pair: Pair,
    nonresidue: BigUint,
    known: Known,
    half: Option<Half>,
}

impl Spread<'_> {
    fn block(&mut self, block: &Block, out: &mut Block) -> Result<(), PassError> {
        for stmt in block {
            match stmt {
                Stmt::Let(v) => {
                    self.value(*v, out)?;
                    continue;
                }
                Stmt::Load { results, place } if self.of_points(place) => {
                    self.load(results, place, out)?;
                    continue;
                }
                Stmt::Store { place, words } if self.of_points(place) => {
                    self.store(place, words, out)?;
                    continue;
                }
                _ if self.half.is_some() => return Err(without("half of a coordinate that is stored")),
                _ => {}
            }
            let stmt = match stmt {
                Stmt::Set(l, v) => Stmt::Set(*l, self.whole(*v, out)),
                Stmt::If { cond, then, otherwise } => {
                    let cond = self.whole(*cond, out);
                    Stmt::If { cond, then: self.inner(then)?, otherwise: self.inner(otherwise)? }
                }
                Stmt::Loop(body) => Stmt::Loop(self.inner(body)?),
                Stmt::Break | Stmt::Return => stmt.clone(),
                Stmt::Load { .. } | Stmt::Prefetch { .. } => {
                    let uses: BTreeMap<Value, Value> =
                        stmt.uses().into_iter().map(|v| (v, self.whole(v, out))).collect();
                    let r = &mut self.r;
                    map_results(map_uses(stmt, |v| uses[&v]), |v| {
                        let new = r.new.push(r.old[v].clone());
                        r.set(v, Some(new));
                        new
                    })
                }
                _ => return Err(without(&format!("{stmt:?}"))),
            };
            out.push(stmt);
        }
        match self.half {
            Some(_) => Err(without("half of a coordinate that is stored")),
            None => Ok(()),
        }
    }

    /// A block within another: what is known of values ends with it.
    fn inner(&mut self, block: &Block) -> Result<Block, PassError> {
        let before = self.known.clone();
        self.known.loaded.clear();
        let mut out = Block::new();
        self.block(block, &mut out)?;
        self.known = before;
        self.known.loaded.clear();
        Ok(out)
    }

    /// What an old value is in both lanes, or the own coefficient of an element of the extension.
    fn whole(&mut self, old: Value, out: &mut Block) -> Value {
        let Some(Held { own, number }) = self.held[old.0 as usize] else { return self.r.get(old) };
        if let Some(known) = self.known.fetched.get(&old) {
            return *known;
        }
        let fetched = self.shuffle(ShuffleMode::Index, own, self.pair.lanes[number], out);
        self.known.fetched.insert(old, fetched);
        fetched
    }

    fn shuffle(&mut self, mode: ShuffleMode, value: Value, arg: Value, out: &mut Block) -> Value {
        let result = self.r.new.push(Op::Result(self.r.new.ty(value)));
        out.push(Stmt::Shuffle { result, mode, value, arg, mask: self.pair.mask });
        result
    }

    /// What the other lane has of a value.
    fn partner(&mut self, own: Value, out: &mut Block) -> Value {
        if let Some(known) = self.known.partners.get(&own) {
            return *known;
        }
        let partner = self.shuffle(ShuffleMode::Xor, own, self.pair.one, out);
        self.known.partners.insert(own, partner);
        partner
    }

    /// `odd` in odd lanes, `even` in even ones.
    fn by_lane(&mut self, odd: Value, even: Value, out: &mut Block) -> Value {
        if odd == even || self.r.new[odd] == self.r.new[even] && is_constant(&self.r.new[odd]) {
            return even;
        }
        self.r.compute(Op::Select(self.pair.is_odd, odd, even), out)
    }

    fn value(&mut self, old: Value, out: &mut Block) -> Result<(), PassError> {
        let kernel = self.r.old;
        let new = match &kernel[old] {
            Op::Special(Special::Lane) => return Err(without("the number of a lane")),
            // Of pairs, half as many as threads.
            Op::Special(Special::Thread | Special::BlockSize) => {
                let threads = self.r.compute(kernel[old].clone(), out);
                self.r.compute(Op::Int(IntOp::Shr, threads, self.pair.one), out)
            }
            Op::Coefficient(a, i) => {
                let own = self.r.get(*a);
                self.held[old.0 as usize] = Some(Held { own, number: *i as usize });
                return Ok(());
            }
            Op::Word(a, i, below) if self.held[a.0 as usize].is_some() => {
                let word = self.held[a.0 as usize]
                    .map(|held| Held { own: self.r.compute(Op::Word(held.own, *i, *below), out), ..held });
                self.held[old.0 as usize] = word;
                return Ok(());
            }
            Op::FromWords(words, below) => match self.held_together(words) {
                Some((own, number)) => {
                    let element = self.element(own, *below, out);
                    self.held[old.0 as usize] = Some(Held { own: element, number });
                    return Ok(());
                }
                None => self.generic(old, out),
            },
            Op::Compose(_, parts) => self.own_of(parts[0], parts[1], out),
            Op::Field(op, args) if matches!(kernel.ty(args[0]), Type::Ext(_)) => {
                let args: Vec<Value> = args.iter().map(|a| self.r.get(*a)).collect();
                self.operation(op, &args, out)?
            }
            _ => self.generic(old, out),
        };
        self.r.set(old, Some(new));
        Ok(())
    }

    /// The same operation in both lanes: on what both have, or each on its coefficients.
    fn generic(&mut self, old: Value, out: &mut Block) -> Value {
        let op = self.r.old[old].map_args(|a| self.whole(a, out));
        self.r.compute(op, out)
    }

    /// The own words of one coefficient, and which it is.
    fn held_together(&self, words: &[Value]) -> Option<(Vec<Value>, usize)> {
        let held: Option<Vec<Held>> = words.iter().map(|w| self.held[w.0 as usize]).collect();
        let (held, number) =
            held.and_then(|held| held.first().map(|first| first.number).map(|n| (held, n)))?;
        let own = held.iter().map(|word| word.own).collect();
        held.iter().all(|word| word.number == number).then_some((own, number))
    }

    fn element(&mut self, words: Vec<Value>, below: Below, out: &mut Block) -> Value {
        if let Some(known) = self.known.elements.get(&(words.clone(), below)) {
            return *known;
        }
        let element = self.r.compute(Op::FromWords(words.clone(), below), out);
        self.known.elements.insert((words, below), element);
        element
    }

    /// Of two old values, of the even and of the odd lane, the own one.
    fn own_of(&mut self, even: Value, odd: Value, out: &mut Block) -> Value {
        match [even, odd].map(|v| self.held[v.0 as usize]) {
            [Some(a), Some(b)] if [a.number, b.number] == [0, 1] && self.same(a.own, b.own) => a.own,
            _ => {
                let (even, odd) = (self.whole(even, out), self.whole(odd, out));
                self.by_lane(odd, even, out)
            }
        }
    }

    /// Whether two new values are one, or the same word of one.
    fn same(&self, a: Value, b: Value) -> bool {
        a == b || matches!(self.r.new[a], Op::Word(..)) && self.r.new[a] == self.r.new[b]
    }

    fn operation(&mut self, op: &FieldOp, args: &[Value], out: &mut Block) -> Result<Value, PassError> {
        Ok(match op {
            FieldOp::Mul => self.dot(&[[args[0], args[1]]], out),
            FieldOp::Sqr => self.square(args[0], out),
            FieldOp::Dot(_) => {
                let terms: Vec<[Value; 2]> = args.chunks_exact(2).map(|term| [term[0], term[1]]).collect();
                self.dot(&terms, out)
            }
            _ if op.tests_zero() => {
                let cond = self.r.compute(Op::Field(op.clone(), args.to_vec()), out);
                let result = self.r.new.push(Op::Result(Type::U32));
                out.push(Stmt::Ballot { result, cond, mask: self.pair.mask });
                self.r.compute(Op::Cmp(CmpOp::Eq, result, self.pair.mask), out)
            }
            _ if op.of_extensions() => self.r.compute(Op::Field(op.clone(), args.to_vec()), out),
            _ => return Err(without(&op.name())),
        })
    }

    /// `Σ a·b` with one reduction a lane.
    fn dot(&mut self, terms: &[[Value; 2]], out: &mut Block) -> Value {
        let mut operands = vec![];
        for [a, b] in terms {
            // What was an operand before has its factors.
            let (a, b) = if self.known.factors.contains_key(a) { (*b, *a) } else { (*a, *b) };
            let [first, second] = self.factors(b, out);
            operands.extend([a, first, self.partner(a, out), second]);
        }
        self.r.compute(Op::Field(FieldOp::Dot(operands.len() / 2), operands), out)
    }

    /// What the own and the other lane's coefficient of a left operand are multiplied with: `b` and `ξb'` in
    /// even lanes, `b'` and `b` in odd ones.
    fn factors(&mut self, b: Value, out: &mut Block) -> [Value; 2] {
        if let Some(known) = self.known.factors.get(&b) {
            return *known;
        }
        let partner = self.partner(b, out);
        let scaled = self.times_nonresidue(partner, out);
        let factors = [self.by_lane(partner, b, out), self.by_lane(b, scaled, out)];
        self.known.factors.insert(b, factors);
        factors
    }

    fn times_nonresidue(&mut self, x: Value, out: &mut Block) -> Value {
        self.times(x, &self.nonresidue.clone(), out)
    }

    /// `c·x` for a number `c` that is not 0.
    fn times(&mut self, x: Value, c: &BigUint, out: &mut Block) -> Value {
        let r = &mut self.r;
        mul_number(&r.old.field().p, x, c, |op, x| r.compute(Op::Field(op, vec![x]), out))
    }

    /// `a² + ξ·a'²` in even lanes, `2·a·a'` in odd ones.
    fn square(&mut self, a: Value, out: &mut Block) -> Value {
        let partner = self.partner(a, out);
        let field = |spread: &mut Self, op, args: [Value; 2], out: &mut Block| {
            spread.r.compute(Op::Field(op, args.to_vec()), out)
        };
        // -(ξ + 1), what the even lane's product is lacking times a·a'.
        let lack = &self.r.old.field().p - (&self.nonresidue + 1u32) % &self.r.old.field().p;
        let is_minus_one = lack == self.r.old.field().p;
        let scaled = self.times_nonresidue(partner, out);
        let second = field(self, FieldOp::Add, [a, scaled], out);
        let second = self.by_lane(partner, second, out);
        if is_minus_one {
            let first = self.by_lane(a, partner, out);
            let first = field(self, FieldOp::Add, [a, first], out);
            return field(self, FieldOp::Mul, [first, second], out);
        }
        let first = field(self, FieldOp::Add, [a, partner], out);
        let first = self.by_lane(a, first, out);
        let product = field(self, FieldOp::Mul, [first, second], out);
        let cross = self.partner(product, out);
        let rest = self.times(cross, &lack, out);
        let rest = self.by_lane(product, rest, out);
        field(self, FieldOp::Add, [product, rest], out)
    }

    /// Whether a place is in a buffer of points.
    fn of_points(&self, place: &Place) -> bool {
        let Place::Global { buffer, .. } = place else { return false };
        let kind = self.r.old.desc.params[buffer.0 as usize].kind;
        matches!(kind, ParamKind::Buffer(_, Element::Affine | Element::Point))
    }

    /// The place of the own part where the kernel has one of an old part, and which coefficient that is.
    fn own_place(
        &mut self,
        place: &Place,
        count: usize,
        out: &mut Block,
    ) -> Result<(Place, usize), PassError> {
        let Place::Global { buffer, index, word } = *place else {
            return Err(without("a place of no buffer"));
        };
        let each = padded_words(self.r.old.field().words) as u32;
        let part = word / each;
        if word % each + count as u32 > each {
            return Err(without("an access of several coefficients at once"));
        }
        let index = self.whole(index, out);
        let word = word - part % 2 * each;
        Ok((Place::Part { buffer, index, part: self.pair.number, word }, (part % 2) as usize))
    }

    fn load(&mut self, results: &[Value], place: &Place, out: &mut Block) -> Result<(), PassError> {
        if self.half.is_some() {
            return Err(without("half of a coordinate that is stored"));
        }
        let (place, number) = self.own_place(place, results.len(), out)?;
        let known = self.known.loaded.iter().find(|(at, words)| *at == place && words.len() == results.len());
        let words = match known {
            Some((_, words)) => words.clone(),
            None => {
                let words: Vec<Value> =
                    results.iter().map(|_| self.r.new.push(Op::Result(Type::U32))).collect();
                out.push(Stmt::Load { results: words.clone(), place });
                self.known.loaded.push((place, words.clone()));
                words
            }
        };
        for (old, own) in results.iter().zip(words) {
            self.held[old.0 as usize] = Some(Held { own, number });
        }
        Ok(())
    }

    /// The first half waits for the second.
    fn store(&mut self, place: &Place, words: &[Value], out: &mut Block) -> Result<(), PassError> {
        let (place, number) = self.own_place(place, words.len(), out)?;
        let half = Half { place, number, words: words.to_vec() };
        let Some(first) = self.half.take() else {
            self.half = Some(half);
            return Ok(());
        };
        let is_other =
            [first.number, number] == [0, 1] && (first.place, first.words.len()) == (place, half.words.len());
        if !is_other {
            return Err(without("half of a coordinate that is stored"));
        }
        let pairs = first.words.iter().zip(&half.words);
        let words = pairs.map(|(even, odd)| self.own_of(*even, *odd, out)).collect();
        self.known.loaded.clear();
        out.push(Stmt::Store { place, words });
        Ok(())
    }
}

fn is_constant(op: &Op) -> bool {
    matches!(op, Op::Const(_) | Op::U32(_) | Op::U64(_) | Op::Bool(_))
}

#[cfg(test)]
mod tests;
