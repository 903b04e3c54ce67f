//! What has to be seen or set before the process is under way.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output was closed when the process started. Rust's start opens `/dev/null` in
/// its place, which takes a result that nobody gets.
static STANDARD_OUTPUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look() {
    let flags = rustix::io::fcntl_getfd(rustix::stdio::stdout());
    STANDARD_OUTPUT_WAS_CLOSED.store(flags.is_err(), Ordering::Relaxed);
}

/// To be called before any work by whatever leaves its result on standard output.
pub(crate) fn check_standard_output() -> Result<(), Failure> {
    match STANDARD_OUTPUT_WAS_CLOSED.load(Ordering::Relaxed) {
        true => Err(Failure::Input("standard output: is closed".into())),
        false => Ok(()),
    }
}

/// Has all threads allocate from one place where the addresses of the process are limited. glibc
/// reserves 64 MiB of them a thread otherwise, and a limit (`ulimit -v`) is reached with most of
/// them unused. To be called before any thread is started.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn spare_addresses() {
    use rustix::process::{Resource, getrlimit};
    if getrlimit(Resource::As).current.is_some() {
        #[expect(unsafe_code, reason = "it sets a number, while no other thread can read it")]
        let taken = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
        debug_assert_eq!(taken, 1);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn spare_addresses() {}
