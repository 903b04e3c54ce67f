//! The multi-scalar multiplication of bases that stay on the host.

use super::call;
use super::msm::MsmOptions;
use crate::csr::check_len;
use crate::error::{Result, RuntimeError};
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::handle::Device;
use crate::job::{Cancel, Job};
use crate::vocabulary::{CurveForm, Detail, Report};
use crate::work::{StreamParts, Work};
use ark_ff::AdditiveGroup;
use std::fmt;
use std::sync::Arc;

/// `Σ scalar_i · base_i` within a budget of device memory, for bases and scalars that need not fit there:
/// bases stay on the host, and in every call go to the device in parts with their scalars, each while the
/// part before is worked on. All parts are added into the same buckets. Clones share the bases.
///
/// An [`Msm`](crate::Msm), whose bases are on the device, is faster where they fit.
pub struct StreamedMsm<G: Group> {
    device: Device,
    bases: Arc<[AffineOf<G>]>,
    parts: StreamParts,
}

impl<G: Group> Clone for StreamedMsm<G> {
    fn clone(&self) -> Self {
        StreamedMsm { device: self.device.clone(), bases: Arc::clone(&self.bases), parts: self.parts }
    }
}

impl<G: Group> StreamedMsm<G> {
    /// A plan for these bases, which stay where they are if they are shared. What
    /// [`Msm::new`](crate::Msm::new) says of bases holds here. The budget is [`MsmOptions::memory`], by
    /// default half of the device's memory; kernels and what other calls take are not counted. Of the windows
    /// it takes the cheapest for parts that fit, unless one is fixed. On the CPU, which has the bases
    /// already, there is nothing to stream.
    ///
    /// Errors: [`RuntimeError::InsufficientMemory`], with the least budget for any window, where not even the
    /// buckets and one base fit; [`RuntimeError::Input`] for options that the group does not have, and for
    /// multiples, other forms and constant work, which are for resident bases only.
    pub fn new(device: &Device, bases: impl Into<Arc<[AffineOf<G>]>>, options: MsmOptions) -> Result<Self> {
        let bases: Arc<[AffineOf<G>]> = bases.into();
        options.check_kernels::<G>(device)?;
        if options.constant {
            let reason = "bases that stay on the host are not added by it".to_owned();
            return Err(RuntimeError::Input { what: "constant work", reason });
        }
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
        let MsmOptions { window, adding, memory, .. } = options;
        let budget = memory.unwrap_or(device.properties().map_or(0, |properties| properties.memory / 2));
        let work = device.work()?;
        let parts = work.stream_parts_with::<G>(bases.len(), (window, adding), budget)?;
        work.finish()?;
        Ok(StreamedMsm { device: device.clone(), bases, parts })
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
            () => self.sum(work, scalars),
        })
    }

    fn sum(&self, work: &Work, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        let sums = work.sums(work.sum_bytes::<G>(self.parts.shape()))?;
        let sum = work.streamed_into::<G>(&self.bases, scalars, &self.parts, &sums)?;
        let bytes = work.download_sums(&sums)?;
        work.host_stage("combine", || sum.point(&bytes))
    }

    /// Number of parts that bases and scalars come in.
    pub fn parts(&self) -> usize {
        self.parts.count()
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
