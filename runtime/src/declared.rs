//! What expansions of the macros call. Not an interface for people.

mod binding;
mod constants;
mod message;
mod pairing;

pub use binding::*;
pub use constants::*;
pub use message::*;
pub use pairing::{bls12_miller_loop, two_powers};

use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::host;
use ark_ff::{
    BigInt, CubicExtConfig, CubicExtField, Fp, MontBackend, MontConfig, QuadExtConfig, QuadExtField,
};

/// The multiplication that a generated curve's `msm` is: the CPU's, with the contract of arkworks'
/// `VariableBaseMSM::msm`.
///
/// Errors: the shorter length, where there are not as many scalars as bases.
pub fn msm<G: Group>(bases: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>, usize> {
    if bases.len() == scalars.len() {
        Ok(host::msm_of::<G>(bases, scalars))
    } else {
        Err(bases.len().min(scalars.len()))
    }
}

/// Whether two little-endian numbers are equal, in const context; missing words count as zero.
pub const fn same_words(a: &[u64], b: &[u64]) -> bool {
    let longest = if a.len() > b.len() { a.len() } else { b.len() };
    let mut i = 0;
    while i < longest {
        let x = if i < a.len() { a[i] } else { 0 };
        let y = if i < b.len() { b[i] } else { 0 };
        if x != y {
            return false;
        }
        i += 1;
    }
    true
}

/// An extension of a field, for what its type is over.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no level of a tower: it is neither a quadratic nor a cubic extension",
    label = "no extension of another field",
    note = "types of arkworks 0.6 are needed; those of its other versions are other types"
)]
pub trait Extension {
    /// What it is over.
    type Below;
}

impl<P: QuadExtConfig> Extension for QuadExtField<P> {
    type Below = P::BaseField;
}

impl<P: CubicExtConfig> Extension for CubicExtField<P> {
    type Below = P::BaseField;
}

/// `a·b/2^(64N) mod p` for a modulus that fills all `N` words.
///
/// ark-ff 0.6's default `MontConfig::mul_assign` drops the carry out of the top word for
/// such moduli (its derive macro does not); operands and result are in `[0, p)`.
pub fn mul_assign_without_spare_bit<T: MontConfig<N>, const N: usize>(
    a: &mut Fp<MontBackend<T, N>, N>,
    b: &Fp<MontBackend<T, N>, N>,
) {
    let p = &T::MODULUS.0;
    let mut t = [0u64; N];
    // t + top·2^(64N) < 2p after every round, so top is 0 or 1.
    let mut top = 0u64;
    for &word in &b.0.0 {
        let mut carry = 0u64;
        for (t, &a) in t.iter_mut().zip(&a.0.0) {
            (*t, carry) = mac(*t, a, word, carry);
        }
        let (high, overflow) = top.overflowing_add(carry);
        let k = t[0].wrapping_mul(T::INV);
        let (_, mut carry) = mac(t[0], k, p[0], 0);
        for j in 1..N {
            (t[j - 1], carry) = mac(t[j], k, p[j], carry);
        }
        let (low, overflow2) = high.overflowing_add(carry);
        t[N - 1] = low;
        top = u64::from(overflow) + u64::from(overflow2);
    }
    let mut borrow = 0u64;
    let mut reduced = [0u64; N];
    for j in 0..N {
        let (d, b1) = t[j].overflowing_sub(p[j]);
        let (d, b2) = d.overflowing_sub(borrow);
        reduced[j] = d;
        borrow = u64::from(b1 | b2);
    }
    a.0 = BigInt(if top >= borrow { reduced } else { t });
}

/// `t + a·b + carry` as low and high word; it cannot overflow 128 bits.
const fn mac(t: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let wide = t as u128 + a as u128 * b as u128 + carry as u128;
    (wide as u64, (wide >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_compare_with_zero_extension() {
        assert!(same_words(&[1, 0], &[1]));
        assert!(same_words(&[], &[0]));
        assert!(!same_words(&[1], &[1, 1]));
        assert!(!same_words(&[1, 2], &[1]));
    }
}
