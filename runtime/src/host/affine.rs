//! Sums of buckets by additions of affine points, which share inversions.
//!
//! Terms are sorted by their buckets. Neighbours of a bucket are added in pairs, then the sums of those, and
//! so on. The additions of a round do not depend on each other, so that one inversion serves them all
//! (Montgomery, "Speeding the Pollard and elliptic curve methods of factorization", 1987, section 10.3.1). An
//! addition is then five multiplications and a square, a mixed one of a bucket eight and two. Which terms
//! meet in a bucket makes no difference: one bucket with all terms takes as many additions as many buckets
//! do.

use super::digits::WindowTerms;
use crate::group::Points;
use ark_ec::AffineRepr as _;
use ark_ff::Field;

/// Bytes of the terms that are added before others are read. With denominators and their products they fit a
/// second-level cache.
const CHUNK_BYTES: usize = 1 << 19;
/// Fewer terms share too few inversions.
const LEAST: usize = 1 << 8;
/// The most terms, whose indices share a word with a sign.
const MOST: usize = 1 << 31;

/// Terms that are added before others are read.
const fn chunk<F>() -> usize {
    CHUNK_BYTES / size_of::<[F; 2]>()
}

/// Whether as many terms are worth it.
pub(super) fn is_worth(terms: usize) -> bool {
    (LEAST..=MOST).contains(&terms)
}

/// A sum of terms on a short Weierstrass curve, by one bucket for each absolute value from 1 to `buckets`; at
/// most 2^31 points.
pub(super) fn sum<P: Points>(points: &[P::Affine], terms: WindowTerms<'_>, buckets: usize) -> P {
    let [a, _] = P::COEFFICIENTS;
    let (starts, order) = sorted(terms, buckets);
    let chunk = chunk::<P::BaseField>();
    let mut terms = Terms::default();
    let mut sums = Vec::with_capacity(buckets.min(order.len()));
    let mut bucket = 0;
    for (chunk, places) in order.chunks(chunk).zip((0..).step_by(chunk)) {
        for (term, place) in chunk.iter().zip(places..) {
            while starts[bucket + 1] as usize <= place {
                bucket += 1;
            }
            if let Some((x, y)) = points[(term >> 1) as usize].xy() {
                terms.points.push([x, if term & 1 == 0 { y } else { -y }]);
                terms.buckets.push(bucket as u32);
            }
        }
        while terms.add_neighbours(a) {}
        // The last bucket may have terms in the next chunk.
        terms.take_but(1, &mut sums);
    }
    terms.take_but(0, &mut sums);
    weighted(&sums, buckets)
}

/// Terms by their buckets, which are numbered from 0: where each bucket starts and the last one ends; and
/// twice the index of each point, plus one if its digit is negative.
fn sorted(terms: WindowTerms<'_>, buckets: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; buckets + 1];
    for (_, digit) in terms.iter() {
        starts[usize::from(digit.unsigned_abs())] += 1;
    }
    for bucket in 0..buckets {
        starts[bucket + 1] += starts[bucket];
    }
    let mut next = starts.clone();
    let mut order = vec![0; starts[buckets] as usize];
    for (point, digit) in terms.iter() {
        let place = &mut next[usize::from(digit.unsigned_abs()) - 1];
        order[*place as usize] = point << 1 | u32::from(digit < 0);
        *place += 1;
    }
    (starts, order)
}

/// `Σ (i + 1) · bucket(i)`, as the sum of the sums of the buckets from `i` on.
fn weighted<P: Points>(sums: &[(u32, [P::BaseField; 2])], buckets: usize) -> P {
    let (mut from_here, mut total) = (P::ZERO_BUCKET, P::ZERO_BUCKET);
    let mut sums = sums.iter().rev().peekable();
    for bucket in (0..buckets as u32).rev() {
        if let Some((_, [x, y])) = sums.next_if(|(of, _)| *of == bucket) {
            from_here += &P::affine(*x, *y);
        }
        total += &from_here;
    }
    let mut sum = P::zero();
    sum += &total;
    sum
}

/// Affine points in the order of their buckets.
struct Terms<F> {
    points: Vec<[F; 2]>,
    buckets: Vec<u32>,
    /// The first of each pair of a round, and what their sum is.
    pairs: Vec<(u32, Pair)>,
    /// Denominators of the slopes of the pairs, then their inverses.
    slopes: Vec<F>,
    /// Products of the denominators before each.
    products: Vec<F>,
}

impl<F> Default for Terms<F> {
    fn default() -> Self {
        Terms { points: vec![], buckets: vec![], pairs: vec![], slopes: vec![], products: vec![] }
    }
}

impl<F: Field> Terms<F> {
    /// Adds neighbours of a bucket, each to one other. Were there any?
    fn add_neighbours(&mut self, a: F) -> bool {
        let Terms { points, buckets, pairs, slopes, products } = self;
        pairs.clear();
        slopes.clear();
        products.clear();
        let mut product = F::ONE;
        let mut i = 1;
        while i < buckets.len() {
            if buckets[i - 1] != buckets[i] {
                i += 1;
                continue;
            }
            let (pair, denominator) = Pair::of(&points[i - 1], &points[i]);
            pairs.push((i as u32 - 1, pair));
            slopes.push(denominator);
            products.push(product);
            product *= denominator;
            i += 2;
        }
        if pairs.is_empty() {
            return false;
        }
        let mut inverse = product.inverse().expect("no denominator is zero");
        for (slope, before) in slopes.iter_mut().zip(products).rev() {
            let own = inverse * *before;
            inverse *= *slope;
            *slope = own;
        }
        // A sum takes the place of a term that was read.
        let (mut read, mut written) = (0, 0);
        let mut put = |points: &mut Vec<[F; 2]>, point, from: usize| {
            points[written] = point;
            buckets[written] = buckets[from];
            written += 1;
        };
        for ((first, pair), inverse) in pairs.iter().zip(slopes) {
            for i in read..*first as usize {
                let point = points[i];
                put(points, point, i);
            }
            read = *first as usize + 2;
            if let Some(sum) = pair.sum(points[read - 2], points[read - 1], *inverse, a) {
                put(points, sum, read - 2);
            }
        }
        for i in read..points.len() {
            let point = points[i];
            put(points, point, i);
        }
        points.truncate(written);
        buckets.truncate(written);
        true
    }

    /// Moves all but the last `kept` to `sums`.
    fn take_but(&mut self, kept: usize, sums: &mut Vec<(u32, [F; 2])>) {
        let taken = self.points.len().saturating_sub(kept);
        sums.extend(self.buckets.drain(..taken).zip(self.points.drain(..taken)));
    }
}

/// What the sum of two points is.
#[derive(Clone, Copy)]
enum Pair {
    /// The third point of their line, mirrored.
    Distinct,
    /// That of the tangent: they are equal.
    Equal,
    /// The identity: they are opposite.
    Opposite,
}

impl Pair {
    /// What two points are, and the denominator of the slope of their line; one where that is vertical.
    fn of<F: Field>([x, y]: &[F; 2], [other_x, other_y]: &[F; 2]) -> (Pair, F) {
        let difference = *other_x - x;
        if !difference.is_zero() {
            return (Pair::Distinct, difference);
        }
        match y == other_y && !y.is_zero() {
            true => (Pair::Equal, y.double()),
            false => (Pair::Opposite, F::ONE),
        }
    }

    /// The sum of two points, if it is not the identity; `inverse` is that of their denominator.
    fn sum<F: Field>(self, [x, y]: [F; 2], [other_x, other_y]: [F; 2], inverse: F, a: F) -> Option<[F; 2]> {
        let numerator = match self {
            Pair::Distinct => other_y - y,
            Pair::Equal => {
                let square = x.square();
                square.double() + square + a
            }
            Pair::Opposite => return None,
        };
        let slope = numerator * inverse;
        let sum = slope.square() - x - other_x;
        Some([sum, slope * (x - sum) - y])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::CurveGroup as _;
    use ark_ec::short_weierstrass::{Affine, Projective};
    use ark_ed_on_bls12_381::{Fq, Fr, JubjubConfig};
    use ark_ff::{PrimeField as _, UniformRand as _, Zero as _};
    use ark_std::rand::{Rng as _, SeedableRng, rngs::StdRng};

    /// A group whose order is eight times a prime.
    type Point = Affine<JubjubConfig>;

    fn is_definition(points: &[Point], digits: &[i16], buckets: usize, what: &str) {
        let term = |(point, digit): (&Point, &i16)| {
            let product = point.mul_bigint([u64::from(digit.unsigned_abs())]);
            if *digit < 0 { -product } else { product }
        };
        let expected: Projective<JubjubConfig> = points.iter().zip(digits).map(term).sum();
        let terms = WindowTerms { digits, first: 0, points: None };
        assert_eq!(sum::<Projective<JubjubConfig>>(points, terms, buckets), expected, "{what}");
    }

    /// Points of the whole curve, of its subgroup, and of orders that divide eight; the identity is among
    /// them.
    fn points(rng: &mut StdRng, count: usize) -> Vec<Point> {
        let any =
            std::iter::repeat_with(|| Point::get_point_from_x_unchecked(Fq::rand(rng), false)).flatten();
        let multiple = |(i, point): (usize, Point)| match i % 4 {
            0 => point.mul_bigint([8]).into_affine(),
            1 => point.mul_bigint(Fr::MODULUS).into_affine(),
            _ => point,
        };
        any.take(count).enumerate().map(multiple).collect()
    }

    #[test]
    fn sums_are_the_definition() {
        let rng = &mut StdRng::seed_from_u64(1);
        let chunk = chunk::<Fq>();
        let points = points(rng, 2 * chunk + 3);
        for n in [0, 1, 2, 3, 31, chunk - 1, chunk, chunk + 1, points.len()] {
            for buckets in [1, 2, 64] {
                let most = buckets as i16;
                let digits: Vec<i16> = (0..n).map(|_| rng.gen_range(-most..=most)).collect();
                is_definition(&points[..n], &digits, buckets, &format!("{n} in {buckets} buckets"));
            }
        }
    }

    #[test]
    fn points_that_are_equal_or_opposite_add_up() {
        let rng = &mut StdRng::seed_from_u64(2);
        let some = points(rng, 40);
        let of_order_two = |point: &&Point| !point.is_zero() && point.y.is_zero();
        let small = some.iter().map(|point| point.mul_bigint(Fr::MODULUS));
        let small: Vec<Point> =
            small.flat_map(|p| [p, p + p, p + p + p + p].map(|p| p.into_affine())).collect();
        let two = *small.iter().find(of_order_two).expect("half of the points have an even order");
        let n = 3 * LEAST;
        let cases: [(&str, Vec<Point>); 5] = [
            ("equal", vec![some[0]; n]),
            ("opposite", (0..n).map(|i| if i % 2 == 0 { some[0] } else { -some[0] }).collect()),
            ("equal in blocks", (0..n).map(|i| some[i / 37]).collect()),
            ("of order two", vec![two; n]),
            ("few", (0..n).map(|_| some[rng.gen_range(0..3)]).collect()),
        ];
        for (what, points) in cases {
            for signs in [[1, 1], [1, -1], [-1, -1]] {
                for n in [n, n - 1] {
                    let digits: Vec<i16> = (0..n).map(|i| signs[i / 2 % 2] * (1 + i as i16 / 100)).collect();
                    is_definition(&points[..n], &digits, 16, what);
                }
            }
        }
    }

    #[test]
    fn few_terms_are_added_one_by_one() {
        assert!(
            !is_worth(0) && !is_worth(LEAST - 1) && is_worth(LEAST) && is_worth(MOST) && !is_worth(MOST + 1)
        );
    }
}
