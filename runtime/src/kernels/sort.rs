//! Digits by bucket, on the device: a radix sort whose tiles wait for each other, and, where nothing says
//! that blocks go on, one by counting.

mod counting;
mod radix;

use super::index32;
use super::scan::scan_bytes;
use crate::error::Result;
use crate::gpu::{Buffer, Stream, rounded};
use crate::vocabulary::{DigitMap, DigitShape};
use curvesmith_abi::{Features, Geometry, layout};
use curvesmith_device::DeviceProperties;

/// Keys and entries, sorted together. Both buffers have room for all digits; what lies behind those that are
/// not 0 was never written.
#[derive(Debug)]
pub(super) struct Pairs {
    pub(super) keys: Buffer<layout::U32>,
    pub(super) entries: Buffer<layout::U32>,
}

/// What a sort knows of where the pairs of a key begin.
#[derive(Debug)]
pub(super) enum Bounds {
    /// Enough to search for it.
    Searched(radix::LastPass),
    /// Where those of each key begin, and the last ones end.
    Known(Buffer<layout::U32>),
}

impl Bounds {
    /// Where the pairs of each of `buckets` keys begin, and the last ones end.
    pub(super) fn starts(self, stream: &Stream, pairs: &Pairs, buckets: u32) -> Result<Buffer<layout::U32>> {
        match self {
            Bounds::Searched(last) => last.starts(stream, pairs, buckets),
            Bounds::Known(starts) => Ok(starts),
        }
    }

    /// How many pairs there are; waits for the device.
    fn pairs(&self, stream: &Stream) -> Result<usize> {
        match self {
            Bounds::Searched(last) => last.pairs(stream),
            Bounds::Known(starts) => Ok(stream.download_words(starts)?.last().map_or(0, |end| *end as usize)),
        }
    }
}

/// Most codes that are sorted at once: what a tile of the radix sort tells of a digit are 30 bits.
pub(super) const MOST_CODES: u32 = (1 << 30) - 1;

/// How a device sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// In passes of 8 bits, whose tiles wait for those before them. The order is stable, and the work the
    /// same for all keys.
    Radix,
    /// By an atomic for each code on its key's count, and one on its key's place.
    Counting,
}

impl Method {
    pub(super) fn of(device: &DeviceProperties) -> Method {
        match device.geometry.looks_back() && device.limits.features.has(Features::PROGRESS) {
            true => Method::Radix,
            false => Method::Counting,
        }
    }

    /// Arrays of a word a code that there are at once: keys and entries before and after a pass; of one pass,
    /// codes before.
    pub(super) fn arrays(self, key_bits: u32) -> u64 {
        if self == Method::Radix && radix::passes(key_bits).count() > 1 { 4 } else { 3 }
    }

    /// Bytes of all that is allocated for `n` codes of each segment of a shape, of a word a code and of other
    /// sizes, and for where buckets begin.
    pub(super) fn bytes(self, geometry: &Geometry, shape: DigitShape, n: u64) -> u64 {
        let DigitShape { sets, .. } = shape;
        let (key_bits, words) = (shape.log_buckets(), |n: u64| rounded((4 * n).max(1)));
        let starts = (u64::from(sets) << key_bits) + 1;
        let arrays = |number: u64| number * words(u64::from(sets) * n);
        let scanned = |n: u64| words(n) + scan_bytes(geometry.scan_tile, n);
        match self {
            Method::Counting => arrays(3) + scanned(starts),
            Method::Radix => {
                let tiles = u64::from(sets) * n.div_ceil(u64::from(geometry.radix_tile));
                let states =
                    radix::passes(key_bits).map(|(_, bits)| words(radix::states(tiles, bits) as u64));
                arrays(4)
                    + scanned(radix::counts(sets, key_bits) as u64)
                    + states.sum::<u64>()
                    + words(starts)
            }
        }
    }
}

/// Sorts codes of a shape's sets of windows, at most [`MOST_CODES`], as
/// [`Digits`](curvesmith_abi::kernels::Digits) or [`DigitsOdd`](curvesmith_abi::kernels::DigitsOdd) writes
/// them, by set and by the low `key_bits ≥ 1` bits of their keys; the bits above are the set.
pub(super) fn sort(
    stream: &Stream,
    codes: Buffer<layout::U32>,
    shape: DigitShape,
    key_bits: u32,
) -> Result<(Pairs, Bounds)> {
    debug_assert!(codes.len().is_multiple_of((shape.sets * shape.multiples) as usize), "whole segments");
    match Method::of(stream.gpu().properties()) {
        Method::Radix => {
            let (pairs, last) = radix::sort(stream, codes, shape, key_bits)?;
            Ok((pairs, Bounds::Searched(last)))
        }
        Method::Counting => {
            let buckets = index32("keys of a sort", (shape.sets as usize) << key_bits)?;
            let (pairs, starts) = counting::sort(stream, &codes, shape, buckets)?;
            Ok((pairs, Bounds::Known(starts)))
        }
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
    let (pairs, bounds) = sort(stream, stream.upload_words(codes)?, shape, key_bits)?;
    let len = bounds.pairs(stream)?;
    let read = |words| -> Result<Vec<u32>> {
        let mut all = stream.download_words(words)?;
        all.truncate(len);
        Ok(all)
    };
    Ok((read(&pairs.keys)?, read(&pairs.entries)?))
}
