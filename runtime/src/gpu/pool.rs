//! Reuse of device memory, ordered by streams.
//!
//! Memory that work of a stream may still use goes back to the [`Arena`] of that stream, where only
//! later work of the same stream can have it: the stream's order is all the synchronisation there
//! is. When a stream has been waited for, or another stream waits for it, its arena moves on: to the
//! [`Pool`], from where everybody may take, or to the arena of the stream that waits. Nothing is
//! done under a lock but moving handles, and a size class is never waited for.

use crate::error::Result;
use curvesmith_device::Memory;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sizes are rounded up to 256 bytes, and to an eighth of their power of two, so that the
/// vectors of one computation, which differ by a few elements, share blocks.
pub(crate) fn rounded(bytes: u64) -> u64 {
    let bytes = bytes.max(1);
    let step = ((1u64 << bytes.ilog2()) / 8).max(256);
    bytes.checked_next_multiple_of(step).unwrap_or(bytes)
}

/// Unused allocations by size.
#[derive(Debug, Default)]
struct Free(BTreeMap<u64, Vec<Memory>>);

impl Free {
    fn take(&mut self, size: u64) -> Option<Memory> {
        self.0.get_mut(&size)?.pop()
    }

    fn put(&mut self, memory: Memory) {
        self.0.entry(memory.bytes()).or_default().push(memory);
    }

    fn append(&mut self, other: Free) {
        for (size, mut list) in other.0 {
            self.0.entry(size).or_default().append(&mut list);
        }
    }
}

/// Memory that no submitted work uses.
#[derive(Debug, Default)]
pub(super) struct Pool {
    free: Mutex<Free>,
}

impl Pool {
    /// An allocation of exactly `size` bytes, a rounded size.
    pub(super) fn take(&self, size: u64) -> Option<Memory> {
        self.lock().take(size)
    }

    /// Gives all of it back to the device.
    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut *self.lock());
        // The driver is called here, after the lock is gone.
        drop(all);
    }

    /// Bytes that wait for use.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().0.iter().map(|(size, list)| size * list.len() as u64).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory in the order of one stream.
#[derive(Debug)]
pub(super) struct Arena {
    pool: Arc<Pool>,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// The stream has work.
    Open(Free),
    /// Another stream waited for this one.
    Joined(Arc<Arena>),
    /// The stream was waited for.
    Closed,
}

impl Arena {
    pub(super) fn new(pool: Arc<Pool>) -> Arc<Arena> {
        Arc::new(Arena { pool, state: Mutex::new(State::Open(Free::default())) })
    }

    /// An allocation of exactly `size` bytes that earlier work of the stream is done with in its order.
    pub(super) fn take(&self, size: u64) -> Option<Memory> {
        match &mut *self.lock() {
            State::Open(free) => free.take(size),
            State::Joined(_) | State::Closed => None,
        }
    }

    fn put(&self, memory: Memory) {
        let next = match &mut *self.lock() {
            State::Open(free) => return free.put(memory),
            State::Joined(next) => Arc::clone(next),
            State::Closed => return self.pool.lock().put(memory),
        };
        next.put(memory);
    }

    /// Gives all unused memory back to the device; no work of the stream is left.
    pub(super) fn clear(&self) {
        let unused = match &mut *self.lock() {
            State::Open(free) => std::mem::take(free),
            State::Joined(_) | State::Closed => return,
        };
        drop(unused);
    }

    /// Submits work on every unused allocation, in the stream's order. Those for which that fails, and all
    /// after them, go back to the device.
    pub(super) fn each_unused(&self, mut submit: impl FnMut(&Memory) -> Result<()>) -> Result<()> {
        let unused = match &mut *self.lock() {
            State::Open(free) => std::mem::take(free),
            State::Joined(_) | State::Closed => return Ok(()),
        };
        // The driver is called without the lock.
        unused.0.into_values().flatten().try_for_each(|memory| {
            submit(&memory)?;
            self.put(memory);
            Ok(())
        })
    }

    /// The work of `next` from now on is ordered after all work of this arena's stream.
    pub(super) fn join(&self, next: &Arc<Arena>) {
        let state = std::mem::replace(&mut *self.lock(), State::Joined(Arc::clone(next)));
        if let State::Open(free) = state {
            free.0.into_values().flatten().for_each(|memory| next.put(memory));
        }
    }

    /// No work of the stream is left.
    pub(super) fn close(&self) {
        let state = std::mem::replace(&mut *self.lock(), State::Closed);
        if let State::Open(free) = state {
            self.pool.lock().append(free);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An allocation in use; on drop it goes where the order of streams allows.
#[derive(Debug)]
pub(super) struct Block {
    memory: Option<Memory>,
    arena: Arc<Arena>,
}

impl Block {
    pub(super) fn new(memory: Memory, arena: &Arc<Arena>) -> Block {
        Block { memory: Some(memory), arena: Arc::clone(arena) }
    }

    pub(super) fn memory(&self) -> &Memory {
        self.memory.as_ref().expect("it is taken by drop alone")
    }

    /// Whether the block follows the order of `arena`'s stream.
    pub(super) fn follows(&self, arena: &Arc<Arena>) -> bool {
        Arc::ptr_eq(&self.arena, arena)
    }

    /// Whether the block is memory of this pool, and so of its device.
    pub(super) fn is_of(&self, pool: &Arc<Pool>) -> bool {
        Arc::ptr_eq(&self.arena.pool, pool)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.arena.put(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use curvesmith_abi::BufferId;

    fn memory(id: u64, bytes: u64) -> Memory {
        Memory::new((), BufferId(id), bytes)
    }

    #[test]
    fn memory_of_a_stream_stays_in_its_order() {
        let pool = Arc::new(Pool::default());
        let (a, b) = (Arena::new(Arc::clone(&pool)), Arena::new(Arc::clone(&pool)));
        drop(Block::new(memory(256, 512), &a));
        assert!(b.take(512).is_none() && pool.take(512).is_none(), "work of `a` may still use it");
        assert!(a.take(1024).is_none());
        drop(Block::new(a.take(512).unwrap(), &a));

        a.join(&b);
        assert!(a.take(512).is_none());
        let joined = Block::new(b.take(512).unwrap(), &a);
        drop(joined);
        assert_eq!(b.take(512).map(|m| m.id()), Some(BufferId(256)), "a block of `a` follows it");
    }

    #[test]
    fn closed_streams_give_to_everybody() {
        let pool = Arc::new(Pool::default());
        let a = Arena::new(Arc::clone(&pool));
        let late = Block::new(memory(4096, 256), &a);
        drop(Block::new(memory(256, 512), &a));
        a.close();
        assert_eq!(pool.bytes(), 512);
        drop(late);
        assert_eq!(pool.bytes(), 768);
        assert_eq!(pool.take(256).map(|m| m.id()), Some(BufferId(4096)));
        pool.clear();
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn rounding_never_shrinks() {
        for bytes in [0, 1, 255, 256, 257, 4097, 1 << 30, (1 << 30) + 1, u64::MAX] {
            let r = rounded(bytes);
            assert!(r >= bytes && r >= 1 && r - bytes <= (bytes / 8).max(256), "{bytes} {r}");
        }
    }
}
