//! Stable radix sort of digits by bucket on the device, each window by itself, least significant bits first.
//!
//! One kernel counts the digits of all passes, the counts are scanned in the order (pass, window, digit), and each pass
//! scatters: a pair's place is its digit's start, plus the pairs of the digit in tiles before, plus its rank among those of its tile. Digits that are 0 are left
//! out by the first pass, so that the windows follow each other without gaps.

use super::index32;
use super::scan::exclusive_scan;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::vocabulary::{DigitMap, DigitShape};
use curvesmith_abi::kernels::{RADIX_BITS, RadixCount, RadixScatter, RadixScatterFirst, RadixScatterOdd};
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
    /// Where the pairs begin whose keys have the same bits from `shift` on, from `first` on, less what is at `first`.
    pub(super) offsets: Buffer<layout::U32>,
    pub(super) shift: u32,
    pub(super) first: u32,
}

/// Most tiles that a block counts, and blocks from which on they count several.
const TILES_EACH: u32 = 16;
const COUNTING_BLOCKS: u32 = 4096;

/// Most codes that are sorted at once: what a tile tells of a digit are 30 bits.
pub(super) const MOST_CODES: u32 = (1 << 30) - 1;

/// The digits of a sort over `key_bits` bits: shift and width of each pass, lowest first,
/// as even as possible and none wider than [`RADIX_BITS`].
pub(super) fn passes(key_bits: u32) -> impl Iterator<Item = (u32, u32)> {
    let count = key_bits.div_ceil(RADIX_BITS);
    let edge = move |i: u32| key_bits * i / count.max(1);
    (0..count).map(move |i| (edge(i), edge(i + 1) - edge(i)))
}

/// Sorts codes of a shape's sets of windows, at most [`MOST_CODES`], as [`Digits`](curvesmith_abi::kernels::Digits) or
/// [`DigitsOdd`](curvesmith_abi::kernels::DigitsOdd) writes them, by set and by the low `key_bits ≥ 1` bits of their keys; the bits above are the set.
pub(super) fn sort(
    stream: &Stream,
    codes: Buffer<layout::U32>,
    shape: DigitShape,
    key_bits: u32,
) -> Result<(Pairs, LastPass)> {
    let DigitShape { sets: segments, multiples, .. } = shape;
    let len = codes.len();
    let n = index32("codes to sort", len)? / segments;
    debug_assert_eq!((n % multiples, len), (0, segments as usize * n as usize));
    let tiles = n.div_ceil(stream.geometry().radix_tile);
    let sort =
        Sort { stream, segments, tiles, n, offsets: offsets(stream, &codes, segments, tiles, key_bits)? };

    let mut passes = passes(key_bits);
    let (_, bits) = passes.next().unwrap_or_default();
    let mut from = sort.first(&codes, shape, bits)?;
    let (mut last, mut first) = ((0, 0), segments << bits);
    // The codes have served.
    let mut spare = Some(codes);
    for (shift, bits) in passes {
        let keys = spare.take().map_or_else(|| stream.words(len), Ok)?;
        from = sort.next(&from, Pairs { keys, entries: stream.words(len)? }, first, shift, bits)?;
        (last, first) = ((shift, first), first + (segments << bits));
    }
    let (shift, first) = last;
    Ok((from, LastPass { offsets: sort.offsets, shift, first }))
}

/// Where the pairs of each digit of each segment begin in each pass, all passes one behind the other.
fn offsets(
    stream: &Stream,
    codes: &Buffer<layout::U32>,
    segments: u32,
    tiles: u32,
    key_bits: u32,
) -> Result<Buffer<layout::U32>> {
    let counts = stream.words(counts(segments, key_bits))?;
    stream.zero(&counts, 0..counts.len())?;
    let each = (segments.saturating_mul(tiles) / COUNTING_BLOCKS).clamp(1, TILES_EACH);
    let count = RadixCount {
        codes: codes.whole(),
        counts: counts.whole(),
        key_bits,
        passes: passes(key_bits).count() as u32,
        segments,
        each,
        n: index32("codes to sort", codes.len())? / segments,
    };
    let blocks = u64::from(segments) * u64::from(tiles.div_ceil(each));
    stream.launch_blocks(&Owner::common(), blocks, &count)?;
    exclusive_scan(stream, &counts)?;
    Ok(counts)
}

/// Words of the counts of all passes, and of the end of the last one.
pub(super) fn counts(segments: u32, key_bits: u32) -> usize {
    passes(key_bits).map(|(_, bits)| (segments as usize) << bits).sum::<usize>() + 1
}

/// Words by which the tiles of a pass tell each other of their digits.
pub(super) fn states(blocks: u64, bits: u32) -> usize {
    ((blocks as usize) << bits) + 1
}

/// What the passes of a sort have in common.
struct Sort<'s> {
    stream: &'s Stream,
    segments: u32,
    tiles: u32,
    n: u32,
    offsets: Buffer<layout::U32>,
}

impl Sort<'_> {
    fn blocks(&self) -> u64 {
        u64::from(self.segments) * u64::from(self.tiles)
    }

    fn states(&self, bits: u32) -> Result<Buffer<layout::U32>> {
        let states = self.stream.words(states(self.blocks(), bits))?;
        self.stream.zero(&states, 0..states.len())?;
        Ok(states)
    }

    /// The first pass, by `bits` bits.
    fn first(&self, codes: &Buffer<layout::U32>, shape: DigitShape, bits: u32) -> Result<Pairs> {
        let &Sort { stream, segments, tiles, n, ref offsets } = self;
        let (states, common) = (self.states(bits)?, Owner::common());
        let to = Pairs { keys: stream.words(codes.len())?, entries: stream.words(codes.len())? };
        let (codes, offsets, states) = (codes.whole(), offsets.whole(), states.whole());
        let (keys_out, entries_out, multiples) = (to.keys.whole(), to.entries.whole(), shape.multiples);
        match shape.map {
            DigitMap::Signed => {
                let pass = RadixScatterFirst {
                    codes,
                    offsets,
                    states,
                    keys_out,
                    entries_out,
                    bits,
                    segments,
                    tiles,
                    multiples,
                    n,
                };
                stream.launch_blocks(&common, self.blocks(), &pass)?;
            }
            DigitMap::Odd { .. } => {
                let doublings = shape.exponents();
                let pass = RadixScatterOdd {
                    codes,
                    offsets,
                    states,
                    keys_out,
                    entries_out,
                    bits,
                    segments,
                    tiles,
                    multiples,
                    doublings,
                    n,
                };
                stream.launch_blocks(&common, self.blocks(), &pass)?;
            }
        }
        Ok(to)
    }

    /// A later pass, whose counts begin at `first`, by `bits` bits from `shift` on.
    fn next(&self, from: &Pairs, to: Pairs, first: u32, shift: u32, bits: u32) -> Result<Pairs> {
        let states = self.states(bits)?;
        let pass = RadixScatter {
            keys_in: from.keys.whole(),
            entries_in: from.entries.whole(),
            offsets: self.offsets.whole(),
            states: states.whole(),
            keys_out: to.keys.whole(),
            entries_out: to.entries.whole(),
            first,
            shift,
            bits,
            segments: self.segments,
            tiles: self.tiles,
        };
        self.stream.launch_blocks(&Owner::common(), self.blocks(), &pass)?;
        Ok(to)
    }
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
    let offsets = stream.download_words(&last.offsets)?;
    let len = offsets.last().map_or(0, |end| end.wrapping_sub(offsets[last.first as usize])) as usize;
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
            assert!(passes(key_bits).count() <= curvesmith_abi::kernels::RADIX_PASSES as usize);
        }
    }
}
