//! Multi-scalar multiplication on the CPU: Pippenger's buckets with signed digits.
//!
//! arkworks' own sorts scalars by size into eleven sums, each parallel in its own way; compiled for
//! four groups that was a third of every binary's code. Here a scalar is taken as `±m` with `m` at
//! most half the modulus, so that short ones of either sign have few digits, and zeros none.

use super::arithmetic::{BucketSums, Prices, bucket_sums, bucket_sums_of};
use super::digits::{Digits, Signed};
use crate::csr::{check_len, check_range};
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::parallel::{all, collect, each};
use crate::tier::{self, Tier, tier};
use ark_ec::AffineRepr as _;
use ark_ff::{AdditiveGroup as _, PrimeField, Zero as _};
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

/// Bases for [`msm`], prepared for the [`tier()`] in use; kept as they are if that is scalar, they are owned and none
/// is an identity.
///
/// Errors: those of [`tier()`]; more bases than 2^32 with an identity among them.
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

/// [`Signed`] scalars of a group.
type SignedOf<G> = Signed<<ScalarOf<G> as PrimeField>::BigInt>;

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

/// `Σ scalar_i · base_i` without a device; the numbers of scalars and bases are equal. A [`tier()`] that this processor
/// lacks is none here, as there is no error.
pub fn msm_of<G: Group>(bases: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    let scalars: Vec<SignedOf<G>> = scalars.iter().map(|scalar| Signed::of(*scalar)).collect();
    sum::<G>(&*bucket_sums_of(bases, tier().unwrap_or(Tier::Scalar)), 0, &scalars, None)
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
    fn choose(n: usize, filled: usize, scalar_bits: usize, threads: usize, prices: Prices) -> Self {
        /// A part has as many terms, so that its buckets are not most of the work.
        const LEAST_PART: usize = 1024;
        let shape = |bits: usize| {
            let windows = scalar_bits.div_ceil(bits);
            let wanted = if threads == 1 { 1 } else { (4 * threads).div_ceil(windows) };
            Shape { bits, windows, parts: wanted.clamp(1, (n / LEAST_PART).max(1)) }
        };
        // A window has half as many buckets as values.
        let sum = |shape: &Shape| (prices.bucket << (shape.bits - 1)) + prices.sum;
        let cost = |shape: &Shape| shape.windows * (10 * filled + shape.parts * sum(shape));
        // Digits of 16 bits hold windows of 15.
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
    let scalar = |i: usize| &scalars[kept.map_or(i, |kept| kept[i] as usize)];
    let modulus_bits = ScalarOf::<G>::MODULUS_BIT_SIZE as usize;
    let bits = collect(len, &|i| scalar(i).bits());
    let terms = bits.iter().filter(|bits| **bits > 0).count();
    let all_bits: usize = bits.iter().map(|bits| usize::from(*bits)).sum();
    let filled = all_bits.div_ceil(modulus_bits);
    let shape = Shape::choose(terms, filled, modulus_bits, rayon::current_num_threads(), points.prices());
    let digits = Digits::new(&bits, &scalar, shape.bits, shape.windows);
    let part = terms.div_ceil(shape.parts).max(1);
    let parts = |window: usize| (0..digits.len(window)).step_by(part).map(move |start| (window, start));
    let tasks: Vec<(usize, usize)> = (0..shape.windows).flat_map(parts).collect();
    let sums: Vec<OnceLock<ProjectiveOf<G>>> = tasks.iter().map(|_| OnceLock::new()).collect();
    each(tasks.len(), &|task| {
        let (window, start) = tasks[task];
        let range = start..(start + part).min(digits.len(window));
        // Each task has a place of its own.
        let _ = sums[task].set(points.sum(digits.of(window, range, first), 1 << (shape.bits - 1)));
    });
    let mut sum = ProjectiveOf::<G>::zero();
    let mut left = tasks.iter().zip(&sums).rev().peekable();
    for window in (0..shape.windows).rev() {
        for _ in 0..shape.bits {
            sum.double_in_place();
        }
        while let Some((_, part)) = left.next_if(|((of, _), _)| *of == window) {
            part.get().into_iter().for_each(|part| sum += part);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn parts_keep_all_threads_busy_and_are_not_too_short() {
        for threads in [1, 2, 64] {
            for n in [0, 1, 1000, 1 << 14, 1 << 22] {
                let shape = Shape::choose(n, n, 254, threads, Prices { bucket: 18, sum: 0 });
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
