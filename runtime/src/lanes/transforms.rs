//! Loops of transforms over the lanes of a field, for declarations to instantiate with its functions.
//!
//! An element is `N` vectors, limbs of `B` bits, and in arkworks' form `W` words. Closures are made in
//! functions with the same `#[target_feature]`, which they inherit.

/// The loops as a module for each tier has them, next to its `rows`.
macro_rules! transforms {
    ($features:literal) => {
        use super::rows::{gather, packed, prefetch_vectors, scatter_to, turn_rows, unpacked, zero};
        use crate::lanes::{LANES, Vector};

        /// [`FieldLanes::load`](crate::lanes::FieldLanes::load).
        #[inline]
        #[target_feature(enable = $features)]
        pub fn load<const B: usize, const N: usize, const W: usize>(
            words: &[&[u64]; LANES],
            element: &mut [Vector],
        ) {
            let mut columns = [zero(); W];
            gather(words, &mut columns);
            element.copy_from_slice(&unpacked::<B, N, W>(&columns));
        }

        /// [`FieldLanes::store`](crate::lanes::FieldLanes::store), by the function `canonical`.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn store<const B: usize, const N: usize, const W: usize>(
            element: &[Vector],
            words: &mut [&mut [u64]; LANES],
            canonical: impl Fn([&[Vector; N]; 1]) -> [[Vector; N]; 1],
        ) {
            let (element, _) = element.split_first_chunk::<N>().expect("an element");
            let [element] = canonical([element]);
            scatter_to(&packed::<B, N, W>(&element), words);
        }

        /// [`FieldLanes::enter`](crate::lanes::FieldLanes::enter), by the function of the same name.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn enter<const N: usize>(
            elements: &mut [Vector],
            f: impl Fn([&[Vector; N]; 1]) -> [[Vector; N]; 1],
        ) {
            for element in elements.as_chunks_mut::<N>().0 {
                [*element] = f([element]);
            }
        }

        /// [`FieldLanes::multiply`](crate::lanes::FieldLanes::multiply), by the function `product`.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn multiply<const N: usize>(
            elements: &mut [Vector],
            factors: &[Vector],
            product: impl Fn([&[Vector; N]; 2]) -> [[Vector; N]; 1],
        ) {
            for (element, factor) in
                elements.as_chunks_mut::<N>().0.iter_mut().zip(factors.as_chunks::<N>().0.iter().cycle())
            {
                [*element] = product([element, factor]);
            }
        }

        /// [`FieldLanes::take`](crate::lanes::FieldLanes::take).
        #[inline]
        #[target_feature(enable = $features)]
        pub fn take<const N: usize>(elements: &mut [Vector], rows: &[&[Vector]], at: usize) {
            for (element, row) in elements.as_chunks_mut::<N>().0.iter_mut().zip(rows) {
                let (this, next) = row[at..].split_first_chunk::<N>().expect("an element");
                *element = *this;
                prefetch_vectors(&next[..N.min(next.len())]);
            }
        }

        /// [`FieldLanes::give`](crate::lanes::FieldLanes::give).
        #[inline]
        #[target_feature(enable = $features)]
        pub fn give<const N: usize>(elements: &[Vector], rows: &mut [&mut [Vector]], at: usize) {
            for (element, row) in elements.as_chunks::<N>().0.iter().zip(rows) {
                *row[at..].first_chunk_mut::<N>().expect("an element") = *element;
            }
        }

        /// [`FieldLanes::turn`](crate::lanes::FieldLanes::turn).
        #[inline]
        #[target_feature(enable = $features)]
        pub fn turn<const N: usize>(elements: &mut [Vector]) {
            let (elements, _) =
                elements.as_chunks_mut::<N>().0.split_first_chunk_mut::<LANES>().expect("eight elements");
            turn_rows(elements);
        }

        /// The quarters of a block's elements.
        pub type Quarters<'a, const N: usize> = [&'a mut [[Vector; N]]; 4];

        /// [`FieldLanes::levels`](crate::lanes::FieldLanes::levels), by the function `butterfly` and by the
        /// two highest levels of a block, given its quarters and the factors of those levels.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn levels<const N: usize>(
            elements: &mut [Vector],
            factors: &[Vector],
            butterfly: impl Fn([&[Vector; N]; 3]) -> [[Vector; N]; 2],
            two_levels: impl Fn(Quarters<'_, N>, &[[Vector; N]]),
        ) {
            let factors = factors.as_chunks::<N>().0;
            levels_of(elements.as_chunks_mut::<N>().0, factors, &butterfly, &two_levels);
        }

        /// As [`levels`]: quarters one after the other as long as they are not all in a first-level cache
        /// with their factors, then the two levels above them.
        #[target_feature(enable = $features)]
        fn levels_of<const N: usize>(
            elements: &mut [[Vector; N]],
            mut factors: &[[Vector; N]],
            butterfly: &impl Fn([&[Vector; N]; 3]) -> [[Vector; N]; 2],
            two_levels: &impl Fn(Quarters<'_, N>, &[[Vector; N]]),
        ) {
            /// Elements whose levels are done one after the other.
            const SMALL: usize = 32;
            if elements.len() > SMALL {
                let quarter = elements.len() / 4;
                let (of_quarter, above) = factors.split_at(factors.len() - 3 * quarter);
                for elements in elements.chunks_exact_mut(quarter) {
                    levels_of(elements, of_quarter, butterfly, two_levels);
                }
                return two_levels(quarters(elements), above);
            }
            let mut half = 1;
            if elements.len().ilog2() % 2 == 1 {
                let (factor, rest) = factors.split_first().expect("a factor");
                for [a, b] in elements.as_chunks_mut::<2>().0 {
                    [*a, *b] = butterfly([a, b, factor]);
                }
                (factors, half) = (rest, 2);
            }
            while half < elements.len() {
                let (of_level, rest) = factors.split_at(3 * half);
                for block in elements.chunks_exact_mut(4 * half) {
                    two_levels(quarters(block), of_level);
                }
                factors = rest;
                half *= 4;
            }
        }

        fn quarters<const N: usize>(elements: &mut [[Vector; N]]) -> Quarters<'_, N> {
            let (low, high) = elements.split_at_mut(elements.len() / 2);
            let ((a, b), (c, d)) = (low.split_at_mut(low.len() / 2), high.split_at_mut(high.len() / 2));
            [a, b, c, d]
        }

        /// The two highest levels of a block, by the function `butterflies`.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn two_levels<const N: usize>(
            [a, b, c, d]: Quarters<'_, N>,
            factors: &[[Vector; N]],
            butterflies: impl Fn([&[Vector; N]; 7]) -> [[Vector; N]; 4],
        ) {
            let quads = a.iter_mut().zip(b).zip(c.iter_mut().zip(d));
            for (((a, b), (c, d)), [u, v, w]) in quads.zip(factors.as_chunks::<3>().0) {
                [*a, *b, *c, *d] = butterflies([a, b, c, d, u, v, w]);
            }
        }

        /// The first of each quarter, whose factors are 1, 1 and one that is read, by the function
        /// `first_butterflies`; what is left.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn first_of<'a, const N: usize>(
            quarters: Quarters<'a, N>,
            factors: &'a [[Vector; N]],
            first_butterflies: impl Fn([&[Vector; N]; 5]) -> [[Vector; N]; 4],
        ) -> (Quarters<'a, N>, &'a [[Vector; N]]) {
            let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] =
                quarters.map(|quarter| quarter.split_first_mut().expect("an element"));
            let ([_, _, w], factors) = factors.split_first_chunk().expect("three factors");
            [*a, *b, *c, *d] = first_butterflies([a, b, c, d, w]);
            ([a_rest, b_rest, c_rest, d_rest], factors)
        }
    };
}

pub(super) use transforms;
