//! Plans: made once for a device, run many times.
//!
//! A plan owns a clone of its [`Device`] and whatever it keeps there; it is `Send + Sync`
//! and concurrent runs use streams and buffers of their own. `run` takes and returns arkworks values,
//! `run_resident` values that live on the device; both block until the result is there. `submit` runs beside
//! the caller and gives a [`Job`](crate::Job).

mod msm;
mod ntt;
mod pointwise;
mod sharded;
mod spmv;
mod streamed;

pub(crate) use msm::Adding;
pub use msm::{CurveForm, Msm, MsmOptions, MsmStrategy, PointLanes, TuneOptions, Tuned, tune_windows};
pub use ntt::{Ntt, NttOptions};
pub use pointwise::Pointwise;
pub use sharded::ShardedMsm;
pub use spmv::{SpMv, SpMvOptions, SpMvSchedule, SpMvStrategy};
pub use streamed::StreamedMsm;

use crate::error::Result;
use crate::gpu::{Detail, Report};
use crate::handle::Device;
use crate::job::Cancel;
use crate::work::Work;

/// Runs one call on `device`, from its start to its end.
fn call<T>(
    device: &Device,
    detail: Detail,
    cancel: &Cancel,
    run: impl FnOnce(&Work) -> Result<T>,
) -> Result<(T, Report)> {
    device.work_with(detail, cancel)?.complete(run)
}

/// Runs `count` steps of a call, for each of which values of the host are copied while the step before is worked on. `room` takes device
/// memory for a step, in the order of `work`; `fill` copies to it, beside `work`; `run` submits the step. Room is there for two steps.
pub(crate) fn ahead<R>(
    work: &Work,
    count: usize,
    room: impl Fn(&Work, usize) -> Result<R>,
    fill: impl Fn(&Work, &mut R, usize) -> Result<()>,
    mut run: impl FnMut(&Work, R, usize) -> Result<()>,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let mut next = Some(room(work, 0)?);
    let copies = work.fork()?;
    for i in 0..count {
        if i == 0 {
            next.iter_mut().try_for_each(|room| copies.stage("upload", |copies| fill(copies, room, 0)))?;
        }
        let Some(filled) = next.take() else { break };
        next = (i + 1 < count).then(|| room(work, i + 1)).transpose()?;
        // It may be memory that the step before the last was done with.
        copies.after(work)?;
        work.after(&copies)?;
        run(work, filled, i)?;
        next.iter_mut().try_for_each(|room| copies.stage("upload", |copies| fill(copies, room, i + 1)))?;
    }
    work.join(copies)
}
