//! What ends a worker in order.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Why a worker ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// A signal, and which.
    Signal(i32),
    /// A failure after which nothing can be proven or answered.
    Failure,
}

/// Whether a worker ends, and why.
#[derive(Default)]
pub(super) struct Ending {
    reason: Mutex<Option<Reason>>,
    came: Condvar,
}

impl Ending {
    /// Tells why; what was told first stays.
    pub(super) fn tell(&self, reason: Reason) {
        self.lock().get_or_insert(reason);
        self.came.notify_all();
    }

    /// The reason, if there is one.
    pub(super) fn reason(&self) -> Option<Reason> {
        *self.lock()
    }

    /// Waits, no longer than until there is a reason to end.
    pub(super) fn wait(&self, time: Duration) {
        drop(self.came.wait_timeout_while(self.lock(), time, |reason| reason.is_none()));
    }

    fn lock(&self) -> MutexGuard<'_, Option<Reason>> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
