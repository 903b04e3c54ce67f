//! Field elements straight from Montgomery words.
//!
//! snarkjs stores coordinates as `x·R mod p` with `R = 2^(64·limbs)`, which is what
//! arkworks holds in memory, so reading one is a comparison with `p` and a copy.

use ark_ff::{BigInt, Fp, MontBackend, MontConfig, PrimeField};

/// A prime field whose elements are `x·R mod p`, `R = 2^(64·LIMBS)`, in memory.
pub trait MontgomeryField: PrimeField {
    /// 64-bit limbs of an element.
    const LIMBS: usize;

    /// The element whose Montgomery form is the little-endian integer `bytes`
    /// (`8·LIMBS` bytes); `None` if the length differs or the integer is not below `p`.
    fn from_montgomery_le(bytes: &[u8]) -> Option<Self>;

    /// The element equal to the little-endian integer `bytes` (`8·LIMBS` bytes);
    /// `None` if the length differs or the integer is not below `p`.
    fn from_canonical_le(bytes: &[u8]) -> Option<Self>;

    /// The Montgomery form as `8·LIMBS` little-endian bytes appended to `out`.
    fn push_montgomery_le(&self, out: &mut Vec<u8>);

    /// `self / R`.
    fn div_r(self) -> Self;

    /// `self · R`.
    fn mul_r(self) -> Self;
}

fn limbs_from_le<const N: usize>(bytes: &[u8]) -> Option<BigInt<N>> {
    if bytes.len() != 8 * N {
        return None;
    }
    let mut limbs = [0u64; N];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
        *limb = u64::from_le_bytes(chunk.try_into().expect("chunks of 8 bytes"));
    }
    Some(BigInt::new(limbs))
}

impl<T: MontConfig<N>, const N: usize> MontgomeryField for Fp<MontBackend<T, N>, N> {
    const LIMBS: usize = N;

    fn from_montgomery_le(bytes: &[u8]) -> Option<Self> {
        let limbs = limbs_from_le::<N>(bytes)?;
        (limbs < T::MODULUS).then(|| Self::new_unchecked(limbs))
    }

    fn from_canonical_le(bytes: &[u8]) -> Option<Self> {
        Self::from_bigint(limbs_from_le::<N>(bytes)?)
    }

    fn push_montgomery_le(&self, out: &mut Vec<u8>) {
        for limb in self.0.0 {
            out.extend_from_slice(&limb.to_le_bytes());
        }
    }

    fn div_r(self) -> Self {
        Self::new_unchecked(self.into_bigint())
    }

    fn mul_r(self) -> Self {
        Self::from_bigint(self.0).expect("Montgomery forms are below p")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<F: MontgomeryField>() {
        let mut rng = ark_std::test_rng();
        let r = F::from(2u64).pow([64 * F::LIMBS as u64]);
        for x in [F::zero(), F::one(), -F::one(), r, F::rand(&mut rng)] {
            let mut bytes = Vec::new();
            x.push_montgomery_le(&mut bytes);
            assert_eq!(F::from_montgomery_le(&bytes), Some(x));
            assert_eq!(F::from_canonical_le(&bytes), Some(x * r));
            assert_eq!(x.mul_r(), x * r);
            assert_eq!(x.mul_r().div_r(), x);
        }
        let modulus = ark_ff::BigInteger::to_bytes_le(&F::MODULUS);
        assert_eq!(F::from_montgomery_le(&modulus), None);
        assert_eq!(F::from_canonical_le(&modulus), None);
        assert_eq!(F::from_montgomery_le(&modulus[1..]), None);
    }

    #[test]
    fn montgomery_bytes_round_trip() {
        round_trip::<ark_bn254::Fq>();
        round_trip::<ark_bn254::Fr>();
        round_trip::<ark_bls12_381::Fq>();
        round_trip::<ark_bls12_381::Fr>();
    }
}
