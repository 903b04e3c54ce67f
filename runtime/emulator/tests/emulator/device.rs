//! The emulator as a device: memory, streams, modules, the log and fault injection.

use crate::support::*;
use curvesmith_abi::{Arg, Bundle, Flavour, Image, KernelEntry, Limits, Needs, Packed};
use curvesmith_device::{KernelDevice, Launch, RuntimeError, Source};
use curvesmith_emulator::{Emulator, EmulatorOptions, OpClass};

const SQUARE: &str = "ld.global.u32 %r2, [%rd2]; mul.lo.u32 %r2, %r2, %r2; st.global.u32 [%rd3], %r2;";

#[test]
fn memory_is_limited_and_given_back() {
    for seed in [0, 5] {
        let e = Emulator::new(EmulatorOptions::default().memory(1 << 20).seed(seed));
        assert_eq!(e.properties().memory, 1 << 20);
        assert_eq!((e.properties().name.as_str(), e.properties().compute), ("emulator", 75));
        for bytes in [1 << 21, u64::MAX, u64::MAX / 2] {
            assert!(
                matches!(e.alloc(bytes), Err(RuntimeError::OutOfMemory { requested }) if requested == bytes)
            );
        }
        let s = e.stream().unwrap();
        for _ in 0..10 {
            let a = e.alloc(600_000).unwrap();
            assert_eq!(a.id().0 % 256, 0);
            assert!(matches!(e.alloc(600_000), Err(RuntimeError::OutOfMemory { .. })));
            // Queued work holds the memory until it is done.
            e.fill(&s, &a, 0, 600_000, 7).unwrap();
            assert_eq!((e.memory_in_use(), e.allocations()), (600_000, 1));
        }
        e.synchronize(&s).unwrap();
        assert_eq!((e.memory_in_use(), e.allocations()), (0, 0));
    }
}

#[test]
fn copies_at_odd_offsets() {
    let e = emulator();
    let s = e.stream().unwrap();
    let m = e.alloc(101).unwrap();
    let data: Vec<u8> = (0..101).map(|i| i as u8 ^ 0x5a).collect();
    upload(&e, &s, &m, 0, &data).unwrap();
    upload(&e, &s, &m, 3, &[1, 2, 3, 4, 5, 6]).unwrap();
    e.fill(&s, &m, 50, 13, 0xee).unwrap();
    let mut wanted = data.clone();
    wanted[3..9].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
    wanted[50..63].fill(0xee);
    assert_eq!(download(&e, &s, &m, 0, 101).unwrap(), wanted);
    assert_eq!(download(&e, &s, &m, 94, 7).unwrap(), wanted[94..]);
    assert!(download(&e, &s, &m, 95, 7).is_err());
    assert!(upload(&e, &s, &m, 102, &[]).is_err());
    assert!(e.fill(&s, &m, u64::MAX, 2, 0).is_err());
    // More than the host has.
    let mut small = e.staging(6).unwrap();
    assert_eq!(small.capacity(), 6);
    assert!(e.upload(&s, &m, 0, &mut *small, 7).is_err());
    assert!(e.download(&s, &m, 0, &mut *small, 7).is_err());
    // What is refused was not submitted.
    e.synchronize(&s).unwrap();
}

#[test]
fn freed_memory_is_out_of_bounds() {
    let e = emulator();
    let module = e.load_ptx(&kernel(SQUARE)).unwrap();
    let a = words(&e, &[1; 128]);
    let b = words(&e, &[1; 128]);
    let args = [Arg::Buffer(a.whole()), Arg::Buffer(b.whole()), Arg::U32(0)];
    drop(a);
    let _other = words(&e, &[1; 128]);
    let s = e.stream().unwrap();
    e.launch(&s, &module, Launch { symbol: "k", grid: 1, block: 32, shared: 0, args: &args }).unwrap();
    let error = e.synchronize(&s).unwrap_err();
    assert!(error.to_string().contains("out of bounds"), "{error}");
}

#[test]
fn the_log_names_what_ran() {
    let e = emulator();
    run(&e, &kernel(SQUARE), 3, 64, &[2; 768], 768).unwrap();
    let log = e.launches();
    assert_eq!(log.len(), 1);
    assert_eq!((log[0].symbol.as_str(), log[0].grid, log[0].block), ("k", 3, 64));
    let c = &log[0].counts;
    assert_eq!((c.warp(OpClass::LoadGlobal), c.lane(OpClass::LoadGlobal)), (6, 192));
    assert_eq!((c.warp(OpClass::StoreGlobal), c.lane(OpClass::MulLo)), (6, 2 * 192));
    assert_eq!(c.lane_total(), 32 * c.warp_total());
    e.clear_launches();
    assert!(e.launches().is_empty());
}

#[test]
fn counts_are_the_same_in_every_run_and_any_number_of_threads() {
    let count = |threads| {
        let e = Emulator::new(EmulatorOptions::default().threads(threads));
        let ptx = module(".shared .align 4 .b8 sm[512];", crate::warp::BLOCK_SUM);
        run(&e, &ptx, 20, 128, &[2; 10240], 10240).unwrap();
        e.launches()
    };
    let one = count(1);
    assert_eq!(one, count(2));
    assert_eq!(one, count(0));
}

#[test]
fn a_kernel_replaced_by_zeros() {
    let e = emulator();
    let input: Vec<u32> = (0..128).collect();
    assert_eq!(run(&e, &kernel(SQUARE), 1, 32, &input, 128).unwrap()[4], 16);
    e.replace_with_zeros("k");
    assert_eq!(run(&e, &kernel(SQUARE), 1, 32, &input, 128).unwrap(), vec![0; 128]);
    assert_eq!(e.launches().len(), 2);
}

#[test]
fn what_a_launch_policy_sees() {
    let ptx = kernel(SQUARE).replace(".maxntid 1024, 1, 1", ".maxntid 256");
    let options = EmulatorOptions::default().multiprocessors(132);
    for (wanted, options) in [(2, options.clone()), (5, options.blocks_per_multiprocessor(5))] {
        let e = Emulator::new(options);
        assert_eq!(e.properties().multiprocessors, 132);
        let module = e.load_ptx(&ptx).unwrap();
        assert_eq!(e.resident_blocks(&module, "k", 256).unwrap(), wanted);
        for (symbol, block) in [("x", 32), ("k", 257), ("k", 0)] {
            let error = e.resident_blocks(&module, symbol, block).unwrap_err();
            assert!(matches!(error, RuntimeError::Launch { .. }), "{error}");
        }
    }
    let none = Emulator::new(EmulatorOptions::default().blocks_per_multiprocessor(0));
    assert_eq!(none.resident_blocks(&none.load_ptx(&ptx).unwrap(), "k", 32).unwrap(), 1);
}

#[test]
fn another_emulator_refuses_the_objects() {
    let (e, other) = (emulator(), emulator());
    let (s, m) = (e.stream().unwrap(), e.alloc(64).unwrap());
    let (t, n) = (other.stream().unwrap(), other.alloc(64).unwrap());
    let (mut staging, module) = (e.staging(64).unwrap(), e.load_ptx(&kernel("")).unwrap());
    let event = e.record(&s, true).unwrap();
    let refused = [
        other.fill(&s, &n, 0, 64, 0),
        other.fill(&t, &m, 0, 64, 0),
        other.upload(&t, &n, 0, &mut *staging, 64),
        other.download(&t, &n, 0, &mut *staging, 64),
        launch(&other, &t, &module, "k", (1, 1), (&n, &n)),
        other.reuse(&t, &m, 1),
        other.wait(&t, &event),
        other.elapsed(&event, &event).map(|_| ()),
        other.synchronize(&s),
    ];
    for (i, result) in refused.into_iter().enumerate() {
        let message = result.unwrap_err().to_string();
        assert!(message.contains("another emulator"), "{i}: {message}");
    }
    other.synchronize(&t).unwrap();
}

#[test]
fn launches_that_do_not_fit() {
    let e = emulator();
    let ptx = module(".shared .align 4 .b8 sm[512];", "st.shared.u32 [sm], 1;")
        .replace(".maxntid 1024, 1, 1", ".maxntid 256");
    let module = e.load_ptx(&ptx).unwrap();
    let s = e.stream().unwrap();
    let ok = [Arg::U64(0), Arg::U64(0), Arg::U32(0)];
    let launch = |symbol, grid, block, shared, args: &[Arg]| {
        e.launch(&s, &module, Launch { symbol, grid, block, shared, args }).map_err(|e| e.to_string())
    };
    launch("k", 1, 256, 0, &ok).unwrap();
    for (result, text) in [
        (launch("x", 1, 32, 0, &ok), "no such kernel"),
        (launch("k", 0, 32, 0, &ok), "at least 1 block"),
        (launch("k", 1, 2000, 0, &ok), "1 to 1024 threads"),
        (launch("k", 1, 0, 0, &ok), "1 to 1024 threads"),
        (launch("k", 1, 512, 0, &ok), "at most 256 threads"),
        (launch("k", 1, 32, u32::MAX, &ok), "shared memory"),
        (launch("k", 1, 32, 0, &ok[..2]), "2 arguments for 3 parameters"),
        (launch("k", 1, 32, 0, &[Arg::U64(0); 3]), "argument 2 has 8 bytes"),
    ] {
        let message = result.unwrap_err();
        assert!(message.contains(text), "{text}: {message}");
    }
}

#[test]
fn a_small_device_refuses_what_a_large_one_runs() {
    let limits = Limits { threads: 64, shared: 256, ..Limits::PTX };
    let e = Emulator::new(EmulatorOptions::default().limits(limits));
    assert_eq!(e.properties().limits, limits);
    let module = e.load_ptx(&module(".shared .align 4 .b8 sm[256];", "st.shared.u32 [sm], 1;")).unwrap();
    let s = e.stream().unwrap();
    let args = [Arg::U64(0), Arg::U64(0), Arg::U32(0)];
    let launch = |block, shared| {
        e.launch(&s, &module, Launch { symbol: "k", grid: 1, block, shared, args: &args })
            .map_err(|e| e.to_string())
    };
    launch(64, 0).unwrap();
    assert!(launch(65, 0).unwrap_err().contains("1 to 64 threads"));
    assert!(launch(64, 4).unwrap_err().contains("260 bytes of shared memory, at most 256"));
    assert!(e.resident_blocks(&module, "k", 65).is_err());
}

#[test]
fn images_load_or_say_why_not() {
    let e = emulator();
    let text = kernel(SQUARE);
    let image = Image {
        name: "toy".into(),
        declaration: String::new(),
        emitter: String::new(),
        flavour: Flavour::PTX,
        kernels: vec![KernelEntry {
            symbol: "k".into(),
            name: "k".into(),
            signature: String::new(),
            needs: Needs::default(),
        }],
    };
    e.load(&Source::new(image.clone(), text.clone())).unwrap();
    let refused = |source: &Source| match e.load(source) {
        Err(RuntimeError::Image { image, reason }) => {
            assert_eq!(image, "toy");
            reason
        }
        other => panic!("{other:?}"),
    };
    let other = Image { flavour: Flavour::named("wgsl"), ..image.clone() };
    let error = e.load(&Source::new(other, text.clone())).unwrap_err();
    assert!(matches!(error, RuntimeError::Flavour { .. }), "{error:?}");
    assert_eq!(error.to_string(), "image `toy` is of flavour wgsl, the device runs ptx");
    let nonsense = Source::new(image.clone(), "what".into());
    assert!(refused(&nonsense).contains("unknown directive `what`"));
    let packed = Packed { image, delta_len: text.len() as u64, text_hash: *nonsense.hash() };
    let texts_zstd = zstd::bulk::compress(text.as_bytes(), 3).unwrap();
    let other_text = Source::unpack(Bundle { images: vec![packed], texts_zstd });
    assert!(refused(&other_text[0]).contains("not the one that was packed"));
}

#[test]
fn streams_of_many_host_threads() {
    for seed in [0, 1] {
        let e = Emulator::new(EmulatorOptions::default().seed(seed));
        std::thread::scope(|scope| {
            for t in 0..4u32 {
                let e = &e;
                scope.spawn(move || {
                    for i in 0..5 {
                        let input = vec![t + 10 * i; 512];
                        let got = run(e, &kernel(SQUARE), 4, 32, &input, 512).unwrap();
                        assert!((0..128).all(|k| got[4 * k] == (t + 10 * i).pow(2)));
                    }
                });
            }
        });
        assert_eq!(e.launches().len(), 20);
    }
}
