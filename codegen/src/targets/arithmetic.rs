//! What a target computes with: bounds, the variants of each operation, and what has to be shown of them.

use super::{Offer, Seal};
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::Kernel;
use num_bigint::BigUint;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::AddAssign;

/// How a target computes. A type and not a value: what was checked for one target cannot be emitted for
/// another.
pub trait Arithmetic: Copy + Debug + Eq + Send + Sync + 'static {
    /// How the size of a field value is known.
    type Bound: Bound;
    /// What a program costs. Costs of programs that run together are added up before they are priced.
    type Cost: Copy + Debug + Default + Eq + AddAssign;
    /// How a variant computes its operation.
    type Program: Clone + Debug + Eq + Hash;
    /// That a claim is right. Only the target's checker makes one, and it says of which.
    type Accepted: Accepted;
    /// What its variants ask and promise, for the checker of certificates.
    type Rules: Rules;

    /// What functions take and give, where the target says so: elements that lie in memory between them.
    fn resident(_field: &FieldDesc) -> Option<Self::Bound> {
        None
    }

    /// What of the kernel it does not have, as an error.
    fn supports(kernel: &Kernel) -> Result<(), PassError>;

    /// The legal variants of an operation, the cheapest for canonical operands first; none where the number
    /// of `operands` is not the operation's, or it does not have the operation.
    fn choices(field: &FieldDesc, op: &FieldOp, operands: &[Self::Bound]) -> Vec<Choice<Self>>;

    /// The same variants, in any order, built or not: a target that can tell what a variant promises and what
    /// it costs at least without its program does so.
    fn offers(field: &FieldDesc, op: &FieldOp, operands: &[Self::Bound]) -> Vec<Offer<Self>> {
        Self::choices(field, op, operands).into_iter().map(Offer::from).collect()
    }

    /// The variant of an operation that is on offer under a name.
    fn build(
        field: &FieldDesc,
        op: &FieldOp,
        operands: &[Self::Bound],
        variant: &'static str,
    ) -> Option<Choice<Self>> {
        Self::choices(field, op, operands).into_iter().find(|choice| choice.variant == variant)
    }

    /// Order of preference of programs for one operation: the less the better.
    fn rank(cost: &Self::Cost) -> (u64, u64);

    /// Products of words, by which effort is measured.
    fn products(cost: &Self::Cost) -> usize;

    /// For each claim, in their order, whether it is proven.
    fn prove(field: &FieldDesc, claims: &[Claim<'_, Self>]) -> Vec<Result<Self::Accepted, Unproven>>;

    /// The rules of a field.
    fn rules(field: &FieldDesc) -> Self::Rules;

    /// Whole units that each precondition of a variant has to spare, in the order of the [`Rules`]'
    /// conditions. Written into the certificate from what the variant says of itself, and compared there with
    /// the rules.
    fn slack(field: &FieldDesc, choice: &Choice<Self>, operands: &[Self::Bound]) -> Vec<u64>;
}

/// What is known of the size of a field value.
pub trait Bound: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// Below `p`.
    const CANONICAL: Self;

    /// The least bound that holds for every value `< limit`; `None` when an element cannot hold such values.
    fn below(field: &FieldDesc, limit: &BigUint) -> Option<Self>;

    /// The weakest bound that only values `< limit` are within, or a stronger one; `limit ≥ p`.
    fn at_most(field: &FieldDesc, limit: &BigUint) -> Self {
        let bound = Self::below(field, limit).filter(|bound| bound.limit(field) <= *limit);
        bound.unwrap_or(Self::CANONICAL)
    }

    /// Values are less than this.
    fn limit(self, field: &FieldDesc) -> BigUint;

    /// The limit in the units of [`Limit::Units`], rounded up.
    fn units(self, field: &FieldDesc) -> u64;

    /// As a certificate states it.
    fn stated(self) -> Limit;

    /// As it is printed: `<1p`, `<2.35p`.
    fn text(self, field: &FieldDesc) -> String;

    /// Whether every value within `self` is within `other`.
    fn within(self, other: Self, field: &FieldDesc) -> bool {
        self == other || self.limit(field) <= other.limit(field)
    }

    /// The weaker of two bounds: holds for a value that is within either.
    fn join(self, other: Self, field: &FieldDesc) -> Self {
        if self.within(other, field) { other } else { self }
    }
}

/// Values are less than this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// `p`
    Canonical,
    /// This many of the target's units ([`Rules::unit`]).
    Units(u64),
}

/// A legal variant of an operation for given operand bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<T: Arithmetic> {
    /// `<op>.<how>`: `mul.lazy`, `add.carry.canonical`.
    pub variant: &'static str,
    /// Bound of the result, or of each of several.
    pub out: T::Bound,
    /// Products that run side by side within: 1, and 3 for each of a level of Karatsuba.
    pub parts: u32,
    /// What it costs.
    pub cost: T::Cost,
    pub(crate) program: T::Program,
}

impl<T: Arithmetic> Choice<T> {
    /// How it computes: inputs and outputs as [`FieldOp`] says.
    pub fn program(&self) -> &T::Program {
        &self.program
    }
}

/// What is to be proven: that the choice computes the operation for these bounds of its operands.
#[derive(Clone, Debug)]
pub struct Claim<'a, T: Arithmetic> {
    /// The operation.
    pub op: FieldOp,
    /// Bounds of its operands.
    pub operands: &'a [T::Bound],
    /// A variant for them.
    pub choice: &'a Choice<T>,
}

/// That a checker has accepted a claim.
pub trait Accepted: Clone + Debug {
    /// The claim.
    fn seal(&self) -> Seal;
}

/// Why a program is not proven. It may still be right; it is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unproven(pub String);

/// What the variants of a target ask and promise in a field. It is written from the definitions of the
/// variants and shares no code with them: the checker of certificates believes it, and nothing else.
pub trait Rules {
    /// The unit of [`Limit::Units`].
    fn unit(&self) -> &BigUint;

    /// An element holds what is less than this.
    fn capacity(&self) -> &BigUint;

    /// The rule of a variant; `operands` are the largest, in the order of the operation's. `None` where the
    /// operation has no such variant.
    fn outcome(&self, op: &FieldOp, variant: &str, operands: &[BigUint]) -> Option<Outcome>;
}

/// What follows for the result of a variant.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The largest result; `None` where it is no field element.
    pub max: Option<BigUint>,
    /// `left ≤ right` must hold.
    pub conditions: Vec<(BigUint, BigUint)>,
}
