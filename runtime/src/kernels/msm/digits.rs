//! Scalars as a sparse matrix: signed digits, sorted by bucket.

use crate::error::{Result, RuntimeError};
use crate::gpu::{Buffer, Stream};
use crate::kernels::index32;
use crate::kernels::sort::{MOST_CODES, Pairs, sort};
use crate::owner::Owner;
use crate::vocabulary::{DigitMap, DigitShape, LEAST_ODD_WINDOW, OddDigits, windows_of};
use curvesmith_abi::kernels::{Digits, DigitsOdd, DigitsRegular, ODD_KEY_BITS};
use curvesmith_abi::{Element, layout};
use std::ops::Range;

/// Signed digits of scalars, sorted by bucket, on a device.
#[derive(Debug)]
pub(crate) struct GpuDigits {
    pub(crate) len: usize,
    shape: DigitShape,
    pub(super) buckets: u32,
    pub(super) parts: Vec<Part>,
}

/// The digits of a range of scalars; `entries` count from its start.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) keys: Buffer<layout::U32>,
    pub(super) entries: Buffer<layout::U32>,
    /// First entry of each bucket, and at the end the number of nonzero digits; none of regular digits, whose
    /// bounds nobody may ask for.
    pub(super) starts: Option<Buffer<layout::U32>>,
}

impl GpuDigits {
    /// The windows.
    pub(crate) fn shape(&self) -> DigitShape {
        self.shape
    }
}

/// Digits of scalars below `2^bits`, sorted by bucket.
pub(crate) fn sorted_digits(
    stream: &Stream,
    field: &Owner,
    scalars: &Buffer<layout::Field>,
    bits: u32,
    shape: DigitShape,
) -> Result<GpuDigits> {
    // Those of even scalars are digits of differences from the modulus.
    let buckets = check_shape(shape, if shape.is_constant() { field.bits } else { bits })?;
    let len = scalars.len();
    let part_len = part_len(stream, field, shape);
    let parts = (0..len).step_by(part_len);
    let parts = parts.map(|start| {
        let part = start..len.min(start.saturating_add(part_len));
        sort_part(stream, field, scalars, shape, buckets, part)
    });
    Ok(GpuDigits { len, shape, buckets, parts: parts.collect::<Result<_>>()? })
}

/// Elements of the scalar field that are no shorter than a base: two coordinates over a quadratic extension
/// of a field that is twice as wide. Wider bases may be refused where digits would have had to be cut for
/// them.
const BASE_ELEMENTS: u64 = 8;

/// What a launch takes of a buffer may begin up to so many bytes before its range.
const ALIGNMENT: u64 = 256;

/// Elements of `bytes` bytes each of which a launch takes a range in one buffer, at least 1.
pub(super) fn reach(stream: &Stream, bytes: u64) -> u64 {
    (stream.gpu().properties().binding.saturating_sub(ALIGNMENT) / bytes.max(1)).max(1)
}

/// Scalars that are sorted at once: their digits can be, and launches reach them all, and their bases with
/// the multiples.
pub(super) fn part_len(stream: &Stream, field: &Owner, shape: DigitShape) -> usize {
    let (windows, stored) = (u64::from(shape.windows().max(1)), u64::from(shape.stored()));
    let entries = u64::from(stream.gpu().policy().msm.max_entries.min(MOST_CODES));
    let base = BASE_ELEMENTS * field.bytes(Element::Field) as u64 * stored;
    (entries / windows).max(1).min(reach(stream, base.max(4 * windows))) as usize
}

fn sort_part(
    stream: &Stream,
    field: &Owner,
    scalars: &Buffer<layout::Field>,
    shape: DigitShape,
    buckets: u32,
    part: Range<usize>,
) -> Result<Part> {
    let (start, len, scalars) = (part.start, part.len(), scalars.part(part));
    let n = index32("number of scalars", len)?;
    let DigitShape { window: c, sets, multiples, map } = shape;
    let buffer = stream.words(len * shape.windows() as usize)?;
    let (codes, log_b) = (buffer.whole(), shape.log_buckets());
    match map {
        DigitMap::Signed => stream.launch(field, len, &Digits { scalars, codes, c, sets, multiples, n })?,
        DigitMap::Odd(OddDigits::Stored { tau }) => {
            stream.launch(field, len, &DigitsOdd { scalars, codes, c, sets, multiples, tau, log_b, n })?;
        }
        DigitMap::Odd(OddDigits::Regular) => {
            stream.launch(field, len, &DigitsRegular { scalars, codes, c, sets, multiples, n })?;
        }
    }
    let (pairs, bounds) = sort(stream, buffer, shape, log_b)?;
    let starts = if shape.is_constant() { None } else { Some(bounds.starts(stream, &pairs, buckets)?) };
    let Pairs { keys, entries } = pairs;
    Ok(Part { start, len, keys, entries, starts })
}

/// The number of buckets of a shape that holds scalars of `bits` bits.
pub(super) fn check_shape(shape: DigitShape, bits: u32) -> Result<u32> {
    let bad = |reason| Err(RuntimeError::Input { what: "digit shape", reason });
    let DigitShape { window: c, sets, map, .. } = shape;
    if !(2..=24).contains(&c) {
        return bad(format!("window is {c} bits, 2 to 24 are supported"));
    }
    let (found, right) = match map {
        DigitMap::Odd(OddDigits::Regular) => (shape, DigitShape::regular(bits, c, shape.multiples)),
        _ => {
            let signed = DigitShape { map: DigitMap::Signed, ..shape };
            (signed, DigitShape::with_multiples(bits, c, shape.multiples))
        }
    };
    if sets == 0 || found != right {
        let needed = if shape.is_constant() { bits.div_ceil(c) } else { windows_of(bits, c) };
        let found = shape.windows();
        return bad(format!("{found} windows of {c} bits, scalars of {bits} bits need {needed}"));
    }
    let buckets = u64::from(sets) << shape.log_buckets();
    match map {
        DigitMap::Odd(OddDigits::Stored { tau }) if c < LEAST_ODD_WINDOW || !(1..c).contains(&tau) => {
            return bad(format!(
                "doublings to 2^{tau} for windows of {c} bits, 2 to 2^(window-1) of windows from {LEAST_ODD_WINDOW} bits on are supported"
            ));
        }
        DigitMap::Odd(_) if buckets > 1 << ODD_KEY_BITS => {
            return bad(format!("{buckets} buckets, of odd digits at most 2^{ODD_KEY_BITS} are supported"));
        }
        _ => {}
    }
    u32::try_from(buckets)
        .ok()
        .filter(|buckets| *buckets < 1 << 31)
        .map_or_else(|| bad(format!("{buckets} buckets, fewer than 2^31 are supported")), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked() {
        let shape = |window, sets, multiples| DigitShape { window, sets, multiples, map: DigitMap::Signed };
        assert_eq!(check_shape(shape(16, 16, 1), 254).unwrap(), 1 << 19);
        assert_eq!(check_shape(shape(16, 1, 16), 254).unwrap(), 1 << 15);
        assert_eq!(check_shape(shape(16, 3, 6), 254).unwrap(), 3 << 15);
        assert_eq!(check_shape(shape(24, 11, 1), 254).unwrap(), 11 << 23);
        for (window, sets, multiples) in [
            (1, 255, 1),
            (25, 11, 1),
            (16, 15, 1),
            (16, 17, 1),
            (16, 1, 17),
            (16, 3, 5),
            (0, 0, 0),
            (16, 0, 16),
            (24, u32::MAX, u32::MAX),
            (24, 256, 1),
        ] {
            assert!(check_shape(shape(window, sets, multiples), 254).is_err(), "{window} {sets} {multiples}");
        }
        assert!(check_shape(shape(24, 256, 1), 6144).is_err(), "too many buckets");
        for (bits, window, most) in
            [(254, 16, 16), (254, 16, 100), (254, 13, 7), (255, 20, 2), (31, 24, 1), (254, 2, 0)]
        {
            let shape = DigitShape::with_multiples(bits, window, most);
            assert!(check_shape(shape, bits).is_ok() && shape.multiples <= most.max(1), "{shape:?}");
        }
        // With all doublings half of the signed digits' buckets, a quarter of the digits.
        let stored = |tau| DigitMap::Odd(OddDigits::Stored { tau });
        let odd = |window, tau| DigitShape { map: stored(tau), ..shape(window, 16, 1) };
        assert_eq!(check_shape(odd(16, 15), 254).unwrap(), 16 << 14);
        assert_eq!((odd(16, 15).buckets(), odd(16, 15).stored()), (1 << 14, 16));
        // With fewer, some even ones: their places are in the upper half.
        assert_eq!(check_shape(odd(16, 6), 254).unwrap(), 16 << 15);
        assert_eq!((odd(16, 6).buckets(), odd(16, 6).stored()), ((1 << 14) + (1 << 8), 7));
        for tau in [0, 16, u32::MAX] {
            assert!(check_shape(odd(16, tau), 254).is_err());
        }
        assert!(check_shape(DigitShape::new(254, 2).with_doublings(1), 254).is_err());
        let many = |bits| check_shape(DigitShape::new(bits, 24).with_doublings(23), bits);
        assert!(many(254).is_ok() && many(24 * 17).is_err());
        // No carry: 15 windows of 17 bits hold 255 bits, of signed digits 254.
        let regular = |bits, window, most| check_shape(DigitShape::regular(bits, window, most), bits);
        assert_eq!(regular(255, 17, 1).unwrap(), 15 << 16);
        assert_eq!(DigitShape::with_multiples(255, 17, 1).windows(), 16);
        assert_eq!(
            DigitShape::regular(254, 16, 3),
            DigitShape { map: DigitMap::Odd(OddDigits::Regular), ..shape(16, 6, 3) }
        );
        assert!(check_shape(DigitShape::regular(253, 11, 1), 254).is_err() && regular(254, 24, 1).is_err());
    }
}
