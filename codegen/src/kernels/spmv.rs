//! Sparse matrix times vector: a warp a row for long rows, a thread a row for short ones. Entries that are 1
//! or -1 are columns by themselves, apart from the others.

use super::shuffle;
use crate::declaration::FieldDesc;
use crate::fir::build::{Buffer, Builder, Fe, Pred, U32, Var};
use crate::fir::ir::{Kernel, ShuffleMode};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{SpMvThread, SpMvWarp};

pub(super) fn warp_per_row(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<SpMvWarp>(geometry, field);
    let (lane, n) = (b.lane(), b.scalar("n"));
    // Not the thread's global index: that wraps from 2^27 rows on.
    let first = b.block_index() * (b.threads() / 32);
    b.return_if(first.ge(n));
    // Warps past the last row have none of its entries, and come to the shuffles with the others of their
    // block.
    let row = first + (b.thread() >> 5);
    let (i, is_row) = (row.min(n - 1), row.lt(n));
    let sum = row_sum(&b, i, Some(is_row), lane, 32);
    for distance in [16, 8, 4, 2, 1] {
        let words = sum.get().words();
        let other: Vec<U32<'_>> =
            words.into_iter().map(|w| shuffle(&b, ShuffleMode::Down, w, distance)).collect();
        // Lanes near the end add their own words; only lane 0's sum is whole, and only it counts.
        sum.set(sum.get() + b.from_words(&other));
    }
    b.if_(lane.is(0) & is_row, || b.buffer("out").set_field(b.buffer("rows").word(i), sum.get()));
    b.finish()
}

pub(super) fn thread_per_row(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<SpMvThread>(geometry, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let sum = row_sum(&b, i, None, b.u32(0), 1);
    b.buffer("out").set_field(b.buffer("rows").word(i), sum.get());
    b.finish()
}

/// The sum of entries `first`, `first + step`, … of row `i`, of its units and of its others; of none where
/// `takes` does not hold.
fn row_sum<'k>(
    b: &'k Builder,
    i: U32<'k>,
    takes: Option<Pred<'k>>,
    first: U32<'k>,
    step: u32,
) -> Var<'k, Fe<'k>> {
    let (units, columns, values, x) =
        (b.buffer("units"), b.buffer("columns"), b.buffer("values"), b.buffer("x"));
    let sum = b.var(b.zero());
    entries(
        b,
        b.buffer("unit_starts"),
        ([i, first], takes),
        step,
        |k| vec![x.field(units.word(k) & 0x7fff_ffff)],
        |k, unit| {
            sum.set(sum.get() + units.word(k).ge(b.u32(1 << 31)).select(-unit[0], unit[0]));
        },
    );
    entries(
        b,
        b.buffer("starts"),
        ([i, first], takes),
        step,
        |k| vec![values.field(k), x.field(columns.word(k))],
        |_, factors| {
            sum.set(sum.get() + factors[0] * factors[1]);
        },
    );
    sum
}

/// Adds entries `first`, `first + step`, … of row `i`, where that `takes` any. What an entry reads is on its
/// way while the one before is added.
fn entries<'k>(
    b: &'k Builder,
    starts: Buffer<'k>,
    ([i, first], takes): ([U32<'k>; 2], Option<Pred<'k>>),
    step: u32,
    read: impl Fn(U32<'k>) -> Vec<Fe<'k>>,
    add: impl Fn(U32<'k>, &[Fe<'k>]),
) {
    let (start, end) = (starts.word(i), starts.word(i + 1));
    let has_entries = first.lt(end - start);
    b.if_(takes.map_or(has_entries, |takes| has_entries & takes), || {
        let start = start + first;
        let k = b.var(start);
        let coming: Vec<_> = read(start).into_iter().map(|x| b.var(x)).collect();
        b.loop_(|| {
            let (now, next) = (k.get(), k.get() + step);
            let here: Vec<_> = coming.iter().map(|x| x.get()).collect();
            // Not by the next one's number: that wraps.
            let is_last = b.u32(step).ge(end - now);
            // The last one is read once more.
            let after = read(is_last.select(now, next));
            coming.iter().zip(after).for_each(|(coming, x)| coming.set(x));
            add(now, &here);
            b.break_if(is_last);
            k.set(next);
        });
    });
}
