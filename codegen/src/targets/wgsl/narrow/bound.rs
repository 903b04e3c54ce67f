//! Elements on limbs of 13 bits, and what is known of one in two dimensions: the value, and how loose its
//! limbs are.
//!
//! An element `x` is `n` limbs, integers of either sign, with `x = Σ limb(i)·2^(13·i)` and `0 ≤ x`. It is
//! *normal* where all but the highest are in `[0, 2^13)`. The highest is what is left of the number, and may
//! have three. Sums and differences limb by limb need no carries and leave limbs that are not normal.

use crate::declaration::FieldDesc;
use crate::targets::wgsl::columns::Sizes;
use crate::targets::{self, Limit};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// Bits of a limb.
pub const BITS: u32 = 13;
/// Bits that the highest limb may have.
const HIGHEST: u32 = BITS + 3;
/// The most that an element is below of, as a multiple of `p`: its limbs hold it, and more would gain
/// nothing.
pub(super) const MOST: u64 = 1 << 6;
/// Limbs are never as loose as this.
pub(super) const LOOSEST: u64 = 1 << 8;

/// What is known of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// The element is below this multiple of `p`, at least 1.
    pub times: u64,
    /// Limbs but the highest are in `(-loose·2^13, loose·2^13)`; 0 of an element that is normal.
    pub loose: u64,
}

impl Bound {
    /// A normal element below this multiple of `p`.
    pub const fn normal(times: u64) -> Bound {
        Bound { times, loose: 0 }
    }
}

impl targets::Bound for Bound {
    const CANONICAL: Bound = Bound::normal(1);

    fn below(field: &FieldDesc, limit: &BigUint) -> Option<Bound> {
        let times = ((limit + &field.p - 1u32) / &field.p).to_u64()?.max(1);
        (times <= MOST).then_some(Bound::normal(times))
    }

    fn at_most(field: &FieldDesc, limit: &BigUint) -> Bound {
        let times = (limit / &field.p).to_u64().unwrap_or(u64::MAX);
        Bound::normal(times.clamp(1, MOST))
    }

    fn limit(self, field: &FieldDesc) -> BigUint {
        &field.p * self.times
    }

    fn units(self, _: &FieldDesc) -> u64 {
        self.times
    }

    fn stated(self) -> Limit {
        if self.times == 1 { Limit::Canonical } else { Limit::Units(self.times) }
    }

    fn text(self, _: &FieldDesc) -> String {
        match self.loose {
            0 => format!("<{}p", self.times),
            loose => format!("<{}p, limbs ±{loose}", self.times),
        }
    }

    fn within(self, other: Self, _: &FieldDesc) -> bool {
        self.times <= other.times && self.loose <= other.loose
    }

    fn join(self, other: Self, _: &FieldDesc) -> Self {
        Bound { times: self.times.max(other.times), loose: self.loose.max(other.loose) }
    }
}

/// Limbs of an element: the least that hold the words of the layout and one more bit, and `64p`.
pub fn limbs(field: &FieldDesc) -> usize {
    let words = 32 * field.words as u64 + 1;
    let most = field.p.bits() + u64::from(MOST.ilog2()) - u64::from(HIGHEST - BITS);
    words.max(most).div_ceil(BITS.into()) as usize
}

/// `x` as `n` limbs, the least significant first; the highest is what is left.
pub fn to_limbs(x: &BigUint, n: usize) -> Vec<u64> {
    let mask = (BigUint::one() << BITS) - 1u32;
    let limb = |i: usize| {
        let above = x >> (BITS as usize * i);
        let limb = if i + 1 == n { above } else { above & &mask };
        limb.to_u64().expect("the highest limb is no more than two words")
    };
    (0..n).map(limb).collect()
}

/// The most that the `n` limbs of a number up to `x` make, where only the highest one is known of it.
pub(super) fn by_limbs(x: &BigUint, n: usize) -> BigUint {
    let low = BITS as usize * (n - 1);
    (((x >> low) + 1u32) << low) - 1u32
}

/// Of what size everything is.
pub(super) fn sizes(field: &FieldDesc) -> Sizes {
    Sizes { count: limbs(field), element: BITS, limb: BITS, word: 32 }
}
