//! The multi-scalar multiplication of bases that stay on the host.

use super::msm::{CurveForm, MsmOptions, MsmStrategy};
use super::{ahead, call};
use crate::cpu;
use crate::csr::check_len;
use crate::error::{Result, RuntimeError};
use crate::field::modulus_bits;
use crate::gpu::{Detail, Report};
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::handle::Device;
use crate::job::{Cancel, Job};
use crate::work::{DigitShape, Work};
use ark_ff::AdditiveGroup;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// `Σ scalar_i · base_i` within a budget of device memory, for bases and scalars that need not fit there: bases stay on the host, and in
/// every call go to the device in parts with their scalars, each while the part before is worked on. All parts are added into the same
/// buckets. Clones share the bases.
///
/// An [`Msm`](crate::Msm), whose bases are on the device, is faster where they fit.
pub struct StreamedMsm<G: Group> {
    device: Device,
    bases: Arc<[AffineOf<G>]>,
    parts: Parts,
    strategy: Option<MsmStrategy>,
}

/// How a call is cut; nothing on the CPU.
#[derive(Clone, Copy, Debug)]
struct Parts {
    shape: DigitShape,
    len: usize,
}

impl<G: Group> Clone for StreamedMsm<G> {
    fn clone(&self) -> Self {
        StreamedMsm { device: self.device.clone(), bases: Arc::clone(&self.bases), ..*self }
    }
}

impl<G: Group> StreamedMsm<G> {
    /// A plan for these bases, which stay where they are if they are shared. What [`Msm::new`](crate::Msm::new) says of bases holds here.
    /// The budget is [`MsmOptions::memory`], by default half of the device's memory; kernels and what other calls take are not counted. Of
    /// the windows it takes the cheapest for parts that fit, unless one is fixed. On the CPU, which has the bases already, there is nothing to stream.
    ///
    /// Errors: [`RuntimeError::InsufficientMemory`], with the least budget for any window, where not even the buckets and one base fit;
    /// [`RuntimeError::Input`] for options that the group does not have, and for multiples and other forms, which are kept with resident
    /// bases only.
    pub fn new(device: &Device, bases: impl Into<Arc<[AffineOf<G>]>>, options: MsmOptions) -> Result<Self> {
        let bases: Arc<[AffineOf<G>]> = bases.into();
        options.check_kernels::<G>()?;
        if options.wants_multiples() {
            let reason = "multiples are kept on the device, and these bases are not".to_owned();
            return Err(RuntimeError::Input { what: "options", reason });
        }
        if options.form != CurveForm::Declared {
            let reason =
                "bases that stay on the host have the declared form: another would be made in every call"
                    .to_owned();
            return Err(RuntimeError::Input { what: "form", reason });
        }
        options.shape::<G>(1)?;
        let MsmOptions { window, strategy, memory, .. } = options;
        let parts = match device.properties() {
            None => {
                Parts { shape: DigitShape::new(modulus_bits::<G::Scalar>(), 16), len: bases.len().max(1) }
            }
            Some(properties) => {
                let budget = memory.unwrap_or(properties.memory / 2);
                let work = device.work()?;
                let (shape, len) = work.parts_within::<G>(bases.len(), (window, strategy), budget)?;
                work.finish()?;
                Parts { shape, len }
            }
        };
        Ok(StreamedMsm { device: device.clone(), bases, parts, strategy })
    }

    /// The sum, for as many scalars as there are bases.
    pub fn run(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        self.run_with_report(scalars, Detail::Counts).map(|(sum, _)| sum)
    }

    /// As [`StreamedMsm::run`], with what the call did.
    pub fn run_with_report(
        &self,
        scalars: &[ScalarOf<G>],
        detail: Detail,
    ) -> Result<(ProjectiveOf<G>, Report)> {
        self.run_cancellable(scalars, detail, &Cancel::default())
    }

    /// As [`StreamedMsm::run`], beside the caller.
    pub fn submit(&self, scalars: Vec<ScalarOf<G>>) -> Job<ProjectiveOf<G>> {
        let plan = self.clone();
        Job::start(move |cancel| plan.run_cancellable(&scalars, Detail::Counts, &cancel).map(|(sum, _)| sum))
    }

    fn run_cancellable(
        &self,
        scalars: &[ScalarOf<G>],
        detail: Detail,
        cancel: &Cancel,
    ) -> Result<(ProjectiveOf<G>, Report)> {
        check_len("scalars of the MSM", self.len(), scalars.len())?;
        call(&self.device, detail, cancel, |work| match () {
            () if self.is_empty() => Ok(ProjectiveOf::<G>::ZERO),
            () if self.device.is_cpu() => work.stage("msm", |_| Ok(cpu::msm::<G>(&self.bases, scalars))),
            () => self.sum(work, scalars),
        })
    }

    fn sum(&self, work: &Work, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        let (bits, Parts { shape, len }) = (modulus_bits::<G::Scalar>(), self.parts);
        let sums = work.sums(work.sum_bytes::<G>(shape))?;
        let mut buckets = work.buckets::<G>(CurveForm::Declared, shape, self.strategy)?;
        // All parts have the same length on the device, so that each finds the memory of the one before: what the last lacks are scalars
        // that are 0, whose bases are not looked at.
        ahead(
            work,
            self.parts(),
            |work, _| Ok((work.room_for_scalars::<G::Scalar>(len)?, work.room_for_bases::<G>(len)?)),
            |copies, (room, bases), i| {
                copies.fill_scalars(room, &scalars[self.part(i)])?;
                copies.fill_bases(bases, &self.bases[self.part(i)])
            },
            |work, (room, bases), _| {
                let digits = work.stage("digits", |work| {
                    work.digits_below::<G::Scalar>(&work.scalars_in(room)?, bits, shape)
                })?;
                work.stage("msm", |work| work.add_to_buckets(&mut buckets, &digits, &bases, 0..len))
            },
        )?;
        let sum = work.stage("msm", |work| work.sum_of_buckets(buckets, &sums))?;
        let bytes = work.download_sums(&sums)?;
        work.host_stage("combine", || sum.point(&bytes))
    }

    fn part(&self, i: usize) -> Range<usize> {
        let Parts { len, .. } = self.parts;
        i * len..((i + 1) * len).min(self.len())
    }

    /// Number of parts that bases and scalars come in.
    pub fn parts(&self) -> usize {
        self.len().div_ceil(self.parts.len)
    }

    /// Number of bases.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// The bases.
    pub fn bases(&self) -> &Arc<[AffineOf<G>]> {
        &self.bases
    }

    /// The device that computes.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<G: Group> fmt::Debug for StreamedMsm<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "StreamedMsm<{}>[{}] in {} parts on {}",
            G::NAME,
            self.len(),
            self.parts(),
            self.device.name()
        )
    }
}
