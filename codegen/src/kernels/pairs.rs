//! Sorted entries in pairs of one bucket, for sums of affine points in rounds that halve their number.

use crate::fir::build::Builder;
use crate::fir::ir::Kernel;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{NO_ENTRY, PairCounts, PairEntries};

pub(super) fn pair_counts(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<PairCounts>(geometry);
    let (k, buckets) = (b.global_index(), b.scalar("buckets"));
    b.return_if(k.gt(buckets));
    let starts = b.buffer("starts");
    let next = (k + 1).min(buckets);
    let entries = starts.word(next) - starts.word(k);
    b.buffer("counts").set_word(k, (entries + 1) >> 1);
    b.finish()
}

pub(super) fn pair_entries(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<PairEntries>(geometry);
    let i = b.global_index();
    let (starts, entries) = (b.buffer("starts"), b.buffer("entries"));
    let total = starts.word(b.scalar("buckets"));
    b.return_if(i.ge(total.min(b.scalar("n"))));
    let key = b.buffer("keys").word(i);
    let place = i - starts.word(key);
    // The second of a pair is the first one's business.
    b.return_if((place & 1).is(1));
    let right = i + 1;
    let alone = right.ge(starts.word(key + 1));
    let pair = b.buffer("next_starts").word(key) + (place >> 1);
    b.buffer("keys_out").set_word(pair, key);
    b.buffer("entries_out").set_word(pair, pair);
    b.buffer("lefts").set_word(pair, entries.word(i));
    // `right` may be past the end.
    let partner = entries.word(alone.select(i, right));
    b.buffer("rights").set_word(pair, alone.select(b.u32(NO_ENTRY), partner));
    b.finish()
}
