//! Multi-scalar multiplication on the CPU: Pippenger's buckets with signed digits.
//!
//! arkworks' own sorts scalars by size into eleven sums, each parallel in its own way; compiled for
//! four groups that was a third of every binary's code. Here a scalar is taken as `±m` with `m` at
//! most half the modulus, so that short ones of either sign have few digits, and zeros none.

use super::arithmetic::{BucketSums, Prices, bucket_sums, bucket_sums_of};
use super::digits::{Digits, Signed, WindowTerms};
use crate::csr::{check_len, check_range};
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::parallel::{all, chunks, collect, each};
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

/// Bases for [`msm`], prepared for the [`tier()`] in use; kept as they are if that is scalar, they are owned
/// and none is an identity.
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

/// `Σ scalar_i · base_i` without a device; the numbers of scalars and bases are equal. A [`tier()`] that this
/// processor lacks is none here, as there is no error.
pub fn msm_of<G: Group>(bases: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    let scalars: Vec<SignedOf<G>> = collect(scalars.len(), &|i| Signed::of(scalars[i]));
    sum::<G>(&*bucket_sums_of(bases, tier().unwrap_or(Tier::Scalar)), 0, &scalars, None)
}

/// How a sum is cut up: each part of a window's digits has buckets of its own.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Bits of a window.
    bits: usize,
    windows: usize,
    /// The most digits of a part.
    part: usize,
    /// Windows of a part; if several, all of their digits.
    together: usize,
}

/// What a task sums: windows, and of each the digits in a range that it has.
#[derive(Clone, Debug)]
struct Part {
    windows: Range<usize>,
    digits: Range<usize>,
}

impl Part {
    /// Those that a window of so many digits has.
    fn of(&self, len: usize) -> Range<usize> {
        self.digits.start.min(len)..self.digits.end.min(len)
    }
}

impl Shape {
    /// The one that ends first by this model: `reaching[k]` are the scalars of at least `k` bits, up to those
    /// of a long scalar, and threads take parts as they come.
    fn choose(reaching: &[usize], threads: usize, prices: Prices) -> Self {
        /// A part has as many digits, so that its buckets are not most of the work.
        const LEAST_PART: usize = 1024;
        let scalar_bits = reaching.len() - 1;
        let uncut =
            |bits: usize| Shape { bits, windows: scalar_bits.div_ceil(bits), part: usize::MAX, together: 1 };
        let cut = |(bits, wanted): (usize, usize)| {
            let uncut = uncut(bits);
            let all: usize = uncut.lens(reaching).sum();
            Shape { part: all.div_ceil(wanted.max(1)).max(LEAST_PART), ..uncut }
        };
        // Of few buckets.
        let together = |(bits, wanted): (usize, usize)| {
            let uncut = uncut(bits);
            let together = uncut.windows.div_ceil(wanted).min(prices.together >> (bits - 1));
            (together > 1).then_some(Shape { together, ..uncut })
        };
        let cost = |shape: &Shape| {
            let (mut parts, mut all, mut longest) = (0, 0, 0);
            for part in shape.parts(reaching) {
                let price = shape.price(&part, reaching, prices);
                (parts, all, longest) = (parts + 1, all + price, price.max(longest));
            }
            // Most parts are of about the same length: each thread does as many as another, or one less.
            longest.max(all / parts.max(1) * parts.div_ceil(threads))
        };
        // Digits of 16 bits hold windows of 15. Half as many parts as threads to four times as many.
        let bits = 2..=15;
        let candidates =
            bits.clone().flat_map(|bits| (1..=8).map(move |halves| (bits, halves * threads / 2)));
        let several = bits.flat_map(|bits| (1..=4).map(move |times| (bits, times * threads)));
        let shapes = candidates.map(cut).chain(several.filter_map(together));
        shapes.min_by_key(cost).expect("the range is not empty")
    }

    /// The scalars that reach a window; `reaching[k]` are those of at least `k` bits.
    fn len(self, reaching: &[usize], window: usize) -> usize {
        reaching[(window * self.bits).max(1)]
    }

    /// Those of each, the lowest first.
    fn lens(self, reaching: &[usize]) -> impl Iterator<Item = usize> {
        (0..self.windows).map(move |window| self.len(reaching, window))
    }

    /// The parts, of the lowest windows first.
    fn parts(self, reaching: &[usize]) -> impl Iterator<Item = Part> {
        (0..self.windows).step_by(self.together).flat_map(move |window| {
            let windows = window..(window + self.together).min(self.windows);
            // Windows that follow have fewer.
            let len = self.len(reaching, window);
            // Of a window all are of about the same length.
            let part = len.div_ceil(len.div_ceil(self.part).max(1)).max(1);
            let digits = (0..len).step_by(part).map(move |start| start..(start + part).min(len));
            digits.map(move |digits| Part { windows: windows.clone(), digits })
        })
    }

    /// What a part takes, in tenths of a term.
    fn price(self, part: &Part, reaching: &[usize], prices: Prices) -> usize {
        let len = |window: usize| part.of(self.len(reaching, window)).len();
        // A window has half as many buckets as values.
        let window = |window: usize| 10 * len(window) + (prices.bucket << (self.bits - 1));
        part.windows.clone().map(window).sum::<usize>() + prices.sum
    }
}

/// How many scalars have at least as many bits, up to the longest ones'.
fn reaching(bits: &[u16], longest: usize) -> Vec<usize> {
    /// Scalars that one task counts.
    const TASK: usize = 1 << 14;
    let mut counts = vec![0; bits.len().div_ceil(TASK) * (longest + 1)];
    chunks(&mut counts, longest + 1, &|task, counts: &mut [usize]| {
        bits.iter().skip(task * TASK).take(TASK).for_each(|bits| counts[usize::from(*bits)] += 1);
    });
    let mut reaching = vec![0; longest + 1];
    for counts in counts.chunks(longest + 1) {
        reaching.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
    }
    for bits in (0..longest).rev() {
        reaching[bits] += reaching[bits + 1];
    }
    reaching
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
    let bits = collect(len, &|i| scalar(i).bits());
    let reaching = reaching(&bits, ScalarOf::<G>::MODULUS_BIT_SIZE as usize);
    let shape = Shape::choose(&reaching, rayon::current_num_threads(), points.prices());
    let digits = Digits::new(&bits, &scalar, shape.bits, shape.windows);
    // Where scalars have no order, a window has digits of all, zeros among them.
    let lens: Vec<usize> = match digits.is_ordered() {
        true => reaching,
        false => vec![len; reaching.len()],
    };
    let parts: Vec<Part> = shape.parts(&lens).collect();
    let sums: Vec<OnceLock<ProjectiveOf<G>>> = parts.iter().map(|_| OnceLock::new()).collect();
    each(parts.len(), &|task| {
        let part = &parts[task];
        let of_window = |window| digits.of(window, part.of(digits.len(window)), first);
        let windows: Vec<WindowTerms<'_>> = part.windows.clone().map(of_window).collect();
        // Each task has a place of its own.
        let _ = sums[task].set(points.sum(&windows, shape.bits));
    });
    let mut sum = ProjectiveOf::<G>::zero();
    let mut left = parts.iter().zip(&sums).rev().peekable();
    for window in (0..shape.windows).rev() {
        for _ in 0..shape.bits {
            sum.double_in_place();
        }
        while let Some((_, part)) = left.next_if(|(part, _)| part.windows.start == window) {
            part.get().into_iter().for_each(|part| sum += part);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    /// What arkworks' points and lanes have.
    const PRICES: [Prices; 2] =
        [Prices { bucket: 18, sum: 0, together: 0 }, Prices { bucket: 18, sum: 30_000, together: 6000 }];

    /// The time of threads that take parts as they come, and of what they do.
    fn makespan(shape: Shape, reaching: &[usize], threads: usize, prices: Prices) -> (usize, usize) {
        let (mut busy_until, mut all) = (BinaryHeap::from(vec![Reverse(0); threads]), 0);
        for part in shape.parts(reaching) {
            let Reverse(start) = busy_until.pop().unwrap();
            let price = shape.price(&part, reaching, prices);
            busy_until.push(Reverse(start + price));
            all += price;
        }
        (busy_until.into_iter().map(|Reverse(end)| end).max().unwrap(), all)
    }

    /// Scalars of 254 bits, a share of which in tenths are of one.
    fn some_short(n: usize, share: usize) -> Vec<usize> {
        let long = n - n * share / 10;
        (0..=254).map(|bits| if bits < 2 { n } else { long }).collect()
    }

    #[test]
    fn parts_keep_all_threads_busy_and_are_not_too_short() {
        for (threads, prices) in [1, 2, 16, 64].into_iter().flat_map(|n| PRICES.map(|prices| (n, prices))) {
            for (n, share) in
                [0, 1, 1000, 1 << 14, 1 << 18, 1 << 22].into_iter().flat_map(|n| [(n, 0), (n, 8)])
            {
                let reaching = some_short(n, share);
                let shape = Shape::choose(&reaching, threads, prices);
                assert!((2..=15).contains(&shape.bits) && shape.windows == 254usize.div_ceil(shape.bits));
                assert!(shape.part >= 1024, "{shape:?}");
                let most = if shape.together > 1 { prices.together } else { usize::MAX };
                assert!(shape.together << (shape.bits - 1) <= most, "{shape:?}");
                let mut ends = vec![0; shape.windows];
                for part in shape.parts(&reaching) {
                    for window in part.windows.clone() {
                        let range = part.of(shape.len(&reaching, window));
                        let is_next = range.start == ends[window] || range.is_empty();
                        assert!(is_next && range.len() <= shape.part, "{range:?}");
                        ends[window] = range.end;
                    }
                }
                assert!(ends.into_iter().eq(shape.lens(&reaching)), "{shape:?}");
                let (end, all) = makespan(shape, &reaching, threads, prices);
                let busy = 100 * all / (threads * end).max(1);
                assert!(n < threads << 12 || busy >= 75, "{n} {share} {threads}: {shape:?} {busy}");
            }
        }
    }

    #[test]
    fn scalars_are_counted_by_their_bits() {
        let bits: Vec<u16> = (0..40_000u32).map(|i| (i % 7) as u16).collect();
        let counted = reaching(&bits, 8);
        let expected = |k: u16| bits.iter().filter(|bits| **bits >= k).count();
        assert!(counted.into_iter().eq((0..=8).map(expected)));
        assert_eq!(reaching(&[], 2), [0; 3]);
    }
}
