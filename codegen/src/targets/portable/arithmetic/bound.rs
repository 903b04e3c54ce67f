//! Fields on limbs of 64 bits, and bounds of their elements: whole multiples of `p`.

use crate::declaration::FieldDesc;
use crate::targets::{self, Limit};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// An element is never as much as this many times `p`: what can be gained by more is nothing.
const MOST: u64 = 16;

/// Below this multiple of `p`, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound(pub u64);

impl targets::Bound for Bound {
    const CANONICAL: Bound = Bound(1);

    fn below(field: &FieldDesc, limit: &BigUint) -> Option<Bound> {
        let times = ((limit + &field.p - 1u32) / &field.p).to_u64()?.max(1);
        (times <= most(field)).then_some(Bound(times))
    }

    fn limit(self, field: &FieldDesc) -> BigUint {
        &field.p * self.0
    }

    fn units(self, _: &FieldDesc) -> u64 {
        self.0
    }

    fn stated(self) -> Limit {
        if self.0 == 1 { Limit::Canonical } else { Limit::Units(self.0) }
    }

    fn text(self, _: &FieldDesc) -> String {
        format!("<{}p", self.0)
    }
}

/// Limbs of an element: the least that hold `p`.
pub fn limbs(field: &FieldDesc) -> usize {
    (field.p.bits() as usize).div_ceil(64)
}

/// `R = 2^(64·limbs)`, Montgomery's radix on this target.
pub fn r(field: &FieldDesc) -> BigUint {
    BigUint::one() << (64 * limbs(field))
}

/// The most that an element is below of, as a multiple of `p`: what fits the limbs, and not more than pays.
pub(in crate::targets::portable) fn most(field: &FieldDesc) -> u64 {
    (r(field) / &field.p).to_u64().map_or(MOST, |times| times.min(MOST))
}

/// `-p⁻¹ mod 2^64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::targets::portable) struct N0(pub(super) u64);

impl N0 {
    pub(in crate::targets::portable) fn of(field: &FieldDesc) -> N0 {
        let word = BigUint::one() << 64;
        let inverse = field.p.modinv(&word).expect("p is odd");
        N0((word - inverse).to_u64().expect("below 2^64, as the inverse is odd"))
    }
}

/// `x` as little-endian limbs, at least `n`.
pub fn to_limbs(x: &BigUint, n: usize) -> Vec<u64> {
    let mut limbs = x.to_u64_digits();
    limbs.resize(limbs.len().max(n), 0);
    limbs
}
