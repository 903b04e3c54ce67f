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

pub use msm::{Msm, MsmOptions, TuneOptions, Tuned, tune_windows};
pub use ntt::{Ntt, NttOptions};
pub use pointwise::Pointwise;
pub use sharded::ShardedMsm;
pub use spmv::{SpMv, SpMvOptions};
pub use streamed::StreamedMsm;

use crate::error::Result;
use crate::handle::Device;
use crate::job::Cancel;
use crate::vocabulary::{Detail, Report};
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
