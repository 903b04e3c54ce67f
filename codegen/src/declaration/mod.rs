//! What a declaration says, and what follows from it.
//!
//! A [`FieldDesc`] or [`GroupDesc`] is a *checked* declaration: the macros make one only after
//! the primality and curve checks. The rest of the compiler never sees unchecked numbers.

pub mod curve;
pub mod edwards;
mod error;
pub mod family;
mod field;
mod form;
mod lucas;
pub mod montgomery;
mod op;
pub mod prime;
pub mod suggest;
mod text;
pub mod tower;
pub mod weak;

pub use error::SpecError;
pub use field::FieldDesc;
pub use form::EdwardsForm;
pub use op::{FieldOp, Gives, MAX_NONRESIDUE, MAX_ROWS};
pub use prime::MAX_MODULUS_BITS;
pub use tower::{Tower, TowerField};

use curvesmith_abi::Form;
use num_bigint::BigUint;

/// The equation of a curve; coefficients are canonical coordinates over the prime field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Equation {
    /// `y² = x³ + a·x + b`.
    ShortWeierstrass {
        /// Coefficient of `x`.
        a: Vec<BigUint>,
        /// Constant coefficient.
        b: Vec<BigUint>,
    },
    /// `a·x² + y² = 1 + d·x²·y²`.
    TwistedEdwards {
        /// Coefficient of `x²`.
        a: Vec<BigUint>,
        /// Coefficient of `x²·y²`.
        d: Vec<BigUint>,
    },
    /// `-x² + y² = 1 + d·x²·y²`, with affine points as mixed additions take them: what a short Weierstrass
    /// curve's [`EdwardsForm`] has kernels for, and no curve is declared as.
    Niels {
        /// Coefficient of `x²·y²`.
        d: Vec<BigUint>,
    },
}

impl Equation {
    /// How kernels represent points of such a curve.
    pub fn form(&self) -> Form {
        match self {
            Equation::ShortWeierstrass { .. } => Form::Xyzz,
            Equation::TwistedEdwards { .. } => Form::Extended,
            Equation::Niels { .. } => Form::Niels,
        }
    }
}

/// A group with generated kernels: a curve over the field at the top of a tower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupDesc {
    /// Snake-case name, prefix of the kernel symbols: `bn254_g1`.
    pub name: String,
    /// Prime field below the coordinates.
    pub base: FieldDesc,
    /// The levels above it; the coordinates are elements of the highest.
    pub tower: Tower,
    /// The curve.
    pub equation: Equation,
}

impl GroupDesc {
    /// Extension degree of the coordinates over the prime field.
    pub fn degree(&self) -> usize {
        self.tower.degree()
    }

    /// The group by whose name its kernels for constant work go.
    pub fn constant_work(&self) -> GroupDesc {
        GroupDesc { name: format!("{}_constant", self.name), ..self.clone() }
    }

    /// The field of the coordinates, for exact arithmetic.
    pub fn coordinate_field(&self) -> TowerField {
        TowerField { p: self.base.p.clone(), tower: self.tower.clone() }
    }
}
