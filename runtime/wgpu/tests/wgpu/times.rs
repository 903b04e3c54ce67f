use crate::support::{Bench, words};
use curvesmith_abi::Arg;
use curvesmith_device::KernelDevice as _;
use std::time::Instant;

#[test]
fn events_tell_how_long_work_takes() {
    let Some(bench) = Bench::new() else { return };
    let n = 1 << 20;
    let memory = bench.alloc(n);
    let whole = || words(&memory, 0, n);
    bench.bump(whole(), n as u32, 1);
    bench.device.synchronize(&bench.stream).expect("nothing fails");
    let record = |timed| bench.device.record(&bench.stream, timed).expect("it is recorded");
    let began = Instant::now();
    let from = record(true);
    for k in 0..20 {
        bench.bump(whole(), n as u32, k);
    }
    let to = record(true);
    bench.device.synchronize(&bench.stream).expect("nothing fails");
    let host = began.elapsed().as_secs_f64();
    let seconds = bench.device.elapsed(&from, &to).expect("both have happened");
    assert!(seconds > 0.0 && seconds <= host * 1.1, "{seconds} of {host}");
    let back = bench.device.elapsed(&to, &from).expect("both have happened");
    assert!((seconds + back).abs() < 1e-9, "{seconds} and {back}");
    let error = bench.device.elapsed(&from, &record(false)).expect_err("it has no time").to_string();
    assert!(error.contains("without time"), "{error}");
}

#[test]
fn more_events_than_the_device_has_are_kept() {
    let Some(bench) = Bench::new() else { return };
    let record = || bench.device.record(&bench.stream, true).expect("it is recorded");
    let kept: Vec<_> = (0..1100).map(|_| record()).collect();
    for pair in [&kept[..2], &kept[1098..]] {
        bench.device.elapsed(&pair[0], &pair[1]).expect("both have happened");
    }
    drop(kept);
    bench.device.elapsed(&record(), &record()).expect("both have happened");
}

#[test]
fn streams_wait_for_events_of_others() {
    let Some(bench) = Bench::new() else { return };
    let memory = bench.alloc(32);
    bench.write(&memory, 0, &[1; 32]);
    let other = bench.device.stream().expect("streams cost nothing");
    let mut expected = 1u32;
    for k in 0..50 {
        bench.bump(words(&memory, 0, 32), 32, k);
        let event = bench.device.record(&bench.stream, false).expect("it is recorded");
        bench.device.wait(&other, &event).expect("it waits");
        let args = [words(&memory, 0, 32), Arg::U32(32), Arg::U32(k + 1)];
        let launch = curvesmith_device::Launch { symbol: "bump", grid: 1, block: 32, shared: 0, args: &args };
        bench.device.launch(&other, &bench.module, launch).expect("it is launched");
        let event = bench.device.record(&other, false).expect("it is recorded");
        bench.device.wait(&bench.stream, &event).expect("it waits");
        expected = expected.wrapping_mul(3).wrapping_add(k).wrapping_mul(3).wrapping_add(k + 1);
    }
    bench.device.synchronize(&other).expect("nothing fails");
    assert_eq!(bench.read(&memory, 0, 32), [expected; 32]);
}
