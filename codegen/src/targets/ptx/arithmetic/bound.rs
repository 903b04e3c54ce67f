//! Upper bounds of field values held in words.

use std::fmt;

use num_bigint::BigUint;
use num_traits::One;

use crate::declaration::FieldDesc;

/// What is known of a value in the `n` words of a field.
///
/// Bounds are coarse on purpose: a 64-bit number that is cheap to compare and to add, and enough
/// for a top word to decide. Only canonical values are known to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// In `[0, p)`.
    Canonical,
    /// In `[0, units · 2^(32(n-1)))`, units of `R/2^32`, `1 ≤ units ≤ 2^32`. Exact when `n = 1`.
    Units(u64),
}

impl Bound {
    /// Any value of the words, `< R`.
    pub const ANY: Bound = Bound::Units(1 << 32);

    /// The least bound that holds for every value `< limit`; `None` when `limit > R`.
    pub fn below(field: &FieldDesc, limit: &BigUint) -> Option<Bound> {
        if *limit <= field.p {
            return Some(Bound::Canonical);
        }
        let unit = unit(field);
        let units = (limit + &unit - 1u32) / unit;
        u64::try_from(units).ok().filter(|&u| u <= 1 << 32).map(Bound::Units)
    }

    /// The least bound that holds for `max` and everything smaller; `None` when `max ≥ R`.
    pub fn up_to(field: &FieldDesc, max: &BigUint) -> Option<Bound> {
        Bound::below(field, &(max + 1u32))
    }

    /// Values are less than this; at most `R`.
    pub fn limit(self, field: &FieldDesc) -> BigUint {
        match self {
            Bound::Canonical => field.p.clone(),
            Bound::Units(units) => unit(field) * units,
        }
    }

    /// The largest value the bound allows.
    pub fn max(self, field: &FieldDesc) -> BigUint {
        self.limit(field) - 1u32
    }

    /// The bound in units of `R/2^32`, rounded up.
    pub fn units(self, field: &FieldDesc) -> u64 {
        match self {
            Bound::Canonical => {
                let units = (&field.p + unit(field) - 1u32) / unit(field);
                u64::try_from(units).expect("p < R, so at most 2^32 units")
            }
            Bound::Units(units) => units,
        }
    }

    /// Whether every value within `self` is within `other`.
    pub fn within(self, other: Bound, field: &FieldDesc) -> bool {
        self == other || self.limit(field) <= other.limit(field)
    }

    /// The weaker of two bounds: holds for a value that is within either.
    pub fn join(self, other: Bound, field: &FieldDesc) -> Bound {
        if self.within(other, field) { other } else { self }
    }

    /// Prints as `<1p` (canonical) or `<2.35p`, rounded up to hundredths.
    pub fn display(self, field: &FieldDesc) -> impl fmt::Display {
        let hundredths = (self.limit(field) * 100u32 + &field.p - 1u32) / &field.p;
        let (whole, part) = (&hundredths / 100u32, &hundredths % 100u32);
        if part == BigUint::ZERO {
            format!("<{whole}p")
        } else {
            let text = format!("<{whole}.{part:0>2}", part = part.to_string());
            format!("{}p", text.trim_end_matches('0'))
        }
    }
}

/// `R/2^32`, the weight of the top word.
fn unit(field: &FieldDesc) -> BigUint {
    BigUint::one() << (32 * (field.words - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_bounds_are_exact() {
        let f = FieldDesc::new("f13", 13u32.into());
        assert_eq!(Bound::below(&f, &13u32.into()), Some(Bound::Canonical));
        assert_eq!(Bound::below(&f, &14u32.into()), Some(Bound::Units(14)));
        assert_eq!(Bound::below(&f, &f.r()), Some(Bound::ANY));
        assert_eq!(Bound::below(&f, &(f.r() + 1u32)), None);
        assert_eq!(Bound::Canonical.units(&f), 13);
        assert_eq!(Bound::Units(14).max(&f), 13u32.into());
    }

    #[test]
    fn bounds_round_up_to_units() {
        let f = FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into());
        assert_eq!(Bound::below(&f, &f.p), Some(Bound::Canonical));
        assert_eq!(Bound::up_to(&f, &f.p), Some(Bound::ANY));
        assert!(Bound::Canonical.within(Bound::ANY, &f));
        assert!(!Bound::ANY.within(Bound::Canonical, &f));
        assert_eq!(Bound::Canonical.join(Bound::ANY, &f), Bound::ANY);
    }

    #[test]
    fn printing() {
        let f = FieldDesc::new("f13", 13u32.into());
        let text = |b: Bound| b.display(&f).to_string();
        assert_eq!(text(Bound::Canonical), "<1p");
        assert_eq!(text(Bound::Units(26)), "<2p");
        assert_eq!(text(Bound::Units(27)), "<2.08p");
        assert_eq!(text(Bound::Units(14)), "<1.08p");
    }
}
