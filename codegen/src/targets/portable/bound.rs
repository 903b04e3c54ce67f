//! Bounds of elements: whole multiples of `p`.

use super::Portable;
use crate::declaration::FieldDesc;
use crate::targets::limbs::Limbs as _;
use crate::targets::{self, Limit};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

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

/// The most that an element is below of, as a multiple of `p`: what fits the limbs, and not more than pays.
pub(super) fn most(field: &FieldDesc) -> u64 {
    (Portable::r(field) / &field.p).to_u64().map_or(MOST, |times| times.min(MOST))
}
