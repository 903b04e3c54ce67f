//! What cannot be provoked from outside: submissions that fail, and the loss of the device.

use crate::{WgpuDevice, adapters};
use curvesmith_device::{KernelDevice as _, RuntimeError, Staging, Stream, read_bytes, write_bytes};

/// As in `tests/wgpu`, which does the complaining.
fn device() -> Option<WgpuDevice> {
    let adapter = adapters().into_iter().find(|adapter| adapter.unusable.is_none())?;
    Some(WgpuDevice::new(adapter.ordinal).expect("it is usable"))
}

#[test]
fn a_stream_that_failed_stays_failed() {
    let Some(device) = device() else { return };
    let stream = || device.stream().expect("streams cost nothing");
    let (failed, other) = (stream(), stream());
    let memory = device.alloc(16).expect("there is room");
    write_bytes(&device, &other, &memory, 0, &[1; 16]).expect("it is written");
    let mut staging = device.staging(16).expect("there is room");
    device.spoil(&failed).expect("it is of this device");
    device.download(&failed, &memory, 0, &mut *staging, 16).expect("the call is right");
    let first = device.synchronize(&failed).expect_err("it was spoilt");
    assert!(matches!(first, RuntimeError::Device { call: "Queue::submit", .. }), "{first}");
    assert!(staging.bytes().is_err(), "once");
    assert_eq!(staging.bytes().expect("no further copy"), [0; 16]);
    // Nothing further is done.
    device.fill(&failed, &memory, 0, 16, 9).expect("the call is right");
    staging.bytes().expect("no further copy").fill(7);
    device.upload(&failed, &memory, 0, &mut *staging, 16).expect("the call is right");
    device.download(&failed, &memory, 0, &mut *staging, 16).expect("the call is right");
    assert_eq!(staging.bytes().expect_err("the stream failed").to_string(), first.to_string());
    for _ in 0..2 {
        assert_eq!(device.synchronize(&failed).expect_err("it stays").to_string(), first.to_string());
    }
    let event = |stream: &Stream| device.record(stream, true).expect("the call is right");
    let (never, once) = (event(&failed), event(&other));
    assert!(device.elapsed(&once, &never).expect_err("it failed").to_string().contains("not happened"));
    device.synchronize(&other).expect("it knows nothing of it");
    assert_eq!(read_bytes(&device, &other, &memory, 0, 16).expect("it is read"), [1; 16]);
    device.shared().drain().expect("what failed is not waited for");
    device.synchronize(&stream()).expect("it is new");
}

#[test]
fn a_lost_device_says_so() {
    let Some(device) = device() else { return };
    let stream = device.stream().expect("streams cost nothing");
    let memory = device.alloc(1 << 20).expect("there is room");
    let mut staging = device.staging(1 << 20).expect("there is room");
    device.fill(&stream, &memory, 0, 1 << 20, 3).expect("it is submitted");
    device.download(&stream, &memory, 0, &mut *staging, 1 << 20).expect("it is submitted");
    device.fill(&stream, &memory, 0, 1 << 20, 4).expect("it is submitted");
    device.shared().gpu.lose();
    let is_lost = |outcome: Result<(), RuntimeError>| {
        assert!(matches!(outcome, Err(RuntimeError::DeviceLost { .. })), "{outcome:?}");
    };
    is_lost(device.synchronize(&stream));
    is_lost(device.shared().drain());
    is_lost(device.alloc(16).map(drop));
    is_lost(device.stream().map(drop));
    is_lost(device.fill(&stream, &memory, 0, 4, 0));
    is_lost(device.record(&stream, true).map(drop));
    // The bytes had arrived, or have not.
    let _: Result<&mut [u8], RuntimeError> = staging.bytes();
    is_lost(device.download(&stream, &memory, 0, &mut *staging, 4));
    drop((memory, stream, staging));
}

#[test]
fn staging_hides_its_bytes() {
    let Some(device) = device() else { return };
    let staging: Box<dyn Staging> = device.staging(5).expect("there is room");
    assert_eq!(format!("{staging:?}"), "WgpuStaging[5 bytes]");
}
