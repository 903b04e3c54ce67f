//! Log-depth sums of partial results.

use super::accumulate::Slices;
use super::group_kernel;
use super::points::index_below_n;
use crate::fir::build::U32;
use crate::fir::ir::Kernel;
use crate::formulas::tower::Coord;
use crate::formulas::xyzz::Curve;
use crate::spec::GroupDesc;
use curvesmith_abi::kernels::{FlushPartials, MergePartials, SumStep};

/// The segment of a slice: the slices that start with the same key.
struct Segment<'k> {
    key: U32<'k>,
    /// Its first slice.
    start: U32<'k>,
    /// One past its last slice.
    end: U32<'k>,
}

/// The slice of this thread and its segment; threads without a slice, or with an empty one, end.
fn segment<'k, C: Coord<'k>>(curve: Curve<'k, C>) -> (U32<'k>, Segment<'k>) {
    let b = curve.b;
    let t = b.global_index();
    b.return_if(t.ge(b.scalar("slices")));
    let slices = Slices::new(b);
    let first = slices.start(t);
    b.return_if(first.ge(slices.total));
    let key = b.buffer("keys").word(first);
    // The key's entries are [starts[key], starts[key+1]); slices starting there form the segment.
    let starts = b.buffer("starts");
    let (start, end) = (slices.first_from(starts.word(key)), slices.first_from(starts.word(key + 1)));
    (t, Segment { key, start, end })
}

pub(in super::super) fn merge_partials(group: &GroupDesc) -> Kernel {
    group_kernel!(group, MergePartials, merge_partials_body)
}

fn merge_partials_body<'k, C: Coord<'k>>(curve: Curve<'k, C>) {
    let b = curve.b;
    let (t, segment) = segment(curve);
    let (partials, step) = (b.buffer("partials"), b.scalar("step"));
    // `step` is a power of two.
    let takes = ((t - segment.start) & (step + step - 1)).is(0);
    b.return_if(!(takes & (t + step).lt(segment.end)));
    let sum = curve.var(curve.load(partials, t));
    curve.add(sum, curve.load(partials, t + step));
    curve.store(partials, t, sum.get());
}

pub(in super::super) fn flush_partials(group: &GroupDesc) -> Kernel {
    group_kernel!(group, FlushPartials, flush_partials_body)
}

fn flush_partials_body<'k, C: Coord<'k>>(curve: Curve<'k, C>) {
    let b = curve.b;
    let (t, segment) = segment(curve);
    b.return_if(t.ne(segment.start));
    let sums = b.buffer("sums");
    let sum = curve.var(curve.load(sums, segment.key));
    curve.add(sum, curve.load(b.buffer("partials"), t));
    curve.store(sums, segment.key, sum.get());
}

pub(in super::super) fn sum_step(group: &GroupDesc) -> Kernel {
    group_kernel!(group, SumStep, sum_step_body)
}

fn sum_step_body<'k, C: Coord<'k>>(curve: Curve<'k, C>) {
    let b = curve.b;
    let i = index_below_n(curve);
    let (points, width, step) = (b.buffer("points"), b.scalar("width"), b.scalar("step"));
    let place = i % width;
    // `step` is a power of two.
    let takes = (place & (step + step - 1)).is(0);
    b.return_if(!(takes & (place + step).lt(width) & (i + step).lt(b.scalar("n"))));
    let sum = curve.var(curve.load(points, i));
    curve.add(sum, curve.load(points, i + step));
    curve.store(points, i, sum.get());
}
