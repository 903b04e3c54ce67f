//! Host memory of copies, and copies to the host.

use crate::device::Shared;
use crate::gpu::Gpu;
use crate::queue::{SHORT_UPLOAD, Serial};
use crate::wait;
use curvesmith_device::{Result, RuntimeError, Staging};
use std::fmt;
use std::sync::{Arc, OnceLock};
use zeroize::Zeroize;

/// Staging memory: ordinary memory of the host. What is downloaded arrives when the host asks for it.
///
/// Long uploads leave from memory that the host has mapped, and that the device copies from:
/// [`Staging::write`] puts the bytes there too, in the thread that has them. In a browser, and where they
/// were not written so, they are copied at the call.
pub(crate) struct WgpuStaging {
    bytes: Vec<u8>,
    /// The last copy to it.
    arriving: Option<Arriving>,
    departure: Option<Departure>,
    pub(crate) owner: Arc<Shared>,
}

/// What uploads leave from.
struct Departure {
    buffer: wgpu::Buffer,
    /// The memory, while the host has it.
    view: Option<wgpu::BufferViewMut>,
    /// How many of the first bytes are the staging's.
    same: usize,
    /// The last copy from it, after which the host gets it back.
    leaving: Option<Arc<Mapping>>,
}

/// A copy to the host.
struct Arriving {
    mapping: Arc<Mapping>,
    /// Where the bytes begin in the mapped memory.
    skip: usize,
    len: usize,
}

/// Memory for copies that the host maps once a submission is done.
pub(crate) struct Mapping {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) mode: wgpu::MapMode,
    /// The submission, once there is one.
    pub(crate) serial: OnceLock<Serial>,
    /// Whether the memory is mapped, or why it never will be.
    pub(crate) outcome: OnceLock<Result<()>>,
}

impl Mapping {
    fn new(buffer: wgpu::Buffer, mode: wgpu::MapMode) -> Arc<Mapping> {
        Arc::new(Mapping { buffer, mode, serial: OnceLock::new(), outcome: OnceLock::new() })
    }

    /// Memory for a copy of `len` bytes to the host.
    pub(crate) fn to_host(shared: &Shared, len: u64) -> Result<Arc<Mapping>> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        Ok(Mapping::new(crate::memory::create(&shared.gpu, len, usage)?, wgpu::MapMode::Read))
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

    /// Waits, and shows the bytes that were copied to the host.
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

impl Departure {
    /// With its memory mapped.
    fn new(gpu: &Gpu, bytes: usize) -> Result<Departure> {
        let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
        let size = (bytes as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let buffer = crate::memory::create_mapped(gpu, size, usage)?;
        Ok(Departure { buffer, view: None, same: 0, leaving: None })
    }

    /// The memory, once the last copy from it is done.
    fn view(&mut self, shared: &Shared) -> Result<&mut wgpu::BufferViewMut> {
        if let Some(leaving) = self.leaving.take() {
            leaving.settle(shared)?;
        }
        if self.view.is_none() {
            let view = self.buffer.slice(..).get_mapped_range_mut();
            let view = view.map_err(|error| RuntimeError::Device {
                call: "Buffer::get_mapped_range_mut",
                reason: error.to_string(),
            })?;
            self.view = Some(view);
        }
        Ok(self.view.as_mut().expect("it was just made"))
    }

    /// Puts bytes there that follow those which are there already; others wait for [`Departure::complete`].
    fn put(&mut self, shared: &Shared, offset: usize, bytes: &[u8]) -> Result<()> {
        if offset <= self.same {
            self.view(shared)?.slice(offset..offset + bytes.len()).copy_from_slice(bytes);
            self.same = self.same.max(offset + bytes.len());
        }
        Ok(())
    }

    /// Puts there what is missing of the bytes.
    fn complete(&mut self, shared: &Shared, bytes: &[u8]) -> Result<()> {
        if self.same < bytes.len() {
            let same = self.same;
            self.put(shared, same, &bytes[same..])?;
        }
        Ok(())
    }

    /// Takes the memory from the host.
    fn leave(&mut self) -> Arc<Mapping> {
        self.view = None;
        self.buffer.unmap();
        let mapping = Mapping::new(self.buffer.clone(), wgpu::MapMode::Write);
        self.leaving = Some(Arc::clone(&mapping));
        mapping
    }
}

impl WgpuStaging {
    pub(crate) fn new(bytes: usize, owner: Arc<Shared>) -> Result<WgpuStaging> {
        let mut data = Vec::new();
        data.try_reserve_exact(bytes).map_err(|_| RuntimeError::OutOfMemory { requested: bytes as u64 })?;
        data.resize(bytes, 0);
        Ok(WgpuStaging { bytes: data, arriving: None, departure: None, owner })
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
    pub(crate) fn expect(&mut self, mapping: Arc<Mapping>, skip: usize, len: usize) {
        self.arriving = Some(Arriving { mapping, skip, len });
    }

    /// What an upload of the first `len` bytes leaves from, in which they are; `None` if that is not worth
    /// it. The caller submits a copy.
    pub(crate) fn depart(&mut self, len: usize) -> Result<Option<Arc<Mapping>>> {
        if !is_worth_it(len) {
            return Ok(None);
        }
        let departure = departure(&mut self.departure, &self.owner, self.bytes.len())?;
        departure.complete(&self.owner, &self.bytes[..len])?;
        Ok(Some(departure.leave()))
    }

    /// The bytes, of which copies to the host are [settled](WgpuStaging::settle).
    pub(crate) fn settled(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes what was copied. An error of a copy is reported once; then the memory can be used for others.
    pub(crate) fn settle(&mut self) -> Result<()> {
        if let Some(Arriving { mapping, skip, len }) = self.arriving.take() {
            let bytes = &mut self.bytes[..len];
            mapping.read(&self.owner, |from| bytes.copy_from_slice(&from[skip..skip + len]))?;
        }
        if let Some(leaving) = self.departure.as_mut().and_then(|departure| departure.leaving.take()) {
            // What failed is not mapped again.
            leaving.settle(&self.owner).inspect_err(|_| self.departure = None)?;
        }
        Ok(())
    }
}

/// Whether an upload leaves from mapped memory. A browser would have to be waited for until that is mapped
/// again, and copies no less.
fn is_worth_it(len: usize) -> bool {
    !cfg!(target_family = "wasm") && len as u64 > SHORT_UPLOAD
}

fn departure<'a>(made: &'a mut Option<Departure>, owner: &Shared, bytes: usize) -> Result<&'a mut Departure> {
    if made.is_none() {
        *made = Some(Departure::new(&owner.gpu, bytes)?);
    }
    Ok(made.as_mut().expect("it was just made"))
}

impl Staging for WgpuStaging {
    fn bytes(&mut self) -> Result<&mut [u8]> {
        self.settle()?;
        if let Some(departure) = &mut self.departure {
            departure.same = 0;
        }
        Ok(&mut self.bytes)
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.settle()?;
        let capacity = self.bytes.len();
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        if is_worth_it(capacity) {
            departure(&mut self.departure, &self.owner, capacity)?.put(&self.owner, offset, bytes)?;
        }
        Ok(())
    }

    fn wipe(&mut self, len: usize) -> Result<()> {
        self.settle()?;
        self.bytes[..len].fill(0);
        if let Some(departure) = &mut self.departure {
            departure.view(&self.owner)?.slice(..len).fill(0);
            departure.same = departure.same.max(len);
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl Drop for WgpuStaging {
    fn drop(&mut self) {
        // They may be secrets. What wgpu has copied of them is out of reach.
        self.bytes.zeroize();
        if let Some(Departure { view: Some(view), .. }) = &mut self.departure {
            view.slice(..).fill(0);
        }
    }
}

impl fmt::Debug for WgpuStaging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WgpuStaging[{} bytes]", self.bytes.len())
    }
}
