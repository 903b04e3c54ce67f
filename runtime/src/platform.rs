//! What a platform gives: a clock, threads, CUDA's driver.
//!
//! The runtime and the prover ask here for all of them, so that both run in a web page, too. There the clock
//! is the page's, no thread can be started, and there is no driver. rayon's pool is the caller's thread
//! there.

use crate::error::{Result, RuntimeError};
use std::io;
use std::panic::resume_unwind;
use std::thread::{Builder, JoinHandle, ScopedJoinHandle};
/// The clock: that of `std::time`, in a web page `performance.now()` behind the same interface.
pub use web_time::Instant;

/// Runs `work` on a thread of its own; [`RuntimeError::Thread`] where none can be started.
pub(crate) fn start_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>> {
    Builder::new().spawn(work).map_err(|error| RuntimeError::Thread { reason: error.to_string() })
}

/// `work` for each number below `count`, with results in this order, each on a thread of its own, of which
/// this one is the first. Where no other can be had, this one does that work too, after its own.
pub fn on_threads<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let start = |i| (i, Builder::new().spawn_scoped(scope, move || work(i)));
        let others: Vec<_> = (1..count).map(start).collect();
        let own = (count > 0).then(|| work(0));
        let join = |(i, thread): (usize, io::Result<ScopedJoinHandle<'_, T>>)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(i),
        };
        own.into_iter().chain(others.into_iter().map(join)).collect()
    })
}

#[cfg(not(target_family = "wasm"))]
pub(crate) mod cuda {
    use crate::cuda::Cuda;
    use crate::error::Result;
    use curvesmith_device::KernelDevice;
    use std::sync::Arc;

    /// The device with this ordinal.
    pub(crate) fn open(ordinal: usize) -> Result<Arc<dyn KernelDevice>> {
        Ok(Arc::new(Cuda::new(ordinal)?))
    }

    /// Number of devices.
    pub(crate) fn count() -> Result<usize> {
        Cuda::count()
    }
}

#[cfg(target_family = "wasm")]
pub(crate) mod cuda {
    use crate::error::{Result, RuntimeError};
    use curvesmith_device::KernelDevice;
    use std::sync::Arc;

    /// No device.
    pub(crate) fn open(ordinal: usize) -> Result<Arc<dyn KernelDevice>> {
        Err(none(format!("cuda:{ordinal}")))
    }

    /// No driver, either.
    pub(crate) fn count() -> Result<usize> {
        Err(none("cuda".to_owned()))
    }

    fn none(device: String) -> RuntimeError {
        RuntimeError::NoDevice { device, reason: "WebAssembly has no CUDA driver".to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_the_first_is_made_here() {
        let here = std::thread::current().id();
        for count in [0, 1, 5] {
            let made = on_threads(count, |i| (i, std::thread::current().id() == here));
            assert!(made.into_iter().eq((0..count).map(|i| (i, i == 0))), "{count}");
        }
    }
}
