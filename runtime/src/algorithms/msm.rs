//! Multi-scalar multiplication in cuZK's sparse-matrix form.
//!
//! Scalars become signed digits; (window, digit) is the row of a sparse matrix of ones and
//! signs whose product with the bases is the vector of buckets. Sorting transposes it;
//! equal slices (Chen et al., section 4) balance the accumulation for any distribution,
//! and a segmented tree joins the parts of a row that slices cut. One sort serves every
//! MSM with the same scalars. The device ends with one sum for each bit of a
//! digit, of every set of buckets; a doubling and an addition a bit of the scalars remain, which a core of the host does faster than a thread of a GPU.

use super::index32;
use super::policy::{MAX_SLICES, windows_of};
use super::scan::exclusive_scan;
use super::sort::{Pairs, sort};
use crate::csr::{check_len, check_range};
use crate::error::{Result, RuntimeError};
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::work::DigitShape;
use curvesmith_abi::kernels::{
    Accumulate, BIT_SUMS_STEPS, BaseMultiples, BitSums, BucketStarts, Digits, FlushPartials, MergePartials,
    PairCounts, PairEntries, PairSums, msm_has_pairs,
};
use curvesmith_abi::{Element, Ptr, layout};
use std::ops::Range;

/// Bases on a device, each followed by its multiples.
#[derive(Debug)]
pub(crate) struct GpuBases {
    pub(crate) points: Buffer<layout::Affine>,
    /// Of the digits that the multiples are for.
    shape: Option<DigitShape>,
}

impl GpuBases {
    /// Bases without multiples.
    pub(crate) fn of(points: Buffer<layout::Affine>) -> Self {
        GpuBases { points, shape: None }
    }

    /// Bases, not counting their multiples.
    pub(crate) fn len(&self) -> usize {
        self.points.len() / self.multiples()
    }

    pub(crate) fn shape(&self) -> Option<DigitShape> {
        self.shape
    }

    fn multiples(&self) -> usize {
        self.shape.map_or(1, |shape| shape.multiples as usize)
    }

    /// Digits of `shape` say which multiple of a base they mean.
    fn check_shape(&self, shape: DigitShape) -> Result<()> {
        match self.shape {
            None if shape.multiples == 1 => Ok(()),
            Some(own) if own.multiples == shape.multiples && own.doublings() == shape.doublings() => Ok(()),
            own => {
                let own = own.map_or("none".to_owned(), |own| format!("{own:?}"));
                let reason = format!("their multiples are for {own}, the digits are {shape:?}");
                Err(RuntimeError::Input { what: "bases", reason })
            }
        }
    }
}

/// `2^(doublings·j)` times each base, for the multiples `j` of a shape.
pub(crate) fn multiples(
    stream: &Stream,
    group: &Owner,
    bases: &GpuBases,
    shape: DigitShape,
    bits: u32,
) -> Result<GpuBases> {
    check_shape(shape, bits)?;
    bases.check_shape(DigitShape { multiples: 1, ..shape })?;
    let points = &bases.points;
    let n = index32("bases", points.len())?;
    let len = points.len().saturating_mul(shape.multiples as usize);
    index32("multiples of bases", len)?;
    let out = stream.elements(group, len)?;
    let kernel = BaseMultiples {
        points: points.ptr(),
        out: out.ptr(),
        multiples: shape.multiples,
        doublings: shape.doublings(),
        n,
    };
    stream.launch(group, points.len(), &kernel)?;
    Ok(GpuBases { points: out, shape: Some(shape) })
}

/// Signed digits of scalars, sorted by bucket, on a device.
#[derive(Debug)]
pub(crate) struct GpuDigits {
    pub(crate) len: usize,
    shape: DigitShape,
    buckets: u32,
    parts: Vec<Part>,
}

/// The digits of a range of scalars; `entries` count from its start.
#[derive(Debug)]
struct Part {
    start: usize,
    keys: Buffer<layout::U32>,
    entries: Buffer<layout::U32>,
    /// First entry of each bucket, and at the end the number of nonzero digits.
    starts: Buffer<layout::U32>,
}

impl GpuDigits {
    /// The windows.
    pub(crate) fn shape(&self) -> DigitShape {
        self.shape
    }
}

/// Digits of scalars below `2^bits`, sorted by bucket.
pub(crate) fn sorted_digits(
    stream: &Stream,
    field: &Owner,
    scalars: &Buffer<layout::Field>,
    bits: u32,
    shape: DigitShape,
) -> Result<GpuDigits> {
    let buckets = check_shape(shape, bits)?;
    let len = scalars.len();
    let part_len = part_len(stream, shape);
    let parts = (0..len).step_by(part_len);
    let parts = parts.map(|start| {
        sort_part(stream, field, scalars.ptr_at(start), shape, buckets, start, part_len.min(len - start))
    });
    Ok(GpuDigits { len, shape, buckets, parts: parts.collect::<Result<_>>()? })
}

/// Scalars that are sorted at once.
fn part_len(stream: &Stream, shape: DigitShape) -> usize {
    let entries = stream.gpu().policy().msm.max_entries.min((1 << 31) - 1);
    (entries / shape.windows().max(1)).max(1) as usize
}

fn sort_part(
    stream: &Stream,
    field: &Owner,
    scalars: Ptr<layout::Field>,
    shape: DigitShape,
    buckets: u32,
    start: usize,
    len: usize,
) -> Result<Part> {
    let n = index32("number of scalars", len)?;
    let DigitShape { window: c, sets, multiples } = shape;
    let codes = stream.words(len * shape.windows() as usize)?;
    let kernel = Digits { scalars, codes: codes.ptr(), c, sets, multiples, n };
    stream.launch(field, len, &kernel)?;
    let (Pairs { keys, entries }, last) = sort(stream, codes, sets, multiples, c - 1)?;
    let starts = stream.words(buckets as usize + 1)?;
    let kernel = BucketStarts {
        keys: keys.ptr(),
        offsets: last.offsets.ptr(),
        starts: starts.ptr(),
        buckets,
        shift: last.shift,
        tiles: last.tiles,
    };
    stream.launch(&Owner::common(), buckets as usize + 1, &kernel)?;
    Ok(Part { start, keys, entries, starts })
}

/// The buckets of an MSM, to which the digits of one part of the scalars after the other are added.
#[derive(Debug)]
pub(crate) struct GpuBuckets {
    shape: DigitShape,
    /// `None` as long as nothing was added.
    sums: Option<Buffer<layout::Point>>,
    /// The numbers from 0 on, for adding buckets to buckets.
    places: Option<Buffer<layout::U32>>,
}

impl GpuBuckets {
    pub(crate) fn new(shape: DigitShape) -> Self {
        GpuBuckets { shape, sums: None, places: None }
    }

    /// The windows.
    pub(crate) fn shape(&self) -> DigitShape {
        self.shape
    }

    /// Copies to the device what a second part takes, which else is copied when it is added.
    pub(crate) fn prepare(&mut self, stream: &Stream) -> Result<()> {
        self.places = Some(places(stream, self.shape)?);
        Ok(())
    }

    /// Adds `digit_w(scalar_i)·multiple_w(base_i)` over a range of the bases and all windows `w`.
    pub(crate) fn add(
        &mut self,
        stream: &Stream,
        group: &Owner,
        digits: &GpuDigits,
        bases: &GpuBases,
        range: Range<usize>,
    ) -> Result<()> {
        if digits.shape != self.shape {
            let reason = format!("they are {:?}, the buckets are for {:?}", digits.shape, self.shape);
            return Err(RuntimeError::Input { what: "digits", reason });
        }
        bases.check_shape(digits.shape)?;
        check_len("scalars of the MSM", range.len(), digits.len)?;
        check_range(&range, bases.len())?;
        for part in &digits.parts {
            stream.uses("digits", &part.keys)?;
            let rows = Rows {
                points: bases.points.ptr_at((range.start + part.start) * bases.multiples()),
                keys: part.keys.ptr(),
                entries: part.entries.ptr(),
                starts: part.starts.ptr(),
                most: part.keys.len(),
                buckets: digits.buckets,
            };
            let sums = accumulate(stream, group, rows)?;
            self.join(stream, group, sums)?;
        }
        Ok(())
    }

    /// Adds bucket by bucket. To the kernel that ends an accumulation every bucket is a slice by itself.
    fn join(&mut self, stream: &Stream, group: &Owner, more: Buffer<layout::Point>) -> Result<()> {
        let Some(sums) = &self.sums else {
            self.sums = Some(more);
            return Ok(());
        };
        let places = match self.places.take() {
            Some(places) => places,
            None => places(stream, self.shape)?,
        };
        stream.uses("places of buckets", &places)?;
        let (keys, starts) = (places.ptr(), places.ptr());
        for from in (0..sums.len()).step_by(MAX_SLICES as usize) {
            let slices = MAX_SLICES.min((sums.len() - from) as u32);
            let (partials, sums) = (more.ptr_at(from), sums.ptr_at(from));
            let flush = FlushPartials { keys, starts, partials, sums, buckets: slices, slices };
            stream.launch(group, slices as usize, &flush)?;
        }
        self.places = Some(places);
        Ok(())
    }

    /// Writes the sum of every set of buckets, as its sums by bits, to these words of `room`: [`DigitShape::sums`] points. Where nothing
    /// was added they are zeroed, which is the identity in every form.
    pub(crate) fn write_sums(
        self,
        stream: &Stream,
        group: &Owner,
        room: &Buffer<layout::U32>,
        words: Range<usize>,
    ) -> Result<()> {
        match self.sums {
            None => stream.zero(room, words),
            Some(sums) => {
                let out = Ptr::new(room.ptr_at(words.start).address);
                reduce(stream, group, self.shape, &sums, out)
            }
        }
    }
}

/// As many numbers from 0 on as buckets are added at once, and one more.
fn places(stream: &Stream, shape: DigitShape) -> Result<Buffer<layout::U32>> {
    let most = (u64::from(shape.sets) << (shape.window - 1)).min(MAX_SLICES.into()) as u32;
    stream.upload_words(&(0..=most).collect::<Vec<_>>())
}

/// The sparse matrix of an MSM by rows, and what it is multiplied by.
#[derive(Clone, Copy)]
struct Rows {
    points: Ptr<layout::Affine>,
    /// The row of each entry, ascending.
    keys: Ptr<layout::U32>,
    /// Its point, and in the highest bit whether that is subtracted.
    entries: Ptr<layout::U32>,
    /// The first entry of each row, and the number of entries.
    starts: Ptr<layout::U32>,
    /// At least the number of entries.
    most: usize,
    buckets: u32,
}

impl Rows {
    /// The most pairs that the entries make: a row's last entry may be alone.
    fn pairs(&self) -> usize {
        self.most.min((self.most + self.buckets as usize) / 2)
    }
}

/// The sum of every bucket: by rounds of affine additions, which halve the entries, as long as those are worth it, and then by
/// equal slices.
fn accumulate(stream: &Stream, group: &Owner, mut rows: Rows) -> Result<Buffer<layout::Point>> {
    let mut halved: Option<Halved> = None;
    while halves(stream, group, &rows)? {
        let next = halve(stream, group, &rows)?;
        rows = next.rows(&rows);
        // What the round before wrote goes only now, when what reads it has been submitted.
        halved = Some(next);
    }
    let sums = accumulate_slices(stream, group, &rows);
    drop(halved);
    sums
}

/// Whether a round of sums of pairs is worth its inversions, and has the memory.
fn halves(stream: &Stream, group: &Owner, rows: &Rows) -> Result<bool> {
    let policy = &stream.gpu().policy().msm;
    if !msm_has_pairs(group.form, group.words, group.degree) || policy.affine_bytes == 0 {
        return Ok(false);
    }
    let least = u64::from(pair_threads(stream, group)?) * u64::from(policy.pairs_per_thread);
    let bytes = rows.pairs() as u64 * group.bytes(Element::Affine) as u64;
    // With fewer entries, most would be alone.
    let halved = rows.most > 2 * rows.buckets as usize;
    Ok(halved && rows.most as u64 / 2 >= least && bytes <= policy.affine_bytes)
}

/// Threads that add pairs: as many as the device holds at once.
fn pair_threads(stream: &Stream, group: &Owner) -> Result<u32> {
    Ok(stream.resident_blocks::<PairSums>(group)?.saturating_mul(group.contract::<PairSums>().block))
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
            points: self.points.ptr(),
            keys: self.keys.ptr(),
            entries: self.entries.ptr(),
            starts: self.starts.ptr(),
            most: self.keys.len(),
            buckets: of.buckets,
        }
    }
}

fn halve(stream: &Stream, group: &Owner, rows: &Rows) -> Result<Halved> {
    let Rows { points, keys, entries, starts, most, buckets } = *rows;
    let common = Owner::common();
    let next_starts = stream.words(buckets as usize + 1)?;
    let counts = PairCounts { starts, counts: next_starts.ptr(), buckets };
    stream.launch(&common, buckets as usize + 1, &counts)?;
    exclusive_scan(stream, &next_starts)?;

    let pairs = rows.pairs();
    let [keys_out, entries_out, lefts, rights] = [(); 4].map(|()| stream.words(pairs));
    let (keys_out, entries_out, lefts, rights) = (keys_out?, entries_out?, lefts?, rights?);
    let kernel = PairEntries {
        keys,
        entries,
        starts,
        next_starts: next_starts.ptr(),
        keys_out: keys_out.ptr(),
        entries_out: entries_out.ptr(),
        lefts: lefts.ptr(),
        rights: rights.ptr(),
        buckets,
        n: index32("entries", most)?,
    };
    stream.launch(&common, most, &kernel)?;

    let sums: Buffer<layout::Affine> = stream.elements(group, pairs)?;
    let threads = pair_threads(stream, group)?;
    let kernel = PairSums {
        points,
        lefts: lefts.ptr(),
        rights: rights.ptr(),
        starts: next_starts.ptr(),
        sums: sums.ptr(),
        buckets,
        threads,
    };
    stream.launch(group, threads as usize, &kernel)?;
    Ok(Halved { points: sums, keys: keys_out, entries: entries_out, starts: next_starts })
}

/// The sum of every bucket, by equal slices.
fn accumulate_slices(stream: &Stream, group: &Owner, rows: &Rows) -> Result<Buffer<layout::Point>> {
    let Rows { points: bases, keys, entries, starts, most, buckets } = *rows;
    let block = group.contract::<Accumulate>().block;
    let wave = stream.resident_blocks::<Accumulate>(group)?.saturating_mul(block);
    let slices = stream.gpu().policy().msm.slices(most, wave, block);
    let sum_buffer: Buffer<layout::Point> = stream.elements(group, buckets as usize)?;
    let partial_buffer: Buffer<layout::Point> = stream.elements(group, slices as usize)?;
    let (sums, partials) = (sum_buffer.ptr(), partial_buffer.ptr());

    // ZZ = 0 is the identity.
    stream.zero(&sum_buffer, 0..sum_buffer.len())?;
    let kernel = Accumulate { bases, keys, entries, starts, sums, partials, buckets, slices };
    stream.launch(group, slices as usize, &kernel)?;
    for stride in levels(slices) {
        let merge = MergePartials { keys, starts, partials, buckets, slices, stride };
        stream.launch(group, slices.div_ceil(stride) as usize, &merge)?;
    }
    let flush = FlushPartials { keys, starts, partials, sums, buckets, slices };
    stream.launch(group, slices as usize, &flush)?;
    Ok(sum_buffer)
}

/// The sums by bits of the buckets of every set, from which the host has `Σ (i+1)·sums[i]`; leaves parts of sums in `sums`.
fn reduce(
    stream: &Stream,
    group: &Owner,
    shape: DigitShape,
    sums: &Buffer<layout::Point>,
    out: Ptr<layout::Point>,
) -> Result<()> {
    let (log_b, sets) = (shape.window - 1, shape.sets);
    let mut done = 0;
    while done < log_b {
        let steps = (log_b - done).min(BIT_SUMS_STEPS);
        let blocks = (u64::from(sets) << (log_b - done - steps)) * u64::from(done + 1);
        let kernel = BitSums { points: sums.ptr(), out, log_b, done, steps, sets };
        stream.launch_blocks(group, blocks, &kernel)?;
        done += steps;
    }
    Ok(())
}

/// The levels of [`MergePartials`] for so many slices.
fn levels(slices: u32) -> impl Iterator<Item = u32> {
    [1, 128, 128 * 128].into_iter().take_while(move |stride| *stride < slices)
}

/// The number of buckets of a shape that holds scalars of `bits` bits.
fn check_shape(shape: DigitShape, bits: u32) -> Result<u32> {
    let bad = |reason| Err(RuntimeError::Input { what: "digit shape", reason });
    let DigitShape { window: c, sets, .. } = shape;
    if !(2..=24).contains(&c) {
        return bad(format!("window is {c} bits, 2 to 24 are supported"));
    }
    let (found, needed) = (shape.windows(), windows_of(bits, c));
    let fits = sets > 0 && shape == DigitShape::with_multiples(bits, c, shape.multiples);
    if !fits {
        return bad(format!("{found} windows of {c} bits, scalars of {bits} bits need {needed}"));
    }
    let buckets = u64::from(sets) << (c - 1);
    u32::try_from(buckets)
        .ok()
        .filter(|buckets| *buckets < 1 << 31)
        .map_or_else(|| bad(format!("{buckets} buckets, fewer than 2^31 are supported")), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_reach_every_slice() {
        let all = |slices| levels(slices).collect::<Vec<_>>();
        assert_eq!((all(1), all(2), all(128)), (vec![], vec![1], vec![1]));
        assert_eq!((all(129), all(1 << 20)), (vec![1, 128], vec![1, 128, 1 << 14]));
    }

    #[test]
    fn shapes_are_checked() {
        let shape = |window, sets, multiples| DigitShape { window, sets, multiples };
        assert_eq!(check_shape(shape(16, 16, 1), 254).unwrap(), 1 << 19);
        assert_eq!(check_shape(shape(16, 1, 16), 254).unwrap(), 1 << 15);
        assert_eq!(check_shape(shape(16, 3, 6), 254).unwrap(), 3 << 15);
        assert_eq!(check_shape(shape(24, 11, 1), 254).unwrap(), 11 << 23);
        for (window, sets, multiples) in [
            (1, 255, 1),
            (25, 11, 1),
            (16, 15, 1),
            (16, 17, 1),
            (16, 1, 17),
            (16, 3, 5),
            (0, 0, 0),
            (16, 0, 16),
            (24, u32::MAX, u32::MAX),
            (24, 256, 1),
        ] {
            assert!(check_shape(shape(window, sets, multiples), 254).is_err(), "{window} {sets} {multiples}");
        }
        assert!(check_shape(shape(24, 256, 1), 6144).is_err(), "too many buckets");
        for (bits, window, most) in
            [(254, 16, 16), (254, 16, 100), (254, 13, 7), (255, 20, 2), (31, 24, 1), (254, 2, 0)]
        {
            let shape = DigitShape::with_multiples(bits, window, most);
            assert!(check_shape(shape, bits).is_ok() && shape.multiples <= most.max(1), "{shape:?}");
        }
    }
}
