//! Happens-before between threads, and the accesses that nothing orders.

use super::error::{FaultKind, Space};
use super::program::{Lanes32, Order, Scope};

/// A thread of the running launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Actor {
    pub(super) block: u32,
    pub(super) thread: u32,
}

/// Shadow memory and clocks.
#[derive(Debug, Default)]
pub(super) struct RaceState {}

impl RaceState {
    pub(super) fn warp_sync(&mut self, _block: u32, _warp: u32, _mask: u32, _masks: &Lanes32) {}
    pub(super) fn fence(&mut self, _actor: Actor, _scope: Scope) {}
    pub(super) fn store_begins(&mut self) {}
    pub(super) fn store_value(&mut self, _value: [u32; 8]) {}
    #[allow(clippy::too_many_arguments, reason = "x")]
    pub(super) fn access(
        &mut self,
        _a: Actor,
        _s: Space,
        _at: u64,
        _n: u32,
        _w: bool,
        _o: Order,
        _sc: Scope,
        _l: u32,
    ) -> Result<(), FaultKind> {
        Ok(())
    }
    #[allow(clippy::too_many_arguments, reason = "x")]
    pub(super) fn atomic(
        &mut self,
        _a: Actor,
        _s: Space,
        _at: u64,
        _n: u32,
        _o: Order,
        _sc: Scope,
        _l: u32,
    ) -> Result<(), FaultKind> {
        Ok(())
    }
    pub(super) fn barrier(&mut self, _block: u32, _threads: &[u32]) {}
    pub(super) fn begin(&mut self, _stream: usize, _seq: u64, _clock: &[u64]) {}
    pub(super) fn host_write(&mut self, _at: u64, _n: u64) -> crate::error::Result<()> {
        Ok(())
    }
    pub(super) fn host_read(
        &mut self,
        _stream: usize,
        _clock: &[u64],
        _at: u64,
        _n: u64,
    ) -> crate::error::Result<()> {
        Ok(())
    }
}
