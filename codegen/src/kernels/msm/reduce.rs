//! From buckets to one point a window.

use super::group_kernel;
use super::points::index_below_n;
use crate::fir::ir::Kernel;
use crate::formulas::Curve;
use crate::spec::GroupDesc;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{ReduceChunks, SumWindows};

pub(in super::super) fn reduce_chunks(group: &GroupDesc) -> Kernel {
    group_kernel::<ReduceChunks>(group, reduce_chunks_body)
}

/// With `o` the chunk's offset in its window, `Σ (i+1)·sums[i]` is `Σ (i-o+1)·sums[i] + o·Σ sums[i]`.
///
/// Both parts have one shape, rounds of `run += next; if wanted { weighted += run }`. Over the
/// buckets, from the last to the first, `next` is the bucket and every round is wanted: `run`
/// ends as `Σ sums[i]`. Then `run` doubles, and the rounds of the set bits of `o` are wanted.
/// A round is two passes through one addition, which so is no call: with three calls kernels of 12 words spill, and are
/// slower (`docs/src/experiments.md`, "Functions").
fn reduce_chunks_body(curve: Curve<'_>) {
    let b = curve.b;
    let j = index_below_n(curve);
    let (sums, chunk) = (b.buffer("sums"), b.scalar("chunk"));
    let first = j * chunk;
    let offset = first & ((b.u32(1) << b.scalar("log_b")) - 1);
    // Bit 0 of the offset needs no doubling before it; it is set only where `chunk` is 1.
    let bit_rounds = b.u32(32) - offset.clz();

    let run = curve.var(curve.identity());
    let weighted = curve.var(curve.identity());
    let (acc, next) = (curve.var(curve.identity()), curve.var(curve.identity()));
    b.for_(b.u32(0), chunk + bit_rounds, 1, |round| {
        let in_chunk = round.lt(chunk);
        let bit = (round - chunk) & 31;
        let wanted = in_chunk | ((offset >> bit) & 1).is(1);
        b.if_else(
            in_chunk,
            || next.set(curve.load(sums, first + (chunk - 1 - round))),
            || next.set(curve.or_identity(bit.ne(b.u32(0)), run.get())),
        );
        acc.set(run.get());
        b.for_(b.u32(0), b.u32(2), 1, |pass| {
            curve.add(acc, next.get());
            b.if_else(
                pass.is(0),
                || {
                    run.set(acc.get());
                    next.set(curve.or_identity(wanted, acc.get()));
                    acc.set(weighted.get());
                },
                || weighted.set(acc.get()),
            );
        });
    });
    curve.store(b.buffer("out"), j, weighted.get());
}

pub(in super::super) fn sum_windows(group: &GroupDesc) -> Kernel {
    group_kernel::<SumWindows>(group, sum_windows_body)
}

/// Each thread sums the points at its distance from multiples of the block size; then the sums of `live` threads meet
/// in a tree that halves a power of two. Both are rounds through one addition, which so is no call: a thread
/// adds to its sum the point `other` of the window, and leaves the sum at its own place for the tree. A round writes
/// below the distance of its tree and reads from there on; in the rounds before, threads touch only their own points.
fn sum_windows_body(curve: Curve<'_>) {
    const THREADS: u32 = SumWindows::DESC.block;
    let b = curve.b;
    let window = b.block_index();
    b.return_if(window.ge(b.scalar("windows")));
    let (points, width) = (b.buffer("points"), b.scalar("width"));
    let (first, thread) = (window * width, b.thread());
    let live = width.min(b.u32(THREADS));
    let serial = (width - 1) / THREADS;
    // ⌈log2 live⌉
    let depth = b.u32(32) - (live - 1).clz();
    // Threads without a point take no part in any round.
    let own = first + thread.min(width - 1);
    let sum = curve.var(curve.load(points, own));

    b.for_(b.u32(0), serial + depth, 1, |round| {
        let distance = b.u32(1) << ((serial + depth - 1 - round) & 31);
        let in_tree = round.ge(serial);
        let other = thread + in_tree.select(distance, (round + 1) * THREADS);
        let takes = in_tree.select(thread.lt(distance) & other.lt(live), other.lt(width));
        b.if_(takes, || {
            curve.add(sum, curve.load(points, first + other));
            curve.store(points, own, sum.get());
        });
        b.barrier();
    });
    b.if_(thread.is(0), || curve.store(b.buffer("out"), window, sum.get()));
}
