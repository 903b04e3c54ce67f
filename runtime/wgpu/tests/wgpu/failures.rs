use crate::support::{Bench, adapter_or_skip, source, words};
use curvesmith_abi::{Arg, ByteRange, Features, Lack};
use curvesmith_device::{KernelDevice as _, Launch, RuntimeError, Source};
use curvesmith_wgpu::{WgpuDevice, adapters};

#[test]
fn bad_texts_are_named() {
    let Some(device) = adapter_or_skip() else { return };
    for (text, says) in [
        ("fn f( {", "expected"),
        ("@compute @workgroup_size(1) fn f() { let x: u32 = 1i; }", "u32"),
        ("@compute @workgroup_size(1) fn f() { unknown(); }", "unknown"),
    ] {
        match device.load(&source(text, &[("f", 1, "")])) {
            Err(RuntimeError::Image { image, reason }) => {
                assert!(image == "by_hand" && reason.contains(says), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    let fine = source("@compute @workgroup_size(1) fn f() {}", &[("f", 1, "")]);
    let mut image = fine.image().clone();
    image.kernels[0].signature = "who knows".into();
    let error = device.load(&Source::new(image.clone(), String::new())).expect_err("it is no signature");
    assert!(error.to_string().contains("who knows"), "{error}");
    image.flavour = curvesmith_abi::Flavour::PTX;
    let error = device.load(&Source::new(image, String::new())).expect_err("it is another flavour");
    assert!(matches!(error, RuntimeError::Flavour { .. }), "{error}");
}

/// The text is a module, but not what the signatures say.
#[test]
fn kernels_that_do_not_fit_their_text_are_refused_when_launched() {
    let Some(device) = adapter_or_skip() else { return };
    let stream = device.stream().expect("streams cost nothing");
    let memory = device.alloc(256).expect("there is room");
    let text = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> params: array<vec4<u32>, 9>;
@compute @workgroup_size(1) fn f() { out[0] = 1u; }
@compute @workgroup_size(1) fn long() { out[0] = params[8].x; }";
    let kernels = [("f", 1, "a: in u32"), ("gone", 1, "a: inout u32"), ("long", 1, "a: inout u32")];
    let module = device.load(&source(text, &kernels)).expect("it is a module");
    for (symbol, says) in [("f", "0"), ("gone", "gone"), ("long", "size")] {
        let launch = Launch { symbol, grid: 1, block: 1, shared: 0, args: &[words(&memory, 0, 1)] };
        for _ in 0..2 {
            match device.launch(&stream, &module, launch) {
                Err(RuntimeError::Launch { symbol: of, reason, .. }) => {
                    assert!(of == symbol && reason.contains(says), "{reason}");
                }
                other => panic!("{symbol}: {other:?}"),
            }
        }
    }
    device.synchronize(&stream).expect("nothing was submitted");
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let Some(bench) = Bench::new() else { return };
    let memory = bench.alloc(64);
    bench.write(&memory, 0, &[5; 64]);
    let (cells, n) = (words(&memory, 0, 64), Arg::U32(64));
    let bytes = |start, end| Arg::Buffer(ByteRange { buffer: memory.id(), start, end });
    let cases: [(&str, u32, u32, &[Arg], &str); 9] = [
        ("nobody", 2, 32, &[cells, n, n], "`nobody` is not in the module"),
        ("bump", 2, 32, &[cells, n], "2 arguments for 3 parameters"),
        ("bump", 2, 32, &[cells, n, n, n], "4 arguments for 3 parameters"),
        ("bump", 2, 32, &[cells, n, Arg::U64(1)], "argument 2"),
        ("bump", 2, 64, &[cells, n, n], "have 32 threads"),
        ("bump", 0, 32, &[cells, n, n], "at least one block"),
        ("bump", 2, 32, &[words(&memory, 0, 65), n, n], "of a buffer of 256 bytes"),
        ("bump", 2, 32, &[bytes(8, 4), n, n], "of a buffer of 256 bytes"),
        ("bump", 2, 32, &[bytes(2, 256), n, n], "do not begin at a word"),
    ];
    for (symbol, grid, block, args, says) in cases {
        let error = bench.launch(symbol, grid, block, args).expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    }
    let gone = bench.alloc(64);
    let args = [words(&gone, 0, 64), n, n];
    drop(gone);
    let error = bench.launch("bump", 2, 32, &args).expect_err("it is freed").to_string();
    assert!(error.contains("is none of this device"), "{error}");
    assert_eq!(bench.read(&memory, 0, 64), [5; 64]);
}

#[test]
fn what_the_device_lacks_is_named() {
    let Some(device) = adapter_or_skip() else { return };
    let stream = device.stream().expect("streams cost nothing");
    let fine = source("@compute @workgroup_size(1) fn f() {}", &[("f", 1, "")]);
    let limits = device.properties().limits;
    let lack = |change: fn(&mut curvesmith_abi::Needs)| {
        let mut image = fine.image().clone();
        change(&mut image.kernels[0].needs);
        let module =
            device.load(&Source::new(image, fine.text().expect("it is there"))).expect("it is a module");
        let launch = Launch { symbol: "f", grid: 1, block: 1, shared: 0, args: &[] };
        match device.launch(&stream, &module, launch) {
            Err(RuntimeError::Lacks { lack, .. }) => lack,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(lack(|needs| needs.threads = 1 << 20), Lack::Threads { needed: 1 << 20, has: limits.threads });
    assert_eq!(lack(|needs| needs.shared = 1 << 30), Lack::Shared { needed: 1 << 30, has: limits.shared });
    assert!(matches!(lack(|needs| needs.buffers = u32::MAX), Lack::Buffers { .. }));
    assert!(matches!(lack(|needs| needs.features = Features::PROGRESS), Lack::Features { .. }));
}

#[test]
fn too_large_allocations_are_out_of_memory() {
    let Some(device) = adapter_or_skip() else { return };
    for bytes in [device.adapter().buffer_bytes.saturating_add(1), u64::MAX, 1 << 62] {
        match device.alloc(bytes) {
            Err(RuntimeError::OutOfMemory { requested }) => assert_eq!(requested, bytes),
            other => panic!("{other:?}"),
        }
    }
    device.alloc(1).expect("it is as it was");
}

#[test]
fn there_is_no_such_adapter() {
    let count = adapters().len();
    match WgpuDevice::new(count) {
        Err(RuntimeError::NoDevice { device, reason }) => {
            assert_eq!(device, format!("wgpu:{count}"));
            assert!(
                reason.contains(if count == 0 { "install" } else { "adapters, counted from 0" }),
                "{reason}"
            );
        }
        other => panic!("{other:?}"),
    }
}
