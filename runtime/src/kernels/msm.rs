//! Multi-scalar multiplication in cuZK's sparse-matrix form.
//!
//! Scalars become signed digits; (window, digit) is the row of a sparse matrix of ones and
//! signs whose product with the bases is the vector of buckets. Sorting transposes it;
//! equal slices (Chen et al., section 4) balance the accumulation for any distribution,
//! and a segmented tree joins the parts of a row that slices cut. One sort serves every
//! MSM with the same scalars.

use super::policy::windows_of;
use super::sort::Pairs;
use super::{DeviceVec, Kernels, index32};
use crate::backend::{DigitShape, check_len};
use crate::buffer::Buffer;
use crate::device::KernelDevice;
use crate::error::{Result, RuntimeError};
use crate::field::{Field, modulus_bits};
use crate::group::{AffineOf, Group, ProjectiveOf};
use crate::launch::Owner;
use ark_ff::AdditiveGroup;
use curvesmith_abi::kernels::{
    Accumulate, BucketStarts, CombineWindows, Digits, FillIdentity, FlushPartials, MergePartials, PointAdd,
    ReduceChunks, SumStep,
};
use curvesmith_abi::layout;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

/// Affine points on a device.
pub struct DeviceBases<D: KernelDevice, G: Group> {
    points: Buffer<D, layout::Affine>,
    group: PhantomData<G>,
}

impl<D: KernelDevice, G: Group> fmt::Debug for DeviceBases<D, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBases<{}>[{}]", G::NAME, self.points.len())
    }
}

/// Signed digits of scalars, sorted by bucket, on a device.
#[derive(Debug)]
pub struct DeviceDigits<D: KernelDevice> {
    /// The scalars' arkworks type.
    field: TypeId,
    len: usize,
    shape: DigitShape,
    buckets: u32,
    parts: Vec<Part<D>>,
}

/// The digits of a range of scalars; `entries` count from its start.
#[derive(Debug)]
struct Part<D: KernelDevice> {
    start: usize,
    keys: Buffer<D, layout::U32>,
    entries: Buffer<D, layout::U32>,
    /// First entry of each bucket, and at the end the number of nonzero digits.
    starts: Buffer<D, layout::U32>,
}

impl<D: KernelDevice> Kernels<D> {
    pub(super) fn upload_bases<G: Group>(&self, points: &[AffineOf<G>]) -> Result<DeviceBases<D, G>> {
        index32("number of bases", points.len())?;
        let buffer = Buffer::affine::<G>(self.device(), points.len())?;
        self.upload_points::<G>(&buffer, points)?;
        Ok(DeviceBases { points: buffer, group: PhantomData })
    }

    pub(super) fn sorted_digits<F: Field>(
        &self,
        scalars: &DeviceVec<D, F>,
        shape: DigitShape,
    ) -> Result<DeviceDigits<D>> {
        let buckets = check_shape(shape, modulus_bits::<F>())?;
        let len = scalars.buffer.len();
        let part_len = (self.policy().msm.max_entries.min((1 << 31) - 1) / shape.windows).max(1) as usize;
        let parts = (0..len).step_by(part_len);
        let parts =
            parts.map(|start| self.sort_part(scalars, shape, buckets, start, part_len.min(len - start)));
        Ok(DeviceDigits {
            field: TypeId::of::<F::Ark>(),
            len,
            shape,
            buckets,
            parts: parts.collect::<Result<_>>()?,
        })
    }

    fn sort_part<F: Field>(
        &self,
        scalars: &DeviceVec<D, F>,
        shape: DigitShape,
        buckets: u32,
        start: usize,
        len: usize,
    ) -> Result<Part<D>> {
        let entries = len * shape.windows as usize;
        let pairs = Pairs { keys: self.words(entries)?, entries: self.words(entries)? };
        let kernel = Digits {
            scalars: scalars.buffer.ptr_at(start),
            keys: pairs.keys.ptr(),
            entries: pairs.entries.ptr(),
            c: shape.window,
            windows: shape.windows,
            n: index32("number of scalars", len)?,
        };
        self.launch(Owner::field::<F>(), len, &kernel)?;
        // Keys go up to `buckets`, the key of zero digits.
        let sorted = self.sort(pairs, u32::BITS - buckets.leading_zeros())?;
        let starts = self.words(buckets as usize + 1)?;
        let kernel = BucketStarts {
            keys: sorted.keys.ptr(),
            starts: starts.ptr(),
            buckets,
            n: index32("number of digits", entries)?,
        };
        self.launch(Owner::common(), buckets as usize + 1, &kernel)?;
        Ok(Part { start, keys: sorted.keys, entries: sorted.entries, starts })
    }

    pub(super) fn multiply_bases<G: Group>(
        &self,
        digits: &DeviceDigits<D>,
        bases: &DeviceBases<D, G>,
    ) -> Result<ProjectiveOf<G>> {
        check_len("scalars of the MSM", bases.points.len(), digits.len)?;
        if digits.field != TypeId::of::<<G::Scalar as Field>::Ark>() {
            let reason = format!("they are not of {}, the scalar field of {}", G::Scalar::NAME, G::NAME);
            return Err(RuntimeError::Input { what: "digits", reason });
        }
        let mut total: Option<Buffer<D, layout::Xyzz>> = None;
        for part in &digits.parts {
            let sum = self.multiply_part(digits, part, bases)?;
            total = Some(match total {
                None => sum,
                Some(total) => {
                    let out = Buffer::xyzz::<G>(self.device(), 1)?;
                    let add = PointAdd { a: total.ptr(), b: sum.ptr(), out: out.ptr(), n: 1 };
                    self.launch(Owner::group::<G>(), 1, &add)?;
                    out
                }
            });
        }
        total.map_or(Ok(ProjectiveOf::<G>::ZERO), |total| self.download_point::<G>(&total))
    }

    /// `Σ scalar_i · base_i` over one part, as the only element of the result.
    fn multiply_part<G: Group>(
        &self,
        digits: &DeviceDigits<D>,
        part: &Part<D>,
        bases: &DeviceBases<D, G>,
    ) -> Result<Buffer<D, layout::Xyzz>> {
        let sums = self.accumulate::<G>(digits.buckets, part, bases)?;
        self.reduce::<G>(digits.shape, digits.buckets, &sums)
    }

    /// The sum of every bucket.
    fn accumulate<G: Group>(
        &self,
        buckets: u32,
        part: &Part<D>,
        bases: &DeviceBases<D, G>,
    ) -> Result<Buffer<D, layout::Xyzz>> {
        let owner = Owner::group::<G>();
        let slices = self.policy().msm.slices(part.keys.len());
        let sum_buffer = Buffer::xyzz::<G>(self.device(), buckets as usize)?;
        let partial_buffer = Buffer::xyzz::<G>(self.device(), slices as usize)?;
        let (sums, partials) = (sum_buffer.ptr(), partial_buffer.ptr());
        let (keys, starts) = (part.keys.ptr(), part.starts.ptr());

        self.launch(owner, buckets as usize, &FillIdentity { points: sums, n: buckets })?;
        let kernel = Accumulate {
            bases: bases.points.ptr_at(part.start),
            keys,
            entries: part.entries.ptr(),
            starts,
            sums,
            partials,
            buckets,
            slices,
        };
        self.launch(owner, slices as usize, &kernel)?;
        for step in steps(slices) {
            let merge = MergePartials { keys, starts, partials, buckets, slices, step };
            self.launch(owner, slices as usize, &merge)?;
        }
        let flush = FlushPartials { keys, starts, partials, sums, buckets, slices };
        self.launch(owner, slices as usize, &flush)?;
        Ok(sum_buffer)
    }

    /// `Σ_w 2^(cw) Σ_i (i+1)·sums[w·2^(c-1) + i]`, as the only element of the result.
    fn reduce<G: Group>(
        &self,
        shape: DigitShape,
        buckets: u32,
        sums: &Buffer<D, layout::Xyzz>,
    ) -> Result<Buffer<D, layout::Xyzz>> {
        let owner = Owner::group::<G>();
        let chunk = self.policy().msm.chunk(shape.window);
        let width = (1 << (shape.window - 1)) / chunk;
        let n = buckets / chunk;
        let chunks = Buffer::xyzz::<G>(self.device(), n as usize)?;
        let points = chunks.ptr();
        let reduce = ReduceChunks { sums: sums.ptr(), out: points, log_b: shape.window - 1, chunk, n };
        self.launch(owner, n as usize, &reduce)?;
        for step in steps(width) {
            self.launch(owner, n as usize, &SumStep { points, width, step, n })?;
        }
        let result = Buffer::xyzz::<G>(self.device(), 1)?;
        let combine =
            CombineWindows { points, out: result.ptr(), width, c: shape.window, windows: shape.windows };
        self.launch_blocks(owner, 1, &combine)?;
        Ok(result)
    }
}

/// The steps 1, 2, 4, … of a tree over `width` elements.
fn steps(width: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).map(|i| 1 << i).take_while(move |&step| step < width)
}

/// The number of buckets of a shape that holds scalars of `bits` bits.
fn check_shape(shape: DigitShape, bits: u32) -> Result<u32> {
    let bad = |reason| Err(RuntimeError::Input { what: "digit shape", reason });
    if !(2..=16).contains(&shape.window) {
        return bad(format!("window is {} bits, 2 to 16 are supported", shape.window));
    }
    let windows = windows_of(bits, shape.window);
    if shape.windows != windows {
        let (c, found) = (shape.window, shape.windows);
        return bad(format!("{found} windows of {c} bits, scalars of {bits} bits need {windows}"));
    }
    // At most 2^15 buckets a window, and fewer windows than bits of any field.
    Ok(windows << (shape.window - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_reach_every_element() {
        assert_eq!(steps(0).count(), 0);
        assert_eq!(steps(1).count(), 0);
        assert_eq!(steps(33).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32]);
        assert_eq!(steps(u32::MAX).last(), Some(1 << 31));
    }

    #[test]
    fn shapes_are_checked() {
        assert_eq!(check_shape(DigitShape { window: 16, windows: 16 }, 254).unwrap(), 1 << 19);
        for (window, windows) in [(1, 255), (17, 15), (16, 15), (16, 17), (0, 0)] {
            assert!(check_shape(DigitShape { window, windows }, 254).is_err(), "{window} {windows}");
        }
    }
}
