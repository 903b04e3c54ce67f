//! A device that runs WGSL kernels through wgpu: over Vulkan, Metal or Direct3D 12, or in a browser.
//!
//! [`WgpuDevice`] implements [`KernelDevice`](curvesmith_device::KernelDevice), as CUDA does, for images
//! of the flavour `wgsl`. [`adapters`] lists what there is.
//!
//! # What a text looks like
//! An image's text is one WGSL module with an entry point per kernel, named by its symbol,
//! `@compute @workgroup_size(block)`. A kernel with `B` buffers among its parameters has them at
//! `@group(0)` and bindings `0..B`, in the order of the parameters, as arrays of `u32` or
//! `atomic<u32>`: `var<storage, read>` what its signature calls `in`, `var<storage, read_write>` what it
//! calls `inout`. Binding `B` is `var<uniform> array<vec4<u32>, M>`, whose words are
//!
//! * the number of blocks of the launch;
//! * then for each parameter in order: of a buffer the index of the argument's first word within what is
//!   bound; of a `u32` its value; of a `u64` two words, the low one first;
//! * zeros up to a multiple of four.
//!
//! Word `i` is in component `i % 4` of vector `i / 4`. More than 65535 blocks are dispatched in two
//! dimensions, of which the last row may be too long: the block is `workgroup.x + workgroup.y * groups.x`,
//! and those not below word 0 leave at once. Shared memory holds anything when a block begins: zeros,
//! which WGSL promises, are not written.
//!
//! # Ranges of buffers
//! An allocation is one buffer of wgpu. A launch binds each argument from its start, aligned down to what
//! the adapter asks for, to its end, so that an index out of an argument's range hardly reaches its
//! neighbour: wgpu's compiler bounds it by what is bound.
//!
//! wgpu tracks uses per buffer and not per range: within a dispatch, one that a binding reads and another one
//! writes is refused, wherever the ranges lie; several that write are allowed. A launch with such arguments
//! therefore takes a second pipeline, of the same text with all bindings `read_write`, which is compiled when
//! the first such launch comes. It moves no bytes, and needs no room between the ranges. A browser is
//! stricter, and refuses written ranges that overlap once they are aligned: there allocations would have to
//! be cut at 256 bytes.
//!
//! # Streams
//! wgpu has one queue. All streams share it, in the order of the calls, which is one of those that
//! streams and events allow; waiting for an event costs nothing. Launches and short copies are collected
//! in a command buffer, which is submitted when the host waits or copies little from the device, when it
//! holds 300 ms of work by what was measured of its kernels, 256 launches, or long copies of 4 MiB.
//!
//! # Compilation
//! A kernel becomes a pipeline when it is [prepared](curvesmith_device::KernelDevice::prepare), as many at
//! once as there are threads that ask, else at its first launch. Drivers keep what they compile in caches of
//! their own; wgpu's cache of pipelines is not used, since it is `unsafe` to make one of bytes from a disk,
//! and Mesa's for the CPU holds nothing. [`WgpuDevice::compiled`] counts.
//!
//! # Failures
//! A call whose arguments do not fit is refused, and nothing is submitted; so is one whose text is wrong: a
//! module at [`load`](curvesmith_device::KernelDevice::load), an entry point at its launch. What fails later,
//! at the submission, fails all streams that have work in it. Nothing is known to fail there but a device
//! that is out of memory or lost.
//!
//! After the loss of a device wgpu panics where one waits for it. Such a panic is caught, and becomes
//! [`RuntimeError::DeviceLost`](curvesmith_device::RuntimeError::DeviceLost); a program that aborts on panics
//! aborts.
//!
//! # Browsers
//! Compiled to WebAssembly, this runs on a browser's WebGPU. What waits sets the call aside by JavaScript's
//! Promise Integration: it has to come from an export that wasm-bindgen marks `jspi`, and while it is set
//! aside, no other call may be made, since it holds locks. Errors of launches come later there; each wait
//! tells the first one.

mod adapter;
mod clock;
mod contract;
mod cost;
mod device;
mod gpu;
mod memory;
mod module;
mod queue;
mod staging;
mod wait;
mod words;

#[cfg(test)]
mod tests;

pub use adapter::{AdapterInfo, AdapterKind, adapters};
pub use device::{WgpuDevice, WgpuOptions};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic while a lock was held left plain data behind, which stays usable.
fn lock<T: ?Sized>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}
