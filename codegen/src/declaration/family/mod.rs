//! Families of pairing-friendly curves: the numbers that a seed fixes.
//!
//! Polynomials, orders of twists, Frobenius' constants, digits of loops and final exponents, each with its
//! source. What of a curve is declared and what follows a rule is the macros' to decide; the rules are in
//! [`rules`].
//!
//! *Orders.* `E: y² = x³ + a·x + b` has `p + 1 - t` points over `F_p`, a multiple of `r`, and the second
//! group is a subgroup of a twist of `E` over an extension. The numbers here are what the polynomials say;
//! that a declared curve has these orders is checked for it as for any other.

mod bls;
mod bn;
mod bw6;
mod digits;
mod engine;
mod error;
mod mnt;
pub mod rules;
mod twist;

pub use bls::{bls12, bls24};
pub use bn::bn;
pub use bw6::{Bw6, bw6};
pub use digits::{naf, relaxed_naf};
pub use engine::{Engine, Sextic, frobenius_table};
pub use error::FamilyError;
pub use mnt::mnt;
pub use twist::{Twist, quadratic_twist_order, sextic_twist_order};

use super::prime::{MAX_MODULUS_BITS, check_modulus};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

/// What a seed fixes, by the family's polynomials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Modulus of the coordinates.
    pub p: BigUint,
    /// Order of the groups, modulus of the scalars.
    pub r: BigUint,
    /// Trace of Frobenius: the curve has `p + 1 - t` points.
    pub t: BigInt,
}

impl Numbers {
    /// Both are primes that a field can have as its modulus.
    pub fn check_primes(&self) -> Vec<FamilyError> {
        let faults = [('p', &self.p), ('r', &self.r)]
            .map(|(name, n)| check_modulus(n).map_err(|source| FamilyError::NotPrime { name, source }));
        faults.into_iter().filter_map(Result::err).collect()
    }

    /// `(p + 1 - t)/r`, the cofactor of the first group.
    pub fn cofactor(&self) -> Option<BigUint> {
        let order = BigInt::from(&self.p + 1u32) - &self.t;
        exact(order.to_biguint()?, &self.r)
    }

    /// The cofactor of the second group, on a sextic twist over `F_(p^e)`.
    pub fn sextic_cofactor(&self, e: usize) -> Option<BigUint> {
        exact(sextic_twist_order(self, e)?, &self.r)
    }

    /// The cofactor of the second group, on the quadratic twist over `F_(p^e)`.
    pub fn quadratic_cofactor(&self, e: usize) -> Option<BigUint> {
        exact(quadratic_twist_order(self, e)?, &self.r)
    }

    /// The trace of Frobenius over `F_(p^e)`: `t_0 = 2`, `t_1 = t`, `t_(e+1) = t·t_e - p·t_(e-1)`.
    pub fn trace_over(&self, e: usize) -> BigInt {
        let p = BigInt::from(self.p.clone());
        let (mut before, mut trace) = (BigInt::from(2), self.t.clone());
        for _ in 1..e {
            let next = &self.t * &trace - &p * before;
            before = std::mem::replace(&mut trace, next);
        }
        trace
    }
}

/// `n/d` if there is no rest.
fn exact(n: BigUint, d: &BigUint) -> Option<BigUint> {
    (!d.is_zero() && (&n % d).is_zero()).then(|| n / d)
}

/// The value of the polynomial with these coefficients, that of 1 first.
fn polynomial(x: &BigInt, coefficients: &[i64]) -> BigInt {
    coefficients.iter().rev().fold(BigInt::ZERO, |sum, c| sum * x + c)
}

/// A seed that is not zero and not longer than any that gives a modulus of a supported length.
fn check_seed(x: &BigInt) -> Result<(), FamilyError> {
    if x.is_zero() {
        return Err(FamilyError::SeedIsZero);
    }
    if x.bits() > MAX_MODULUS_BITS {
        return Err(FamilyError::SeedTooLarge { bits: x.bits(), limit: MAX_MODULUS_BITS });
    }
    Ok(())
}

/// A value that cannot be negative where the curve is more than a toy; 0, which no modulus is, else.
fn natural(n: BigInt) -> BigUint {
    n.to_biguint().unwrap_or_default()
}

#[cfg(test)]
mod tests;
