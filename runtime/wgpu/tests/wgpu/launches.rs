use crate::support::{Bench, adapter_or_skip, words};
use curvesmith_abi::Arg;
use curvesmith_device::KernelDevice as _;
use std::sync::Barrier;

#[test]
fn sums_and_products_are_right() {
    let Some(bench) = Bench::new() else { return };
    let n = 1000u32;
    let a: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let b: Vec<u32> = (0..n).map(|i| !i).collect();
    let [ma, mb, out] = [(); 3].map(|()| bench.alloc(n.into()));
    bench.write(&ma, 0, &a);
    bench.write(&mb, 0, &b);
    for (symbol, f) in [("add", u32::wrapping_add as fn(u32, u32) -> u32), ("mul", u32::wrapping_mul)] {
        let whole = |memory| words(memory, 0, n.into());
        let args = [whole(&ma), whole(&mb), whole(&out), Arg::U32(n)];
        bench.launch(symbol, n.div_ceil(64), 64, &args).expect("it is launched");
        let expected: Vec<u32> = a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect();
        assert_eq!(bench.read(&out, 0, n as usize), expected, "{symbol}");
    }
}

#[test]
fn scalars_are_words_in_the_order_of_parameters() {
    let Some(bench) = Bench::new() else { return };
    let out = bench.alloc(8);
    let args = [words(&out, 0, 8), Arg::U32(7), Arg::U64(0x1122_3344_5566_7788), Arg::U32(9), Arg::U64(1)];
    bench.launch("scalars", 1, 1, &args).expect("it is launched");
    assert_eq!(bench.read(&out, 0, 8), [1, 0, 7, 0x5566_7788, 0x1122_3344, 9, 1, 0]);
}

#[test]
fn every_block_of_a_grid_runs_once() {
    let Some(bench) = Bench::new() else { return };
    for grid in [1, 2, 65535, 65536, 200_000] {
        let out = bench.alloc(3);
        bench.launch("count", grid, 1, &[words(&out, 0, 3)]).expect("it is launched");
        let sum = (u64::from(grid) * (u64::from(grid) - 1) / 2) as u32;
        assert_eq!(bench.read(&out, 0, 3), [grid, sum, grid - 1]);
    }
}

/// Of one allocation, begun at any word: read and written in one launch.
#[test]
fn ranges_of_one_allocation_begin_anywhere() {
    let Some(bench) = Bench::new() else { return };
    let n = 70u32;
    let memory = bench.alloc(1000);
    for (a, b, out) in
        [(0, 128, 256), (1, 77, 300), (3, 3, 73), (513, 130, 600), (200, 300, 130), (930, 0, 70)]
    {
        let start: Vec<u32> = (0..1000).map(|i| i * i + 5).collect();
        bench.write(&memory, 0, &start);
        let range = |start| words(&memory, start, n.into());
        let args = [range(a), range(b), range(out), Arg::U32(n)];
        bench.launch("add", n.div_ceil(64), 64, &args).expect("it is launched");
        let mut expected = start.clone();
        for i in 0..n as usize {
            expected[out as usize + i] = start[a as usize + i] + start[b as usize + i];
        }
        assert_eq!(bench.read(&memory, 0, 1000), expected, "{a} {b} {out}");
    }
}

#[test]
fn empty_ranges_can_be_bound() {
    let Some(bench) = Bench::new() else { return };
    let memory = bench.alloc(64);
    bench.write(&memory, 0, &[1; 64]);
    let args = [words(&memory, 64, 0), words(&memory, 0, 0), words(&memory, 64, 0), Arg::U32(0)];
    bench.launch("add", 1, 64, &args).expect("it is launched");
    assert_eq!(bench.read(&memory, 0, 64), [1; 64]);
}

/// More launches than a submission holds, with parameters of their own.
#[test]
fn launches_follow_each_other() {
    let Some(bench) = Bench::new() else { return };
    let memory = bench.alloc(100);
    bench.write(&memory, 0, &[1; 100]);
    let mut expected = 1u32;
    for k in 0..1000 {
        bench.bump(words(&memory, 0, 100), 100, k);
        expected = expected.wrapping_mul(3).wrapping_add(k);
    }
    assert_eq!(bench.read(&memory, 0, 100), [expected; 100]);
}

#[test]
fn threads_share_a_module() {
    let Some(bench) = Bench::new() else { return };
    let together = Barrier::new(4);
    std::thread::scope(|scope| {
        for k in 0..4u32 {
            let (bench, together) = (&bench, &together);
            scope.spawn(move || {
                let stream = bench.device.stream().expect("streams cost nothing");
                let own = Bench { device: bench.device.clone(), stream, module: load(bench) };
                let memory = own.alloc(64);
                own.write(&memory, 0, &[k; 64]);
                together.wait();
                let shared = Bench { module: load(bench), ..own };
                let mut expected = k;
                for i in 0..50 {
                    shared.bump(words(&memory, 0, 64), 64, i);
                    expected = expected.wrapping_mul(3).wrapping_add(i);
                }
                assert_eq!(shared.read(&memory, 0, 64), [expected; 64]);
            });
        }
    });
}

fn load(bench: &Bench) -> curvesmith_device::Module {
    let text = "
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
@group(0) @binding(1) var<uniform> params: array<vec4<u32>, 1>;
@compute @workgroup_size(32)
fn bump(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let i = wg.x * 32u + t;
    if (i < params[0].z) { cells[params[0].y + i] = cells[params[0].y + i] * 3u + params[0].w; }
}";
    let kernels = [("bump", 32, "cells: inout u32, n: u32, k: u32")];
    bench.device.load(&crate::support::source(text, &kernels)).expect("it is a module")
}

#[test]
fn two_devices_know_nothing_of_each_other() {
    let (Some(one), Some(two)) = (Bench::new(), Bench::new()) else { return };
    let (a, b) = (one.alloc(64), two.alloc(64));
    one.write(&a, 0, &[1; 64]);
    two.write(&b, 0, &[2; 64]);
    for k in 0..20 {
        one.bump(words(&a, 0, 64), 64, k);
        two.bump(words(&b, 0, 64), 64, k + 1);
    }
    let run = |start: u32, add: u32| (0..20).fold(start, |x, k| x.wrapping_mul(3).wrapping_add(k + add));
    assert_eq!(one.read(&a, 0, 64), [run(1, 0); 64]);
    assert_eq!(two.read(&b, 0, 64), [run(2, 1); 64]);
    let error = one.launch("bump", 2, 32, &[words(&b, 0, 64), Arg::U32(64), Arg::U32(1)]);
    let error = error.expect_err("it is the other one's").to_string();
    assert!(error.contains("is none of this device"), "{error}");
    for refused in [one.device.synchronize(&two.stream), one.device.reuse(&one.stream, &b, 1)] {
        assert!(refused.expect_err("it is the other one's").to_string().contains("another device"));
    }
}

#[test]
fn everything_can_be_dropped_with_work_in_flight() {
    let Some(bench) = Bench::new() else { return };
    let memory = bench.alloc(1 << 20);
    let mut staging = bench.device.staging(4 << 20).expect("there is room");
    for k in 0..300 {
        bench.bump(words(&memory, 0, 1 << 20), 1 << 20, k);
    }
    bench.device.download(&bench.stream, &memory, 0, &mut *staging, 4 << 20).expect("it is submitted");
    bench.bump(words(&memory, 0, 1 << 20), 1 << 20, 1);
    let event = bench.device.record(&bench.stream, true).expect("it is recorded");
    let Bench { device, module, stream } = bench;
    drop((memory, module, stream));
    drop(device);
    drop((staging, event));
}

#[test]
fn what_the_device_is_can_be_read() {
    let Some(device) = adapter_or_skip() else { return };
    let (properties, info) = (device.properties(), device.adapter());
    assert_eq!(properties.flavour.name(), "wgsl");
    assert_eq!(properties.limits, info.limits);
    assert!(properties.name.contains(&info.name) && properties.name.contains(&info.backend));
    assert!(properties.multiprocessors > 0 && properties.memory >= 128 << 20);
    assert!(!device.driver().is_empty());
    eprintln!("{info:?}");
    let listed = curvesmith_wgpu::adapters();
    assert_eq!(&listed[info.ordinal], info);
    let is_cpu: Vec<bool> =
        listed.iter().map(|info| info.kind == curvesmith_wgpu::AdapterKind::Cpu).collect();
    assert!(is_cpu.is_sorted(), "hardware comes first: {listed:?}");
}
