//! Memory that is asked for before it is read.

#![allow(unsafe_code, reason = "an instruction of the processor that takes an address")]

use super::Vector;
use core::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};

/// Asks for vectors that are soon needed.
#[inline]
pub(super) fn prefetch_vectors(vectors: &[Vector]) {
    for vector in vectors {
        // SAFETY: nothing is read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(vector).cast()) };
    }
}

/// Asks for a row that is soon needed.
#[inline]
pub(super) fn prefetch(row: &[u64]) {
    /// Words of a line of the cache.
    const LINE: usize = 8;
    let ends = row.len() - 1;
    for word in (0..ends).step_by(LINE).chain([ends]) {
        // SAFETY: the word is in the row; nothing is read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().add(word).cast()) };
    }
}

/// Asks for words that are soon needed, from the second-level cache.
#[inline]
pub(crate) fn ask_for(words: &[u64]) {
    // SAFETY: the word is there; nothing is read.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(words.as_ptr().cast()) };
}
