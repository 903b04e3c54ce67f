//! Devices, memory, launches, and MSM, NTT and SpMV composed from generated kernels.
//!
//! Two levels of device: a [`KernelDevice`](curvesmith_device::KernelDevice) runs kernels (CUDA here, the
//! emulator in a package of its own); an `engine` runs algorithms: [`kernels`] on any of those, [`host`] with
//! arkworks' arithmetic. [`Work`](work::Work) is one call's work on either. Data goes from [`plan`] through
//! [`work`] to an engine. In [`kernels`], which are compiled once for all fields and devices, it becomes
//! words; [`gpu`] orders their launches, memory and copies. All may name [`vocabulary`] and [`policy`]. No
//! curve is named here: generic code knows [`field::Field`] and [`group::Group`] markers, which the macros
//! implement, the rest an [`Owner`].

mod batch;
mod cache;
pub mod common;
mod csr;
#[cfg(not(target_family = "wasm"))]
pub mod cuda;
#[doc(hidden)]
pub mod declared;
mod domain;
pub mod edwards;
mod engine;
mod engines;
pub mod field;
mod form;
pub mod gpu;
pub mod group;
mod handle;
pub mod host;
mod job;
pub mod kernels;
#[cfg(target_arch = "x86_64")]
pub mod lanes;
mod owner;
pub mod parallel;
pub mod plan;
pub mod platform;
mod points;
pub mod policy;
#[cfg(test)]
mod tests;
pub mod tier;
mod values;
pub mod vocabulary;
pub mod work;

pub use batch::NttBatch;
pub use csr::Csr;
pub use curvesmith_device::{self as device, RuntimeError};
#[cfg(feature = "emulator")]
pub use curvesmith_emulator::{self as emulator, EmulatorOptions};
#[cfg(feature = "wgpu")]
pub use curvesmith_wgpu as wgpu;
pub use domain::domain_size;
pub use handle::Device;
pub use job::{Cancel, Job};
pub use owner::Owner;
pub use plan::{
    Msm, MsmOptions, Ntt, NttOptions, Pointwise, ShardedMsm, SpMv, SpMvOptions, StreamedMsm, TuneOptions,
    Tuned, tune_windows,
};
pub use policy::{MeasuredWindow, MeasuredWindows};
pub use values::{DeviceBases, DeviceVec, Digits, Matrix, NttTables};
pub use vocabulary::{
    CurveForm, Detail, Kind, MsmStrategy, PointLanes, Report, SpMvSchedule, SpMvStrategy, Span,
};

/// What can go wrong on a device.
pub mod error {
    pub use curvesmith_device::{Result, RuntimeError};
}

/// What macro expansions name. Not an interface for people.
#[doc(hidden)]
pub mod __private {
    pub use crate::declared;
    pub use crate::field::{self, ElementOf, Field, MontLimbs};
    pub use crate::group::{self, Group, PairingCurve};
    #[cfg(target_arch = "x86_64")]
    pub use crate::{lanes, tier};
    pub use {ark_ec, ark_ff, ark_serialize, ark_std};
}
