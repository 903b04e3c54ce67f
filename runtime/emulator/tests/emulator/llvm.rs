//! A kernel as LLVM 19 prints it: `llc-19 -march=nvptx64 -mcpu=sm_75 -mattr=+ptx63 llvm19.ll`.

use crate::support::*;
use curvesmith_emulator::{Emulator, EmulatorOptions};

/// What `llvm19.ll` says, in Rust.
fn model(input: &[u32]) -> Vec<u32> {
    let collatz = |t: usize| {
        let (mut acc, mut k) = (input[4 * t], 0);
        loop {
            acc = if acc % 2 == 0 { acc >> 1 } else { acc.wrapping_mul(3).wrapping_add(1) };
            k += 1;
            if !(k < input[4 * t + 1] && acc != 1) {
                return (acc, k);
            }
        }
    };
    let mut out = Vec::new();
    for t in 0..64 {
        let (v0, v1) = (input[4 * t], input[4 * t + 1]);
        let other = input[4 * (t ^ 33)];
        let s3 = if t % 32 == 0 { 0 } else { collatz(t - 1).0 };
        let warp = t / 32 * 32;
        let pc = (warp..warp + 32).filter(|&l| collatz(l).0 > 100).count() as u32;
        let tz = v0.trailing_zeros();
        let bs = other.swap_bytes();
        let shift = tz % 32;
        let fs = if shift == 0 { bs } else { bs << shift | v0 >> (32 - shift) };
        let (dv, rm) = (fs / (v1 | 1), fs % 10);
        let w = u64::from(fs).wrapping_mul(v1.into());
        let wt = (w >> 32) as u32;
        let x = s3.wrapping_mul(w as u32);
        let tv = [1, 2, 3, -4i32 as u32][t % 4];
        let hs = ((other as u8).wrapping_add(77) >> 1) as i8 as i32 as u32;
        let x3 = (tv ^ x.wrapping_add(1)).wrapping_add(dv).wrapping_add(hs);
        let q = [rm, wt.wrapping_add(1), rm.wrapping_sub(wt), x3][t % 4];
        out.extend([x3, x.wrapping_add(pc), q, collatz(t).1]);
    }
    out
}

#[test]
fn what_llvm_prints() {
    let ptx = include_str!("llvm19.ptx");
    let mut x = 1u64;
    let input: Vec<u32> = (0..256)
        .map(|i| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // The second word bounds the loop.
            if i % 4 == 1 { (x >> 58) as u32 } else { (x >> 32) as u32 }
        })
        .collect();
    for seed in 0..12 {
        let e = Emulator::new(EmulatorOptions::default().seed(seed).racecheck(seed > 5));
        assert_eq!(run(&e, ptx, 1, 64, &input, 256).unwrap(), model(&input), "seed {seed}");
    }
}
