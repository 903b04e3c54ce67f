//! Montgomery products: `mul`, `sqr`, `dot`, by a constant, and out of Montgomery form.
//!
//! All are interleaved rows (CIOS) on one [`Acc`], and differ in the rows. With `S` the sum of the
//! products of the operands' largest values, the result is at most `(S + (R-1)·p)/R`: *lazy* where that
//! fits the words, *canonical* after a ladder. Where the row operands' sum and `p` exceed `R`, the
//! accumulators have a word more at the top.

use num_bigint::BigUint;

use super::acc::{Acc, Modulus, Term, terms};
use super::{Forms, Offers, immediates, nonzero, reduce, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::arithmetic::ir::{Builder, Src};
use crate::targets::ptx::{Bound, Offer};

macro_rules! forms {
    ($op:literal) => {
        Forms { lazy: concat!($op, ".lazy"), canonical: concat!($op, ".canonical") }
    };
}

/// `mul.*`: the operand with the smaller bound is the row operand.
pub(super) fn mul(offers: &mut Offers<'_>, x: Bound, y: Bound) {
    products(offers, &forms!("mul"), &[(x, y)], |b, n| vec![(b.input("x", n), b.input("y", n))]);
}

/// `dot.*`: in each pair as `mul`.
pub(super) fn dot(offers: &mut Offers<'_>, operands: &[Bound]) {
    let bounds: Vec<(Bound, Bound)> = operands.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    products(offers, &forms!("dot"), &bounds, |b, n| {
        let pair = |i| (b.input(format!("x{i}"), n), b.input(format!("y{i}"), n));
        (0..operands.len() / 2).map(pair).collect()
    });
}

/// `sqr.*` with doubled operand words, and `sqr.mul.*` as `mul`.
pub(super) fn sqr(offers: &mut Offers<'_>, x: Bound) {
    let f = offers.field;
    let max = x.max(f);
    let doubled = &max * 2u32;
    offers.products = f.words * (f.words + 1) / 2 + f.words * row_products(f);
    montgomery(offers, &forms!("sqr"), &(&max * &max), |b, rows| {
        let x = b.input("x", f.words);
        square_rows(b, rows, &x, &doubled);
    });
    products(offers, &forms!("sqr.mul"), &[(x, x)], |b, n| {
        let x = b.input("x", n);
        vec![(x.clone(), x)]
    });
}

/// `mul_const.*`: the constant's Montgomery form is the row operand.
pub(super) fn mul_const(offers: &mut Offers<'_>, x: Bound, c: &BigUint) {
    let c = offers.field.to_mont(c);
    by_constant(offers, &forms!("mul_const"), x, &c);
}

/// `mul_small.const.*`: as `mul_const`.
pub(super) fn mul_small_const(offers: &mut Offers<'_>, x: Bound, c: &BigUint) {
    let c = offers.field.to_mont(c);
    by_constant(offers, &forms!("mul_small.const"), x, &c);
}

/// `reduce.mont.*`: the product by `R mod p`.
pub(super) fn weak_reduction(offers: &mut Offers<'_>, x: Bound) {
    let c = offers.field.r_mod_p();
    by_constant(offers, &forms!("reduce.mont"), x, &c);
}

/// `reduce.mont.*`, the canonical forms.
pub(super) fn full_reduction(offers: &mut Offers<'_>, x: Bound) {
    let before = offers.all.len();
    weak_reduction(offers, x);
    let added = offers.all.split_off(before).into_iter().filter(|offer| offer.out == Bound::Canonical);
    offers.all.extend(added.map(|offer| Offer { cheaper: None, ..offer }));
}

/// `from_mont.*`: reduction rows alone. Narrow for every operand, since `x + m·p < 2^32·R`; canonical
/// at once from a canonical operand, at most `p` from others.
pub(super) fn from_mont(offers: &mut Offers<'_>, x: Bound) {
    let f = offers.field;
    let max = montgomery_max(f, &x.max(f));
    offers.push_canonical("from_mont.canonical", |b| {
        let words = b.input("x", f.words);
        let mut rows = Rows::new(f);
        rows.acc.load(0, 0, &words, &x.max(f));
        for _ in 0..f.words {
            rows.reduce(b);
        }
        let words = rows.finish(b, &max);
        reduce::ladder(b, f, words, &max)
    });
}

fn by_constant(offers: &mut Offers<'_>, forms: &Forms, x: Bound, c: &BigUint) {
    let f = offers.field;
    let c_words = terms(&immediates(c, f.words));
    // Where the lowest word of the constant is zero there may be nothing to reduce.
    let rows = if c.iter_u32_digits().next().is_some_and(|low| low != 0) { f.words } else { 0 };
    offers.products = f.words * nonzero(c) + rows * row_products(f);
    montgomery(offers, forms, &(x.max(f) * c), |b, rows| {
        for word in b.input("x", f.words) {
            rows.mac(b, &c_words, c, word);
            rows.reduce(b);
        }
    });
}

fn products(
    offers: &mut Offers<'_>,
    forms: &Forms,
    bounds: &[(Bound, Bound)],
    inputs: impl Fn(&mut Builder, usize) -> Vec<(Vec<Src>, Vec<Src>)>,
) {
    let f = offers.field;
    let maxima: Vec<(BigUint, BigUint)> = bounds.iter().map(|(x, y)| (x.max(f), y.max(f))).collect();
    let sum = maxima.iter().map(|(x, y)| x * y).sum();
    offers.products = f.words * (bounds.len() * f.words + row_products(f));
    montgomery(offers, forms, &sum, |b, rows| {
        let pairs: Vec<_> = inputs(b, f.words)
            .into_iter()
            .zip(&maxima)
            .map(
                |((x, y), (x_max, y_max))| {
                    if x_max <= y_max { (terms(&x), x_max, y) } else { (terms(&y), y_max, x) }
                },
            )
            .collect();
        for i in 0..f.words {
            for (row, max, column) in &pairs {
                rows.mac(b, row, max, column[i]);
            }
            rows.reduce(b);
        }
    });
}

/// Products of words that a Montgomery row makes at least.
pub(super) fn row_products(f: &FieldDesc) -> usize {
    let by_itself = matches!(f.n0(), 1 | u32::MAX);
    nonzero(&f.p) - usize::from(by_itself)
}

/// Offers the forms of a product whose sum is at most `sum`. `emit` adds the rows, with [`Offers::products`]
/// products.
fn montgomery(offers: &mut Offers<'_>, forms: &Forms, sum: &BigUint, emit: impl Fn(&mut Builder, &mut Rows)) {
    let f = offers.field;
    let max = montgomery_max(f, sum);
    offers.push_forms(forms, &max, |b| {
        let mut rows = Rows::new(f);
        emit(b, &mut rows);
        rows.finish(b, &max)
    });
    offers.products = 0;
}

/// The running sum of interleaved rows, at a window that moves up a word per reduction.
pub(super) struct Rows {
    acc: Acc,
    modulus: Modulus,
    pos: usize,
}

impl Rows {
    pub(super) fn new(f: &FieldDesc) -> Self {
        Rows { acc: Acc::new(), modulus: Modulus::of(f), pos: 0 }
    }

    /// `T += x·y`, `x ≤ x_max`.
    pub(super) fn mac(&mut self, b: &mut Builder, x: &[Term], x_max: &BigUint, y: Src) {
        self.acc.row(b, x, x_max, y, self.pos);
    }

    /// `T = (T + m·p)/2^32` with the `m` that makes it exact.
    pub(super) fn reduce(&mut self, b: &mut Builder) {
        self.acc.montgomery(b, &self.modulus, self.pos);
        self.pos += 1;
    }

    /// The words of `T`, which is at most `max`.
    pub(super) fn finish(mut self, b: &mut Builder, max: &BigUint) -> Vec<Src> {
        self.acc.limit(&(max << (32 * self.pos)));
        self.acc.merge(b, self.pos, self.pos + words_for(max).max(1))
    }
}

/// Largest result of a Montgomery reduction of at most `sum`.
pub(super) fn montgomery_max(f: &FieldDesc, sum: &BigUint) -> BigUint {
    (sum + (f.r() - 1u32) * &f.p) / f.r()
}

/// Row `i` is `x_i` times `x_i·2^(32i) + 2·Σ_(j>i) x_j·2^(32j) ≤ 2x`; the window stands at `i` words,
/// so that place `j` of the row meets the product's place `i + j`. `doubled` bounds `2x`, which may
/// need a word more.
fn square_rows(b: &mut Builder, rows: &mut Rows, x: &[Src], doubled: &BigUint) {
    let n = x.len();
    let overflow = words_for(doubled) > n;
    // Of 2·(x without its words up to i), the lowest word loses the bit shifted in from x_i.
    let lowest: Vec<Src> = (1..n).map(|j| b.shl(x[j], 1)).collect();
    let upper: Vec<Src> = (2..n).map(|j| b.shf_l(x[j - 1], x[j], 1)).collect();
    let top = overflow.then(|| b.shr(x[n - 1], 31));
    for i in 0..n {
        let mut row = vec![None; n + usize::from(overflow)];
        row[i] = Some(x[i]);
        for j in i + 1..n {
            row[j] = Some(if j == i + 1 { lowest[j - 1] } else { upper[j - 2] });
        }
        // The last row is x_(n-1)² alone, not doubled.
        if i + 1 < n && overflow {
            row[n] = top;
        }
        rows.mac(b, &row, doubled, x[i]);
        rows.reduce(b);
    }
}
