//! The strong Lucas test with Selfridge's parameters (Baillie and Wagstaff, 1980).

use super::prime::jacobi;
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// `None` if odd `n ≥ 5`, not a square, passes; otherwise the `D` whose sequence proves it composite.
///
/// `D` is the first of 5, -7, 9, -11, … with `(D/n) = -1`, `P = 1`, `Q = (1 - D)/4`. With
/// `n + 1 = d·2^s`, a prime has `U_d = 0` or `V_(d·2^r) = 0` for some `r < s` modulo `n`.
pub(super) fn strong_lucas_witness(n: &BigUint) -> Option<i64> {
    let d = match selfridge(n) {
        Ok(d) => d,
        // D shares a factor with n and is smaller.
        Err(d) => return Some(d),
    };
    let n1 = n + 1u32;
    let s = n1.trailing_zeros().expect("n + 1 is not zero");
    let field = Ring { n };
    let (mut v, mut q, is_zero) = field.sequence(&(&n1 >> s), d);
    if is_zero || v.is_zero() {
        return None;
    }
    for _ in 1..s {
        v = field.double_v(&v, &q);
        q = &q * &q % n;
        if v.is_zero() {
            return None;
        }
    }
    Some(d)
}

/// The `D` of Selfridge's method A; `Err` if one before it shares a factor with `n`.
fn selfridge(n: &BigUint) -> Result<i64, i64> {
    let mut magnitude = 5u32;
    loop {
        // (-1/n) = 1 for n = 1 mod 4.
        let negative = magnitude % 4 == 3;
        let sign = if negative && n.bit(1) { -1 } else { 1 };
        let d = if negative { -i64::from(magnitude) } else { i64::from(magnitude) };
        match sign * jacobi(&magnitude.into(), n) {
            -1 => return Ok(d),
            0 if (BigUint::from(magnitude) % n) != BigUint::zero() => return Err(d),
            _ => magnitude += 2,
        }
    }
}

struct Ring<'a> {
    n: &'a BigUint,
}

impl Ring<'_> {
    /// `V_k`, `Q^k` modulo `n`, and whether `U_k = 0`; `k > 0`.
    fn sequence(&self, k: &BigUint, d: i64) -> (BigUint, BigUint, bool) {
        let (d_mod, q1) = (self.integer(d), self.integer((1 - d) / 4));
        let (mut u, mut v, mut q) = (BigUint::one(), BigUint::one(), q1.clone());
        for i in (0..k.bits() - 1).rev() {
            u = &u * &v % self.n;
            v = self.double_v(&v, &q);
            q = &q * &q % self.n;
            if k.bit(i) {
                // U' = (U + V)/2 and V' = (D·U + V)/2, as P = 1.
                let next = self.half(&u + &v);
                v = self.half(&d_mod * &u + &v);
                u = next;
                q = &q * &q1 % self.n;
            }
        }
        let is_zero = (u % self.n).is_zero();
        (v % self.n, q, is_zero)
    }

    /// `V_2k = V_k² - 2·Q^k`; `q < n`.
    fn double_v(&self, v: &BigUint, q: &BigUint) -> BigUint {
        (v * v + (self.n - q) * 2u32) % self.n
    }

    /// `x/2 mod n`.
    fn half(&self, x: BigUint) -> BigUint {
        let x = x % self.n;
        if x.bit(0) { (x + self.n) >> 1u32 } else { x >> 1u32 }
    }

    fn integer(&self, x: i64) -> BigUint {
        let magnitude = BigUint::from(x.unsigned_abs()) % self.n;
        if x < 0 { (self.n - magnitude) % self.n } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The odd composites below 41 000 that pass (OEIS A217255).
    const PSEUDOPRIMES: [u32; 9] = [5459, 5777, 10877, 16109, 18971, 22499, 24569, 25199, 40309];

    #[test]
    fn passes_primes_and_its_own_pseudoprimes_alone() {
        let is_prime = |n: u32| (2..).take_while(|q| q * q <= n).all(|q| !n.is_multiple_of(q));
        for n in (5..41_000u32).step_by(2) {
            if n.isqrt().pow(2) == n {
                continue;
            }
            let passes = strong_lucas_witness(&n.into()).is_none();
            assert_eq!(passes, is_prime(n) || PSEUDOPRIMES.contains(&n), "{n}");
        }
    }

    #[test]
    fn long_primes_pass_and_strong_pseudoprimes_to_base_2_fail() {
        for e in [61u32, 89, 107, 127, 521, 607] {
            assert_eq!(strong_lucas_witness(&((BigUint::one() << e) - 1u32)), None, "2^{e} - 1");
        }
        for n in [2047u64, 3277, 4033, 3215031751, 3825123056546413051] {
            assert!(strong_lucas_witness(&n.into()).is_some(), "{n}");
        }
    }
}
