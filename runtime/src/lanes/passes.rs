//! Loops over the lanes of a field, for declarations to instantiate with its functions.
//!
//! Coordinates are `D` elements of `N` vectors each, and points `T = 2·D`. In a row an element is `P` words, its
//! limbs if that is `N`, and in arkworks' form `W`. Closures are made in functions with the same `#[target_feature]`,
//! which they inherit.

#![allow(
    clippy::missing_safety_doc,
    reason = "the processor has the instructions: that is all that callers have to see to"
)]

pub use super::rows::words_of_row;

use super::rows::{gather, packed, prefetch, scatter, unpacked};
use super::{Block, CHAINS, LANES, PAIR, Place, Rows, TERM, Vector};
use core::arch::x86_64::{
    _mm512_mask_mov_epi64, _mm512_or_si512, _mm512_setzero_si512, _mm512_test_epi64_mask,
};

/// Groups between asking for the rows of one and reading them.
const AHEAD: usize = 2;

/// [`GroupLanes::enter`](super::GroupLanes::enter), by a function of the prime field.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn enter<const N: usize, const W: usize, const D: usize>(
    words: &[u64],
    coordinate: &mut [Vector],
    f: impl Fn([&[Vector; N]; 1]) -> [[Vector; N]; 1],
) {
    let mut columns = [[_mm512_setzero_si512(); W]; D];
    gather(&eight(words, W * D), columns.as_flattened_mut());
    for (element, words) in coordinate.as_chunks_mut::<N>().0.iter_mut().zip(&columns) {
        [*element] = f([&unpacked(words)]);
    }
}

/// [`GroupLanes::leave`](super::GroupLanes::leave), by a function of the prime field.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn leave<const N: usize, const W: usize, const D: usize>(
    coordinate: &[Vector],
    words: &mut [u64],
    f: impl Fn([&[Vector; N]; 1]) -> [[Vector; N]; 1],
) {
    let mut columns = [[_mm512_setzero_si512(); W]; D];
    for (element, words) in coordinate.as_chunks::<N>().0.iter().zip(&mut columns) {
        let [canonical] = f([element]);
        *words = packed(&canonical);
    }
    scatter(columns.as_flattened(), words);
}

/// [`GroupLanes::write`](super::GroupLanes::write).
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn write<const N: usize, const P: usize, const T: usize>(points: &[Vector], rows: &mut [u64]) {
    if P == N {
        return scatter(points, rows);
    }
    let mut columns = [[_mm512_setzero_si512(); P]; T];
    for (element, words) in points.as_chunks::<N>().0.iter().zip(&mut columns) {
        *words = packed(element);
    }
    scatter(columns.as_flattened(), rows);
}

/// [`GroupLanes::read`](super::GroupLanes::read).
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn read<const N: usize, const P: usize, const D: usize, const T: usize>(
    block: &mut Block<'_>,
    opposite: impl Fn([&[Vector; N]; D]) -> [[Vector; N]; D],
) {
    let groups = block.sums.as_chunks_mut::<N>().0.as_chunks_mut::<T>().0;
    for (i, (places, sum)) in block.places.chunks(LANES).zip(groups).enumerate() {
        ask(block.rows, block.places, i + AHEAD);
        point::<N, P, D, T>(block.rows, places, sum, &opposite);
    }
}

/// [`GroupLanes::distances`](super::GroupLanes::distances), by the functions `distance` and `opposite`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn distances<const N: usize, const P: usize, const D: usize, const T: usize, const K: usize>(
    block: &mut Block<'_>,
    distance: impl Fn([&[Vector; N]; K]) -> [[Vector; N]; D],
    opposite: impl Fn([&[Vector; N]; D]) -> [[Vector; N]; D],
) {
    multiply::<N, P, D, T, K>(block, |pair| (distance(pair), 0), opposite);
}

/// [`GroupLanes::any_distances`](super::GroupLanes::any_distances); the last element that `distance` gives is zero
/// where the sum is the identity.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn any_distances<const N: usize, const P: usize, const D: usize, const T: usize, const K: usize>(
    block: &mut Block<'_>,
    distance: impl Fn([&[Vector; N]; K]) -> ([[Vector; N]; D], [Vector; N]),
    opposite: impl Fn([&[Vector; N]; D]) -> [[Vector; N]; D],
) {
    let of_group = |pair: [&[Vector; N]; K]| {
        let (product, is_point) = distance(pair);
        let mut any = is_point[0];
        for limb in &is_point[1..] {
            any = _mm512_or_si512(any, *limb);
        }
        (product, !_mm512_test_epi64_mask(any, any))
    };
    multiply::<N, P, D, T, K>(block, of_group, opposite);
}

/// Reads the terms, group by group; `multiply` gives the product of the denominators before and of a group, and the
/// lanes whose sum is the identity.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn multiply<const N: usize, const P: usize, const D: usize, const T: usize, const K: usize>(
    block: &mut Block<'_>,
    multiply: impl Fn([&[Vector; N]; K]) -> ([[Vector; N]; D], u8),
    opposite: impl Fn([&[Vector; N]; D]) -> [[Vector; N]; D],
) {
    const { assert!(K == PAIR * D && T == 2 * D) };
    let sums = block.sums.as_chunks::<N>().0.as_chunks::<T>().0;
    let terms = block.terms.as_chunks_mut::<N>().0.chunks_exact_mut(TERM * D);
    let products = block.products.as_chunks_mut::<N>().0.as_chunks_mut::<D>().0;
    let masks = block.empty.iter().zip(&mut *block.vanishing);
    let groups = block.places.chunks(LANES).zip(sums).zip(terms).zip(masks);
    for (i, (((places, sum), term), (empty, vanishing))) in groups.enumerate() {
        ask(block.rows, block.places, i + AHEAD);
        let (read, before) = term.split_first_chunk_mut::<T>().expect("a point");
        point::<N, P, D, T>(block.rows, places, read, &opposite);
        let product = &mut products[i % CHAINS];
        before.copy_from_slice(product);
        let (next, gone) = multiply(pair(sum, term, product));
        *vanishing = gone;
        let skipped = empty | !taking(places);
        match skipped {
            0 => *product = next,
            _ => {
                for (old, new) in product.as_flattened_mut().iter_mut().zip(next.as_flattened()) {
                    *old = _mm512_mask_mov_epi64(*new, skipped, *old);
                }
            }
        }
    }
}

/// [`GroupLanes::chords`](super::GroupLanes::chords) and [`GroupLanes::any_chords`](super::GroupLanes::any_chords),
/// by the function `chord` or `any_chord`: from the last group to the first.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn chords<const N: usize, const D: usize, const T: usize, const K: usize, const R: usize>(
    block: &mut Block<'_>,
    chord: impl Fn([&[Vector; N]; K]) -> [[Vector; N]; R],
) {
    const { assert!(K == PAIR * D && T == 2 * D && R == 3 * D) };
    let used = block.places.len().div_ceil(LANES);
    let sums = block.sums.as_chunks_mut::<N>().0.as_chunks_mut::<T>().0[..used].iter_mut();
    let terms = block.terms.as_chunks::<N>().0.chunks_exact(TERM * D);
    let inverses = block.products.as_chunks_mut::<N>().0.as_chunks_mut::<D>().0;
    let masks = block.empty.iter_mut().zip(&*block.vanishing);
    let groups = block.places.chunks(LANES).zip(sums).zip(terms).zip(masks);
    for (i, (((places, sum), term), (empty, vanishing))) in groups.enumerate().rev() {
        let inverse = &mut inverses[i % CHAINS];
        let results = chord(pair(sum, term, inverse));
        let (third, left) = results.split_first_chunk::<T>().expect("a point");
        let taking = taking(places);
        let skipped = *empty | !taking;
        if skipped == 0 {
            *sum = *third;
            inverse.copy_from_slice(left);
            *empty = *vanishing;
            continue;
        }
        for (old, new) in inverse.as_flattened_mut().iter_mut().zip(left.as_flattened()) {
            *old = _mm512_mask_mov_epi64(*new, skipped, *old);
        }
        let added = third.as_flattened().iter().zip(term.as_flattened());
        for (old, (third, term)) in sum.as_flattened_mut().iter_mut().zip(added) {
            // The identity and a term is the term.
            let new = _mm512_mask_mov_epi64(*third, *empty, *term);
            *old = _mm512_mask_mov_epi64(*old, taking, new);
        }
        *empty = *empty & !taking | vanishing & !skipped;
    }
}

/// The coordinates of sums, of the terms that are added to them with the product before, and of the inverse, if it is
/// known.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn pair<'a, const N: usize, const K: usize>(
    sum: &'a [[Vector; N]],
    term: &'a [[Vector; N]],
    inverse: &'a [[Vector; N]],
) -> [&'a [Vector; N]; K] {
    let mut pair = [&sum[0]; K];
    for (place, element) in pair.iter_mut().zip(sum.iter().chain(term).chain(inverse)) {
        *place = element;
    }
    pair
}

/// Lanes that take a term.
#[inline]
fn taking(places: &[Place]) -> u8 {
    match places.len() {
        LANES.. => u8::MAX,
        len => (1 << len) - 1,
    }
}

/// Reads a group's points; lanes that have none get the last one.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn point<const N: usize, const P: usize, const D: usize, const T: usize>(
    rows: Rows<'_>,
    places: &[Place],
    point: &mut [[Vector; N]; T],
    opposite: impl Fn([&[Vector; N]; D]) -> [[Vector; N]; D],
) {
    let mut eight: [&[u64]; LANES] = [&[]; LANES];
    let mut signs = 0;
    for (lane, row) in eight.iter_mut().enumerate() {
        let place = places[lane.min(places.len() - 1)];
        *row = rows.get(place);
        signs |= ((place & 1) as u8) << lane;
    }
    if P == N {
        gather(&eight, point.as_flattened_mut());
    } else {
        let mut columns = [[_mm512_setzero_si512(); P]; T];
        gather(&eight, columns.as_flattened_mut());
        for (element, words) in point.iter_mut().zip(&columns) {
            *element = unpacked(words);
        }
    }
    let (_, y) = point.split_last_chunk_mut::<D>().expect("a coordinate");
    let mut elements = [&y[0]; D];
    for (element, y) in elements.iter_mut().zip(&*y) {
        *element = y;
    }
    let negated = opposite(elements);
    for (limb, negated) in y.as_flattened_mut().iter_mut().zip(negated.as_flattened()) {
        *limb = _mm512_mask_mov_epi64(*limb, signs, *negated);
    }
}

/// Asks for the rows of a group.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn ask(rows: Rows<'_>, places: &[Place], group: usize) {
    for place in places.iter().skip(LANES * group).take(LANES) {
        prefetch(rows.get(*place));
    }
}

/// Eight rows that lie one after the other.
#[inline]
fn eight(words: &[u64], row: usize) -> [&[u64]; LANES] {
    let mut rows: [&[u64]; LANES] = [&[]; LANES];
    for (row, words) in rows.iter_mut().zip(words.chunks_exact(row)) {
        *row = words;
    }
    rows
}
