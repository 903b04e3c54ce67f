//! arkworks' elements as those of lanes, and back.

use super::able::Able;
use crate::field::{Field, MontLimbs};
use crate::group::{AffineOf, CoordinateOf, Group, Points, ProjectiveOf};
use crate::lanes::{LANES, Vector};
use crate::parallel::chunks;
use ark_ec::AffineRepr as _;
use ark_ff::{AdditiveGroup as _, Field as _, Zero as _, serial_batch_inversion_and_mul};
use bytemuck::Zeroable as _;

/// Points that are converted by one task.
const TASK: usize = 1 << 10;

/// The rows of points, the last eight filled up; anything for an identity.
pub(super) fn rows_of<G: Group>(lanes: Able, points: &[AffineOf<G>]) -> Vec<Vector> {
    let mut rows = vec![Vector::zeroed(); points.len().div_ceil(LANES) * lanes.row];
    chunks(&mut rows, TASK / LANES * lanes.row, &|task, rows| {
        let mut words = [0, 1].map(|_| vec![0; LANES * lanes.words]);
        let mut eight = vec![Vector::zeroed(); 2 * lanes.coordinate];
        let points = points[task * TASK..].iter().take(TASK);
        let coordinates =
            |point: &AffineOf<G>| point.xy().map_or([CoordinateOf::<G>::ZERO; 2], <[_; 2]>::from);
        let mut points: Vec<[CoordinateOf<G>; 2]> = points.map(coordinates).collect();
        ProjectiveOf::<G>::to_weierstrass(&mut points);
        for (points, rows) in points.chunks(LANES).zip(rows.chunks_exact_mut(lanes.row)) {
            for (lane, point) in points.iter().enumerate() {
                for (words, coordinate) in words.iter_mut().zip(point) {
                    put::<G>(coordinate, &mut words[lane * lanes.words..][..lanes.words]);
                }
            }
            for (words, coordinate) in words.iter().zip(eight.chunks_exact_mut(lanes.coordinate)) {
                lanes.enter(words, coordinate);
            }
            lanes.write(&eight, bytemuck::cast_slice_mut(rows));
        }
    });
    rows
}

/// A coordinate as words, in arkworks' Montgomery form.
fn put<G: Group>(coordinate: &CoordinateOf<G>, words: &mut [u64]) {
    let limbs = <<G::Base as Field>::Ark as MontLimbs>::LIMBS;
    for (element, words) in coordinate.to_base_prime_field_elements().zip(words.chunks_exact_mut(limbs)) {
        words.copy_from_slice(element.mont_limbs());
    }
}

/// The inverse of [`put`].
fn get<G: Group>(words: &[u64]) -> CoordinateOf<G> {
    let limbs = <<G::Base as Field>::Ark as MontLimbs>::LIMBS;
    let element = |words| <G::Base as Field>::Ark::from_mont_limbs(words).expect("canonical");
    let elements = words.chunks_exact(limbs).map(element);
    CoordinateOf::<G>::from_base_prime_field_elems(elements).expect("as many as the degree")
}

/// Eight coordinates as words.
fn left(lanes: Able, coordinate: &[Vector]) -> Vec<u64> {
    let mut words = vec![0; LANES * lanes.words];
    lanes.leave(coordinate, &mut words);
    words
}

/// The first `count` points of groups of eight, which are on the curve or not.
pub(super) fn points_of<G: Group>(lanes: Able, points: &[Vector], count: usize) -> Vec<AffineOf<G>> {
    let mut all = vec![];
    for eight in points.chunks_exact(2 * lanes.coordinate) {
        let (x, y) = eight.split_at(lanes.coordinate);
        let [x, y] = [x, y].map(|coordinate| left(lanes, coordinate));
        let coordinates = x.chunks_exact(lanes.words).zip(y.chunks_exact(lanes.words));
        all.extend(coordinates.take(count - all.len()).map(|(x, y)| [get::<G>(x), get::<G>(y)]));
    }
    ProjectiveOf::<G>::from_weierstrass(&mut all);
    all.into_iter().map(|[x, y]| ProjectiveOf::<G>::affine(x, y)).collect()
}

/// Inverts coordinates, and leaves them if one is zero: are none?
pub(super) fn invert<G: Group>(lanes: Able, coordinates: &mut [Vector]) -> bool {
    let mut elements: Vec<CoordinateOf<G>> = vec![];
    for coordinate in coordinates.chunks_exact(lanes.coordinate) {
        elements.extend(left(lanes, coordinate).chunks_exact(lanes.words).map(get::<G>));
    }
    if elements.iter().any(CoordinateOf::<G>::is_zero) {
        return false;
    }
    serial_batch_inversion_and_mul(&mut elements, &CoordinateOf::<G>::ONE);
    for (elements, coordinate) in
        elements.chunks_exact(LANES).zip(coordinates.chunks_exact_mut(lanes.coordinate))
    {
        enter::<G>(lanes, elements, coordinate);
    }
    true
}

/// One in all lanes of a coordinate.
pub(super) fn one<G: Group>(lanes: Able) -> Vec<Vector> {
    let mut coordinate = vec![Vector::zeroed(); lanes.coordinate];
    enter::<G>(lanes, &[CoordinateOf::<G>::ONE; LANES], &mut coordinate);
    coordinate
}

fn enter<G: Group>(lanes: Able, elements: &[CoordinateOf<G>], coordinate: &mut [Vector]) {
    let mut words = vec![0; LANES * lanes.words];
    for (element, words) in elements.iter().zip(words.chunks_exact_mut(lanes.words)) {
        put::<G>(element, words);
    }
    lanes.enter(&words, coordinate);
}
