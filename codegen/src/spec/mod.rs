//! What a declaration says, and what follows from it.
//!
//! A [`FieldDesc`] or [`GroupDesc`] is a *checked* declaration: the macros make one only after
//! the primality and curve checks. The rest of the compiler never sees unchecked numbers.

pub mod curve;
mod error;
mod field;
mod lucas;
mod op;
pub mod prime;
pub mod tower;

pub use error::SpecError;
pub use field::FieldDesc;
pub use op::{FieldOp, Gives, MAX_ROWS};
pub use prime::MAX_MODULUS_BITS;
pub use tower::{Tower, TowerField};

use num_bigint::BigUint;

/// A group with generated kernels: short Weierstrass `y² = x³ + a·x + b` over the field at the top of a tower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupDesc {
    /// Snake-case name, prefix of the kernel symbols: `bn254_g1`.
    pub name: String,
    /// Prime field below the coordinates.
    pub base: FieldDesc,
    /// The levels above it; the coordinates are elements of the highest.
    pub tower: Tower,
    /// Coefficient `a`: canonical coordinates over the prime field.
    pub a: Vec<BigUint>,
    /// Coefficient `b`, as `a`.
    pub b: Vec<BigUint>,
}

impl GroupDesc {
    /// Extension degree of the coordinates over the prime field.
    pub fn degree(&self) -> usize {
        self.tower.degree()
    }

    /// The field of the coordinates, for exact arithmetic.
    pub fn coordinate_field(&self) -> TowerField {
        TowerField { p: self.base.p.clone(), tower: self.tower.clone() }
    }
}
