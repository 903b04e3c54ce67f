//! Selection by a condition word.

use super::Offers;
use crate::limb::Bound;
use crate::limb::ir::{Cmp, Src};

/// `select`: inputs `c` (one word), `x`, `y`; `x` where `c ≠ 0`.
pub(super) fn select(offers: &mut Offers<'_>, x: Bound, y: Bound) {
    let f = offers.field;
    offers.push_bound("select", x.join(y, f), |b| {
        let (c, x, y) = (b.input("c", 1), b.input("x", f.words), b.input("y", f.words));
        let q = b.setp(Cmp::Ne, c[0], Src::Imm(0));
        x.iter().zip(&y).map(|(&x, &y)| b.selp(x, y, q)).collect()
    });
}
