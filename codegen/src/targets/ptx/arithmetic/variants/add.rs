//! Additions and doublings.

use num_bigint::BigUint;

use super::{Offers, reduce};
use crate::targets::ptx::Bound;
use crate::targets::ptx::arithmetic::ir::{Builder, CarryOut, Src};

/// `add.lazy` where the sum fits the words; `add.canonical`, with a carry word where it does not.
pub(super) fn add(offers: &mut Offers<'_>, x: Bound, y: Bound) {
    let max = x.max(offers.field) + y.max(offers.field);
    sums(offers, ["add.lazy", "add.canonical"], &max, |b, n| (b.input("x", n), b.input("y", n)));
}

/// As `add` of equal operands.
pub(super) fn dbl(offers: &mut Offers<'_>, x: Bound) {
    let max = x.max(offers.field) * 2u32;
    sums(offers, ["dbl.lazy", "dbl.canonical"], &max, |b, n| {
        let x = b.input("x", n);
        (x.clone(), x)
    });
}

fn sums(
    offers: &mut Offers<'_>,
    [lazy, canonical]: [&'static str; 2],
    max: &BigUint,
    inputs: impl Fn(&mut Builder, usize) -> (Vec<Src>, Vec<Src>),
) {
    let f = offers.field;
    let fits = *max < f.r();
    if fits {
        offers.push(lazy, max, |b| {
            let (x, y) = inputs(b, f.words);
            b.add_words(&x, &y, CarryOut::Never).0
        });
    }
    if *max >= f.p {
        offers.push_canonical(canonical, |b| {
            let (x, y) = inputs(b, f.words);
            let sum = if fits {
                b.add_words(&x, &y, CarryOut::Never).0
            } else {
                let (mut sum, carry) = b.add_words(&x, &y, CarryOut::Flag);
                sum.push(b.add(Src::Imm(0), Src::Imm(0), carry, CarryOut::Never).0);
                sum
            };
            reduce::ladder(b, f, sum, max)
        });
        offers.goes_on_from(lazy);
    }
}
