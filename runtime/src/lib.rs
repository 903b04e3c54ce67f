//! Devices, memory, launches, and MSM, NTT and SpMV composed from generated kernels.
//!
//! Two levels of device: [`device::KernelDevice`] runs kernels (CUDA, the emulator);
//! [`backend::Backend`] runs algorithms (kernels on a `KernelDevice`, or the CPU).
//! No curve is named here: algorithms are generic over [`field::Field`] and
//! [`group::Group`] markers, which the macros implement.

pub mod backend;
pub mod device;
pub mod error;
pub mod field;
pub mod group;

pub use error::RuntimeError;
