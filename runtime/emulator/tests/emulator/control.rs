//! Divergence, loops, calls and what LLVM prints.

use crate::support::*;

#[test]
fn a_loop_with_different_trip_counts() {
    let body = "
        ld.global.u32 %r2, [%rd2];
        mov.u32 %r3, 0;
    $L__loop:
        and.b32 %r4, %r2, 1;
        setp.eq.u32 %p1, %r4, 0;
        @%p1 bra $L__even;
        mad.lo.u32 %r2, %r2, 3, 1;
        bra.uni $L__next;
    $L__even:
        shr.u32 %r2, %r2, 1;
    $L__next:
        add.u32 %r3, %r3, 1;
        setp.ne.u32 %p2, %r2, 1;
        @%p2 bra $L__loop;
        st.global.u32 [%rd3], %r3;";
    let input: Vec<u32> = (0..64).flat_map(|i| [i + 2, 0, 0, 0]).collect();
    let got = run(&emulator(), &kernel(body), 1, 64, &input, 256).unwrap();
    for i in 0..64 {
        let (mut x, mut steps) = (i as u64 + 2, 0);
        loop {
            x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            steps += 1;
            if x == 1 {
                break;
            }
        }
        assert_eq!(got[4 * i], steps, "start {}", i + 2);
    }
}

#[test]
fn nested_branches_reconverge_before_a_full_mask_shuffle() {
    // The shuffle names all lanes: it is an error unless they are together again.
    let body = "
        and.b32 %r2, %r62, 1;
        setp.eq.u32 %p1, %r2, 0;
        mov.u32 %r5, 100;
        @%p1 bra $L__a;
        and.b32 %r3, %r62, 2;
        setp.eq.u32 %p2, %r3, 0;
        @%p2 bra $L__b;
        mov.u32 %r5, 1;
        bra.uni $L__join;
    $L__b:
        mov.u32 %r5, 2;
    $L__join:
        add.u32 %r5, %r5, 10;
    $L__a:
        shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;
        st.global.v2.u32 [%rd3], {%r5, %r6};";
    let got = run(&emulator(), &kernel(body), 2, 64, &[0], 4 * 128).unwrap();
    let value = |t: usize| match t % 4 {
        0 | 2 => 100,
        1 => 12,
        _ => 11,
    };
    for t in 0..128 {
        assert_eq!(got[4 * t..4 * t + 2], [value(t), value(t ^ 1)], "thread {t}");
    }
}

#[test]
fn a_loop_with_break_and_continue() {
    // for k in 0..n { if k == tid {break}; if k & 1 {continue}; sum += k }
    let body = "
        mov.u32 %r2, 0; mov.u32 %r3, 0;
    $L__top:
        setp.ge.u32 %p1, %r2, 20;
        @%p1 bra $L__end;
        setp.eq.u32 %p2, %r2, %r62;
        @%p2 bra $L__end;
        and.b32 %r4, %r2, 1;
        add.u32 %r2, %r2, 1;
        setp.ne.u32 %p3, %r4, 0;
        @%p3 bra $L__top;
        add.u32 %r3, %r3, %r2;
        bra.uni $L__top;
    $L__end:
        vote.sync.ballot.b32 %r5, %p1, 0xffffffff;
        st.global.v2.u32 [%rd3], {%r3, %r5};";
    let got = run(&emulator(), &kernel(body), 1, 32, &[0], 128).unwrap();
    for t in 0..32usize {
        let sum: u32 = (0..20.min(t as u32)).filter(|k| k % 2 == 0).map(|k| k + 1).sum();
        assert_eq!(got[4 * t], sum, "thread {t}");
        assert_eq!(got[4 * t + 1], 0xfff0_0000, "lanes that ran to the end");
    }
}

#[test]
fn functions_return_from_divergent_places() {
    let before = "
.func (.param .align 16 .b8 func_retval0[16]) f(.param .b32 f_param_0, .param .b64 f_param_1, .param .align 16 .b8 f_param_2[16])
{
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<4>;
    ld.param.u32 %r1, [f_param_0];
    ld.param.u64 %rd1, [f_param_1];
    ld.param.v4.u32 {%r2, %r3, %r4, %r5}, [f_param_2];
    add.u32 %r6, %r3, %r5;
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra $L__low;
    add.s64 %rd1, %rd1, 1;
    st.param.v2.b32 [func_retval0+0], {%r1, %r2};
    st.param.b64 [func_retval0+8], %rd1;
    ret;
$L__low:
    st.param.v4.b32 [func_retval0+0], {%r6, %r4, 7, 8};
    ret;
}";
    let body = "
    { // callseq 0, 0
	.param .b32 param0;
	st.param.b32 	[param0+0], %r62;
	.param .b64 param1;
    cvt.u64.u32 %rd20, %r62;
    shl.b64 %rd20, %rd20, 33;
	st.param.b64 	[param1+0], %rd20;
	.param .align 16 .b8 param2[16];
	st.param.v4.b32 	[param2+0], {1, 2, 3, %r62};
	.param .align 16 .b8 retval0[16];
	call.uni (retval0), 
	f, 
	(
	param0, 
	param1, 
	param2
	);
	ld.param.v4.b32 	{%r20, %r21, %r22, %r23}, [retval0+0];
	} // callseq 0
    bar.warp.sync 0xffffffff;
    st.global.v4.u32 [%rd3], {%r20, %r21, %r22, %r23};";
    let got = run(&emulator(), &module(before, body), 1, 64, &[0], 256).unwrap();
    for t in 0..64u32 {
        let wanted = if t < 10 { [2 + t, 3, 7, 8] } else { [t, 1, 1, 2 * t] };
        assert_eq!(got[4 * t as usize..4 * t as usize + 4], wanted, "thread {t}");
    }
}

#[test]
fn a_function_with_local_memory_through_generic_pointers() {
    let before = "
.func g(.param .b64 g_param_0)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    .local .align 4 .b8 __local_depot1[8];
    .reg .b64 %SP; .reg .b64 %SPL;
    mov.u64 %SPL, __local_depot1;
    st.local.u32 [%SPL+4], 5;
    ld.param.u64 %rd1, [g_param_0];
    ld.u32 %r1, [%rd1];
    ld.local.u32 %r2, [%SPL+4];
    add.u32 %r1, %r1, %r2;
    st.u32 [%rd1], %r1;
    ret;
}";
    let body = "
    .local .align 4 .b8 __local_depot0[16];
    .reg .b64 %SP; .reg .b64 %SPL;
    mov.u64 %SPL, __local_depot0;
    cvta.local.u64 %SP, %SPL;
    add.u64 %rd20, %SP, 8;
    st.local.u32 [%SPL+8], %r62;
    and.b32 %r2, %r62, 1;
    setp.eq.u32 %p1, %r2, 1;
    { .param .b64 param0; st.param.b64 [param0+0], %rd20;
    @%p1 call g, (param0); }
    ld.local.u32 %r3, [%SPL+8];
    st.u32 [%rd3], %r3;";
    let got = run(&emulator(), &module(before, body), 1, 64, &[0], 256).unwrap();
    for t in 0..64 {
        assert_eq!(got[4 * t], t as u32 + if t % 2 == 1 { 5 } else { 0 }, "thread {t}");
    }
}

#[test]
fn constants_and_module_data() {
    let before = ".const .align 4 .b8 tab[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 252, 255, 255, 255};
.global .align 8 .b64 big[2] = {-1, 0x123456789};
.global .align 4 .b32 zero[4];";
    let body = "
        and.b32 %r2, %r62, 3;
        mul.wide.u32 %rd20, %r2, 4;
        mov.u64 %rd21, tab;
        add.s64 %rd21, %rd21, %rd20;
        ld.const.u32 %r3, [%rd21];
        ld.global.u64 %rd22, [big+8];
        cvt.u32.u64 %r4, %rd22;
        ld.global.u32 %r5, [zero+12];
        ld.global.s8 %rs1, [tab+12];
        cvt.u32.u16 %r6, %rs1;
        st.global.v4.u32 [%rd3], {%r3, %r4, %r5, %r6};";
    let got = run(&emulator(), &module(before, body), 1, 32, &[0], 128).unwrap();
    for t in 0..32 {
        let tab = [1, 2, 3, -4i32 as u32][t % 4];
        assert_eq!(got[4 * t..4 * t + 4], [tab, 0x2345_6789, 0, 0xfffc], "thread {t}");
    }
}

#[test]
fn narrow_loads_and_stores() {
    let body = "
        ld.global.u8 %rs1, [%rd2+1];
        ld.global.s8 %r3, [%rd2+3];
        ld.global.u16 %rd20, [%rd2+4];
        ld.global.s16 %rd21, [%rd2+6];
        ld.global.v2.u8 {%rs2, %rs3}, [%rd2+8];
        cvt.u32.u16 %r4, %rs1;
        cvt.u32.u64 %r5, %rd20;
        cvt.u32.u64 %r6, %rd21;
        st.global.u8 [%rd3], %rs3;
        st.global.v2.u8 [%rd3+2], {%rs1, %rs2};
        st.global.u16 [%rd3+4], %r3;
        st.global.u16 [%rd3+6], %rs1;
        add.u32 %r7, %r5, %r6;
        st.global.v2.u32 [%rd3+8], {%r4, %r7};";
    let input: Vec<u32> =
        (0..32u32).flat_map(|i| [0x8190_a1f0 ^ i << 8, 0x8001_7fff ^ i, 0x0807_0605 + i, 0]).collect();
    let got = run(&emulator(), &kernel(body), 1, 32, &input, 128).unwrap();
    for t in 0..32 {
        let w = &input[4 * t..];
        let b: Vec<u8> = w.iter().take(4).flat_map(|w| w.to_le_bytes()).collect();
        let s8 = i32::from(b[3] as i8) as u32;
        let first = u32::from_le_bytes([b[9], 0, b[1], b[8]]);
        let second = (s8 & 0xffff) | u32::from(b[1]) << 16;
        let sum = (w[1] & 0xffff).wrapping_add(i32::from((w[1] >> 16) as i16) as u32);
        assert_eq!(got[4 * t..4 * t + 4], [first, second, b[1].into(), sum], "thread {t}");
    }
}

#[test]
fn predicated_return_and_exit() {
    let body = "
        setp.lt.u32 %p1, %r62, 7;
        @%p1 ret;
        setp.gt.u32 %p2, %r62, 50;
        @%p2 exit;
        st.global.u32 [%rd3], 1;";
    let got = run(&emulator(), &kernel(body), 1, 64, &[0], 256).unwrap();
    for t in 0..64 {
        assert_eq!(got[4 * t], u32::from((7..=50).contains(&t)), "thread {t}");
    }
}

#[test]
fn division_of_work_over_blocks_and_a_partial_warp() {
    let body = "
        setp.ge.u32 %p1, %r0, %r1;
        @%p1 bra $L__end;
        mov.u32 %r2, %nctaid.x; mov.u32 %r3, %laneid; mov.u32 %r4, %warpid; mov.u32 %r5, %lanemask_lt;
        mad.lo.u32 %r2, %r2, 1000, %r60;
        st.global.v4.u32 [%rd3], {%r2, %r3, %r4, %r5};
    $L__end:";
    let got = run(&emulator(), &kernel(body), 7, 40, &vec![0; 273], 4 * 280).unwrap();
    for t in 0..280u32 {
        let (b, i) = (t / 40, t % 40);
        let wanted = if t < 273 { [7000 + b, i % 32, i / 32, (1 << (i % 32)) - 1] } else { [0; 4] };
        assert_eq!(got[4 * t as usize..4 * t as usize + 4], wanted, "thread {t}");
    }
}

#[test]
fn lanes_that_access_different_allocations() {
    let body = "
        and.b32 %r2, %r62, 1;
        setp.eq.u32 %p1, %r2, 0;
        selp.b64 %rd20, %rd2, %rd3, %p1;
        st.global.v2.u32 [%rd3], {%r62, 7};
        ld.global.v2.u32 {%r3, %r4}, [%rd20];
        add.u32 %r3, %r3, %r4;
        st.global.u32 [%rd20+12], %r3;
        ld.global.u32 %r5, [%rd20+12];
        st.global.u32 [%rd3+8], %r5;";
    let input: Vec<u32> = (0..256).map(|i| 1000 * i).collect();
    let got = run(&emulator(), &kernel(body), 1, 64, &input, 256).unwrap();
    for t in 0..64u32 {
        let sum = if t % 2 == 0 { 1000 * (8 * t + 1) } else { t + 7 };
        let last = if t % 2 == 0 { 0 } else { sum };
        assert_eq!(got[4 * t as usize..4 * t as usize + 4], [t, 7, sum, last], "thread {t}");
    }
}
