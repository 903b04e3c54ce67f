//! Orders of twists.

use super::Numbers;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::Zero;
use std::fmt;

/// How the second curve `y² = x³ + b'` is made from the first by the nonresidue `ξ` of a sextic extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    /// Multiplicative: `b' = b·ξ`.
    M,
    /// Divisive: `b' = b/ξ`.
    D,
}

impl fmt::Display for Twist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Twist::M => "m",
            Twist::D => "d",
        })
    }
}

/// The order of that sextic twist over `F_q`, `q = p^e`, which `r` divides: `q + 1 - (t_e ± 3f)/2` with
/// `3f² = 4q - t_e²`.
///
/// F. Hess, N. Smart and F. Vercauteren, The eta pairing revisited (2006), section IV. `None` where the curve
/// has not complex multiplication by `√-3`, or `r` divides neither.
pub fn sextic_twist_order(numbers: &Numbers, e: usize) -> Option<BigUint> {
    let q = BigInt::from(numbers.p.pow(e as u32));
    let trace = numbers.trace_over(e);
    let (square, rest) = (&q * 4i32 - &trace * &trace).div_rem(&BigInt::from(3));
    let square = square.to_biguint().filter(|_| rest.is_zero())?;
    let f = square.sqrt();
    if &f * &f != square {
        return None;
    }
    let f = BigInt::from(f);
    let order = |sign: i32| {
        let (half, rest) = (&trace + &f * 3i32 * sign).div_rem(&BigInt::from(2));
        let order = (&q + 1i32 - half).to_biguint().filter(|_| rest.is_zero())?;
        (&order % &numbers.r).is_zero().then_some(order)
    };
    order(1).or_else(|| order(-1))
}

/// The order of the quadratic twist over `F_q`, `q = p^e`: `q + 1 + t_e`.
pub fn quadratic_twist_order(numbers: &Numbers, e: usize) -> Option<BigUint> {
    (BigInt::from(numbers.p.pow(e as u32)) + 1i32 + numbers.trace_over(e)).to_biguint()
}
