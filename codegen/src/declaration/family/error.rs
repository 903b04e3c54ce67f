//! What can be wrong with a family's numbers.

use super::twist::Twist;
use crate::declaration::SpecError;

/// A fault of a declared family; always the declaration's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// The seed is zero.
    #[error("seed is 0")]
    SeedIsZero,
    /// The seed is longer than any modulus may be.
    #[error("seed has {bits} bits, at most {limit} are supported")]
    SeedTooLarge {
        /// Bits of the seed.
        bits: u64,
        /// [`MAX_MODULUS_BITS`](crate::declaration::MAX_MODULUS_BITS).
        limit: u64,
    },
    /// `(x - 1)²/3` is no integer otherwise.
    #[error("seed must be 1 modulo 3, so that p is an integer, and is {found}{}", if *found == 2 { "; -x is 1" } else { "" })]
    SeedModulo3 {
        /// The seed modulo 3, 0 or 2.
        found: u8,
    },
    /// The seed gives no modulus for one of the two fields.
    #[error("seed gives no prime {name}: {source}")]
    NotPrime {
        /// `p` or `r`.
        name: char,
        /// What it is instead.
        source: SpecError,
    },
    /// `t² + 3y²` is no multiple of 4.
    #[error("h_t and h_y give no integer p: they must be both even or both odd")]
    Parity,
    /// arkworks keeps `h_t` and `h_y` as machine words and squares them.
    #[error("{name} must be between -2^30 and 2^30")]
    LiftTooLarge {
        /// `h_t` or `h_y`.
        name: &'static str,
    },
    /// `p + 1 - r` is longer than any trace.
    #[error("r is not the order of a curve over the field of p: it is outside of Hasse's interval")]
    OrderOutsideHasse,
    /// The order of `p` modulo `r` is another.
    #[error("the embedding degree is not {degree}: r does not divide {cyclotomic}")]
    EmbeddingDegree {
        /// 4 or 6.
        degree: usize,
        /// The cyclotomic polynomial at `p`.
        cyclotomic: &'static str,
    },
    /// The order of the first curve is another for every curve with this coefficient.
    #[error("curve with this coefficient has not p + 1 - t points: the family needs another b")]
    WrongB,
    /// No small coefficient gives the order; declare one.
    #[error("no small b gives a curve of p + 1 - t points")]
    NoB,
    /// The twist of the other type has the family's order.
    #[error(
        "twist {given} gives a second curve of another order than the family's, twist {other} one of that"
    )]
    WrongTwist {
        /// The declared one.
        given: Twist,
        /// The one that has.
        other: Twist,
    },
    /// Neither type has it.
    #[error("neither twist gives a second curve of the family's order")]
    NoTwist,
    /// There is no nonresidue among the first candidates.
    #[error("no small nonresidue found: declare {name}")]
    NoNonresidue {
        /// The option.
        name: &'static str,
    },
    /// None of the first abscissae has a point that the cofactor leaves.
    #[error("no generator found among the first abscissae: declare {name}")]
    NoGenerator {
        /// The option.
        name: &'static str,
    },
    /// The orders that the polynomials give are not multiples of `r`: a seed too small for them to be one
    /// curve's.
    #[error("seed gives no group of order r: it does not divide the order of the {which} curve")]
    NoGroup {
        /// First or second.
        which: &'static str,
    },
    /// `u` must be no square in `F_p(u)`, `u² = nonresidue`, for arkworks' quartic extension.
    #[error("p must be 1 modulo 4 for the tower of MNT4 curves")]
    NotOneModulo4,
    /// `v` must be no square in `F_p(v)`, `v³ = nonresidue`, and Frobenius' constants lie in the prime field.
    #[error("p must be 1 modulo 3 for the tower of MNT6 curves")]
    NotOneModulo3,
}
