//! Sums of buckets by lanes: additions of affine points, which share inversions.
//!
//! Each bucket's terms are shared out to sums of at most so many terms, and each round adds one term to every
//! sum that has one left, eight sums at a time. What is left of that, few sums a bucket, are terms again: of
//! the same buckets, or of the two halves of a bucket's number, `Σ i·S(i)` being
//! `2^k·Σ hi·H(hi) + Σ lo·L(lo)` with `i = 2^k·hi + lo`, where `H` and `L` are sums of buckets again. In the
//! end there are few, which are added one by one.

use super::able::Able;
use super::convert::{invert, one, points_of, rows_of};
use crate::group::{AffineOf, Group, ProjectiveOf};
use crate::host::arithmetic::{BucketSums, Prices, weighted};
use crate::host::digits::WindowTerms;
use crate::lanes::{Block, CHAINS, LANES, Place, Rows, TERM, Vector};
use crate::tier::Tier;
use ark_ec::{AffineRepr as _, VariableBaseMSM as _};
use ark_ff::{AdditiveGroup as _, Zero as _};
use bytemuck::Zeroable as _;
use std::cell::Cell;
use std::marker::PhantomData;

/// Bytes of the sums and terms that share an inversion; they fit a second-level cache of 2 MiB.
const BLOCK_BYTES: usize = 5 << 18;
/// Sums that are worth a round, as an inversion takes the time of some hundred additions.
const MANY: usize = 1 << 12;
/// Buckets and terms of them that are added one by one.
const FEW: usize = 64;
/// The fewest terms that a sum may have.
const LEAST: usize = 4;
/// After points that were equal or opposite, blocks that are expected to have some, at most.
const WARY: u32 = 8;
/// Places whose memory a thread keeps.
const KEPT: usize = 1 << 22;
/// The most terms, whose places are told apart.
const MOST: usize = 1 << 26;

/// Points as rows.
pub(in crate::host) struct Lanes<G: Group> {
    lanes: Able,
    rows: Vec<Vector>,
    /// Whether each point is the identity, if any is.
    identities: Option<Vec<bool>>,
    group: PhantomData<G>,
}

impl<G: Group> Lanes<G> {
    /// `None` if the group has no functions, or this processor lacks their instructions.
    pub(in crate::host) fn new(points: &[AffineOf<G>], tier: Tier) -> Option<Self> {
        let lanes = Able::of(tier, G::lanes)?;
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
    /// Measured: rounds of few sums, in which a sum of buckets ends, take as long as some thousand terms.
    fn prices(&self) -> Prices {
        Prices { bucket: 18, sum: 30_000, together: groups_of_block(self.lanes) * LANES }
    }

    fn sum(&self, windows: &[WindowTerms<'_>], bits: usize) -> ProjectiveOf<G> {
        if windows.iter().map(|terms| terms.digits.len()).sum::<usize>() > MOST {
            if let [terms] = windows {
                return terms.split_at(MOST).map(|terms| self.sum(&[terms], bits)).into_iter().sum();
            }
            let halves = windows.split_at(windows.len() / 2);
            let sums = [halves.0, halves.1].map(|windows| self.sum(windows, bits));
            return weighted::<G>(sums.into_iter(), bits * halves.0.len());
        }
        let row = self.lanes.row;
        let first = windows.iter().map(|terms| terms.first).min().unwrap_or(0);
        let rows = Rows { words: &bytemuck::cast_slice(&self.rows)[first * row..], row };
        let one = one::<G>(self.lanes);
        let mut adder = Adder::<G> {
            lanes: self.lanes,
            one,
            space: SPACE.take(),
            wary: Wary::default(),
            group: PhantomData,
        };
        let numbers = (0..windows.len() as u32).map(|i| Numbers { first: i << bits, bits: bits as u32 });
        let numbers: Vec<Numbers> = numbers.collect();
        let all = windows.iter().zip(&numbers).flat_map(|(window, numbers)| {
            let (start, first) = ((window.first - first) as u32, numbers.first);
            window.iter().map(move |term| Term::of(term, start, first))
        });
        let buckets = windows.len() << (bits - 1);
        let sum = match &self.identities {
            None => adder.weighted(rows, all, numbers.clone(), buckets),
            Some(identities) => {
                let identities = &identities[first..];
                let is_point = |term: &Term| !identities[(term.place >> 1) as usize];
                adder.weighted(rows, all.filter(is_point), numbers.clone(), buckets)
            }
        };
        if adder.space.shares.places.capacity() > KEPT {
            adder.space.shares = Shares::default();
        }
        SPACE.set(adder.space);
        sum
    }
}

/// A point that is added to a bucket.
#[derive(Clone, Copy)]
struct Term {
    bucket: u32,
    place: Place,
}

impl Term {
    /// That of a point and a digit that is not zero, by the first point of its window and the window's first
    /// bucket.
    #[inline]
    fn of((point, digit): (u32, i16), start: u32, first: u32) -> Term {
        let bucket = first + u32::from(digit.unsigned_abs());
        Term { bucket, place: (start + point) << 1 | u32::from(digit < 0) }
    }
}

/// Buckets whose numbers count from `first` on: some bits of a bucket's number in a window, after those of
/// the ones before.
#[derive(Clone, Copy)]
struct Numbers {
    first: u32,
    /// Bits of a number.
    bits: u32,
}

impl Numbers {
    /// The number of a bucket and that of the buckets it is one of; there are some from 0 on.
    fn of(all: &[Numbers], bucket: u32) -> (usize, u32) {
        let at = all.partition_point(|numbers| numbers.first <= bucket) - 1;
        (at, bucket - all[at].first)
    }

    /// Where the next ones start.
    fn end(&self) -> usize {
        (self.first as usize) + (1 << self.bits)
    }
}

/// Sums, each of terms of one bucket.
struct Sums {
    rows: Vec<Vector>,
    /// A term for each that is not the identity.
    terms: Vec<Term>,
    /// Buckets that had terms.
    filled: usize,
}

thread_local! {
    /// A thread's sums follow each other. Memory that each of them got and gave back would be the system's
    /// every time.
    static SPACE: Cell<Space> = Cell::default();
}

/// Memory of sums: of a [`Block`], of shares, and rows.
#[derive(Default)]
struct Space {
    sums: Vec<Vector>,
    terms: Vec<Vector>,
    empty: Vec<u8>,
    vanishing: Vec<u8>,
    shares: Shares,
    rows: Vec<Vec<Vector>>,
}

struct Adder<G> {
    lanes: Able,
    /// One, as a coordinate.
    one: Vec<Vector>,
    space: Space,
    wary: Wary,
    group: PhantomData<G>,
}

/// Whether equal points are expected.
#[derive(Default)]
struct Wary {
    /// Blocks that are still expected to have some.
    left: u32,
    /// Blocks that were, when there were some at last; 0 when there were none since.
    last: u32,
}

impl Wary {
    /// Equal points were found where none were expected: they are in twice as many blocks as the last time.
    fn found(&mut self) {
        self.last = (2 * self.last).clamp(1, WARY);
        self.left = self.last;
    }
}

/// Groups of sums that share an inversion.
fn groups_of_block(lanes: Able) -> usize {
    (BLOCK_BYTES / ((2 + TERM) * lanes.coordinate * size_of::<Vector>())).max(1)
}

impl<G: Group> Adder<G> {
    /// The sum of the terms, each as often as the number of its bucket, shifted by the bits of the numbers
    /// before. `buckets` may have terms.
    fn weighted(
        &mut self,
        rows: Rows<'_>,
        terms: impl Iterator<Item = Term> + Clone,
        mut numbers: Vec<Numbers>,
        buckets: usize,
    ) -> ProjectiveOf<G> {
        let end = |numbers: &[Numbers]| numbers.last().map_or(0, Numbers::end);
        let mut sums = self.sums(rows, terms, end(&numbers), buckets);
        while sums.terms.len().max(end(&numbers)) > FEW {
            let several = sums.terms.len() - sums.filled.min(sums.terms.len());
            let divisible = numbers.iter().any(|of| of.bits > 1);
            // Many bits have a sum each.
            if !divisible && several == 0 {
                break;
            }
            // Of many buckets with several, those are added before each sum is in two halves.
            let terms = match divisible && several <= sums.filled / 2 {
                true => halves(&mut numbers, &sums.terms),
                false => std::mem::take(&mut sums.terms),
            };
            let rows = Rows { words: bytemuck::cast_slice(&sums.rows), row: self.lanes.row };
            let next = self.sums(rows, terms.iter().copied(), end(&numbers), end(&numbers));
            self.space.rows.push(std::mem::replace(&mut sums, next).rows);
        }
        let sum = self.one_by_one(&numbers, &sums);
        self.space.rows.push(sums.rows);
        sum
    }

    /// The sum of few buckets.
    fn one_by_one(&mut self, numbers: &[Numbers], sums: &Sums) -> ProjectiveOf<G> {
        let mut points: Vec<_> = sums.terms.iter().map(|term| term.bucket).zip(self.points(sums)).collect();
        points.sort_unstable_by_key(|(bucket, _)| *bucket);
        let mut all = ProjectiveOf::<G>::zero();
        for of in numbers.iter().rev() {
            (0..of.bits).for_each(|_| {
                all.double_in_place();
            });
            // Σ i·bucket(i), as the sum of the sums of the buckets from i on.
            let (mut from_here, mut sum) = (ProjectiveOf::<G>::ZERO_BUCKET, ProjectiveOf::<G>::ZERO_BUCKET);
            for bucket in (of.first + 1..of.end() as u32).rev() {
                let start = points.partition_point(|(other, _)| *other < bucket);
                let of_bucket = points[start..].iter().take_while(|(other, _)| *other == bucket);
                of_bucket.for_each(|(_, point)| from_here += point);
                sum += &from_here;
            }
            all += &sum;
        }
        all
    }

    /// The points of sums.
    fn points(&mut self, sums: &Sums) -> Vec<AffineOf<G>> {
        let rows = Rows { words: bytemuck::cast_slice(&sums.rows), row: self.lanes.row };
        let places: Vec<Place> = sums.terms.iter().map(|term| term.place).collect();
        self.start(places.len());
        self.blocks(rows, &places, |adder, mut block| adder.lanes.read(&mut block));
        let point = 2 * self.lanes.coordinate;
        points_of::<G>(self.lanes, &self.space.sums[..places.len().div_ceil(LANES) * point], places.len())
    }

    /// Sums of the terms of each bucket; their numbers end at `end`, and `buckets` may have terms.
    fn sums(
        &mut self,
        rows: Rows<'_>,
        terms: impl Iterator<Item = Term> + Clone,
        end: usize,
        buckets: usize,
    ) -> Sums {
        let mut shares = std::mem::take(&mut self.space.shares);
        shares.share(terms, end, buckets);
        self.start(shares.buckets.len());
        let mut rounds = shares.rounds();
        if let Some(first) = rounds.next() {
            self.blocks(rows, first, |adder, mut block| adder.lanes.read(&mut block));
        }
        for round in rounds {
            self.blocks(rows, round, Self::add);
        }
        let lanes = self.lanes;
        let mut written = self.space.rows.pop().unwrap_or_default();
        let groups = shares.buckets.len().div_ceil(LANES);
        if written.len() < groups * lanes.row {
            written.resize(groups * lanes.row, Vector::zeroed());
        }
        let points = self.space.sums.chunks_exact(2 * lanes.coordinate);
        for (rows, points) in written.chunks_exact_mut(lanes.row).take(groups).zip(points) {
            lanes.write(points, bytemuck::cast_slice_mut(rows));
        }
        let is_empty = |i: usize| self.space.empty[i / LANES] >> (i % LANES) & 1 == 1;
        let terms = shares.buckets.iter().enumerate().filter(|(i, _)| !is_empty(*i));
        let terms = terms.map(|(i, bucket)| Term { bucket: *bucket, place: (i as Place) << 1 }).collect();
        let filled = shares.filled;
        self.space.shares = shares;
        Sums { rows: written, terms, filled }
    }

    /// Makes space for so many sums.
    fn start(&mut self, sums: usize) {
        let groups = sums.div_ceil(LANES);
        let of_block = groups.min(groups_of_block(self.lanes));
        let Space { sums, terms, empty, vanishing, .. } = &mut self.space;
        let point = 2 * self.lanes.coordinate;
        if sums.len() < groups * point {
            sums.resize(groups * point, Vector::zeroed());
        }
        let term = TERM * self.lanes.coordinate;
        if terms.len() < of_block * term {
            terms.resize(of_block * term, Vector::zeroed());
        }
        empty.clear();
        empty.resize(groups, 0);
        vanishing.resize(vanishing.len().max(of_block), 0);
    }

    /// Does something with the first sums, as many as places, block by block.
    fn blocks(&mut self, rows: Rows<'_>, places: &[Place], f: impl Fn(&mut Self, Block<'_>)) {
        let point = 2 * self.lanes.coordinate;
        // Blocks of equal size.
        let all = places.len().div_ceil(LANES);
        let groups = all.div_ceil(all.div_ceil(groups_of_block(self.lanes)).max(1)).max(1);
        let mut space = std::mem::take(&mut self.space);
        let mut products = vec![Vector::zeroed(); CHAINS * self.lanes.coordinate];
        let Space { sums, terms, empty, vanishing, .. } = &mut space;
        let of_block = sums.chunks_mut(groups * point).zip(empty.chunks_mut(groups));
        for (places, (sums, empty)) in places.chunks(groups * LANES).zip(of_block) {
            f(self, Block { rows, places, sums, empty, terms, vanishing, products: &mut products });
        }
        self.space = space;
    }

    /// Adds each of a block's points to its sum.
    fn add(&mut self, mut block: Block<'_>) {
        let lanes = self.lanes;
        self.set_one(&mut block);
        if self.wary.left == 0 {
            lanes.distances(&mut block);
            if invert::<G>(lanes, block.products) {
                self.wary.last = 0;
                return lanes.chords(&mut block);
            }
            // Points of some pair are equal or opposite.
            self.wary.found();
            self.set_one(&mut block);
        }
        self.wary.left -= 1;
        lanes.any_distances(&mut block);
        assert!(invert::<G>(lanes, block.products), "no denominator is zero");
        lanes.any_chords(&mut block);
    }

    fn set_one(&self, block: &mut Block<'_>) {
        for product in block.products.chunks_exact_mut(self.one.len()) {
            product.copy_from_slice(&self.one);
        }
    }
}

/// Terms as those of the two halves of their buckets' numbers, which are numbered anew.
fn halves(numbers: &mut Vec<Numbers>, terms: &[Term]) -> Vec<Term> {
    let mut of_halves: Vec<Numbers> = vec![];
    // Of each, where its halves are.
    let mut places = vec![];
    for of in numbers.iter() {
        places.push(of_halves.len());
        let low = of.bits / 2;
        for bits in [low, of.bits - low] {
            if bits > 0 {
                let first = of_halves.last().map_or(0, Numbers::end) as u32;
                of_halves.push(Numbers { first, bits });
            }
        }
    }
    let mut halved = Vec::with_capacity(2 * terms.len());
    for term in terms {
        let (at, number) = Numbers::of(numbers, term.bucket);
        let of = numbers[at];
        let mut rest = number;
        for half in &of_halves[places[at]..places.get(at + 1).copied().unwrap_or(of_halves.len())] {
            let number = rest & ((1 << half.bits) - 1);
            rest >>= half.bits;
            // Zero weighs nothing.
            if number != 0 {
                halved.push(Term { bucket: half.first + number, ..*term });
            }
        }
        debug_assert!(rest == 0 && of.bits > 0);
    }
    *numbers = of_halves;
    halved
}

/// The terms of buckets, shared out to sums of at most so many terms each, the largest first.
#[derive(Default)]
struct Shares {
    /// The bucket of each sum.
    buckets: Vec<u32>,
    /// How many buckets have terms.
    filled: usize,
    /// Round by round, a place for each sum that has one left.
    places: Vec<Place>,
    /// Where each round starts, and the last one ends.
    rounds: Vec<usize>,
    /// For each bucket the terms that it has.
    counts: Vec<u32>,
    /// For each bucket, where its next term goes.
    next: Vec<Turn>,
    /// Where each sum is, bucket by bucket.
    order: Vec<u32>,
}

/// Whose turn it is in a bucket. Its sums take turns, so that terms of a round are as close together as they
/// can be: where all are of one bucket they are read one after the other.
#[derive(Clone, Copy)]
struct Turn {
    /// The bucket's first sum.
    first: u32,
    /// The bucket has `2^bits` sums.
    bits: u32,
    /// Terms that they have.
    taken: u32,
}

impl Turn {
    /// The sum that takes the next term, and the round.
    #[inline]
    fn take(&mut self) -> (usize, usize) {
        let taken = self.taken;
        self.taken += 1;
        ((self.first + (taken & ((1 << self.bits) - 1))) as usize, (taken >> self.bits) as usize)
    }
}

impl Shares {
    /// Shares out terms of buckets with numbers below `end`, `buckets` of which may have terms.
    fn share(&mut self, terms: impl Iterator<Item = Term> + Clone, end: usize, buckets: usize) {
        let Shares { buckets: of_sums, filled, places, rounds, counts, next: turns, order } = self;
        counts.clear();
        counts.resize(end, 0);
        terms.clone().for_each(|term| counts[term.bucket as usize] += 1);
        let all: usize = counts.iter().map(|count| *count as usize).sum();
        let most = (2 * all / buckets.max(MANY)).max(LEAST) as u32;
        let bits = |count: u32| count.div_ceil(most).next_power_of_two().ilog2();
        // As many terms as another sum of the bucket, or one less.
        let sizes = |count: u32| {
            let bits = bits(count);
            let sums = if count > 0 { 1 << bits } else { 0 };
            (0..sums).map(move |sum| ((count + sums - 1 - sum) >> bits) as usize)
        };
        // Sums that have a term in each round.
        let mut having = vec![0usize; most as usize + 1];
        counts.iter().flat_map(|count| sizes(*count)).for_each(|size| having[size] += 1);
        for size in (0..most as usize).rev() {
            having[size] += having[size + 1];
        }
        // Sums of more terms are before those of fewer.
        let next = (0..=most as usize).map(|size| having.get(size + 1).map_or(0, |more| *more as u32));
        let mut next: Vec<u32> = next.collect();
        order.clear();
        turns.clear();
        of_sums.clear();
        of_sums.resize(having[0], 0);
        *filled = 0;
        for (bucket, count) in (0..).zip(&*counts) {
            *filled += usize::from(*count > 0);
            turns.push(Turn { first: order.len() as u32, bits: bits(*count), taken: 0 });
            for size in sizes(*count) {
                of_sums[next[size] as usize] = bucket;
                order.push(next[size]);
                next[size] += 1;
            }
        }
        rounds.clear();
        rounds.push(0);
        for having in &having[1..] {
            rounds.push(rounds[rounds.len() - 1] + having);
        }
        places.clear();
        places.resize(all, 0);
        terms.for_each(|term| {
            let (sum, round) = turns[term.bucket as usize].take();
            places[rounds[round] + order[sum] as usize] = term.place;
        });
    }

    /// The places of each round, of at least one sum.
    fn rounds(&self) -> impl Iterator<Item = &[Place]> {
        self.rounds.windows(2).map(|ends| &self.places[ends[0]..ends[1]]).filter(|places| !places.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_std::rand::{Rng as _, SeedableRng as _, rngs::StdRng};

    /// Each term is in one round of a sum of its bucket, and sums that are in a round are the first ones.
    #[test]
    fn terms_are_shared_out_to_sums_of_their_buckets() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut shares = Shares::default();
        for (len, buckets, hot) in
            [(0, 5, 0), (1, 2, 0), (100, 7, 0), (50_000, 300, 0), (50_000, 300, 60), (30_000, 2, 100)]
        {
            let terms: Vec<Term> = (0..len)
                .map(|place| {
                    let bucket =
                        if rng.gen_range(0..100) < hot { 1 } else { rng.gen_range(0..buckets as u32) };
                    Term { bucket, place }
                })
                .collect();
            shares.share(terms.iter().copied(), buckets, buckets);
            let mut found = vec![vec![]; buckets];
            let mut before = shares.buckets.len();
            for round in shares.rounds() {
                assert!(round.len() <= before, "{len} {hot}");
                before = round.len();
                round
                    .iter()
                    .zip(&shares.buckets)
                    .for_each(|(place, bucket)| found[*bucket as usize].push(*place));
            }
            let filled = found.iter().filter(|terms| !terms.is_empty()).count();
            assert_eq!(shares.filled, filled);
            for (bucket, found) in (0..).zip(&mut found) {
                found.sort_unstable();
                let expected = terms.iter().filter(|term| term.bucket == bucket).map(|term| term.place);
                assert!(found.iter().copied().eq(expected), "bucket {bucket} of {len} {hot}");
            }
            let longest = 2 * len as usize / buckets.max(MANY);
            assert!(shares.rounds().count() <= longest.max(LEAST), "{len} {hot}");
        }
        // Those of one bucket are read in their order.
        let one = (0..10_000).map(|place| Term { bucket: 1, place });
        shares.share(one, 2, 2);
        assert!(shares.places.iter().copied().eq(0..10_000));
    }
}
