//! The families of Barreto, Lynn and Scott.
//!
//! P. Barreto, B. Lynn and M. Scott, Constructing elliptic curves with prescribed embedding degrees (SCN
//! 2002), section 3.1; as construction 6.6 of D. Freeman, M. Scott and E. Teske, A taxonomy of
//! pairing-friendly elliptic curves (2010).

use super::{FamilyError, Numbers, check_seed, natural, polynomial};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;

/// `r = x⁴ - x² + 1`, `p = (x - 1)²·r/3 + x`, `t = x + 1`.
pub fn bls12(x: &BigInt) -> Result<Numbers, FamilyError> {
    bls(x, &[1, 0, -1, 0, 1])
}

/// `r = x⁸ - x⁴ + 1`, `p = (x - 1)²·r/3 + x`, `t = x + 1`.
pub fn bls24(x: &BigInt) -> Result<Numbers, FamilyError> {
    bls(x, &[1, 0, 0, 0, -1, 0, 0, 0, 1])
}

fn bls(x: &BigInt, cyclotomic: &[i64]) -> Result<Numbers, FamilyError> {
    check_seed(x)?;
    // r = 1 modulo 3 then, so that (x - 1)²·r/3 is an integer only if x is 1 modulo 3.
    let rest = x.mod_floor(&BigInt::from(3));
    if rest != BigInt::from(1) {
        return Err(FamilyError::SeedModulo3 { found: if rest == BigInt::ZERO { 0 } else { 2 } });
    }
    let r = polynomial(x, cyclotomic);
    let p = polynomial(x, &[1, -2, 1]) * &r / 3i32 + x;
    Ok(Numbers { p: natural(p), r: natural(r), t: x + 1i32 })
}

/// `|x - 1|/3`, for a seed of the family.
pub(super) fn third(x: &BigInt) -> BigUint {
    (x - 1i32).magnitude() / 3u32
}
