//! Bucket sums by the same work for all scalars of one number: equal slices of all entries, which regular
//! digits make as many for all, and of the slices' partials, until there is one slice.

use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::kernels::index32;
use crate::owner::Owner;
use curvesmith_abi::kernels::{PartialSums, PointAdd, SliceSums};
use curvesmith_abi::{Slice, layout};

/// The entries of an MSM, sorted by bucket; at least one.
#[derive(Clone, Copy)]
pub(super) struct Entries {
    pub(super) points: Slice<layout::Affine>,
    /// The bucket of each entry, ascending.
    pub(super) keys: Slice<layout::U32>,
    /// Its point, and in the highest bit whether that is subtracted.
    pub(super) entries: Slice<layout::U32>,
    pub(super) n: usize,
    pub(super) buckets: u32,
}

/// Items of one launch: entries, or the partials of the level before. Its own partials follow what is there
/// of points before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    /// Item `i` has the key of entry `offset + i·stride`.
    offset: usize,
    stride: usize,
    /// The place of the first item, where items are partials.
    from: usize,
    n: usize,
    /// The place of slice 0's partial, which there is none of.
    to: usize,
    len: usize,
    slices: usize,
}

/// Partials of a slice: a launch more for every factor of so many, and as many additions one after the other.
/// Modelled, not timed.
const MERGED: usize = 8;

impl Level {
    fn new(n: usize, len: usize, buckets: usize) -> Self {
        Level { offset: 0, stride: 1, from: 0, n, to: buckets, len, slices: n.div_ceil(len) }
    }

    /// The partials of all slices but the first, where there are any.
    fn next(&self) -> Option<Level> {
        let n = self.slices - 1;
        let stride = self.stride * self.len;
        let (from, to) = (self.to + 1, self.end());
        let slices = n.div_ceil(MERGED);
        (n > 0).then_some(Level { offset: self.offset + stride, stride, from, n, to, len: MERGED, slices })
    }

    /// Places that are taken by it and all before.
    fn end(&self) -> usize {
        self.to + self.slices
    }
}

/// The sum of every bucket, and behind them places that have served.
pub(super) fn accumulate(stream: &Stream, group: &Owner, entries: &Entries) -> Result<Buffer<layout::Point>> {
    let Entries { points: bases, keys, entries, n, buckets } = *entries;
    let number = |n| index32("places of points", n);
    let first = Level::new(n, slice_len(stream, group, n)?, buckets as usize);
    let levels: Vec<Level> = std::iter::successors(Some(first), Level::next).collect();
    let places = levels.last().unwrap_or(&first).end();
    let sum_buffer: Buffer<layout::Point> = stream.elements(group, places)?;
    let sums = sum_buffer.whole();
    // Zeros are the identity in every form.
    stream.zero(&sum_buffer, 0..places)?;
    for (i, level) in levels.iter().enumerate() {
        let (to, len, n, slices) =
            (number(level.to)?, number(level.len)?, number(level.n)?, number(level.slices)?);
        if i == 0 {
            let kernel = SliceSums { bases, keys, entries, sums, to, len, n, slices };
            stream.launch(group, level.slices, &kernel)?;
            continue;
        }
        let (offset, stride, from) = (number(level.offset)?, number(level.stride)?, number(level.from)?);
        let kernel = PartialSums { keys, sums, offset, stride, from, to, len, n, slices };
        stream.launch(group, level.slices, &kernel)?;
    }
    Ok(sum_buffer)
}

/// Entries of a slice.
fn slice_len(stream: &Stream, group: &Owner, n: usize) -> Result<usize> {
    let block = stream.block_threads::<SliceSums>(group);
    let wave = stream.resident_blocks::<SliceSums>(group)?.saturating_mul(block);
    let policy = &stream.gpu().policy().msm;
    Ok(n.div_ceil(policy.slices(n, wave, block) as usize).max(policy.least_slice.max(1) as usize))
}

/// Bucket by bucket, the sums of two parts.
pub(super) fn join(
    stream: &Stream,
    group: &Owner,
    sums: &Buffer<layout::Point>,
    more: &Buffer<layout::Point>,
    buckets: usize,
) -> Result<Buffer<layout::Point>> {
    let joined = stream.elements(group, buckets)?;
    let n = index32("buckets", buckets)?;
    let kernel = PointAdd { a: sums.whole(), b: more.whole(), out: joined.whole(), n };
    stream.launch(group, buckets, &kernel)?;
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Partials lie behind each other, and have the keys of the entries that their slices begin with.
    #[test]
    fn levels_end_with_one_slice() {
        for (n, len) in [(1, 8), (8, 8), (9, 8), (1000, 1), (4097, 8), (1 << 20, 31)] {
            let first = Level::new(n, len, 100);
            let levels: Vec<Level> = std::iter::successors(Some(first), Level::next).collect();
            assert_eq!(levels.last().unwrap().slices, 1);
            let mut begins: Vec<usize> = (0..n).collect();
            for (i, level) in levels.iter().enumerate() {
                assert_eq!((begins.len(), level.n.div_ceil(level.len)), (level.n, level.slices));
                let own: Vec<usize> = (0..level.n).map(|i| level.offset + i * level.stride).collect();
                assert_eq!(own, begins, "{n} {len}");
                begins = own.chunks(level.len).skip(1).map(|slice| slice[0]).collect();
                if let Some(next) = levels.get(i + 1) {
                    assert_eq!((next.from, next.to), (level.to + 1, level.to + level.slices));
                }
            }
        }
    }
}
