//! Bounds of elements in words: in units of which `p` has 8 to 16.
//!
//! A kernel of points has thousands of values. In so coarse units few bounds are different, so that few
//! programs have to be built and proven, and a sum of two elements costs a 16th of `p` at most.

use crate::declaration::FieldDesc;
use crate::targets::{self, Limit};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// The bit of the unit below the highest bit of `p`.
const BELOW_TOP: u64 = 4;

/// What is known of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// Below `p`.
    Canonical,
    /// Below so many [units](unit), at most `R`.
    Units(u64),
}

/// The unit: the power of two that is 8 to 16 times in `p`, or 1.
pub(super) fn unit(field: &FieldDesc) -> BigUint {
    BigUint::one() << field.p.bits().saturating_sub(BELOW_TOP)
}

impl targets::Bound for Bound {
    const CANONICAL: Bound = Bound::Canonical;

    fn below(field: &FieldDesc, limit: &BigUint) -> Option<Bound> {
        if *limit <= field.p {
            return Some(Bound::Canonical);
        }
        if *limit > field.r() {
            return None;
        }
        let unit = unit(field);
        ((limit + &unit - 1u32) / unit).to_u64().map(Bound::Units)
    }

    fn at_most(field: &FieldDesc, limit: &BigUint) -> Bound {
        let units = (limit.min(&field.r()) / unit(field)).to_u64().map(Bound::Units);
        units.filter(|bound| bound.limit(field) > field.p).unwrap_or(Bound::Canonical)
    }

    fn limit(self, field: &FieldDesc) -> BigUint {
        match self {
            Bound::Canonical => field.p.clone(),
            Bound::Units(units) => unit(field) * units,
        }
    }

    fn units(self, field: &FieldDesc) -> u64 {
        match self {
            Bound::Canonical => (&field.p / unit(field)).to_u64().expect("16 at most") + 1,
            Bound::Units(units) => units,
        }
    }

    fn stated(self) -> Limit {
        match self {
            Bound::Canonical => Limit::Canonical,
            Bound::Units(units) => Limit::Units(units),
        }
    }

    fn text(self, field: &FieldDesc) -> String {
        let hundredths = (self.limit(field) * 100u32 + &field.p - 1u32) / &field.p;
        let (whole, part) = (&hundredths / 100u32, (&hundredths % 100u32).to_u32_digits());
        match part.first() {
            None => format!("<{whole}p"),
            Some(part) => format!("<{whole}.{part:02}p"),
        }
    }
}
