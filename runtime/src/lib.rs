//! Devices, memory, launches, and MSM, NTT and SpMV composed from generated kernels.
//!
//! Two levels of device: [`device::KernelDevice`] runs kernels (CUDA, the emulator);
//! [`backend::Backend`] runs algorithms (kernels on a `KernelDevice`, or the CPU).
//! No curve is named here: algorithms are generic over [`field::Field`] and
//! [`group::Group`] markers, which the macros implement.

pub mod backend;
pub mod buffer;
pub mod common;
pub mod cpu;
pub mod cuda;
#[doc(hidden)]
pub mod declared;
pub mod device;
pub mod emulator;
pub mod error;
pub mod field;
pub mod group;
pub mod handle;
pub mod kernels;
pub mod launch;
pub mod plan;

pub use emulator::EmulatorOptions;
pub use error::RuntimeError;
pub use handle::{Device, DeviceVisitor};
pub use plan::{Msm, MsmOptions, Ntt, NttOptions, Pointwise, SpMv, SpMvOptions};

/// What macro expansions name. Not an interface for people.
#[doc(hidden)]
pub mod __private {
    pub use crate::declared;
    pub use crate::field::{self, Field};
    pub use crate::group::{self, Group, PairingCurve};
    pub use {ark_ec, ark_ff, ark_serialize, ark_std};
}
