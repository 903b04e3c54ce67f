//! Rows of a Montgomery product: interleaved CIOS on even and odd accumulators.
//!
//! The running sum `T` lives in two rows of words, `e` at window positions `0..` and `o` at positions
//! `1..`. A row of products `x_j·y` is two carry chains: even `j` into `e`, odd `j` into `o`, so
//! that low and high word of each product are neighbours in one chain and fuse into one wide
//! multiply-add. After adding the multiple `m·p` that clears the lowest word, dividing by `2^32` is a
//! renaming: `o` becomes the even row, `e` without its two lowest words the odd one, and `e[1]`
//! waits in `pending` at position 0. Words known to be zero are absent.
//!
//! **No carry is lost when `X + p ≤ 2^(32·columns)`**, `X` the sum of the row operands' largest values:
//! between rows `T < X + p`, since `(T + X·y + m·p)/2^32 < X + p` for `T < X + p` and `y, m < 2^32`;
//! so before each division `T < 2^(32(columns + 1))`, which is what the words of `e` and `o` hold.
//! `columns = n` is the *narrow* form, `columns = n + 1` the *wide* form for fields with no spare bit,
//! which takes any operands.

use num_bigint::BigUint;

use crate::limb::ir::{Builder, Carry, CarryOut, Src};
use crate::spec::FieldDesc;

/// A word that may be known to be zero.
type Term = Option<Src>;

const ZERO: Src = Src::Imm(0);

/// The accumulators of one product.
pub(super) struct Rows {
    columns: usize,
    p: Vec<Term>,
    n0: u32,
    e: Vec<Term>,
    o: Vec<Term>,
    pending: Term,
}

impl Rows {
    /// `T = 0`.
    pub(super) fn new(field: &FieldDesc, wide: bool) -> Self {
        let columns = field.words + usize::from(wide);
        // Pairs of words: of even positions from 0, of odd ones from 1.
        let (even, odd) = (columns.div_ceil(2), columns / 2);
        let mut p = terms(&super::immediates(&field.p, columns));
        p.truncate(columns);
        Rows { columns, p, n0: field.n0(), e: vec![None; 2 * even], o: vec![None; 2 * odd], pending: None }
    }

    /// `T = x`, at most `columns` words, before the first row.
    pub(super) fn load(&mut self, x: &[Src]) {
        for (e, &word) in self.e.iter_mut().zip(x) {
            *e = term(word);
        }
    }

    /// `T += x·y`; `x` has at most `columns` words.
    pub(super) fn mac(&mut self, b: &mut Builder, x: &[Term], y: Src) {
        let Some(y) = term(y) else { return };
        let (even, odd) = split(x, self.columns);
        self.add_odd(b, &odd, y, None);
        self.add_even(b, 0, &even, y, None);
    }

    /// `T = (T + m·p)/2^32` with the `m` that makes it exact.
    pub(super) fn reduce(&mut self, b: &mut Builder) {
        match self.n0 {
            u32::MAX => self.clear_lowest_p0_one(b),
            1 => self.clear_lowest_p0_minus_one(b),
            _ => self.clear_lowest(b),
        }
        let e = std::mem::take(&mut self.e);
        let width = e.len();
        self.e = std::mem::take(&mut self.o);
        self.e.resize(width, None);
        self.pending = e[1];
        self.o = e[2..].to_vec();
        self.o.resize(2 * (self.columns / 2), None);
    }

    /// The words of `T`, which is at most `max`.
    pub(super) fn finish(self, b: &mut Builder, max: &BigUint) -> Vec<Src> {
        let n = super::words_for(max).max(1);
        let (mut words, mut carry) = (Vec::with_capacity(n), None);
        for k in 0..n {
            let even = self.e.get(k).copied().flatten();
            let odd = if k == 0 { self.pending } else { self.o.get(k - 1).copied().flatten() };
            let (word, next) = match (even, odd, &carry) {
                (None, None, None) => (ZERO, None),
                (Some(word), None, None) | (None, Some(word), None) => (word, None),
                _ => {
                    let full = even.is_some() || odd.is_some();
                    let out = if full && k + 1 < n { CarryOut::Flag } else { CarryOut::Never };
                    b.add(even.unwrap_or(ZERO), odd.unwrap_or(ZERO), carry, out)
                }
            };
            words.push(word);
            carry = next;
        }
        words
    }

    /// The general row: `m = T·n0 mod 2^32`, and `m·p` in two chains.
    fn clear_lowest(&mut self, b: &mut Builder) {
        let carry = self.merge_pending(b);
        let Some(lowest) = self.e[0] else { return };
        let m = b.mul_lo(lowest, Src::Imm(self.n0));
        let (even, odd) = split(&self.p, self.columns);
        self.add_odd(b, &odd, m, carry);
        self.add_even(b, 0, &even, m, None);
    }

    /// `p ≡ -1 (mod 2^32)`: `m` is the lowest word itself, and `m·p_0 + m = m·2^32`.
    fn clear_lowest_p0_minus_one(&mut self, b: &mut Builder) {
        let carry = self.merge_pending(b);
        let Some(m) = self.e[0] else { return };
        let (even, odd) = split(&self.p, self.columns);
        self.add_odd(b, &odd, m, carry);
        let carry = match self.e[1] {
            None => {
                self.e[1] = Some(m);
                None
            }
            Some(word) => {
                let (word, carry) = b.add(word, m, None, CarryOut::Flag);
                self.e[1] = Some(word);
                carry
            }
        };
        self.e[0] = None;
        self.add_even(b, 2, &even[1..], m, carry);
    }

    /// `p ≡ 1 (mod 2^32)`: `m = -T mod 2^32`, and `m·p_0 + T_0` is 0, or `2^32` where `T_0 ≠ 0`.
    ///
    /// ptxas folds a plain negation (or `~(T_0 - 1)`) into the multiplications that use it and then no
    /// longer fuses them into wide ones: 741 instead of 357 instructions for BLS12-377 with ptxas
    /// 13.5. It does not look through `sub.cc`. The carry `T_0 ≠ 0` is that of `T_0 + (2^32 - 1)`; the
    /// borrow of `0 - T_0` would be the same in PTX's text but is its complement on devices.
    fn clear_lowest_p0_one(&mut self, b: &mut Builder) {
        // Nothing is pending unless the lowest word was absent; `m` then needs the flag itself.
        if let Some(carry) = self.merge_pending(b) {
            let nothing = vec![None; self.o.len() / 2];
            self.add_odd(b, &nothing, ZERO, Some(carry));
        }
        let Some(lowest) = self.e[0] else { return };
        let ones = Src::Imm(u32::MAX);
        let (m, borrow) = b.sub(ZERO, lowest, None, CarryOut::Flag);
        b.ignore(borrow);
        let (even, odd) = split(&self.p, self.columns);
        self.add_odd(b, &odd, m, None);
        let (_, carry) = b.add(lowest, ones, None, CarryOut::Flag);
        let (at_one, odd_lowest) = (self.e[1].unwrap_or(ZERO), self.o[0].unwrap_or(ZERO));
        let (sum, carry) = b.add(at_one, odd_lowest, carry, CarryOut::Flag);
        self.o[0] = Some(sum);
        self.e[0] = None;
        self.e[1] = None;
        self.add_even(b, 2, &even[1..], m, carry);
    }

    /// Adds `pending` to the lowest word; the carry belongs to position 1.
    fn merge_pending(&mut self, b: &mut Builder) -> Option<Carry> {
        let pending = self.pending.take()?;
        match self.e[0] {
            None => {
                self.e[0] = Some(pending);
                None
            }
            Some(word) => {
                let (word, carry) = b.add(word, pending, None, CarryOut::Flag);
                self.e[0] = Some(word);
                carry
            }
        }
    }

    /// Adds `odd·y` and a carry at position 1. With an odd number of columns the even row reaches one
    /// position above the odd row and takes its carry; else there is none.
    fn add_odd(&mut self, b: &mut Builder, odd: &[Term], y: Src, carry: Option<Carry>) {
        let carry = chain(b, &mut self.o, odd, y, carry, !self.columns.is_multiple_of(2));
        if carry.is_some() {
            absorb(b, self.e.last_mut().expect("there is at least one column"), carry);
        }
    }

    /// Adds `even·y` and a carry at position `from` (0 or 2). With an even number of columns the odd
    /// row reaches one position above the even row and takes its carry; else there is none.
    fn add_even(&mut self, b: &mut Builder, from: usize, even: &[Term], y: Src, carry: Option<Carry>) {
        let carry = chain(b, &mut self.e[from..], even, y, carry, self.columns.is_multiple_of(2));
        if carry.is_some() {
            absorb(b, self.o.last_mut().expect("an even number of columns has an odd row"), carry);
        }
    }
}

/// `x` as terms: immediate zeros are absent.
pub(super) fn terms(x: &[Src]) -> Vec<Term> {
    x.iter().map(|&word| term(word)).collect()
}

fn term(word: Src) -> Term {
    (word != ZERO).then_some(word)
}

/// Words at even and at odd places of `x`, padded to `columns`.
fn split(x: &[Term], columns: usize) -> (Vec<Term>, Vec<Term>) {
    let at = |i: usize| x.get(i).copied().flatten();
    let even = (0..columns).step_by(2).map(at).collect();
    let odd = (1..columns).step_by(2).map(at).collect();
    (even, odd)
}

fn absorb(b: &mut Builder, top: &mut Term, carry: Option<Carry>) {
    *top = Some(b.add(top.unwrap_or(ZERO), ZERO, carry, CarryOut::Never).0);
}

/// `acc += Σ xs[k]·y·2^(64k) + carry`, one chain over the pairs of `acc`. With `want` the carry out
/// of the last pair is returned, otherwise the caller's bounds exclude it.
fn chain(
    b: &mut Builder,
    acc: &mut [Term],
    xs: &[Term],
    y: Src,
    mut carry: Option<Carry>,
    want: bool,
) -> Option<Carry> {
    debug_assert_eq!(acc.len(), 2 * xs.len());
    for (k, (pair, &x)) in acc.chunks_exact_mut(2).zip(xs).enumerate() {
        let (lo, hi) = (pair[0], pair[1]);
        let flag_unless_last = if k + 1 < xs.len() || want { CarryOut::Flag } else { CarryOut::Never };
        // The high word of a product is at most 2^32 - 2: with nothing to add it takes a carry.
        let hi_out = if hi.is_some() { flag_unless_last } else { CarryOut::Never };
        match x {
            Some(x) if lo.is_none() && hi.is_none() && carry.is_none() => {
                pair[0] = Some(b.mul_lo(x, y));
                pair[1] = Some(b.mul_hi(x, y));
            }
            Some(x) => {
                let (lo, next) = b.mad_lo((x, y, lo.unwrap_or(ZERO)), carry, CarryOut::Flag);
                let (hi, next) = b.mad_hi((x, y, hi.unwrap_or(ZERO)), next, hi_out);
                (pair[0], pair[1], carry) = (Some(lo), Some(hi), next);
            }
            None if carry.is_some() => {
                let lo_out = if lo.is_some() { CarryOut::Flag } else { CarryOut::Never };
                let (lo, next) = b.add(lo.unwrap_or(ZERO), ZERO, carry, lo_out);
                (pair[0], carry) = (Some(lo), next);
                if carry.is_some() {
                    let (hi, next) = b.add(hi.unwrap_or(ZERO), ZERO, carry, hi_out);
                    (pair[1], carry) = (Some(hi), next);
                }
            }
            None => {}
        }
    }
    carry
}
