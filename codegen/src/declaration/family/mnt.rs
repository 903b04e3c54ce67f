//! Curves of Miyaji, Nakabayashi and Takano: of prime order `r`, with embedding degree 4 or 6.
//!
//! A. Miyaji, M. Nakabayashi and S. Takano, New explicit conditions of elliptic curve traces for FR-reduction
//! (IEICE 2001). A curve takes the solution of a Pell equation and complex multiplication, so that `p`, `r`
//! and the coefficients are declared.

use super::{FamilyError, Numbers};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

/// The trace of a curve of `r` points over `F_p` whose embedding degree is `degree`, 4 or 6.
pub fn mnt(p: &BigUint, r: &BigUint, degree: usize) -> Result<Numbers, FamilyError> {
    let t = BigInt::from(p + 1u32) - BigInt::from(r.clone());
    if t.magnitude().bits() > p.bits() || t.magnitude().pow(2) > p * 4u32 {
        return Err(FamilyError::OrderOutsideHasse);
    }
    if r.is_zero() || !(cyclotomic(p, degree) % r).is_zero() {
        let cyclotomic = if degree == 4 { "p^2 + 1" } else { "p^2 - p + 1" };
        return Err(FamilyError::EmbeddingDegree { degree, cyclotomic });
    }
    Ok(Numbers { p: p.clone(), r: r.clone(), t })
}

/// `p² + 1` or `p² - p + 1`: the cyclotomic polynomial of 4 or 6 at `p`.
pub(super) fn cyclotomic(p: &BigUint, degree: usize) -> BigUint {
    let square_and_one = p * p + 1u32;
    if degree == 4 { square_and_one } else { square_and_one - p }
}
