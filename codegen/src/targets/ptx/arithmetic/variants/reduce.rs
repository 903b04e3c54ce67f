//! Reductions: exact ladders, weak reductions by the top word, and by a Montgomery product.
//!
//! - A **ladder** subtracts `2^j·p` where it fits, for descending `j`: canonical from any bound.
//! - A **weak** step compares the top word only and subtracts `k·p`: half the price of a ladder step,
//!   and the result may exceed `k·p` by what the lower words hide. It is exact for one word.
//! - For a small `p` in wide words a ladder is long; a Montgomery product by `R mod p` leaves `< 2p`.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;

use super::{Offers, immediates, product, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, CarryOut, Cmp, Src};

/// `reduce.copy` for a canonical operand; `reduce.ladder`, `reduce.mont` for every other.
pub(super) fn full(offers: &mut Offers<'_>, x: Bound) {
    let f = offers.field;
    if x == Bound::Canonical {
        offers.push_canonical("reduce.copy", |b| b.input("x", f.words));
        return;
    }
    let max = x.max(f);
    offers.push_canonical("reduce.ladder", |b| {
        let words = b.input("x", f.words);
        let (words, max) = weak_steps(b, f, words, max.clone());
        ladder(b, f, words, &max)
    });
    product::full_reduction(offers, x);
}

/// `reduce.weak`: top-word steps until they no longer help; `reduce.mont.*`.
pub(super) fn weak(offers: &mut Offers<'_>, x: Bound) {
    let f = offers.field;
    let mut max = x.max(f);
    while let Some(step) = WeakStep::of(f, &max) {
        max = step.max;
    }
    offers.push("reduce.weak", &max, |b| {
        let words = b.input("x", f.words);
        weak_steps(b, f, words, x.max(f)).0
    });
    product::weak_reduction(offers, x);
}

/// The canonical form of `words ≤ max` in `n` words; `words` has `n` or `n + 1` words, enough for `max`.
pub(super) fn ladder(b: &mut Builder, f: &FieldDesc, mut words: Vec<Src>, max: &BigUint) -> Vec<Src> {
    let mut max = max.clone();
    while max >= f.p {
        // The largest c = 2^j·p ≤ max: max < 2c, so that either branch leaves less than c.
        let mut c = &f.p << (max.bits() - f.p.bits());
        if c > max {
            c >>= 1;
        }
        words.truncate(words_for(&max).max(f.words));
        let after = (&max - &c).max(&c - 1u32);
        words = subtract_if_fits(b, f, &words, &c, &(&max - &c));
        max = after;
        words.truncate(words_for(&max).max(f.words));
    }
    words
}

/// `words ≥ c ? words - c : words`; `difference` bounds `words - c` where that is not negative.
fn subtract_if_fits(
    b: &mut Builder,
    f: &FieldDesc,
    words: &[Src],
    c: &BigUint,
    difference: &BigUint,
) -> Vec<Src> {
    let c = immediates(c, words.len());
    let (reduced, borrowed) = if words.len() > f.words && words_for(difference) <= f.words {
        // Without a borrow the top word of the difference is 0, with one it is not.
        let (reduced, _) = b.sub_words(words, &c, CarryOut::Lost);
        let top = reduced[reduced.len() - 1];
        (reduced, top)
    } else {
        let (reduced, borrow) = b.sub_words(words, &c, CarryOut::Flag);
        let (mask, _) = b.sub(Src::Imm(0), Src::Imm(0), borrow, CarryOut::Lost);
        (reduced, mask)
    };
    let borrowed = b.setp(Cmp::Ne, borrowed, Src::Imm(0));
    words.iter().zip(reduced).map(|(&old, new)| b.selp(old, new, borrowed)).collect()
}

/// A weak reduction step.
struct WeakStep {
    /// The multiple of `p` to subtract.
    c: BigUint,
    /// Subtract where the top word is at least this; then the value is at least `c`.
    threshold: u32,
    /// The largest value afterwards.
    max: BigUint,
}

impl WeakStep {
    /// The step that halves the range `≤ max < R`, or one that subtracts `p`; `None` when neither
    /// helps.
    fn of(f: &FieldDesc, max: &BigUint) -> Option<WeakStep> {
        let half = (max + 1u32).div_ceil(&(&f.p * 2u32)) * &f.p;
        [half, f.p.clone()].into_iter().find_map(|c| WeakStep::subtract(f, max, c))
    }

    fn subtract(f: &FieldDesc, max: &BigUint, c: BigUint) -> Option<WeakStep> {
        let unit = BigUint::one() << (32 * (f.words - 1));
        let threshold = c.div_ceil(&unit);
        let kept = &threshold * unit - 1u32;
        if kept >= *max {
            return None;
        }
        let max = kept.max(max - &c);
        let threshold = u32::try_from(threshold).expect("threshold · R/2^32 ≤ max < R");
        Some(WeakStep { c, threshold, max })
    }
}

fn weak_steps(b: &mut Builder, f: &FieldDesc, mut words: Vec<Src>, mut max: BigUint) -> (Vec<Src>, BigUint) {
    while let Some(step) = WeakStep::of(f, &max) {
        let q = b.setp(Cmp::Ge, words[f.words - 1], Src::Imm(step.threshold));
        words = b.sub_words_if(q, &words, &immediates(&step.c, f.words));
        max = step.max;
    }
    (words, max)
}
