//! Allocations.

use crate::device::Shared;
use crate::gpu::Gpu;
use crate::lock;
use curvesmith_abi::{BufferId, ByteRange};
use curvesmith_device::{Result, RuntimeError};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Bytes that an allocation's size is a multiple of.
const GRANULE: u64 = 256;

/// The buffers of a device by number.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Mutex<HashMap<BufferId, wgpu::Buffer>>);

/// Inside a `Memory`; freed on drop, or when submitted work has done with it.
pub(crate) struct WgpuMemory {
    pub(crate) id: BufferId,
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) owner: Arc<Shared>,
}

impl WgpuMemory {
    pub(crate) fn new(owner: &Arc<Shared>, bytes: u64) -> Result<WgpuMemory> {
        /// No two devices have the same numbers, so that another one's are noticed.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let out_of_memory = RuntimeError::OutOfMemory { requested: bytes };
        let size = bytes.max(1).checked_next_multiple_of(GRANULE);
        let Some(size) = size.filter(|size| *size <= owner.limits.max_buffer_size) else {
            return Err(out_of_memory);
        };
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let mut made = create(&owner.gpu, size, usage);
        if matches!(made, Err(RuntimeError::OutOfMemory { .. })) {
            // What was freed is wgpu's until the work with it is done.
            owner.drain()?;
            made = create(&owner.gpu, size, usage);
        }
        let buffer = made.map_err(|error| match error {
            RuntimeError::OutOfMemory { .. } => out_of_memory,
            other => other,
        })?;
        let id = BufferId(NEXT.fetch_add(1, Ordering::Relaxed));
        lock(&owner.buffers.0).insert(id, buffer.clone());
        Ok(WgpuMemory { id, buffer, owner: Arc::clone(owner) })
    }
}

impl Drop for WgpuMemory {
    fn drop(&mut self) {
        lock(&self.owner.buffers.0).remove(&self.id);
    }
}

impl Buffers {
    /// The buffer in which a range lies; why there is none.
    pub(crate) fn find(&self, range: &ByteRange) -> std::result::Result<wgpu::Buffer, String> {
        let buffer = lock(&self.0).get(&range.buffer).cloned();
        let buffer = buffer.ok_or_else(|| format!("{:?} is none of this device", range.buffer))?;
        if range.start > range.end || range.end > buffer.size() {
            return Err(format!("{range} of a buffer of {} bytes", buffer.size()));
        }
        if !range.start.is_multiple_of(4) {
            return Err(format!("{range} of a buffer do not begin at a word"));
        }
        Ok(buffer)
    }
}

/// A buffer of wgpu; its contents are zeros.
pub(crate) fn create(gpu: &Gpu, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
    made(gpu, &wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// As [`create`], and the host has it mapped.
pub(crate) fn create_mapped(gpu: &Gpu, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
    made(gpu, &wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: true })
}

fn made(gpu: &Gpu, descriptor: &wgpu::BufferDescriptor<'_>) -> Result<wgpu::Buffer> {
    const CALL: &str = "Device::create_buffer";
    gpu.alive(CALL)?;
    gpu.caught(|| gpu.device.create_buffer(descriptor)).map_err(|refusal| match refusal {
        crate::gpu::Refusal::OutOfMemory => RuntimeError::OutOfMemory { requested: descriptor.size },
        other => other.of(CALL),
    })
}
