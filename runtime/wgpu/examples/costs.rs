//! Prints what launches, submissions and copies cost on the first adapter.

#![allow(dead_code, reason = "the tests use the rest of it")]

#[path = "../tests/wgpu/support.rs"]
mod support;

use curvesmith_abi::Arg;
use curvesmith_device::{KernelDevice as _, Launch};
use std::hint::black_box;
use std::time::Instant;
use support::{Bench, words};

fn main() {
    let Some(bench) = Bench::new() else { return };
    let (device, stream) = (&bench.device, &bench.stream);
    println!("{} ({})", device.properties().name, device.driver());
    let wait = || device.synchronize(stream).expect("nothing fails");
    let each = |what: &str, n: u32, f: &dyn Fn()| {
        f();
        wait();
        let began = Instant::now();
        (0..n).for_each(|_| f());
        let host = began.elapsed().as_secs_f64() / f64::from(n) * 1e6;
        wait();
        let all = began.elapsed().as_secs_f64() / f64::from(n) * 1e6;
        println!("{what}: {host:.1} us of the host, {all:.1} us with the device");
    };
    let [memory, a, b] = [(); 3].map(|()| bench.alloc(1 << 22));
    let bump = || bench.bump(words(&memory, 0, 32), 32, 1);
    each("a launch", 5000, &bump);
    each("a launch that is waited for", 500, &|| {
        bump();
        wait();
    });
    each("a launch with three buffers", 5000, &|| {
        let args = [words(&a, 0, 32), words(&b, 0, 32), words(&memory, 0, 32), Arg::U32(32)];
        let launch = Launch { symbol: "add", grid: 1, block: 64, shared: 0, args: &args };
        device.launch(stream, &bench.module, launch).expect("it is launched");
    });
    each("an allocation of 16 MiB", 50, &|| drop(black_box(bench.alloc(1 << 22))));
    each("an upload of 128 bytes, waited for", 500, &|| bench.write(&memory, 0, &[1; 32]));
    each("a download of 128 bytes", 500, &|| drop(bench.read(&memory, 0, 32)));
    let mut staging = device.staging(16 << 20).expect("there is room");
    staging.bytes().expect("no copy fails").fill(1);
    let began = Instant::now();
    for _ in 0..20 {
        device.upload(stream, &memory, 0, &mut *staging, 16 << 20).expect("it is submitted");
    }
    wait();
    println!("uploads of 16 MiB: {:.2} GB/s", 20.0 * 16.777 / 1e3 / began.elapsed().as_secs_f64());
    let began = Instant::now();
    for _ in 0..20 {
        device.download(stream, &memory, 0, &mut *staging, 16 << 20).expect("it is submitted");
        staging.bytes().expect("no copy fails");
    }
    println!("downloads of 16 MiB: {:.2} GB/s", 20.0 * 16.777 / 1e3 / began.elapsed().as_secs_f64());
}
