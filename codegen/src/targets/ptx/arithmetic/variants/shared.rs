//! Several Montgomery products with one shared operand.
//!
//! With `B = 2^32` and `R = B^n`, `x·y/R ≡ (Σ xᵢ·y·B^(i-n+r)) / B^r`: the terms of the `r` highest words
//! of `x` are ordinary rows, and those below need `y·B^-k mod p`, which one Montgomery row makes from
//! `y·B^(-k+1)`. All products of one `y` share these. So the accumulator of a product has `n + r` words
//! and ends with `r` Montgomery rows: `n·(n - r) + m·n·(n + r)` word products for `m` results where
//! one after another takes `2·m·n²`.
//!
//! The result is at most `(x·y/B^(n-r) + (n-r)·(B-1)·p' + (B^r - 1)·p)/B^r`, where `p'`, the multiples'
//! bound, is about `p`: with `r = 2` as good as a Montgomery product's, with `r = 1` about
//! `(n - 1)·p` more.

use num_bigint::BigUint;
use num_traits::One;

use super::acc::{Acc, Modulus, terms};
use super::product::{Rows, montgomery_max, row_products};
use super::{Offers, reduce, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, Src};

/// - `shared.apart.*`: one product after another, each as `mul`.
/// - `shared.rows2.*`, from three words: any operands.
/// - `shared.rows1.*`, from two words: any operands, lazy where there is room for `n·p`.
pub(super) fn mul_shared(offers: &mut Offers<'_>, operands: &[Bound]) {
    let f = offers.field;
    let maxima: Vec<BigUint> = operands.iter().map(|x| x.max(f)).collect();
    let (y, xs) = maxima.split_last().expect("a well-formed op has a shared operand");
    let results: Vec<BigUint> = xs.iter().map(|x| montgomery_max(f, &(x * y))).collect();
    offers.products = xs.len() * f.words * (f.words + row_products(f));
    offer(offers, &results, ["shared.apart.lazy", "shared.apart.canonical"], |b, words, shared| {
        let mut one = |i: usize, words: &Vec<Src>| {
            let (row, max, column) = if xs[i] <= *y { (words, &xs[i], shared) } else { (shared, y, words) };
            apart(b, f, (&terms(row), max), column, &results[i])
        };
        words.iter().enumerate().map(|(i, x)| one(i, x)).collect()
    });
    let names = [
        (1, ["shared.rows1.lazy", "shared.rows1.canonical"]),
        (2, ["shared.rows2.lazy", "shared.rows2.canonical"]),
    ];
    for (rows, names) in names.into_iter().filter(|(rows, _)| *rows < f.words) {
        let shared = Shared::new(f, rows, y);
        let results: Vec<BigUint> = xs.iter().map(|x| shared.max(x)).collect();
        offers.products =
            xs.len() * (f.words * f.words + rows * row_products(f)) + (f.words - rows) * row_products(f);
        offer(offers, &results, names, |b, words, y| shared.products(b, words, y, &results));
    }
}

/// Offers the forms of `products`, whose results are at most `results`.
fn offer(
    offers: &mut Offers<'_>,
    results: &[BigUint],
    [lazy, canonical]: [&'static str; 2],
    products: impl Fn(&mut Builder, &[Vec<Src>], &Vec<Src>) -> Vec<Vec<Src>>,
) {
    let f = offers.field;
    let inputs = |b: &mut Builder| {
        let xs: Vec<_> = (0..results.len()).map(|i| b.input(format!("x{i}"), f.words)).collect();
        (xs, b.input("y", f.words))
    };
    let max = results.iter().max().expect("a well-formed op has a product");
    if *max < f.r() {
        let out = Bound::up_to(f, max).expect("it is less than R");
        offers.push_outputs(lazy, out, |b| {
            let (xs, y) = inputs(b);
            for (i, words) in products(b, &xs, &y).into_iter().enumerate() {
                b.output(format!("r{i}"), words);
            }
        });
    }
    if *max >= f.p {
        offers.push_outputs(canonical, Bound::Canonical, |b| {
            let (xs, y) = inputs(b);
            for (i, words) in products(b, &xs, &y).into_iter().enumerate() {
                let words = reduce::ladder(b, f, words, &results[i]);
                b.output(format!("r{i}"), words);
            }
        });
        offers.goes_on_from(lazy);
    }
    offers.products = 0;
}

/// The Montgomery product of `row` and `column`.
fn apart(
    b: &mut Builder,
    f: &FieldDesc,
    (row, row_max): (&[Option<Src>], &BigUint),
    column: &[Src],
    max: &BigUint,
) -> Vec<Src> {
    let mut rows = Rows::new(f);
    for &word in column {
        rows.mac(b, row, row_max, word);
        rows.reduce(b);
    }
    rows.finish(b, max)
}

/// The scheme with `rows` rows of reduction per product.
struct Shared<'f> {
    f: &'f FieldDesc,
    rows: usize,
    /// The largest values of `y`, and of what its `f.words - rows` Montgomery rows make of it in turn.
    multiples: Vec<BigUint>,
}

impl<'f> Shared<'f> {
    fn new(f: &'f FieldDesc, rows: usize, y: &BigUint) -> Self {
        let next = |y: &BigUint| Some((y + &f.p * u32::MAX) >> 32);
        let multiples = std::iter::successors(Some(y.clone()), next).take(f.words - rows + 1).collect();
        Shared { f, rows, multiples }
    }

    /// The place of word `i` of a factor, and the number of its multiple of `y`.
    fn place(&self, i: usize) -> (usize, usize) {
        let low = self.f.words - self.rows;
        (i.saturating_sub(low), low.saturating_sub(i))
    }

    /// The largest result of a factor of at most `x`.
    fn max(&self, x: &BigUint) -> BigUint {
        let ones = BigUint::from(u32::MAX);
        let low = self.f.words - self.rows;
        let rows: BigUint = self.multiples[1..].iter().map(|y| y * &ones).sum();
        let sum = (x >> (32 * low)) * &self.multiples[0] + rows;
        let full = (BigUint::one() << (32 * self.rows)) - 1u32;
        (sum + full * &self.f.p) >> (32 * self.rows)
    }

    fn products(&self, b: &mut Builder, xs: &[Vec<Src>], y: &[Src], results: &[BigUint]) -> Vec<Vec<Src>> {
        let modulus = Modulus::of(self.f);
        let mut accs = vec![Acc::new(); xs.len()];
        let mut multiple = y.to_vec();
        for i in (0..self.f.words).rev() {
            let (pos, k) = self.place(i);
            if k > 0 {
                multiple = self.next_multiple(b, &modulus, &multiple, k);
            }
            let row = terms(&multiple);
            for (acc, x) in accs.iter_mut().zip(xs) {
                acc.row(b, &row, &self.multiples[k], x[i], pos);
            }
        }
        let finish = |(mut acc, max): (Acc, &BigUint)| {
            for pos in 0..self.rows {
                acc.montgomery(b, &modulus, pos);
            }
            acc.limit(&(max << (32 * self.rows)));
            acc.merge(b, self.rows, self.rows + words_for(max).max(self.f.words))
        };
        accs.into_iter().zip(results).map(finish).collect()
    }

    /// Multiple `k` of the shared operand from the one before.
    fn next_multiple(&self, b: &mut Builder, modulus: &Modulus, before: &[Src], k: usize) -> Vec<Src> {
        let mut acc = Acc::new();
        acc.load(0, 0, before, &self.multiples[k - 1]);
        acc.montgomery(b, modulus, 0);
        acc.limit(&(&self.multiples[k] << 32u32));
        acc.merge(b, 1, 1 + self.f.words)
    }
}
