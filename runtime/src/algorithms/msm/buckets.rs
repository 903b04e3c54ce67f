//! Buckets, to which parts of an MSM are added, and the sums that the host combines.

use super::accumulate::{Rows, accumulate};
use super::digits::GpuDigits;
use super::multiples::GpuBases;
use crate::algorithms::policy::MAX_SLICES;
use crate::csr::{check_len, check_range};
use crate::error::{Result, RuntimeError};
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::plan::MsmStrategy;
use crate::work::DigitShape;
use curvesmith_abi::kernels::{BIT_SUMS_STEPS, BitSums, FlushPartials};
use curvesmith_abi::{Ptr, layout};
use std::ops::Range;

/// The buckets of an MSM, to which the digits of one part of the scalars after the other are added.
#[derive(Debug)]
pub(crate) struct GpuBuckets {
    shape: DigitShape,
    strategy: Option<MsmStrategy>,
    /// `None` as long as nothing was added.
    sums: Option<Buffer<layout::Point>>,
    /// The numbers from 0 on, for adding buckets to buckets.
    places: Option<Buffer<layout::U32>>,
}

impl GpuBuckets {
    /// Without a strategy, the device's policy chooses.
    pub(crate) fn new(shape: DigitShape, strategy: Option<MsmStrategy>) -> Self {
        GpuBuckets { shape, strategy, sums: None, places: None }
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
        if digits.shape() != self.shape {
            let reason = format!("they are {:?}, the buckets are for {:?}", digits.shape(), self.shape);
            return Err(RuntimeError::Input { what: "digits", reason });
        }
        bases.check_shape(digits.shape())?;
        check_len("scalars of the MSM", range.len(), digits.len)?;
        check_range(&range, bases.len())?;
        for part in &digits.parts {
            [&part.keys, &part.entries, &part.starts]
                .into_iter()
                .try_for_each(|words| stream.uses("digits", words))?;
            let rows = Rows {
                points: bases.points.ptr_at((range.start + part.start) * bases.multiples()),
                keys: part.keys.ptr(),
                entries: part.entries.ptr(),
                starts: part.starts.ptr(),
                most: part.keys.len(),
                buckets: digits.buckets,
            };
            let sums = accumulate(stream, group, self.strategy, rows)?;
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
    stream.upload_words(&(0..=most_places(shape)).collect::<Vec<_>>())
}

/// Buckets that are added at once.
pub(super) fn most_places(shape: DigitShape) -> u32 {
    (u64::from(shape.sets) << (shape.window - 1)).min(MAX_SLICES.into()) as u32
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
