//! Loops over the lanes of a field, for declarations to instantiate with its functions.
//!
//! Coordinates are `D` elements of `N` vectors each, limbs of `B` bits, and points `T = 2·D`. In a row an
//! element is `P` words, its limbs if that is `N`, and in arkworks' form `W`. Closures are made in functions
//! with the same `#[target_feature]`, which they inherit.

/// The loops as a module for each tier has them, next to its `rows`.
macro_rules! passes {
    ($features:literal) => {
        use super::rows::{
            copy, gather, in_columns, lay, packed, prefetch, scatter, select, unpacked, zero, zeros,
        };
        use crate::lanes::{Block, CHAINS, LANES, PAIR, Place, Rows, TERM, Vector};

        /// Groups between asking for the rows of one and reading them.
        const AHEAD: usize = 2;

        /// [`GroupLanes::enter`](crate::lanes::GroupLanes::enter), by a function of the prime field.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn enter<const B: usize, const N: usize, const W: usize, const D: usize>(
            words: &[u64],
            coordinate: &mut [Vector],
            f: impl Fn([&[Vector; N]; 1]) -> [[Vector; N]; 1],
        ) {
            let mut columns = [[zero(); W]; D];
            gather(&eight(words, W * D), columns.as_flattened_mut());
            for (element, words) in coordinate.as_chunks_mut::<N>().0.iter_mut().zip(&columns) {
                [*element] = f([&unpacked::<B, N, _>(words)]);
            }
        }

        /// [`GroupLanes::leave`](crate::lanes::GroupLanes::leave), by a function of the prime field.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn leave<const B: usize, const N: usize, const W: usize, const D: usize>(
            coordinate: &[Vector],
            words: &mut [u64],
            f: impl Fn([&[Vector; N]; 1]) -> [[Vector; N]; 1],
        ) {
            let mut columns = [[zero(); W]; D];
            for (element, words) in coordinate.as_chunks::<N>().0.iter().zip(&mut columns) {
                let [canonical] = f([element]);
                *words = packed::<B, N, _>(&canonical);
            }
            scatter(columns.as_flattened(), words);
        }

        /// [`GroupLanes::write`](crate::lanes::GroupLanes::write).
        #[inline]
        #[target_feature(enable = $features)]
        pub fn write<const B: usize, const N: usize, const P: usize, const T: usize>(
            points: &[Vector],
            rows: &mut [u64],
        ) {
            let mut columns = [[zero(); P]; T];
            for (element, words) in points.as_chunks::<N>().0.iter().zip(&mut columns) {
                *words = if P == N { in_columns(element) } else { packed::<B, N, _>(element) };
            }
            scatter(columns.as_flattened(), rows);
        }

        /// [`GroupLanes::read`](crate::lanes::GroupLanes::read).
        #[inline]
        #[target_feature(enable = $features)]
        pub fn read<const B: usize, const N: usize, const P: usize, const D: usize, const T: usize>(
            block: &mut Block<'_>,
            opposite: impl Fn([&[Vector; N]; D]) -> [[Vector; N]; D],
        ) {
            let groups = block.sums.as_chunks_mut::<N>().0.as_chunks_mut::<T>().0;
            for (i, (places, sum)) in block.places.chunks(LANES).zip(groups).enumerate() {
                ask(block.rows, block.places, i + AHEAD);
                point::<B, N, P, D, T>(block.rows, places, sum, &opposite);
            }
        }

        /// [`GroupLanes::distances`](crate::lanes::GroupLanes::distances), by the functions `distance` and
        /// `opposite`.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn distances<
            const B: usize,
            const N: usize,
            const P: usize,
            const D: usize,
            const T: usize,
            const K: usize,
        >(
            block: &mut Block<'_>,
            distance: impl Fn([&[Vector; N]; K]) -> [[Vector; N]; D],
            opposite: impl Fn([&[Vector; N]; D]) -> [[Vector; N]; D],
        ) {
            multiply::<B, N, P, D, T, K>(block, |pair| (distance(pair), 0), opposite);
        }

        /// [`GroupLanes::any_distances`](crate::lanes::GroupLanes::any_distances); the last element that
        /// `distance` gives is zero where the sum is the identity.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn any_distances<
            const B: usize,
            const N: usize,
            const P: usize,
            const D: usize,
            const T: usize,
            const K: usize,
        >(
            block: &mut Block<'_>,
            distance: impl Fn([&[Vector; N]; K]) -> ([[Vector; N]; D], [Vector; N]),
            opposite: impl Fn([&[Vector; N]; D]) -> [[Vector; N]; D],
        ) {
            let of_group = |pair: [&[Vector; N]; K]| {
                let (product, is_point) = distance(pair);
                (product, zeros(&is_point))
            };
            multiply::<B, N, P, D, T, K>(block, of_group, opposite);
        }

        /// Reads the terms, group by group; `multiply` gives the product of the denominators before and of a
        /// group, and the lanes whose sum is the identity.
        #[inline]
        #[target_feature(enable = $features)]
        fn multiply<
            const B: usize,
            const N: usize,
            const P: usize,
            const D: usize,
            const T: usize,
            const K: usize,
        >(
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
                point::<B, N, P, D, T>(block.rows, places, read, &opposite);
                let product = &mut products[i % CHAINS];
                copy(before, product);
                let (next, gone) = multiply(pair(sum, term, product));
                *vanishing = gone;
                let skipped = empty | !taking(places);
                match skipped {
                    0 => copy(product, &next),
                    _ => {
                        for (old, new) in product.iter_mut().zip(&next) {
                            *old = select(new, skipped, old);
                        }
                    }
                }
            }
        }

        /// [`GroupLanes::chords`](crate::lanes::GroupLanes::chords) and
        /// [`GroupLanes::any_chords`](crate::lanes::GroupLanes::any_chords), by the function `chord` or
        /// `any_chord`: from the last group to the first.
        #[inline]
        #[target_feature(enable = $features)]
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
                    copy(sum, third);
                    copy(inverse, left);
                    *empty = *vanishing;
                    continue;
                }
                for (old, new) in inverse.iter_mut().zip(left) {
                    *old = select(new, skipped, old);
                }
                for (old, (third, term)) in sum.iter_mut().zip(third.iter().zip(term)) {
                    // The identity and a term is the term.
                    let new = select(third, *empty, term);
                    *old = select(old, taking, &new);
                }
                *empty = *empty & !taking | vanishing & !skipped;
            }
        }

        /// The coordinates of sums, of the terms that are added to them with the product before, and of the
        /// inverse, if it is known.
        #[inline]
        #[target_feature(enable = $features)]
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
        #[target_feature(enable = $features)]
        fn point<const B: usize, const N: usize, const P: usize, const D: usize, const T: usize>(
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
                point.iter_mut().for_each(lay);
            } else {
                let mut columns = [[zero(); P]; T];
                gather(&eight, columns.as_flattened_mut());
                for (element, words) in point.iter_mut().zip(&columns) {
                    *element = unpacked::<B, N, _>(words);
                }
            }
            let (_, y) = point.split_last_chunk_mut::<D>().expect("a coordinate");
            let mut elements = [&y[0]; D];
            for (element, y) in elements.iter_mut().zip(&*y) {
                *element = y;
            }
            let negated = opposite(elements);
            for (y, negated) in y.iter_mut().zip(&negated) {
                *y = select(y, signs, negated);
            }
        }

        /// Asks for the rows of a group.
        #[inline]
        #[target_feature(enable = $features)]
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
    };
}

pub(super) use passes;
