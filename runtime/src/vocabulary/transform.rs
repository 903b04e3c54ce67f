//! Transforms: direction, order, coset.

use crate::error::{Result, RuntimeError};
use std::fmt;

/// Direction of an NTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Coefficients to evaluations at `shift·omega^i`.
    Forward,
    /// Evaluations at `shift·omega^i` to coefficients, with the factor `1/n`.
    Inverse,
}

/// In which order a transform has its coefficients and its evaluations, in both directions. Sizes with an odd
/// factor have natural order only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Coefficient `i`, and the evaluation at `shift·omega^i`, at index `i`.
    #[default]
    Natural,
    /// Coefficients in natural order; the evaluation at `shift·omega^i` at the index that is `i` with its
    /// `log_n` bits reversed.
    ReversedEvaluations,
    /// Evaluations in natural order; coefficient `i` at the index that is `i` with its `log_n` bits reversed.
    ReversedCoefficients,
}

impl Order {
    /// Whether what goes into a transform is bit-reversed.
    pub(crate) fn reversed_before(self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self == Order::ReversedCoefficients,
            Direction::Inverse => self == Order::ReversedEvaluations,
        }
    }

    /// Whether what comes out of it is.
    pub(crate) fn reversed_after(self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self == Order::ReversedEvaluations,
            Direction::Inverse => self == Order::ReversedCoefficients,
        }
    }

    /// An error where a transform of `n` elements has no such order.
    pub(crate) fn check(self, n: usize) -> Result<()> {
        if self == Order::Natural || n.is_power_of_two() {
            return Ok(());
        }
        let reason = format!("{n} elements have no bit-reversed order");
        Err(RuntimeError::Input { what: "order of the NTT", reason })
    }
}

/// What is computed of a vector, besides the size and the root, which tables have.
#[derive(Clone, Copy)]
pub struct Transform<T> {
    /// To evaluations or back.
    pub direction: Direction,
    /// Of the coset, not zero; one for the subgroup itself.
    pub shift: T,
    /// Of coefficients and evaluations.
    pub order: Order,
}

impl<T> fmt::Debug for Transform<T> {
    // A shift can be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut this = f.debug_struct("Transform");
        this.field("direction", &self.direction).field("order", &self.order).finish_non_exhaustive()
    }
}

impl<T> Transform<T> {
    /// The transform over `shift·<omega>`, in natural order.
    pub fn new(direction: Direction, shift: T) -> Self {
        Transform { direction, shift, order: Order::Natural }
    }
}
