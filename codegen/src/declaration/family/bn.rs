//! The family of Barreto and Naehrig.
//!
//! P. Barreto and M. Naehrig, Pairing-friendly elliptic curves of prime order (SAC 2005), section 3.

use super::{FamilyError, Numbers, check_seed, natural, polynomial};
use num_bigint::BigInt;

/// `p = 36x⁴ + 36x³ + 24x² + 6x + 1`, `t = 6x² + 1`, `r = p + 1 - t`.
pub fn bn(x: &BigInt) -> Result<Numbers, FamilyError> {
    check_seed(x)?;
    let p = polynomial(x, &[1, 6, 24, 36, 36]);
    let t = polynomial(x, &[1, 0, 6]);
    Ok(Numbers { r: natural(&p + 1i32 - &t), p: natural(p), t })
}
