//! Reuse of device memory.
//!
//! Allocation calls of the driver wait for the device, and freed memory may still be read
//! by work in some stream. A released block therefore waits in `pending` until the device
//! has been synchronised once after its release; then anyone may have it.

use crate::error::{Result, RuntimeError};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The calls below the pool.
pub(super) trait RawMemory {
    /// A new block; `None` when there is no room.
    fn alloc(&self, bytes: u64) -> Result<Option<u64>>;
    /// Gives a block back; nothing uses it any more.
    fn free(&self, address: u64);
    /// Waits for all work on the device.
    fn synchronize(&self) -> Result<()>;
}

/// Blocks by rounded size.
#[derive(Default)]
pub(super) struct Pool {
    blocks: Mutex<Blocks>,
}

#[derive(Default)]
struct Blocks {
    free: HashMap<u64, Vec<u64>>,
    pending: HashMap<u64, Vec<u64>>,
}

/// Sizes are rounded up to 256 bytes, and to an eighth of their power of two, so that the
/// vectors of one computation, which differ by a few elements, share blocks.
fn rounded(bytes: u64) -> u64 {
    let bytes = bytes.max(1);
    let step = ((1u64 << bytes.ilog2()) / 8).max(256);
    bytes.checked_next_multiple_of(step).unwrap_or(bytes)
}

impl Pool {
    /// The address of a block of at least `bytes`.
    pub(super) fn acquire(&self, raw: &impl RawMemory, bytes: u64) -> Result<u64> {
        let size = rounded(bytes);
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = blocks.take_free(size) {
            return Ok(address);
        }
        if blocks.pending.get(&size).is_some_and(|list| !list.is_empty()) {
            blocks.settle(raw)?;
            if let Some(address) = blocks.take_free(size) {
                return Ok(address);
            }
        }
        if let Some(address) = raw.alloc(size)? {
            return Ok(address);
        }
        // Blocks of other sizes may be what is in the way.
        blocks.settle(raw)?;
        blocks.free.drain().flat_map(|(_, list)| list).for_each(|address| raw.free(address));
        raw.alloc(size)?.ok_or(RuntimeError::OutOfMemory { requested: bytes })
    }

    /// Takes back a block acquired with the same `bytes`; submitted work may still use it.
    pub(super) fn release(&self, address: u64, bytes: u64) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.pending.entry(rounded(bytes)).or_default().push(address);
    }

    /// Frees every block.
    pub(super) fn clear(&self, raw: &impl RawMemory) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = blocks.settle(raw) {
            // The context is broken; the driver reclaims its memory with it.
            tracing::warn!("device memory is left to the driver: {error}");
            return;
        }
        blocks.free.drain().flat_map(|(_, list)| list).for_each(|address| raw.free(address));
    }
}

impl Blocks {
    fn take_free(&mut self, size: u64) -> Option<u64> {
        self.free.get_mut(&size)?.pop()
    }

    /// Makes pending blocks free.
    fn settle(&mut self, raw: &impl RawMemory) -> Result<()> {
        raw.synchronize()?;
        for (size, mut list) in self.pending.drain() {
            self.free.entry(size).or_default().append(&mut list);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;

    /// A device with room for `limit` bytes.
    struct Fake {
        limit: u64,
        next: Cell<u64>,
        live: RefCell<BTreeMap<u64, u64>>,
        synchronized: Cell<u32>,
    }

    impl Fake {
        fn new(limit: u64) -> Fake {
            Fake { limit, next: Cell::new(256), live: RefCell::default(), synchronized: Cell::new(0) }
        }
    }

    impl RawMemory for Fake {
        fn alloc(&self, bytes: u64) -> Result<Option<u64>> {
            let mut live = self.live.borrow_mut();
            if bytes > self.limit - live.values().sum::<u64>() {
                return Ok(None);
            }
            let address = self.next.replace(self.next.get() + bytes);
            live.insert(address, bytes);
            Ok(Some(address))
        }
        fn free(&self, address: u64) {
            assert!(self.live.borrow_mut().remove(&address).is_some(), "freed twice");
        }
        fn synchronize(&self) -> Result<()> {
            self.synchronized.set(self.synchronized.get() + 1);
            Ok(())
        }
    }

    #[test]
    fn blocks_are_reused_only_after_a_synchronisation() {
        let (fake, pool) = (Fake::new(1 << 20), Pool::default());
        let a = pool.acquire(&fake, 1000).unwrap();
        pool.release(a, 1000);
        assert_eq!(fake.synchronized.get(), 0);
        assert_eq!(pool.acquire(&fake, 1010).unwrap(), a, "same rounded size");
        assert_eq!(fake.synchronized.get(), 1);
        let b = pool.acquire(&fake, 1000).unwrap();
        assert_ne!(a, b);
        pool.release(a, 1010);
        pool.release(b, 1000);
        pool.clear(&fake);
        assert!(fake.live.borrow().is_empty());
    }

    #[test]
    fn a_full_device_gives_up_its_reserve_first() {
        let (fake, pool) = (Fake::new(4096), Pool::default());
        let a = pool.acquire(&fake, 4096).unwrap();
        assert!(matches!(pool.acquire(&fake, 256), Err(RuntimeError::OutOfMemory { requested: 256 })));
        pool.release(a, 4096);
        pool.acquire(&fake, 256).unwrap();
        assert!(matches!(pool.acquire(&fake, u64::MAX - 7), Err(RuntimeError::OutOfMemory { .. })));
    }

    #[test]
    fn rounding_never_shrinks() {
        for bytes in [0, 1, 255, 256, 257, 4097, 1 << 30, (1 << 30) + 1, u64::MAX] {
            let r = rounded(bytes);
            assert!(r >= bytes && r >= 1 && r - bytes <= (bytes / 8).max(256), "{bytes} {r}");
        }
    }
}
