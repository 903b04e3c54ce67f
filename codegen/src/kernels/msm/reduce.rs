//! From buckets to few points a set.

use super::kernel_by;
use crate::declaration::GroupDesc;
use crate::fir::build::{Builder, U32};
use crate::fir::ir::Kernel;
use crate::formulas::{Addition, Curve};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{BitHorner, BitSums};

pub(in super::super) fn bit_sums(geometry: &Geometry, group: &GroupDesc, addition: Addition) -> Kernel {
    kernel_by::<BitSums>(geometry, group, addition, bit_sums_body)
}

/// A superset sum over the bits of indices (Yates' algorithm), of which only the sums over no bit and over
/// one are kept.
///
/// Number the points of a run `t`, and let `k` bits be done. Then point `g·2^k` is the sum over the `2^k`
/// points from there on, and point `g·2^k + 2^j`, `j < k`, over those of them that have bit `j`; the rest has
/// served. The step of bit `k` adds to each of these `k + 1` points of an even `g` that of `g + 1`, and where
/// it stays, the sum `g + 1` is what has bit `k`. So all additions of a step are independent, and those of
/// all steps are two a point. A run that follows `done` bits has one kind of point only, of `done + 1`: those
/// of the sums go on as above, those that have bit `j` only meet. It is worked on by as many threads as its
/// first step has additions, and a block by as many runs as that leaves room for.
fn bit_sums_body(curve: Curve<'_>) {
    let b = curve.b;
    let most = b.threads().ilog2() + 1;
    let (log_b, done, steps) = (b.scalar("log_b"), b.scalar("done"), b.scalar("steps"));
    let points = b.buffer("points");
    let log_threads = steps - 1;
    let threads = b.u32(1) << log_threads;
    let index = (b.block_index() << (b.u32(most) - steps)) + (b.thread() >> log_threads);
    let thread = b.thread() & (threads - 1);
    let kinds = done + 1;
    let run = index / kinds;
    let kind = index - run * kinds;
    // No thread leaves before the last barrier.
    let exists = run.lt(b.scalar("sets") << (log_b - done - steps));
    // Where the first point of a kind is: at 0, and at the powers of two.
    let place = |kind| place(b, kind);
    let sums = kind.is(0);
    let first = (run << (done + steps)) + place(kind);

    b.for_(b.u32(0), steps, 1, |bit| {
        let log_pairs = log_threads - bit;
        let (pair, kind) = (thread & ((b.u32(1) << log_pairs) - 1), thread >> log_pairs);
        b.if_(exists & kind.lt(sums.select(bit + 1, b.u32(1))), || {
            let left = first + (((pair << (bit + 1)) + place(kind)) << done);
            let sum = curve.var(curve.load(points, left));
            curve.add(sum, curve.load(points, left + (b.u32(1) << (bit + done))));
            curve.store(points, left, sum.get());
        });
        b.barrier();
    });

    // Of one step there are two sums, of more no more than twice as many as threads.
    b.if_(exists & (done + steps).eq(log_b), || {
        b.for_(b.u32(0), b.u32(2), 1, |half| {
            let which = thread + (half << log_threads);
            b.if_(which.lt(sums.select(steps + 1, b.u32(1))), || {
                let to = sums.select(which.is(0).select(b.u32(0), done + which), kind);
                let sum = curve.load(points, first + (place(which) << done));
                curve.store(b.buffer("out"), run * (log_b + 1) + to, sum);
            });
        });
    });
}

fn place<'k>(b: &'k Builder, kind: U32<'k>) -> U32<'k> {
    kind.is(0).select(b.u32(0), b.u32(1) << ((kind - 1) & 31))
}

pub(in super::super) fn bit_horner(geometry: &Geometry, group: &GroupDesc, addition: Addition) -> Kernel {
    kernel_by::<BitHorner>(geometry, group, addition, bit_horner_body)
}

/// From the last sum of a run to its first. Where runs end with sets, or spans are several sets, threads
/// double in the same rounds.
fn bit_horner_body(curve: Curve<'_>) {
    let b = curve.b;
    let g = b.global_index();
    b.return_if(g.ge(b.scalar("runs")));
    let (span, parts, each) = (b.scalar("span"), b.scalar("parts"), b.scalar("each"));
    let sums = b.buffer("sums");
    let in_span = g / parts;
    let lo = in_span * span + (g - in_span * parts) * each;
    let hi = (lo + each).min((in_span + 1) * span).min(b.scalar("n"));

    let window = b.scalar("window");
    let exponent = |q| exponent(b, q, window);
    let sum = curve.var(curve.load(sums, hi - 1));
    let q = b.var(hi - 1);
    b.while_(
        || q.get().gt(lo),
        || {
            let (above, now) = (q.get(), q.get() - 1);
            b.for_(exponent(now), exponent(above), 1, |_| sum.set(curve.dbl(sum.get())));
            curve.add(sum, curve.load(sums, now));
            q.set(now);
        },
    );
    curve.store(b.buffer("out"), g, sum.get());
}

/// The exponent of the weight of sum `q`; see [`BitHorner`].
fn exponent<'k>(b: &'k Builder, q: U32<'k>, window: U32<'k>) -> U32<'k> {
    q - (q / window * window).ne(q).select(b.u32(1), b.u32(0))
}
