//! Even and odd accumulators by absolute position: the machinery of every product.
//!
//! The value is `Σ even[k]·2^(32k) + Σ odd[k]·2^(32k) + Σ extra[k]·2^(32k)`, absent words being zero.
//! A row `A += xs·y·2^(32·pos)` is two carry chains: products that start at even positions go into
//! `even`, the others into `odd`, so that low and high word of each product are neighbours in one
//! chain and fuse into one wide multiply-add. `extra` holds carries for which neither array has room.
//!
//! **Which carries are zero.** All words are non-negative, so that a carry of weight `2^(32k)` is at
//! most the value divided by `2^(32k)`. [`Acc`] keeps an upper bound of its value, and of each word.
//! A carry is dropped ([`CarryOut::Never`]) in two cases only:
//! - *by total*: the value is below `2^(32k)`;
//! - *locally*: the largest words that enter the addition leave none (the high word of a product is
//!   at most `2^32 - 2`, a word that has only collected carries is small).
//!
//! Every other carry finds a place, so that rows are right for any operands, and a caller's bounds
//! only save instructions.
//!
//! **ptxas.** A pair of absent words is first touched by `mul.wide`: `mul.lo` and `mul.hi` would
//! become an IMAD.HI with the next addition and leave an IMAD over. The chain with the top word of a
//! row comes first, so that the carry of the other finds its high word. A pair of a carry and an
//! absent word costs a move; carries go where a pair becomes full.

use num_bigint::BigUint;
use num_traits::One;

use super::{immediates, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::arithmetic::ir::{Builder, Carry, CarryOut, Src};

/// A word that may be known to be zero.
pub(super) type Term = Option<Src>;

/// The factors of an addend of a chain.
pub(super) type Product = (Term, Src);

pub(super) const ZERO: Src = Src::Imm(0);

/// A present word and its largest value.
#[derive(Clone, Copy, Debug)]
struct Cell {
    src: Src,
    max: u32,
}

/// A modulus as the words of a Montgomery row.
pub(super) struct Modulus {
    p: BigUint,
    words: Vec<Term>,
    n0: u32,
}

impl Modulus {
    /// The modulus of `field`.
    pub(super) fn of(field: &FieldDesc) -> Self {
        Modulus { p: field.p.clone(), words: terms(&immediates(&field.p, field.words)), n0: field.n0() }
    }
}

/// The accumulators of one value.
#[derive(Clone, Debug, Default)]
pub(super) struct Acc {
    even: Vec<Option<Cell>>,
    odd: Vec<Option<Cell>>,
    extra: Vec<Option<Cell>>,
    max: BigUint,
}

impl Acc {
    /// Zero.
    pub(super) fn new() -> Self {
        Acc::default()
    }

    /// States that the value is at most `max`, for a reason that single rows do not show.
    pub(super) fn limit(&mut self, max: &BigUint) {
        if *max < self.max {
            self.max.clone_from(max);
        }
    }

    /// Adds `words·2^(32·pos) ≤ max·2^(32·pos)` in the array of `parity`, where nothing is yet.
    pub(super) fn load(&mut self, parity: usize, pos: usize, words: &[Src], max: &BigUint) {
        for (k, &word) in words.iter().enumerate() {
            if let Some(src) = term(word) {
                assert!(self.cell(parity, pos + k).is_none(), "load over a word");
                self.set(parity, pos + k, Some(Cell { src, max: largest(src) }));
            }
        }
        self.max += max << (32 * pos);
    }

    /// `A += xs·y·2^(32·pos)` for `xs ≤ xs_max`. Any operands; see the module for the carries.
    pub(super) fn row(&mut self, b: &mut Builder, xs: &[Term], xs_max: &BigUint, y: Src, pos: usize) {
        let Some(y) = term(y) else { return };
        self.max += (xs_max * largest(y)) << (32 * pos);
        // The chain that reaches the top word first.
        let first = xs.len().saturating_sub(1) % 2;
        for start in [first, 1 - first] {
            let items: Vec<Product> = xs.iter().skip(start).step_by(2).map(|&x| (x, y)).collect();
            if !items.is_empty() {
                self.chain(b, pos + start, &items, None);
            }
        }
    }

    /// `A += Σ xᵢ·yᵢ·2^(32(pos + 2i)) + carry·2^(32·pos)` in one chain, the carry out placed. The addends
    /// are already counted in the bound of the value.
    fn chain(&mut self, b: &mut Builder, mut pos: usize, items: &[Product], mut carry: Option<Carry>) {
        let parity = pos % 2;
        for &(x, y) in items {
            carry = match x {
                Some(x) => self.multiply_add(b, parity, pos, (x, y), carry),
                None => {
                    let carry = self.ripple(b, parity, pos, carry);
                    self.ripple(b, parity, pos + 1, carry)
                }
            };
            pos += 2;
        }
        self.place(b, parity, pos, carry);
    }

    /// `A += Σ xᵢ·yᵢ·2^(32(pos + 2i))` in one chain; the value is then at most `total`.
    pub(super) fn products(&mut self, b: &mut Builder, pos: usize, items: &[Product], total: &BigUint) {
        self.max.clone_from(total);
        self.chain(b, pos, items, None);
    }

    /// A Montgomery row: `A += m·p·2^(32·pos)` with the `m` that clears the word at `pos`. All words
    /// below are absent. Afterwards the word at `pos` is absent too.
    pub(super) fn montgomery(&mut self, b: &mut Builder, modulus: &Modulus, pos: usize) {
        debug_assert!((0..pos).all(|k| self.cells(k).is_empty()), "a word below the row");
        if self.cells(pos).is_empty() {
            return;
        }
        self.max += (&modulus.p * u32::MAX) << (32 * pos);
        match modulus.n0 {
            u32::MAX => self.clear_p0_one(b, modulus, pos),
            1 => self.clear_p0_minus_one(b, modulus, pos),
            _ => self.clear(b, modulus, pos),
        }
        self.set(pos % 2, pos, None);
    }

    /// The words at `from..to`; nothing lies below, and the value is less than `2^(32·to)`.
    pub(super) fn merge(self, b: &mut Builder, from: usize, to: usize) -> Vec<Src> {
        assert!(self.below(to), "a value of {} words merged into {to}", words_for(&self.max));
        debug_assert!((0..from).all(|k| self.cells(k).is_empty()), "a word below the result");
        let at = |cells: &[Option<Cell>], k: usize| cells.get(k).copied().flatten().map(|cell| cell.src);
        let pairs = (from..to).map(|k| (at(&self.even, k), at(&self.odd, k)));
        let words = add_terms(b, pairs);
        if self.extra.iter().all(Option::is_none) {
            return words;
        }
        let extras = words.into_iter().zip(from..to).map(|(word, k)| (term(word), at(&self.extra, k)));
        add_terms(b, extras.collect::<Vec<_>>().into_iter())
    }

    /// The general row: `m = T·n0 mod 2^32`, and `m·p` in two chains.
    fn clear(&mut self, b: &mut Builder, modulus: &Modulus, pos: usize) {
        let (lowest, carry) = self.lowest(b, pos);
        let m = b.mul_lo(lowest, Src::Imm(modulus.n0));
        let (even, odd) = split(&modulus.words, m);
        self.chain(b, pos + 1, &odd, carry);
        self.chain(b, pos, &even, None);
    }

    /// `p ≡ -1 (mod 2^32)`: `m` is the lowest word itself, and `m·p_0 + m = m·2^32`.
    fn clear_p0_minus_one(&mut self, b: &mut Builder, modulus: &Modulus, pos: usize) {
        let (m, carry) = self.lowest(b, pos);
        let (even, odd) = split(&modulus.words, m);
        self.chain(b, pos + 1, &odd, carry);
        self.set(pos % 2, pos, None);
        let carry = self.add_word(b, pos % 2, pos + 1, Cell { src: m, max: u32::MAX }, None);
        self.chain(b, pos + 2, &even[1..], carry);
    }

    /// `p ≡ 1 (mod 2^32)`: `m = -T mod 2^32`, and `m·p_0 + T_0` is 0, or `2^32` where `T_0 ≠ 0`.
    ///
    /// ptxas folds a plain negation (or `~(T_0 - 1)`) into the multiplications that use it and then no
    /// longer fuses them into wide ones: 741 instead of 357 instructions for BLS12-377 with ptxas
    /// 13.5. It does not look through `sub.cc`. The carry `T_0 ≠ 0` is that of `T_0 + (2^32 - 1)`; the
    /// borrow of `0 - T_0` would be the same in PTX's text but is its complement on devices.
    fn clear_p0_one(&mut self, b: &mut Builder, modulus: &Modulus, pos: usize) {
        let (own, other) = (pos % 2, 1 - pos % 2);
        let (lowest, carry) = self.lowest(b, pos);
        self.place(b, other, pos + 1, carry);
        let (m, borrow) = b.sub(ZERO, lowest, None, CarryOut::Flag);
        b.ignore(borrow);
        let (even, odd) = split(&modulus.words, m);
        self.chain(b, pos + 1, &odd, None);
        let (_, carry) = b.add(lowest, Src::Imm(u32::MAX), None, CarryOut::Flag);
        self.set(own, pos, None);
        // The pending word of the next row joins the other array, so that it has one lowest word.
        let pending = self.cell(own, pos + 1).unwrap_or(Cell { src: ZERO, max: 0 });
        self.set(own, pos + 1, None);
        let carry = self.add_word(b, other, pos + 1, pending, carry);
        self.chain(b, pos + 2, &even[1..], carry);
    }

    /// Brings the words at `pos` into one, which stays in the array of `pos`; the carry belongs to
    /// `pos + 1`.
    fn lowest(&mut self, b: &mut Builder, pos: usize) -> (Src, Option<Carry>) {
        let (own, other) = (pos % 2, 1 - pos % 2);
        let cells = self.cells(pos);
        self.set(other, pos, None);
        if let Some(extra) = self.extra.get_mut(pos) {
            *extra = None;
        }
        self.set(own, pos, Some(cells[0]));
        let mut carry = None;
        for &cell in &cells[1..] {
            self.place(b, other, pos + 1, carry);
            carry = self.add_word(b, own, pos, cell, None);
        }
        (self.cell(own, pos).expect("just set").src, carry)
    }

    /// `(lo, hi) += x·y + carry` at `pos`; the carry out.
    fn multiply_add(
        &mut self,
        b: &mut Builder,
        parity: usize,
        pos: usize,
        (x, y): (Src, Src),
        carry: Option<Carry>,
    ) -> Option<Carry> {
        let (lo, hi) = (self.cell(parity, pos), self.cell(parity, pos + 1));
        let max = |cell: Option<Cell>| cell.map_or(0, |cell| u64::from(cell.max));
        let low = u64::from(largest(x)) * u64::from(largest(y));
        let low = u128::from(low) + u128::from(max(lo)) + u128::from(carry.is_some());
        let high = (low >> 32) as u64 + max(hi);
        let cell = |src, max: u64| Some(Cell { src, max: u32::try_from(max).unwrap_or(u32::MAX) });
        let low = u64::try_from(low).unwrap_or(u64::MAX);
        if lo.is_none() && hi.is_none() && carry.is_none() {
            let (lo, hi) = b.mul_wide(x, y);
            self.set(parity, pos, cell(lo, low));
            self.set(parity, pos + 1, cell(hi, high));
            return None;
        }
        let out = self.out(pos + 2, high);
        let src = |cell: Option<Cell>| cell.map_or(ZERO, |cell| cell.src);
        let (lo, carry) = b.mad_lo((x, y, src(lo)), carry, CarryOut::Flag);
        let (hi, carry) = b.mad_hi((x, y, src(hi)), carry, out);
        self.set(parity, pos, cell(lo, low));
        self.set(parity, pos + 1, cell(hi, high));
        carry
    }

    /// Adds a carry to the word at `pos`; the carry out.
    fn ripple(&mut self, b: &mut Builder, parity: usize, pos: usize, carry: Option<Carry>) -> Option<Carry> {
        let carry = carry?;
        self.add_word(b, parity, pos, Cell { src: ZERO, max: 0 }, Some(carry))
    }

    /// Adds a word and a carry to the word at `pos`; the carry out.
    fn add_word(
        &mut self,
        b: &mut Builder,
        parity: usize,
        pos: usize,
        word: Cell,
        carry: Option<Carry>,
    ) -> Option<Carry> {
        let old = self.cell(parity, pos);
        if carry.is_none() && (old.is_none() || word.src == ZERO) {
            let cell = old.or((word.src != ZERO).then_some(word));
            self.set(parity, pos, cell);
            return None;
        }
        let old = old.unwrap_or(Cell { src: ZERO, max: 0 });
        let max = u64::from(old.max) + u64::from(word.max) + u64::from(carry.is_some());
        let (src, carry) = b.add(old.src, word.src, carry, self.out(pos + 1, max));
        self.set(parity, pos, Some(Cell { src, max: u32::try_from(max).unwrap_or(u32::MAX) }));
        carry
    }

    /// Finds room for a carry at `pos` out of a chain of `parity`.
    fn place(&mut self, b: &mut Builder, parity: usize, pos: usize, carry: Option<Carry>) {
        let Some(carry) = carry else { return };
        let top = self.below(pos + 1);
        let room = |cell: Option<Cell>| cell.is_some_and(|cell| top || cell.max < u32::MAX);
        let (own, other) = (self.cell(parity, pos), self.cell(1 - parity, pos));
        // At a word that takes it; else at an absent one, rather where a pair becomes full.
        let array = if room(own) {
            parity
        } else if room(other) || other.is_none() {
            1 - parity
        } else if own.is_none() {
            parity
        } else {
            let old = self.extra.get(pos).copied().flatten().unwrap_or(Cell { src: ZERO, max: 0 });
            let (src, _) = b.add(old.src, ZERO, Some(carry), CarryOut::Never);
            if self.extra.len() <= pos {
                self.extra.resize(pos + 1, None);
            }
            self.extra[pos] = Some(Cell { src, max: old.max + 1 });
            return;
        };
        let carry = self.ripple(b, array, pos, Some(carry));
        assert!(carry.is_none(), "a carry out of a word with room for one");
    }

    /// What to do with the carry of weight `2^(32·pos)` of a word of at most `max`.
    fn out(&self, pos: usize, max: u64) -> CarryOut {
        if max <= u64::from(u32::MAX) || self.below(pos) { CarryOut::Never } else { CarryOut::Flag }
    }

    /// The value is less than `2^(32·pos)`.
    fn below(&self, pos: usize) -> bool {
        words_for(&self.max) <= pos
    }

    fn array(&self, parity: usize) -> &Vec<Option<Cell>> {
        if parity == 0 { &self.even } else { &self.odd }
    }

    fn cell(&self, parity: usize, pos: usize) -> Option<Cell> {
        self.array(parity).get(pos).copied().flatten()
    }

    fn set(&mut self, parity: usize, pos: usize, cell: Option<Cell>) {
        let array = if parity == 0 { &mut self.even } else { &mut self.odd };
        if array.len() <= pos {
            array.resize(pos + 1, None);
        }
        array[pos] = cell;
    }

    /// The words at `pos`: that of the array of `pos` first, then the others.
    fn cells(&self, pos: usize) -> Vec<Cell> {
        let extra = self.extra.get(pos).copied().flatten();
        [self.cell(pos % 2, pos), self.cell(1 - pos % 2, pos), extra].into_iter().flatten().collect()
    }
}

/// `x` as terms: immediate zeros are absent.
pub(super) fn terms(x: &[Src]) -> Vec<Term> {
    x.iter().map(|&word| term(word)).collect()
}

pub(super) fn term(word: Src) -> Term {
    (word != ZERO).then_some(word)
}

/// `x·y`, `x ≤ x_max` and `y ≤ y_max`, plus what `acc` holds, by rows over `y`.
pub(super) fn school(
    b: &mut Builder,
    mut acc: Acc,
    (x, x_max): (&[Src], &BigUint),
    (y, y_max): (&[Src], &BigUint),
) -> Acc {
    let before = acc.max.clone();
    let x = terms(x);
    for (j, &word) in y.iter().enumerate() {
        acc.row(b, &x, x_max, word, j);
    }
    acc.limit(&(before + x_max * y_max));
    acc
}

/// Sums of two words each, in one chain whose last carry is zero by the total.
fn add_terms(b: &mut Builder, pairs: impl ExactSizeIterator<Item = (Term, Term)>) -> Vec<Src> {
    let n = pairs.len();
    let (mut words, mut carry) = (Vec::with_capacity(n), None);
    for (k, (x, y)) in pairs.enumerate() {
        let (word, next) = match (x, y, carry.is_some()) {
            (None, None, false) => (ZERO, None),
            (Some(word), None, false) | (None, Some(word), false) => (word, None),
            (x, y, _) => {
                let full = x.is_some() || y.is_some();
                let out = if full && k + 1 < n { CarryOut::Flag } else { CarryOut::Never };
                b.add(x.unwrap_or(ZERO), y.unwrap_or(ZERO), carry, out)
            }
        };
        words.push(word);
        carry = next;
    }
    words
}

/// The products by `y` of the words at even and at odd places.
fn split(words: &[Term], y: Src) -> (Vec<Product>, Vec<Product>) {
    let every_other = |start| words.iter().skip(start).step_by(2).map(|&x| (x, y)).collect();
    (every_other(0), every_other(1))
}

/// The largest value of a source.
fn largest(src: Src) -> u32 {
    match src {
        Src::Imm(value) => value,
        Src::Word(_) => u32::MAX,
    }
}

/// `2^(32·words) - 1`.
pub(super) fn all_ones(words: usize) -> BigUint {
    (BigUint::one() << (32 * words)) - 1u32
}
