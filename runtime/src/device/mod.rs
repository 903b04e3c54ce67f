//! The lower level of device: memory, streams, events and kernel launches.

use crate::error::Result;
use curvesmith_abi::{Arg, Image};
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

/// A device that runs kernels: CUDA, or the emulator.
///
/// Operations on one stream take effect in order; between streams only events order.
/// All handles are cheap to clone or owned; memory is freed on drop, after work
/// already submitted on it.
pub trait KernelDevice: Clone + Debug + Send + Sync + 'static {
    /// An allocation.
    type Memory: Send + Sync + Debug;
    /// A loaded image.
    type Module: Send + Sync + Debug;
    /// An in-order queue.
    type Stream: Send + Sync + Debug;
    /// A point in a stream.
    type Event: Send + Sync + Debug;

    /// Static facts.
    fn properties(&self) -> DeviceProperties;
    /// Loads an image, from the device's own cache where it has one.
    fn load(&self, image: &Image) -> Result<Self::Module>;
    /// Allocates `bytes` (≥ 1) with 256-byte alignment, contents undefined.
    fn alloc(&self, bytes: u64) -> Result<Self::Memory>;
    /// Device address of an allocation.
    fn address(&self, memory: &Self::Memory) -> u64;
    /// A new stream.
    fn stream(&self) -> Result<Self::Stream>;
    /// Copies host bytes to `dst[offset..]`; `src` may be reused on return.
    fn upload(&self, stream: &Self::Stream, dst: &Self::Memory, offset: u64, src: &[u8]) -> Result<()>;
    /// Copies `src[offset..]` to the host, after all earlier work of the stream.
    fn download(&self, stream: &Self::Stream, src: &Self::Memory, offset: u64, dst: &mut [u8]) -> Result<()>;
    /// Sets `len` bytes at `dst[offset..]` to `byte`.
    fn fill(&self, stream: &Self::Stream, dst: &Self::Memory, offset: u64, len: u64, byte: u8) -> Result<()>;
    /// Launches a kernel. The memory behind its arguments must outlive the work:
    /// drop of an allocation waits for, or is ordered after, submitted launches.
    fn launch(&self, stream: &Self::Stream, module: &Self::Module, launch: Launch<'_>) -> Result<()>;
    /// Marks the current end of a stream.
    fn record(&self, stream: &Self::Stream) -> Result<Self::Event>;
    /// Makes later work of `stream` wait for `event`.
    fn wait(&self, stream: &Self::Stream, event: &Self::Event) -> Result<()>;
    /// Blocks until all work of the stream is done, and reports its first error.
    fn synchronize(&self, stream: &Self::Stream) -> Result<()>;
}
