//! Stable radix sort, each window by itself, least significant bits first.
//!
//! One kernel counts the digits of all passes, the counts are scanned in the order (pass, window, digit), and
//! each pass scatters: a pair's place is its digit's start, plus the pairs of the digit in tiles before, plus
//! its rank among those of its tile. Digits that are 0 are left out by the first pass, so that the windows
//! follow each other without gaps.

use super::Pairs;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::kernels::index32;
use crate::kernels::scan::exclusive_scan;
use crate::owner::Owner;
use crate::vocabulary::{DigitMap, DigitShape};
use curvesmith_abi::kernels::{
    BucketStarts, RADIX_BITS, RadixCount, RadixScatter, RadixScatterFirst, RadixScatterOdd,
};
use curvesmith_abi::layout;

/// What the last pass sorted by.
#[derive(Debug)]
pub(in crate::kernels) struct LastPass {
    /// Where the pairs begin whose keys have the same bits from `shift` on, from `first` on, less what is at
    /// `first`.
    offsets: Buffer<layout::U32>,
    shift: u32,
    first: u32,
}

impl LastPass {
    /// Where the pairs of each of so many keys begin, and where the last ones end.
    pub(super) fn starts(&self, stream: &Stream, pairs: &Pairs, buckets: u32) -> Result<Buffer<layout::U32>> {
        let starts = stream.words(buckets as usize + 1)?;
        let kernel = BucketStarts {
            keys: pairs.keys.whole(),
            offsets: self.offsets.whole(),
            starts: starts.whole(),
            buckets,
            shift: self.shift,
            first: self.first,
        };
        stream.launch(&Owner::common(), buckets as usize + 1, &kernel)?;
        Ok(starts)
    }

    /// How many pairs there are; waits for the device.
    pub(super) fn pairs(&self, stream: &Stream) -> Result<usize> {
        let offsets = stream.download_words(&self.offsets)?;
        Ok(offsets.last().map_or(0, |end| end.wrapping_sub(offsets[self.first as usize])) as usize)
    }
}

/// Most tiles that a block counts, and blocks from which on they count several.
const TILES_EACH: u32 = 16;
const COUNTING_BLOCKS: u32 = 4096;

/// The digits of a sort over `key_bits` bits: shift and width of each pass, lowest first,
/// as even as possible and none wider than [`RADIX_BITS`].
pub(super) fn passes(key_bits: u32) -> impl Iterator<Item = (u32, u32)> {
    let count = key_bits.div_ceil(RADIX_BITS);
    let edge = move |i: u32| key_bits * i / count.max(1);
    (0..count).map(move |i| (edge(i), edge(i + 1) - edge(i)))
}

/// The sort of [`super::sort`].
pub(super) fn sort(
    stream: &Stream,
    codes: Buffer<layout::U32>,
    shape: DigitShape,
    key_bits: u32,
) -> Result<(Pairs, LastPass)> {
    let (segments, len) = (shape.sets, codes.len());
    let n = index32("codes to sort", len)? / segments;
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
