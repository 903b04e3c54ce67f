//! Transforms by lanes: few passes over the vector, each of several levels.
//!
//! A transform of `2^k` elements in the order of their reversed indices is `k` levels of butterflies, whose
//! halves are 1, 2, 4, … elements apart. A pass does the next some of them while its elements are in a
//! second-level cache: rows of eight elements that are as far apart as the halves of its lowest level. The
//! first pass reads the vector in its own order, and turns its results, as its lanes are of eight places that
//! are far apart then. Between passes elements are limbs; the last one writes the vector.
//!
//! Factors are in the order in which they are read. A transform back is one of the vector in reversed order,
//! all but the first.

use super::able::Able;
use crate::field::{Field, MontLimbs as _};
use crate::host::arithmetic::Tables;
use crate::lanes::{FieldLanes, LANES, Vector, ask_for};
use crate::parallel::chunks;
use crate::tier::Tier;
use crate::vocabulary::Direction;
use ark_ff::{Field as _, One as _};
use bytemuck::Zeroable as _;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The levels of the smallest transform, two passes of three each: what is turned is eight rows.
const LEAST_LEVELS: u32 = 6;
/// The most levels of a pass: 512 rows of eight elements of five limbs are 160 KiB.
const MOST_LEVELS: u32 = 9;
/// Columns, of eight elements each, that a task takes at most, if those are worth it.
const COLUMNS: usize = 8;

/// Tables for transforms of one size, a power of two.
pub(in crate::host) struct LaneTables<F> {
    lanes: Able<FieldLanes>,
    /// The number of levels.
    log: u32,
    passes: Vec<Pass>,
    /// Vectors of a transform that is under way, of those that were.
    spare: Mutex<Vec<Vec<Vector>>>,
    field: PhantomData<F>,
}

/// Some levels.
struct Pass {
    levels: u32,
    /// Levels below.
    below: u32,
    /// Those of each column.
    factors: Vec<Vector>,
}

impl<F: Field> fmt::Debug for LaneTables<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LaneTables<{}>[2^{}]", F::NAME, self.log)
    }
}

impl<F: Field> LaneTables<F> {
    /// Tables for `2^log` elements and a root of that order. `None` if the field has no functions, this
    /// processor lacks their instructions, or the size is not worth it.
    pub(in crate::host) fn new(log: u32, omega: F::Ark, tier: Tier) -> Option<Self> {
        let lanes = Able::of(tier, F::lanes)?;
        if log < LEAST_LEVELS {
            return None;
        }
        let roots = powers(omega, F::Ark::ONE, 1 << (log - 1));
        let count = log.div_ceil(MOST_LEVELS).max(2);
        let mut passes = vec![];
        let mut below = 0;
        for pass in 0..count {
            let levels = (log - below).div_ceil(count - pass);
            passes.push(Pass { levels, below, factors: factors::<F>(lanes, &roots, log, below, levels) });
            below += levels;
        }
        Some(LaneTables { lanes, log, passes, spare: Mutex::default(), field: PhantomData })
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Vec<Vector>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One transform.
    fn transform(&self, values: &mut [F::Ark], direction: Direction, shift: F::Ark) {
        let limbs = self.lanes.limbs;
        let spare = self.spare().pop();
        let mut between = spare.unwrap_or_else(|| vec![Vector::zeroed(); (limbs << self.log) / LANES]);
        let [first, middle @ .., last] = &self.passes[..] else { unreachable!("there are two passes") };
        let scale = Scale::new(self, direction, shift);
        self.first(first, values, &mut between, direction, scale.as_ref());
        for pass in middle {
            self.middle(pass, &mut between);
        }
        self.last(last, &between, values, direction, scale.as_ref());
        self.spare().push(between);
    }

    /// From values in their own order to limbs.
    fn first(
        &self,
        pass: &Pass,
        values: &[F::Ark],
        between: &mut [Vector],
        direction: Direction,
        scale: Option<&Scale>,
    ) {
        let (lanes, limbs) = (self.lanes, self.lanes.limbs);
        let rows = 1usize << pass.levels;
        let above = self.log - pass.levels;
        let mut blocks: Vec<Option<&mut [Vector]>> =
            between.chunks_mut(rows / LANES * limbs).map(Some).collect();
        let scale = scale.filter(|_| direction == Direction::Forward);
        let columns = blocks.len() / LANES;
        // Each is taken once, by the column that writes it.
        let mut of_columns: Vec<[&mut [Vector]; LANES]> = (0..columns)
            .map(|column| {
                let block = |lane: usize| blocks[reversed(column * LANES + lane, above)].take();
                [0, 1, 2, 3, 4, 5, 6, 7].map(block).map(|block| block.expect("it is the column's own"))
            })
            .collect();
        let of_task = of_task(rows, columns);
        let last = values.len() - 1;
        chunks(&mut of_columns, of_task, &|task, of_columns| {
            let mut elements = vec![Vector::zeroed(); rows * limbs];
            for (column, blocks) in (task * of_task..).zip(of_columns) {
                for (row, element) in elements.chunks_exact_mut(limbs).enumerate() {
                    let row = reversed(row, pass.levels);
                    let from = (row << above) + column * LANES;
                    let value = |lane: usize| match direction {
                        Direction::Forward => from + lane,
                        Direction::Inverse => values.len().wrapping_sub(from + lane) & last,
                    };
                    let words = std::array::from_fn(|lane| values[value(lane)].mont_limbs());
                    lanes.load(&words, element);
                    // Those of the next column: rows are too many for the processor to see that they are read
                    // on.
                    let next = (LANES..2 * LANES).filter_map(|lane| values.get(value(lane)));
                    next.for_each(|value| ask_for(value.mont_limbs()));
                    if let Some(scale) = scale {
                        scale.apply(lanes, element, row, column);
                    }
                }
                lanes.first_levels(&mut elements, &pass.factors);
                elements.chunks_exact_mut(LANES * limbs).for_each(|rows| lanes.turn(rows));
                for (lane, block) in blocks.iter_mut().enumerate() {
                    let of_lane = elements.chunks_exact(limbs).skip(lane).step_by(LANES);
                    for (to, from) in block.chunks_exact_mut(limbs).zip(of_lane) {
                        lanes.give(from, &mut [to], 0);
                    }
                }
            }
        });
    }

    /// From limbs to limbs.
    fn middle(&self, pass: &Pass, between: &mut [Vector]) {
        let (lanes, limbs) = (self.lanes, self.lanes.limbs);
        let (rows, columns) = (1usize << pass.levels, (1usize << pass.below) / LANES);
        let of_task = of_task(rows, columns);
        let mut tasks: Vec<Vec<&mut [Vector]>> = vec![];
        for block in between.chunks_mut(rows * columns * limbs) {
            let first = tasks.len();
            tasks.extend((0..columns / of_task).map(|_| Vec::with_capacity(rows)));
            for row in block.chunks_mut(columns * limbs) {
                let parts = row.chunks_mut(of_task * limbs);
                tasks[first..].iter_mut().zip(parts).for_each(|(task, part)| task.push(part));
            }
        }
        chunks(&mut tasks, 1, &|task, rows_of| {
            let mut elements = vec![Vector::zeroed(); rows * limbs];
            for i in 0..of_task {
                let column = task * of_task % columns + i;
                let of_rows: Vec<&[Vector]> = rows_of[0].iter().map(|row| &**row).collect();
                lanes.take(&mut elements, &of_rows, i * limbs);
                lanes.levels(&mut elements, pass.of(column, columns));
                lanes.give(&elements, &mut rows_of[0], i * limbs);
            }
        });
    }

    /// From limbs to values.
    fn last(
        &self,
        pass: &Pass,
        between: &[Vector],
        values: &mut [F::Ark],
        direction: Direction,
        scale: Option<&Scale>,
    ) {
        let (lanes, limbs) = (self.lanes, self.lanes.limbs);
        let (rows, columns) = (1usize << pass.levels, (1usize << pass.below) / LANES);
        let of_task = of_task(rows, columns);
        let scale = scale.filter(|_| direction == Direction::Inverse);
        let mut tasks: Vec<Vec<&mut [F::Ark]>> =
            (0..columns / of_task).map(|_| Vec::with_capacity(rows)).collect();
        for row in values.chunks_mut(columns * LANES) {
            let parts = row.chunks_mut(of_task * LANES);
            tasks.iter_mut().zip(parts).for_each(|(task, part)| task.push(part));
        }
        chunks(&mut tasks, 1, &|task, rows_of| {
            let mut elements = vec![Vector::zeroed(); rows * limbs];
            let from: Vec<&[Vector]> = between.chunks_exact(columns * limbs).collect();
            for i in 0..of_task {
                let column = task * of_task + i;
                lanes.take(&mut elements, &from, column * limbs);
                lanes.levels(&mut elements, pass.of(column, columns));
                let of_rows = elements.chunks_exact_mut(limbs).zip(&mut rows_of[0]);
                for (row, (element, values)) in of_rows.enumerate() {
                    if let Some(scale) = scale {
                        scale.apply(lanes, element, row, column);
                    }
                    let (values, next) =
                        values[i * LANES..].split_first_chunk_mut::<LANES>().expect("eight values");
                    lanes.store(element, &mut values.each_mut().map(|value| value.mont_limbs_mut()));
                    next.iter().take(LANES).for_each(|value| ask_for(value.mont_limbs()));
                }
            }
        });
    }
}

impl Pass {
    /// The factors of a column.
    fn of(&self, column: usize, columns: usize) -> &[Vector] {
        let each = self.factors.len() / columns;
        &self.factors[column * each..(column + 1) * each]
    }
}

impl<F: Field> Tables<F> for LaneTables<F> {
    fn size(&self) -> usize {
        1 << self.log
    }

    fn run(&self, vectors: &mut Vec<F::Ark>, direction: Direction, shift: F::Ark) {
        chunks(vectors, 1 << self.log, &|_, values| self.transform(values, direction, shift));
    }
}

/// Factors of all elements, as those of rows times those of columns.
struct Scale {
    rows: Vec<Vector>,
    columns: Vec<Vector>,
}

impl Scale {
    /// The powers of a shift for the values of a transform forward; one divided by the size and by those for
    /// what one back gives.
    fn new<F: Field>(tables: &LaneTables<F>, direction: Direction, shift: F::Ark) -> Option<Scale> {
        let (first, last) = (&tables.passes[0], &tables.passes[tables.passes.len() - 1]);
        let (levels, factor, one) = match direction {
            Direction::Forward if shift.is_one() => return None,
            Direction::Forward => (first.levels, shift, F::Ark::ONE),
            Direction::Inverse => {
                let inverse = |x: F::Ark| x.inverse().expect("sizes and shifts are units");
                (last.levels, inverse(shift), inverse(F::Ark::from(1u64 << tables.log)))
            }
        };
        let columns = 1 << (tables.log - levels);
        let of_rows = powers(factor.pow([columns as u64]), one, 1 << levels);
        let rows: Vec<F::Ark> = of_rows.iter().flat_map(|x| [*x; LANES]).collect();
        let columns = if shift.is_one() { vec![] } else { powers(factor, F::Ark::ONE, columns) };
        Some(Scale { rows: entered::<F>(tables.lanes, &rows), columns: entered::<F>(tables.lanes, &columns) })
    }

    fn apply(&self, lanes: Able<FieldLanes>, element: &mut [Vector], row: usize, column: usize) {
        let limbs = lanes.limbs;
        lanes.multiply(element, &self.rows[row * limbs..(row + 1) * limbs]);
        if !self.columns.is_empty() {
            lanes.multiply(element, &self.columns[column * limbs..(column + 1) * limbs]);
        }
    }
}

/// `first · x^i` for each `i` below `len`.
fn powers<T: ark_ff::Field>(x: T, first: T, len: usize) -> Vec<T> {
    /// Powers that one task computes.
    const TASK: usize = 1 << 10;
    let mut powers = vec![T::ZERO; len];
    chunks(&mut powers, TASK, &|task, powers| {
        let mut power = first * x.pow([(task * TASK) as u64]);
        for place in powers {
            *place = power;
            power *= x;
        }
    });
    powers
}

/// Values in the Montgomery form of lanes, as many as make full vectors.
fn entered<F: Field>(lanes: Able<FieldLanes>, values: &[F::Ark]) -> Vec<Vector> {
    let mut elements = vec![Vector::zeroed(); values.len() / LANES * lanes.limbs];
    for (values, element) in values.as_chunks::<LANES>().0.iter().zip(elements.chunks_exact_mut(lanes.limbs))
    {
        lanes.load(&values.each_ref().map(|value| value.mont_limbs()), element);
    }
    lanes.enter(&mut elements);
    elements
}

/// The factors of a pass, column by column, each in the order that [`levels`](FieldLanes::levels) reads them,
/// by the first half of the powers of the root.
fn factors<F: Field>(
    lanes: Able<FieldLanes>,
    roots: &[F::Ark],
    log: u32,
    below: u32,
    levels: u32,
) -> Vec<Vector> {
    // Level and index of each: the factor is that power of the root of twice as many elements as the level's
    // halves have.
    let mut places = vec![];
    if levels % 2 == 1 {
        places.push((0, 0));
    }
    for level in (levels % 2..levels).step_by(2) {
        for i in 0..1usize << level {
            places.extend([(level, i), (level + 1, i), (level + 1, i + (1 << level))]);
        }
    }
    let columns = (1usize << below).div_ceil(LANES);
    let limbs = lanes.limbs;
    let mut factors = vec![Vector::zeroed(); columns * places.len() * limbs];
    chunks(&mut factors, places.len() * limbs, &|column, factors| {
        for ((level, i), factor) in places.iter().zip(factors.chunks_exact_mut(limbs)) {
            let power = |lane: usize| {
                // The lanes of the first pass are of different transforms.
                let at = if below == 0 { 0 } else { column * LANES + lane };
                ((i << below) + at) << (log - below - level - 1)
            };
            lanes.load(&std::array::from_fn(|lane| roots[power(lane)].mont_limbs()), factor);
        }
        lanes.enter(factors);
    });
    factors
}

/// The lowest bits of a number in reversed order.
fn reversed(i: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) }
}

/// Columns of a task, a power of two as `columns` is: as many as are worth a thread, and enough tasks for
/// all.
fn of_task(rows: usize, columns: usize) -> usize {
    /// Elements that take some ten times as long as to hand them to a thread.
    const WORTH: usize = 1 << 12;
    let least = WORTH.div_ceil(rows * LANES);
    let even = columns / (2 * rayon::current_num_threads()).next_power_of_two();
    even.clamp(least, COLUMNS.max(least)).min(columns)
}
