//! The multi-scalar multiplication on several devices.

use super::msm::{Msm, MsmOptions};
use crate::csr::check_len;
use crate::error::{Result, RuntimeError};
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::handle::Device;
use crate::job::{Cancel, Job};
use crate::platform::on_threads;
use crate::vocabulary::{Detail, Report};
use ark_ff::AdditiveGroup;
use std::fmt;
use std::ops::Range;

/// `Σ scalar_i · base_i` with bases shared out among several devices, which work at the same time. Clones
/// share the bases.
///
/// Each device has the same number of bases, neighbours, and gives the sum of its products. A device that is
/// much slower than others holds them up.
pub struct ShardedMsm<G: Group> {
    /// The bases of a device, and the plan for them.
    shards: Vec<(Range<usize>, Msm<G>)>,
    len: usize,
}

impl<G: Group> Clone for ShardedMsm<G> {
    fn clone(&self) -> Self {
        ShardedMsm { shards: self.shards.clone(), len: self.len }
    }
}

impl<G: Group> ShardedMsm<G> {
    /// Moves a share of `bases` to each of `devices`, which may be named more than once; the options are
    /// those of each [`Msm`], and what it says of bases holds here.
    ///
    /// Errors: no devices; a device that cannot take its share.
    pub fn new(devices: &[Device], bases: &[AffineOf<G>], options: MsmOptions) -> Result<Self> {
        if devices.is_empty() {
            let reason = "there are none".to_owned();
            return Err(RuntimeError::Input { what: "devices", reason });
        }
        let len = bases.len();
        let each = len.div_ceil(devices.len()).max(1);
        let ranges = (0..devices.len()).map(|i| (i * each).min(len)..((i + 1) * each).min(len));
        let shards: Vec<(Range<usize>, &Device)> = ranges.zip(devices).collect();
        let plan = |(range, device): &(Range<usize>, &Device), _: &Cancel| {
            Ok((range.clone(), Msm::new(device, &bases[range.clone()], options.clone())?))
        };
        Ok(ShardedMsm { shards: on_all(&shards, &Cancel::default(), plan)?, len })
    }

    /// The sum, for as many scalars as there are bases.
    pub fn run(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        self.run_with_reports(scalars, Detail::Counts).map(|(sum, _)| sum)
    }

    /// As [`ShardedMsm::run`], with what each device did.
    pub fn run_with_reports(
        &self,
        scalars: &[ScalarOf<G>],
        detail: Detail,
    ) -> Result<(ProjectiveOf<G>, Vec<Report>)> {
        self.run_cancellable(scalars, detail, &Cancel::default())
    }

    /// As [`ShardedMsm::run`], beside the caller.
    pub fn submit(&self, scalars: Vec<ScalarOf<G>>) -> Job<ProjectiveOf<G>> {
        let plan = self.clone();
        Job::start(move |cancel| plan.run_cancellable(&scalars, Detail::Counts, &cancel).map(|(sum, _)| sum))
    }

    fn run_cancellable(
        &self,
        scalars: &[ScalarOf<G>],
        detail: Detail,
        cancel: &Cancel,
    ) -> Result<(ProjectiveOf<G>, Vec<Report>)> {
        check_len("scalars of the MSM", self.len, scalars.len())?;
        let run = |(range, plan): &(Range<usize>, Msm<G>), cancel: &Cancel| {
            plan.run_cancellable(&scalars[range.clone()], detail, cancel)
        };
        let (sums, reports): (Vec<_>, Vec<_>) = on_all(&self.shards, cancel, run)?.into_iter().unzip();
        Ok((sums.into_iter().fold(ProjectiveOf::<G>::ZERO, |all, sum| all + sum), reports))
    }

    /// Number of bases.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The devices, with the bases that each has.
    pub fn shards(&self) -> impl Iterator<Item = (&Device, Range<usize>)> {
        self.shards.iter().map(|(range, plan)| (plan.device(), range.clone()))
    }
}

/// `run` for all shards at once. The first failure cancels the others.
fn on_all<S: Sync, T: Send>(
    shards: &[S],
    cancel: &Cancel,
    run: impl Fn(&S, &Cancel) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let mut results = on_threads(shards.len(), |i| {
        let result = run(&shards[i], cancel);
        if result.is_err() {
            cancel.cancel();
        }
        result
    });
    // What was cancelled for another's failure does not hide it.
    let own = results.iter().position(|result| !matches!(result, Ok(_) | Err(RuntimeError::Cancelled)));
    match own {
        Some(failed) => Err(results.swap_remove(failed).err().unwrap_or(RuntimeError::Cancelled)),
        None => results.into_iter().collect(),
    }
}

impl<G: Group> fmt::Debug for ShardedMsm<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShardedMsm<{}>[{}] on ", G::NAME, self.len)?;
        f.debug_list().entries(self.shards.iter().map(|(_, plan)| plan.device().name())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_ends_all_and_is_told() {
        let cancel = Cancel::default();
        let run = |shard: &u64, cancel: &Cancel| match shard {
            1 => Err(RuntimeError::OutOfMemory { requested: 1 }),
            // For ever, unless it is cancelled.
            _ => loop {
                cancel.check()?;
                std::thread::yield_now();
            },
        };
        let result: Result<Vec<()>> = on_all(&[0, 1, 2], &cancel, run);
        assert!(matches!(result, Err(RuntimeError::OutOfMemory { requested: 1 })), "{result:?}");
        let wished = Cancel::default();
        wished.cancel();
        let result = on_all(&[0, 1], &wished, |_, cancel| cancel.check());
        assert!(matches!(result, Err(RuntimeError::Cancelled)), "{result:?}");
        let order = on_all(&[3, 1, 2], &Cancel::default(), |shard, _| Ok(*shard));
        assert_eq!(order.unwrap(), [3, 1, 2]);
    }
}
