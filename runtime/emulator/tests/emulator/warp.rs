//! Warp-wide operations, barriers, shared memory and atomics.

use crate::support::*;
use curvesmith_emulator::{Emulator, EmulatorOptions};

#[test]
fn shuffles() {
    /// The lane that a lane reads, and whether it is in range.
    type Source = fn(i64) -> (i64, bool);
    let cases: [(&str, Source); 6] = [
        ("shfl.sync.idx.b32 %r20|%p1, %r10, 5, 31, -1;", |_| (5, true)),
        ("shfl.sync.up.b32 %r20|%p1, %r10, 3, 0, -1;", |l| if l >= 3 { (l - 3, true) } else { (l, false) }),
        ("shfl.sync.down.b32 %r20|%p1, %r10, 3, 31, -1;", |l| {
            if l + 3 <= 31 { (l + 3, true) } else { (l, false) }
        }),
        ("shfl.sync.bfly.b32 %r20|%p1, %r10, 8, 31, -1;", |l| (l ^ 8, true)),
        // Segments of 8 lanes: mask 24 in bits 8..13.
        ("shfl.sync.idx.b32 %r20|%p1, %r10, 10, 0x181f, -1;", |l| ((l & 24) + (10 & 7), true)),
        ("shfl.sync.down.b32 %r20|%p1, %r10, 3, 0x181f, -1;", |l| {
            if (l & 7) + 3 <= 7 { (l + 3, true) } else { (l, false) }
        }),
    ];
    for (text, source) in cases {
        let body = format!(
            "mul.lo.u32 %r10, %r62, 1001; {text} selp.u32 %r21, 1, 0, %p1; st.global.v2.u32 [%rd3], {{%r20, %r21}};"
        );
        let got = run(&emulator(), &kernel(&body), 1, 32, &[0], 128).unwrap();
        for l in 0..32 {
            let (from, valid) = source(l);
            assert_eq!(
                got[4 * l as usize..4 * l as usize + 2],
                [1001 * from as u32, valid.into()],
                "{text} {l}"
            );
        }
    }
}

#[test]
fn votes_and_matches_in_groups() {
    let body = "
        and.b32 %r2, %r62, 3;
        match.any.sync.b32 %r3, %r2, 0xffffffff;
        setp.gt.u32 %p1, %r62, 15;
        setp.eq.u32 %p3, %r2, 0;
        vote.sync.ballot.b32 %r4, %p1, %r3;
        vote.sync.all.pred %p2, %p1, -1;
        vote.sync.any.pred %p4, !%p1, %r3;
        vote.sync.uni.pred %p5, %p3, %r3;
        selp.u32 %r5, 1, 0, %p2; selp.u32 %r6, 2, 0, %p4; selp.u32 %r7, 4, 0, %p5;
        add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7;
        setp.lt.u32 %p6, %r62, 9;
        mov.u32 %r8, 0;
        @%p6 activemask.b32 %r8;
        st.global.v4.u32 [%rd3], {%r3, %r4, %r5, %r8};";
    let got = run(&emulator(), &kernel(body), 1, 32, &[0], 128).unwrap();
    for l in 0..32 {
        let group = 0x1111_1111u32 << (l % 4);
        let active = if l < 9 { 0x1ff } else { 0 };
        assert_eq!(got[4 * l..4 * l + 4], [group, group & 0xffff_0000, 6, active], "lane {l}");
    }
}

/// Sum of a block over shared memory, with a tree and barriers.
pub(crate) const BLOCK_SUM: &str = "
        ld.global.u32 %r2, [%rd2];
        mul.wide.u32 %rd20, %r62, 4;
        mov.u64 %rd21, sm;
        add.s64 %rd20, %rd21, %rd20;
        st.shared.u32 [%rd20], %r2;
        bar.sync 0;
        shr.u32 %r3, %r61, 1;
    $L__loop:
        setp.ge.u32 %p1, %r62, %r3;
        @%p1 bra $L__skip;
        mul.wide.u32 %rd22, %r3, 4;
        add.s64 %rd22, %rd22, %rd20;
        ld.shared.u32 %r4, [%rd22];
        ld.shared.u32 %r5, [%rd20];
        add.u32 %r5, %r5, %r4;
        st.shared.u32 [%rd20], %r5;
    $L__skip:
        bar.sync 0;
        shr.u32 %r3, %r3, 1;
        setp.ne.u32 %p2, %r3, 0;
        @%p2 bra $L__loop;
        ld.shared.u32 %r6, [sm];
        st.global.u32 [%rd3], %r6;";

#[test]
fn a_tree_sum_in_shared_memory_static_and_dynamic() {
    let input: Vec<u32> = (0..4 * 256u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let wanted = |block: usize| (0..128).fold(0u32, |s, t| s.wrapping_add(input[4 * (128 * block + t)]));
    for (declaration, dynamic) in
        [(".shared .align 4 .b8 sm[512];", 0), (".extern .shared .align 16 .b8 sm[];", 512)]
    {
        for seed in 0..8 {
            let e = Emulator::new(EmulatorOptions::default().seed(seed).racecheck(seed % 2 == 1));
            let ptx = module(declaration, BLOCK_SUM);
            let got = run_shared(&e, &ptx, (2, 128, dynamic), &input, 1024).unwrap();
            for t in 0..256 {
                assert_eq!(got[4 * t], wanted(t / 128), "seed {seed}, thread {t}");
            }
        }
    }
}

#[test]
fn named_barriers_of_part_of_a_block() {
    // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2.
    let body = "
        mul.wide.u32 %rd20, %r62, 4; mov.u64 %rd21, sm; add.s64 %rd22, %rd21, %rd20;
        st.shared.u32 [%rd22], %r62;
        setp.ge.u32 %p1, %r62, 64;
        @%p1 bra $L__b;
        bar.sync 1, 64;
        bra.uni $L__join;
    $L__b:
        barrier.sync.aligned 2, 64;
    $L__join:
        xor.b32 %r3, %r62, 32;
        mul.wide.u32 %rd20, %r3, 4; add.s64 %rd22, %rd21, %rd20;
        ld.shared.u32 %r4, [%rd22];
        st.global.u32 [%rd3], %r4;";
    let ptx = module(".shared .align 4 .b8 sm[512];", body);
    for seed in 0..10 {
        let e = Emulator::new(EmulatorOptions::default().seed(seed).racecheck(true));
        let got = run(&e, &ptx, 1, 128, &[0], 512).unwrap();
        assert!((0..128).all(|t| got[4 * t] == t as u32 ^ 32), "seed {seed}");
    }
}

#[test]
fn atomics_return_the_old_value() {
    // One thread, so that each result is fixed.
    let ops: [(&str, u32, u32, u32); 12] = [
        ("add.u32", 10, 3, 13),
        ("min.u32", 10, 3, 3),
        ("min.s32", 10, -3i32 as u32, -3i32 as u32),
        ("max.s32", 10, -3i32 as u32, 10),
        ("max.u32", 10, -3i32 as u32, -3i32 as u32),
        ("exch.b32", 10, 3, 3),
        ("and.b32", 10, 3, 2),
        ("or.b32", 10, 3, 11),
        ("xor.b32", 10, 3, 9),
        ("inc.u32", 10, 10, 0),
        ("inc.u32", 10, 11, 11),
        ("dec.u32", 10, 3, 3),
    ];
    for space in ["global", "shared"] {
        for (op, old, operand, new) in ops {
            let (address, init, read) = match space {
                "global" => ("%rd3", "st.global.u32 [%rd3], %r2;", "ld.global.u32 %r5, [%rd3];"),
                _ => ("sm", "st.shared.u32 [sm], %r2;", "ld.shared.u32 %r5, [sm];"),
            };
            let body = format!(
                "mov.u32 %r2, {old}; {init} atom.{space}.{op} %r4, [{address}], {operand}; {read}
                 st.global.v2.u32 [%rd3], {{%r4, %r5}};"
            );
            let ptx = module(".shared .align 4 .b8 sm[4];", &body);
            let got = run(&emulator(), &ptx, 1, 1, &[0], 4).unwrap();
            assert_eq!(got[..2], [old, new], "{space} {op}");
        }
    }
    let body = "
        mov.u64 %rd20, 0x100000005; st.global.u64 [%rd3], %rd20;
        atom.acq_rel.gpu.global.cas.b64 %rd21, [%rd3], 0x100000005, 0x700000001;
        atom.relaxed.gpu.global.add.u64 %rd22, [%rd3], 0xffffffff;
        red.global.add.u64 [%rd3], 1;
        cvt.u32.u64 %r2, %rd21; cvt.u32.u64 %r3, %rd22;
        st.global.v2.u32 [%rd3+8], {%r2, %r3};";
    let got = run(&emulator(), &kernel(body), 1, 1, &[0], 4).unwrap();
    assert_eq!(got, [1, 8, 5, 1]);
}

#[test]
fn atomics_of_many_threads_add_up() {
    for seed in [0, 1, 2] {
        let e = Emulator::new(EmulatorOptions::default().seed(seed).racecheck(seed == 2));
        let body = "
            red.global.add.u32 [%rd1], 3;
            atom.global.add.u32 %r2, [%rd1+4], 1;
            atom.global.max.u32 %r3, [%rd1+8], %r0;";
        let got = run(&e, &kernel(body), 9, 100, &[0], 4).unwrap();
        assert_eq!(got, [2700, 900, 899, 0], "seed {seed}");
    }
}

/// Block `b` waits for block `b - 1` through a flag, then passes on a sum: decoupled look-back.
pub(crate) const CHAIN: &str = "
        setp.ne.u32 %p1, %r62, 0;
        @%p1 bra $L__end;
        mov.u32 %r5, 0;
        setp.eq.u32 %p2, %r60, 0;
        @%p2 bra $L__mine;
        add.u32 %r2, %r60, -1;
        mul.wide.u32 %rd20, %r2, 8;
        add.s64 %rd20, %rd1, %rd20;
    $L__spin:
        ld.acquire.gpu.global.u32 %r4, [%rd20];
        setp.eq.u32 %p3, %r4, 0;
        @%p3 bra $L__spin;
        ld.global.u32 %r5, [%rd20+4];
    $L__mine:
        add.u32 %r5, %r5, %r60;
        mul.wide.u32 %rd21, %r60, 8;
        add.s64 %rd21, %rd1, %rd21;
        st.global.u32 [%rd21+4], %r5;
        st.release.gpu.global.u32 [%rd21], 1;
    $L__end:";

#[test]
fn blocks_wait_for_each_other() {
    for (seed, resident) in [(0, 1), (0, 16), (3, 40), (4, 40)] {
        let o = EmulatorOptions::default().seed(seed).resident_blocks(resident).racecheck(true);
        let got = run(&Emulator::new(o), &kernel(CHAIN), 40, 32, &[0], 80).unwrap();
        for b in 0..40 {
            assert_eq!(got[2 * b + 1] as usize, b * (b + 1) / 2, "seed {seed}, block {b}");
        }
    }
}

#[test]
fn counts_do_not_depend_on_polls() {
    let count = |resident| {
        let e = Emulator::new(EmulatorOptions::default().resident_blocks(resident));
        // In reverse: every block but the last waits at first.
        let ptx = kernel(&CHAIN.replace("$L__spin", "$L__s"))
            .replace("mov.u32 %r60, %ctaid.x;", "mov.u32 %r60, %ctaid.x; sub.u32 %r60, 15, %r60;");
        run(&e, &ptx, 16, 32, &[0], 80).unwrap();
        e.launches()[0].counts.clone()
    };
    let (a, b) = (count(16), count(16));
    assert_eq!(a, b);
    assert!(a.polls() > 0);
    let e = Emulator::new(EmulatorOptions::default());
    run(&e, &kernel(CHAIN), 16, 32, &[0], 80).unwrap();
    let in_order = e.launches()[0].counts.clone();
    assert_eq!(in_order.polls(), 0);
    // The reversed kernel has one instruction more per warp.
    assert_eq!(a.warp_total(), in_order.warp_total() + 16);
}
