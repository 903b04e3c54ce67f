//! Buckets, to which parts of an MSM are added, and the sums that the host combines.

use super::accumulate::{Rows, accumulate};
use super::constant::{self, Entries};
use super::digits::GpuDigits;
use super::horner;
use super::multiples::GpuBases;
use super::rows::{accumulate_rows, by_rows};
use crate::csr::{check_len, check_range};
use crate::error::{Result, RuntimeError};
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::policy::{MAX_SLICES, Runs};
use crate::vocabulary::{Adding, CurveForm, DigitShape};
use curvesmith_abi::kernels::{BitSums, MergePartials};
use curvesmith_abi::{Slice, layout};
use std::ops::Range;

/// The buckets of an MSM, to which the digits of one part of the scalars after the other are added.
#[derive(Debug)]
pub(crate) struct GpuBuckets {
    /// Whose kernels add.
    group: Owner,
    form: CurveForm,
    shape: DigitShape,
    adding: Adding,
    /// `None` as long as nothing was added.
    sums: Option<Buffer<layout::Point>>,
    /// The numbers from 0 on, for adding buckets to buckets.
    places: Option<Buffer<layout::U32>>,
}

impl GpuBuckets {
    /// What `adding` does not say, the device's policy chooses.
    pub(crate) fn new(group: Owner, form: CurveForm, shape: DigitShape, adding: Adding) -> Self {
        GpuBuckets { group, form, shape, adding, sums: None, places: None }
    }

    /// The windows.
    pub(crate) fn shape(&self) -> DigitShape {
        self.shape
    }

    /// The form of the curve that they are on.
    pub(crate) fn form(&self) -> CurveForm {
        self.form
    }

    /// Copies to the device what a second part of `n` scalars takes, which else is copied when it is added.
    pub(crate) fn prepare(&mut self, stream: &Stream, n: usize) -> Result<()> {
        if !self.shape.is_constant() && !self.adds_rows(stream, n)? {
            self.places = Some(places(stream, self.shape)?);
        }
        Ok(())
    }

    /// Adds `digit_w(scalar_i)·multiple_w(base_i)` over a range of the bases and all windows `w`.
    pub(crate) fn add(
        &mut self,
        stream: &Stream,
        digits: &GpuDigits,
        bases: &GpuBases,
        range: Range<usize>,
    ) -> Result<()> {
        debug_assert_eq!(bases.form, self.form, "buckets are made for their bases");
        if digits.shape() != self.shape {
            let reason = format!("they are {:?}, the buckets are for {:?}", digits.shape(), self.shape);
            return Err(RuntimeError::Input { what: "digits", reason });
        }
        bases.check_shape(digits.shape())?;
        check_len("scalars of the MSM", range.len(), digits.len)?;
        check_range(&range, bases.len())?;
        for part in &digits.parts {
            [Some(&part.keys), Some(&part.entries), part.starts.as_ref()]
                .into_iter()
                .flatten()
                .try_for_each(|words| stream.uses("digits", words))?;
            let (first, multiples) = (range.start + part.start, bases.multiples());
            let points = bases.points.part(first * multiples..(first + part.len) * multiples);
            let (keys, entries) = (part.keys.whole(), part.entries.whole());
            let (most, buckets) = (part.keys.len(), digits.buckets);
            let Some(starts) = &part.starts else {
                let entries = Entries { points, keys, entries, n: most, buckets };
                let sums = constant::accumulate(stream, &self.group, &entries)?;
                self.join(stream, sums)?;
                continue;
            };
            let rows = Rows { points, keys, entries, starts: starts.whole(), most, buckets };
            if self.adds_rows_of(stream, most)? {
                let sums = match self.sums.take() {
                    Some(sums) => sums,
                    None => self.identities(stream)?,
                };
                accumulate_rows(stream, &self.group, &rows, self.sums.insert(sums))?;
            } else {
                let sums = accumulate(stream, &self.group, self.adding, rows)?;
                self.join(stream, sums)?;
            }
        }
        Ok(())
    }

    /// Whether `n` scalars are added to the buckets that are there, by balanced rows. Others make buckets of
    /// their own first.
    pub(crate) fn adds_rows(&self, stream: &Stream, n: usize) -> Result<bool> {
        self.adds_rows_of(stream, n.saturating_mul(self.shape.windows() as usize))
    }

    /// As [`GpuBuckets::adds_rows`], for `most` entries.
    fn adds_rows_of(&self, stream: &Stream, most: usize) -> Result<bool> {
        let buckets = self.shape.sets << self.shape.log_buckets();
        Ok(!self.shape.is_constant() && by_rows(stream, &self.group, self.adding.strategy, most, buckets)?)
    }

    /// Buckets to which nothing was added: ZZ = 0 is the identity.
    fn identities(&self, stream: &Stream) -> Result<Buffer<layout::Point>> {
        let sums = stream.elements(&self.group, (self.shape.sets as usize) << self.shape.log_buckets())?;
        stream.zero(&sums, 0..sums.len())?;
        Ok(sums)
    }

    /// Adds bucket by bucket. To the kernel that merges slices every bucket is one by itself.
    fn join(&mut self, stream: &Stream, more: Buffer<layout::Point>) -> Result<()> {
        let Some(sums) = &self.sums else {
            self.sums = Some(more);
            return Ok(());
        };
        if self.shape.is_constant() {
            let buckets = (self.shape.sets as usize) << self.shape.log_buckets();
            self.sums = Some(constant::join(stream, &self.group, sums, &more, buckets)?);
            return Ok(());
        }
        let places = match self.places.take() {
            Some(places) => places,
            None => places(stream, self.shape)?,
        };
        stream.uses("places of buckets", &places)?;
        let (keys, starts) = (places.whole(), places.whole());
        for from in (0..sums.len()).step_by(MAX_SLICES as usize) {
            let slices = MAX_SLICES.min((sums.len() - from) as u32);
            let (partials, sums) =
                (more.part(from..from + slices as usize), sums.part(from..from + slices as usize));
            let merge = MergePartials { keys, starts, partials, sums, buckets: slices, slices, least: 1 };
            stream.launch(&self.group, slices as usize, &merge)?;
        }
        self.places = Some(places);
        Ok(())
    }

    /// Writes the sums of all sets of buckets, as the points of `runs` of their sums by bits, to these words
    /// of `room`. Where nothing was added they are zeroed, which is the identity in every form.
    pub(crate) fn write_sums(
        self,
        stream: &Stream,
        room: &Buffer<layout::U32>,
        words: Range<usize>,
        runs: Runs,
    ) -> Result<()> {
        let Some(sums) = self.sums else { return stream.zero(room, words) };
        let out = room.part(words).cast();
        if !runs.combine() {
            return reduce(stream, &self.group, self.shape, &sums, out);
        }
        let by_bits = stream.elements(&self.group, self.shape.sums())?;
        reduce(stream, &self.group, self.shape, &sums, by_bits.whole())?;
        horner::combine(stream, &self.group, &runs, &by_bits, out)
    }
}

/// As many numbers from 0 on as buckets are added at once, and one more.
fn places(stream: &Stream, shape: DigitShape) -> Result<Buffer<layout::U32>> {
    stream.upload_words(&(0..=most_places(shape)).collect::<Vec<_>>())
}

/// Buckets that are added at once.
pub(super) fn most_places(shape: DigitShape) -> u32 {
    (u64::from(shape.sets) << shape.log_buckets()).min(MAX_SLICES.into()) as u32
}

/// The sums by bits of the buckets of every set, from which follows `Σ (i+1)·sums[i]`; leaves parts of sums
/// in `sums`.
fn reduce(
    stream: &Stream,
    group: &Owner,
    shape: DigitShape,
    sums: &Buffer<layout::Point>,
    out: Slice<layout::Point>,
) -> Result<()> {
    let (log_b, sets) = (shape.log_buckets(), shape.sets);
    let block = u64::from(stream.block_threads::<BitSums>(group));
    let at_once = u64::from(stream.resident_blocks::<BitSums>(group)?) * block;
    let mut done = 0;
    while done < log_b {
        let steps = steps_of_a_launch(stream.geometry().bit_sums_steps(), sets, log_b, done, at_once);
        let runs = (u64::from(sets) << (log_b - done - steps)) * u64::from(done + 1);
        let kernel = BitSums { points: sums.whole(), out, log_b, done, steps, sets };
        stream.launch_blocks(group, (runs << (steps - 1)).div_ceil(block), &kernel)?;
        done += steps;
    }
    Ok(())
}

/// Steps of a launch, at most `most`, after `done` of them, on a device that holds `at_once` threads. In the
/// later ones of many steps most threads have nothing to do: as long as the additions of a step are more than
/// those threads, a launch is three steps at first, of which 11 in 12 threads add something, and then one;
/// what is left is latency, and taken as far as a block reaches.
fn steps_of_a_launch(most: u32, sets: u32, log_b: u32, done: u32, at_once: u64) -> u32 {
    let left = log_b - done;
    let additions = (u64::from(sets) << (left - 1)) * u64::from(done + 1);
    let steps = match done {
        _ if additions <= at_once => most,
        0 => 3,
        _ => 1,
    };
    steps.min(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use curvesmith_abi::Geometry;

    fn launches(sets: u32, log_b: u32, at_once: u64) -> Vec<u32> {
        let mut done = 0;
        let steps = || {
            let steps = (done < log_b)
                .then(|| steps_of_a_launch(Geometry::PTX.bit_sums_steps(), sets, log_b, done, at_once))?;
            done += steps;
            Some(steps)
        };
        std::iter::from_fn(steps).collect()
    }

    #[test]
    fn launches_are_short_while_the_device_is_full() {
        let none: Vec<u32> = vec![];
        assert_eq!((launches(1, 0, 1), launches(1, 1, 1 << 20)), (none, vec![1]));
        assert_eq!((launches(1, 15, 1 << 15), launches(1, 2, 1)), (vec![8, 7], vec![2]));
        // 16 windows of 16 bits, two blocks of 128 on each of 132 multiprocessors: 2^19 buckets, 2^18
        // additions.
        assert_eq!(launches(16, 15, 2 * 128 * 132), vec![3, 1, 1, 1, 8, 1]);
        for (sets, log_b, at_once) in [(16, 15, 1), (3, 23, 1000), (1, 9, 100), (300, 1, 0), (20, 12, 33_792)]
        {
            let steps = launches(sets, log_b, at_once);
            assert!(steps.iter().sum::<u32>() == log_b && steps.iter().all(|steps| (1..=8).contains(steps)));
        }
    }
}
