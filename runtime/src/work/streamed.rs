//! Sums over bases that stay on the host.

use super::{Sum, Sums, Work, ahead};
use crate::csr::check_len;
use crate::error::Result;
use crate::field::modulus_bits;
use crate::group::{AffineOf, Group, ScalarOf};
use crate::vocabulary::{Adding, CurveForm, DigitShape};
use std::ops::Range;

/// How a sum of terms of the host is cut for a device's memory.
#[derive(Clone, Copy, Debug)]
pub struct StreamParts {
    shape: DigitShape,
    adding: Adding,
    /// Terms, and those of a part, at least 1.
    terms: usize,
    len: usize,
}

impl StreamParts {
    /// Number of parts.
    pub fn count(&self) -> usize {
        self.terms.div_ceil(self.len)
    }

    /// The digits that scalars are cut into.
    pub fn shape(&self) -> DigitShape {
        self.shape
    }

    fn range(&self, i: usize) -> Range<usize> {
        i * self.len..((i + 1) * self.len).min(self.terms)
    }
}

impl Work {
    /// The parts for an MSM over `n` terms of the host within `budget` bytes of the device's memory, of the
    /// cheapest window that fits there, as the device likes to add. The CPU, which has the terms already,
    /// takes one.
    ///
    /// Errors: [`InsufficientMemory`](crate::RuntimeError::InsufficientMemory), with the least budget for any
    /// window, where not even the buckets and one term fit.
    pub fn stream_parts<G: Group>(&self, n: usize, budget: u64) -> Result<StreamParts> {
        self.stream_parts_with::<G>(n, (None, Adding::default()), budget)
    }

    /// As [`Work::stream_parts`], with a window and ways to add where they are given.
    pub(crate) fn stream_parts_with<G: Group>(
        &self,
        n: usize,
        (window, adding): (Option<u32>, Adding),
        budget: u64,
    ) -> Result<StreamParts> {
        let (shape, len) = self.call.group_sums::<G>().parts_within(n, (window, adding), budget)?;
        Ok(StreamParts { shape, adding, terms: n, len })
    }

    /// `Σ scalar_i · base_i` over terms of the host, in `sums`. Bases go to the device in parts with their
    /// scalars, each while the part before is worked on; all parts are added into the same buckets.
    pub fn streamed_into<G: Group>(
        &self,
        bases: &[AffineOf<G>],
        scalars: &[ScalarOf<G>],
        parts: &StreamParts,
        sums: &Sums,
    ) -> Result<Sum<G>> {
        check_len("bases of the MSM", parts.terms, bases.len())?;
        check_len("scalars of the MSM", parts.terms, scalars.len())?;
        if let Some(sum) = self.call.group_sums::<G>().sum_in_place(bases, scalars)? {
            return Ok(Sum::pending(sum));
        }
        let (bits, StreamParts { shape, adding, len, .. }) = (modulus_bits::<G::Scalar>(), *parts);
        let mut buckets = self.buckets::<G>(CurveForm::Declared, shape, adding)?;
        // All parts have the same length on the device, so that each finds the memory of the one before: what
        // the last lacks are scalars that are 0, whose bases are not looked at.
        ahead(
            self,
            parts.count(),
            |work, _| Ok((work.room_for_scalars::<G::Scalar>(len)?, work.room_for_bases::<G>(len)?)),
            |copies, (room, on_device), i| {
                copies.fill_scalars(room, &scalars[parts.range(i)])?;
                copies.fill_bases(on_device, &bases[parts.range(i)])
            },
            |work, (room, on_device), _| {
                let digits = work.stage("digits", |work| {
                    work.digits_below::<G::Scalar>(&work.scalars_in(room)?, bits, shape)
                })?;
                work.stage("msm", |work| work.add_to_buckets(&mut buckets, &digits, &on_device, 0..len))
            },
        )?;
        self.stage("msm", |work| work.sum_of_buckets(buckets, sums))
    }
}
