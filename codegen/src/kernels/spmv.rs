//! Sparse matrix times vector: a warp a row for long rows, a thread a row for short ones.

use super::shuffle;
use crate::fir::build::{Builder, U32};
use crate::fir::ir::{Kernel, ShuffleMode};
use crate::spec::FieldDesc;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{SpMvThread, SpMvWarp};

pub(super) fn warp_per_row(field: &FieldDesc) -> Kernel {
    const ROWS: u32 = SpMvWarp::DESC.block / 32;
    let b = Builder::for_field::<SpMvWarp>(field);
    let lane = b.lane();
    // Not the thread's global index: that wraps from 2^27 rows on.
    let row = b.block_index() * ROWS + (b.thread() >> 5);
    // The row is the warp's: it leaves as a whole.
    b.return_if(row.ge(b.scalar("rows")));
    let offsets = b.buffer("row_offsets");
    let (start, end) = (offsets.word(row), offsets.word(row + 1));
    let (columns, values, x) = (b.buffer("columns"), b.buffer("values"), b.buffer("x"));

    let sum = b.var(b.zero());
    b.for_(start + lane, end, 32, |k| {
        let product = values.field(k) * x.field(columns.word(k));
        sum.set(sum.get() + product);
    });
    for distance in [16, 8, 4, 2, 1] {
        let words = sum.get().words();
        let other: Vec<U32<'_>> =
            words.into_iter().map(|w| shuffle(&b, ShuffleMode::Down, w, distance)).collect();
        // Lanes near the end add their own words; only lane 0's sum is whole, and only it counts.
        sum.set(sum.get() + b.from_words(&other));
    }
    b.if_(lane.is(0), || b.buffer("out").set_field(row, sum.get()));
    b.finish()
}

pub(super) fn thread_per_row(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<SpMvThread>(field);
    let row = b.global_index();
    b.return_if(row.ge(b.scalar("rows")));
    let offsets = b.buffer("row_offsets");
    let (columns, values, x) = (b.buffer("columns"), b.buffer("values"), b.buffer("x"));
    let sum = b.var(b.zero());
    b.for_(offsets.word(row), offsets.word(row + 1), 1, |k| {
        sum.set(sum.get() + values.field(k) * x.field(columns.word(k)));
    });
    b.buffer("out").set_field(row, sum.get());
    b.finish()
}
