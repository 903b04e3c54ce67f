//! The lower level of device: memory, streams, events and kernel launches.
//!
//! [`KernelDevice`] is what CUDA and the emulator implement and everything above is written against,
//! once, as `dyn KernelDevice`. Its objects ([`Memory`], [`Stream`], …) are opaque boxes: only the
//! device that made one can look inside, and another one refuses it with an error.

mod error;
mod handles;
mod source;

pub use error::{Result, RuntimeError};
pub use handles::{Event, Memory, Module, Stream};
pub use source::Source;

use curvesmith_abi::{Arg, Flavour, Geometry, KernelEntry, Limits};
use std::any::Any;
use std::fmt::Debug;

/// What a device is, as far as launch policies care.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// Name for the user.
    pub name: String,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Compute capability, `major * 10 + minor`.
    pub compute: u32,
    /// Bytes of memory in all.
    pub memory: u64,
    /// Most bytes of a buffer that a launch takes, which may be a part of an allocation; `u64::MAX` where
    /// memory alone is the limit.
    pub binding: u64,
    /// What the images are written in that it runs.
    pub flavour: Flavour,
    /// The sizes of blocks that these images are built for.
    pub geometry: Geometry,
    /// What it can give one launch.
    pub limits: Limits,
}

impl DeviceProperties {
    /// [`RuntimeError::Lacks`] where a kernel needs what the device does not have.
    pub fn admit(&self, kernel: &KernelEntry) -> Result<()> {
        let lacks = |lack| RuntimeError::Lacks { symbol: kernel.symbol.clone(), lack };
        self.limits.admit(&kernel.needs).map_err(lacks)
    }

    /// [`RuntimeError::Binding`] where launches do not reach so many bytes of one buffer, which is `what`.
    pub fn reach(&self, what: &str, bytes: u64) -> Result<()> {
        match self.binding {
            limit if bytes > limit => Err(RuntimeError::Binding { what: what.into(), bytes, limit }),
            _ => Ok(()),
        }
    }
}

/// One kernel launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Entry point in the module.
    pub symbol: &'a str,
    /// Blocks; at least 1.
    pub grid: u32,
    /// Threads a block.
    pub block: u32,
    /// Dynamic shared memory a block, in bytes.
    pub shared: u32,
    /// Arguments in parameter order.
    pub args: &'a [Arg],
}

/// Host memory that copies go through without the host waiting for them; page-locked on a GPU.
///
/// A copy borrows it only while it is submitted. [`Staging::bytes`] therefore waits until the last
/// copy from or to it is done, and so does its drop: nobody sees bytes that a copy still moves.
pub trait Staging: Any + Send + Sync + Debug {
    /// The bytes, once no copy uses them. Errors are those of the copy's stream.
    fn bytes(&mut self) -> Result<&mut [u8]>;
    /// Puts `bytes` at `offset`, once no copy uses the memory; the range is within the capacity. The device
    /// reads them next and not the host, so a GPU's memory takes them past the host's caches.
    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.bytes()?[offset..offset + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
    /// Sets the first `len` bytes to zero wherever the host can reach what was left of them, once no copy
    /// uses them.
    fn wipe(&mut self, len: usize) -> Result<()> {
        // The device and later calls reach the memory, so that the compiler cannot leave the stores out.
        self.bytes()?[..len].fill(0);
        Ok(())
    }
    /// Number of bytes.
    fn capacity(&self) -> usize;
}

/// A device that runs kernels: CUDA, or the emulator.
///
/// Operations on one stream take effect in order; between streams only events order. An operation
/// that fails leaves its stream failed: later work of that stream is not executed, and every
/// [`KernelDevice::synchronize`] of it reports the first error, until the stream is dropped. Other
/// streams know nothing of it, unless the device itself is lost ([`RuntimeError::DeviceLost`]).
///
/// Memory is freed when its handle is dropped; the caller makes sure that no submitted work still
/// uses it.
pub trait KernelDevice: Debug + Send + Sync + 'static {
    /// Static facts.
    fn properties(&self) -> &DeviceProperties;
    /// The version of what runs the kernels, for what is kept of measurements; empty where there is none to
    /// tell apart.
    fn driver(&self) -> &str {
        ""
    }
    /// Loads an image of the device's flavour, from the device's own cache where it has one.
    fn load(&self, source: &Source) -> Result<Module>;
    /// Compiles a kernel of a loaded image, where the device does that kernel by kernel and its first launch
    /// would wait for it; called for many at once, from several threads. What is wrong with the kernel, its
    /// launch tells.
    fn prepare(&self, _module: &Module, _symbol: &str) {}
    /// Blocks of `block` threads of a kernel that are resident at once on one multiprocessor, at least 1.
    fn resident_blocks(&self, module: &Module, symbol: &str, block: u32) -> Result<u32>;
    /// Bytes of memory that nobody has now, of which an allocation may find less for want of room in one
    /// piece; `None` where the device cannot tell.
    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Allocates `bytes` (≥ 1) with 256-byte alignment, contents undefined.
    fn alloc(&self, bytes: u64) -> Result<Memory>;
    /// In the order of `stream`: the first `bytes` of `memory` have a new owner and undefined contents,
    /// the rest none. Costs nothing on a GPU; the emulator checks it.
    fn reuse(&self, stream: &Stream, memory: &Memory, bytes: u64) -> Result<()>;
    /// Host memory for copies, zeroed.
    fn staging(&self, bytes: usize) -> Result<Box<dyn Staging>>;
    /// A new stream.
    fn stream(&self) -> Result<Stream>;
    /// A new stream whose kernels go before those of other streams that wait for room on the device, where
    /// the device can do that. What they compute does not depend on it.
    fn urgent_stream(&self) -> Result<Stream> {
        self.stream()
    }
    /// Copies the first `len` bytes of `src` to `dst[offset..]`.
    fn upload(
        &self,
        stream: &Stream,
        dst: &Memory,
        offset: u64,
        src: &mut dyn Staging,
        len: usize,
    ) -> Result<()>;
    /// Copies `len` bytes at `src[offset..]` to the start of `dst`.
    fn download(
        &self,
        stream: &Stream,
        src: &Memory,
        offset: u64,
        dst: &mut dyn Staging,
        len: usize,
    ) -> Result<()>;
    /// Sets `len` bytes at `dst[offset..]` to `byte`.
    fn fill(&self, stream: &Stream, dst: &Memory, offset: u64, len: u64, byte: u8) -> Result<()>;
    /// Launches a kernel. The memory behind its arguments must outlive the work.
    fn launch(&self, stream: &Stream, module: &Module, launch: Launch<'_>) -> Result<()>;
    /// Marks the current end of a stream; `timed` if [`KernelDevice::elapsed`] will be asked.
    fn record(&self, stream: &Stream, timed: bool) -> Result<Event>;
    /// Makes later work of `stream` wait for `event`.
    fn wait(&self, stream: &Stream, event: &Event) -> Result<()>;
    /// Seconds on the device from one timed event to another; both have happened.
    fn elapsed(&self, from: &Event, to: &Event) -> Result<f64>;
    /// Blocks until all work of the stream is done, and reports its first error.
    fn synchronize(&self, stream: &Stream) -> Result<()>;
}

/// Copies bytes to `dst[offset..]` and waits. For tests and tools: work that counts goes through staging
/// that is kept.
pub fn write_bytes(
    device: &dyn KernelDevice,
    stream: &Stream,
    dst: &Memory,
    offset: u64,
    bytes: &[u8],
) -> Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut staging = device.staging(bytes.len())?;
    staging.bytes()?.copy_from_slice(bytes);
    device.upload(stream, dst, offset, &mut *staging, bytes.len())?;
    device.synchronize(stream)
}

/// Copies `len` bytes at `src[offset..]` to the host, after all earlier work of the stream.
pub fn read_bytes(
    device: &dyn KernelDevice,
    stream: &Stream,
    src: &Memory,
    offset: u64,
    len: usize,
) -> Result<Vec<u8>> {
    if len == 0 {
        device.synchronize(stream)?;
        return Ok(Vec::new());
    }
    let mut staging = device.staging(len)?;
    device.download(stream, src, offset, &mut *staging, len)?;
    device.synchronize(stream)?;
    Ok(staging.bytes()?.to_vec())
}
