//! Sort by counting: each code counts itself by an atomic, the counts are scanned, and each takes its place
//! by another one. One pass over the keys' range whatever its bits are, and no block waits for another. Pairs
//! of one key come in any order, of which no sum of a bucket depends.

use super::Pairs;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::kernels::index32;
use crate::kernels::scan::exclusive_scan;
use crate::owner::Owner;
use crate::vocabulary::{DigitMap, DigitShape};
use curvesmith_abi::kernels::{BucketCounts, BucketScatter, ODD_KEY_BITS};
use curvesmith_abi::layout;

/// Bits of a code of signed digits that are its key.
const KEY_BITS: u32 = 31;

/// The sort of [`super::sort`] by all bits of keys below `buckets`, and where the pairs of each key begin and
/// the last ones end.
pub(super) fn sort(
    stream: &Stream,
    codes: &Buffer<layout::U32>,
    shape: DigitShape,
    buckets: u32,
) -> Result<(Pairs, Buffer<layout::U32>)> {
    let DigitShape { sets: segments, multiples, map, .. } = shape;
    let (len, common) = (codes.len(), Owner::common());
    let n = index32("codes to sort", len)? / segments;
    let (key_bits, doublings) = match map {
        DigitMap::Signed => (KEY_BITS, 1),
        DigitMap::Odd { .. } => (ODD_KEY_BITS, shape.exponents()),
    };
    // A count stands one behind its key.
    let starts = stream.words(counts(buckets))?;
    stream.zero(&starts, 0..starts.len())?;
    let count = BucketCounts { codes: codes.whole(), counts: starts.whole(), key_bits, segments, n };
    stream.launch(&common, len, &count)?;
    exclusive_scan(stream, &starts)?;

    let pairs = Pairs { keys: stream.words(len)?, entries: stream.words(len)? };
    let scatter = BucketScatter {
        codes: codes.whole(),
        places: starts.whole(),
        keys_out: pairs.keys.whole(),
        entries_out: pairs.entries.whole(),
        key_bits,
        segments,
        multiples,
        doublings,
        n,
    };
    stream.launch(&common, len, &scatter)?;
    Ok((pairs, starts))
}

/// Words of the counts of so many keys.
pub(super) fn counts(buckets: u32) -> usize {
    buckets as usize + 1
}
