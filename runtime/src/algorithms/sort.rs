//! Stable radix sort of digits by bucket on the device, each window by itself, least significant bits first.
//!
//! Each pass counts the keys' bits of every tile, scans the counts in the order (window, bits, tile), and
//! scatters: a pair's place is its bits' start plus its rank among equal bits. Digits that are 0 are left out by
//! the first pass, so that the windows follow each other without gaps.

use super::index32;
use super::scan::exclusive_scan;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::work::{DigitMap, DigitShape};
use curvesmith_abi::kernels::{
    RADIX_BITS, RADIX_TILE, RadixCount, RadixCountFirst, RadixScatter, RadixScatterFirst, RadixScatterOdd,
};
use curvesmith_abi::layout;

/// Keys and entries, sorted together. Both buffers have room for all digits; what lies behind those that are not
/// 0 was never written.
#[derive(Debug)]
pub(super) struct Pairs {
    pub(super) keys: Buffer<layout::U32>,
    pub(super) entries: Buffer<layout::U32>,
}

/// What the last pass sorted by.
#[derive(Debug)]
pub(super) struct LastPass {
    /// Where the pairs begin whose keys have the same bits from `shift` on, every `tiles` words.
    pub(super) offsets: Buffer<layout::U32>,
    pub(super) shift: u32,
    bits: u32,
    pub(super) tiles: u32,
}

/// The digits of a sort over `key_bits` bits: shift and width of each pass, lowest first,
/// as even as possible and none wider than [`RADIX_BITS`].
pub(super) fn passes(key_bits: u32) -> impl Iterator<Item = (u32, u32)> {
    let count = key_bits.div_ceil(RADIX_BITS);
    let edge = move |i: u32| key_bits * i / count.max(1);
    (0..count).map(move |i| (edge(i), edge(i + 1) - edge(i)))
}

/// Sorts codes of a shape's sets of windows, as [`Digits`](curvesmith_abi::kernels::Digits) or
/// [`DigitsOdd`](curvesmith_abi::kernels::DigitsOdd) writes them, by set and by the low `key_bits ≥ 1` bits of their keys; the bits above are the set.
pub(super) fn sort(
    stream: &Stream,
    codes: Buffer<layout::U32>,
    shape: DigitShape,
    key_bits: u32,
) -> Result<(Pairs, LastPass)> {
    let DigitShape { sets: segments, multiples, map, .. } = shape;
    let n = index32("codes to sort", codes.len())? / segments;
    debug_assert_eq!((n % multiples, codes.len()), (0, segments as usize * n as usize));
    let len = codes.len();
    let common = Owner::common();
    let tiles = n.div_ceil(RADIX_TILE);
    let blocks = u64::from(segments) * u64::from(tiles);
    let counts = |bits: u32| stream.words(((blocks as usize) << bits) + 1);
    let mut passes = passes(key_bits);

    let (shift, bits) = passes.next().unwrap_or_default();
    let offsets = counts(bits)?;
    let count = RadixCountFirst { codes: codes.ptr(), counts: offsets.ptr(), bits, segments, tiles, n };
    stream.launch_blocks(&common, blocks, &count)?;
    exclusive_scan(stream, &offsets)?;
    let mut from = Pairs { keys: stream.words(len)?, entries: stream.words(len)? };
    let (first, sums) = (codes.ptr(), offsets.ptr());
    let (keys_out, entries_out) = (from.keys.ptr(), from.entries.ptr());
    match map {
        DigitMap::Signed => {
            let scatter = RadixScatterFirst {
                codes: first,
                offsets: sums,
                keys_out,
                entries_out,
                bits,
                segments,
                tiles,
                multiples,
                n,
            };
            stream.launch_blocks(&common, blocks, &scatter)?;
        }
        DigitMap::Odd { .. } => {
            let scatter = RadixScatterOdd {
                codes: first,
                offsets: sums,
                keys_out,
                entries_out,
                bits,
                segments,
                tiles,
                multiples,
                doublings: shape.exponents(),
                n,
            };
            stream.launch_blocks(&common, blocks, &scatter)?;
        }
    }

    let mut last = LastPass { offsets, shift, bits, tiles };
    // The codes have served.
    let mut spare = Some(codes);
    for (shift, bits) in passes {
        let (bounds, stride) = (last.offsets, tiles << last.bits);
        let offsets = counts(bits)?;
        let (keys, entries) = (from.keys.ptr(), from.entries.ptr());
        let count = RadixCount {
            keys,
            bounds: bounds.ptr(),
            counts: offsets.ptr(),
            stride,
            shift,
            bits,
            segments,
            tiles,
        };
        stream.launch_blocks(&common, blocks, &count)?;
        exclusive_scan(stream, &offsets)?;
        let to =
            Pairs { keys: spare.take().map_or_else(|| stream.words(len), Ok)?, entries: stream.words(len)? };
        let scatter = RadixScatter {
            keys_in: keys,
            entries_in: entries,
            bounds: bounds.ptr(),
            offsets: offsets.ptr(),
            keys_out: to.keys.ptr(),
            entries_out: to.entries.ptr(),
            stride,
            shift,
            bits,
            segments,
            tiles,
        };
        stream.launch_blocks(&common, blocks, &scatter)?;
        (from, last) = (to, LastPass { offsets, shift, bits, tiles });
    }
    Ok((from, last))
}

/// Sorts codes of `segments` windows of the same length by the low `key_bits` bits, on the device, and
/// reads keys and entries back. For tests: the MSM keeps its pairs there.
pub fn sort_codes(
    stream: &Stream,
    codes: &[u32],
    segments: u32,
    key_bits: u32,
) -> Result<(Vec<u32>, Vec<u32>)> {
    let n = index32("codes to sort", codes.len())? / segments.max(1);
    crate::csr::check_len("codes to sort", segments as usize * n as usize, codes.len())?;
    if n == 0 {
        return Ok((vec![], vec![]));
    }
    let shape = DigitShape { window: key_bits, sets: segments, multiples: 1, map: DigitMap::Signed };
    let (pairs, last) = sort(stream, stream.upload_words(codes)?, shape, key_bits)?;
    let len = stream.download_words(&last.offsets)?.last().copied().unwrap_or_default() as usize;
    let read = |words| -> Result<Vec<u32>> {
        let mut all = stream.download_words(words)?;
        all.truncate(len);
        Ok(all)
    };
    Ok((read(&pairs.keys)?, read(&pairs.entries)?))
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
