//! Plans: made once for a device, run many times.
//!
//! A plan owns a clone of its [`Device`](crate::Device) and whatever it keeps there; it is `Send + Sync`
//! and concurrent runs use buffers of their own. `run` takes and returns arkworks values
//! and blocks until the result is on the host. The backend's own types are behind a trait
//! object that a [`DeviceVisitor`](crate::DeviceVisitor) builds.

mod msm;
mod ntt;
mod pointwise;
mod spmv;

pub use msm::{Msm, MsmOptions};
pub use ntt::{Ntt, NttOptions};
pub use pointwise::Pointwise;
pub use spmv::{SpMv, SpMvOptions};
