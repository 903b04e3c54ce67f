//! What a declaration says, and what follows from it.
//!
//! A [`FieldDesc`] or [`GroupDesc`] is a *checked* declaration: the macros make one only after
//! the primality and curve checks. The rest of the compiler never sees unchecked numbers.

pub mod coordinates;
pub mod curve;
mod error;
mod field;
mod lucas;
mod op;
pub mod prime;

pub use error::SpecError;
pub use field::FieldDesc;
pub use op::{FieldOp, Gives, MAX_ROWS};
pub use prime::MAX_MODULUS_BITS;

use num_bigint::BigUint;

/// A group with generated kernels: short Weierstrass `y² = x³ + a·x + b` over a prime field
/// (degree 1) or its quadratic extension `F[u]/(u² - nonresidue)` (degree 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupDesc {
    /// Snake-case name, prefix of the kernel symbols: `bn254_g1`.
    pub name: String,
    /// Prime field of the coordinates.
    pub base: FieldDesc,
    /// Canonical nonresidue of the quadratic extension; `None` for degree 1.
    pub nonresidue: Option<BigUint>,
    /// Coefficient `a`: one canonical number per coordinate of the extension.
    pub a: Vec<BigUint>,
    /// Coefficient `b`, as `a`.
    pub b: Vec<BigUint>,
}

impl GroupDesc {
    /// Extension degree of the coordinates: 1 or 2.
    pub fn degree(&self) -> usize {
        if self.nonresidue.is_some() { 2 } else { 1 }
    }
}
