//! Streams, memory and copies on the emulator, with a kernel written by hand.

use super::*;
use crate::error::RuntimeError;
use crate::handle::Device;
use crate::owner::Owner;
use crate::vocabulary::{Kind, Report, Span};
use curvesmith_abi::kernels::{RadixScatterFirst, ScanAdd, ScanTiles};
use curvesmith_abi::{
    BufferId, Bundle, ByteRange, Features, Flavour, Image, KernelEntry, Limits, Needs, Slice, layout,
};
use curvesmith_device::{Launch, Module, Source};
use curvesmith_emulator::{DeviceCall, Emulator, EmulatorOptions, InjectedFault};

/// `out[i] = in[i] + 1` for one block of 32 words.
const INCREMENT: &str = "
.version 6.3
.target sm_75
.address_size 64
.visible .entry inc(.param .u64 inc_param_0, .param .u64 inc_param_1)
.maxntid 32, 1, 1
{
.reg .b32 %r<4>; .reg .b64 %rd<6>;
ld.param.u64 %rd0, [inc_param_0];
ld.param.u64 %rd1, [inc_param_1];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd2, %r0, 4;
add.s64 %rd3, %rd0, %rd2;
add.s64 %rd4, %rd1, %rd2;
ld.global.u32 %r1, [%rd3];
add.s32 %r2, %r1, 1;
st.global.u32 [%rd4], %r2;
ret;
}
";

fn gpu(options: EmulatorOptions) -> (Gpu, Emulator) {
    let emulator = Emulator::new(options);
    (Gpu::new(Arc::new(emulator.clone()), None), emulator)
}

fn start(gpu: &Gpu) -> Stream {
    gpu.stream(Detail::Counts, Cancel::default()).unwrap()
}

fn module(gpu: &Gpu) -> Module {
    let entry = KernelEntry {
        symbol: "inc".into(),
        name: "inc".into(),
        signature: String::new(),
        needs: Needs::default(),
    };
    let image = Image {
        name: "toy".into(),
        declaration: String::new(),
        emitter: String::new(),
        flavour: Flavour::PTX,
        kernels: vec![entry],
    };
    gpu.device().load(&Source::new(image, INCREMENT.into())).unwrap()
}

/// Words where no memory is.
fn nowhere() -> Slice<layout::U32> {
    Slice::new(ByteRange { buffer: BufferId(8), start: 0, end: 128 })
}

fn increment(stream: &Stream, module: &Module, from: Slice<layout::U32>, to: Slice<layout::U32>) {
    let args = [curvesmith_abi::Arg::Buffer(from.range), curvesmith_abi::Arg::Buffer(to.range)];
    let launch = Launch { symbol: "inc", grid: 1, block: 32, shared: 0, args: &args };
    stream.device().launch(stream.raw(), module, launch).unwrap();
}

#[test]
fn memory_is_reused_in_order_and_counts_as_undefined_again() {
    let (gpu, emulator) = gpu(EmulatorOptions::default());
    let module = module(&gpu);
    let stream = start(&gpu);
    let a = stream.upload_words(&[7; 32]).unwrap();
    let (address, b) = (a.memory().id(), stream.words(32).unwrap());
    increment(&stream, &module, a.whole(), b.whole());
    drop(a);
    // The same stream takes the memory at once, without waiting.
    let again = stream.words(32).unwrap();
    assert_eq!(again.memory().id(), address);
    assert_eq!(stream.download_words(&b).unwrap(), [8; 32]);
    increment(&stream, &module, again.whole(), b.whole());
    let error = stream.finish().unwrap_err();
    assert!(error.to_string().contains("uninitialised"), "{error}");
    // A smaller owner does not see what is behind its end.
    let stream = start(&gpu);
    let few = stream.upload_words(&[1; 31]).unwrap();
    increment(&stream, &module, few.whole(), stream.words(32).unwrap().whole());
    let error = stream.finish().unwrap_err().to_string();
    assert!(error.contains("outside") || error.contains("out of bounds"), "{error}");
    drop((again, b, few));
    gpu.release_unused();
    // The module has no data of its own.
    assert_eq!(emulator.memory_in_use(), 0);
}

#[test]
fn memory_moves_on_when_a_stream_was_waited_for() {
    let (gpu, emulator) = gpu(EmulatorOptions::default());
    let first = start(&gpu);
    let kept = first.words(1000).unwrap();
    let address = first.words(2000).unwrap().memory().id();
    let second = start(&gpu);
    assert_ne!(second.words(2000).unwrap().memory().id(), address, "the first may still use it");
    first.finish().unwrap();
    second.finish().unwrap();
    let before = emulator.allocations();
    let third = start(&gpu);
    let both = [third.words(2000).unwrap(), third.words(2000).unwrap()];
    assert!(both.iter().any(|b| b.memory().id() == address));
    assert_eq!(emulator.allocations(), before, "nothing new is needed");
    drop(kept);
    third.finish().unwrap();
}

#[test]
fn forks_are_ordered_by_fork_and_join() {
    for seed in 0..8 {
        let (gpu, _) = gpu(EmulatorOptions::default().racecheck(true).seed(seed));
        let module = module(&gpu);
        let run = |join: bool| {
            let stream = start(&gpu);
            let a = stream.upload_words(&[1; 32])?;
            let (b, c) = (stream.words(32)?, stream.words(32)?);
            increment(&stream, &module, a.whole(), b.whole());
            let fork = stream.fork()?;
            increment(&fork, &module, b.whole(), c.whole());
            // Memory that a fork frees is re-used by the stream it joined.
            let temporary = fork.upload_words(&[9; 32])?;
            increment(&fork, &module, temporary.whole(), fork.words(32)?.whole());
            drop(temporary);
            let fork = match join {
                true => stream.join(fork).map(|()| None)?,
                false => Some(fork),
            };
            increment(&stream, &module, c.whole(), a.whole());
            increment(&stream, &module, a.whole(), stream.words(32)?.whole());
            let words = stream.download_words(&a)?;
            stream.finish()?;
            drop(fork);
            Ok::<_, RuntimeError>(words)
        };
        assert_eq!(run(true).unwrap(), [4; 32], "seed {seed}");
        assert!(run(false).is_err(), "seed {seed}: without join it is a race");
    }
}

#[test]
fn long_vectors_pass_in_chunks_and_leave_nothing_behind() {
    let (gpu, _) = gpu(EmulatorOptions::default().memory(1 << 30));
    let words: Vec<u32> =
        (0..(9 * ring::LARGE / 4 + 77) as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let stream = start(&gpu);
    let buffer = stream.upload_words(&words).unwrap();
    assert!(stream.download_words(&buffer).unwrap() == words);
    let small = stream.upload_words(&[5; 8]).unwrap();
    assert_eq!(stream.download_words(&small).unwrap(), [5; 8]);
    drop((buffer, small));
    let report = stream.finish().unwrap();
    assert_eq!(
        (report.bytes_up, report.bytes_down),
        (4 * words.len() as u64 + 32, 4 * words.len() as u64 + 32)
    );
    // They are wiped beside the call.
    let mut slots = vec![];
    while slots.len() < 3 {
        slots.extend(gpu.shared.slots.drain());
        std::thread::yield_now();
    }
    for mut staging in slots {
        assert!(staging.bytes().unwrap().iter().all(|byte| *byte == 0), "staging is wiped");
    }
}

/// The first `len` bytes of unused memory of 256.
fn unused(gpu: &Gpu, len: usize) -> Vec<u8> {
    let memory = gpu.shared.pool.take(256).unwrap();
    let stream = start(gpu);
    let mut slot = stream.slot(len).unwrap();
    gpu.device().download(stream.raw(), &memory, 0, &mut *slot.staging, len).unwrap();
    slot.bytes(len).unwrap().to_vec()
}

#[test]
fn memory_of_calls_that_wipe_is_zero() {
    // Calls ask for less than memory has.
    for (wipes, len, left) in [(false, 240, 7), (true, 256, 0)] {
        let (gpu, _) = gpu(EmulatorOptions::default());
        let stream = start(&gpu);
        if wipes {
            stream.wipe_at_end();
        }
        let (fork, lone) = (stream.fork().unwrap(), stream.fork().unwrap());
        let [dropped, held, forked, of_lone] = [&stream, &stream, &fork, &lone]
            .map(|s| s.upload_words(&[u32::from_le_bytes([7; 4]); 60]).unwrap());
        let given_out = stream.upload_words(&[3; 64]).unwrap();
        stream.hold(Arc::new(held));
        drop((dropped, forked, of_lone));
        stream.join(fork).unwrap();
        // Never joined: it ends by itself.
        drop(lone);
        stream.finish().unwrap();
        for _ in 0..4 {
            assert!(unused(&gpu, len).iter().all(|byte| *byte == left));
        }
        assert_eq!(start(&gpu).download_words(&given_out).unwrap(), [3; 64]);
        assert!(gpu.shared.pool.take(256).is_none());
    }
}

/// Before it goes back to the device to make room.
#[test]
fn memory_of_calls_that_wipe_is_zeroed_under_pressure() {
    for wipes in [false, true] {
        let (gpu, emulator) = gpu(EmulatorOptions::default().memory(1024));
        let stream = start(&gpu);
        if wipes {
            stream.wipe_at_end();
        }
        drop(stream.upload_words(&[7; 60]).unwrap());
        emulator.fail_after(0, Some(DeviceCall::Fill), InjectedFault::Failure);
        let all = stream.words(256);
        assert_eq!((all.is_err(), emulator.fault_pending()), (wipes, !wipes));
    }
}

#[test]
fn memory_of_failed_calls_that_wipe_goes_back() {
    let (gpu, emulator) = gpu(EmulatorOptions::default());
    let module = module(&gpu);
    let stream = start(&gpu);
    stream.wipe_at_end();
    drop(stream.upload_words(&[7; 64]).unwrap());
    increment(&stream, &module, nowhere(), nowhere());
    assert!(stream.finish().is_err());
    assert_eq!((gpu.shared.pool.bytes(), emulator.memory_in_use()), (0, 0));
}

#[test]
fn cancelled_calls_submit_nothing_more() {
    let (gpu, _) = gpu(EmulatorOptions::default());
    let cancel = Cancel::default();
    let stream = gpu.stream(Detail::Counts, cancel.clone()).unwrap();
    let buffer = stream.upload_words(&[1]).unwrap();
    cancel.cancel();
    assert!(matches!(stream.upload_words(&[1]), Err(RuntimeError::Cancelled)));
    assert!(matches!(stream.download_words(&buffer), Err(RuntimeError::Cancelled)));
    let fork = stream.fork().unwrap();
    assert!(matches!(fork.upload_words(&[1]), Err(RuntimeError::Cancelled)));
}

#[test]
fn what_a_stream_holds_lives_until_its_work_is_done() {
    let (gpu, _) = gpu(EmulatorOptions::default());
    let stream = start(&gpu);
    let value = Arc::new(7);
    let fork = stream.fork().unwrap();
    fork.hold(value.clone());
    stream.join(fork).unwrap();
    assert_eq!(Arc::strong_count(&value), 2);
    stream.finish().unwrap();
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn failed_streams_are_not_used_again_and_blame_nobody_else() {
    let (gpu, _) = gpu(EmulatorOptions::default());
    let module = module(&gpu);
    let good = start(&gpu);
    let bad = start(&gpu);
    let number = bad.lane.as_ref().unwrap().number;
    increment(&bad, &module, nowhere(), nowhere());
    let words = good.upload_words(&[3; 32]).unwrap();
    assert!(bad.synchronize().is_err() && bad.synchronize().is_err(), "the error stays");
    assert_eq!(good.download_words(&words).unwrap(), [3; 32]);
    assert!(bad.finish().is_err());
    good.finish().unwrap();
    // A fork's failure is its parent's.
    let parent = start(&gpu);
    let fork = parent.fork().unwrap();
    increment(&fork, &module, nowhere(), nowhere());
    parent.join(fork).unwrap();
    assert!(parent.finish().is_err());
    for _ in 0..10 {
        let next = start(&gpu);
        assert_ne!(next.lane.as_ref().unwrap().number, number);
        next.finish().unwrap();
    }
}

#[test]
fn reports_tell_what_was_done_and_when() {
    let (gpu, _) = gpu(EmulatorOptions::default());
    let stream = gpu.stream(Detail::Kernels, Cancel::default()).unwrap();
    stream.stage("part", || stream.upload_words(&[1; 8])).unwrap();
    let report = stream.finish().unwrap();
    let kinds: Vec<_> = report.spans.iter().map(|span| (span.kind, &*span.name)).collect();
    assert_eq!(kinds, [(Kind::Copy, "upload"), (Kind::Stage, "part"), (Kind::Host, "part")]);
    assert!(report.spans.iter().all(|span| span.begin <= span.end));
    assert!(report.device_seconds() >= report.busy_seconds());

    let span = |kind, begin, end| Span { name: "x".into(), kind, stream: 0, begin, end };
    let overlapping = Report {
        spans: vec![
            span(Kind::Kernel, 1.0, 2.0),
            span(Kind::Kernel, 1.5, 3.0),
            span(Kind::Copy, 4.0, 5.0),
            span(Kind::Host, 0.0, 9.0),
        ],
        ..Report::default()
    };
    assert_eq!((overlapping.busy_seconds(), overlapping.device_seconds()), (3.0, 4.0));
}

#[test]
fn a_written_buffer_is_no_other_of_its_launch() {
    let (gpu, _) = gpu(EmulatorOptions::default());
    let stream = start(&gpu);
    let data = stream.upload_words(&[1; 8]).unwrap();
    let mut kernel = ScanAdd { data: data.whole(), offsets: data.whole(), n: 8 };
    let error = stream.launch(&Owner::common(), 8, &kernel).unwrap_err();
    let text =
        "kernel `common_scan_add`: `data` is written at bytes 0..32 of a buffer, of which `offsets` is bytes";
    assert_eq!(error.to_string(), format!("{text} 0..32"));
    assert!(matches!(error, RuntimeError::Overlap { .. }));
    (kernel.data, kernel.offsets) = (data.part(..6), data.part(5..));
    let error = stream.launch(&Owner::common(), 6, &kernel).unwrap_err();
    let text =
        "kernel `common_scan_add`: `data` is written at bytes 0..24 of a buffer, of which `offsets` is bytes";
    assert_eq!(error.to_string(), format!("{text} 20..32"));
    // Parts that are neighbours have nothing in common.
    (kernel.data, kernel.offsets, kernel.n) = (data.part(..6), data.part(6..), 6);
    stream.launch(&Owner::common(), 6, &kernel).unwrap();
    assert_eq!(stream.download_words(&data).unwrap(), [2, 2, 2, 2, 2, 2, 1, 1]);
    (kernel.data, kernel.n) = (data.whole(), 8);
    let offsets = stream.upload_words(&[4]).unwrap();
    kernel.offsets = offsets.whole();
    stream.launch(&Owner::common(), 8, &kernel).unwrap();
    assert_eq!(stream.download_words(&data).unwrap(), [6, 6, 6, 6, 6, 6, 5, 5]);
    stream.finish().unwrap();
}

/// Nothing is launched and nothing loaded: the kernel's needs are compared before.
#[test]
fn a_kernel_that_needs_more_than_the_device_has_is_refused() {
    let most = Limits::PTX;
    for (limits, text) in [
        (Limits { threads: 256, ..most }, "it needs 512 threads a block, the device has 256"),
        (Limits { shared: 8 << 10, ..most }, "bytes of shared memory a block, the device has 8192"),
        (Limits { buffers: 1, ..most }, "it needs 2 buffers, the device binds 1"),
        (
            Limits { features: Features::NONE, ..most },
            "the features warps of 32 threads, the device has none",
        ),
    ] {
        let (gpu, emulator) = gpu(EmulatorOptions::default().limits(limits));
        let stream = start(&gpu);
        let data = stream.upload_words(&[1; 8]).unwrap();
        let sums = stream.words(1).unwrap();
        emulator.fail_after(0, Some(DeviceCall::Load), InjectedFault::DeviceLost);
        let scan = ScanTiles { data: data.whole(), sums: sums.whole(), n: 8 };
        let launched = stream.launch_blocks(&Owner::common(), 1, &scan);
        for refused in [launched, gpu.preload(&[Owner::common()])] {
            let error = refused.unwrap_err();
            assert!(matches!(error, RuntimeError::Lacks { .. }), "{error}");
            assert!(error.to_string().contains(text), "{error}");
        }
        assert!(emulator.fault_pending() && emulator.launches().is_empty());
    }
    let (gpu, emulator) = gpu(EmulatorOptions::default());
    gpu.preload(&[Owner::common()]).unwrap();
    assert!(emulator.launches().is_empty());
}

/// Where blocks may not wait for each other, the kernels that do are no hindrance to others of their image.
#[test]
fn a_kernel_that_waits_is_refused_alone() {
    let features = Features::ALL.without(Features::PROGRESS);
    let (gpu, emulator) = gpu(EmulatorOptions::default().limits(Limits { features, ..Limits::PTX }));
    gpu.preload(&[Owner::common()]).unwrap();
    let stream = start(&gpu);
    let [codes, offsets, states, keys, entries] = [(); 5].map(|()| stream.upload_words(&[0; 8]).unwrap());
    let pass = RadixScatterFirst {
        codes: codes.whole(),
        offsets: offsets.whole(),
        states: states.whole(),
        keys_out: keys.whole(),
        entries_out: entries.whole(),
        bits: 1,
        segments: 1,
        tiles: 1,
        multiples: 1,
        n: 8,
    };
    let error = stream.launch_blocks(&Owner::common(), 1, &pass).unwrap_err();
    assert!(matches!(error, RuntimeError::Lacks { .. }), "{error}");
    assert!(error.to_string().contains("blocks that wait for each other, the device has"), "{error}");
    assert!(emulator.launches().is_empty());
}

#[test]
fn images_of_another_flavour_are_refused_by_name() {
    let mut bundle = Bundle::decode(Owner::common().images).unwrap();
    bundle.images.iter_mut().for_each(|packed| packed.image.flavour = Flavour::named("wgsl"));
    let owner = Owner { images: bundle.encode().leak(), ..Owner::common() };
    let (gpu, emulator) = gpu(EmulatorOptions::default());
    let stream = start(&gpu);
    let data = stream.upload_words(&[1; 8]).unwrap();
    let offsets = stream.upload_words(&[4]).unwrap();
    emulator.fail_after(0, Some(DeviceCall::Load), InjectedFault::DeviceLost);
    let kernel = ScanAdd { data: data.whole(), offsets: offsets.whole(), n: 8 };
    for refused in [stream.launch(&owner, 8, &kernel), gpu.preload(&[owner])] {
        let error = refused.unwrap_err().to_string();
        assert_eq!(error, "image `common` is of flavour wgsl, the device runs ptx");
    }
    assert!(emulator.fault_pending() && emulator.launches().is_empty(), "not even loaded");
}

#[test]
fn debug_prints_show_no_memory() {
    const SECRET: u32 = 0x5ec3_e7a1;
    // With a seed, uploads wait in their queue.
    for seed in [0, 1] {
        let emulator = Emulator::new(EmulatorOptions::default().seed(seed));
        let device = Device::with_kernels(Arc::new(emulator.clone()), None);
        let work = device.work().unwrap();
        let gpu = work.stream().unwrap().gpu();
        let stream = start(gpu);
        let (freed, kept) =
            (stream.upload_words(&[SECRET; 4096]).unwrap(), stream.upload_words(&[SECRET; 4096]).unwrap());
        drop(freed);
        let shown = || format!("{device:?} {gpu:?} {emulator:?} {kept:?} {stream:?}");
        let before = shown();
        assert_eq!(stream.download_words(&kept).unwrap(), [SECRET; 4096]);
        for text in [before, shown()] {
            assert!(text.len() < 4096, "{} bytes", text.len());
            assert!(text.contains("emulator"), "{text}");
            for word in [SECRET.to_string(), format!("{SECRET:x}"), format!("{SECRET:X}")] {
                assert!(!text.contains(&word), "{text}");
            }
        }
        stream.finish().unwrap();
    }
}
