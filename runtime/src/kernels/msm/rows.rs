//! The sums of rows by balanced rows (Lu et al., *cuZK: Accelerating Zero-Knowledge Proof with A Faster
//! Parallel Multi-Scalar Multiplication Algorithm on GPUs*, §4.1, CSR-Balanced): a thread adds within one
//! row, and the threads of a warp as many entries each.

use super::accumulate::{Rows, least_slice, merge_partials, slices_of};
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::kernels::scan::exclusive_scan;
use crate::owner::Owner;
use crate::vocabulary::MsmStrategy;
use curvesmith_abi::kernels::{
    AccumulateRows, MergePartials, ROW_CLASSES, RowCounts, RowOrder, msm_has_pairs, msm_has_rows,
};
use curvesmith_abi::{Form, layout};

/// How many words and points a sum by rows takes beside the buckets.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSizes {
    /// Slices, of whose length a part is at least; and parts, at most.
    pub(super) slices: u32,
    /// Tiles of rows.
    tiles: u32,
    /// Words that are scanned.
    pub(super) counts: usize,
}

impl RowSizes {
    /// For at most `most` entries. A row is cut where it is as long as two slices of as many as fill the
    /// device; where all are cut, their parts fill it no more often than slices.
    pub(super) fn new(stream: &Stream, group: &Owner, most: usize, buckets: u32) -> Result<Self> {
        let slices = slices_of::<AccumulateRows>(stream, group, 1, most)?;
        let tiles = buckets.div_ceil(stream.geometry().row_tile);
        let counts = buckets as usize + 2 + tiles as usize * ROW_CLASSES as usize;
        Ok(RowSizes { slices, tiles, counts })
    }
}

/// Whether `most` entries of so many rows are summed by rows: where that is wanted, or expected to pay, with
/// rows for as many waves as the policy asks for.
pub(super) fn by_rows(
    stream: &Stream,
    group: &Owner,
    strategy: Option<MsmStrategy>,
    most: usize,
    buckets: u32,
) -> Result<bool> {
    let policy = &stream.gpu().policy().msm;
    // Where there are pairs they are what pays; other forms were not measured.
    let measured = msm_has_rows(group.degree)
        && group.form == Form::Xyzz
        && !msm_has_pairs(group.form, group.words, group.degree);
    let block = stream.block_threads::<AccumulateRows>(group);
    let waves =
        |blocks: u32| u64::from(policy.row_waves).saturating_mul(u64::from(blocks) * u64::from(block));
    let rows = (most as u64).min(buckets.into());
    match strategy {
        Some(strategy) => Ok(strategy == MsmStrategy::RowBalanced),
        // A multiprocessor holds a block at least: kernels that are not asked for are not loaded.
        None if !measured || rows < waves(policy.multiprocessors) => Ok(false),
        None => Ok(rows >= waves(stream.resident_blocks::<AccumulateRows>(group)?)),
    }
}

/// Adds its rows to every bucket: a row's sum begins with what the bucket has.
pub(super) fn accumulate_rows(
    stream: &Stream,
    group: &Owner,
    rows: &Rows,
    to: &Buffer<layout::Point>,
) -> Result<()> {
    let Rows { points: bases, keys: _, entries, starts, most, buckets } = *rows;
    let common = Owner::common();
    let RowSizes { slices, tiles, counts } = RowSizes::new(stream, group, most, buckets)?;
    let least = least_slice(stream);
    let offsets = stream.words(counts)?;
    let order = stream.words(buckets as usize)?;
    let counts = RowCounts { starts, counts: offsets.whole(), buckets, tiles, slices, least };
    stream.launch_blocks(&common, tiles.into(), &counts)?;
    exclusive_scan(stream, &offsets)?;
    let offsets = offsets.whole();
    let kernel = RowOrder { starts, offsets, order: order.whole(), buckets, tiles, slices, least };
    stream.launch_blocks(&common, tiles.into(), &kernel)?;

    let partial_buffer: Buffer<layout::Point> = stream.elements(group, slices as usize)?;
    let part_rows = stream.words(slices as usize)?;
    let (sums, partials) = (to.whole(), partial_buffer.whole());
    let (order, part_rows) = (order.whole(), part_rows.whole());
    let kernel =
        AccumulateRows { bases, entries, starts, offsets, order, sums, partials, part_rows, buckets, tiles };
    stream.launch(group, buckets as usize + slices as usize, &kernel)?;
    // To the kernels that merge slices, parts are slices of one entry each, whose rows start where their
    // parts do.
    let merge = MergePartials { keys: part_rows, starts: offsets, partials, sums, buckets, slices, least: 1 };
    merge_partials(stream, group, merge)
}
