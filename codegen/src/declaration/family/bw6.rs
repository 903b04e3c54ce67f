//! Curves of Brezing and Weng with embedding degree 6 whose scalars are the coordinates of a BLS12 curve.
//!
//! Y. El Housni and A. Guillevic, Families of SNARK-friendly 2-chains of elliptic curves (ePrint 2021/1359),
//! section 4: `t² - 4p = -3y²` with `t = t₀ + h_t·r` and `y = y₀ + h_y·r`, where `t₀ - 1` is one of the two
//! primitive sixth roots of unity modulo `r` and `y₀ = (t₀ - 2)/√-3`. They are named by the residue of `t₀`
//! modulo the seed, 0 or 3. The curve BW6-761 is that of ePrint 2020/351.

use super::{FamilyError, Numbers, bls12, polynomial};
use crate::declaration::family::natural;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;

/// What a curve of the family is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bw6 {
    /// Seed of the inner BLS12 curve.
    pub x: BigInt,
    /// Lift of the trace.
    pub h_t: BigInt,
    /// Lift of `y`.
    pub h_y: BigInt,
    /// `t₀` is 0 modulo the seed, not 3.
    pub t_mod_x_is_zero: bool,
}

/// `p = (t² + 3y²)/4`, `r` the modulus of the inner curve's coordinates.
pub fn bw6(parameters: &Bw6) -> Result<Numbers, FamilyError> {
    let Bw6 { x, h_t, h_y, t_mod_x_is_zero } = parameters;
    let inner = bls12(x)?;
    for (name, lift) in [("h_t", h_t), ("h_y", h_y)] {
        if lift.abs() > BigInt::from(1 << 30) {
            return Err(FamilyError::LiftTooLarge { name });
        }
    }
    let r = BigInt::from(inner.p);
    // x⁵ - 3x⁴ + 3x³ - x, a multiple of 3 for every x.
    let common = polynomial(x, &[0, -1, 0, 3, -3, 1]);
    let (t0, y0) = if *t_mod_x_is_zero {
        (-&common, common / 3i32)
    } else {
        (&common + 3i32, (common.clone() + 3i32) / 3i32)
    };
    let (t, y) = (t0 + h_t * &r, y0 + h_y * &r);
    let (p, rest) = (&t * &t + &y * &y * 3i32).div_rem(&BigInt::from(4));
    if rest != BigInt::ZERO {
        return Err(FamilyError::Parity);
    }
    Ok(Numbers { p: natural(p), r: natural(r), t })
}
