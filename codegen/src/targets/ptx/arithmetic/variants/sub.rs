//! Subtractions and negations.
//!
//! `k` is the least integer with `k·p ≥ y` for every `y` within its bound.

use num_bigint::BigUint;
use num_integer::Integer;

use super::{Offers, immediates, reduce, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, CarryOut, Cmp, Logic, Src};

/// - `sub.lazy`: `x + (k·p - y)`, where `x + k·p` fits the words.
/// - `sub.borrow`: `x - y`, plus `k·p` if that borrowed; canonical when both operands are. Where
///   `k·p ≤ R`.
/// - `sub.canonical`: `x + k·p - y` in a word more if needed, then a ladder.
pub(super) fn sub(offers: &mut Offers<'_>, x: Bound, y: Bound) {
    let f = offers.field;
    let (x_max, kp) = (x.max(f), multiple_above(f, y));
    let lazy = &x_max + &kp;
    let inputs = |b: &mut Builder| (b.input("x", f.words), b.input("y", f.words));
    if lazy < f.r() {
        offers.push("sub.lazy", &lazy, |b| {
            let (x, y) = inputs(b);
            let (negated, _) = b.sub_words(&immediates(&kp, f.words), &y, CarryOut::Never);
            b.add_words(&x, &negated, CarryOut::Never).0
        });
    }
    let borrowed = x_max.max(&kp - 1u32);
    if borrowed < f.r() {
        offers.push("sub.borrow", &borrowed, |b| {
            let (x, y) = inputs(b);
            let (difference, borrow) = b.sub_words(&x, &y, CarryOut::Flag);
            let (mask, _) = b.sub(Src::Imm(0), Src::Imm(0), borrow, CarryOut::Lost);
            let q = b.setp(Cmp::Ne, mask, Src::Imm(0));
            // k·p = R wraps to the zero words, which is the same modulo R.
            let kp = immediates(&(&kp % f.r()), f.words);
            b.add_words_if(q, &difference, &kp)
        });
    }
    offers.push_canonical("sub.canonical", |b| {
        let (x, y) = inputs(b);
        let words = words_for(&lazy).max(f.words);
        let kp = immediates(&kp, words);
        let (mut raised, carry) = b.add_words(&x, &kp[..f.words], carry_if(words > f.words));
        if words > f.words {
            raised.push(b.add(Src::Imm(0), kp[f.words], carry, CarryOut::Never).0);
        }
        let (difference, _) = b.sub_words(&raised, &y, CarryOut::Never);
        reduce::ladder(b, f, difference, &lazy)
    });
}

/// - `neg.lazy`: `k·p - x`, at most `k·p`.
/// - `neg.canonical`: `p - x`, or 0 for 0; canonical operand.
/// - `neg.ladder`: canonical from any operand.
pub(super) fn neg(offers: &mut Offers<'_>, x: Bound) {
    let f = offers.field;
    let kp = multiple_above(f, x);
    if kp < f.r() {
        offers.push("neg.lazy", &kp, |b| {
            let x = b.input("x", f.words);
            b.sub_words(&immediates(&kp, f.words), &x, CarryOut::Never).0
        });
    }
    if x == Bound::Canonical {
        offers.push_canonical("neg.canonical", |b| {
            let x = b.input("x", f.words);
            let (negated, _) = b.sub_words(&immediates(&f.p, f.words), &x, CarryOut::Never);
            let any = x[1..].iter().fold(x[0], |any, &word| b.logic(Logic::Or, any, word));
            let zero = b.setp(Cmp::Eq, any, Src::Imm(0));
            negated.iter().map(|&word| b.selp(Src::Imm(0), word, zero)).collect()
        });
    } else {
        offers.push_canonical("neg.ladder", |b| {
            let x = b.input("x", f.words);
            let words = words_for(&kp).max(f.words);
            let (negated, _) = b.sub_words(&immediates(&kp, words), &x, CarryOut::Never);
            reduce::ladder(b, f, negated, &kp)
        });
    }
}

/// The least `k·p` that no value within `y` exceeds; `k ≥ 1`.
fn multiple_above(f: &FieldDesc, y: Bound) -> BigUint {
    y.max(f).div_ceil(&f.p).max(1u32.into()) * &f.p
}

fn carry_if(wanted: bool) -> CarryOut {
    if wanted { CarryOut::Flag } else { CarryOut::Never }
}
