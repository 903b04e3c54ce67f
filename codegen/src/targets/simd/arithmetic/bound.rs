//! Elements on limbs, and what is known of one in two dimensions: the value, and how loose its limbs are.
//!
//! An element `x` is `n` limbs of `b` bits, integers of either sign, with `x = Σ limb(i)·2^(b·i)` and
//! `0 ≤ x`. It is *normal* where all but the highest are in `[0, 2^b)`; the highest then is too, as
//! `x < 2^(b·n)`. Sums and differences limb by limb need no carries and leave limbs that are not normal.

use crate::declaration::FieldDesc;
use crate::targets::{self, Limit};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// What a processor's vectors multiply, and so what limbs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// Either half of products of 52 bits, added to a word.
    Halves,
    /// Products of 32 bits.
    Whole,
}

/// How elements of a field are limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limbs {
    /// Bits of each.
    pub bits: u32,
    /// Their number.
    pub n: usize,
    /// What multiplies them.
    pub products: Products,
}

impl Limbs {
    /// The least that leave four bits above `p`, so that `R ≥ 16p` and nothing needs to be reduced in a
    /// formula.
    ///
    /// Columns of whole products are sums in words of 63 bits: limbs of 29 bits leave room for 31 of them,
    /// those of 28 for
    /// 127. A sum of two products and a reduction are three for each limb.
    pub fn of(products: Products, field: &FieldDesc) -> Limbs {
        let n = |bits: u32| (field.p.bits() as usize + 4).div_ceil(bits as usize);
        let bits = match products {
            Products::Halves => 52,
            Products::Whole if n(29) <= 9 => 29,
            Products::Whole => 28,
        };
        Limbs { bits, n: n(bits), products }
    }

    /// `2^(bits·i)`
    pub fn weight(self, i: usize) -> BigUint {
        BigUint::one() << (self.bits as usize * i)
    }

    /// `R = 2^(bits·n)`, Montgomery's radix on this target.
    pub fn r(self) -> BigUint {
        self.weight(self.n)
    }

    /// The most that an element is below of, as a multiple of `p`: what fits the limbs, and not more than
    /// pays.
    pub(in crate::targets::simd) fn most(self, field: &FieldDesc) -> u64 {
        (self.r() / &field.p).to_u64().map_or(MOST, |times| times.min(MOST))
    }

    /// `x < R` as limbs, the least significant first.
    pub fn split(self, x: &BigUint) -> Vec<u64> {
        let mask = self.weight(1) - 1u32;
        let limb = |i: usize| ((x >> (self.bits as usize * i)) & &mask).to_u64().expect("it is masked");
        (0..self.n).map(limb).collect()
    }

    /// `-p⁻¹ mod 2^bits`.
    pub(super) fn n0(self, field: &FieldDesc) -> u64 {
        let limb = self.weight(1);
        let inverse = field.p.modinv(&limb).expect("p is odd");
        (limb - inverse).to_u64().expect("below a limb, as the inverse is odd")
    }
}

/// An element is never as much as this many times `p`: what can be gained by more is nothing.
const MOST: u64 = 1 << 10;
/// Limbs are never as loose as this: sums of limbs stay far within words of 64 bits.
pub(super) const LOOSEST: u64 = 1 << 9;

/// What is known of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// The element is below this multiple of `p`, at least 1.
    pub times: u64,
    /// Limbs but the highest are in `(-loose·2^bits, loose·2^bits)`; 0 of an element that is normal.
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

/// What an element is between functions: normal and below `2p`.
pub fn resident() -> Bound {
    Bound::normal(2)
}
