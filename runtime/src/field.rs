//! Prime-field markers and the conversion between arkworks' and the device's form.

use ark_ff::{BigInteger, PrimeField};
use curvesmith_abi::padded_words;
use std::fmt::Debug;

/// A prime field with generated kernels. Implemented by the macros for zero-sized markers.
pub trait Field: Copy + Debug + Send + Sync + 'static {
    /// The arkworks type.
    type Ark: PrimeField;
    /// Snake-case name; kernel symbols are `<NAME>_<kernel>`.
    const NAME: &'static str;
    /// Words of an element; the device's `R` is `2^(32·WORDS)`.
    const WORDS: usize;
    /// The embedded images (encoded [`curvesmith_abi::Image`]).
    fn images() -> &'static [&'static [u8]];
}

/// Device words of a padded element.
pub fn element_words<F: Field>() -> usize {
    padded_words(F::WORDS)
}

/// `R = 2^(32·WORDS) mod p` as an element.
pub fn device_r<F: Field>() -> F::Ark {
    use ark_ff::Field as _;
    F::Ark::from(2u64).pow([32 * F::WORDS as u64])
}

/// Writes elements in device form (Montgomery, padded words) to `out`, which has
/// `element_words::<F>()` words per element.
pub fn to_device<F: Field>(values: &[F::Ark], out: &mut [u32]) {
    let w = element_words::<F>();
    debug_assert_eq!(out.len(), values.len() * w);
    let r = device_r::<F>();
    for (value, words) in values.iter().zip(out.chunks_exact_mut(w)) {
        let canonical = (*value * r).into_bigint();
        let limbs = canonical.as_ref();
        for (i, word) in words.iter_mut().enumerate() {
            *word = limbs.get(i / 2).map_or(0, |l| (l >> (32 * (i % 2))) as u32);
        }
    }
}

/// Reads elements in device form; `None` where a value is not canonical, which only a
/// broken kernel or device produces.
pub fn from_device<F: Field>(words: &[u32]) -> Option<Vec<F::Ark>> {
    use ark_ff::Field as _;
    let w = element_words::<F>();
    let r_inv = device_r::<F>().inverse().expect("R is a power of two and p is odd");
    words
        .chunks_exact(w)
        .map(|words| {
            let mut big = <F::Ark as PrimeField>::BigInt::default();
            let limbs = big.as_mut();
            for (i, word) in words.iter().enumerate() {
                match limbs.get_mut(i / 2) {
                    Some(l) => *l |= u64::from(*word) << (32 * (i % 2)),
                    None if *word == 0 => {}
                    None => return None,
                }
            }
            F::Ark::from_bigint(big).map(|v| v * r_inv)
        })
        .collect()
}

/// Bits of the modulus.
pub fn modulus_bits<F: Field>() -> u32 {
    F::Ark::MODULUS.num_bits()
}
