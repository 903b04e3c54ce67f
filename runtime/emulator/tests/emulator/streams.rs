//! Streams beside each other: reuse, staging memory, events, parallel execution.

use crate::support::*;
use curvesmith_device::{KernelDevice, RuntimeError, Stream};
use curvesmith_emulator::{Emulator, EmulatorOptions};
use std::sync::mpsc;

/// Eager; lazy in order; lazy under a seed; with the race check.
fn modes() -> [Emulator; 5] {
    [(0, false), (0, true), (1, false), (2, false), (3, true)]
        .map(|(seed, race)| Emulator::new(EmulatorOptions::default().threads(2).seed(seed).racecheck(race)))
}

const COPY: &str = "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd3], %r2;";

#[test]
fn reuse_makes_contents_undefined() {
    for e in modes() {
        let module = e.load_ptx(&kernel(COPY)).unwrap();
        let (a, b) = (words(&e, &[9; 128]), words(&e, &[0; 128]));
        let s = e.stream().unwrap();
        launch(&e, &s, &module, "k", (1, 32), (&a, &b)).unwrap();
        e.reuse(&s, &b, 512).unwrap();
        launch(&e, &s, &module, "k", (1, 32), (&a, &b)).unwrap();
        e.synchronize(&s).unwrap();
        e.reuse(&s, &a, 512).unwrap();
        launch(&e, &s, &module, "k", (1, 32), (&a, &b)).unwrap();
        let error = e.synchronize(&s).unwrap_err().to_string();
        assert!(error.contains("uninitialised"), "{error}");
    }
}

#[test]
fn reuse_moves_the_end() {
    for e in modes() {
        let module = e.load_ptx(&kernel("st.global.u32 [%rd3], %r0;")).unwrap();
        let m = words(&e, &[0; 128]);
        // The last store is to bytes 496..500.
        for (bytes, fits) in [(512, true), (500, true), (499, false), (496, false), (512, true), (0, false)] {
            let s = e.stream().unwrap();
            e.reuse(&s, &m, bytes).unwrap();
            launch(&e, &s, &module, "k", (1, 32), (&m, &m)).unwrap();
            match e.synchronize(&s) {
                Ok(()) => assert!(fits, "{bytes}"),
                Err(error) => {
                    let error = error.to_string();
                    assert!(!fits && error.contains("out of bounds"), "{bytes}: {error}");
                }
            }
        }
        // So do copies, which the handle alone would let through.
        for call in 0..3 {
            let s = e.stream().unwrap();
            e.reuse(&s, &m, 100).unwrap();
            let result = |offset, len: usize| match call {
                0 => upload(&e, &s, &m, offset, &vec![0; len]).map(|_| ()),
                1 => e.fill(&s, &m, offset, len as u64, 0),
                _ => download(&e, &s, &m, offset, len).map(|_| ()),
            };
            result(40, 60).unwrap();
            e.synchronize(&s).unwrap();
            let error = result(41, 60).and_then(|()| e.synchronize(&s)).unwrap_err().to_string();
            assert!(error.contains("out of bounds"), "{call}: {error}");
        }
        let s = e.stream().unwrap();
        assert!(matches!(e.reuse(&s, &m, 513), Err(RuntimeError::Device { call: "reuse", .. })));
    }
}

#[test]
fn an_unordered_reuse_is_a_race() {
    for (seed, ordered, reuse_first) in
        (0..24).flat_map(|s| [(s, true, true), (s, true, false), (s, false, true), (s, false, false)])
    {
        let e = Emulator::new(EmulatorOptions::default().seed(seed).racecheck(true));
        let module = e.load_ptx(&kernel("st.global.u32 [%rd3], %r0;")).unwrap();
        let m = words(&e, &[0; 128]);
        let (s, t) = (e.stream().unwrap(), e.stream().unwrap());
        let reuse = |s| e.reuse(s, &m, 512).unwrap();
        let write = |s: &Stream| launch(&e, s, &module, "k", (1, 32), (&m, &m)).unwrap();
        if reuse_first {
            reuse(&s)
        } else {
            write(&s)
        }
        if ordered {
            e.wait(&t, &e.record(&s, false).unwrap()).unwrap();
        }
        if reuse_first {
            write(&t)
        } else {
            reuse(&t)
        }
        let result = e.synchronize(&t).and_then(|()| e.synchronize(&s));
        assert_eq!(result.is_ok(), ordered, "seed {seed}, reuse first {reuse_first}: {result:?}");
        if let Err(error) = result {
            assert!(error.to_string().contains("race at"), "{error}");
        }
    }
}

#[test]
fn a_download_races_with_a_later_write() {
    for (seed, ordered) in (0..24).flat_map(|s| [(s, true), (s, false)]) {
        let e = Emulator::new(EmulatorOptions::default().seed(seed).racecheck(true));
        let module = e.load_ptx(&kernel("st.global.u32 [%rd3], %r0;")).unwrap();
        let m = words(&e, &[0; 128]);
        let (s, t) = (e.stream().unwrap(), e.stream().unwrap());
        let mut staging = e.staging(512).unwrap();
        e.download(&s, &m, 0, &mut *staging, 512).unwrap();
        if ordered {
            // The host has seen the bytes: what it submits now is ordered after the copy.
            staging.bytes().unwrap();
        }
        launch(&e, &t, &module, "k", (1, 32), (&m, &m)).unwrap();
        let result = e.synchronize(&s).and_then(|()| e.synchronize(&t));
        assert_eq!(result.is_ok(), ordered, "seed {seed}: {result:?}");
    }
}

#[test]
fn downloads_race_with_fills_and_not_with_each_other() {
    for seed in 0..24 {
        let e = Emulator::new(EmulatorOptions::default().seed(seed).racecheck(true));
        let m = words(&e, &[0; 128]);
        let (s, t) = (e.stream().unwrap(), e.stream().unwrap());
        let mut staging = [e.staging(512).unwrap(), e.staging(512).unwrap()];
        for (stream, staging) in [&s, &t].into_iter().zip(&mut staging) {
            e.download(stream, &m, 0, &mut **staging, 512).unwrap();
        }
        e.synchronize(&s).unwrap();
        e.synchronize(&t).unwrap();
        e.download(&s, &m, 0, &mut *staging[0], 512).unwrap();
        e.fill(&t, &m, 508, 4, 1).unwrap();
        let error = e.synchronize(&s).and_then(|()| e.synchronize(&t)).unwrap_err().to_string();
        assert!(error.contains("race at"), "seed {seed}: {error}");
    }
}

/// A slot of an earlier stream orders nothing.
#[test]
fn streams_after_dropped_ones() {
    for seed in 0..8 {
        let e = Emulator::new(EmulatorOptions::default().seed(seed).racecheck(true));
        let module = e.load_ptx(&kernel("st.global.u32 [%rd3], %r0;")).unwrap();
        let m = words(&e, &[0; 128]);
        let write = |s: &Stream| launch(&e, s, &module, "k", (1, 32), (&m, &m)).unwrap();
        let s = e.stream().unwrap();
        write(&s);
        e.synchronize(&s).unwrap();
        drop(s);
        let (s, t) = (e.stream().unwrap(), e.stream().unwrap());
        write(&s);
        // Nobody waited for this one.
        drop(s);
        let s = e.stream().unwrap();
        write(&s);
        let error = e.synchronize(&s).unwrap_err().to_string();
        assert!(error.contains("race at"), "seed {seed}: {error}");
        e.synchronize(&t).unwrap();
    }
}

#[test]
fn staging_waits_for_its_copy_and_no_more() {
    for e in modes() {
        let lazy = e.options().seed != 0 || e.options().racecheck;
        let m = e.alloc(64).unwrap();
        let s = e.stream().unwrap();
        let mut staging = e.staging(64).unwrap();
        assert_eq!(staging.bytes().unwrap(), [0; 64]);
        for round in 0..10u8 {
            staging.bytes().unwrap().fill(round + 1);
            e.upload(&s, &m, 0, &mut *staging, 64).unwrap();
            // The upload reads the bytes when it is executed: they must not be free before.
            staging.bytes().unwrap().fill(0xee);
            e.download(&s, &m, 0, &mut *staging, 60).unwrap();
            let event = e.record(&s, true).unwrap();
            let bytes = staging.bytes().unwrap();
            assert_eq!((bytes[0], bytes[59], bytes[60]), (round + 1, round + 1, 0xee));
            // What comes after the copy has not been executed, in the order without a seed.
            if lazy && e.options().seed == 0 {
                assert!(e.elapsed(&event, &event).is_err());
            }
        }
        // A drop waits too.
        staging.bytes().unwrap().fill(77);
        let event = e.record(&s, true).unwrap();
        e.upload(&s, &m, 0, &mut *staging, 64).unwrap();
        drop(staging);
        e.elapsed(&event, &event).unwrap();
        assert_eq!(download(&e, &s, &m, 0, 64).unwrap(), [77; 64]);
        // Copies on two streams.
        let t = e.stream().unwrap();
        let n = e.alloc(64).unwrap();
        let mut both = e.staging(64).unwrap();
        both.bytes().unwrap().fill(5);
        e.upload(&s, &m, 0, &mut *both, 64).unwrap();
        e.upload(&t, &n, 0, &mut *both, 64).unwrap();
        both.bytes().unwrap().fill(6);
        assert_eq!(download(&e, &s, &m, 0, 64).unwrap(), [5; 64]);
        assert_eq!(download(&e, &t, &n, 0, 64).unwrap(), [5; 64]);
    }
}

#[test]
fn elapsed_time() {
    let body = "mov.u32 %r2, 0;
    $L__l:
        add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200000; @%p1 bra $L__l;
        st.global.u32 [%rd3], %r2;";
    for e in modes() {
        let lazy = e.options().seed != 0 || e.options().racecheck;
        let module = e.load_ptx(&kernel(body)).unwrap();
        let m = words(&e, &[0; 4]);
        let s = e.stream().unwrap();
        let from = e.record(&s, true).unwrap();
        launch(&e, &s, &module, "k", (1, 1), (&m, &m)).unwrap();
        let to = e.record(&s, true).unwrap();
        let untimed = e.record(&s, false).unwrap();
        let not_yet = e.elapsed(&from, &to);
        assert_eq!(not_yet.is_err(), lazy, "{not_yet:?}");
        e.synchronize(&s).unwrap();
        let seconds = e.elapsed(&from, &to).unwrap();
        assert!(seconds > 1e-5 && seconds < 60.0, "{seconds}");
        assert_eq!(e.elapsed(&to, &from).unwrap(), -seconds);
        assert_eq!(e.elapsed(&to, &to).unwrap(), 0.0);
        for pair in [(&from, &untimed), (&untimed, &to)] {
            assert!(matches!(e.elapsed(pair.0, pair.1), Err(RuntimeError::Device { call: "elapsed", .. })));
        }
        // An event of a failed stream never happens.
        launch(&e, &s, &e.load_ptx(&kernel("trap;")).unwrap(), "k", (1, 1), (&m, &m)).unwrap();
        let never = e.record(&s, true).unwrap();
        e.synchronize(&s).unwrap_err();
        assert!(matches!(e.elapsed(&from, &never), Err(RuntimeError::Device { call: "elapsed", .. })));
        // And holds nobody up.
        let t = e.stream().unwrap();
        e.wait(&t, &never).unwrap();
        e.synchronize(&t).unwrap();
    }
}

/// A kernel that waits for the host does not keep other threads from their streams, be it one whose
/// blocks communicate.
#[test]
fn streams_run_in_parallel() {
    // The store is progress: this is no deadlock.
    let body = "mov.u32 %r2, 0;
    $L__l:
        add.u32 %r2, %r2, 1;
        st.global.u32 [%rd1], %r2;
        ld.volatile.global.u32 %r3, [%rd0];
        setp.eq.u32 %p1, %r3, 0; @%p1 bra $L__l;";
    // Many seconds: a wait for ever is a failure.
    let e = Emulator::new(EmulatorOptions::default().threads(1).step_limit(1 << 27));
    let waiting = e.load_ptx(&kernel(body)).unwrap();
    let adding = e.load_ptx(&kernel("red.global.add.u32 [%rd1], 1;")).unwrap();
    let (flag, m) = (words(&e, &[0]), words(&e, &[0]));
    let (started, start) = mpsc::channel();
    std::thread::scope(|scope| {
        let (e, flag) = (&e, &flag);
        let waiter = scope.spawn(move || {
            let out = words(e, &[0]);
            let s = e.stream().unwrap();
            started.send(()).unwrap();
            launch(e, &s, &waiting, "k", (1, 1), (flag, &out)).unwrap();
            e.synchronize(&s).unwrap();
        });
        start.recv().unwrap();
        for _ in 0..100 {
            let s = e.stream().unwrap();
            launch(e, &s, &adding, "k", (2, 32), (&m, &m)).unwrap();
            let event = e.record(&s, true).unwrap();
            e.wait(&s, &event).unwrap();
            e.synchronize(&s).unwrap();
            drop(e.alloc(100).unwrap());
        }
        assert!(!waiter.is_finished());
        let s = e.stream().unwrap();
        e.fill(&s, flag, 0, 4, 1).unwrap();
        e.synchronize(&s).unwrap();
    });
    assert_eq!(read(&e, &m, 1), [6400]);
}

/// Atomics of 64 bits are atomic between kernels that run at the same time.
#[test]
fn wide_atomics_of_two_streams() {
    let body = "mov.u64 %rd10, 0xffffffff; mov.u32 %r2, 0;
    $L__l:
        red.global.add.u64 [%rd1], %rd10;
        add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2000; @%p1 bra $L__l;";
    let e = Emulator::new(EmulatorOptions::default().threads(1));
    let module = e.load_ptx(&kernel(body)).unwrap();
    let m = words(&e, &[0; 2]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let s = e.stream().unwrap();
                for _ in 0..10 {
                    launch(&e, &s, &module, "k", (1, 32), (&m, &m)).unwrap();
                }
                e.synchronize(&s).unwrap();
            });
        }
    });
    let got = read(&e, &m, 2);
    let wanted = 0xffff_ffffu64 * (4 * 10 * 32 * 2000);
    assert_eq!(u64::from(got[0]) | u64::from(got[1]) << 32, wanted);
}
