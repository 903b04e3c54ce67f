//! Conflicts in the banks of shared memory, of accesses whose conflicts are known.

use crate::support::{module, run};
use curvesmith_emulator::{Emulator, EmulatorOptions};

/// The conflicts that a warp has with `access`, a text in which `%rd20` is the address of the byte at
/// `stride` times the lane's number.
fn conflicts(access: &str, stride: u32) -> u64 {
    conflicts_of(access, &format!("mul.lo.s32 %r10, %r62, {stride};"), 32)
}

/// The same, for lanes whose bytes `place` leaves in `%r10`.
fn conflicts_of(access: &str, place: &str, threads: u32) -> u64 {
    let body = format!(
        "{place} mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u64 %rd10, 0;\n\
         cvt.u64.u32 %rd20, %r10; mov.u64 %rd21, sm; add.s64 %rd20, %rd20, %rd21;\n{access}"
    );
    let ptx = module(".shared .align 16 .b8 sm[32768];", &body);
    let of = |threads_of_host| {
        let options = EmulatorOptions::default().initcheck(false).threads(threads_of_host);
        let e = Emulator::new(options);
        run(&e, &ptx, 1, threads, &[0], 1).unwrap();
        e.launches().remove(0)
    };
    let launch = of(1);
    assert_eq!(launch, of(2), "the same in every run");
    let shown = format!("{launch}");
    assert!(shown.contains(&format!("{} bank conflicts", launch.counts.bank_conflicts())), "{shown}");
    launch.counts.bank_conflicts()
}

#[test]
fn words() {
    for access in ["st.shared.u32 [%rd20], %r2;", "ld.shared.u32 %r2, [%rd20];"] {
        // Lanes that are 4·k bytes apart meet in gcd(k, 32) turns.
        let found = [4, 8, 12, 16, 64, 128, 132].map(|stride| conflicts(access, stride));
        assert_eq!(found, [0, 1, 0, 3, 15, 31, 0], "{access}");
        // One word for all, which all get at once.
        assert_eq!(conflicts(access, 0), 0);
    }
    // Bytes of one word, and of two words in a bank.
    assert_eq!(conflicts("ld.shared.u8 %r2, [%rd20];", 1), 0);
    assert_eq!(conflicts("st.shared.u8 [%rd20], %r2;", 64), 15);
    assert_eq!(conflicts("atom.shared.add.u32 %r2, [%rd20], 1;", 8), 1);
}

#[test]
fn halves_and_quarters_of_a_warp() {
    let two = [
        "st.shared.v2.u32 [%rd20], {%r2, %r3};",
        "ld.shared.v2.u32 {%r2, %r3}, [%rd20];",
        "ld.shared.u64 %rd10, [%rd20];",
    ];
    for access in two {
        // Sixteen lanes take each bank once; at twice the distance two of them share one, in either half.
        assert_eq!([8, 16, 32, 40].map(|stride| conflicts(access, stride)), [0, 2, 6, 0], "{access}");
    }
    let four = [
        "st.shared.v4.u32 [%rd20], {%r2, %r3, %r4, %r5};",
        "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%rd20];",
    ];
    for access in four {
        assert_eq!(
            [16, 32, 48, 64, 128].map(|stride| conflicts(access, stride)),
            [0, 4, 0, 12, 28],
            "{access}"
        );
    }
}

/// Lanes that are not there, or sit an access out, are in nobody's way; warps are counted by themselves, and
/// calls of one access add up.
#[test]
fn lanes_and_warps() {
    let access = "ld.shared.u32 %r2, [%rd20];";
    let place = "and.b32 %r10, %r62, 31; mul.lo.s32 %r10, %r10, 128;";
    assert_eq!([1, 2, 32, 64, 80].map(|threads| conflicts_of(access, place, threads)), [0, 1, 31, 62, 77]);
    let some = "setp.lt.u32 %p1, %r62, 4; @%p1 ld.shared.u32 %r2, [%rd20]; ld.shared.u32 %r2, [%rd20];";
    assert_eq!(conflicts(some, 128), 3 + 31);
    // Through a generic address, and the other way not at all.
    let generic = "cvta.shared.u64 %rd22, %rd20; ld.u32 %r2, [%rd22];";
    assert_eq!(conflicts(generic, 8), 1);
    assert_eq!(conflicts("ld.global.u32 %r2, [%rd0];", 8), 0);
}
