//! Products by an ordinary small integer.

use num_bigint::BigUint;

use super::{Offers, product, reduce, words_for};
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, CarryOut, Src};

/// Ladder steps above which the Montgomery product by the constant is the only canonical form.
const MAX_LADDER_BITS: u64 = 6;

/// - `mul_small.zero`, `mul_small.copy` for `c` = 0 and 1.
/// - `mul_small.lazy`: the plain product, where `c·x` fits the words.
/// - `mul_small.canonical`: the product with a word more, then a ladder; small `c`.
/// - `mul_small.const.*`: the Montgomery product by `c·R mod p`.
pub(super) fn mul_small(offers: &mut Offers<'_>, x: Bound, c: u32) {
    let f = offers.field;
    match c {
        0 => {
            return offers.push_canonical("mul_small.zero", |b| {
                b.input("x", f.words);
                vec![Src::Imm(0); f.words]
            });
        }
        1 if x == Bound::Canonical => {
            return offers.push_canonical("mul_small.copy", |b| b.input("x", f.words));
        }
        1 => offers.push("mul_small.copy", &x.max(f), |b| b.input("x", f.words)),
        _ => {}
    }
    let max = x.max(f) * c;
    if c > 1 && max < f.r() {
        offers.push("mul_small.lazy", &max, |b| {
            let x = b.input("x", f.words);
            small_product(b, &x, c, &max)
        });
    }
    if max >= f.p && max.bits() - f.p.bits() <= MAX_LADDER_BITS {
        offers.push_canonical("mul_small.canonical", |b| {
            let x = b.input("x", f.words);
            let product = small_product(b, &x, c, &max);
            reduce::ladder(b, f, product, &max)
        });
    }
    product::mul_small_const(offers, x, &(BigUint::from(c) % &f.p));
}

/// `x·c ≤ max`, at least as many words as `x` and as `max` needs.
pub(super) fn small_product(b: &mut Builder, x: &[Src], c: u32, max: &BigUint) -> Vec<Src> {
    if c == 2 {
        let fits = words_for(max) <= x.len();
        let (mut sum, carry) = b.add_words(x, x, if fits { CarryOut::Never } else { CarryOut::Flag });
        if !fits {
            sum.push(b.add(Src::Imm(0), Src::Imm(0), carry, CarryOut::Never).0);
        }
        return sum;
    }
    let mut wide = |words: &mut dyn Iterator<Item = &Src>| -> Vec<Src> {
        words.flat_map(|&word| [b.mul_lo(word, Src::Imm(c)), b.mul_hi(word, Src::Imm(c))]).collect()
    };
    let even = wide(&mut x.iter().step_by(2));
    let mut odd = vec![Src::Imm(0)];
    odd.extend(wide(&mut x.iter().skip(1).step_by(2)));
    let words = words_for(max).max(x.len());
    // Even and odd products fill words + 1 places; those above `max` are zero.
    let cut = |mut v: Vec<Src>| {
        v.resize(words, Src::Imm(0));
        v
    };
    let (even, odd) = (cut(even), cut(odd));
    let mut product = vec![even[0]];
    product.extend(b.add_words(&even[1..], &odd[1..], CarryOut::Never).0);
    product
}
