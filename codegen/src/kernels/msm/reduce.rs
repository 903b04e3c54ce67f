//! From buckets to few points a set.

use super::group_kernel;
use crate::fir::build::{Builder, U32};
use crate::fir::ir::Kernel;
use crate::formulas::Curve;
use crate::spec::GroupDesc;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{BIT_SUMS_STEPS, BitSums};

pub(in super::super) fn bit_sums(group: &GroupDesc) -> Kernel {
    group_kernel::<BitSums>(group, bit_sums_body)
}

/// A superset sum over the bits of indices (Yates' algorithm), of which only the sums over no bit and over one are kept.
///
/// Number the points of a block `t`, and let `k` bits be done. Then point `g·2^k` is the sum over the `2^k` points from there on,
/// and point `g·2^k + 2^j`, `j < k`, over those of them that have bit `j`; the rest has served. The step of bit `k`
/// adds to each of these `k + 1` points of an even `g` that of `g + 1`, and where it stays, the sum `g + 1` is what has bit `k`. So
/// all additions of a step are independent, and those of all steps are two a point. A block that follows `done` bits has one kind of point
/// only, of `done + 1`: those of the sums go on as above, those that have bit `j` only meet.
fn bit_sums_body(curve: Curve<'_>) {
    const _: () =
        assert!(BitSums::DESC.block == 1 << (BIT_SUMS_STEPS - 1), "a thread an addition of the first step");
    let b = curve.b;
    let (log_b, done, steps) = (b.scalar("log_b"), b.scalar("done"), b.scalar("steps"));
    let (block, thread, points) = (b.block_index(), b.thread(), b.buffer("points"));
    let kinds = done + 1;
    let run = block / kinds;
    b.return_if(run.ge(b.scalar("sets") << (log_b - done - steps)));
    let kind = block - run * kinds;
    // Where the first point of a kind is: at 0, and at the powers of two.
    let place = |kind| place(b, kind);
    let sums = kind.is(0);
    let first = (run << (done + steps)) + place(kind);

    b.for_(b.u32(0), steps, 1, |bit| {
        let log_pairs = steps - 1 - bit;
        let (pair, kind) = (thread & ((b.u32(1) << log_pairs) - 1), thread >> log_pairs);
        b.if_(kind.lt(sums.select(bit + 1, b.u32(1))), || {
            let left = first + (((pair << (bit + 1)) + place(kind)) << done);
            let sum = curve.var(curve.load(points, left));
            curve.add(sum, curve.load(points, left + (b.u32(1) << (bit + done))));
            curve.store(points, left, sum.get());
        });
        b.barrier();
    });

    let ends = (done + steps).eq(log_b) & thread.lt(sums.select(steps + 1, b.u32(1)));
    b.if_(ends, || {
        let to = sums.select(thread.is(0).select(b.u32(0), done + thread), kind);
        let sum = curve.load(points, first + (place(thread) << done));
        curve.store(b.buffer("out"), run * (log_b + 1) + to, sum);
    });
}

fn place<'k>(b: &'k Builder, kind: U32<'k>) -> U32<'k> {
    kind.is(0).select(b.u32(0), b.u32(1) << ((kind - 1) & 31))
}
