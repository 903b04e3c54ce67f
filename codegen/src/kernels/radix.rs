//! One pass of a least-significant-digit radix sort: count, then scatter stably.
//!
//! A block handles one tile. Each of its warps takes a contiguous part of the tile in rounds
//! of 32 keys, so that (warp, round, lane) is the order of the input and ranks in that order
//! make the scatter stable.

use super::full;
use crate::fir::build::{Builder, Shared, U32};
use crate::fir::ir::{AtomicOp, Kernel};
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{RADIX_BITS, RADIX_TILE, RadixHistogram, RadixScatter};

const THREADS: u32 = RadixScatter::DESC.block;
const WARPS: u32 = THREADS / 32;
const ROUNDS: u32 = RADIX_TILE / THREADS;
const DIGITS: u32 = 1 << RADIX_BITS;
const _: () = assert!(RadixHistogram::DESC.block == THREADS && DIGITS.is_multiple_of(THREADS));

pub(super) fn histogram() -> Kernel {
    let b = Builder::common::<RadixHistogram>();
    let (tile, tiles, n) = (b.block_index(), b.scalar("tiles"), b.scalar("n"));
    b.return_if(tile.ge(tiles));
    let thread = b.thread();
    let counts = b.shared(DIGITS);
    clear(&b, counts, DIGITS);
    b.barrier();
    let digits = b.u32(1) << b.scalar("bits");
    let (keys, shift) = (b.buffer("keys"), b.scalar("shift"));
    for round in 0..ROUNDS {
        let i = tile * RADIX_TILE + thread + round * THREADS;
        b.if_(i.lt(n), || {
            let digit = (keys.word(i) >> shift) & (digits - 1);
            counts.atomic(AtomicOp::Add, digit, b.u32(1));
        });
    }
    b.barrier();
    b.for_(thread, digits, THREADS, |digit| {
        b.buffer("counts").set_word(digit * tiles + tile, counts.word(digit));
    });
    b.finish()
}

pub(super) fn scatter() -> Kernel {
    let b = Builder::common::<RadixScatter>();
    let (tile, tiles, n) = (b.block_index(), b.scalar("tiles"), b.scalar("n"));
    b.return_if(tile.ge(tiles));
    let (thread, lane) = (b.thread(), b.lane());
    let warp = thread >> 5;
    let digits = b.u32(1) << b.scalar("bits");

    // Keys past the end take part in every match under a digit of their own.
    struct Slot<'k> {
        at: U32<'k>,
        key: U32<'k>,
        digit: U32<'k>,
    }
    let (keys_in, shift) = (b.buffer("keys_in"), b.scalar("shift"));
    let slots: Vec<Slot<'_>> = (0..ROUNDS)
        .map(|round| {
            let at = tile * RADIX_TILE + warp * (ROUNDS * 32) + lane + round * 32;
            let key = keys_in.word(at.min(n - 1));
            let digit = at.lt(n).select((key >> shift) & (digits - 1), digits);
            Slot { at, key, digit }
        })
        .collect();

    // Row `warp` counts that warp's digits, then holds where its next key of each digit goes.
    let table = b.shared(WARPS * DIGITS);
    clear(&b, table, WARPS * DIGITS);
    b.barrier();
    for Slot { at, digit, .. } in &slots {
        b.if_(at.lt(n), || {
            table.atomic(AtomicOp::Add, warp * DIGITS + *digit, b.u32(1));
        });
    }
    b.barrier();
    b.for_(thread, digits, THREADS, |digit| {
        let mut next = b.buffer("offsets").word(digit * tiles + tile);
        for row in 0..WARPS {
            let cell = digit + row * DIGITS;
            let count = table.word(cell);
            table.set_word(cell, next);
            next = next + count;
        }
    });
    b.barrier();

    let (entries_in, keys_out, entries_out) =
        (b.buffer("entries_in"), b.buffer("keys_out"), b.buffer("entries_out"));
    let earlier_lanes = (b.u32(1) << lane) - 1;
    for (round, Slot { at, key, digit }) in (1..).zip(&slots) {
        let peers = b.match_any(*digit, full(&b));
        let rank = (peers & earlier_lanes).popc();
        let cell = warp * DIGITS + *digit;
        b.if_(at.lt(n), || {
            let target = table.word(cell) + rank;
            keys_out.set_word(target, *key);
            entries_out.set_word(target, entries_in.word(*at));
        });
        if round < ROUNDS {
            // All peers have read the cell before the first of them moves it on.
            b.sync_warp(full(&b));
            b.if_(at.lt(n) & rank.is(0), || table.set_word(cell, table.word(cell) + peers.popc()));
            b.sync_warp(full(&b));
        }
    }
    b.finish()
}

/// Zeroes a shared array; a barrier must follow.
fn clear(b: &Builder, array: Shared<'_>, words: u32) {
    b.for_(b.thread(), b.u32(words), THREADS, |i| array.set_word(i, b.u32(0)));
}
