//! Devices by name, in a build without the features of some.

use curvesmith::{Device, RuntimeError};

#[test]
fn a_device_that_the_build_lacks_says_what_to_do() {
    for name in ["wgpu", "wgpu:1"] {
        match Device::parse(name) {
            Err(RuntimeError::NoDevice { device, reason }) => {
                assert_eq!(device, name);
                assert!(reason.contains("without the feature `wgpu`; build"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
}
