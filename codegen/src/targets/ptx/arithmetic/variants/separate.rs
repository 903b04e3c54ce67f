//! `mul`, `sqr`, `dot` as a full product and a reduction of it.
//!
//! A product needs nothing of its operands. All that a variant asks for is that the sum `T` of the
//! products of the operands' largest values leaves a result within the words, see [`Reduction::max`]:
//! *lazy* as it is, *canonical* after a ladder over a word more where it needs one.

use num_bigint::BigUint;

use super::karatsuba::{Wide, product, word_products};
use super::redc::Reduction::{self, MBlock, MHalf, MRows, Rows};
use super::square::{self, square};
use super::{Forms, Offers, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, CarryOut, Src};

/// A scheme and its name with and without a ladder.
struct Scheme {
    levels: u32,
    /// Least number of words at which it pays.
    pays: usize,
    reduction: Reduction,
    forms: Forms,
}

/// Schemes with this are there to be measured: on some machine they may pay.
const NEVER: usize = usize::MAX;

macro_rules! schemes {
    ($op:literal: $($name:literal $levels:literal $reduction:expr, $pays:expr;)*) => {
        &[$(Scheme {
            levels: $levels,
            pays: $pays,
            reduction: $reduction,
            forms: Forms {
                lazy: concat!($op, ".", $name, ".lazy"),
                canonical: concat!($op, ".", $name, ".canonical"),
            },
        }),*]
    };
}

/// Levels of Karatsuba, the reduction, and the words from which on it pays (`$one` for one level), by the
/// times measured on an H200 (`docs/log/experiments.md`): two levels and blocks lose up to 12 words,
/// `k = n/2` gains nothing over less.
macro_rules! karatsuba_schemes {
    ($op:literal, $one:literal) => {
        schemes! { $op:
            "k1.rows" 1 Rows, $one;
            "k1.m" 1 MRows, $one;
            "k1.mhalf" 1 MHalf, NEVER;
            "k1.mk1" 1 MBlock(1), 16;
            "k2.rows" 2 Rows, 16;
            "k2.m" 2 MRows, NEVER;
            "k2.mhalf" 2 MHalf, NEVER;
            "k2.mk1" 2 MBlock(1), 16;
            "k2.mk2" 2 MBlock(2), NEVER;
        }
    };
}

const MUL: &[Scheme] = karatsuba_schemes!("mul", 6);
/// The terms of a sum crowd each other, see `passes::place`: rows are faster up to 12 words.
const DOT: &[Scheme] = karatsuba_schemes!("dot", 16);
/// One level loses to rows at 8 and 12 words, and wins at 24.
const SQR: &[Scheme] = karatsuba_schemes!("sqr", 16);
const SCHOOL_SQR: &[Scheme] = schemes! { "sqr":
    "school.rows" 0 Rows, NEVER;
    "school.m" 0 MRows, 6;
    "school.mhalf" 0 MHalf, NEVER;
    "school.mk1" 0 MBlock(1), NEVER;
};

/// `mul.k*`.
pub(super) fn mul(offers: &mut Offers<'_>, x: Bound, y: Bound) {
    let max = x.max(offers.field) * y.max(offers.field);
    push_all(offers, MUL, &max, word_products, |b, f, levels| {
        let (x, y) = (operand(b, f, "x", x), operand(b, f, "y", y));
        product(b, &x, &y, levels)
    });
}

/// `sqr.k*`, `sqr.school.*`.
pub(super) fn sqr(offers: &mut Offers<'_>, x: Bound) {
    let max = x.max(offers.field).pow(2);
    for schemes in [SCHOOL_SQR, SQR] {
        push_all(offers, schemes, &max, square::word_products, |b, f, levels| {
            let x = operand(b, f, "x", x);
            square(b, &x, levels)
        });
    }
}

/// `dot.k*`: the products are added in words, reduced once.
pub(super) fn dot(offers: &mut Offers<'_>, operands: &[Bound]) {
    let f = offers.field;
    let max = operands.chunks_exact(2).map(|pair| pair[0].max(f) * pair[1].max(f)).sum();
    let products = |words, levels| operands.len() / 2 * word_products(words, levels);
    push_all(offers, DOT, &max, products, |b, f, levels| {
        let pair = |(i, pair): (usize, &[Bound])| {
            (operand(b, f, &format!("x{i}"), pair[0]), operand(b, f, &format!("y{i}"), pair[1]))
        };
        let pairs: Vec<(Wide, Wide)> = operands.chunks_exact(2).enumerate().map(pair).collect();
        let mut sum: Option<Wide> = None;
        for (x, y) in &pairs {
            let product = product(b, x, y, levels);
            sum = Some(match sum {
                None => product,
                Some(sum) => add(b, &sum, &product),
            });
        }
        sum.expect("a dot product has terms")
    });
}

pub(super) fn operand(b: &mut Builder, f: &FieldDesc, name: &str, bound: Bound) -> Wide {
    Wide::new(b.input(name, f.words), bound.max(f))
}

/// `x + y` in a word more where it needs one.
pub(super) fn add(b: &mut Builder, x: &Wide, y: &Wide) -> Wide {
    let max = &x.max + &y.max;
    let fits = words_for(&max) <= x.words.len();
    let (mut words, carry) =
        b.add_words(&x.words, &y.words, if fits { CarryOut::Never } else { CarryOut::Flag });
    if !fits {
        words.push(b.add(Src::Imm(0), Src::Imm(0), carry, CarryOut::Never).0);
    }
    Wide::new(words, max)
}

/// Offers the schemes that are legal for a sum of products of at most `max`, which `wide` makes by so many
/// products of words, by the number of words and levels.
fn push_all(
    offers: &mut Offers<'_>,
    schemes: &'static [Scheme],
    max: &BigUint,
    products: impl Fn(usize, u32) -> usize,
    wide: impl Fn(&mut Builder, &FieldDesc, u32) -> Wide,
) {
    let f = offers.field;
    for Scheme { levels, pays, reduction, forms } in schemes {
        // A level halves the words.
        let exists = reduction.exists(f.words) && f.words > 1 << (levels >> 1);
        if !exists || !offers.pays(*pays) {
            continue;
        }
        let result = reduction.max(f, max);
        offers.parts = 3u32.pow(*levels);
        offers.products = products(f.words, *levels) + reduction.products(f);
        offers.push_forms(forms, &result, |b| {
            let t = wide(b, f, *levels);
            reduction.emit(b, f, &t)
        });
    }
    (offers.parts, offers.products) = (1, 0);
}
