//! Multi-scalar multiplication on the CPU: Pippenger's buckets with signed digits.
//!
//! arkworks' own sorts scalars by size into eleven sums, each parallel in its own way; compiled for
//! four groups that was a third of every binary's code. Here a scalar is taken as `±m` with `m` at
//! most half the modulus, so that short ones of either sign have few digits, and zeros none.

use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::parallel::each;
use ark_ec::VariableBaseMSM;
use ark_ff::{AdditiveGroup as _, BigInteger, PrimeField, Zero as _};
use std::sync::OnceLock;

/// A canonical scalar `s`, as `s` or as `-(r - s)`, whichever is shorter.
#[derive(Clone, Copy)]
pub(super) struct Signed<B> {
    magnitude: B,
    negative: bool,
}

/// [`Signed`] scalars of a group.
pub(super) type SignedOf<G> = Signed<<ScalarOf<G> as PrimeField>::BigInt>;

/// What arkworks sums affine points in.
type BucketOf<G> = <ProjectiveOf<G> as VariableBaseMSM>::Bucket;

impl<B: BigInteger> Signed<B> {
    pub(super) fn of<F: PrimeField<BigInt = B>>(scalar: F) -> Self {
        let scalar = scalar.into_bigint();
        let mut negated = F::MODULUS;
        negated.sub_with_borrow(&scalar);
        let negative = negated < scalar;
        Signed { magnitude: if negative { negated } else { scalar }, negative }
    }

    /// Booth's digit `window`, of absolute value at most `2^(bits - 1)`: the window's bits plus the one
    /// below, less `2^bits` if its top bit is set, which is the one below of the next window.
    fn digit(&self, window: usize, bits: usize) -> isize {
        let limbs = self.magnitude.as_ref();
        let taken = match (window * bits).checked_sub(1) {
            None => limbs[0] << 1,
            Some(low) => {
                let (limb, shift) = (low / 64, low % 64);
                let above = limbs.get(limb + 1).filter(|_| shift != 0);
                limbs[limb] >> shift | above.map_or(0, |above| above << (64 - shift))
            }
        } & ((2 << bits) - 1);
        let digit = taken.div_ceil(2) as isize - (taken >> bits << bits) as isize;
        if self.negative { -digit } else { digit }
    }
}

/// How a sum is cut up: each window of each part of the terms has buckets of its own.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Bits of a window.
    bits: usize,
    windows: usize,
    parts: usize,
}

impl Shape {
    /// The cheapest for `n` terms, and enough tasks to keep all threads busy to the end.
    fn choose(n: usize, scalar_bits: usize, threads: usize) -> Self {
        /// A part has as many terms, so that its buckets are not most of the work.
        const LEAST_PART: usize = 1024;
        let shape = |bits: usize| {
            let windows = scalar_bits.div_ceil(bits);
            let wanted = if threads == 1 { 1 } else { (4 * threads).div_ceil(windows) };
            Shape { bits, windows, parts: wanted.clamp(1, (n / LEAST_PART).max(1)) }
        };
        // A bucket is added twice, with two fifths as many multiplications again as a term takes, and its first
        // term is a copy: 1.8 terms for each of the half as many buckets as a window has values.
        let cost = |shape: &Shape| shape.windows * (n + shape.parts * (9 << shape.bits) / 10);
        (2..=16).map(shape).min_by_key(cost).expect("the range is not empty")
    }
}

/// `Σ scalars[kept[i]] · bases[i]`; without `kept`, `Σ scalars[i] · bases[i]`.
pub(super) fn sum<G: Group>(
    bases: &[AffineOf<G>],
    scalars: &[SignedOf<G>],
    kept: Option<&[u32]>,
) -> ProjectiveOf<G> {
    let modulus_bits = ScalarOf::<G>::MODULUS_BIT_SIZE as usize;
    let shape = Shape::choose(bases.len(), modulus_bits, rayon::current_num_threads());
    let part = bases.len().div_ceil(shape.parts).max(1);
    let sums: Vec<OnceLock<BucketOf<G>>> =
        (0..shape.windows * shape.parts).map(|_| OnceLock::new()).collect();
    each(sums.len(), &|task| {
        let (window, first) = (task / shape.parts, task % shape.parts * part);
        let mut buckets = vec![ProjectiveOf::<G>::ZERO_BUCKET; 1 << (shape.bits - 1)];
        for (i, base) in bases.iter().enumerate().skip(first).take(part) {
            match scalars[kept.map_or(i, |kept| kept[i] as usize)].digit(window, shape.bits) {
                0 => {}
                digit if digit > 0 => buckets[digit as usize - 1] += base,
                digit => buckets[digit.unsigned_abs() - 1] -= base,
            }
        }
        // Σ (i + 1)·bucket(i), as the sum of the sums of the buckets from i on.
        let (mut from_here, mut total) = (ProjectiveOf::<G>::ZERO_BUCKET, ProjectiveOf::<G>::ZERO_BUCKET);
        for bucket in buckets.iter().rev() {
            from_here += bucket;
            total += &from_here;
        }
        // Each task has a place of its own.
        let _ = sums[task].set(total);
    });
    let mut sum = ProjectiveOf::<G>::zero();
    for window in sums.chunks(shape.parts).rev() {
        for _ in 0..shape.bits {
            sum.double_in_place();
        }
        window.iter().filter_map(OnceLock::get).for_each(|part| sum += part);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{Field as _, One as _, UniformRand as _};
    use ark_std::rand::{SeedableRng, rngs::StdRng};

    type Fr = ark_bn254::Fr;

    #[test]
    fn digits_add_up() {
        let mut rng = StdRng::seed_from_u64(1);
        let half = Fr::from(2u64).inverse().unwrap();
        let edges = [Fr::zero(), Fr::one(), -Fr::one(), half, -half, half - Fr::one(), Fr::from(u64::MAX)];
        for scalar in edges.into_iter().chain((0..20).map(|_| Fr::rand(&mut rng))) {
            let signed = Signed::of(scalar);
            for bits in 2..=16 {
                let windows = (Fr::MODULUS_BIT_SIZE as usize).div_ceil(bits);
                let value = (0..windows).rev().fold(Fr::zero(), |value, window| {
                    let digit = signed.digit(window, bits);
                    assert!(digit.unsigned_abs() <= 1 << (bits - 1));
                    value * Fr::from(1u64 << bits) + Fr::from(digit as i64)
                });
                assert_eq!(value, scalar, "{bits} bits");
            }
        }
    }

    #[test]
    fn short_scalars_of_either_sign_have_few_digits() {
        for scalar in [Fr::from(200u64), -Fr::from(200u64)] {
            assert!((1..29).all(|window| Signed::of(scalar).digit(window, 9) == 0));
        }
    }

    #[test]
    fn parts_keep_all_threads_busy_and_are_not_too_short() {
        for threads in [1, 2, 64] {
            for n in [0, 1, 1000, 1 << 14, 1 << 22] {
                let shape = Shape::choose(n, 254, threads);
                assert!((2..=16).contains(&shape.bits) && shape.windows == 254usize.div_ceil(shape.bits));
                assert!(shape.parts == 1 || n / shape.parts >= 1024, "{shape:?}");
                assert!(
                    n < 1 << 22 || threads == 1 || shape.parts * shape.windows >= 4 * threads,
                    "{shape:?}"
                );
            }
        }
    }
}
