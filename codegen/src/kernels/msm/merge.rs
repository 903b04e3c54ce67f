//! Sums of partial results over segments of slices, in few launches.

use super::accumulate::Slices;
use super::group_kernel;
use crate::fir::build::U32;
use crate::fir::ir::{AtomicOp, Kernel};
use crate::formulas::Curve;
use crate::spec::GroupDesc;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{FlushPartials, MergePartials};

/// Entries that a block of a level takes, and the ratio of one level's stride to that of the one before.
const WIDTH: u32 = MergePartials::DESC.block;

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

pub(in super::super) fn merge_partials(group: &GroupDesc) -> Kernel {
    group_kernel::<MergePartials>(group, merge_partials_body)
}

/// A tree in place over the entries of each segment in the block, of as many steps as its longest run of
/// entries needs. In a step of distance `d` the entries at odd multiples of `d` in their run are read, and those at
/// even ones written by their own threads alone; a barrier lies between the steps.
fn merge_partials_body(curve: Curve<'_>) {
    let b = curve.b;
    let (partials, stride) = (b.buffer("partials"), b.scalar("stride"));
    let level = b.u32(31) - stride.clz();
    let (thread, block_first) = (b.thread(), b.block_index() * WIDTH);
    let i = block_first + thread;
    // No thread leaves before the last barrier. Below 2^20 + 128·128², for the last threads of a level.
    let t = i << level;
    let slices = Slices::new(b);

    // The thread's entry is number `place` of the `run` entries of its segment in the block.
    let zero = b.u32(0);
    let (place, run) = (b.var(zero), b.var(zero));
    // Past the last slice it may wrap, and is not asked for.
    let first = slices.start(t);
    b.if_(t.lt(b.scalar("slices")) & first.lt(slices.total), || {
        let segment = segment(curve, slices, first);
        let from = (segment.start >> level) + stride.is(1).select(zero, b.u32(1));
        b.if_(i.ge(from), || {
            let head = from.max(block_first);
            let end = ((segment.end + stride - 1) >> level).min(block_first + WIDTH);
            place.set(i - head);
            run.set(end - head);
        });
    });
    let (place, run) = (place.get(), run.get());

    let longest = b.shared(1);
    b.if_(thread.is(0), || longest.set_word(zero, zero));
    b.barrier();
    b.if_(place.is(0) & run.gt(b.u32(1)), || {
        longest.atomic(AtomicOp::Max, zero, run);
    });
    b.barrier();
    let longest = longest.word(zero);

    let step = b.var(b.u32(1));
    b.while_(
        || step.get().lt(longest),
        || {
            let distance = step.get();
            let takes = (place & (distance + distance - 1)).is(0) & (place + distance).lt(run);
            b.if_(takes, || {
                let sum = curve.var(curve.load(partials, t));
                curve.add(sum, curve.load(partials, (i + distance) << level));
                curve.store(partials, t, sum.get());
            });
            b.barrier();
            step.set(distance + distance);
        },
    );
}

pub(in super::super) fn flush_partials(group: &GroupDesc) -> Kernel {
    group_kernel::<FlushPartials>(group, flush_partials_body)
}

/// Where the levels have left the total of a segment `[s, e)`.
///
/// Let `B` be [`WIDTH`], and `h1`, `h2` the least multiples of `B` and of `B²` above `s`; so `h1 ≤ h2`. The blocks of
/// level `B^k` are of `B^(k+1)` slices, at multiples of it.
///
/// 1. Level 1 takes all slices. The first of `[s, e)` in the block of `s` is `s`, in every later block its head. Then
///    `partials[s]` is the sum over `[s, min(h1, e))`, and at each multiple `t` of `B` with `s < t < e` lies the sum over
///    `[t, min(t + B, e))`.
/// 2. Level `B` takes these `t`, and not `s`, even where `s` is a multiple of `B`. The first is `h1`; in the blocks
///    after that of `h1` it is the head. Multiples of `B²` above `s` are all heads: so at each of them, `u < e`, lies the
///    sum over `[u, min(u + B², e))`, and if `h1 < h2`, at `h1` that over `[h1, min(h2, e))`.
/// 3. Level `B²` takes these `u`. All lie in one block, as `slices ≤ 2^20 ≤ B³`: the first of them, `h2`, takes the
///    sum over `[h2, e)`.
///
/// The total is that of `s`, of `h1` if `h1 < min(h2, e)`, and of `h2` if `h2 < e`. Where level `B` or `B²` is left out,
/// `e ≤ slices ≤ B` or `B²`, and `h1` or `h2` is not below `e`.
fn flush_partials_body(curve: Curve<'_>) {
    const _: () = assert!(WIDTH.pow(3) >= 1 << 20 && WIDTH.is_power_of_two());
    let b = curve.b;
    let t = b.global_index();
    b.return_if(t.ge(b.scalar("slices")));
    let slices = Slices::new(b);
    let first = slices.start(t);
    b.return_if(first.ge(slices.total));
    let segment = segment(curve, slices, first);
    b.return_if(t.ne(segment.start));

    let (sums, partials) = (b.buffer("sums"), b.buffer("partials"));
    let (h1, h2) = ((t | (WIDTH - 1)) + 1, (t | (WIDTH * WIDTH - 1)) + 1);
    let sum = curve.var(curve.load(sums, segment.key));
    let at = b.var(t);
    b.while_(
        || at.get().lt(segment.end),
        || {
            let now = at.get();
            curve.add(sum, curve.load(partials, now));
            at.set(now.eq(t).select(h1, now.lt(h2).select(h2, segment.end)));
        },
    );
    curve.store(sums, segment.key, sum.get());
}

#[cfg(test)]
mod tests {
    /// The contract of the levels on plain numbers, for blocks of `width` entries: `segments` are lengths.
    fn totals(width: usize, segments: &[usize], numbers: &[u64]) -> Vec<u64> {
        let slices = numbers.len();
        let mut partials = numbers.to_vec();
        let bounds: Vec<(usize, usize)> = segments
            .iter()
            .scan(0, |at, length| {
                let start = *at;
                *at += length;
                Some((start, *at))
            })
            .collect();
        for stride in [1, width, width * width].into_iter().filter(|stride| *stride < slices) {
            for &(s, e) in &bounds {
                let mut first: Option<usize> = None;
                for t in (s..e).filter(|t| t % stride == 0 && (stride == 1 || *t > s)) {
                    match first {
                        Some(head) if head / (stride * width) == t / (stride * width) => {
                            partials[head] += std::mem::take(&mut partials[t]);
                        }
                        _ => first = Some(t),
                    }
                }
            }
        }
        let total = |&(s, e): &(usize, usize)| {
            let (h1, h2) = ((s / width + 1) * width, (s / (width * width) + 1) * width * width);
            let at = |h: usize| if h < e { partials[h] } else { 0 };
            partials[s] + if h1 < h2 { at(h1) } else { 0 } + at(h2)
        };
        bounds.iter().map(total).collect()
    }

    fn check(width: usize, segments: &[usize]) {
        let slices = segments.iter().sum::<usize>();
        // Distinct, and sums tell them apart.
        let numbers: Vec<u64> = (0..slices as u64).map(|t| (t + 1) * (t + 1)).collect();
        let mut rest = &numbers[..];
        for (total, &length) in totals(width, segments, &numbers).iter().zip(segments) {
            let (own, others) = rest.split_at(length);
            assert_eq!(*total, own.iter().sum::<u64>(), "blocks of {width}, segments {segments:?}");
            rest = others;
        }
    }

    #[test]
    fn three_levels_and_the_flush_find_every_total() {
        // A set bit starts a segment.
        for (width, most) in [(2, 8), (3, 17), (4, 15)] {
            for (slices, cuts) in (1..=most).flat_map(|n| (0..1u32 << (n - 1)).map(move |cuts| (n, cuts))) {
                let mut segments = vec![1];
                for t in 1..slices {
                    match cuts >> (t - 1) & 1 {
                        0 => *segments.last_mut().expect("one is there") += 1,
                        _ => segments.push(1),
                    }
                }
                check(width, &segments);
            }
        }
        let mut state = 1u64;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for (width, slices) in [(2, 8), (4, 64), (8, 512), (128, 1usize << 20)] {
            for _ in 0..if width == 128 { 30 } else { 20_000 } {
                let longest = 1 << random(slices.ilog2() as usize + 1);
                let near =
                    [1, width - 1, width, width + 1, width * width - 1, width * width, width * width + 1];
                let mut segments = vec![];
                let mut left = slices;
                while left > 0 {
                    let length = if random(2) == 0 { near[random(7)] } else { 1 + random(longest) };
                    segments.push(length.min(left));
                    left -= length.min(left);
                }
                check(width, &segments);
            }
            check(width, &[slices]);
            check(width, &vec![1; slices]);
        }
    }
}
