//! Loops over the lanes of a field, for declarations to instantiate with its functions.
//!
//! Coordinates are `D` elements of `N` vectors each. Closures are made in functions with the same
//! `#[target_feature]`, which they inherit.

use super::rows::{gather, prefetch, scatter};
use super::{Block, LANES, PAIR, Place, Vector};
use core::arch::x86_64::{_mm512_mask_mov_epi64, _mm512_or_si512, _mm512_test_epi64_mask};

/// Groups of pairs between asking for the rows of one and reading them.
const AHEAD: usize = 2;

/// Each element of the prime field by a function.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn each<const N: usize>(elements: &mut [Vector], f: impl Fn(&[[Vector; N]; 1]) -> [[Vector; N]; 1]) {
    for element in elements.as_chunks_mut::<N>().0 {
        [*element] = f(&[*element]);
    }
}

/// [`GroupLanes::distances`](super::GroupLanes::distances), by the functions `distance` and `opposite`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn distances<const N: usize, const D: usize, const K: usize>(
    block: &mut Block<'_>,
    distance: impl Fn(&[[Vector; N]; K]) -> [[Vector; N]; D],
    opposite: impl Fn(&[[Vector; N]; D]) -> [[Vector; N]; D],
) {
    read(block, |_, _, x| distance(x), opposite);
}

/// [`GroupLanes::any_distances`](super::GroupLanes::any_distances); the last element that `distance` gives is zero where the sum
/// is the identity.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn any_distances<const N: usize, const D: usize, const K: usize>(
    block: &mut Block<'_>,
    distance: impl Fn(&[[Vector; N]; K]) -> ([[Vector; N]; D], [Vector; N]),
    opposite: impl Fn(&[[Vector; N]; D]) -> [[Vector; N]; D],
) {
    let of_group = |vanishing: &mut [u8], group: usize, x: &[[Vector; N]; K]| {
        let (product, is_point) = distance(x);
        let any = is_point[1..].iter().fold(is_point[0], |any, limb| _mm512_or_si512(any, *limb));
        vanishing[group] = !_mm512_test_epi64_mask(any, any);
        product
    };
    read(block, of_group, opposite);
}

/// Reads the pairs, group by group; `multiply` gives the product of what there was and a group.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn read<const N: usize, const D: usize, const K: usize>(
    block: &mut Block<'_>,
    multiply: impl Fn(&mut [u8], usize, &[[Vector; N]; K]) -> [[Vector; N]; D],
    opposite: impl Fn(&[[Vector; N]; D]) -> [[Vector; N]; D],
) {
    const { assert!(K == PAIR * D) };
    let points = block.points;
    let groups = block.groups.as_chunks_mut::<N>().0.as_chunks_mut::<K>().0;
    let (product, _) =
        block.product.as_chunks_mut::<N>().0.split_first_chunk_mut::<D>().expect("a coordinate");
    let of_lane = |pairs: &[[Place; 2]], lane: usize| pairs[lane.min(pairs.len() - 1)];
    for (i, (pairs, group)) in block.pairs.chunks(LANES).zip(groups).enumerate() {
        for pair in block.pairs.iter().skip(LANES * (i + AHEAD)).take(LANES) {
            pair.iter().for_each(|place| prefetch(points.get(*place)));
        }
        for side in 0..2 {
            let point = &mut group[2 * D * side..2 * D * (side + 1)];
            let rows = std::array::from_fn(|lane| points.get(of_lane(pairs, lane)[side]));
            gather(rows, point.as_flattened_mut());
            let sign = |mask, lane| mask | ((of_lane(pairs, lane)[side] & 1) as u8) << lane;
            let signs = (0..LANES).fold(0, sign);
            if signs != 0 {
                let (y, _) = point[D..].split_first_chunk_mut::<D>().expect("a coordinate");
                let negated = opposite(y);
                for (limb, negated) in y.as_flattened_mut().iter_mut().zip(negated.as_flattened()) {
                    *limb = _mm512_mask_mov_epi64(*limb, signs, *negated);
                }
            }
        }
        group[4 * D..5 * D].copy_from_slice(product);
        *product = multiply(block.vanishing, i, group);
    }
}

/// [`GroupLanes::chords`](super::GroupLanes::chords) and [`GroupLanes::any_chords`](super::GroupLanes::any_chords), by the function
/// `chord` or `any_chord`: from the last group to the first.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn chords<const N: usize, const D: usize, const K: usize, const R: usize>(
    block: &mut Block<'_>,
    chord: impl Fn(&[[Vector; N]; K]) -> [[Vector; N]; R],
) {
    const { assert!(K == PAIR * D && R == 3 * D) };
    let groups = block.groups.as_chunks_mut::<N>().0.as_chunks_mut::<K>().0;
    let inverse = &mut block.product.as_chunks_mut::<N>().0[..D];
    let used = block.pairs.len().div_ceil(LANES);
    let rows = block.sums.chunks_exact_mut(LANES * 2 * D * N);
    for (group, rows) in groups[..used].iter_mut().zip(rows).rev() {
        group[5 * D..].copy_from_slice(inverse);
        let results = chord(group);
        scatter(results[..2 * D].as_flattened(), rows);
        inverse.copy_from_slice(&results[2 * D..]);
    }
}
