//! Straight-line programs on limbs of one width: by which an operation can be computed, why each is right,
//! and what it asks and promises. Targets share it whose machine adds, subtracts and multiplies limbs with a
//! carry.
//!
//! An element is the least number of limbs that hold `p`, in Montgomery form with `R = 2^(B·limbs)` for limbs
//! of `B` bits.

pub mod check;
mod cost;
pub mod ir;
mod rules;
#[cfg(test)]
mod tests;
pub(in crate::targets) mod variants;

pub use cost::Cost;
pub use rules::Numbers;

use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::judged::Judged;
use crate::targets::{Arithmetic, Choice, Claim, Unproven};
use ir::Program;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// A target of such programs: its limbs, and how large an element may be.
pub trait Limbs:
    Arithmetic<Cost = Cost, Program = Program, Accepted = check::Accepted, Rules = Numbers>
{
    /// Bits of a limb.
    const BITS: usize;

    /// Whether rows of a program are to be alike, for emitters that make loops of them.
    const ROLLED: bool = false;

    /// An element is kept below this, which its limbs hold.
    fn capacity(field: &FieldDesc) -> BigUint;

    /// The unit of [`Limit::Units`](crate::targets::Limit::Units).
    fn unit(field: &FieldDesc) -> BigUint;

    /// Limbs of an element.
    fn limbs(field: &FieldDesc) -> usize {
        (field.p.bits() as usize).div_ceil(Self::BITS)
    }

    /// Montgomery's radix on this target.
    fn r(field: &FieldDesc) -> BigUint {
        BigUint::one() << (Self::BITS * Self::limbs(field))
    }

    /// Whether limbs are the words that an element has in memory, so that it has operations on those.
    fn of_layout(field: &FieldDesc) -> bool {
        Self::BITS == 32 && Self::limbs(field) == field.words
    }

    /// `x` as little-endian limbs, at least `n`.
    fn to_limbs(x: &BigUint, n: usize) -> Vec<u64> {
        let mut limbs = match Self::BITS {
            64 => x.to_u64_digits(),
            bits => {
                let count = (x.bits() as usize).div_ceil(bits);
                let mask = (BigUint::one() << bits) - 1u32;
                let limb =
                    |i: usize| ((x >> (bits * i)) & &mask).to_u64().expect("a limb has at most 64 bits");
                (0..count).map(limb).collect()
            }
        };
        limbs.resize(limbs.len().max(n), 0);
        limbs
    }
}

/// The legal variants of an operation, the cheapest first: for [`Arithmetic::choices`].
pub(in crate::targets) fn choices<T: Limbs>(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[T::Bound],
    time: impl Fn(&Cost) -> u64,
) -> Vec<Choice<T>> {
    if op.fault(field, operands.len()).is_some() {
        return vec![];
    }
    let mut choices = variants::offers(field, op, operands);
    choices.sort_by_key(|choice: &Choice<T>| (time(&choice.cost), choice.variant));
    choices
}

static JUDGED: Judged<check::Accepted> = Judged::new();

/// For [`Arithmetic::prove`].
pub(in crate::targets) fn prove<T: Limbs>(
    field: &FieldDesc,
    claims: &[Claim<'_, T>],
) -> Vec<Result<check::Accepted, Unproven>> {
    JUDGED.all(field, claims, |Claim { op, operands, choice }| {
        check::check::<T>(field, op, operands, &choice.program, choice.out)
    })
}

/// For [`Arithmetic::slack`]: what a lazy variant has to spare.
pub(in crate::targets) fn slack<T: Limbs>(field: &FieldDesc, choice: &Choice<T>) -> Vec<u64> {
    use crate::targets::Bound as _;
    let (family, form) = choice.variant.rsplit_once('.').unwrap_or_default();
    match form {
        "lazy" | "borrow" | "weak" | "copy" if !matches!(family, "is_zero" | "maybe_zero") => {
            let spare = (T::capacity(field) - choice.out.limit(field)) / T::unit(field);
            vec![spare.to_u64().expect("an element holds less than 2^64 units")]
        }
        _ => vec![],
    }
}
