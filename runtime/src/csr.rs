//! Sparse matrices, and checks that several places share.

use crate::error::{Result, RuntimeError};
use crate::field::Field;

/// A sparse matrix in compressed rows, as a host value.
///
/// Row `r` has the entries `row_offsets[r]..row_offsets[r + 1]` of `columns` and
/// `values`; `row_offsets` has `rows + 1` entries, starts at 0 and does not decrease.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl<T> Csr<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_offsets.len().saturating_sub(1)
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

/// `Ok` when two lengths agree, [`RuntimeError::Length`] otherwise.
pub(crate) fn check_len(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(RuntimeError::Length { what, expected, found }) }
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
