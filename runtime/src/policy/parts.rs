//! Where scalars of the host are cut, so that the device works on some while the rest is copied.
//!
//! Say the copy of all takes `u` and the work `c`. Parts of which each is `q = c/u` times as long as the one
//! before keep both going: the work on one ends when the next is there. Of the copy of `m` parts all but
//! `u/(1 + q + … + q^(m-1))` is beside work. Every part but one costs: its buckets are added to those of the
//! others, and its slices are shorter.

use crate::vocabulary::DigitShape;
use std::ops::Range;

/// What decides where scalars are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartsPolicy {
    /// Picoseconds that the copy of a byte takes.
    pub byte_ps: u64,
    /// Picoseconds that an entry takes before it is added.
    pub entry_ps: u64,
    /// Picoseconds that an entry's addition takes, for each product of two words in a product of coordinates.
    pub product_ps: u64,
    /// Price of a bucket that is added to another, in additions of entries.
    pub bucket_entries: u64,
    /// Price of a bucket to which a row is added, where there are [balanced
    /// rows](crate::MsmStrategy::RowBalanced).
    pub row_entries: u64,
    /// Nanoseconds that any further part takes.
    pub part_ns: u64,
    /// Most parts.
    pub most: u32,
}

/// Least and most growth from one part to the next: a few scalars do not fill a device.
const GROWTH: [f64; 2] = [0.25, 10.0];

impl PartsPolicy {
    /// The parts of `n` scalars of so many bytes each, for a group with coordinates of `words` words, of an
    /// extension of `degree`, whose buckets rows are added to or other buckets.
    pub(crate) fn cut(
        &self,
        n: usize,
        bytes: usize,
        shape: DigitShape,
        (words, degree): (usize, usize),
        by_rows: bool,
    ) -> Vec<Range<usize>> {
        // Products of an extension take fewer of the base field than its degree squared.
        let products =
            (words * words) as f64 * if degree > 1 { 0.85 * (degree * degree) as f64 } else { 1.0 };
        let addition = self.product_ps as f64 * products;
        let entries = n as f64 * f64::from(shape.windows());
        let work = entries * (self.entry_ps as f64 + addition);
        let copy = n as f64 * bytes as f64 * self.byte_ps as f64;
        let growth = if copy > 0.0 { (work / copy).clamp(GROWTH[0], GROWTH[1]) } else { GROWTH[1] };
        let bucket_entries = if by_rows { self.row_entries } else { self.bucket_entries };
        let buckets = f64::from(shape.sets) * f64::from(shape.log_buckets()).exp2();
        let part = self.part_ns as f64 * 1e3 + buckets * bucket_entries as f64 * addition;

        let lengths = |parts: u32| (0..parts).map(move |i| growth.powi(i as i32));
        let cost = |parts: u32| copy / lengths(parts).sum::<f64>() + f64::from(parts - 1) * part;
        let parts = (1..=self.most.max(1)).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(1);
        let all: f64 = lengths(parts).sum();
        let mut end = 0.0;
        let ends = lengths(parts).map(|length| {
            end += length / all;
            (n as f64 * end) as usize
        });
        // The last end is not a matter of rounding.
        let ends = ends.take(parts as usize - 1).chain([n]);
        let mut start = 0;
        let parts = ends.map(|end| std::mem::replace(&mut start, end)..end);
        parts.filter(|part| !part.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::MEASURED_PARTS;
    use super::*;

    fn cut(log_n: u32, window: u32, group: (usize, usize)) -> Vec<Range<usize>> {
        MEASURED_PARTS.cut(1 << log_n, 32, DigitShape::new(254, window), group, false)
    }

    #[test]
    fn buckets_that_rows_are_added_to_make_more_parts() {
        let parts = |log_n: u32, by_rows| {
            MEASURED_PARTS.cut(1 << log_n, 32, DigitShape::new(254, 16), (8, 1), by_rows).len()
        };
        let counts: Vec<_> = (18..=26).map(|log_n| (parts(log_n, false), parts(log_n, true))).collect();
        assert!(counts.iter().all(|(slices, rows)| rows >= slices), "{counts:?}");
        assert!(counts.iter().any(|(slices, rows)| rows > slices), "{counts:?}");
    }

    #[test]
    fn parts_are_all_scalars_in_order() {
        for n in [0usize, 1, 2, 3, 100, 12_345, 1 << 24] {
            for (most, byte_ps) in [(0, 1), (1, 1), (2, 100), (5, 0), (5, 30), (6, u64::MAX)] {
                let policy = PartsPolicy {
                    byte_ps,
                    entry_ps: 3,
                    product_ps: 0,
                    bucket_entries: 0,
                    row_entries: 0,
                    part_ns: 0,
                    most,
                };
                let parts = policy.cut(n, 32, DigitShape::new(254, 13), (8, 1), true);
                assert!(parts.len() <= most.max(1) as usize && parts.iter().all(|part| !part.is_empty()));
                let all: Vec<usize> = parts.iter().flat_map(|part| [part.start, part.end]).collect();
                let inner = all.get(1..all.len().saturating_sub(1)).unwrap_or_default();
                assert!(inner.chunks_exact(2).all(|ends| ends[0] == ends[1]), "{parts:?}");
                assert_eq!(
                    (all.first(), all.last()),
                    (Some(&0).filter(|_| n > 0), Some(&n).filter(|_| n > 0))
                );
            }
        }
    }

    #[test]
    fn the_first_part_is_as_long_as_its_work_takes_the_copy_of_the_next() {
        let parts = cut(20, 15, (8, 1));
        assert!(
            parts.len() == 2 && (1 << 20) / 5 < parts[0].end && parts[0].end < (1 << 20) / 3,
            "{parts:?}"
        );
        let costly = cut(22, 16, (12, 1));
        assert!(costly.len() == 2 && costly[0].end < (1 << 22) / 5, "{costly:?}");
        // Neither a short copy nor many expensive buckets are worth it.
        assert_eq!(cut(16, 12, (8, 1)).len(), 1);
        assert_eq!(cut(20, 15, (12, 2)).len(), 1);
        assert!(cut(24, 16, (8, 1)).len() > 2);
    }
}
