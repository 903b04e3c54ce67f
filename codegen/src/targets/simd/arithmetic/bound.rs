//! Elements on limbs of 52 bits, and what is known of one in two dimensions: the value, and how loose its limbs are.
//!
//! An element `x` is `n` limbs, integers of either sign, with `x = Σ limb(i)·2^(52·i)` and `0 ≤ x`. It is *normal* where all
//! but the highest are in `[0, 2^52)`; the highest then is too, as `x < 2^(52·n)`. Sums and differences limb by limb need
//! no carries and leave limbs that are not normal.

use crate::declaration::FieldDesc;
use crate::targets::{self, Limit};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// Bits of a limb.
pub const BITS: u32 = 52;
/// An element is never as much as this many times `p`: what can be gained by more is nothing.
const MOST: u64 = 1 << 10;
/// Limbs are never as loose as this: sums of limbs stay far within words of 64 bits.
pub(super) const LOOSEST: u64 = 1 << 9;

/// What is known of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// The element is below this multiple of `p`, at least 1.
    pub times: u64,
    /// Limbs but the highest are in `(-loose·2^52, loose·2^52)`; 0 of an element that is normal.
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
        (times <= most(field)).then_some(Bound::normal(times))
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

/// Limbs of an element: the least that leave four bits above `p`, so that `R ≥ 16p` and nothing needs to be reduced in a
/// formula.
pub fn limbs(field: &FieldDesc) -> usize {
    (field.p.bits() as usize + 4).div_ceil(BITS as usize)
}

/// `R = 2^(52·limbs)`, Montgomery's radix on this target.
pub fn r(field: &FieldDesc) -> BigUint {
    BigUint::one() << (BITS as usize * limbs(field))
}

/// The most that an element is below of, as a multiple of `p`: what fits the limbs, and not more than pays.
pub(in crate::targets::simd) fn most(field: &FieldDesc) -> u64 {
    (r(field) / &field.p).to_u64().map_or(MOST, |times| times.min(MOST))
}

/// What an element is between functions: normal and below `2p`.
pub fn resident() -> Bound {
    Bound::normal(2)
}

/// `x < 2^(52·n)` as limbs, the least significant first.
pub fn to_limbs(x: &BigUint, n: usize) -> Vec<u64> {
    let mask = (BigUint::one() << BITS) - 1u32;
    let limb = |i: usize| ((x >> (BITS as usize * i)) & &mask).to_u64().expect("it is masked");
    (0..n).map(limb).collect()
}

/// `-p⁻¹ mod 2^52`.
pub(super) fn n0(field: &FieldDesc) -> u64 {
    let limb = BigUint::one() << BITS;
    let inverse = field.p.modinv(&limb).expect("p is odd");
    (limb - inverse).to_u64().expect("below 2^52, as the inverse is odd")
}
