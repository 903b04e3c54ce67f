//! The adapter of wgpu that tests run on.

use curvesmith_wgpu::{WgpuDevice, adapters};
use std::sync::OnceLock;

/// Environment variable with which a test that finds no adapter fails.
const NEED: &str = "CURVESMITH_NEED_WGPU";

/// The first adapter that can be used, opened once; `None`, said loudly, where there is none.
pub fn wgpu_device() -> Option<&'static WgpuDevice> {
    static DEVICE: OnceLock<Option<WgpuDevice>> = OnceLock::new();
    let open = || match adapters().iter().find(|adapter| adapter.unusable.is_none()) {
        Some(adapter) => Some(WgpuDevice::new(adapter.ordinal).expect("it can be used")),
        None if std::env::var_os(NEED).is_some() => panic!("{NEED} is set, and there is no adapter"),
        None => {
            eprintln!("SKIPPED: no adapter for wgpu; mesa-vulkan-drivers has one for the CPU");
            None
        }
    };
    DEVICE.get_or_init(open).as_ref()
}
