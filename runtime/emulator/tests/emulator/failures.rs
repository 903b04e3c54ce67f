//! Errors stay with their stream; failures on purpose; a lost device.

use crate::support::*;
use curvesmith_abi::{Flavour, Image, KernelEntry, Needs};
use curvesmith_device::{KernelDevice, Result, RuntimeError, Source};
use curvesmith_emulator::{DeviceCall, Emulator, EmulatorOptions, InjectedFault};

fn modes() -> [Emulator; 3] {
    [(0, false), (1, false), (2, true)]
        .map(|(seed, race)| Emulator::new(EmulatorOptions::default().threads(1).seed(seed).racecheck(race)))
}

/// Stores past the end if the first word of the input is not zero.
const FAIL_IF: &str = "
    ld.global.u32 %r2, [%rd0];
    setp.ne.u32 %p1, %r2, 0;
    @%p1 add.s64 %rd1, %rd1, 4096;
    st.global.u32 [%rd1], 7;";

#[test]
fn an_error_sticks_to_its_stream() {
    for e in modes() {
        let module = e.load_ptx(&kernel(FAIL_IF)).unwrap();
        let (good, bad) = (words(&e, &[0]), words(&e, &[1]));
        let (a, b) = (words(&e, &[0]), words(&e, &[0]));
        let (s, t) = (e.stream().unwrap(), e.stream().unwrap());
        launch(&e, &s, &module, "k", (1, 1), (&good, &a)).unwrap();
        launch(&e, &s, &module, "k", (1, 2), (&bad, &a)).unwrap();
        // None of this is executed.
        launch(&e, &s, &module, "k", (1, 3), (&bad, &a)).unwrap();
        e.fill(&s, &a, 0, 4, 9).unwrap();
        let mut staging = e.staging(4).unwrap();
        e.download(&s, &a, 0, &mut *staging, 4).unwrap();
        let event = e.record(&s, false).unwrap();
        e.wait(&t, &event).unwrap();
        launch(&e, &t, &module, "k", (1, 1), (&good, &b)).unwrap();
        let first = e.synchronize(&s).unwrap_err().to_string();
        assert!(first.contains("block 2") && first.contains("out of bounds"), "{first}");
        assert_eq!(staging.bytes().unwrap_err().to_string(), first);
        // It has been told; the memory is good for others.
        staging.bytes().unwrap();
        assert_eq!(e.synchronize(&s).unwrap_err().to_string(), first);
        assert_eq!(upload(&e, &s, &a, 0, &[5; 4]).unwrap().bytes().unwrap_err().to_string(), first);
        e.synchronize(&t).unwrap();
        drop(s);
        assert_eq!((read(&e, &a, 1), read(&e, &b, 1)), (vec![7], vec![7]));
        assert_eq!(e.launches().len(), 2);
    }
}

#[test]
fn neighbours_of_failing_streams() {
    const ROUNDS: usize = 600;
    for e in modes() {
        let module = e.load_ptx(&kernel(FAIL_IF)).unwrap();
        let (good, bad) = (words(&e, &[0]), words(&e, &[1]));
        let before = (e.memory_in_use(), e.allocations());
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (e, module, good, bad) = (&e, &module, &good, &bad);
                scope.spawn(move || {
                    let mut stream = e.stream().unwrap();
                    let out = words(e, &[0]);
                    for round in 0..ROUNDS {
                        let fails = thread % 2 == 1;
                        let input = if fails { bad } else { good };
                        // The block size tells whose error it is.
                        let block = thread + 1;
                        launch(e, &stream, module, "k", (1, block), (input, &out)).unwrap();
                        let mut staging = e.staging(4).unwrap();
                        e.download(&stream, &out, 0, &mut *staging, 4).unwrap();
                        let copied = staging.bytes().map(|b| b.to_vec());
                        let done = e.synchronize(&stream);
                        if fails {
                            for error in [copied.unwrap_err(), done.unwrap_err()] {
                                let RuntimeError::Launch { block: found, .. } = error else {
                                    panic!("thread {thread}, round {round}: {error}")
                                };
                                assert_eq!(found, block);
                            }
                            stream = e.stream().unwrap();
                        } else {
                            assert_eq!(copied.unwrap(), [7, 0, 0, 0], "thread {thread}, round {round}");
                            done.unwrap();
                        }
                    }
                });
            }
        });
        assert_eq!(e.launches().len(), 4 * ROUNDS);
        assert_eq!((e.memory_in_use(), e.allocations()), before);
    }
}

fn image() -> Source {
    let text = kernel("ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, 1; st.global.u32 [%rd3], %r2;");
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
    Source::new(image, text)
}

/// A small computation that makes every call there is.
fn compute(e: &Emulator) -> Result<()> {
    let module = e.load(&image())?;
    let (s, t) = (e.stream()?, e.stream()?);
    let (a, b) = (e.alloc(512)?, e.alloc(512)?);
    e.reuse(&s, &b, 512)?;
    let mut staging = e.staging(512)?;
    staging.bytes()?.fill(1);
    e.upload(&s, &a, 0, &mut *staging, 512)?;
    let start = e.record(&s, true)?;
    e.resident_blocks(&module, "k", 32)?;
    launch(e, &s, &module, "k", (1, 32), (&a, &b))?;
    let end = e.record(&s, true)?;
    e.wait(&t, &end)?;
    e.fill(&t, &a, 0, 512, 0)?;
    e.download(&s, &b, 0, &mut *staging, 512)?;
    e.synchronize(&t)?;
    assert_eq!(staging.bytes()?[..4], [2, 1, 1, 1]);
    e.synchronize(&s)?;
    e.elapsed(&start, &end)?;
    Ok(())
}

#[test]
fn every_call_fails_once() {
    for e in modes() {
        // Counted alone, and with all others.
        for call in DeviceCall::ALL.map(Some).into_iter().chain([None]) {
            for passes in 0.. {
                e.fail_after(passes, call, InjectedFault::Failure);
                let result = compute(&e);
                assert_eq!((e.memory_in_use(), e.allocations()), (0, 0), "{call:?} {passes}");
                if e.fault_pending() {
                    assert!(passes > 0, "{call:?} was never called");
                    result.unwrap();
                    break;
                }
                assert!(passes < 100, "{call:?} fails for ever");
                let error = result.expect_err("a call failed");
                let text = error.to_string();
                match error {
                    RuntimeError::OutOfMemory { requested } => {
                        assert!(matches!(call, Some(DeviceCall::Alloc) | None) && requested == 512);
                    }
                    RuntimeError::Device { call: name, reason } => {
                        assert_eq!(reason, "failed on purpose");
                        assert_ne!(call, Some(DeviceCall::Alloc));
                        let wanted = format!("{:?}", call.unwrap_or(DeviceCall::Alloc)).to_lowercase();
                        assert!(call.is_none() || name == wanted, "{text}");
                    }
                    _ => panic!("{call:?} {passes}: {text}"),
                }
            }
        }
        e.fail_never();
        assert!(!e.fault_pending());
        compute(&e).unwrap();
    }
}

#[test]
fn a_failure_in_a_stream_is_seen_when_it_is_waited_for() {
    for e in modes() {
        let (s, m) = (e.stream().unwrap(), e.alloc(4).unwrap());
        e.fail_after(1, Some(DeviceCall::Fill), InjectedFault::Failure);
        for byte in 1..=3 {
            e.fill(&s, &m, 0, 4, byte).unwrap();
        }
        let error = e.synchronize(&s).unwrap_err();
        assert!(matches!(error, RuntimeError::Device { call: "fill", .. }), "{error}");
        assert_eq!(read(&e, &m, 1), [0x0101_0101]);
    }
}

fn lost<T: std::fmt::Debug>(result: Result<T>) {
    let error = result.unwrap_err();
    assert!(matches!(error, RuntimeError::DeviceLost { call: "launch", .. }), "{error}");
}

#[test]
fn a_lost_device_does_nothing_more() {
    for e in modes() {
        let (module, s) = (e.load(&image()).unwrap(), e.stream().unwrap());
        let t = e.stream().unwrap();
        // What a stream failed with before does not matter then.
        let failed = e.stream().unwrap();
        let m = e.alloc(4).unwrap();
        launch(&e, &failed, &e.load_ptx(&kernel("trap;")).unwrap(), "k", (1, 1), (&m, &m)).unwrap();
        e.synchronize(&failed).unwrap_err();
        let (a, b) = (words(&e, &[1; 128]), words(&e, &[0; 128]));
        let mut staging = e.staging(512).unwrap();
        let event = e.record(&s, true).unwrap();
        e.download(&s, &a, 0, &mut *staging, 512).unwrap();
        e.fail_after(1, Some(DeviceCall::Launch), InjectedFault::DeviceLost);
        launch(&e, &s, &module, "k", (1, 32), (&a, &b)).unwrap();
        lost(launch(&e, &s, &module, "k", (1, 32), (&a, &b)));
        assert!(!e.fault_pending());
        lost(e.load(&image()));
        lost(e.resident_blocks(&module, "k", 32));
        lost(e.alloc(1));
        lost(e.reuse(&s, &a, 1));
        lost(e.staging(1));
        lost(e.stream());
        lost(e.upload(&t, &a, 0, &mut *staging, 1));
        lost(e.download(&t, &a, 0, &mut *staging, 1));
        lost(e.fill(&t, &a, 0, 1, 0));
        lost(e.record(&t, true));
        lost(e.wait(&t, &event));
        lost(e.elapsed(&event, &event));
        lost(e.synchronize(&s));
        lost(e.synchronize(&t));
        lost(e.synchronize(&failed));
        lost(staging.bytes().map(|b| b.len()));
        // What it has is given back all the same, in any order.
        drop((a, s, staging, event, b, t, module, m));
        assert_eq!((e.memory_in_use(), e.allocations()), (0, 0));
    }
}

#[test]
fn memory_of_a_lost_device_waits_for_nothing() {
    for e in modes() {
        let (s, first, second) = (e.stream().unwrap(), e.alloc(4).unwrap(), e.alloc(4).unwrap());
        e.fill(&s, &first, 0, 4, 0).unwrap();
        drop(first);
        e.fail_after(0, None, InjectedFault::DeviceLost);
        assert!(matches!(e.stream(), Err(RuntimeError::DeviceLost { call: "stream", .. })));
        drop(second);
        assert_eq!((e.memory_in_use(), e.allocations()), (0, 0));
    }
}

#[test]
fn a_device_lost_under_other_threads() {
    for e in modes() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let e = &e;
                scope.spawn(move || {
                    if thread == 0 {
                        e.fail_after(100, None, InjectedFault::DeviceLost);
                    }
                    let error = (0..10_000).find_map(|_| compute(e).err()).expect("it is lost");
                    assert!(matches!(error, RuntimeError::DeviceLost { .. }), "{error}");
                });
            }
        });
        assert_eq!((e.memory_in_use(), e.allocations()), (0, 0));
    }
}
