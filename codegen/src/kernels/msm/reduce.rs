//! From buckets to one point.

use super::group_kernel;
use super::points::index_below_n;
use crate::fir::ir::Kernel;
use crate::formulas::tower::Coord;
use crate::formulas::xyzz::Curve;
use crate::spec::GroupDesc;
use curvesmith_abi::kernels::{CombineWindows, ReduceChunks};

pub(in super::super) fn reduce_chunks(group: &GroupDesc) -> Kernel {
    group_kernel!(group, ReduceChunks, reduce_chunks_body)
}

/// With `o` the chunk's offset in its window, `Σ (i+1)·sums[i]` is `Σ (i-o+1)·sums[i] + o·Σ sums[i]`.
///
/// Both parts have one shape, rounds of `run += next; if wanted { weighted += run }`. Over the
/// buckets, from the last to the first, `next` is the bucket and every round is wanted: `run`
/// ends as `Σ sums[i]`. Then `run` doubles, and the rounds of the set bits of `o` are wanted.
/// A round is two passes through the only copy of the addition.
fn reduce_chunks_body<'k, C: Coord<'k>>(curve: Curve<'k, C>) {
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

pub(in super::super) fn combine_windows(group: &GroupDesc) -> Kernel {
    group_kernel!(group, CombineWindows, combine_windows_body)
}

fn combine_windows_body<'k, C: Coord<'k>>(curve: Curve<'k, C>) {
    let b = curve.b;
    b.return_if(b.global_index().ne(b.u32(0)));
    let (points, width, windows) = (b.buffer("points"), b.scalar("width"), b.scalar("windows"));
    let c = b.scalar("c");
    let acc = curve.var(curve.identity());
    b.for_(b.u32(0), windows, 1, |done| {
        b.for_(b.u32(0), c, 1, |_| acc.set(curve.dbl(acc.get())));
        curve.add(acc, curve.load(points, (windows - 1 - done) * width));
    });
    curve.store(b.buffer("out"), b.u32(0), acc.get());
}
