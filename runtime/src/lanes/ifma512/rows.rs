//! Rows of words to vectors, and back: transpositions of eight rows, and limbs packed into words.

#![allow(unsafe_code, reason = "loads and stores by a mask")]

use crate::lanes::{LANES, Vector, WORD};
use core::arch::x86_64::{
    _mm_cvtsi64_si128, _mm512_and_si512, _mm512_mask_mov_epi64, _mm512_mask_storeu_epi64,
    _mm512_maskz_loadu_epi64, _mm512_or_si512, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_i64x2,
    _mm512_sll_epi64, _mm512_srl_epi64, _mm512_test_epi64_mask, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

pub(super) use crate::lanes::ahead::{prefetch, prefetch_vectors};

/// Zero in all lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn zero() -> Vector {
    _mm512_setzero_si512()
}

/// Copies elements.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn copy<const N: usize>(to: &mut [[Vector; N]], from: &[[Vector; N]]) {
    to.copy_from_slice(from);
}

/// In lanes of a mask another element.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn select<const N: usize>(element: &[Vector; N], mask: u8, other: &[Vector; N]) -> [Vector; N] {
    let mut selected = *element;
    for (limb, other) in selected.iter_mut().zip(other) {
        *limb = _mm512_mask_mov_epi64(*limb, mask, *other);
    }
    selected
}

/// Lanes whose limbs are all zero.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn zeros<const N: usize>(element: &[Vector; N]) -> u8 {
    let mut any = zero();
    for limb in element {
        any = _mm512_or_si512(any, *limb);
    }
    !_mm512_test_epi64_mask(any, any)
}

/// Eight rows of eight words to the same columns, or back.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn transpose(rows: [Vector; LANES]) -> [Vector; LANES] {
    let [a, b, c, d, e, f, g, h] = rows;
    // Words of pairs of rows, by turns.
    let pairs = [
        _mm512_unpacklo_epi64(a, b),
        _mm512_unpackhi_epi64(a, b),
        _mm512_unpacklo_epi64(c, d),
        _mm512_unpackhi_epi64(c, d),
        _mm512_unpacklo_epi64(e, f),
        _mm512_unpackhi_epi64(e, f),
        _mm512_unpacklo_epi64(g, h),
        _mm512_unpackhi_epi64(g, h),
    ];
    // Then those pairs as four words of 128 bits each: even ones of two vectors, and odd ones.
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    let even = |i: usize, j: usize| _mm512_shuffle_i64x2::<EVEN>(pairs[i], pairs[j]);
    let odd = |i: usize, j: usize| _mm512_shuffle_i64x2::<ODD>(pairs[i], pairs[j]);
    // Columns 0 and 4, 1 and 5, 2 and 6, 3 and 7, of the first and the last four rows.
    let quads =
        [[even(0, 2), even(4, 6)], [even(1, 3), even(5, 7)], [odd(0, 2), odd(4, 6)], [odd(1, 3), odd(5, 7)]];
    let low = |[a, b]: [Vector; 2]| _mm512_shuffle_i64x2::<EVEN>(a, b);
    let high = |[a, b]: [Vector; 2]| _mm512_shuffle_i64x2::<ODD>(a, b);
    [
        low(quads[0]),
        low(quads[1]),
        low(quads[2]),
        low(quads[3]),
        high(quads[0]),
        high(quads[1]),
        high(quads[2]),
        high(quads[3]),
    ]
}

/// Eight times eight elements, of which lanes become vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn turn_rows<const N: usize>(elements: &mut [[Vector; N]; LANES]) {
    for limb in 0..N {
        let mut rows = [zero(); LANES];
        for (row, element) in rows.iter_mut().zip(&*elements) {
            *row = element[limb];
        }
        for (element, column) in elements.iter_mut().zip(transpose(rows)) {
            element[limb] = column;
        }
    }
}

/// Limbs as columns to an element, which they are.
#[inline]
pub(super) fn lay<const N: usize>(_: &mut [Vector; N]) {}

/// The limbs of an element as the first columns.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn in_columns<const N: usize, const P: usize>(element: &[Vector; N]) -> [Vector; P] {
    let mut columns = [zero(); P];
    for (column, limb) in columns.iter_mut().zip(element) {
        *column = *limb;
    }
    columns
}

/// Which of eight words are there, where `words` are left.
#[inline]
fn mask(words: usize) -> u8 {
    match words {
        0..LANES => (1 << words) - 1,
        _ => u8::MAX,
    }
}

/// Eight rows as vectors, one for each word of a row.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn gather(rows: &[&[u64]; LANES], vectors: &mut [Vector]) {
    let words = vectors.len();
    for row in rows {
        assert!(row.len() == words, "rows are as long as there are vectors");
    }
    for (i, vectors) in vectors.chunks_mut(LANES).enumerate() {
        let at = i * LANES;
        let mut columns = [_mm512_setzero_si512(); LANES];
        // Methods of arrays are compiled without the instructions, and would not have closures with them
        // inlined.
        for (column, row) in columns.iter_mut().zip(rows) {
            // SAFETY: the words that the mask lets through are in the row, as its length was compared.
            *column = unsafe { _mm512_maskz_loadu_epi64(mask(words - at), row.as_ptr().add(at).cast()) };
        }
        for (vector, column) in vectors.iter_mut().zip(transpose(columns)) {
            *vector = column;
        }
    }
}

/// The inverse of [`gather`], to rows one after the other.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn scatter(vectors: &[Vector], rows: &mut [u64]) {
    let words = vectors.len();
    assert!(rows.len() == LANES * words, "eight rows");
    let mut eight: [&mut [u64]; LANES] = Default::default();
    for (row, words) in eight.iter_mut().zip(rows.chunks_exact_mut(words)) {
        *row = words;
    }
    scatter_to(vectors, &mut eight);
}

/// The inverse of [`gather`].
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn scatter_to(vectors: &[Vector], rows: &mut [&mut [u64]; LANES]) {
    let words = vectors.len();
    for row in &*rows {
        assert!(row.len() == words, "rows are as long as there are vectors");
    }
    for (i, vectors) in vectors.chunks(LANES).enumerate() {
        let at = i * LANES;
        let mut columns = [_mm512_setzero_si512(); LANES];
        for (column, vector) in columns.iter_mut().zip(vectors) {
            *column = *vector;
        }
        for (row, vector) in rows.iter_mut().zip(transpose(columns)) {
            // SAFETY: the words that the mask lets through are in the row.
            unsafe { _mm512_mask_storeu_epi64(row.as_mut_ptr().add(at).cast(), mask(words - at), vector) };
        }
    }
}

/// `word · 2^(of - to)`, rounded down and modulo `2^64`: the bits that are numbered `of` and up, from bit
/// `to` on.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn moved(word: Vector, of: usize, to: usize) -> Vector {
    match of < to {
        true => _mm512_srl_epi64(word, _mm_cvtsi64_si128((to - of) as i64)),
        false => _mm512_sll_epi64(word, _mm_cvtsi64_si128((of - to) as i64)),
    }
}

/// The part from bit `to` on of a number whose digits of so many bits are given.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn part<const M: usize>(digits: &[Vector; M], bits: usize, to: usize) -> Vector {
    let mut sum = _mm512_setzero_si512();
    for (i, digit) in digits.iter().enumerate() {
        // Of bits below and above there is nothing.
        if (i + 1) * bits > to && i * bits < to + WORD {
            sum = _mm512_or_si512(sum, moved(*digit, i * bits, to));
        }
    }
    sum
}

/// The limbs of a number of packed words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn unpacked<const B: usize, const N: usize, const P: usize>(words: &[Vector; P]) -> [Vector; N] {
    let mut limbs = [_mm512_setzero_si512(); N];
    for (i, limb) in limbs.iter_mut().enumerate() {
        *limb = _mm512_and_si512(part(words, WORD, i * B), _mm512_set1_epi64((1 << B) - 1));
    }
    limbs
}

/// The inverse of [`unpacked`], of a number that fits.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn packed<const B: usize, const N: usize, const P: usize>(limbs: &[Vector; N]) -> [Vector; P] {
    let mut words = [_mm512_setzero_si512(); P];
    for (i, word) in words.iter_mut().enumerate() {
        *word = part(limbs, B, i * WORD);
    }
    words
}
