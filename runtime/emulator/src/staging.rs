//! Host memory that copies go through.

use super::emulator::Inner;
use super::lock;
use super::queue::Mark;
use curvesmith_device::{Result, RuntimeError, Staging};
use std::fmt;
use std::sync::{Arc, Mutex};

/// Bytes that queued copies share.
pub(super) type StagedBytes = Arc<Mutex<Vec<u8>>>;

/// Staging memory of an emulator. An error of a copy is reported once; then the memory can be used
/// for other copies.
pub(super) struct EmulatorStaging {
    data: StagedBytes,
    capacity: usize,
    /// The last copy of each stream since the host last looked, and each failed one.
    copies: Vec<Arc<Mark>>,
    pub(super) owner: Arc<Inner>,
}

impl EmulatorStaging {
    pub(super) fn new(bytes: usize, owner: Arc<Inner>) -> Result<EmulatorStaging> {
        let mut data = Vec::new();
        data.try_reserve_exact(bytes).map_err(|_| RuntimeError::OutOfMemory { requested: bytes as u64 })?;
        data.resize(bytes, 0);
        Ok(EmulatorStaging { data: Arc::new(Mutex::new(data)), capacity: bytes, copies: Vec::new(), owner })
    }

    /// The bytes, for a copy of `len` of them.
    pub(super) fn share(&self, call: &'static str, len: usize) -> Result<StagedBytes> {
        if len > self.capacity {
            let reason = format!("{len} bytes of staging memory of {} bytes", self.capacity);
            return Err(RuntimeError::Device { call, reason });
        }
        Ok(self.data.clone())
    }

    /// A copy has been submitted.
    pub(super) fn used_by(&mut self, mark: Arc<Mark>) {
        self.copies.retain(|m| m.slot() != mark.slot() || m.error().is_some());
        self.copies.push(mark);
    }

    /// Waits for the copies; their first error.
    fn settle(&mut self) -> Result<()> {
        self.owner.injector.alive()?;
        let mut outcome = Ok(());
        for mark in self.copies.drain(..) {
            self.owner.wait_for(&mark);
            if let (Ok(()), Some(error)) = (&outcome, mark.error()) {
                outcome = Err(error.clone());
            }
        }
        outcome
    }
}

impl Staging for EmulatorStaging {
    fn bytes(&mut self) -> Result<&mut [u8]> {
        self.settle()?;
        // A copy drops its share before it counts as done.
        let data = Arc::get_mut(&mut self.data)
            .ok_or(RuntimeError::Device { call: "staging", reason: "a copy still uses the memory".into() })?;
        let data = data.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(data.as_mut_slice())
    }

    fn capacity(&self) -> usize {
        self.capacity
    }
}

impl Drop for EmulatorStaging {
    fn drop(&mut self) {
        // Whoever drops it does not want the bytes, nor to know why there are none.
        let _ = self.settle();
    }
}

impl fmt::Debug for EmulatorStaging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EmulatorStaging[{} bytes]", self.capacity)
    }
}

/// Locks the bytes of a copy that is executed.
pub(super) fn with_bytes<T>(data: &StagedBytes, len: usize, f: impl FnOnce(&mut [u8]) -> T) -> T {
    let mut data = lock(data);
    let len = len.min(data.len());
    f(&mut data[..len])
}
