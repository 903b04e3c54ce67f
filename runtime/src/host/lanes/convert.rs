//! arkworks' elements as those of lanes, and back.

use super::able::Able;
use super::{BITS, LANES, Vector};
use crate::field::{Field, MontLimbs};
use crate::group::{AffineOf, CoordinateOf, Group, Points, ProjectiveOf};
use crate::parallel::chunks;
use ark_ec::AffineRepr as _;
use ark_ff::{Field as _, Zero as _, serial_batch_inversion_and_mul};
use bytemuck::Zeroable as _;

/// Points that are converted by one task.
const TASK: usize = 1 << 10;

/// A number of 64-bit words as limbs; bits that the limbs have no room for are zero.
fn split(words: &[u64], limbs: &mut [u64]) {
    for (limb, at) in limbs.iter_mut().zip((0..).step_by(BITS as usize)) {
        let (word, shift) = (at / 64, at % 64);
        let from = |i: usize| words.get(i).copied().unwrap_or(0);
        let above = if shift == 0 { 0 } else { from(word + 1) << (64 - shift) };
        *limb = (from(word) >> shift | above) & ((1 << BITS) - 1);
    }
}

/// The inverse of [`split`].
fn join(limbs: &[u64], words: &mut [u64]) {
    words.fill(0);
    for (limb, at) in limbs.iter().zip((0..).step_by(BITS as usize)) {
        let (word, shift) = (at / 64, at % 64);
        // The highest limb's zeros may be beyond the words.
        if let Some(word) = words.get_mut(word) {
            *word |= limb << shift;
        }
        if let Some(word) = words.get_mut(word + 1) {
            *word |= (u128::from(*limb) << shift >> 64) as u64;
        }
    }
}

/// The rows of points; zeros for an identity.
pub(super) fn rows_of<G: Group>(lanes: Able, points: &[AffineOf<G>]) -> Vec<u64> {
    let words = lanes.row();
    let mut rows = vec![0; points.len() * words];
    chunks(&mut rows, TASK * words, &|task, rows| {
        let mut vectors = vec![Vector::zeroed(); words];
        for (eight, rows) in (task * TASK..).step_by(LANES).zip(rows.chunks_mut(LANES * words)) {
            for (point, row) in points[eight..].iter().zip(rows.chunks_exact_mut(words)) {
                write::<G>(lanes, point, row);
            }
            // The last group may be of fewer.
            let mut own = vec![];
            let eight = if rows.len() == LANES * words {
                &mut *rows
            } else {
                own.extend_from_slice(rows);
                own.resize(LANES * words, 0);
                &mut own
            };
            lanes.gather(eights(eight, words), &mut vectors);
            lanes.enter(&mut vectors);
            lanes.scatter(&vectors, eight);
            if !own.is_empty() {
                let len = rows.len();
                rows.copy_from_slice(&own[..len]);
            }
        }
    });
    rows
}

/// Eight rows that lie one after the other.
pub(super) fn eights(rows: &[u64], words: usize) -> [&[u64]; LANES] {
    std::array::from_fn(|i| &rows[i * words..(i + 1) * words])
}

/// A point's coordinates as limbs, in arkworks' Montgomery form.
fn write<G: Group>(lanes: Able, point: &AffineOf<G>, row: &mut [u64]) {
    let Some((x, y)) = point.xy() else { return };
    let elements = x.to_base_prime_field_elements().chain(y.to_base_prime_field_elements());
    for (element, limbs) in elements.zip(row.chunks_exact_mut(lanes.limbs)) {
        split(element.mont_limbs(), limbs);
    }
}

/// The point that limbs in arkworks' Montgomery form are; it is on the curve or not.
fn read<G: Group>(lanes: Able, row: &[u64]) -> AffineOf<G> {
    let [x, y] = [0, 1].map(|i| coordinate::<G>(lanes, &row[i * lanes.coordinate()..][..lanes.coordinate()]));
    ProjectiveOf::<G>::affine(x, y)
}

fn coordinate<G: Group>(lanes: Able, limbs: &[u64]) -> CoordinateOf<G> {
    let mut words = vec![0; <<G::Base as Field>::Ark as MontLimbs>::LIMBS];
    let elements = limbs.chunks_exact(lanes.limbs).map(|limbs| {
        join(limbs, &mut words);
        <G::Base as Field>::Ark::from_mont_limbs(&words).expect("canonical")
    });
    CoordinateOf::<G>::from_base_prime_field_elems(elements).expect("as many as the degree")
}

/// The points of eight rows.
pub(super) fn points_of<G: Group>(lanes: Able, rows: [&[u64]; LANES]) -> [AffineOf<G>; LANES] {
    let words = lanes.row();
    let (mut vectors, mut left) = (vec![Vector::zeroed(); words], vec![0; LANES * words]);
    lanes.gather(rows, &mut vectors);
    lanes.leave(&mut vectors);
    lanes.scatter(&vectors, &mut left);
    eights(&left, words).map(|row| read::<G>(lanes, row))
}

/// Inverts a coordinate's lanes, and leaves them if one is zero: are none?
pub(super) fn invert<G: Group>(lanes: Able, vectors: &mut [Vector]) -> bool {
    let words = lanes.coordinate();
    let mut rows = vec![0; LANES * words];
    let mut left = vectors.to_vec();
    lanes.leave(&mut left);
    lanes.scatter(&left, &mut rows);
    let mut elements = eights(&rows, words).map(|limbs| coordinate::<G>(lanes, limbs));
    if elements.iter().any(CoordinateOf::<G>::is_zero) {
        return false;
    }
    serial_batch_inversion_and_mul(&mut elements, &CoordinateOf::<G>::ONE);
    for (element, row) in elements.iter().zip(rows.chunks_exact_mut(words)) {
        for (element, limbs) in element.to_base_prime_field_elements().zip(row.chunks_exact_mut(lanes.limbs))
        {
            split(element.mont_limbs(), limbs);
        }
    }
    lanes.gather(eights(&rows, words), vectors);
    lanes.enter(vectors);
    true
}

/// Sets a coordinate's lanes to one.
pub(super) fn set_one<G: Group>(lanes: Able, vectors: &mut [Vector]) {
    let words = lanes.coordinate();
    let mut row = vec![0; words];
    for (element, limbs) in
        CoordinateOf::<G>::ONE.to_base_prime_field_elements().zip(row.chunks_exact_mut(lanes.limbs))
    {
        split(element.mont_limbs(), limbs);
    }
    lanes.gather([&row[..]; LANES], vectors);
    lanes.enter(vectors);
}
