//! Exclusive prefix sums of words, modulo 2^32.

use super::shuffle;
use crate::fir::build::{Builder, U32};
use crate::fir::ir::{Kernel, ShuffleMode};
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{SCAN_TILE, ScanAdd, ScanTiles};

/// One block a tile: each thread sums consecutive words, warps scan the threads' sums by
/// shuffles, and shared memory carries the warps' sums.
pub(super) fn scan_tiles() -> Kernel {
    const WARPS: u32 = ScanTiles::DESC.block / 32;
    const PER_THREAD: u32 = SCAN_TILE / ScanTiles::DESC.block;
    let b = Builder::common::<ScanTiles>();
    let n = b.scalar("n");
    let tile = b.block_index();
    b.return_if((tile * SCAN_TILE).ge(n));
    let (thread, lane) = (b.thread(), b.lane());
    let warp = thread >> 5;
    let data = b.buffer("data");
    let zero = b.u32(0);

    let first = tile * SCAN_TILE + thread * PER_THREAD;
    let words: Vec<U32<'_>> = (0..PER_THREAD)
        .map(|j| {
            let at = first + j;
            at.lt(n).select(data.word(at.min(n - 1)), zero)
        })
        .collect();
    let own = words.iter().skip(1).fold(words[0], |sum, &w| sum + w);

    let mut inclusive = own;
    for distance in [1, 2, 4, 8, 16] {
        let before = shuffle(&b, ShuffleMode::Up, inclusive, distance);
        inclusive = inclusive + lane.ge(b.u32(distance)).select(before, zero);
    }
    let warp_sums = b.shared(WARPS);
    b.if_(lane.is(31), || warp_sums.set_word(warp, inclusive));
    b.barrier();
    let mut running = inclusive - own;
    for earlier in 0..WARPS - 1 {
        let sum = warp_sums.word(b.u32(earlier));
        running = running + b.u32(earlier).lt(warp).select(sum, zero);
    }
    // Every read of `data` lies before the barrier, so that writing in place is no race.
    for (j, &word) in (0..).zip(&words) {
        let at = first + j;
        let value = running;
        b.if_(at.lt(n), || data.set_word(at, value));
        running = running + word;
    }
    b.if_(thread.is(ScanTiles::DESC.block - 1), || b.buffer("sums").set_word(tile, running));
    b.finish()
}

pub(super) fn scan_add() -> Kernel {
    let b = Builder::common::<ScanAdd>();
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let data = b.buffer("data");
    data.set_word(i, data.word(i) + b.buffer("offsets").word(i / SCAN_TILE));
    b.finish()
}
