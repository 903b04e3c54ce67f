//! A prime field as the compiler sees it.

use num_bigint::BigUint;
use num_traits::One;

/// An odd prime and its word budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDesc {
    /// Snake-case name, prefix of the kernel symbols: `bn254_fq`.
    pub name: String,
    /// The modulus; an odd prime ≥ 3.
    pub p: BigUint,
    /// Words (u32) of an element: the least that hold `p`.
    pub words: usize,
}

impl FieldDesc {
    /// The field of an odd prime `p ≥ 3`; the caller has checked it.
    pub fn new(name: impl Into<String>, p: BigUint) -> Self {
        debug_assert!(p.bit(0) && p > BigUint::one());
        let words = (p.bits() as usize).div_ceil(32);
        FieldDesc { name: name.into(), p, words }
    }

    /// `R = 2^(32·words)`, the Montgomery radix of the device.
    pub fn r(&self) -> BigUint {
        BigUint::one() << (32 * self.words)
    }

    /// `R mod p`: the Montgomery form of one.
    pub fn r_mod_p(&self) -> BigUint {
        self.r() % &self.p
    }

    /// `R² mod p`.
    pub fn r2(&self) -> BigUint {
        let r = self.r_mod_p();
        &r * &r % &self.p
    }

    /// `2^exponent mod p`.
    pub fn power_of_two(&self, exponent: i64) -> BigUint {
        let power = BigUint::from(2u32).modpow(&exponent.unsigned_abs().into(), &self.p);
        if exponent < 0 { power.modinv(&self.p).expect("p is odd") } else { power }
    }

    /// `-p⁻¹ mod 2^32`.
    pub fn n0(&self) -> u32 {
        let p0 = self.p.iter_u32_digits().next().expect("p is not zero");
        // Newton's iteration doubles the correct bits: 1, 2, 4, 8, 16, 32 and spare.
        let mut inv = 1u32;
        for _ in 0..6 {
            inv = inv.wrapping_mul(2u32.wrapping_sub(p0.wrapping_mul(inv)));
        }
        inv.wrapping_neg()
    }

    /// The largest `s` with `2^s | p - 1`.
    pub fn two_adicity(&self) -> u32 {
        (&self.p - 1u32).trailing_zeros().expect("p is above 1") as u32
    }

    /// `z^((p-1)/2^log)` for the least quadratic nonresidue `z`: of order `2^log`, which is at most
    /// the two-adicity. The kernels' own root of unity; the runtime finds it by the same rule.
    pub fn root_of_unity(&self, log: u32) -> BigUint {
        debug_assert!(log <= self.two_adicity());
        let order = &self.p - 1u32;
        let half = &order >> 1;
        let z = (2u32..).map(BigUint::from).find(|z| z.modpow(&half, &self.p) == order);
        z.expect("half of the units of a prime field are no squares").modpow(&(order >> log), &self.p)
    }

    /// The Montgomery form `x·R mod p` of a canonical `x`, in `[0, p)`.
    pub fn to_mont(&self, x: &BigUint) -> BigUint {
        x * self.r() % &self.p
    }

    /// `x` as `words` little-endian words; `x < R`.
    pub fn limbs(&self, x: &BigUint) -> Vec<u32> {
        let mut limbs = x.to_u32_digits();
        assert!(limbs.len() <= self.words, "{x} does not fit {} words", self.words);
        limbs.resize(self.words, 0);
        limbs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n0_is_minus_the_inverse() {
        for p in [3u64, 13, 2013265921, 0xffff_ffff_0000_0001] {
            let f = FieldDesc::new("f", p.into());
            assert_eq!((p as u32).wrapping_mul(f.n0()), u32::MAX, "{p}");
        }
    }
}
