//! Sums of buckets by lanes: additions of affine points, which share inversions.
//!
//! As in [`affine`](crate::host::affine), terms are sorted by their buckets, and neighbours of a bucket are added in rounds. Here a
//! round's pairs are added eight at a time, and a bucket's number is taken apart too: with `i = 2^k·hi + lo`, `Σ i·S(i)` is
//! `2^k·Σ hi·H(hi) + Σ lo·L(lo)`, where `H` and `L` are sums of buckets again, of fewer.

use super::able::Able;
use super::convert::{invert, points_of, rows_of, set_one};
use super::{Block, LANES, Place, Rows, Vector};
use crate::group::{AffineOf, Group, ProjectiveOf};
use crate::host::affine::sorted;
use crate::host::arithmetic::BucketSums;
use ark_ec::{AffineRepr as _, VariableBaseMSM as _};
use ark_ff::{AdditiveGroup as _, Zero as _};
use bytemuck::Zeroable as _;
use std::cell::Cell;
use std::marker::PhantomData;

/// Terms that are added before others are read: enough that the last rounds, of few pairs, are few.
const CHUNK: usize = 1 << 14;
/// Bytes of the groups that share an inversion; they fit a second-level cache.
const BLOCK_BYTES: usize = 3 << 18;
/// Buckets that are summed one by one, as a power of two.
const FEW: u32 = 6;
/// Points whose places are told apart.
const MOST: usize = 1 << 30;

/// Points as rows.
pub(in crate::host) struct Lanes<G: Group> {
    lanes: Able,
    rows: Vec<u64>,
    /// Whether each point is the identity, if any is.
    identities: Option<Vec<bool>>,
    group: PhantomData<G>,
}

impl<G: Group> Lanes<G> {
    /// `None` if the group has no functions, or this processor lacks their instructions.
    pub(in crate::host) fn new(points: &[AffineOf<G>]) -> Option<Self> {
        let lanes = Able::new(G::lanes()?)?;
        let identities: Vec<bool> = points.iter().map(AffineOf::<G>::is_zero).collect();
        Some(Lanes {
            lanes,
            rows: rows_of::<G>(lanes, points),
            identities: identities.contains(&true).then_some(identities),
            group: PhantomData,
        })
    }
}

impl<G: Group> BucketSums<G> for Lanes<G> {
    fn sum(&self, first: usize, digits: &[i32], buckets: usize) -> ProjectiveOf<G> {
        if digits.len() > MOST {
            let (low, high) = digits.split_at(MOST);
            return self.sum(first, low, buckets) + self.sum(first + MOST, high, buckets);
        }
        let points = first..first + digits.len();
        let (starts, order) = match &self.identities {
            None => sorted(digits, buckets),
            Some(identities) => {
                let of_points = digits.iter().zip(&identities[points.clone()]);
                let digits: Vec<i32> =
                    of_points.map(|(digit, is_zero)| if *is_zero { 0 } else { *digit }).collect();
                sorted(&digits, buckets)
            }
        };
        let words = self.lanes.row();
        let bases = &self.rows[points.start * words..points.end * words];
        let mut adder =
            Adder::<G> { lanes: self.lanes, bases, space: SPACE.take(), kept: 0, group: PhantomData };
        let sum = adder.weighted(&starts, &order, buckets.next_power_of_two().ilog2());
        SPACE.set(adder.space);
        sum
    }
}

thread_local! {
    /// A thread's sums follow each other.
    static SPACE: Cell<Space> = const { Cell::new(Space { sums: vec![], groups: vec![], terms: vec![], pairs: vec![] }) };
}

/// Memory of a sum of buckets.
#[derive(Default)]
struct Space {
    /// Rows: sums that are kept, then those of a chunk.
    sums: Vec<u64>,
    /// Vectors of the pairs of a block.
    groups: Vec<Vector>,
    terms: Vec<Term>,
    pairs: Vec<[Place; 2]>,
}

/// A point that is added to a bucket.
#[derive(Clone, Copy)]
struct Term {
    bucket: u32,
    place: Place,
}

struct Adder<'a, G> {
    lanes: Able,
    bases: &'a [u64],
    space: Space,
    /// Rows of sums that are kept.
    kept: usize,
    group: PhantomData<G>,
}

impl<G: Group> Adder<'_, G> {
    /// `Σ (i + 1)·bucket(i)` of `2^bits` buckets at most; the terms of bucket `i` are those from `starts[i]` to `starts[i + 1]`.
    fn weighted(&mut self, starts: &[u32], order: &[Place], bits: u32) -> ProjectiveOf<G> {
        let sums = self.sums(starts, order);
        if bits <= FEW {
            return self.few(&sums);
        }
        // 1 + 2^k·hi + lo: buckets of `hi = 0` count nothing.
        let k = bits / 2;
        let high = sums.iter().filter(|sum| sum.bucket >> k != 0);
        let high = high.map(|sum| Term { bucket: (sum.bucket >> k) - 1, ..*sum });
        let low = sums.iter().map(|sum| Term { bucket: sum.bucket & ((1 << k) - 1), ..*sum });
        let [mut total, low] =
            [(high.collect::<Vec<_>>(), bits - k), (low.collect(), k)].map(|(terms, bits)| {
                let (starts, order) = by_bucket(&terms, 1 << bits);
                self.weighted(&starts, &order, bits)
            });
        for _ in 0..k {
            total.double_in_place();
        }
        total + low
    }

    /// The same of few buckets, one sum each, as the sum of the sums of the buckets from `i` on.
    fn few(&self, sums: &[Term]) -> ProjectiveOf<G> {
        let rows = self.rows();
        let mut points = Vec::with_capacity(sums.len().next_multiple_of(LANES));
        for eight in sums.chunks(LANES) {
            let row = |lane: usize| rows.get(eight[lane.min(eight.len() - 1)].place);
            points.extend(points_of::<G>(self.lanes, std::array::from_fn(row)));
        }
        let (mut from_here, mut total) = (ProjectiveOf::<G>::ZERO_BUCKET, ProjectiveOf::<G>::ZERO_BUCKET);
        let mut left = sums.iter().zip(&points).rev().peekable();
        let last = sums.last().map_or(0, |sum| sum.bucket + 1);
        for bucket in (0..last).rev() {
            if let Some((sum, point)) = left.next_if(|(sum, _)| sum.bucket == bucket) {
                match sum.place & 1 {
                    0 => from_here += point,
                    _ => from_here -= point,
                }
            }
            total += &from_here;
        }
        let mut sum = ProjectiveOf::<G>::zero();
        sum += &total;
        sum
    }

    /// The sum of each bucket that is not the identity.
    fn sums(&mut self, starts: &[u32], order: &[Place]) -> Vec<Term> {
        let words = self.lanes.row();
        // Sums that come to stay are before those of a chunk, and one of each chunk is in the next.
        let most = (starts.len() - 1).min(order.len()) + order.len().div_ceil(CHUNK);
        let scratch = self.kept + most;
        let rows = scratch + CHUNK + 2 * LANES;
        if self.space.sums.len() < rows * words {
            self.space.sums.resize(rows * words, 0);
        }
        let mut sums = vec![];
        let mut bucket = 0;
        self.space.terms.clear();
        for (chunk, start) in order.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
            for (&place, at) in chunk.iter().zip(start..) {
                while starts[bucket + 1] as usize <= at {
                    bucket += 1;
                }
                self.space.terms.push(Term { bucket: bucket as u32, place });
            }
            let mut next = scratch;
            while let Some(after) = self.round(next) {
                next = after;
            }
            let mut terms = std::mem::take(&mut self.space.terms);
            for term in &mut terms {
                self.keep(term, scratch);
            }
            // The last bucket may have terms in the next chunk.
            let done = terms.len().saturating_sub(1);
            sums.extend(terms.drain(..done));
            self.space.terms = terms;
        }
        sums.append(&mut self.space.terms);
        sums
    }

    /// Moves a sum out of the rows of a chunk, which start at row `scratch`.
    fn keep(&mut self, term: &mut Term, scratch: usize) {
        let words = self.lanes.row();
        let bases = self.bases.len() / words;
        let Some(from) = ((term.place >> 1) as usize).checked_sub(bases + scratch) else { return };
        let from = (scratch + from) * words;
        self.space.sums.copy_within(from..from + words, self.kept * words);
        term.place = ((bases + self.kept) as Place) << 1 | term.place & 1;
        self.kept += 1;
    }

    fn rows(&self) -> Rows<'_> {
        Rows { bases: self.bases, sums: &self.space.sums, words: self.lanes.row() }
    }

    /// Adds neighbours of a bucket, each to one other; their sums lie from row `next` on. Where those end; `None` if there were
    /// no neighbours.
    fn round(&mut self, next: usize) -> Option<usize> {
        let lanes = self.lanes;
        let words = lanes.row();
        let bases = self.bases.len() / words;
        let Space { sums, groups, terms, pairs } = &mut self.space;
        pairs.clear();
        let (mut read, mut written) = (0, 0);
        while let Some(&term) = terms.get(read) {
            let other = terms.get(read + 1).filter(|other| other.bucket == term.bucket);
            terms[written] = match other {
                None => term,
                Some(other) => {
                    pairs.push([term.place, other.place]);
                    let sum = bases + next + pairs.len() - 1;
                    read += 1;
                    Term { place: (sum as Place) << 1, ..term }
                }
            };
            read += 1;
            written += 1;
        }
        terms.truncate(written);
        if pairs.is_empty() {
            return None;
        }
        let most_groups = BLOCK_BYTES / (lanes.pair() * size_of::<Vector>()) + 1;
        let enough = most_groups.min(CHUNK.div_ceil(2 * LANES)) * lanes.pair();
        if groups.len() < enough {
            groups.resize(enough, Vector::zeroed());
        }
        let mut product = vec![Vector::zeroed(); lanes.coordinate()];
        let mut vanishing = vec![0; most_groups];
        let (read, written) = sums.split_at_mut(next * words);
        let points = Rows { bases: self.bases, sums: read, words };
        // Of sums that are the identity, in the order of the terms.
        let mut gone = vec![];
        let mut first = bases + next;
        let written = written.chunks_mut(most_groups * LANES * words);
        for (pairs, sums) in pairs.chunks(most_groups * LANES).zip(written) {
            let (product, vanishing) = (&mut product[..], &mut vanishing[..]);
            let mut block = Block { points, pairs, groups, product, vanishing, sums };
            set_one::<G>(lanes, block.product);
            lanes.distances(&mut block);
            if invert::<G>(lanes, block.product) {
                lanes.chords(&mut block);
            } else {
                // Points of some pair are equal or opposite.
                set_one::<G>(lanes, block.product);
                lanes.any_distances(&mut block);
                assert!(invert::<G>(lanes, block.product), "no denominator is zero");
                lanes.any_chords(&mut block);
                let vanishes = |i: &usize| block.vanishing[i / LANES] >> (i % LANES) & 1 == 1;
                gone.extend((0..pairs.len()).filter(vanishes).map(|i| ((first + i) as Place) << 1));
            }
            first += pairs.len();
        }
        let mut gone = gone.into_iter().peekable();
        terms.retain(|term| gone.next_if_eq(&term.place).is_none());
        Some(next + pairs.len())
    }
}

/// Terms sorted by their buckets: where each of so many buckets starts and the last one ends, and the places.
fn by_bucket(terms: &[Term], buckets: usize) -> (Vec<u32>, Vec<Place>) {
    let mut starts = vec![0; buckets + 1];
    for term in terms {
        starts[term.bucket as usize + 1] += 1;
    }
    for bucket in 0..buckets {
        starts[bucket + 1] += starts[bucket];
    }
    let mut next = starts.clone();
    let mut order = vec![0; terms.len()];
    for term in terms {
        let at = &mut next[term.bucket as usize];
        order[*at as usize] = term.place;
        *at += 1;
    }
    (starts, order)
}
