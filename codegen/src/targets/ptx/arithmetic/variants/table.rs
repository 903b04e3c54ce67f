//! Products by a constant `w` through a table `wᵢ = w·B^(rows + step·i) mod p`, `B = 2^32`.
//!
//! With `x = Σ xᵢ·B^(step·i)` the product is `x·w ≡ Σ xᵢ·wᵢ / B^rows`: the sum has only `words + step`
//! words, and `rows` Montgomery rows divide. So `words² + rows·words` word products do what takes
//! `2·words²` as a Montgomery product, `w` has no Montgomery factor, and `x` may be any value.
//!
//! With `W = Σ wᵢ` the result is at most `(W·(B^step - 1) + (B^rows - 1)·p)/B^rows`, about
//! `(words/step·B^(step-rows) + 1)·p`.

use num_bigint::BigUint;
use num_traits::One;

use super::acc::{Acc, Modulus, terms};
use super::product::row_products;
use super::{Offers, immediates, nonzero, reduce, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, Src};

/// Steps and rows of tables of immediates, which cost no memory: one row where there is room for
/// `(words + 1)·p`, else two.
const IMMEDIATE: [(usize, usize); 2] = [(1, 1), (1, 2)];

/// `table.*`: any operands; canonical where lazy results do not fit.
pub(super) fn mul_table(offers: &mut Offers<'_>, operands: &[Bound], step: u32, rows: u32) {
    let f = offers.field;
    let entries = operands[1..].iter().map(|w| w.max(f)).collect();
    offers.products = f.words * f.words + rows as usize * row_products(f);
    let table = Table { f, step: step as usize, rows: rows as usize, x: operands[0].max(f), entries };
    offer(offers, &table, ["table.lazy", "table.canonical"], |b| {
        let x = b.input("x", f.words);
        let entries = (0..operands.len() - 1).map(|i| b.input(format!("w{i}"), f.words)).collect();
        (x, entries)
    });
}

/// `mul_const.table*`: the entries are immediates.
pub(super) fn mul_const(offers: &mut Offers<'_>, x: Bound, c: &BigUint) {
    let f = offers.field;
    // Of one word the table is the Montgomery form.
    if f.words == 1 {
        return;
    }
    for (step, rows) in IMMEDIATE {
        let entry = |i: usize| (c << (32 * (rows + step * i))) % &f.p;
        let entries: Vec<BigUint> = (0..f.words.div_ceil(step)).map(entry).collect();
        let words: Vec<Vec<Src>> = entries.iter().map(|w| immediates(w, f.words)).collect();
        offers.products = (0..f.words).map(|j| nonzero(&entries[j / step])).sum();
        let table = Table { f, step, rows, x: x.max(f), entries };
        let names = match rows {
            1 => ["mul_const.table1.lazy", "mul_const.table1.canonical"],
            _ => ["mul_const.table2.lazy", "mul_const.table2.canonical"],
        };
        offer(offers, &table, names, |b| (b.input("x", f.words), words.clone()));
    }
}

/// A table and the largest values of its operands.
struct Table<'f> {
    f: &'f FieldDesc,
    step: usize,
    rows: usize,
    x: BigUint,
    entries: Vec<BigUint>,
}

fn offer(
    offers: &mut Offers<'_>,
    table: &Table<'_>,
    [lazy, canonical]: [&'static str; 2],
    inputs: impl Fn(&mut Builder) -> (Vec<Src>, Vec<Vec<Src>>),
) {
    let (f, max) = (table.f, table.max());
    if max < f.r() {
        offers.push(lazy, &max, |b| {
            let (x, entries) = inputs(b);
            table.product(b, &x, &entries)
        });
    }
    if max >= f.p {
        offers.push_canonical(canonical, |b| {
            let (x, entries) = inputs(b);
            let words = table.product(b, &x, &entries);
            reduce::ladder(b, f, words, &max)
        });
        offers.goes_on_from(lazy);
    }
    offers.products = 0;
}

impl Table<'_> {
    /// The largest result.
    fn max(&self) -> BigUint {
        let b = |words: usize| BigUint::one() << (32 * words);
        // Word `j` of `x` is full except for the top one, and those above it.
        let word = |j: usize| ((&self.x >> (32 * j)) as BigUint).min(b(1) - 1u32);
        let sum: BigUint = (0..self.f.words)
            .map(|j| (word(j) * &self.entries[j / self.step]) << (32 * (j % self.step)))
            .sum();
        (sum + (b(self.rows) - 1u32) * &self.f.p) >> (32 * self.rows)
    }

    /// Entry by entry, so that each is done with early; then the rows of reduction.
    fn product(&self, b: &mut Builder, x: &[Src], entries: &[Vec<Src>]) -> Vec<Src> {
        let mut acc = Acc::new();
        for ((piece, entry), max) in x.chunks(self.step).zip(entries).zip(&self.entries) {
            let entry = terms(entry);
            for (pos, &word) in piece.iter().enumerate() {
                acc.row(b, &entry, max, word, pos);
            }
        }
        let modulus = Modulus::of(self.f);
        for pos in 0..self.rows {
            acc.montgomery(b, &modulus, pos);
        }
        let max = self.max();
        acc.limit(&(&max << (32 * self.rows)));
        acc.merge(b, self.rows, self.rows + words_for(&max).max(self.f.words))
    }
}
