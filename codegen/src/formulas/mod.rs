//! Curve formulas, written once for every field and every tower.
//!
//! A [`Curve`] is a group in one kernel; how its points are represented, and which formulas add them, is a
//! [`Model`]. Nothing here reduces by hand: the formulas say what is computed, and passes choose how
//! extensions are multiplied and place the reductions that the chosen multipliers need.

mod affine;
mod edwards;
mod niels;
mod points;
mod xyzz;

pub use affine::Chord;
pub use points::{Accumulator, Affine, AffineWords, Curve, Point, PointVar};

use crate::declaration::Equation;
use crate::fir::build::{Fe, Pred};
use std::fmt::Debug;

/// How an addition treats its special cases: points that are equal, opposite or the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    /// By branches, which are rarely taken.
    ByCases,
    /// By selection: the same instructions for all points.
    BranchFree,
}

/// A representation of points and its formulas. XYZZ's are right for all points, the identity and equal ones
/// included; those of extended Edwards coordinates for all points of odd order, and for all of a curve whose
/// law is complete.
pub trait Model: Debug + Sync {
    /// The identity.
    fn identity<'k>(&self, curve: Curve<'k>) -> Point<'k>;

    /// A point as it was read from memory, where zeros stand for the identity.
    fn read<'k>(&self, curve: Curve<'k>, p: Point<'k>) -> Point<'k>;

    /// Whether it is the identity.
    fn is_identity<'k>(&self, curve: Curve<'k>, p: Point<'k>) -> Pred<'k>;

    /// `cond ? p : the identity`
    fn or_identity<'k>(&self, curve: Curve<'k>, cond: Pred<'k>, p: Point<'k>) -> Point<'k>;

    /// An affine point.
    fn of_affine<'k>(&self, curve: Curve<'k>, p: Affine<'k>) -> Point<'k>;

    /// What the coordinates of an affine point are divided by; not zero, where the point is not the identity.
    fn affine_denominator<'k>(&self, p: Point<'k>) -> Fe<'k>;

    /// The affine point of one that is not the identity, by the inverse of its [`Model::affine_denominator`].
    fn to_affine<'k>(&self, curve: Curve<'k>, p: Point<'k>, inverse: Fe<'k>) -> Affine<'k>;

    /// `-p` of an affine point.
    fn neg_affine<'k>(&self, p: Affine<'k>) -> Affine<'k>;

    /// `acc += p`.
    fn add<'k>(&self, curve: Curve<'k>, acc: PointVar<'k>, p: Point<'k>);

    /// `acc += p` of an affine point.
    fn madd<'k>(&self, curve: Curve<'k>, acc: Accumulator<'k>, p: Affine<'k>);

    /// `2p`
    fn dbl<'k>(&self, curve: Curve<'k>, p: Point<'k>) -> Point<'k>;
}

/// The model that a curve's kernels use. The laws of Edwards curves have no cases.
fn model_of(equation: &Equation, addition: Addition) -> &'static dyn Model {
    match (equation, addition) {
        (Equation::ShortWeierstrass { .. }, Addition::ByCases) => &xyzz::Xyzz(Addition::ByCases),
        (Equation::ShortWeierstrass { .. }, Addition::BranchFree) => &xyzz::Xyzz(Addition::BranchFree),
        (Equation::TwistedEdwards { .. }, _) => &edwards::Extended,
        (Equation::Niels { .. }, _) => &niels::Niels,
    }
}
