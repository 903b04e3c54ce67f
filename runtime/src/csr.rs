//! Sparse matrices, and checks that several places share.

use crate::error::{Result, RuntimeError};
use crate::field::Field;
use std::fmt;

/// A sparse matrix in compressed rows, as a host value.
///
/// Row `r` has the entries `row_offsets[r]..row_offsets[r + 1]` of `columns` and
/// `values`; `row_offsets` has `rows + 1` entries, starts at 0 and does not decrease.
#[derive(Clone, PartialEq, Eq)]
pub struct Csr<T> {
    /// Start of each row, and the number of entries at the end.
    pub row_offsets: Vec<u32>,
    /// Column of each entry.
    pub columns: Vec<u32>,
    /// Value of each entry.
    pub values: Vec<T>,
    /// Number of columns; every entry of `columns` is below it.
    pub width: u32,
}

impl<T> fmt::Debug for Csr<T> {
    // Millions of entries are for no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Csr[{} x {}; {} entries]", self.rows(), self.width, self.columns.len())
    }
}

impl<T> Csr<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_offsets.len().saturating_sub(1)
    }

    /// Matrices of one width, one below the other, each with as many rows: those that a matrix lacks are
    /// empty.
    ///
    /// One that is wider than the first, or has more rows, is an error; the invariants are not checked.
    pub fn stack(parts: &[&Csr<T>], rows: usize) -> Result<Csr<T>>
    where
        T: Clone,
    {
        let width = parts.first().map_or(0, |first| first.width);
        let entries = parts.iter().map(|part| part.columns.len()).sum();
        let mut stacked = Csr {
            row_offsets: Vec::with_capacity(parts.len() * rows + 1),
            columns: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries),
            width,
        };
        stacked.row_offsets.push(0);
        for part in parts {
            check_len("width of the matrix", width as usize, part.width as usize)?;
            check_out_len(part.rows(), rows)?;
            let start = u32::try_from(stacked.columns.len()).map_err(|_| too_many(entries))?;
            let end = |offset: &u32| start.checked_add(*offset).ok_or_else(|| too_many(entries));
            let ends = part.row_offsets.iter().skip(1).map(end).collect::<Result<Vec<u32>>>()?;
            let last = ends.last().copied().unwrap_or(start);
            stacked.row_offsets.extend(ends);
            stacked.row_offsets.extend(std::iter::repeat_n(last, rows - part.rows()));
            stacked.columns.extend_from_slice(&part.columns);
            stacked.values.extend_from_slice(&part.values);
        }
        Ok(stacked)
    }

    /// Checks the invariants above; what fails is named with its index.
    pub fn validate(&self) -> Result<()> {
        let bad = |reason: String| Err(RuntimeError::Input { what: "sparse matrix", reason });
        if self.row_offsets.first() != Some(&0) {
            return bad("row offsets do not start with 0".into());
        }
        if let Some(row) = self.row_offsets.windows(2).position(|w| w[0] > w[1]) {
            return bad(format!("row offsets decrease at row {row}"));
        }
        let entries = self.row_offsets.last().map_or(0, |&n| n as usize);
        for (what, found) in [("matrix columns", self.columns.len()), ("matrix values", self.values.len())] {
            if found != entries {
                return Err(RuntimeError::Length { what, expected: entries, found });
            }
        }
        if let Some(k) = self.columns.iter().position(|&c| c >= self.width) {
            return bad(format!("entry {k} has column {}, the width is {}", self.columns[k], self.width));
        }
        Ok(())
    }
}

fn too_many(entries: usize) -> RuntimeError {
    RuntimeError::TooLarge { what: "entries of the matrices", found: entries as u64, limit: u32::MAX.into() }
}

/// `Ok` when two lengths agree, [`RuntimeError::Length`] otherwise.
pub(crate) fn check_len(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(RuntimeError::Length { what, expected, found }) }
}

/// `Ok` when `found` is some times `len`, and not 0.
pub(crate) fn check_multiple(what: &'static str, len: usize, found: usize) -> Result<()> {
    if found > 0 && found.is_multiple_of(len) { Ok(()) } else { check_len(what, len, found) }
}

/// `Ok` when a range of bases ends within all `len` of them.
pub(crate) fn check_range(range: &std::ops::Range<usize>, len: usize) -> Result<()> {
    check_at_most("bases of a range", range.end, len)
}

/// `Ok` when `rows` fit into an output of `out_len` elements.
pub(crate) fn check_out_len(rows: usize, out_len: usize) -> Result<()> {
    check_at_most("output of the product", rows, out_len)
}

fn check_at_most(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected <= found { Ok(()) } else { Err(RuntimeError::Length { what, expected, found }) }
}

/// The inverse of a coset shift; zero is the caller's mistake.
pub(crate) fn invert_shift<F: Field>(shift: F::Ark) -> Result<F::Ark> {
    use ark_ff::Field as _;
    shift.inverse().ok_or_else(|| RuntimeError::Input { what: "coset shift", reason: "it is zero".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csr(row_offsets: &[u32], columns: &[u32], width: u32) -> Csr<u32> {
        let values = columns.iter().map(|column| 10 * column).collect();
        Csr { row_offsets: row_offsets.to_vec(), columns: columns.to_vec(), values, width }
    }

    #[test]
    fn stacked_matrices_have_their_rows_one_below_the_other() {
        let (a, b) = (csr(&[0, 2, 2, 3], &[0, 4, 1], 5), csr(&[0, 1], &[3], 5));
        let stacked = Csr::stack(&[&a, &b], 4).unwrap();
        assert_eq!(stacked, csr(&[0, 2, 2, 3, 3, 4, 4, 4, 4], &[0, 4, 1, 3], 5));
        stacked.validate().unwrap();
        assert_eq!(Csr::<u32>::stack(&[], 4).unwrap(), csr(&[0], &[], 0));
        let length = |expected, found| move |e: &RuntimeError| matches!(e, RuntimeError::Length { expected: x, found: y, .. } if (*x, *y) == (expected, found));
        assert!(Csr::stack(&[&a, &b], 2).is_err_and(|e| length(3, 2)(&e)));
        assert!(Csr::stack(&[&a, &csr(&[0], &[], 6)], 4).is_err_and(|e| length(5, 6)(&e)));
    }
}
