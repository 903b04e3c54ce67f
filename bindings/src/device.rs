//! Devices by name, opened once a process.

use crate::error::Result;
use curvesmith::Device;
use std::sync::{Mutex, PoisonError};

/// The environment variable that names the device of calls that name none: `auto` (also where it is not set),
/// `cpu`, `cuda`, `cuda:N`, or in builds that have them `wgpu`, `wgpu:N` or `emulator`.
pub const DEVICE: &str = "CURVESMITH_DEVICE";

/// Devices that were opened, which share memory, streams and loaded kernels among all calls.
static OPEN: Mutex<Vec<(String, Device)>> = Mutex::new(Vec::new());

/// The device of this name: `auto`, `cpu`, `cuda`, `cuda:N`, `wgpu`, `wgpu:N` or `emulator`.
///
/// Errors: [`ErrorKind::Device`](crate::ErrorKind::Device), with the reason why it cannot be used, such as
/// that this build lacks the feature `wgpu`.
pub fn device(name: &str) -> Result<Device> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, device)) = open.iter().find(|(opened, _)| opened == name) {
        return Ok(device.clone());
    }
    let device = Device::parse(name)?;
    open.push((name.to_owned(), device.clone()));
    Ok(device)
}

/// The device that [`DEVICE`] names.
pub fn default_device() -> Result<Device> {
    match std::env::var_os(DEVICE) {
        None => device("auto"),
        // What is not text names no device, and the error shows it.
        Some(name) => device(&name.to_string_lossy()),
    }
}

/// Names of devices and what they are, or why they cannot be used.
pub fn devices() -> Vec<(&'static str, Result<String>)> {
    let names = ["auto", "cuda", "wgpu", "cpu", "emulator"];
    names.map(|name| (name, device(name).map(|device| device.name()))).into()
}
