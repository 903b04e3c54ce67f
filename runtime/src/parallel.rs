//! Loops over all threads, compiled once for a type and not for everything that makes its values: a
//! parallel loop is some thousand lines of code.

use rayon::prelude::*;

/// Least number of elements for which a second thread is worth its start (about 10 µs
/// against 20 to 40 ns an element).
pub(crate) const MIN_LEN: usize = 1024;

/// `value` of `0..len`, on all threads.
pub(crate) fn collect<T: Send>(len: usize, value: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    (0..len).into_par_iter().with_min_len(MIN_LEN).map(value).collect()
}

/// Does `condition` hold for all of `0..len`?
pub(crate) fn all(len: usize, condition: &(dyn Fn(usize) -> bool + Sync)) -> bool {
    (0..len).into_par_iter().with_min_len(MIN_LEN).all(condition)
}

/// Runs tasks `0..count`.
pub(crate) fn each(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(task);
}
