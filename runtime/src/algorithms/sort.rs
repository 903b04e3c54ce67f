//! Stable radix sort of (key, entry) pairs on the device, least significant digit first.
//!
//! Each pass counts the digits of every tile, scans the counts in digit-major order, and
//! scatters: a pair's place is its digit's start plus its rank among equal digits.

use super::index32;
use super::scan::exclusive_scan;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use curvesmith_abi::kernels::{RADIX_BITS, RADIX_TILE, RadixHistogram, RadixScatter};
use curvesmith_abi::layout;

/// Keys and entries, sorted together.
#[derive(Debug)]
pub(super) struct Pairs {
    pub(super) keys: Buffer<layout::U32>,
    pub(super) entries: Buffer<layout::U32>,
}

/// The digits of a sort over `key_bits` bits: shift and width of each pass, lowest first,
/// as even as possible and none wider than [`RADIX_BITS`].
fn passes(key_bits: u32) -> impl Iterator<Item = (u32, u32)> {
    let count = key_bits.div_ceil(RADIX_BITS);
    let edge = move |i: u32| key_bits * i / count.max(1);
    (0..count).map(move |i| (edge(i), edge(i + 1) - edge(i)))
}

/// Sorts by the low `key_bits` bits of the keys; higher bits must be zero.
pub(super) fn sort(stream: &Stream, pairs: Pairs, key_bits: u32) -> Result<Pairs> {
    debug_assert_eq!(pairs.keys.len(), pairs.entries.len());
    let len = pairs.keys.len();
    let n = index32("number of pairs to sort", len)?;
    if n <= 1 {
        return Ok(pairs);
    }
    let common = Owner::common();
    let tiles = n.div_ceil(RADIX_TILE);
    let mut from = pairs;
    let mut to = Pairs { keys: stream.words(len)?, entries: stream.words(len)? };
    for (shift, bits) in passes(key_bits) {
        let counts = stream.words((tiles as usize) << bits)?;
        let histogram = RadixHistogram { keys: from.keys.ptr(), counts: counts.ptr(), shift, bits, tiles, n };
        stream.launch_blocks(&common, u64::from(tiles), &histogram)?;
        exclusive_scan(stream, &counts)?;
        let scatter = RadixScatter {
            keys_in: from.keys.ptr(),
            entries_in: from.entries.ptr(),
            keys_out: to.keys.ptr(),
            entries_out: to.entries.ptr(),
            offsets: counts.ptr(),
            shift,
            bits,
            tiles,
            n,
        };
        stream.launch_blocks(&common, u64::from(tiles), &scatter)?;
        std::mem::swap(&mut from, &mut to);
    }
    Ok(from)
}

/// Sorts pairs by the low `key_bits` bits of their keys (the rest zero), stably, on the
/// device. For tests: the MSM keeps its pairs there.
pub fn sort_pairs(
    stream: &Stream,
    keys: &[u32],
    entries: &[u32],
    key_bits: u32,
) -> Result<(Vec<u32>, Vec<u32>)> {
    crate::csr::check_len("entries to sort", keys.len(), entries.len())?;
    let pairs = Pairs { keys: stream.upload_words(keys)?, entries: stream.upload_words(entries)? };
    let sorted = sort(stream, pairs, key_bits.min(32))?;
    Ok((stream.download_words(&sorted.keys)?, stream.download_words(&sorted.entries)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_every_bit_once() {
        for key_bits in 0..=32 {
            let mut next = 0;
            for (shift, bits) in passes(key_bits) {
                assert_eq!(shift, next);
                assert!((1..=RADIX_BITS).contains(&bits), "{key_bits}: {bits}");
                next = shift + bits;
            }
            assert_eq!(next, key_bits);
        }
    }
}
