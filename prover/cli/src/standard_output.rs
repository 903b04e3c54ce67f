//! Whether standard output was there when the process started.
//!
//! Rust's start opens `/dev/null` in the place of a closed one, which then takes a result that
//! nobody gets. So a look is taken before.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look() {
    let flags = rustix::io::fcntl_getfd(rustix::stdio::stdout());
    WAS_CLOSED.store(flags.is_err(), Ordering::Relaxed);
}

/// To be called before any work by whatever leaves its result there.
pub(crate) fn check() -> Result<(), Failure> {
    match WAS_CLOSED.load(Ordering::Relaxed) {
        true => Err(Failure::Input("standard output: is closed".into())),
        false => Ok(()),
    }
}
