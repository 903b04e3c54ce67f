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

/// With `o` the chunk's offset in its window, `Σ (i+1)·sums[i]` is `Σ (i-o+1)·sums[i] + o·Σ sums[i]`: a sum of running sums from
/// the last bucket to the first, and a multiple by doublings and additions from the lowest bit.
fn reduce_chunks_body(curve: Curve<'_>) {
    let b = curve.b;
    let j = index_below_n(curve);
    let (sums, chunk) = (b.buffer("sums"), b.scalar("chunk"));
    let first = j * chunk;
    let offset = b.var(first & ((b.u32(1) << b.scalar("log_b")) - 1));

    let (run, weighted) = (curve.var(curve.identity()), curve.var(curve.identity()));
    b.for_(b.u32(0), chunk, 1, |round| {
        curve.add(run, curve.load(sums, first + (chunk - 1 - round)));
        curve.add(weighted, run.get());
    });
    b.while_(
        || offset.get().ne(b.u32(0)),
        || {
            b.if_((offset.get() & 1).is(1), || curve.add(weighted, run.get()));
            run.set(curve.dbl(run.get()));
            offset.set(offset.get() >> 1);
        },
    );
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
