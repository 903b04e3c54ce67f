//! The sums of the rows of an MSM's matrix: its buckets.

use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::kernels::index32;
use crate::kernels::scan::exclusive_scan;
use crate::owner::Owner;
use crate::vocabulary::{Adding, MsmStrategy, PointLanes};
use curvesmith_abi::kernels::{
    Accumulate, AccumulateLanes, MergeHeads, MergePartials, PairCounts, PairEntries, PairSums,
    msm_has_lane_pairs, msm_has_pairs,
};
use curvesmith_abi::{Element, Geometry, Kernel, Slice, layout};

/// The sparse matrix of an MSM by rows, and what it is multiplied by.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) points: Slice<layout::Affine>,
    /// The row of each entry, ascending.
    pub(super) keys: Slice<layout::U32>,
    /// Its point, and in the highest bit whether that is subtracted.
    pub(super) entries: Slice<layout::U32>,
    /// The first entry of each row, and the number of entries.
    pub(super) starts: Slice<layout::U32>,
    /// At least the number of entries.
    pub(super) most: usize,
    pub(super) buckets: u32,
}

/// The sum of every bucket, where it is not by rows: by rounds of affine additions, which halve the entries,
/// as long as those are worth it or wanted, and then by equal slices.
pub(super) fn accumulate(
    stream: &Stream,
    group: &Owner,
    adding: Adding,
    mut rows: Rows,
) -> Result<Buffer<layout::Point>> {
    let mut halved: Option<Halved> = None;
    while halves(stream, group, adding.strategy, rows.most, rows.buckets)? {
        let next = halve(stream, group, &rows)?;
        rows = next.rows(&rows);
        // What the round before wrote goes only now, when what reads it has been submitted.
        halved = Some(next);
    }
    let sums = accumulate_slices(stream, group, adding.lanes_of(stream.geometry(), group), &rows);
    drop(halved);
    sums
}

/// Whether `most` entries of so many rows get a round of sums of pairs: where it is worth its inversions and
/// has the memory, or where it is wanted.
pub(super) fn halves(
    stream: &Stream,
    group: &Owner,
    strategy: Option<MsmStrategy>,
    most: usize,
    buckets: u32,
) -> Result<bool> {
    // With fewer entries, most would be alone.
    let halved = msm_has_pairs(group.form, group.words, group.degree) && most > 2 * buckets as usize;
    let policy = &stream.gpu().policy().msm;
    match strategy {
        Some(MsmStrategy::EqualSlices | MsmStrategy::RowBalanced) => return Ok(false),
        Some(MsmStrategy::BatchedAffine) => return Ok(halved),
        None if !halved || policy.affine_bytes == 0 => return Ok(false),
        None => {}
    }
    let least = u64::from(pair_threads(stream, group)?) * u64::from(policy.pairs_per_thread);
    let bytes = pairs(most, buckets) as u64 * group.bytes(Element::Affine) as u64;
    Ok(most as u64 / 2 >= least && bytes <= policy.affine_bytes)
}

/// The most pairs that `most` entries of so many rows make: a row's last entry may be alone.
pub(super) fn pairs(most: usize, buckets: u32) -> usize {
    most.min((most + buckets as usize) / 2)
}

/// Threads that add pairs: as many as the device holds at once.
fn pair_threads(stream: &Stream, group: &Owner) -> Result<u32> {
    Ok(stream.resident_blocks::<PairSums>(group)?.saturating_mul(stream.block_threads::<PairSums>(group)))
}

/// A matrix with half as many entries and the same products: the pairs of each row, summed.
#[derive(Debug)]
struct Halved {
    points: Buffer<layout::Affine>,
    keys: Buffer<layout::U32>,
    entries: Buffer<layout::U32>,
    starts: Buffer<layout::U32>,
}

impl Halved {
    fn rows(&self, of: &Rows) -> Rows {
        Rows {
            points: self.points.whole(),
            keys: self.keys.whole(),
            entries: self.entries.whole(),
            starts: self.starts.whole(),
            most: self.keys.len(),
            buckets: of.buckets,
        }
    }
}

fn halve(stream: &Stream, group: &Owner, rows: &Rows) -> Result<Halved> {
    let Rows { points, keys, entries, starts, most, buckets } = *rows;
    let common = Owner::common();
    let next_starts = stream.words(buckets as usize + 1)?;
    let counts = PairCounts { starts, counts: next_starts.whole(), buckets };
    stream.launch(&common, buckets as usize + 1, &counts)?;
    exclusive_scan(stream, &next_starts)?;

    let pairs = pairs(most, buckets);
    let [keys_out, entries_out, lefts, rights] = [(); 4].map(|()| stream.words(pairs));
    let (keys_out, entries_out, lefts, rights) = (keys_out?, entries_out?, lefts?, rights?);
    let kernel = PairEntries {
        keys,
        entries,
        starts,
        next_starts: next_starts.whole(),
        keys_out: keys_out.whole(),
        entries_out: entries_out.whole(),
        lefts: lefts.whole(),
        rights: rights.whole(),
        buckets,
        n: index32("entries", most)?,
    };
    stream.launch(&common, most, &kernel)?;

    let sums: Buffer<layout::Affine> = stream.elements(group, pairs)?;
    let threads = pair_threads(stream, group)?;
    let kernel = PairSums {
        points,
        lefts: lefts.whole(),
        rights: rights.whole(),
        starts: next_starts.whole(),
        sums: sums.whole(),
        buckets,
        threads,
    };
    stream.launch(group, threads as usize, &kernel)?;
    Ok(Halved { points: sums, keys: keys_out, entries: entries_out, starts: next_starts })
}

/// The sum of every bucket, by equal slices.
fn accumulate_slices(
    stream: &Stream,
    group: &Owner,
    lanes: PointLanes,
    rows: &Rows,
) -> Result<Buffer<layout::Point>> {
    let Rows { points: bases, keys, entries, starts, most, buckets } = *rows;
    let slices = slices(stream, group, lanes, most)?;
    let sum_buffer: Buffer<layout::Point> = stream.elements(group, buckets as usize)?;
    let partial_buffer: Buffer<layout::Point> = stream.elements(group, slices as usize)?;
    let (sums, partials) = (sum_buffer.whole(), partial_buffer.whole());

    // ZZ = 0 is the identity.
    stream.zero(&sum_buffer, 0..sum_buffer.len())?;
    let least = least_slice(stream);
    match lanes {
        PointLanes::Single => {
            let kernel = Accumulate { bases, keys, entries, starts, sums, partials, buckets, slices, least };
            stream.launch(group, slices as usize, &kernel)?;
        }
        PointLanes::Pair => {
            let kernel =
                AccumulateLanes { bases, keys, entries, starts, sums, partials, buckets, slices, least };
            stream.launch(group, 2 * slices as usize, &kernel)?;
        }
    }
    let merge = MergePartials { keys, starts, partials, sums, buckets, slices, least };
    merge_partials(stream, group, merge)?;
    Ok(sum_buffer)
}

/// Adds the partials of each segment to its row's sum.
pub(super) fn merge_partials(stream: &Stream, group: &Owner, merge: MergePartials) -> Result<()> {
    let MergePartials { keys, starts, partials, sums, buckets, slices, least } = merge;
    stream.launch(group, slices as usize, &merge)?;
    let further_blocks = slices.div_ceil(stream.block_threads::<MergePartials>(group)) - 1;
    if further_blocks > 0 {
        let heads = MergeHeads { keys, starts, partials, sums, buckets, slices, least };
        stream.launch_blocks(group, further_blocks.into(), &heads)?;
    }
    Ok(())
}

/// The largest least length of slices that kernels allow.
const MOST_LEAST: u32 = 1 << 10;

/// The least length of a slice.
pub(super) fn least_slice(stream: &Stream) -> u32 {
    stream.gpu().policy().msm.least_slice.clamp(1, MOST_LEAST)
}

/// Slices that so many entries are cut into.
pub(super) fn slices(stream: &Stream, group: &Owner, lanes: PointLanes, most: usize) -> Result<u32> {
    match lanes {
        PointLanes::Single => slices_of::<Accumulate>(stream, group, 1, most),
        PointLanes::Pair => slices_of::<AccumulateLanes>(stream, group, 2, most),
    }
}

/// Slices that so many entries are cut into, each for so many lanes of `K`.
pub(super) fn slices_of<K: Kernel>(stream: &Stream, group: &Owner, lanes: u32, most: usize) -> Result<u32> {
    let block = stream.block_threads::<K>(group) / lanes;
    let wave = stream.resident_blocks::<K>(group)?.saturating_mul(block);
    Ok(stream.gpu().policy().msm.slices(most, wave, block))
}

impl Adding {
    /// The lanes that add to a point of a group: where nothing else is said, a pair if there is the kernel.
    pub(super) fn lanes_of(self, geometry: &Geometry, group: &Owner) -> PointLanes {
        self.lanes.unwrap_or(match msm_has_lane_pairs(geometry, group.form, group.words, group.degree) {
            true => PointLanes::Pair,
            false => PointLanes::Single,
        })
    }
}
