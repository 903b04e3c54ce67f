//! Seeded races, each beside its correct twin, over many seeds.

use crate::support::*;
use curvesmith_device::KernelDevice;
use curvesmith_emulator::{Emulator, EmulatorOptions};

const SEEDS: u64 = 24;

fn checked(seed: u64) -> Emulator {
    Emulator::new(EmulatorOptions::default().racecheck(true).seed(seed).resident_blocks(64))
}

/// The twin passes under every seed; the bug is reported under every seed.
#[track_caller]
fn twins(right: &str, wrong: &str, grid: u32, block: u32, out: usize) {
    for seed in 0..SEEDS {
        run(&checked(seed), right, grid, block, &vec![1; out], out)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let Err(e) = run(&checked(seed), wrong, grid, block, &vec![1; out], out) else {
            panic!("seed {seed}: the race is not seen")
        };
        assert!(e.to_string().contains(" race at "), "seed {seed}: {e}");
    }
}

#[test]
fn a_missing_barrier() {
    let sm = ".shared .align 4 .b8 sm[512];";
    let right = module(sm, crate::warp::BLOCK_SUM);
    // The barrier inside the loop; values are right under some schedules.
    let wrong = module(sm, &crate::warp::BLOCK_SUM.replace("$L__skip:\n        bar.sync 0;", "$L__skip:"));
    assert_ne!(right, wrong);
    for seed in 0..SEEDS {
        run(&checked(seed), &right, 2, 128, &[1; 1024], 1024).unwrap();
        let Err(e) = run(&checked(seed), &wrong, 2, 128, &[1; 1024], 1024) else { panic!("seed {seed}") };
        assert!(e.to_string().contains("shared race at"), "{e}");
    }
}

#[test]
fn a_missing_warp_barrier() {
    let body = "
        mul.wide.u32 %rd20, %r62, 4; mov.u64 %rd21, sm; add.s64 %rd20, %rd20, %rd21;
        st.shared.u32 [%rd20], %r62;
        bar.warp.sync -1;
        xor.b32 %r2, %r62, 1;
        mul.wide.u32 %rd20, %r2, 4; add.s64 %rd20, %rd20, %rd21;
        ld.shared.u32 %r3, [%rd20];
        st.global.u32 [%rd3], %r3;";
    let sm = ".shared .align 4 .b8 sm[128];";
    twins(&module(sm, body), &module(sm, &body.replace("bar.warp.sync -1;", "")), 1, 32, 128);
    // Votes and shuffles order nothing.
    twins(
        &module(sm, body),
        &module(sm, &body.replace("bar.warp.sync -1;", "vote.sync.ballot.b32 %r9, 1, -1;")),
        1,
        32,
        128,
    );
}

#[test]
fn a_missing_release_or_acquire() {
    let right = kernel(crate::warp::CHAIN);
    twins(&right, &kernel(&crate::warp::CHAIN.replace("st.release.gpu", "st.relaxed.gpu")), 6, 32, 80);
    twins(&right, &kernel(&crate::warp::CHAIN.replace("ld.acquire.gpu", "ld.volatile")), 6, 32, 80);
    // The scope of the block does not reach other blocks.
    twins(&right, &kernel(&crate::warp::CHAIN.replace("st.release.gpu", "st.release.cta")), 6, 32, 80);
}

#[test]
fn a_missing_fence() {
    let fenced = crate::warp::CHAIN
        .replace(
            "st.release.gpu.global.u32 [%rd21], 1;",
            "membar.gl;\n atom.global.exch.b32 %r9, [%rd21], 1;",
        )
        .replace("ld.global.u32 %r5, [%rd20+4];", "fence.acq_rel.gpu;\n ld.global.u32 %r5, [%rd20+4];")
        .replace("ld.acquire.gpu", "ld.volatile");
    twins(&kernel(&fenced), &kernel(&fenced.replace("membar.gl;", "")), 6, 32, 80);
    twins(&kernel(&fenced), &kernel(&fenced.replace("fence.acq_rel.gpu;", "")), 6, 32, 80);
    twins(&kernel(&fenced), &kernel(&fenced.replace("membar.gl;", "membar.cta;")), 6, 32, 80);
}

#[test]
fn a_release_passes_on_what_a_barrier_ordered() {
    // All threads of block 0 write; thread 0 releases after a barrier; thread 0 of block 1 acquires
    // and a barrier passes it on to the others.
    let body = "
        mul.wide.u32 %rd20, %r62, 4; add.s64 %rd20, %rd1, %rd20;
        setp.ne.u32 %p1, %r62, 0;
        setp.eq.u32 %p2, %r60, 1;
        @%p2 bra $L__reader;
        st.global.u32 [%rd20+4], %r62;
        bar.sync 0;
        @!%p1 st.release.gpu.global.u32 [%rd1], 1;
        bra.uni $L__e;
    $L__reader:
        @%p1 bra $L__wait;
    $L__spin:
        ld.acquire.gpu.global.u32 %r2, [%rd1];
        setp.eq.u32 %p3, %r2, 0;
        @%p3 bra $L__spin;
    $L__wait:
        bar.sync 0;
        xor.b32 %r3, %r62, 37;
        mul.wide.u32 %rd21, %r3, 4; add.s64 %rd21, %rd1, %rd21;
        ld.global.u32 %r4, [%rd21+4];
        st.global.u32 [%rd20+260], %r4;
    $L__e:";
    let right = kernel(body);
    for seed in 0..SEEDS {
        let got = run(&checked(seed), &right, 2, 64, &[0], 129).unwrap();
        assert!((0..64).all(|t| got[65 + t] == t as u32 ^ 37), "seed {seed}");
    }
    let at = body.rfind("bar.sync 0;").unwrap();
    twins(&right, &kernel(&(body[..at].to_string() + &body[at + 11..])), 2, 64, 129);
    let at = body.find("bar.sync 0;").unwrap();
    twins(&right, &kernel(&(body[..at].to_string() + &body[at + 11..])), 2, 64, 129);
}

#[test]
fn plain_conflicts_between_blocks() {
    let right = kernel("red.global.add.u32 [%rd1], 1;");
    twins(
        &right,
        &kernel("ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2;"),
        4,
        32,
        1,
    );
    // A plain access beside atomics.
    twins(
        &right,
        &kernel("setp.eq.u32 %p1, %r0, 5; @%p1 st.global.u32 [%rd1], 1; @!%p1 red.global.add.u32 [%rd1], 1;"),
        4,
        32,
        1,
    );
    // Bytes of one word do not conflict; the same byte does.
    let bytes = "cvt.u64.u32 %rd20, %r0; add.s64 %rd20, %rd1, %rd20; st.global.u8 [%rd20], %rs1;";
    let bytes = format!("mov.u16 %rs1, 5; {bytes}");
    twins(&kernel(&bytes), &kernel(&bytes.replace("%r0;", "%r62;")), 2, 32, 16);
}

#[test]
fn lanes_of_one_store_may_write_the_same_value() {
    twins(&kernel("st.global.u32 [%rd1], 7;"), &kernel("st.global.u32 [%rd1], %r62;"), 1, 32, 1);
}

/// Kernel `w` on one stream writes what `r` on another reads and copies on.
fn two_streams(seed: u64, with_event: bool, racecheck: bool) -> curvesmith_device::Result<Vec<u32>> {
    let o = EmulatorOptions::default().seed(seed).racecheck(racecheck);
    let e = Emulator::new(o);
    let writer = kernel("st.global.u32 [%rd3], %r0;").replace("entry k(", "entry w(");
    let reader =
        kernel("ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd3], %r2;").replace("entry k(", "entry r(");
    let (writer, reader) = (e.load_ptx(&writer).unwrap(), e.load_ptx(&reader).unwrap());
    let (a, b) = (words(&e, &[9; 256]), words(&e, &[0; 256]));
    let (s, t) = (e.stream()?, e.stream()?);
    launch(&e, &s, &writer, "w", (2, 32), (&b, &a))?;
    let event = e.record(&s, false)?;
    if with_event {
        e.wait(&t, &event)?;
    }
    launch(&e, &t, &reader, "r", (2, 32), (&a, &b))?;
    e.synchronize(&t)?;
    e.synchronize(&s)?;
    Ok(read(&e, &b, 256))
}

#[test]
fn a_missing_event() {
    let mut wrong_values = 0;
    for seed in 0..SEEDS {
        let right = two_streams(seed, true, true).unwrap();
        assert!((0..64).all(|i| right[4 * i] == i as u32), "seed {seed}");
        let Err(e) = two_streams(seed, false, true) else { panic!("seed {seed}: the race is not seen") };
        assert!(e.to_string().contains("race at"), "seed {seed}: {e}");
        // Without the race check some orders show it in the values.
        let right = two_streams(seed, true, false).unwrap();
        assert!((0..64).all(|i| right[4 * i] == i as u32), "seed {seed}");
        wrong_values += usize::from(two_streams(seed, false, false).unwrap()[4] != 1);
    }
    assert!(wrong_values > 2, "only {wrong_values} orders show the missing event");
}

#[test]
fn a_copy_from_another_stream() {
    for (seed, ordered) in (0..SEEDS).flat_map(|s| [(s, true), (s, false)]) {
        let e = checked(seed);
        let module = e.load_ptx(&kernel("ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd3], %r2;")).unwrap();
        let (a, b) = (words(&e, &[9; 128]), words(&e, &[0; 128]));
        let (s, t) = (e.stream().unwrap(), e.stream().unwrap());
        let _copied = upload(&e, &s, &a, 0, &[1; 512]).unwrap();
        if ordered {
            let event = e.record(&s, false).unwrap();
            e.wait(&t, &event).unwrap();
        }
        launch(&e, &t, &module, "k", (1, 32), (&a, &b)).unwrap();
        let result = e.synchronize(&t).and_then(|()| e.synchronize(&s));
        assert_eq!(result.is_ok(), ordered, "seed {seed}: {result:?}");
    }
}

/// What a launch writes it may not read through the cache that writes do not reach, not even in one thread,
/// before or after. Other launches may.
#[test]
fn a_non_coherent_read_of_what_the_launch_writes() {
    let (read, write) = ("ld.global.nc.u32 %r2, [%rd3];", "st.global.u32 [%rd3], %r0;");
    let fault = |body: &str, seed| {
        let result = run(&checked(seed), &kernel(body), 2, 32, &[1; 256], 256);
        result.err().map(|error| error.to_string()).unwrap_or_default()
    };
    for seed in 0..SEEDS {
        let after = fault(&format!("{write}\n{read}"), seed);
        let parts = ["kernel `k`", "non-coherent read at 0x", "also writes, at line", "`ld.global.nc.u32"];
        assert!(parts.iter().all(|part| after.contains(part)), "seed {seed}: {after}");
        let before = fault(&format!("{read}\n{write}"), seed);
        let parts = ["global write at 0x", "also reads with .nc, at line", "`st.global.u32"];
        assert!(parts.iter().all(|part| before.contains(part)), "seed {seed}: {before}");
        // Coherent reads, and other memory.
        assert_eq!(fault(&format!("{write} ld.global.u32 %r2, [%rd3];"), seed), "");
        assert_eq!(fault(&format!("ld.global.nc.u32 %r2, [%rd2]; {write}"), seed), "");
    }
    let e = checked(1);
    let [w, r] = [("w", write), ("r", read)].map(|(name, body)| {
        e.load_ptx(&kernel(body).replace("entry k(", &format!("entry {name}("))).unwrap()
    });
    let (a, s) = (words(&e, &[9; 256]), e.stream().unwrap());
    for _ in 0..2 {
        launch(&e, &s, &w, "w", (2, 32), (&a, &a)).unwrap();
        launch(&e, &s, &r, "r", (2, 32), (&a, &a)).unwrap();
    }
    e.synchronize(&s).unwrap();
}

#[test]
fn non_coherent_stores_do_not_load() {
    for wrong in ["st.global.nc.u32 [%rd3], %r0;", "ld.shared.nc.u32 %r2, [%rd3];", "ld.nc.u32 %r2, [%rd3];"]
    {
        let error = emulator().load_ptx(&kernel(wrong)).expect_err("`.nc` is for loads of global memory");
        assert!(error.to_string().contains("`.nc` is for"), "{error}");
    }
}
