//! Sparing use of addresses, where a limit of the process leaves few of them.

/// Has all threads allocate from one place. glibc reserves 64 MiB of addresses a thread otherwise,
/// and a limit of them (`ulimit -v`) is reached with most of them unused. To be called before any
/// thread is started.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn spare() {
    use rustix::process::{Resource, getrlimit};
    if getrlimit(Resource::As).current.is_some() {
        #[expect(unsafe_code, reason = "it sets a number, while no other thread can read it")]
        let taken = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
        debug_assert_eq!(taken, 1);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn spare() {}
