//! The signal that ends a worker in order.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Whether a signal came, and which.
#[derive(Default)]
pub(super) struct Ending {
    signal: Mutex<Option<i32>>,
    came: Condvar,
}

impl Ending {
    /// Tells of the signal.
    #[cfg(unix)]
    pub(super) fn tell(&self, signal: i32) {
        *self.lock() = Some(signal);
        self.came.notify_all();
    }

    /// The signal, if it came.
    pub(super) fn signal(&self) -> Option<i32> {
        *self.lock()
    }

    /// Waits, no longer than until the signal.
    pub(super) fn wait(&self, time: Duration) {
        drop(self.came.wait_timeout_while(self.lock(), time, |signal| signal.is_none()));
    }

    fn lock(&self) -> MutexGuard<'_, Option<i32>> {
        self.signal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
