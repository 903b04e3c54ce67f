//! Prime-field markers.

#[cfg(target_arch = "x86_64")]
use crate::lanes::FieldLanes;
#[cfg(target_arch = "x86_64")]
use crate::tier::Tier;
use ark_ff::{BigInt, Fp, MontBackend, MontConfig, PrimeField};
use std::fmt::Debug;

/// A prime field with generated kernels. Implemented by the macros for zero-sized markers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the marker of a prime field",
    label = "no marker of a prime field",
    note = "use `FrField` or `FqField`, the markers that a curve's declaration makes, \
            or `FpField`, that of a field's; \
            `Fr`, `Fq` and `Fp` are arkworks' types of elements"
)]
pub trait Field: Copy + Debug + Send + Sync + 'static {
    /// The arkworks type.
    type Ark: PrimeField + MontLimbs + ElementOf<Self>;
    /// Snake-case name; kernel symbols are `<NAME>_<kernel>`.
    const NAME: &'static str;
    /// Words of an element; the device's `R` is `2^(32·WORDS)`.
    const WORDS: usize;
    /// Whether an element in arkworks' memory is one on the device: both are Montgomery form, and so are
    /// equal where the two `R` are.
    const SAME_FORM: bool = 32 * Self::WORDS == 64 * <Self::Ark as MontLimbs>::LIMBS;
    /// The embedded images, encoded [`curvesmith_abi::Bundle`]s, one a flavour; empty if there are none. Best
    /// a static: a literal may be copied into every crate that calls this.
    fn images() -> &'static [u8];
    /// The functions of eight elements at once that transforms take on a tier, where the declaration has
    /// them.
    #[cfg(target_arch = "x86_64")]
    fn lanes(_: Tier) -> Option<&'static FieldLanes> {
        None
    }
}

/// The way back from an arkworks type to the marker `M` of its field: each declaration implements it once.
///
/// A call that is given elements finds the marker by it. Curves of a cycle declare one type twice, as
/// coordinates and as scalars: with both in a program, the marker of that type is written or follows from a
/// plan.
pub trait ElementOf<M> {}

/// Elements that arkworks keeps in Montgomery form, with `R = 2^(64·LIMBS)`.
pub trait MontLimbs: Sized {
    /// Limbs of 64 bits.
    const LIMBS: usize;
    /// The value times `R`, canonical, lowest limb first.
    fn mont_limbs(&self) -> &[u64];
    /// The same to be written. Whoever does leaves them canonical.
    #[doc(hidden)]
    fn mont_limbs_mut(&mut self) -> &mut [u64];
    /// The element with these limbs; `None` unless they are [`MontLimbs::LIMBS`] and below the modulus.
    fn from_mont_limbs(limbs: &[u64]) -> Option<Self>;
    /// Writes the limbs of each value as little-endian bytes, with zeros up to `stride` bytes a value:
    /// `stride` is at least `8·LIMBS`, or 4 of values below `2^32` in one limb, and `out` has `stride` bytes
    /// for each value. As fast as a copy.
    fn write_limbs(values: &[Self], stride: usize, out: &mut [u8]);
    /// The inverse of [`MontLimbs::write_limbs`]; `None` where padding is not zero or a value not below the
    /// modulus.
    fn read_limbs(bytes: &[u8], stride: usize, values: &mut [Self]) -> Option<()>;
}

impl<T: MontConfig<N>, const N: usize> MontLimbs for Fp<MontBackend<T, N>, N> {
    const LIMBS: usize = N;

    fn mont_limbs(&self) -> &[u64] {
        &self.0.0
    }

    fn mont_limbs_mut(&mut self) -> &mut [u64] {
        &mut self.0.0
    }

    fn from_mont_limbs(limbs: &[u64]) -> Option<Self> {
        let value = BigInt(limbs.try_into().ok()?);
        (value < T::MODULUS).then(|| Fp::new_unchecked(value))
    }

    fn write_limbs(values: &[Self], stride: usize, out: &mut [u8]) {
        debug_assert_eq!(out.len(), values.len() * stride);
        if stride == 4 {
            for (value, out) in values.iter().zip(out.as_chunks_mut::<4>().0) {
                *out = (value.0.0[0] as u32).to_le_bytes();
            }
            return;
        }
        for (value, out) in values.iter().zip(out.chunks_exact_mut(stride)) {
            let (limbs, padding) = out.split_at_mut(8 * N);
            for (out, limb) in limbs.as_chunks_mut::<8>().0.iter_mut().zip(value.0.0) {
                *out = limb.to_le_bytes();
            }
            if !padding.is_empty() {
                padding.fill(0);
            }
        }
    }

    fn read_limbs(bytes: &[u8], stride: usize, values: &mut [Self]) -> Option<()> {
        debug_assert_eq!(bytes.len(), values.len() * stride);
        if stride == 4 {
            for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<4>().0) {
                let mut limbs = [0; N];
                limbs[0] = u64::from(u32::from_le_bytes(*bytes));
                *value = Self::from_mont_limbs(&limbs)?;
            }
            return Some(());
        }
        for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(stride)) {
            let (bytes, padding) = bytes.split_at(8 * N);
            let mut limbs = [0; N];
            for (limb, bytes) in limbs.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *limb = u64::from_le_bytes(*bytes);
            }
            let big = BigInt(limbs);
            if big >= T::MODULUS || padding.iter().any(|byte| *byte != 0) {
                return None;
            }
            *value = Fp::new_unchecked(big);
        }
        Some(())
    }
}

/// Bits of the modulus.
pub fn modulus_bits<F: Field>() -> u32 {
    F::Ark::MODULUS_BIT_SIZE
}
