//! Exclusive prefix sums of words, modulo 2^32.

use super::{full, shuffle};
use crate::fir::build::{Builder, U32};
use crate::fir::ir::{Kernel, ShuffleMode};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{ScanAdd, ScanTiles};

/// One block a tile: each thread sums consecutive words, warps scan the threads' sums by shuffles, and every
/// warp scans the warps' sums. The tile goes through shared memory, so that neighbouring threads touch
/// neighbouring words of `data`.
pub(super) fn scan_tiles(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<ScanTiles>(geometry);
    let (size, threads) = (geometry.scan_tile, b.threads());
    let (warps, each) = (threads / 32, size / threads);
    assert!(
        warps.is_power_of_two() && warps <= 32 && size.is_multiple_of(threads),
        "a warp scans the warps' sums"
    );
    let n = b.scalar("n");
    let tile = b.block_index();
    let first = tile * size;
    b.return_if(first.ge(n));
    let (thread, lane) = (b.thread(), b.lane());
    let warp = thread >> 5;
    let data = b.buffer("data");
    let zero = b.u32(0);

    // Words past the end count as zeros, and are not written.
    let words = b.shared(size + size / 32);
    for round in 0..each {
        let j = thread + round * threads;
        let at = first + j;
        words.set_word(spread(j), at.lt(n).select(data.word(at.min(n - 1)), zero));
    }
    b.barrier();
    let cells: Vec<U32<'_>> = (0..each).map(|k| spread(thread * each + k)).collect();
    let values: Vec<U32<'_>> = cells.iter().map(|&cell| words.word(cell)).collect();
    let own = values.iter().skip(1).fold(values[0], |sum, &w| sum + w);
    let inclusive = inclusive_scan(&b, own, 32);
    let warp_sums = b.shared(warps);
    b.if_(lane.is(31), || warp_sums.set_word(warp, inclusive));
    b.barrier();
    let sum = warp_sums.word(lane & (warps - 1));
    let before_warps = inclusive_scan(&b, sum, warps) - sum;
    let mut running = inclusive - own + b.shuffle(ShuffleMode::Index, before_warps, warp, full(&b));
    for (&cell, &value) in cells.iter().zip(&values) {
        words.set_word(cell, running);
        running = running + value;
    }
    b.if_(thread.is(threads - 1), || b.buffer("sums").set_word(tile, running));
    b.barrier();
    for round in 0..each {
        let j = thread + round * threads;
        let at = first + j;
        b.if_(at.lt(n), || data.set_word(at, words.word(spread(j))));
    }
    b.finish()
}

/// Where word `j` of a tile lies in shared memory. One word in 33 is left free: neither 32 consecutive words
/// nor 32 at distances of 2, 4, 8 or 16 share a bank.
fn spread(j: U32<'_>) -> U32<'_> {
    j + (j >> 5)
}

/// The sum of `value` over the lanes up to the own, for lanes below `lanes`, a power of two.
pub(super) fn inclusive_scan<'k>(b: &'k Builder, value: U32<'k>, lanes: u32) -> U32<'k> {
    let mut sum = value;
    for distance in (0..lanes.ilog2()).map(|log| 1 << log) {
        let before = shuffle(b, ShuffleMode::Up, sum, distance);
        sum = sum + b.lane().ge(b.u32(distance)).select(before, b.u32(0));
    }
    sum
}

pub(super) fn scan_add(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<ScanAdd>(geometry);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let data = b.buffer("data");
    data.set_word(i, data.word(i) + b.buffer("offsets").word(i / geometry.scan_tile));
    b.finish()
}
