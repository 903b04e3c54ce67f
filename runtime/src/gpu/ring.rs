//! Host memory that copies pass through.
//!
//! A stream takes slots as it needs them, up to a limit, and then goes round: the slot whose copy was
//! submitted first is waited for, filled again and copied while others are on their way. What passes
//! may be secret, so slots are wiped before another call gets them.

use crate::error::Result;
use curvesmith_device::{KernelDevice, Staging};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a slot for constants and results.
pub(super) const SMALL: usize = 64 << 10;
/// Bytes of a slot for vectors. On an H200's host a core fills it in a tenth of a millisecond or two, the bus
/// takes it in 0.02; twice as many, or half, take some percent longer.
pub(super) const LARGE: usize = 1 << 20;
/// Slots of a stream for each thread that fills them: one is filled, the others are copied.
const LARGE_SLOTS: usize = 4;
/// Small slots of a stream.
const SMALL_SLOTS: usize = 16;
/// Bytes that the call itself wipes; more are wiped beside it.
const WIPED_AT_ONCE: usize = 256 << 10;

/// Most slots of a stream for vectors.
pub(super) fn large_slots() -> usize {
    LARGE_SLOTS * rayon::current_num_threads()
}

/// A slot with the largest number of its bytes that held anything.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) staging: Box<dyn Staging>,
    used: usize,
}

impl Slot {
    /// The first `len` bytes, once no copy uses them.
    pub(super) fn bytes(&mut self, len: usize) -> Result<&mut [u8]> {
        self.used = self.used.max(len);
        Ok(&mut self.staging.bytes()?[..len])
    }

    /// Puts bytes at an offset, once no copy uses them.
    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.used = self.used.max(offset + bytes.len());
        self.staging.write(offset, bytes)
    }

    /// Zeroes what was used; false if a copy failed, after which the slot is not used again.
    fn wipe(&mut self) -> bool {
        let used = std::mem::take(&mut self.used);
        self.staging.wipe(used).is_ok()
    }
}

/// Slots that no call uses.
#[derive(Debug, Default)]
pub(super) struct Slots {
    free: Mutex<Vec<Slot>>,
}

impl Slots {
    /// A slot for `len` bytes.
    pub(super) fn take(&self, device: &dyn KernelDevice, len: usize) -> Result<Slot> {
        let capacity = if len <= SMALL { SMALL } else { LARGE };
        let found = {
            let mut free = self.lock();
            free.iter().rposition(|slot| slot.staging.capacity() == capacity).map(|i| free.swap_remove(i))
        };
        match found {
            Some(slot) => Ok(slot),
            None => Ok(Slot { staging: device.staging(capacity)?, used: 0 }),
        }
    }

    /// Frees all of them.
    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }

    #[cfg(test)]
    pub(super) fn drain(&self) -> Vec<Box<dyn Staging>> {
        std::mem::take(&mut *self.lock()).into_iter().map(|slot| slot.staging).collect()
    }

    /// Takes back slots that no copy uses, once they are zeroed.
    fn give(self: &Arc<Self>, mut slots: Vec<Slot>) {
        let used: usize = slots.iter().map(|slot| slot.used).sum();
        // A pool of one thread may be this one, which does nothing beside.
        if used <= WIPED_AT_ONCE || rayon::current_num_threads() == 1 {
            slots.retain_mut(Slot::wipe);
            self.lock().append(&mut slots);
            return;
        }
        // Each by itself, so that the next call finds them soon.
        for mut slot in slots {
            let all = Arc::clone(self);
            rayon::spawn(move || {
                if slot.wipe() {
                    all.lock().push(slot);
                }
            });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slots of one stream, oldest first.
#[derive(Debug, Default)]
pub(super) struct Ring {
    small: Lane,
    large: Lane,
}

#[derive(Debug, Default)]
struct Lane {
    waiting: VecDeque<Slot>,
    /// Slots that threads hold.
    taken: usize,
}

impl Ring {
    /// A slot for `len` bytes, at most [`LARGE`], if the stream has as many as it may; the caller gives it
    /// back with [`Ring::put`].
    pub(super) fn take(&mut self, len: usize) -> Option<Slot> {
        let (lane, most) = match len <= SMALL {
            true => (&mut self.small, SMALL_SLOTS),
            false => (&mut self.large, large_slots()),
        };
        let full = lane.waiting.len() + lane.taken >= most;
        lane.taken += 1;
        if full { lane.waiting.pop_front() } else { None }
    }

    /// A slot whose copy is submitted, or `None` if there was none to be had.
    pub(super) fn put(&mut self, len: usize, slot: Option<Slot>) {
        let lane = if len <= SMALL { &mut self.small } else { &mut self.large };
        lane.taken -= 1;
        lane.waiting.extend(slot);
    }

    /// Hands everything on to later calls; the first error of a copy.
    pub(super) fn retire(self, slots: &Arc<Slots>) -> Result<()> {
        let mut first = Ok(());
        let mut good = Vec::new();
        for mut slot in self.small.waiting.into_iter().chain(self.large.waiting) {
            match slot.staging.bytes() {
                Ok(_) => good.push(slot),
                Err(error) => first = first.and(Err(error)),
            }
        }
        slots.give(good);
        first
    }
}
