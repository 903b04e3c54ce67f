//! How the host waits for what a device does.
//!
//! A thread of a system waits in the driver, or looks again. In a browser the work of a device goes on only
//! when the page's own loop does, so that a call that waits is set aside until somebody wakes it:
//! JavaScript's Promise Integration does that with all its frames.

#[cfg(not(target_family = "wasm"))]
mod thread;
#[cfg(target_family = "wasm")]
mod web;

#[cfg(not(target_family = "wasm"))]
pub(crate) use thread::{pause, ready, wake};
#[cfg(target_family = "wasm")]
pub(crate) use web::{pause, ready, wake};
