//! How the rows of a sparse matrix are shared out.

use std::fmt;

/// How rows are shared out on a device with many threads; results never depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpMvStrategy {
    /// A thread a row.
    Scalar,
    /// A warp a row.
    Vector,
    /// Threads for short rows, warps for longer ones, several warps for the longest, each as many as the
    /// rows' lengths ask for.
    #[default]
    Balanced,
}

/// Who computes which rows of a sparse matrix. Rows without entries are nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpMvSchedule {
    /// Rows of a thread each.
    pub threads: usize,
    /// Rows of a warp each.
    pub warps: usize,
    /// Rows that are cut into pieces.
    pub cut: usize,
    /// Those pieces, and the pieces of their sums.
    pub pieces: usize,
}

impl fmt::Display for SpMvSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, warps, cut, pieces } = self;
        write!(f, "{threads} rows by threads, {warps} by warps, {cut} in {pieces} pieces")
    }
}
