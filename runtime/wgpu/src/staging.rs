//! Host memory of copies, and copies to the host.

use crate::device::Shared;
use crate::queue::Serial;
use crate::wait;
use curvesmith_device::{Result, RuntimeError, Staging};
use std::fmt;
use std::sync::{Arc, OnceLock};
use zeroize::Zeroize;

/// Staging memory: ordinary memory of the host. What is uploaded is copied at the call; what is downloaded
/// arrives when the host asks for it.
pub(crate) struct WgpuStaging {
    bytes: Vec<u8>,
    /// The last copy to it.
    arriving: Option<Arriving>,
    pub(crate) owner: Arc<Shared>,
}

/// A copy to the host.
struct Arriving {
    readback: Arc<Readback>,
    /// Where the bytes begin in the readback.
    skip: usize,
    len: usize,
}

/// Device memory that the host maps once a submission is done.
pub(crate) struct Readback {
    pub(crate) buffer: wgpu::Buffer,
    /// The submission, once there is one.
    pub(crate) serial: OnceLock<Serial>,
    /// Whether the memory is mapped, or why it never will be.
    pub(crate) outcome: OnceLock<Result<()>>,
}

impl Readback {
    /// For `len` bytes.
    pub(crate) fn new(shared: &Shared, len: u64) -> Result<Arc<Readback>> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let buffer = crate::memory::create(&shared.gpu, len, usage)?;
        Ok(Arc::new(Readback { buffer, serial: OnceLock::new(), outcome: OnceLock::new() }))
    }

    /// Waits until the memory is mapped.
    fn settle(&self, shared: &Shared) -> Result<()> {
        loop {
            if let Some(outcome) = self.outcome.get() {
                // Of a lost device nothing is mapped.
                return outcome
                    .clone()
                    .or_else(|error| shared.gpu.alive("Buffer::map_async").and(Err(error)));
            }
            match self.serial.get() {
                Some(serial) => shared.wait(*serial)?,
                None => shared.flush(),
            }
            // Of threads that wait one sets the outcome, which may be another one.
            if self.outcome.get().is_none() {
                wait::pause();
            }
        }
    }

    /// Waits, and shows the bytes.
    pub(crate) fn read<T>(&self, shared: &Shared, f: impl FnOnce(&[u8]) -> T) -> Result<T> {
        self.settle(shared)?;
        shared.gpu.uncaptured()?;
        let view = self.buffer.slice(..).get_mapped_range();
        let view = view.map_err(|error| RuntimeError::Device {
            call: "Buffer::get_mapped_range",
            reason: error.to_string(),
        })?;
        Ok(f(&view))
    }
}

impl WgpuStaging {
    pub(crate) fn new(bytes: usize, owner: Arc<Shared>) -> Result<WgpuStaging> {
        let mut data = Vec::new();
        data.try_reserve_exact(bytes).map_err(|_| RuntimeError::OutOfMemory { requested: bytes as u64 })?;
        data.resize(bytes, 0);
        Ok(WgpuStaging { bytes: data, arriving: None, owner })
    }

    /// Whether a copy of `len` bytes fits.
    pub(crate) fn check(&self, call: &'static str, len: usize) -> Result<()> {
        if len <= self.bytes.len() {
            return Ok(());
        }
        let reason = format!("{len} bytes of staging memory of {} bytes", self.bytes.len());
        Err(RuntimeError::Device { call, reason })
    }

    /// A copy has been submitted, or has failed with its stream.
    pub(crate) fn expect(&mut self, readback: Arc<Readback>, skip: usize, len: usize) {
        self.arriving = Some(Arriving { readback, skip, len });
    }

    /// Takes what was copied. An error of the copy is reported once; then the memory can be used for others.
    fn settle(&mut self) -> Result<()> {
        let Some(Arriving { readback, skip, len }) = self.arriving.take() else { return Ok(()) };
        let bytes = &mut self.bytes[..len];
        readback.read(&self.owner, |from| bytes.copy_from_slice(&from[skip..skip + len]))
    }
}

impl Staging for WgpuStaging {
    fn bytes(&mut self) -> Result<&mut [u8]> {
        self.settle()?;
        Ok(&mut self.bytes)
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl Drop for WgpuStaging {
    fn drop(&mut self) {
        // They may be secrets. What wgpu has copied of them is out of reach.
        self.bytes.zeroize();
    }
}

impl fmt::Debug for WgpuStaging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WgpuStaging[{} bytes]", self.bytes.len())
    }
}
