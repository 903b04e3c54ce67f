//! Tests for zero modulo p.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::{Offers, immediates, reduce};
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, Cmp, Logic, Src};

/// Multiples of `p` that `is_zero.multiples` compares with at most.
const MAX_MULTIPLES: u64 = 16;

/// - `is_zero.multiples`: compares with 0, p, … up to the bound; few multiples.
/// - `is_zero.ladder`: reduces first; any operand.
pub(super) fn is_zero(offers: &mut Offers<'_>, x: Bound) {
    let f = offers.field;
    let max = x.max(f);
    let multiples = (&max / &f.p).to_u64().filter(|&k| k < MAX_MULTIPLES);
    if let Some(last) = multiples {
        offers.push_canonical("is_zero.multiples", |b| {
            let x = b.input("x", f.words);
            let tests: Vec<Src> = (0..=last).map(|k| equals(b, &x, &(&f.p * k))).collect();
            let zero = tests[1..].iter().fold(tests[0], |any, &test| b.logic(Logic::Or, any, test));
            vec![zero]
        });
    }
    if x != Bound::Canonical {
        offers.push_canonical("is_zero.ladder", |b| {
            let x = b.input("x", f.words);
            let x = reduce::ladder(b, f, x, &max);
            vec![equals(b, &x, &BigUint::ZERO)]
        });
    }
}

/// - `maybe_zero.low_word`: compares the low word with those of 0, p, … up to the bound.
/// - `maybe_zero.never_sure`: says yes where there are many multiples.
pub(super) fn maybe_zero(offers: &mut Offers<'_>, x: Bound) {
    let f = offers.field;
    let multiples = (x.max(f) / &f.p).to_u64().filter(|&k| k < MAX_MULTIPLES);
    let Some(last) = multiples else {
        offers.push_canonical("maybe_zero.never_sure", |b| {
            b.input("x", f.words);
            vec![Src::Imm(1)]
        });
        return;
    };
    offers.push_canonical("maybe_zero.low_word", |b| {
        let x = b.input("x", f.words);
        let mut test = |k: u64| {
            let q = b.setp(Cmp::Eq, x[0], immediates(&(&f.p * k), 1)[0]);
            b.selp(Src::Imm(1), Src::Imm(0), q)
        };
        let tests: Vec<Src> = (0..=last).map(&mut test).collect();
        vec![tests[1..].iter().fold(tests[0], |any, &test| b.logic(Logic::Or, any, test))]
    });
}

/// `x == c`, as a word 0 or 1.
fn equals(b: &mut Builder, x: &[Src], c: &BigUint) -> Src {
    let c = immediates(c, x.len());
    let mut differs = |(&word, c): (&Src, Src)| match c {
        Src::Imm(0) => word,
        _ => b.logic(Logic::Xor, word, c),
    };
    let differences: Vec<Src> = x.iter().zip(c).map(&mut differs).collect();
    let any = differences[1..].iter().fold(differences[0], |any, &word| b.logic(Logic::Or, any, word));
    let q = b.setp(Cmp::Eq, any, Src::Imm(0));
    b.selp(Src::Imm(1), Src::Imm(0), q)
}
