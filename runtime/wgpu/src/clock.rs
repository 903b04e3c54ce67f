//! Times of events.

use crate::device::Shared;
use crate::gpu::{Gpu, Refusal};
use crate::lock;
use crate::memory;
use curvesmith_device::{Result, RuntimeError};
use std::sync::{Arc, Mutex};
use web_time::Instant;

/// Events that have times of the device at once; those beyond have the host's.
const SLOTS: u32 = 1024;

/// Bytes of a time where it is resolved to, one slot after the other.
const STRIDE: u64 = wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT;

/// The device's clock.
pub(crate) struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Seconds of a tick.
    period: f64,
    free: Mutex<Vec<u32>>,
}

/// When a stream came to an event.
pub(crate) enum Time {
    /// Nobody will ask.
    None,
    /// Never: its stream had failed.
    Never,
    /// As the device tells.
    Device(u32),
    /// As the host saw it, after it had waited for all work before.
    Host(Instant),
}

/// Inside an `Event`.
pub(crate) struct WgpuEvent {
    pub(crate) time: Time,
    pub(crate) owner: Arc<Shared>,
}

impl Drop for WgpuEvent {
    fn drop(&mut self) {
        if let (Time::Device(slot), Some(clock)) = (&self.time, &self.owner.clock) {
            lock(&clock.free).push(*slot);
        }
    }
}

impl Clock {
    /// Of a device with its own times.
    pub(crate) fn new(gpu: &Gpu) -> Result<Clock> {
        let descriptor =
            wgpu::QuerySetDescriptor { label: None, ty: wgpu::QueryType::Timestamp, count: SLOTS };
        let queries = gpu.caught(|| gpu.device.create_query_set(&descriptor));
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        Ok(Clock {
            queries: queries.map_err(|refusal: Refusal| refusal.of("Device::create_query_set"))?,
            resolved: memory::create(gpu, u64::from(SLOTS) * STRIDE, usage)?,
            period: f64::from(gpu.queue.get_timestamp_period()) * 1e-9,
            free: Mutex::new((0..SLOTS).rev().collect()),
        })
    }

    /// A slot that nobody has.
    pub(crate) fn slot(&self) -> Option<u32> {
        lock(&self.free).pop()
    }

    /// Sets the slot to the time when all work encoded before is done.
    pub(crate) fn mark(&self, encoder: &mut wgpu::CommandEncoder, slot: u32) {
        encoder.write_timestamp(&self.queries, slot);
        encoder.resolve_query_set(&self.queries, slot..slot + 1, &self.resolved, u64::from(slot) * STRIDE);
    }

    /// Copies the ticks of two slots.
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder, slots: [u32; 2], to: &wgpu::Buffer) {
        for (slot, offset) in slots.into_iter().zip([0, 8]) {
            encoder.copy_buffer_to_buffer(&self.resolved, u64::from(slot) * STRIDE, to, offset, 8);
        }
    }

    /// Seconds between two times, which [`Clock::copy`] copied.
    pub(crate) fn seconds(&self, bytes: &[u8]) -> f64 {
        let ticks = |at: usize| {
            bytes[at..at + 8].iter().rev().fold(0u64, |ticks, byte| ticks << 8 | u64::from(*byte))
        };
        // Either may be the later one.
        ticks(8).wrapping_sub(ticks(0)).cast_signed() as f64 * self.period
    }
}

/// Why an event has no time.
pub(crate) fn timeless(reason: &str) -> RuntimeError {
    RuntimeError::Device { call: "elapsed", reason: format!("an event {reason}") }
}
