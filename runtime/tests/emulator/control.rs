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
