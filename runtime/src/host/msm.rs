//! Multi-scalar multiplication on the CPU: Pippenger's buckets with signed digits.
//!
//! arkworks' own sorts scalars by size into eleven sums, each parallel in its own way; compiled for
//! four groups that was a third of every binary's code. Here a scalar is taken as `±m` with `m` at
//! most half the modulus, so that short ones of either sign have few digits, and zeros none.

use super::arithmetic::{BucketSums, bucket_sums, bucket_sums_of};
use super::tier::{self, Tier, tier};
use crate::csr::{check_len, check_range};
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::parallel::{all, chunks, collect, each};
use ark_ec::AffineRepr as _;
use ark_ff::{AdditiveGroup as _, BigInteger, PrimeField, Zero as _};
use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Bases without their identities.
pub struct HostBases<G: Group> {
    len: usize,
    points: Box<dyn BucketSums<G>>,
    /// Original index of each point; `None` when there was no identity.
    kept: Option<Vec<u32>>,
}

/// Scalars of one field, in `Vec<Signed<BigInt>>`.
#[derive(Clone)]
pub struct HostDigits {
    len: usize,
    /// The field's arkworks type: fields of equal length share a `BigInt` type.
    field: TypeId,
    scalars: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for HostDigits {
    // Scalars can be secret: only their number is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostDigits").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<G: Group> fmt::Debug for HostBases<G> {
    // Millions of points are for no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostBases<{}>[{}]", G::NAME, self.len)
    }
}

/// Bases for [`msm`], prepared for the [`tier`] in use; kept as they are if that is scalar, they are owned and none is an
/// identity.
///
/// Errors: those of [`tier`]; more bases than 2^32 with an identity among them.
pub fn bases<G: Group>(points: Cow<'_, [AffineOf<G>]>) -> Result<HostBases<G>> {
    bases_of(points, tier()?)
}

/// As [`bases`], for a tier that is given.
///
/// Errors: this processor lacks the tier; more bases than 2^32 with an identity among them.
pub fn bases_of<G: Group>(points: Cow<'_, [AffineOf<G>]>, tier: Tier) -> Result<HostBases<G>> {
    let tier = tier::check(tier)?;
    let len = points.len();
    if all(len, &|i| !points[i].is_zero()) {
        return Ok(HostBases { len, points: bucket_sums(points, tier), kept: None });
    }
    let limit = u64::from(u32::MAX);
    if len as u64 > limit {
        return Err(RuntimeError::TooLarge { what: "number of bases", found: len as u64, limit });
    }
    let kept: Vec<u32> = (0..len as u32).filter(|&i| !points[i as usize].is_zero()).collect();
    // In place: a copy of a key's points is a noticeable part of the call that proves once with it.
    let mut points = points.into_owned();
    points.retain(|point| !point.is_zero());
    Ok(HostBases { len, points: bucket_sums(Cow::Owned(points), tier), kept: Some(kept) })
}

/// Scalars for [`msm`].
pub fn digits<F: Field>(scalars: &[F::Ark]) -> Result<HostDigits> {
    let signed = collect(scalars.len(), &|i| Signed::of(scalars[i]));
    Ok(HostDigits { len: signed.len(), field: TypeId::of::<F::Ark>(), scalars: Arc::new(signed) })
}

/// `Σ scalar_i · base_i` over a range of the bases; as many scalars as bases.
pub fn msm<G: Group>(
    digits: &HostDigits,
    bases: &HostBases<G>,
    range: Range<usize>,
) -> Result<ProjectiveOf<G>> {
    check_len("scalars of the MSM", range.len(), digits.len)?;
    check_range(&range, bases.len)?;
    let scalars: Option<&Vec<SignedOf<G>>> = digits.scalars.downcast_ref();
    let same_field = digits.field == TypeId::of::<<G::Scalar as Field>::Ark>();
    let scalars = scalars.filter(|_| same_field).ok_or_else(|| RuntimeError::Input {
        what: "digits",
        reason: format!("they are not of {}, the scalar field of {}", G::Scalar::NAME, G::NAME),
    })?;
    let Some(kept) = &bases.kept else { return Ok(sum::<G>(&*bases.points, range.start, scalars, None)) };
    let [from, to] = [range.start, range.end].map(|end| kept.partition_point(|&i| (i as usize) < end));
    let kept: Vec<u32> = kept[from..to].iter().map(|&i| i - range.start as u32).collect();
    Ok(sum::<G>(&*bases.points, from, scalars, Some(&kept)))
}

/// `Σ scalar_i · base_i` without a device; the numbers of scalars and bases are equal. A [`tier`] that this processor lacks is
/// none here, as there is no error.
pub fn msm_of<G: Group>(bases: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    let scalars: Vec<SignedOf<G>> = scalars.iter().map(|scalar| Signed::of(*scalar)).collect();
    sum::<G>(&*bucket_sums_of(bases, tier().unwrap_or(Tier::Scalar)), 0, &scalars, None)
}

/// A canonical scalar `s`, as `s` or as `-(r - s)`, whichever is shorter.
#[derive(Clone, Copy)]
struct Signed<B> {
    magnitude: B,
    negative: bool,
}

/// [`Signed`] scalars of a group.
type SignedOf<G> = Signed<<ScalarOf<G> as PrimeField>::BigInt>;

impl<B: BigInteger> Signed<B> {
    fn of<F: PrimeField<BigInt = B>>(scalar: F) -> Self {
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
    /// The cheapest for `n` terms whose digits are as many as those of `filled` long scalars, and enough tasks to keep
    /// all threads busy to the end.
    fn choose(n: usize, filled: usize, scalar_bits: usize, threads: usize) -> Self {
        /// A part has as many terms, so that its buckets are not most of the work.
        const LEAST_PART: usize = 1024;
        let shape = |bits: usize| {
            let windows = scalar_bits.div_ceil(bits);
            let wanted = if threads == 1 { 1 } else { (4 * threads).div_ceil(windows) };
            Shape { bits, windows, parts: wanted.clamp(1, (n / LEAST_PART).max(1)) }
        };
        // A bucket is added twice, with two fifths as many multiplications again as a term takes, and its first
        // term is a copy: 1.8 terms for each of the half as many buckets as a window has values.
        let cost = |shape: &Shape| shape.windows * (filled + shape.parts * (9 << shape.bits) / 10);
        (2..=15).map(shape).min_by_key(cost).expect("the range is not empty")
    }
}

/// `Σ scalars[kept[i]] · points[first + i]`; without `kept`, `Σ scalars[i] · points[first + i]`.
fn sum<G: Group>(
    points: &dyn BucketSums<G>,
    first: usize,
    scalars: &[SignedOf<G>],
    kept: Option<&[u32]>,
) -> ProjectiveOf<G> {
    let len = kept.map_or(scalars.len(), <[u32]>::len);
    let modulus_bits = ScalarOf::<G>::MODULUS_BIT_SIZE as usize;
    let bits = |scalar: &SignedOf<G>| u64::from(scalar.magnitude.num_bits());
    let all_bits: u64 = match kept {
        None => scalars.iter().map(bits).sum(),
        Some(kept) => kept.iter().map(|&i| bits(&scalars[i as usize])).sum(),
    };
    let filled = (all_bits as usize).div_ceil(modulus_bits);
    let shape = Shape::choose(len, filled, modulus_bits, rayon::current_num_threads());
    let part = len.div_ceil(shape.parts).max(1);
    let digits = all_digits(scalars, kept, shape);
    let sums: Vec<OnceLock<ProjectiveOf<G>>> =
        (0..shape.windows * shape.parts).map(|_| OnceLock::new()).collect();
    each(sums.len(), &|task| {
        let (window, start) = (task / shape.parts, (task % shape.parts * part).min(len));
        let digits = &digits[window * len..][start..(start + part).min(len)];
        // Each task has a place of its own.
        let _ = sums[task].set(points.sum(first + start, digits, 1 << (shape.bits - 1)));
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

/// The digits of the scalars `kept`, or of all, window by window.
fn all_digits<B: BigInteger>(scalars: &[Signed<B>], kept: Option<&[u32]>, shape: Shape) -> Vec<i16> {
    /// Scalars whose digits one task writes.
    const TASK: usize = 1 << 12;
    let len = kept.map_or(scalars.len(), <[u32]>::len);
    let mut digits = vec![0; shape.windows * len];
    let mut tasks: Vec<Vec<&mut [i16]>> = (0..len.div_ceil(TASK)).map(|_| vec![]).collect();
    for window in digits.chunks_mut(len.max(1)) {
        tasks.iter_mut().zip(window.chunks_mut(TASK)).for_each(|(task, part)| task.push(part));
    }
    chunks(&mut tasks, 1, &|task, windows| {
        let start = task * TASK;
        for i in 0..windows[0].first().map_or(0, |part| part.len()) {
            let scalar = &scalars[kept.map_or(start + i, |kept| kept[start + i] as usize)];
            for (window, part) in windows[0].iter_mut().enumerate() {
                part[i] = scalar.digit(window, shape.bits) as i16;
            }
        }
    });
    digits
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
            for bits in 2..=15 {
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
                let shape = Shape::choose(n, n, 254, threads);
                assert!((2..=15).contains(&shape.bits) && shape.windows == 254usize.div_ceil(shape.bits));
                assert!(shape.parts == 1 || n / shape.parts >= 1024, "{shape:?}");
                assert!(
                    n < 1 << 22 || threads == 1 || shape.parts * shape.windows >= 4 * threads,
                    "{shape:?}"
                );
            }
        }
    }
}
