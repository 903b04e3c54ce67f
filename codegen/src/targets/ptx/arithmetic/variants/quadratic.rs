//! Sums of products in a quadratic extension `F[u]/(u² - nonresidue)`, with one reduction for each
//! coordinate.
//!
//! - **Dots**: a sum of products by interleaved rows for each coordinate; any operands.
//! - **Karatsuba over `u`** on full products (Aranha et al. 2011, section 3): three products for four,
//!
//! ```text
//! v0 = Σ x0·y0    v1 = Σ x1·y1    w = Σ (x0 + x1)·(y0 + y1)
//! c0 = v0 + nonresidue·v1         c1 = w - v0 - v1
//! ```
//!
//! For a negative nonresidue `k·p·R/2^32` is added to `c0`, with the least `k` that leaves nothing negative;
//! `c1` is `Σ x0·y1 + x1·y0` and needs none. The results have the bounds of the dots, but for that multiple's
//! rounding. The sums `x0 + x1` and `y0 + y1` have to fit the words, and `w` twice as many.

use num_bigint::BigUint;
use num_integer::Integer;

use super::acc::{Acc, terms};
use super::karatsuba::{Wide, add_at, product, word_products};
use super::product::{Rows, montgomery_max, row_products};
use super::redc::Reduction::{self, MBlock, MHalf, MRows};
use super::separate::{add, operand};
use super::small::small_product;
use super::{Forms, Offers, immediates, reduce, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, CarryOut, Src};

/// How Karatsuba over `u` makes its full products and reduces.
struct Scheme {
    /// Levels of Karatsuba within a product.
    levels: u32,
    reduction: Reduction,
    /// Least number of words at which it pays.
    pays: usize,
    forms: Forms,
}

/// Schemes with this are there to be measured.
const NEVER: usize = usize::MAX;

macro_rules! schemes {
    ($($name:literal $levels:literal $reduction:expr, $pays:expr;)*) => {
        &[$(Scheme {
            levels: $levels,
            reduction: $reduction,
            pays: $pays,
            forms: Forms {
                lazy: concat!("dot_fq2.", $name, ".lazy"),
                canonical: concat!("dot_fq2.", $name, ".canonical"),
            },
        }),*]
    };
}

const SCHEMES: &[Scheme] = schemes! {
    "u.rows" 0 Reduction::Rows, 1;
    "u.m" 0 MRows, 1;
    "u.mhalf" 0 MHalf, NEVER;
    "u.k1.rows" 1 Reduction::Rows, 9;
    "u.k1.m" 1 MRows, 9;
    "u.k1.mhalf" 1 MHalf, NEVER;
    "u.k1.mk1" 1 MBlock(1), 16;
    "u.k2.m" 2 MRows, NEVER;
    "u.k2.mk1" 2 MBlock(1), 16;
};

/// The operands of one product, or their largest values.
#[derive(Clone)]
struct Term<T> {
    x: [T; 2],
    y: [T; 2],
}

/// - `dot_fq2.dots.*`: any operands.
/// - `dot_fq2.u.*`: where `x0 + x1`, `y0 + y1` and `w` fit the words.
pub(super) fn dot(offers: &mut Offers<'_>, operands: &[Bound], nonresidue: i32) {
    let f = offers.field;
    let maxima: Vec<Term<BigUint>> = operands
        .chunks_exact(4)
        .map(|term| Term { x: [term[0].max(f), term[1].max(f)], y: [term[2].max(f), term[3].max(f)] })
        .collect();
    dots(offers, operands, &maxima, nonresidue);
    let sum = |pair: &[BigUint; 2]| &pair[0] + &pair[1];
    let fits = |term: &Term<BigUint>| sum(&term.x) < f.r() && sum(&term.y) < f.r();
    let w: BigUint = maxima.iter().map(|term| sum(&term.x) * sum(&term.y)).sum();
    if maxima.iter().all(fits) && words_for(&w) <= 2 * f.words {
        karatsuba(offers, operands, &maxima, nonresidue);
    }
}

fn inputs(b: &mut Builder, f: &FieldDesc, operands: &[Bound]) -> Vec<Term<Wide>> {
    let mut term = |(i, bounds): (usize, &[Bound])| {
        let mut one = |name: &str, bound| operand(b, f, &format!("{name}{i}"), bound);
        let x = [one("x0_", bounds[0]), one("x1_", bounds[1])];
        Term { x, y: [one("y0_", bounds[2]), one("y1_", bounds[3])] }
    };
    operands.chunks_exact(4).enumerate().map(&mut term).collect()
}

/// Offers the forms of two coordinates of at most `maxima`.
fn offer(
    offers: &mut Offers<'_>,
    forms: &Forms,
    maxima: &[BigUint; 2],
    coordinates: impl Fn(&mut Builder) -> [Vec<Src>; 2],
) {
    let f = offers.field;
    let max = (&maxima[0]).max(&maxima[1]);
    if let Some(out) = Bound::up_to(f, max) {
        offers.push_outputs(forms.lazy, out, |b| {
            for (i, words) in coordinates(b).into_iter().enumerate() {
                b.output(format!("c{i}"), words);
            }
        });
    }
    if *max >= f.p {
        offers.push_outputs(forms.canonical, Bound::Canonical, |b| {
            for (i, words) in coordinates(b).into_iter().enumerate() {
                let words = reduce::ladder(b, f, words, &maxima[i]);
                b.output(format!("c{i}"), words);
            }
        });
        offers.goes_on_from(forms.lazy);
    }
    offers.products = 0;
}

/// `nonresidue·x1` is a row operand: `nonresidue·(k·p - x1)` where that is negative.
fn dots(offers: &mut Offers<'_>, operands: &[Bound], maxima: &[Term<BigUint>], nonresidue: i32) {
    let f = offers.field;
    let times = nonresidue.unsigned_abs();
    let multiple = |x1: &BigUint| x1.div_ceil(&f.p).max(1u32.into()) * &f.p;
    let scaled_max = |x1: &BigUint| times * if nonresidue < 0 { multiple(x1) } else { x1.clone() };
    let real = maxima.iter().map(|t| &t.x[0] * &t.y[0] + scaled_max(&t.x[1]) * &t.y[1]).sum();
    let imaginary = maxima.iter().map(|t| &t.x[0] * &t.y[1] + &t.x[1] * &t.y[0]).sum();
    let results = [montgomery_max(f, &real), montgomery_max(f, &imaginary)];
    offers.products = 4 * maxima.len() * f.words * f.words + 2 * f.words * row_products(f);
    let forms = Forms { lazy: "dot_fq2.dots.lazy", canonical: "dot_fq2.dots.canonical" };
    offer(offers, &forms, &results, |b| {
        let terms = inputs(b, f, operands);
        let (mut real, mut imaginary) = (vec![], vec![]);
        for Term { x: [x0, x1], y: [y0, y1] } in &terms {
            let mut scaled = x1.clone();
            if nonresidue < 0 {
                let kp = multiple(&x1.max);
                let words = immediates(&kp, f.words);
                scaled = Wide::new(b.sub_words(&words, &x1.words, CarryOut::Never).0, kp);
            }
            if times > 1 {
                let max = &scaled.max * times;
                scaled = Wide::new(small_product(b, &scaled.words, times, &max), max);
            }
            real.extend([(x0.clone(), y0.clone()), (scaled, y1.clone())]);
            imaginary.extend([(x0.clone(), y1.clone()), (x1.clone(), y0.clone())]);
        }
        [rows(b, f, &real, &results[0]), rows(b, f, &imaginary, &results[1])]
    });
}

/// `Σ x·y/R`, at most `max`, by interleaved rows; each `y` has the field's words.
fn rows(b: &mut Builder, f: &FieldDesc, pairs: &[(Wide, Wide)], max: &BigUint) -> Vec<Src> {
    let smaller_first = |(x, y): &(Wide, Wide)| {
        let swap = x.words.len() == f.words && y.max < x.max;
        let (row, column) = if swap { (y, x) } else { (x, y) };
        (terms(&row.words), row.max.clone(), column.words.clone())
    };
    let pairs: Vec<_> = pairs.iter().map(smaller_first).collect();
    let mut rows = Rows::new(f);
    for i in 0..f.words {
        for (row, max, column) in &pairs {
            rows.mac(b, row, max, column[i]);
        }
        rows.reduce(b);
    }
    rows.finish(b, max)
}

fn karatsuba(offers: &mut Offers<'_>, operands: &[Bound], maxima: &[Term<BigUint>], nonresidue: i32) {
    let f = offers.field;
    let v = |i: usize| maxima.iter().map(|t| &t.x[i] * &t.y[i]).sum::<BigUint>();
    let times = nonresidue.unsigned_abs();
    let raised = &v(0) + if nonresidue < 0 { least_multiple(f, &(v(1) * times)) } else { v(1) * times };
    let crossed: BigUint = maxima.iter().map(|t| &t.x[0] * &t.y[1] + &t.x[1] * &t.y[0]).sum();
    for Scheme { levels, reduction, pays, forms } in SCHEMES {
        let exists = reduction.exists(f.words) && (*levels == 0 || f.words > 1 << (levels >> 1));
        if !exists || !offers.pays(*pays) {
            continue;
        }
        let results = [reduction.max(f, &raised), reduction.max(f, &crossed)];
        offers.parts = 3u32.pow(*levels);
        offers.products = 3 * maxima.len() * word_products(f.words, *levels) + 2 * reduction.products(f);
        offer(offers, forms, &results, |b| {
            let terms = inputs(b, f, operands);
            let t = unreduced(b, f, &terms, *levels, nonresidue);
            debug_assert!(t[0].max == raised && t[1].max == crossed);
            t.map(|t| reduction.emit(b, f, &t))
        });
    }
    offers.parts = 1;
}

/// The least multiple of `p·R/2^32` that is not below `max`.
fn least_multiple(f: &FieldDesc, max: &BigUint) -> BigUint {
    let step = &f.p << (32 * (f.words - 1));
    max.div_ceil(&step) * step
}

/// The coordinates before their reductions.
fn unreduced(
    b: &mut Builder,
    f: &FieldDesc,
    terms: &[Term<Wide>],
    levels: u32,
    nonresidue: i32,
) -> [Wide; 2] {
    let both = |b: &mut Builder, pair: &[Wide; 2]| add(b, &pair[0], &pair[1]);
    let sums: Vec<(Wide, Wide)> = terms.iter().map(|t| (both(b, &t.x), both(b, &t.y))).collect();
    let pairs = |i: usize| terms.iter().map(|t| (t.x[i].clone(), t.y[i].clone())).collect::<Vec<_>>();
    let (v0, v1) = (sum_of_products(b, &pairs(0), levels), sum_of_products(b, &pairs(1), levels));
    let w = sum_of_products(b, &sums, levels);

    let v = add(b, &v0, &v1);
    let crossed = terms.iter().map(|t| &t.x[0].max * &t.y[1].max + &t.x[1].max * &t.y[0].max).sum();
    let imaginary = Wide::new(b.sub_words(&w.words, &v.words, CarryOut::Never).0, crossed);

    let mut scaled = v1;
    if nonresidue.unsigned_abs() > 1 {
        let max = &scaled.max * nonresidue.unsigned_abs();
        scaled = Wide::new(small_product(b, &scaled.words, nonresidue.unsigned_abs(), &max), max);
    }
    if nonresidue > 0 {
        return [add(b, &v0, &scaled), imaginary];
    }
    let (multiple, low) = (least_multiple(f, &scaled.max), f.words - 1);
    let max = &v0.max + &multiple;
    let raised = add_at(b, v0.words, &immediates(&(multiple >> (32 * low)), 0), low, &max);
    let real = b.sub_words(&raised, &scaled.words, CarryOut::Never).0;
    [Wide::new(real, max), imaginary]
}

/// `Σ x·y` in `2n` words, for operands of `n` words.
fn sum_of_products(b: &mut Builder, pairs: &[(Wide, Wide)], levels: u32) -> Wide {
    if levels > 0 {
        let mut sum = product(b, &pairs[0].0, &pairs[0].1, levels);
        for (x, y) in &pairs[1..] {
            let product = product(b, x, y, levels);
            sum = add(b, &sum, &product);
        }
        return sum;
    }
    let (mut acc, n) = (Acc::new(), pairs[0].0.words.len());
    for j in 0..n {
        for (x, y) in pairs {
            acc.row(b, &terms(&x.words), &x.max, y.words[j], j);
        }
    }
    let max = pairs.iter().map(|(x, y)| &x.max * &y.max).sum();
    acc.limit(&max);
    Wide::new(acc.merge(b, 0, 2 * n), max)
}
