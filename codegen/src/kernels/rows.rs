//! The rows of an MSM's matrix in the order of their lengths (cuZK, §4.1, CSR-Balanced), so that the threads
//! of a warp add as many entries: a counting sort by classes of lengths.

use super::msm::Slices;
use crate::fir::build::{Builder, Pred, U32};
use crate::fir::ir::{AtomicOp, Kernel};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{ROW_CLASSES, RowCounts, RowOrder};

/// Bits of a class that are a length's highest but one.
const FRACTION: u32 = 6;

pub(super) fn row_counts(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<RowCounts>(geometry);
    let counts = b.buffer("counts");
    let (zero, one) = (b.u32(0), b.u32(1));
    let of_class = b.shared(ROW_CLASSES);
    for_classes(&b, |class, _| of_class.set_word(class, zero));
    b.barrier();
    for_rows(&b, geometry.row_tile, |row| {
        let parts = b.var(zero);
        b.if_(row.is_cut, || parts.set(row.parts));
        counts.set_word(row.number, parts.get());
        b.if_(row.is_whole, || {
            of_class.atomic(AtomicOp::Add, class(row.entries), one);
        });
    });
    b.barrier();
    for_classes(&b, |class, at| counts.set_word(at, of_class.word(class)));
    b.if_(b.global_index().is(0), || {
        let buckets = b.scalar("buckets");
        counts.set_word(buckets, zero);
        counts.set_word(buckets + 1 + b.scalar("tiles") * ROW_CLASSES, zero);
    });
    b.finish()
}

pub(super) fn row_order(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<RowOrder>(geometry);
    let (offsets, order) = (b.buffer("offsets"), b.buffer("order"));
    let parts = offsets.word(b.scalar("buckets"));
    let next = b.shared(ROW_CLASSES);
    for_classes(&b, |class, at| next.set_word(class, offsets.word(at) - parts));
    b.barrier();
    for_rows(&b, geometry.row_tile, |row| {
        b.if_(row.is_whole, || {
            let place = next.atomic(AtomicOp::Add, class(row.entries), b.u32(1));
            order.set_word(place, row.number);
        });
    });
    b.finish()
}

/// A row of the block's tile.
struct Row<'k> {
    number: U32<'k>,
    entries: U32<'k>,
    /// Parts of a slice's length or more.
    parts: U32<'k>,
    is_cut: Pred<'k>,
    /// Whether it has entries and is not cut.
    is_whole: Pred<'k>,
}

/// Each of the rows of the block's `tile`, one a thread and round.
fn for_rows<'k>(b: &'k Builder, tile: u32, each: impl FnOnce(Row<'k>)) {
    let (starts, len) = (b.buffer("starts"), Slices::new(b).len);
    let first = b.block_index() * tile;
    let end = (first + tile).min(b.scalar("buckets"));
    b.for_(first + b.thread(), end, b.threads(), |number| {
        let entries = starts.word(number + 1) - starts.word(number);
        let parts = entries / len;
        let is_cut = parts.gt(b.u32(1));
        each(Row { number, entries, parts, is_cut, is_whole: !is_cut & entries.gt(b.u32(0)) });
    });
}

/// Each class, the longest first, one a thread and round, and the index of its count in this tile.
fn for_classes<'k>(b: &'k Builder, each: impl FnOnce(U32<'k>, U32<'k>)) {
    let first = b.scalar("buckets") + 1 + b.block_index();
    let tiles = b.scalar("tiles");
    b.for_(b.thread(), b.u32(ROW_CLASSES), b.threads(), |place| {
        each(b.u32(ROW_CLASSES - 1) - place, first + place * tiles);
    });
}

/// The class of a length below 2^31, ascending: its highest bits, and how far up they stand.
fn class(entries: U32<'_>) -> U32<'_> {
    let b = entries.builder();
    let most = b.u32(31 - FRACTION);
    let shift = most - entries.clz().min(most);
    (shift << FRACTION) + (entries >> shift)
}
