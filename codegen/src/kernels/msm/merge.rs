//! Sums of partial results over segments of slices, in two launches.

use super::accumulate::Slices;
use super::group_kernel;
use crate::declaration::GroupDesc;
use crate::fir::build::{Builder, Pred, Shared, U32};
use crate::fir::ir::{AtomicOp, Kernel, ShuffleMode};
use crate::formulas::Curve;
use crate::kernels::{full, shuffle};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{MergeHeads, MergePartials};

/// The segment of a slice: the slices that start with the same key.
struct Segment<'k> {
    key: U32<'k>,
    /// Its first slice.
    start: U32<'k>,
    /// One past its last slice, none of which is empty.
    end: U32<'k>,
}

/// The segment of a slice that is not empty; `first` is the first entry of the slice.
fn segment<'k>(curve: Curve<'k>, slices: Slices<'k>, first: U32<'k>) -> Segment<'k> {
    let b = curve.b;
    let key = b.buffer("keys").word(first);
    // The key's entries are [starts[key], starts[key+1]); slices starting there form the segment.
    let starts = b.buffer("starts");
    let (start, end) = (slices.first_from(starts.word(key)), slices.first_from(starts.word(key + 1)));
    Segment { key, start, end }
}

/// Rounds of a tree in place over runs of at most `longest` points, and a last one: in a round of distance
/// `d`, a power of two, point `j < d` of a run takes point `j + d`, where the run has it. No round writes
/// what it reads elsewhere, and a barrier ends it. The last round has the distance 0: there the first point
/// of a run goes to where its sum belongs.
fn rounds<'k>(b: &'k Builder, longest: U32<'k>, round: impl FnOnce(U32<'k>)) {
    let least = longest.max(b.u32(2)) - 1;
    let first = longest.gt(b.u32(1)).select(b.u32(1) << (b.u32(31) - least.clz()), b.u32(0));
    let distance = b.var(first);
    b.loop_(|| {
        let now = distance.get();
        round(now);
        b.break_if(now.is(0));
        b.barrier();
        distance.set(now >> 1);
    });
}

/// Adds the partial at `from` to that at `to`, or, in the last round, to the sum of `key`. The addition
/// stands in one place, since it is most of the kernel.
fn add_partial<'k>(curve: Curve<'k>, is_last: Pred<'k>, key: U32<'k>, to: U32<'k>, from: U32<'k>) {
    let b = curve.b;
    let (sums, partials) = (b.buffer("sums"), b.buffer("partials"));
    let sum = curve.var(curve.identity());
    b.if_else(is_last, || sum.set(curve.load(sums, key)), || sum.set(curve.load(partials, to)));
    curve.add(sum, curve.load(partials, from));
    b.if_else(is_last, || curve.store(sums, key, sum.get()), || curve.store(partials, to, sum.get()));
}

pub(in super::super) fn merge_partials(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    group_kernel::<MergePartials>(geometry, group, merge_partials_body)
}

/// [`rounds`] over the slices of each segment in the block, as many as its longest run of them needs. Few
/// threads of a warp have something to add where runs are short: the additions of a round are listed, and the
/// first threads take them.
fn merge_partials_body(curve: Curve<'_>) {
    let b = curve.b;
    // Slices of a block, and rounds of a tree over them with the last one.
    let width = b.threads();
    let tree_rounds = width.ilog2() + 1;
    let (thread, block_first) = (b.thread(), b.block_index() * width);
    let t = block_first + thread;
    let slices = Slices::new(b);

    // The thread's slice is number `place` of the `run` slices of its segment in the block.
    let (zero, none) = (b.u32(0), b.bool(false));
    let (place, run, begins) = (b.var(zero), b.var(zero), b.var(none));
    // Past the last slice it may wrap, and is not asked for. No thread leaves before the last barrier.
    let first = slices.start(t);
    b.if_(t.lt(b.scalar("slices")) & first.lt(slices.total), || {
        let segment = segment(curve, slices, first);
        let head = segment.start.max(block_first);
        place.set(t - head);
        run.set(segment.end.min(block_first + width) - head);
        begins.set(t.eq(segment.start));
    });
    let (place, run, begins) = (place.get(), run.get(), begins.get());

    let longest = b.shared(1);
    let (list, listed) = (b.shared(width), b.shared(tree_rounds));
    b.if_(thread.is(0), || longest.set_word(zero, zero));
    b.if_(thread.lt(b.u32(tree_rounds)), || listed.set_word(thread, zero));
    b.barrier();
    b.if_(place.is(0) & run.gt(b.u32(1)), || {
        longest.atomic(AtomicOp::Max, zero, run);
    });
    b.barrier();

    rounds(b, longest.word(zero), |distance| {
        let is_last = distance.is(0);
        let takes = is_last.select(begins, place.lt(distance) & (place + distance).lt(run));
        let round = b.u32(32) - distance.clz();
        let index = append(b, listed, round, takes);
        b.if_(takes, || list.set_word(index, thread));
        b.barrier();
        b.if_(thread.lt(listed.word(round)), || {
            let to = block_first + list.word(thread);
            let key = b.buffer("keys").word(slices.start(to));
            add_partial(curve, is_last, key, to, to + distance);
        });
    });
}

/// A place for each thread of the block that `takes`, from 0 on, counted in a word of shared memory; whatever
/// for the others. All threads of a warp come here together.
fn append<'k>(b: &'k Builder, counts: Shared<'k>, count: U32<'k>, takes: Pred<'k>) -> U32<'k> {
    let lane = b.lane();
    let those = b.ballot(takes, full(b));
    let before = b.var(b.u32(0));
    b.if_(lane.is(0), || before.set(counts.atomic(AtomicOp::Add, count, those.popc())));
    let before = shuffle(b, ShuffleMode::Index, before.get(), 0);
    before + (those & ((b.u32(1) << lane) - 1)).popc()
}

pub(in super::super) fn merge_heads(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    group_kernel::<MergeHeads>(geometry, group, merge_heads_body)
}

/// [`rounds`] over the heads of one segment, by a block.
fn merge_heads_body(curve: Curve<'_>) {
    let b = curve.b;
    let (block, width) = (b.block_index(), b.threads());
    let t = (block + 1) * width;
    let slices = Slices::new(b);
    let first = slices.start(t);
    b.return_if(first.ge(slices.total));
    let Segment { key, start, end } = segment(curve, slices, first);
    // Others have no head here, or an earlier one.
    b.return_if((start / width).ne(block));

    let heads = (end - t + (width - 1)) / width;
    rounds(b, heads, |distance| {
        let is_last = distance.is(0);
        let pairs = is_last.select(b.u32(1), distance.min(heads - distance));
        b.for_(b.thread(), pairs, width, |j| {
            add_partial(curve, is_last, key, t + j * width, t + (j + distance) * width);
        });
    });
}
