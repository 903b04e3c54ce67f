//! Signed digits of scalars, window by window.

use crate::parallel::chunks;
use ark_ff::{BigInteger, PrimeField};
use std::ops::Range;
use std::slice;

/// A canonical scalar `s`, as `s` or as `-(r - s)`, whichever is shorter.
#[derive(Clone, Copy)]
pub(super) struct Signed<B> {
    magnitude: B,
    negative: bool,
}

impl<B: BigInteger> Signed<B> {
    pub(super) fn of<F: PrimeField<BigInt = B>>(scalar: F) -> Self {
        let scalar = scalar.into_bigint();
        let mut negated = F::MODULUS;
        negated.sub_with_borrow(&scalar);
        let negative = negated < scalar;
        Signed { magnitude: if negative { negated } else { scalar }, negative }
    }

    /// Bits of the magnitude.
    pub(super) fn bits(&self) -> u16 {
        // Fields have at most some thousand bits.
        self.magnitude.num_bits() as u16
    }
}

/// Booth's digits of so many bits each, of absolute values of at most `2^(bits - 1)`: a window's bits plus
/// the one below, less `2^bits` if its top bit is set, which is the one below of the next window.
struct Windows {
    bits: usize,
    /// Limb and bit at which each window starts, the one below included.
    starts: Vec<(usize, u32)>,
    /// Limbs of a scalar times two.
    limbs: Vec<u64>,
}

impl Windows {
    /// The windows of scalars of so many limbs.
    fn new(bits: usize, windows: usize, limbs: usize) -> Self {
        let starts = (0..windows).map(|window| (window * bits / 64, (window * bits % 64) as u32));
        let starts: Vec<_> = starts.collect();
        // The highest window may end beyond the scalar's limbs.
        let end = starts.last().map_or(0, |(limb, _)| limb + 2);
        Windows { bits, starts, limbs: vec![0; end.max(limbs + 1)] }
    }

    /// The digits of a scalar, window by window.
    fn digits<B: BigInteger>(&mut self, scalar: &Signed<B>) -> impl Iterator<Item = i16> {
        let mut carry = 0;
        for (twice, limb) in self.limbs.iter_mut().zip(scalar.magnitude.as_ref()) {
            (*twice, carry) = (limb << 1 | carry, limb >> 63);
        }
        self.limbs[scalar.magnitude.as_ref().len()] = carry;
        self.starts.iter().map(|&(limb, shift)| {
            let above = self.limbs[limb + 1] << 1 << (63 - shift);
            let taken = (self.limbs[limb] >> shift | above) & ((2 << self.bits) - 1);
            let digit = taken.div_ceil(2) as i64 - (taken >> self.bits << self.bits) as i64;
            // At most 2^14, as windows have at most 15 bits.
            (if scalar.negative { -digit } else { digit }) as i16
        })
    }
}

/// WindowTerms of a window: digits, and the points that they are of.
#[derive(Clone, Copy)]
pub struct WindowTerms<'a> {
    /// The digits.
    pub digits: &'a [i16],
    /// Where the points begin.
    pub first: usize,
    /// The point of each digit, counted from `first`; without, they lie one after the other.
    pub points: Option<&'a [u32]>,
}

impl<'a> WindowTerms<'a> {
    /// The point of each digit that is not zero, counted from `first`, and the digit.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, i16)> + Clone + use<'a> {
        let WindowTerms { digits, points, .. } = *self;
        let point = move |i: u32| points.map_or(i, |points| points[i as usize]);
        (0..).zip(digits).filter(|(_, digit)| **digit != 0).map(move |(i, digit)| (point(i), *digit))
    }

    /// The terms up to one, and those from there on.
    pub fn split_at(&self, at: usize) -> [Self; 2] {
        let (low, high) = self.digits.split_at(at);
        match self.points {
            None => [
                WindowTerms { digits: low, ..*self },
                WindowTerms { digits: high, first: self.first + at, points: None },
            ],
            Some(points) => {
                let (from, to) = points.split_at(at);
                [(low, from), (high, to)].map(|(digits, points)| WindowTerms {
                    digits,
                    points: Some(points),
                    ..*self
                })
            }
        }
    }
}

/// The digits of scalars. Of a window there are none of the scalars that end below it, unless those are few.
pub(super) struct Digits {
    digits: Vec<i16>,
    /// Where each window's digits are.
    windows: Vec<Range<usize>>,
    /// The scalars, those of more windows first; without, as they are.
    order: Option<Vec<u32>>,
}

impl Digits {
    /// The digits of as many scalars as there are numbers of bits, in windows of so many bits.
    pub(super) fn new<'s, B: BigInteger + 's>(
        of_scalars: &[u16],
        scalar: &(dyn Fn(usize) -> &'s Signed<B> + Sync),
        bits: usize,
        windows: usize,
    ) -> Self {
        /// Scalars whose digits one task writes.
        const TASK: usize = 1 << 12;
        // The highest bit may be the one below a window.
        let needed = |of: usize| if of == 0 { 0 } else { (of / bits + 1).min(windows) };
        let needed: Vec<usize> = (0..=64 * B::NUM_LIMBS).map(needed).collect();
        let needed = |of: &u16| needed[usize::from(*of)];
        let len = of_scalars.len();
        let of_task = |task: usize| (task * TASK..len).zip(&of_scalars[task * TASK..]).take(TASK);
        // Of each task, the scalars of each number of windows.
        let mut counts = vec![0; len.div_ceil(TASK) * (windows + 1)];
        chunks(&mut counts, windows + 1, &|task, counts: &mut [usize]| {
            of_task(task).for_each(|(_, of)| counts[needed(of)] += 1);
        });
        // Scalars of each number of windows, then those of more.
        let mut having = vec![0usize; windows + 1];
        for counts in counts.chunks(windows + 1) {
            having.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        }
        for window in (0..windows).rev() {
            having[window] += having[window + 1];
        }
        let all: usize = having[1..].iter().sum();
        let order = (all < windows * len / 8 * 7).then(|| {
            let mut order = vec![0; len];
            // Tasks have a part of the places of each number of windows, of most windows first.
            let mut places: Vec<Vec<slice::IterMut<'_, u32>>> =
                counts.chunks(windows + 1).map(|_| Vec::with_capacity(windows + 1)).collect();
            let mut rest = &mut order[..];
            for number in (0..=windows).rev() {
                for (places, counts) in places.iter_mut().zip(counts.chunks(windows + 1)) {
                    let (part, others) = rest.split_at_mut(counts[number]);
                    places.push(part.iter_mut());
                    rest = others;
                }
            }
            chunks(&mut places, 1, &|task, places| {
                for (i, of) in of_task(task) {
                    let place = places[0][windows - needed(of)].next();
                    *place.expect("a place for each that was counted") = i as u32;
                }
            });
            order
        });
        let mut end = 0;
        let of_windows = having[1..].iter().map(|having| {
            let start = end;
            end += if order.is_some() { *having } else { len };
            start..end
        });
        let of_windows: Vec<Range<usize>> = of_windows.collect();
        let mut digits = vec![0; end];
        // Tasks take scalars one after the other, with a part of each window that has some of them.
        let mut tasks: Vec<Vec<&mut [i16]>> = (0..len.div_ceil(TASK)).map(|_| vec![]).collect();
        let mut rest = &mut digits[..];
        for window in &of_windows {
            let (part, others) = rest.split_at_mut(window.len());
            tasks.iter_mut().zip(part.chunks_mut(TASK)).for_each(|(task, part)| task.push(part));
            rest = others;
        }
        chunks(&mut tasks, 1, &|task, parts| {
            let mut windows = Windows::new(bits, windows, B::NUM_LIMBS);
            for i in 0..parts[0].first().map_or(0, |part| part.len()) {
                let at = task * TASK + i;
                let digits = windows.digits(scalar(order.as_ref().map_or(at, |order| order[at] as usize)));
                for (part, digit) in parts[0].iter_mut().zip(digits) {
                    match part.get_mut(i) {
                        Some(place) => *place = digit,
                        None => break,
                    }
                }
            }
        });
        Digits { digits, windows: of_windows, order }
    }

    /// Whether windows have the digits of those scalars alone that reach them; else they have all.
    pub(super) fn is_ordered(&self) -> bool {
        self.order.is_some()
    }

    /// How many a window has.
    pub(super) fn len(&self, window: usize) -> usize {
        self.windows[window].len()
    }

    /// Some of a window's terms, whose points begin at `first`.
    pub(super) fn of(&self, window: usize, range: Range<usize>, first: usize) -> WindowTerms<'_> {
        let digits = &self.digits[self.windows[window].clone()][range.clone()];
        match &self.order {
            None => WindowTerms { digits, first: first + range.start, points: None },
            Some(order) => WindowTerms { digits, first, points: Some(&order[range]) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{Field as _, One as _, UniformRand as _, Zero as _};
    use ark_std::rand::{Rng as _, SeedableRng, rngs::StdRng};

    type Fr = ark_bn254::Fr;

    fn of(scalar: &Signed<<Fr as PrimeField>::BigInt>, bits: usize) -> Vec<i16> {
        let windows = (Fr::MODULUS_BIT_SIZE as usize).div_ceil(bits);
        let mut windows = Windows::new(bits, windows, 4);
        windows.digits(scalar).collect()
    }

    #[test]
    fn digits_add_up() {
        let mut rng = StdRng::seed_from_u64(1);
        let half = Fr::from(2u64).inverse().unwrap();
        let edges = [Fr::zero(), Fr::one(), -Fr::one(), half, -half, half - Fr::one(), Fr::from(u64::MAX)];
        for scalar in edges.into_iter().chain((0..20).map(|_| Fr::rand(&mut rng))) {
            let signed = Signed::of(scalar);
            for bits in 2..=15 {
                let windows = (Fr::MODULUS_BIT_SIZE as usize).div_ceil(bits);
                let digits = of(&signed, bits);
                assert_eq!(digits.len(), windows);
                let value = digits.iter().rev().fold(Fr::zero(), |value, digit| {
                    assert!(digit.unsigned_abs() <= 1 << (bits - 1));
                    value * Fr::from(1u64 << bits) + Fr::from(i64::from(*digit))
                });
                assert_eq!(value, scalar, "{bits} bits");
            }
        }
    }

    #[test]
    fn short_scalars_of_either_sign_have_few_digits() {
        for scalar in [Fr::from(200u64), -Fr::from(200u64)] {
            assert!(of(&Signed::of(scalar), 9)[1..].iter().all(|digit| *digit == 0));
        }
    }

    /// With an order or without, each scalar's digits are found with its point.
    #[test]
    fn windows_have_the_digits_of_the_scalars_that_reach_them() {
        let mut rng = StdRng::seed_from_u64(2);
        for (share, ordered) in [(0, false), (2, true), (9, true), (10, true)] {
            let scalar = |rng: &mut StdRng| match rng.gen_range(0..10) < share {
                true => Fr::from(rng.gen_range(0..3u64)),
                false => Fr::rand(rng),
            };
            let scalars: Vec<_> = (0..5000).map(|_| Signed::of(scalar(&mut rng))).collect();
            let bits: Vec<u16> = scalars.iter().map(Signed::bits).collect();
            let digits = Digits::new(&bits, &|i| &scalars[i], 7, 37);
            assert_eq!(digits.order.is_some(), ordered, "{share}");
            let mut found = vec![vec![0; scalars.len()]; 37];
            for (window, found) in found.iter_mut().enumerate() {
                let len = digits.len(window);
                for range in [0..len / 3, len / 3..len] {
                    let [low, high] = digits.of(window, range.clone(), 10).split_at(range.len() / 2);
                    for terms in [low, high] {
                        for (i, digit) in terms.iter() {
                            found[i as usize + terms.first - 10] = digit;
                        }
                    }
                }
            }
            for (i, scalar) in scalars.iter().enumerate() {
                assert!(of(scalar, 7).iter().eq(found.iter().map(|window| &window[i])), "{share}: {i}");
            }
        }
    }
}
