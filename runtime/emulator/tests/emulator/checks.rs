//! Seeded bugs and their correct twins: memory, masks, barriers, deadlocks, unknown text.

use crate::support::*;
use curvesmith_emulator::{Emulator, EmulatorError, EmulatorOptions};

/// The message of the fault that a kernel must end in.
fn fails(e: &Emulator, ptx: &str, grid: u32, block: u32, words: usize) -> String {
    match run(e, ptx, grid, block, &vec![1; words], words) {
        Ok(_) => panic!("no fault in\n{ptx}"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn has(message: &str, parts: &[&str]) {
    for p in parts {
        assert!(message.contains(p), "`{p}` is not in: {message}");
    }
}

#[test]
fn a_store_past_the_end() {
    let right = "setp.ge.u32 %p1, %r0, %r1; @%p1 bra $L__e; mul.wide.u32 %rd20, %r0, 4; add.s64 %rd20, %rd1, %rd20; st.global.u32 [%rd20], %r0; $L__e:";
    run(&emulator(), &kernel(right), 2, 64, &[0; 100], 100).unwrap();
    let wrong = right.replace("setp.ge", "setp.gt");
    let message = fails(&emulator(), &kernel(&wrong), 2, 64, 100);
    has(
        &message,
        &[
            "kernel `k` (grid 2, block 64)",
            "block 1, thread 36 (warp 1, lane 4)",
            "global access of 4 bytes",
            "out of bounds",
            "st.global.u32 [%rd20], %r0",
        ],
    );
    // With the check off the stray store vanishes.
    let off = Emulator::new(EmulatorOptions::default().memcheck(false));
    run(&off, &kernel(&wrong), 2, 64, &[0; 100], 100).unwrap();
}

#[test]
fn a_prefetch_of_what_cannot_be_read() {
    let prefetch = |at: &str| kernel(&format!("prefetch.global.L2 [%rd1+{at}];"));
    run(&emulator(), &prefetch("396"), 1, 32, &[0; 100], 100).unwrap();
    has(&fails(&emulator(), &prefetch("400"), 1, 32, 100), &["global access of 4 bytes", "out of bounds"]);
}

#[test]
fn shared_and_local_bounds() {
    let shared = "mul.wide.u32 %rd20, %r62, 4; mov.u64 %rd21, sm; add.s64 %rd20, %rd20, %rd21; st.shared.u32 [%rd20+OFFSET], %r62;";
    let ptx = |offset: &str| module(".shared .align 4 .b8 sm[256];", &shared.replace("OFFSET", offset));
    run(&emulator(), &ptx("0"), 1, 64, &[0], 1).unwrap();
    has(&fails(&emulator(), &ptx("4"), 1, 64, 1), &["shared access of 4 bytes at 0x100", "thread 63"]);
    has(&fails(&emulator(), &ptx("-4"), 1, 64, 1), &["shared access of 4 bytes", "thread 0 "]);
    let local = ".local .align 4 .b8 d[8]; .reg .b64 %SPL; mov.u64 %SPL, d; st.local.u32 [%SPL+8], 1;";
    has(&fails(&emulator(), &kernel(local), 1, 64, 1), &["local access of 4 bytes at 0x8"]);
}

#[test]
fn misaligned_accesses() {
    let body = "add.s64 %rd3, %rd1, 8; st.global.v4.u32 [%rd3], {%r0, %r0, %r0, %r0};";
    has(&fails(&emulator(), &kernel(body), 1, 1, 16), &["16 bytes", "misaligned"]);
    run(&emulator(), &kernel(&body.replace("8;", "16;")), 1, 1, &[0], 16).unwrap();
    let body = "ld.global.u32 %r2, [%rd0+2];";
    has(&fails(&emulator(), &kernel(body), 1, 1, 16), &["4 bytes", "misaligned", "line"]);
}

#[test]
fn uninitialised_reads() {
    let shared = "mul.wide.u32 %rd20, %r62, 4; mov.u64 %rd21, sm; add.s64 %rd20, %rd20, %rd21;
        INIT ld.shared.u32 %r2, [%rd20];";
    let ptx = |init: &str| module(".shared .align 4 .b8 sm[256];", &shared.replace("INIT", init));
    run(&emulator(), &ptx("st.shared.u32 [%rd20], 0;"), 1, 64, &[0], 1).unwrap();
    has(&fails(&emulator(), &ptx(""), 1, 64, 1), &["shared read of 4 bytes", "uninitialised"]);
    has(&fails(&emulator(), &ptx("st.shared.u8 [%rd20], 0;"), 1, 64, 1), &["uninitialised"]);
    let local = ".local .align 4 .b8 d[8]; .reg .b64 %SPL; mov.u64 %SPL, d; ld.local.u32 %r2, [%SPL];";
    has(&fails(&emulator(), &kernel(local), 1, 1, 1), &["local read", "uninitialised"]);
    let off = Emulator::new(EmulatorOptions::default().initcheck(false));
    run(&off, &ptx(""), 1, 64, &[0], 1).unwrap();
}

#[test]
fn wrong_masks() {
    // A shuffle of all lanes in a branch that only some take.
    let body = "
        setp.lt.u32 %p1, %r62, LIMIT;
        @!%p1 bra $L__e;
        shfl.sync.down.b32 %r2, %r62, 1, 31, -1;
    $L__e:";
    run(&emulator(), &kernel(&body.replace("LIMIT", "32")), 1, 32, &[0], 1).unwrap();
    let message = fails(&emulator(), &kernel(&body.replace("LIMIT", "20")), 1, 32, 1);
    has(&message, &["mask 0xffffffff", "executed by lanes 0x000fffff", "shfl.sync"]);
    // A lane outside its own mask.
    let body = "bar.warp.sync 0x7fffffff;";
    has(&fails(&emulator(), &kernel(body), 1, 32, 1), &["mask 0x7fffffff"]);
    // Lanes that have ended need not take part.
    run(&emulator(), &kernel("setp.gt.u32 %p1, %r62, 9; @%p1 exit; bar.warp.sync -1;"), 1, 32, &[0], 1)
        .unwrap();
    // But a shuffle must not read them.
    let body = "setp.gt.u32 %p1, %r62, 9; @%p1 exit; shfl.sync.bfly.b32 %r2, %r62, 8, 31, -1;";
    has(&fails(&emulator(), &kernel(body), 1, 32, 1), &["shuffle reads lane 10"]);
    // Different masks in one instruction are fine if each names its own lanes.
    let body = "and.b32 %r2, %r62, 1; match.any.sync.b32 %r3, %r2, -1; bar.warp.sync %r3;";
    run(&emulator(), &kernel(body), 1, 32, &[0], 1).unwrap();
}

#[test]
fn divergent_barriers() {
    let body = "setp.lt.u32 %p1, %r62, LIMIT; @!%p1 bra $L__e; bar.sync 0; $L__e:";
    let at = |n: &str| kernel(&body.replace("LIMIT", n));
    run(&emulator(), &at("64"), 1, 64, &[0], 1).unwrap();
    has(&fails(&emulator(), &at("40"), 1, 64, 1), &["barrier reached by lanes 0x000000ff"]);
    has(&fails(&emulator(), &at("32"), 1, 64, 1), &["barrier waits for threads that have exited"]);
    for seed in 1..20 {
        let e = Emulator::new(EmulatorOptions::default().seed(seed));
        has(&fails(&e, &at("32"), 1, 64, 1), &["barrier waits for threads that have exited"]);
    }
}

#[test]
fn deadlocks_name_their_waiters() {
    // Block 0 waits for block 1.
    let body = "
        setp.eq.u32 %p1, %r60, 1;
        @%p1 bra $L__set;
    $L__spin:
        ld.acquire.gpu.global.u32 %r2, [%rd1];
        setp.eq.u32 %p2, %r2, 0;
        @%p2 bra $L__spin;
        bra.uni $L__e;
    $L__set:
        st.release.gpu.global.u32 [%rd1], 1;
    $L__e:";
    let resident = |n, seed| Emulator::new(EmulatorOptions::default().resident_blocks(n).seed(seed));
    run(&resident(2, 0), &kernel(body), 2, 1, &[0], 1).unwrap();
    has(
        &fails(&resident(1, 0), &kernel(body), 2, 1, 1),
        &["no progress", "block 0 warp 0 line", "memory that does not change"],
    );
    let never = body.replace("%r60, 1;", "%r60, 2;");
    for seed in 1..5 {
        run(&resident(2, seed), &kernel(body), 2, 1, &[0], 1).unwrap();
        has(&fails(&resident(2, seed), &kernel(&never), 2, 1, 1), &["no progress", "block 0", "block 1"]);
    }
    // Different barriers.
    let body =
        "setp.lt.u32 %p1, %r62, 32; @%p1 bra $L__a; bar.sync 1; bra.uni $L__e; $L__a: bar.sync 2; $L__e:";
    has(
        &fails(&emulator(), &kernel(body), 1, 64, 1),
        &["no progress", "barrier 1", "barrier 2", "warp 0", "warp 1"],
    );
    // A lock that a lane of the same warp holds.
    let body = "$L__spin: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra $L__spin; st.global.u32 [%rd1], 0;";
    has(&fails(&emulator(), &kernel(body), 1, 2, 1), &["no progress"]);
    // No polling at all.
    let e = Emulator::new(EmulatorOptions::default().step_limit(1000));
    has(&fails(&e, &kernel("$L__x: bra.uni $L__x;"), 1, 1, 1), &["more than 1000 instructions"]);
}

#[test]
fn a_loop_that_rereads_is_no_deadlock() {
    let body = "
        mov.u32 %r2, 0;
    $L__l:
        ld.volatile.global.u32 %r3, [%rd0];
        add.u32 %r2, %r2, %r3;
        setp.lt.u32 %p1, %r2, 2000;
        @%p1 bra $L__l;
        st.global.u32 [%rd1], %r2;";
    assert_eq!(run(&emulator(), &kernel(body), 1, 1, &[1], 1).unwrap(), [2000]);
}

#[test]
fn traps_and_deep_calls() {
    has(&fails(&emulator(), &kernel("trap;"), 1, 1, 1), &["trap"]);
    let recursive = ".func f() { call f; ret; }";
    has(&fails(&emulator(), &module(recursive, "call f;"), 1, 1, 1), &["nested more than 64 deep"]);
}

#[test]
fn unknown_text_is_an_error_with_its_line() {
    let cases = [
        ("frobnicate.u32 %r1, %r2;", "unknown opcode `frobnicate.u32`"),
        ("add.sat.s32 %r1, %r2, %r3;", "unknown modifier `.sat`"),
        ("add.f32 %r1, %r2, %r3;", "type `.f32` is not supported"),
        ("add.u32 %r1, %r2;", "operand 3 is missing"),
        ("add.u32 %r1, %r2, %rd3;", "`%rd3` has 64 bits, expected 32"),
        ("add.u32 %r1, %r2, %r64;", "`%r64` is not declared"),
        ("add.u32 %r1, %r2, 0x100000000;", "more than 32 bits"),
        ("bra $L__nowhere;", "no label `$L__nowhere`"),
        ("call nothing;", "no function `nothing`"),
        ("mov.u32 %r1, %clock;", "`%clock` is not declared"),
        ("ld.param.u64 %rd1, [k_param_2];", "read past the end of `k_param_2`"),
        ("{{{", "unexpected end of text"),
        ("mov.u32 %r1, {{%r2, %r3}, %r4};", "nested vector"),
        ("add.u32 %r1 %r2;", "expected `;`"),
        ("mov.u32 %r1, #;", "is not PTX"),
        ("bar.sync 16;", "there are 16"),
        ("prefetch.local.L2 [%rd1];", "prefetches are supported of global memory"),
        ("prefetch.global [%rd1];", "prefetches are supported of global memory"),
        ("addc.u32 %r1, %r2, %r3;", "reads a carry that no instruction since the last label has set"),
        ("sub.cc.u32 %r1, %r2, %r3; addc.u32 %r1, %r2, %r3;", "adds the borrow of a subtraction"),
        ("add.cc.u32 %r1, %r2, %r3; subc.u32 %r1, %r2, %r3;", "subtracts the carry of an addition"),
        (".reg .f32 %f<3>;", "registers of type `.f32` are not supported"),
    ];
    for (text, reason) in cases {
        let ptx = kernel(&format!("\n{text}\n"));
        let error = emulator().load_ptx(&ptx).expect_err(text);
        let EmulatorError::Load { line, text: shown, .. } = &error else { panic!("{error}") };
        has(&error.to_string(), &[reason]);
        if text != "{{{" {
            assert_eq!(shown, text);
            assert_eq!(ptx.lines().nth(*line as usize - 1).unwrap(), text);
        }
    }
}

#[test]
fn damaged_text_never_panics() {
    let ptx = module(".shared .align 4 .b8 sm[512];", crate::warp::BLOCK_SUM);
    let e = emulator();
    let body = ptx.find("entry").unwrap()..ptx.rfind('}').unwrap();
    for n in 0..ptx.len() {
        assert!(e.load_ptx(&ptx[..n]).is_err() || !body.contains(&n), "{n}");
    }
    let mut x = 7u64;
    for _ in 0..3000 {
        let mut bytes = ptx.clone().into_bytes();
        for _ in 0..3 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (x >> 33) as usize % bytes.len();
            bytes[at] = b" {}[](),;:+-|!@<>=.%$rpx019"[(x >> 20) as usize % 27];
        }
        let _ = e.load_ptx(std::str::from_utf8(&bytes).unwrap());
    }
}
