//! Prime-field markers.

use ark_ff::{BigInt, Fp, MontBackend, MontConfig, PrimeField};
use std::fmt::Debug;

/// A prime field with generated kernels. Implemented by the macros for zero-sized markers.
pub trait Field: Copy + Debug + Send + Sync + 'static {
    /// The arkworks type.
    type Ark: PrimeField + MontLimbs;
    /// Snake-case name; kernel symbols are `<NAME>_<kernel>`.
    const NAME: &'static str;
    /// Words of an element; the device's `R` is `2^(32·WORDS)`.
    const WORDS: usize;
    /// Whether an element in arkworks' memory is one on the device: both are Montgomery form, and so are equal
    /// where the two `R` are.
    const SAME_FORM: bool = 32 * Self::WORDS == 64 * <Self::Ark as MontLimbs>::LIMBS;
    /// The embedded images (encoded [`curvesmith_abi::Image`]).
    fn images() -> &'static [&'static [u8]];
}

/// Elements that arkworks keeps in Montgomery form, with `R = 2^(64·LIMBS)`.
pub trait MontLimbs: Sized {
    /// Limbs of 64 bits.
    const LIMBS: usize;
    /// The value times `R`, canonical, lowest limb first.
    fn mont_limbs(&self) -> &[u64];
    /// The element with these limbs; `None` unless they are [`MontLimbs::LIMBS`] and below the modulus.
    fn from_mont_limbs(limbs: &[u64]) -> Option<Self>;
}

impl<T: MontConfig<N>, const N: usize> MontLimbs for Fp<MontBackend<T, N>, N> {
    const LIMBS: usize = N;

    fn mont_limbs(&self) -> &[u64] {
        &self.0.0
    }

    fn from_mont_limbs(limbs: &[u64]) -> Option<Self> {
        let value = BigInt(limbs.try_into().ok()?);
        (value < T::MODULUS).then(|| Fp::new_unchecked(value))
    }
}

/// Bits of the modulus.
pub fn modulus_bits<F: Field>() -> u32 {
    F::Ark::MODULUS_BIT_SIZE
}
