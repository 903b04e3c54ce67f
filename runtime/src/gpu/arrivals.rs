//! The chunks of a copy from the device.

use super::chunks::{OneByOne, on_all_cores};
use super::ring::{self, Slot};
use super::stream::Stream;
use crate::error::Result;
use curvesmith_device::Memory;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes the device bytes of the elements of chunk `i`.
pub(super) type Take<'a> = dyn Fn(usize, &[u8]) -> Result<()> + Sync + 'a;

/// Chunks of device memory on their way to the host: as many as a stream has slots for, all submitted before
/// anyone waits; then a core that took one submits another.
pub(super) struct Arrivals<'a> {
    stream: &'a Stream,
    memory: &'a Memory,
    /// Ranges of elements of `each` bytes.
    chunks: &'a [Range<usize>],
    each: usize,
    /// Submitted chunks, in this order.
    arriving: Mutex<VecDeque<(usize, Slot)>>,
    submitted: AtomicUsize,
    submitting: OneByOne<usize>,
}

impl<'a> Arrivals<'a> {
    pub(super) fn new(
        stream: &'a Stream,
        memory: &'a Memory,
        chunks: &'a [Range<usize>],
        each: usize,
    ) -> Self {
        let (arriving, submitted, submitting) = (Mutex::default(), AtomicUsize::new(0), OneByOne::new());
        Arrivals { stream, memory, chunks, each, arriving, submitted, submitting }
    }

    /// Hands all chunks to `take`, which is called from several threads, after all earlier work of the
    /// stream. The first failure of it is the result.
    pub(super) fn take_all(self, take: &Take<'_>) -> Result<()> {
        for _ in 0..ring::large_slots() {
            self.submit_another()?;
        }
        // One thread waits for what comes before, not all.
        let Some((first, mut slot)) = self.next() else { return Ok(()) };
        let waited = slot.bytes(self.bytes(first)).map(drop);
        self.arriving().push_front((first, slot));
        waited?;
        on_all_cores(self.chunks.len(), |_| {
            while let Some((i, slot)) = self.next() {
                self.stream.check_cancelled().and_then(|()| self.arrive(i, slot, take))?;
                self.submit_another()?;
            }
            Ok(())
        })
    }

    fn submit_another(&self) -> Result<()> {
        let i = self.submitted.fetch_add(1, Ordering::Relaxed);
        if i < self.chunks.len() { self.submitting.add(i, |i| self.submit(i)) } else { Ok(()) }
    }

    fn submit(&self, i: usize) -> Result<()> {
        let (bytes, offset) = (self.bytes(i), (self.chunks[i].start * self.each) as u64);
        let mut slot = self.stream.slot(bytes)?;
        self.stream.account.count_down(bytes);
        let copied = self.stream.copied("download", || {
            self.stream.device().download(self.stream.raw(), self.memory, offset, &mut *slot.staging, bytes)
        });
        self.arriving().push_back((i, slot));
        copied
    }

    fn arrive(&self, i: usize, mut slot: Slot, take: &Take<'_>) -> Result<()> {
        let bytes = self.bytes(i);
        let taken = slot.bytes(bytes).and_then(|bytes| take(i, bytes));
        self.stream.ring().put(bytes, Some(slot));
        taken
    }

    fn bytes(&self, i: usize) -> usize {
        self.chunks[i].len() * self.each
    }

    fn next(&self) -> Option<(usize, Slot)> {
        self.arriving().pop_front()
    }

    fn arriving(&self) -> MutexGuard<'_, VecDeque<(usize, Slot)>> {
        self.arriving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Arrivals<'_> {
    /// What a failure left goes back to the stream, which waits for it.
    fn drop(&mut self) {
        let left = std::mem::take(&mut *self.arriving());
        for (i, slot) in left {
            self.stream.ring().put(self.bytes(i), Some(slot));
        }
    }
}
