//! Device memory that an MSM takes: at least, to refuse what cannot be; at most, to stay within a budget.

use super::accumulate::{halves, pairs, slices};
use super::buckets::most_places;
use super::digits::part_len;
use super::rows::{RowSizes, by_rows};
use crate::error::{Result, RuntimeError};
use crate::gpu::{Stream, rounded};
use crate::kernels::scan::scan_bytes;
use crate::kernels::sort::Method;
use crate::owner::Owner;
use crate::vocabulary::{Adding, DigitShape, windows_of};
use curvesmith_abi::Element;

/// Bytes that the device holds at some moment of an MSM over `n` resident bases, whatever is given back in
/// time; bases not counted, and of the scalars those that are copied in the call.
pub(crate) fn least_bytes(
    stream: &Stream,
    (field, group): (&Owner, &Owner),
    n: usize,
    copied: usize,
    shape: DigitShape,
) -> u64 {
    let point = group.bytes(Element::Point) as u64;
    let entries = |len: usize| 4 * len as u64 * u64::from(shape.windows());
    let buckets = u64::from(shape.sets) << shape.log_buckets();
    let scalars = copied as u64 * field.bytes(Element::Field) as u64;
    let sort = Method::of(stream.gpu().properties());
    let sorting = sort.arrays(shape.log_buckets()) * entries(n.min(part_len(stream, field, shape)));
    // Where a bucket starts is not asked for in constant work.
    let start = if shape.is_constant() { 0 } else { 4 };
    let adding = 2 * entries(n) + buckets * (point + start);
    let sums = stream.gpu().policy().msm.runs(shape, group.words, group.degree).points();
    scalars + sorting.max(adding) + sums as u64 * point
}

/// What an MSM takes whose bases and scalars come from the host in parts.
struct Parts<'a> {
    stream: &'a Stream,
    field: &'a Owner,
    group: &'a Owner,
    adding: Adding,
}

impl Parts<'_> {
    /// Bytes that parts of `len` terms take at most: those of every allocation of a part, of which the same
    /// are made for each, so that no other one takes more.
    fn bytes(&self, shape: DigitShape, len: usize) -> Result<u64> {
        let Parts { stream, field, group, adding } = *self;
        let room = |n: u64, bytes: usize| rounded((n * bytes as u64).max(1));
        let words = |n: u64| room(n, 4);
        let (point, affine) = (group.bytes(Element::Point), group.bytes(Element::Affine));
        let buckets = shape.sets << shape.log_buckets();
        let entries = len as u64 * u64::from(shape.windows());

        // Two of each: one on its way, one that is worked on. In fields whose form is not arkworks', a third.
        let scalars =
            3 * room(len as u64, field.bytes(Element::Field)) + room(1, field.bytes(Element::Field));
        let mut bytes = scalars + 2 * room(len as u64, affine);
        let (sort, codes) = (Method::of(stream.gpu().properties()), len as u64 * u64::from(shape.multiples));
        bytes += sort.bytes(stream.geometry(), shape, codes);
        let tile = stream.geometry().scan_tile;
        let mut most = entries as usize;
        while halves(stream, group, adding.strategy, most, buckets)? {
            most = pairs(most, buckets);
            let starts = u64::from(buckets) + 1;
            bytes +=
                words(starts) + scan_bytes(tile, starts) + 4 * words(most as u64) + room(most as u64, affine);
        }
        // Buckets of all parts together, and those of a part, where it has its own.
        bytes += room(u64::from(buckets), point);
        let partials = if by_rows(stream, group, adding.strategy, most, buckets)? {
            let sizes = RowSizes::new(stream, group, most, buckets)?;
            bytes += words(sizes.counts as u64) + scan_bytes(tile, sizes.counts as u64);
            bytes += words(u64::from(buckets)) + words(u64::from(sizes.slices));
            sizes.slices
        } else {
            bytes += room(u64::from(buckets), point) + words(u64::from(most_places(shape)) + 1);
            slices(stream, group, adding.lanes_of(stream.geometry(), group), most)?
        };
        bytes += room(u64::from(partials), point);
        // Sums by bits, and what is left of them.
        let left = stream.gpu().policy().msm.runs(shape, group.words, group.degree).points();
        bytes += room(shape.sums() as u64, point) + room(left as u64, point);
        Ok(bytes)
    }

    /// The longest part, at most `n` terms, that `budget` bytes hold; 0 where none is.
    fn longest(&self, shape: DigitShape, n: usize, budget: u64) -> Result<usize> {
        let (mut fits, mut too_long) = (0, n.min(part_len(self.stream, self.field, shape)) + 1);
        while too_long - fits > 1 {
            let len = fits + (too_long - fits) / 2;
            if self.bytes(shape, len)? <= budget { fits = len } else { too_long = len }
        }
        Ok(fits)
    }
}

/// The shape of the digits of `n` scalars of `bits` bits, and the terms of a part, that do best within
/// `budget` bytes of device memory: buckets take memory, and so a narrower window may have longer parts, of
/// which each but the first adds all buckets once more. In windows of `window` bits, where that is given.
///
/// [`RuntimeError::InsufficientMemory`], with what parts of one term would take, where there is no such
/// shape.
pub(crate) fn parts_within(
    stream: &Stream,
    (field, group): (&Owner, &Owner),
    n: usize,
    (window, adding): (Option<u32>, Adding),
    budget: u64,
) -> Result<(DigitShape, usize)> {
    let parts = Parts { stream, field, group, adding };
    let (bits, policy) = (field.bits, &stream.gpu().policy().msm);
    let windows = window.map_or(2..=16, |window| window..=window);
    let mut best: Option<(u64, DigitShape, usize)> = None;
    for shape in windows.clone().map(|window| DigitShape::new(bits, window)) {
        let buckets = u64::from(shape.sets) << shape.log_buckets();
        let len = if buckets > policy.max_buckets { 0 } else { parts.longest(shape, n.max(1), budget)? };
        if len > 0 {
            let joins = (n.div_ceil(len) as u64).saturating_sub(1);
            // A bucket that is added to another costs a full addition, 1.4 mixed ones.
            let cost =
                policy.cost(n, shape).saturating_add(buckets.saturating_mul(140).saturating_mul(joins));
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, shape, len));
            }
        }
    }
    let Some((_, shape, len)) = best else {
        let bytes = windows.map(|window| parts.bytes(DigitShape::new(bits, window), 1));
        let needed = bytes.collect::<Result<Vec<_>>>()?.into_iter().min().unwrap_or_default();
        return Err(RuntimeError::InsufficientMemory { what: "streamed MSM", needed, available: budget });
    };
    debug_assert_eq!(shape.windows(), windows_of(bits, shape.window));
    // As many parts, of one length but for the last.
    Ok((shape, n.max(1).div_ceil(n.max(1).div_ceil(len))))
}
