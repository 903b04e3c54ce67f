//! What runs above a [`KernelDevice`], compiled once: memory, streams, launches, transfers.
//!
//! A [`Gpu`] is shared by all who use a device. Work is done by a [`Stream`], which a call takes for
//! itself: memory of the call follows the order of its streams (`pool`), its failures are its
//! own, and it waits for nobody else. No lock is held while the driver is called, but an image's own
//! while that image is loaded.

mod arrivals;
mod buffer;
mod chunks;
mod launch;
mod pool;
mod record;
mod ring;
mod shared;
mod stream;
mod transfer;

pub use buffer::Buffer;
pub(crate) use pool::rounded;
pub(crate) use shared::{Key, SharedTables};
pub use stream::Stream;
pub(crate) use transfer::not_canonical;

use crate::error::{Result, RuntimeError};
use crate::job::Cancel;
use crate::owner::Owner;
use crate::policy::Policy;
use crate::vocabulary::{Detail, DigitShape};
use curvesmith_device::{self as device, DeviceProperties, KernelDevice};
use launch::Modules;
use pool::Pool;
use ring::Slots;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel device with its loaded kernels, its memory and its launch policies. Clones share all of it.
#[derive(Clone)]
pub struct Gpu {
    shared: Arc<Shared>,
}

struct Shared {
    // Dropped first, and all of it before the device.
    pool: Arc<Pool>,
    slots: Arc<Slots>,
    idle: Mutex<Vec<Lane>>,
    modules: Modules,
    tables: SharedTables,
    policy: Policy,
    /// What identifies the kernels of fields, by the fields' names.
    kernels: Mutex<HashMap<&'static str, Arc<str>>>,
    /// Wait after every launch, so that a fault names its kernel.
    synchronous: bool,
    lanes: AtomicU32,
    device: Arc<dyn KernelDevice>,
}

/// A stream of the device with the number that traces show.
#[derive(Debug)]
struct Lane {
    number: u32,
    urgent: bool,
    raw: device::Stream,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gpu").field(&self.shared.device).finish()
    }
}

impl Gpu {
    /// Everything on `device`, with the policies for its properties or with others; results do not depend
    /// on them. With `CURVESMITH_SYNC=1` in the environment every launch is waited for.
    pub fn new(device: Arc<dyn KernelDevice>, policy: Option<Policy>) -> Gpu {
        let policy = policy.unwrap_or_else(|| Policy::for_device(device.properties()));
        let synchronous = std::env::var_os("CURVESMITH_SYNC").is_some_and(|v| v == "1");
        Gpu {
            shared: Arc::new(Shared {
                pool: Arc::default(),
                slots: Arc::default(),
                idle: Mutex::default(),
                modules: Modules::default(),
                tables: SharedTables::default(),
                policy,
                kernels: Mutex::default(),
                synchronous,
                lanes: AtomicU32::new(0),
                device,
            }),
        }
    }

    /// Static facts of the device.
    pub fn properties(&self) -> &DeviceProperties {
        self.shared.device.properties()
    }

    /// The policies in force.
    pub fn policy(&self) -> &Policy {
        &self.shared.policy
    }

    /// What identifies the kernels of a field and those that all fields share, compiler included: 32
    /// hexadecimal digits.
    pub(crate) fn kernels(&self, field: &Owner) -> Arc<str> {
        let mut known = self.shared.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = || {
            let mut hasher = blake3::Hasher::new();
            hasher.update(Owner::common().images).update(field.images);
            hasher.finalize().to_hex()[..32].into()
        };
        Arc::clone(known.entry(field.name).or_insert_with(hash))
    }

    /// The shape of the digits of `n` scalars of a field with at most so many multiples of each base: as
    /// measured, or by the policy's model.
    pub(crate) fn digit_shape(&self, field: &Owner, n: usize, most: u32) -> DigitShape {
        let Policy { windows, msm, .. } = self.policy();
        let measured = match windows.know(field.name) {
            true => windows.shape((field.name, field.bits), &self.kernels(field), n, most),
            false => None,
        };
        measured.unwrap_or_else(|| msm.shape_with_multiples(field.bits, n, most))
    }

    /// Tables of transforms that plans have.
    pub(crate) fn shared_tables(&self) -> &SharedTables {
        &self.shared.tables
    }

    /// Loads all images of `owners` now, in parallel, instead of at first use, and prepares the kernels that
    /// no option has to ask for.
    pub fn preload(&self, owners: &[Owner]) -> Result<()> {
        self.shared.modules.preload(self.device(), owners, &|kernel| self.policy().msm.takes(kernel))
    }

    /// Gives memory that waits for re-use back to the device.
    pub fn release_unused(&self) {
        self.shared.pool.clear();
        self.shared.slots.clear();
    }

    /// Bytes of device memory that nobody has, what waits for re-use included; `None` where the device cannot
    /// tell.
    pub fn free_memory(&self) -> Result<Option<u64>> {
        Ok(self.device().free_memory()?.map(|free| free.saturating_add(self.unused_bytes())))
    }

    /// Bytes of device memory that wait for re-use.
    pub fn unused_bytes(&self) -> u64 {
        self.shared.pool.bytes()
    }

    /// [`RuntimeError::InsufficientMemory`] where `needed` bytes are more than the device has free, memory
    /// that waits for re-use included, or more than `limit`. The device is asked only if re-use alone would
    /// not do.
    pub fn check_room(&self, what: &'static str, needed: u64, limit: Option<u64>) -> Result<()> {
        let refused = |available| Err(RuntimeError::InsufficientMemory { what, needed, available });
        if let Some(limit) = limit.filter(|limit| needed > *limit) {
            return refused(limit);
        }
        if needed <= self.unused_bytes() {
            return Ok(());
        }
        match self.free_memory()? {
            Some(available) if needed > available => refused(available),
            _ => Ok(()),
        }
    }

    /// A stream for one call; `cancel` ends it early.
    pub fn stream(&self, detail: Detail, cancel: Cancel) -> Result<Stream> {
        Stream::start(self.clone(), detail, cancel)
    }

    pub(crate) fn device(&self) -> &dyn KernelDevice {
        &*self.shared.device
    }

    fn lane(&self, urgent: bool) -> Result<Lane> {
        let idle = {
            let mut idle = self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.iter().rposition(|lane| lane.urgent == urgent).map(|i| idle.swap_remove(i))
        };
        match idle {
            Some(lane) => Ok(lane),
            None => {
                let raw = if urgent { self.device().urgent_stream()? } else { self.device().stream()? };
                Ok(Lane { number: self.shared.lanes.fetch_add(1, Ordering::Relaxed), urgent, raw })
            }
        }
    }

    fn put_back(&self, lane: Lane) {
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner).push(lane);
    }
}

#[cfg(test)]
mod tests;
