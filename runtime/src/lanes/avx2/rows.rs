//! Rows of words to elements, and back, lane by lane: the compiler makes vectors of it.
//!
//! A *column* is a word of each of eight rows. An element is the limbs of its first four lanes, and then
//! those of the others, as that is how it is computed with.

use super::{PART, PARTS};
use crate::lanes::{LANES, Vector, WORD};
use bytemuck::{cast, cast_mut, cast_ref, cast_slice, cast_slice_mut};

pub(super) use crate::lanes::ahead::{prefetch, prefetch_vectors};

/// The words of a column.
type Words = [u64; LANES];

/// Zero in all lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn zero() -> Vector {
    cast::<Words, Vector>([0; LANES])
}

/// Where a limb of a lane is among the words of an element of `n` limbs.
#[inline]
fn at(n: usize, limb: usize, lane: usize) -> usize {
    (lane / PART * n + limb) * PART + lane % PART
}

/// Copies elements.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn copy<const N: usize>(to: &mut [[Vector; N]], from: &[[Vector; N]]) {
    for (to, from) in to.iter_mut().zip(from) {
        copy_vectors::<Vector, 4>(to, from);
    }
}

/// Copies vectors, a few at a time: what is longer than 256 bytes is a call of the library's.
#[inline]
pub(super) fn copy_vectors<T: Copy, const FEW: usize>(to: &mut [T], from: &[T]) {
    let (to, from) = copy_few::<T, FEW>(to, from);
    let (to, from) = copy_few::<T, FEW>(to, from);
    let (to, from) = copy_few::<T, FEW>(to, from);
    to.copy_from_slice(from);
}

/// Copies the first few, if there are as many; what is left.
#[inline]
fn copy_few<'a, T: Copy, const FEW: usize>(to: &'a mut [T], from: &'a [T]) -> (&'a mut [T], &'a [T]) {
    if to.len() < FEW {
        return (to, from);
    }
    let (few, to) = to.split_first_chunk_mut::<FEW>().expect("as many");
    let (of_few, from) = from.split_first_chunk::<FEW>().expect("as many");
    *few = *of_few;
    (to, from)
}

/// In lanes of a mask another element.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn select<const N: usize>(element: &[Vector; N], mask: u8, other: &[Vector; N]) -> [Vector; N] {
    let mut selected = *element;
    let mut masks = [0; LANES];
    for (lane, of_lane) in masks.iter_mut().enumerate() {
        *of_lane = 0u64.wrapping_sub(u64::from(mask >> lane & 1));
    }
    let words = cast_slice_mut::<Vector, u64>(&mut selected).as_chunks_mut::<PART>().0;
    let others = cast_slice::<Vector, u64>(other).as_chunks::<PART>().0;
    let of_parts = words.chunks_exact_mut(N).zip(others.chunks_exact(N)).zip(masks.as_chunks::<PART>().0);
    for ((words, others), masks) in of_parts {
        for (limb, other) in words.iter_mut().zip(others) {
            for ((word, other), mask) in limb.iter_mut().zip(other).zip(masks) {
                *word ^= (*word ^ other) & mask;
            }
        }
    }
    selected
}

/// Lanes whose limbs are all zero.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn zeros<const N: usize>(element: &[Vector; N]) -> u8 {
    let words = cast_slice::<Vector, u64>(element);
    let mut zeros = 0;
    for lane in 0..LANES {
        let mut any = 0;
        for limb in 0..N {
            any |= words[at(N, limb, lane)];
        }
        zeros |= u8::from(any == 0) << lane;
    }
    zeros
}

/// Eight times eight elements, of which lanes become vectors.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn turn_rows<const N: usize>(elements: &mut [[Vector; N]; LANES]) {
    let before = *elements;
    for (lane, element) in before.iter().enumerate() {
        let words = cast_slice::<Vector, u64>(element);
        for (of, element) in elements.iter_mut().enumerate() {
            let turned = cast_slice_mut::<Vector, u64>(element);
            for limb in 0..N {
                turned[at(N, limb, lane)] = words[at(N, limb, of)];
            }
        }
    }
}

/// Limbs as columns to an element.
#[inline]
pub(super) fn lay<const N: usize>(element: &mut [Vector; N]) {
    let columns = *element;
    put(&mut *element, |limb| cast::<Vector, Words>(columns[limb]));
}

/// The limbs of an element as the first columns.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn in_columns<const N: usize, const P: usize>(element: &[Vector; N]) -> [Vector; P] {
    let mut columns = [zero(); P];
    for (limb, column) in columns.iter_mut().take(N).enumerate() {
        *column = cast::<Words, Vector>(column_of(element, limb));
    }
    columns
}

/// Writes each limb.
#[inline]
fn put<const N: usize>(element: &mut [Vector; N], limb_of: impl Fn(usize) -> Words) {
    let words = cast_slice_mut::<Vector, u64>(element).as_chunks_mut::<PART>().0;
    for limb in 0..N {
        let column = limb_of(limb);
        for part in 0..PARTS {
            words[part * N + limb] = *column[part * PART..].first_chunk().expect("a part");
        }
    }
}

/// A limb of all lanes.
#[inline]
fn column_of<const N: usize>(element: &[Vector; N], limb: usize) -> Words {
    let words = cast_slice::<Vector, u64>(element).as_chunks::<PART>().0;
    let mut column = [0; LANES];
    for (part, column) in column.as_chunks_mut::<PART>().0.iter_mut().enumerate() {
        *column = words[part * N + limb];
    }
    column
}

/// Eight rows as columns, one for each word of a row.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn gather(rows: &[&[u64]; LANES], columns: &mut [Vector]) {
    for (lane, row) in rows.iter().enumerate() {
        assert!(row.len() == columns.len(), "rows are as long as there are columns");
        for (column, word) in columns.iter_mut().zip(*row) {
            cast_mut::<Vector, Words>(column)[lane] = *word;
        }
    }
}

/// The inverse of [`gather`], to rows one after the other.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn scatter(columns: &[Vector], rows: &mut [u64]) {
    assert!(rows.len() == LANES * columns.len(), "eight rows");
    for (lane, row) in rows.chunks_exact_mut(columns.len()).enumerate() {
        for (word, column) in row.iter_mut().zip(columns) {
            *word = cast_ref::<Vector, Words>(column)[lane];
        }
    }
}

/// The inverse of [`gather`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn scatter_to(columns: &[Vector], rows: &mut [&mut [u64]; LANES]) {
    for (lane, row) in rows.iter_mut().enumerate() {
        assert!(row.len() == columns.len(), "rows are as long as there are columns");
        for (word, column) in row.iter_mut().zip(columns) {
            *word = cast_ref::<Vector, Words>(column)[lane];
        }
    }
}

/// The part from bit `to` on of a number whose digits of so many bits are given, modulo `2^64`.
#[inline]
fn part<const M: usize>(digits: &[Words; M], bits: usize, to: usize) -> Words {
    let mut sum = [0; LANES];
    for (i, digit) in digits.iter().enumerate() {
        let of = i * bits;
        // Of bits below and above there is nothing.
        if of + bits > to && of < to + WORD {
            for (sum, word) in sum.iter_mut().zip(digit) {
                *sum |= if of < to { word >> (to - of) } else { word << (of - to) };
            }
        }
    }
    sum
}

/// The element of limbs of `B` bits that a number of packed words is.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn unpacked<const B: usize, const N: usize, const P: usize>(words: &[Vector; P]) -> [Vector; N] {
    let mut digits = [[0; LANES]; P];
    for (digit, word) in digits.iter_mut().zip(words) {
        *digit = cast::<Vector, Words>(*word);
    }
    let mut element = [zero(); N];
    put(&mut element, |limb| {
        let mut part = part(&digits, WORD, limb * B);
        for word in &mut part {
            *word &= (1 << B) - 1;
        }
        part
    });
    element
}

/// The inverse of [`unpacked`], of a number that fits.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn packed<const B: usize, const N: usize, const P: usize>(element: &[Vector; N]) -> [Vector; P] {
    let mut digits = [[0; LANES]; N];
    for (limb, digit) in digits.iter_mut().enumerate() {
        *digit = column_of(element, limb);
    }
    let mut words = [zero(); P];
    for (i, word) in words.iter_mut().enumerate() {
        *word = cast::<Words, Vector>(part(&digits, B, i * WORD));
    }
    words
}
