//! Who computes which rows of a sparse matrix: threads the short ones, warps longer ones, and several warps
//! those that are cut into pieces (Lu et al., cuZK, §4.2: by how many entries rows have), whose sums are a
//! sparse matrix of ones times those of the pieces.

use crate::policy::SpMvPolicy;
use crate::vocabulary::SpMvStrategy;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::ops::Range;

const LANES: usize = 32;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Zero,
    One,
    MinusOne,
    Other,
}

/// Rows with their entries, in the order in which kernels take them; none of them is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    /// Where the sum of a row goes.
    pub(super) places: Vec<u32>,
    pub(super) unit_starts: Vec<u32>,
    /// Columns of the entries that are 1 or, with bit 31, -1.
    pub(super) units: Vec<u32>,
    pub(super) starts: Vec<u32>,
    /// Numbers of the other entries.
    pub(super) others: Vec<u32>,
}

/// Rows that are computed at once, and those that sum their pieces afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Level {
    /// Those of threads, then those of warps, then pieces, whose places are their numbers.
    pub(super) rows: Rows,
    pub(super) threads: usize,
    pub(super) warps: usize,
    pub(super) pieces: usize,
}

impl Rows {
    fn new() -> Self {
        Rows { unit_starts: vec![0], starts: vec![0], ..Rows::default() }
    }

    /// The rows of a matrix that are not empty. `offsets` and `columns` are checked.
    pub(super) fn of(offsets: &[u32], columns: &[u32], entries: &[Entry]) -> Self {
        let mut rows = Self::new();
        for (place, row) in offsets.windows(2).enumerate() {
            for k in row[0]..row[1] {
                let column = columns[k as usize];
                match entries[k as usize] {
                    Entry::Zero => {}
                    Entry::One => rows.units.push(column),
                    Entry::MinusOne => rows.units.push(column | 1 << 31),
                    Entry::Other => rows.others.push(k),
                }
            }
            rows.end(place as u32);
        }
        rows
    }

    /// Ends a row, if it has entries.
    fn end(&mut self, place: u32) {
        let (units, others) = (self.units.len() as u32, self.others.len() as u32);
        if (Some(&units), Some(&others)) != (self.unit_starts.last(), self.starts.last()) {
            self.places.push(place);
            self.unit_starts.push(units);
            self.starts.push(others);
        }
    }

    fn push(&mut self, place: u32, units: &[u32], others: &[u32]) {
        self.units.extend_from_slice(units);
        self.others.extend_from_slice(others);
        self.end(place);
    }

    fn units_of(&self, row: usize) -> Range<usize> {
        self.unit_starts[row] as usize..self.unit_starts[row + 1] as usize
    }

    fn others_of(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Units and others of a row.
    fn lengths(&self, row: usize) -> [usize; 2] {
        [self.units_of(row).len(), self.others_of(row).len()]
    }
}

impl Level {
    /// The levels of a matrix, each of which takes what the one before made of pieces.
    pub(super) fn all(rows: Rows, policy: &SpMvPolicy, strategy: SpMvStrategy) -> Vec<Level> {
        let mut levels = vec![];
        let mut next = Some(rows);
        while let Some(rows) = next.filter(|rows| !rows.places.is_empty()) {
            let (level, cut) = Level::new(&rows, policy, strategy);
            levels.push(level);
            next = cut;
        }
        levels
    }

    /// A level, and the rows that sum its pieces.
    fn new(rows: &Rows, policy: &SpMvPolicy, strategy: SpMvStrategy) -> (Level, Option<Rows>) {
        let all = 0..rows.places.len();
        let cost = |row: usize| policy.cost(rows.lengths(row));
        let piece = policy.piece(all.clone().into_par_iter().map(cost).sum());
        let [short, whole] = match strategy {
            SpMvStrategy::Scalar => [u64::MAX; 2],
            SpMvStrategy::Vector => [0, u64::MAX],
            SpMvStrategy::Balanced => [threads_up_to(rows, policy, piece), piece],
        };
        let take = |costs: Range<u64>| -> Vec<usize> {
            let mut taken: Vec<usize> =
                all.clone().into_par_iter().filter(|&row| costs.contains(&(cost(row) - 1))).collect();
            // Neighbours stay together: their columns often are, too.
            taken.par_sort_by_key(|&row| Reverse(class(rows.lengths(row))));
            taken
        };
        let (by_threads, by_warps) = (take(0..short), take(short..whole));
        let mut made = Rows::new();
        for &row in by_threads.iter().chain(&by_warps) {
            made.push(rows.places[row], &rows.units[rows.units_of(row)], &rows.others[rows.others_of(row)]);
        }
        let (mut sums, mut pieces) = (Rows::new(), 0);
        for row in all.clone().filter(|&row| cost(row) > whole) {
            let first = pieces;
            for units in rows.units[rows.units_of(row)].chunks(piece as usize) {
                made.push(pieces, units, &[]);
                pieces += 1;
            }
            for others in rows.others[rows.others_of(row)].chunks((piece / SpMvPolicy::PRODUCT) as usize) {
                made.push(pieces, &[], others);
                pieces += 1;
            }
            sums.push(rows.places[row], &(first..pieces).collect::<Vec<u32>>(), &[]);
        }
        let (threads, warps) = (by_threads.len(), by_warps.len());
        (Level { rows: made, threads, warps, pieces: pieces as usize }, Some(sums))
    }

    /// What the level's warps do, in turn, in additions.
    #[cfg(test)]
    fn warps(&self, policy: &SpMvPolicy) -> Vec<u64> {
        let warp = |row: usize| policy.warp_cost(self.rows.lengths(row));
        let whole = self.threads + self.warps;
        let pieces = (whole..self.rows.places.len()).map(warp);
        let rows = (self.threads..whole).map(warp);
        let threads: Vec<u64> = (0..self.threads).map(|row| policy.cost(self.rows.lengths(row))).collect();
        let threads = threads.chunks(LANES).map(|costs| costs.iter().copied().max().unwrap_or(0));
        pieces.chain(rows).chain(threads).collect()
    }
}

impl SpMvPolicy {
    /// What a product costs, in additions.
    pub(super) const PRODUCT: u64 = 8;
    /// What a warp does for a row besides its entries: it joins the sums of its lanes.
    const JOIN: u64 = 10;

    /// A thread's additions for so many units and others.
    fn cost(&self, [units, others]: [usize; 2]) -> u64 {
        units as u64 + Self::PRODUCT * others as u64
    }

    /// A warp's additions for so many units and others.
    fn warp_cost(&self, [units, others]: [usize; 2]) -> u64 {
        self.cost([units.div_ceil(LANES), others.div_ceil(LANES)]) + Self::JOIN
    }

    /// Most additions of a row that is not cut, of rows with so many in all: what lets all warps end
    /// together, at some time when the device is full.
    fn piece(&self, total: u64) -> u64 {
        let [least, most] = self.piece;
        let share = total.div_ceil(LANES as u64).div_ceil(self.warps_at_once * self.latency) * LANES as u64;
        // Pieces are shorter where a row ends, so that there are some more.
        let share = share + share / 16;
        share.div_ceil(share.div_ceil(most).max(1)).clamp(least, most)
    }

    /// Modelled time: what all warps do at the device's rate, or what the longest does by itself.
    fn time(&self, total: u64, longest: u64) -> u64 {
        (total / self.warps_at_once).max(longest * self.latency)
    }
}

/// Rows that a warp handles side by side ought to be equally long: most significant bits of the numbers of
/// products and units.
fn class([units, others]: [usize; 2]) -> [u32; 2] {
    let leading = |n: usize| {
        let bits = usize::BITS - n.leading_zeros();
        let dropped = bits.saturating_sub(3);
        ((bits << 3) + (n >> dropped) as u32) * u32::from(n > 0)
    };
    [leading(others), leading(units)]
}

/// Most additions of a row that is a thread's, for the least modelled time.
fn threads_up_to(rows: &Rows, policy: &SpMvPolicy, piece: u64) -> u64 {
    // What rows of up to `2^i` additions cost threads and warps, and the longest of them.
    #[derive(Clone, Copy, Default)]
    struct Bin {
        threads: u64,
        warps: u64,
        longest: [u64; 2],
    }
    let mut bins = [Bin::default(); u64::BITS as usize + 1];
    for row in 0..rows.places.len() {
        let lengths = rows.lengths(row);
        let cost = policy.cost(lengths);
        if cost > piece {
            continue;
        }
        let (bin, warp) = (&mut bins[cost.next_power_of_two().ilog2() as usize], policy.warp_cost(lengths));
        bin.threads += cost;
        bin.warps += warp;
        bin.longest = [bin.longest[0].max(cost), bin.longest[1].max(warp)];
    }
    let time = |below: usize| {
        let (short, long) = bins.split_at(below);
        let threads: u64 = short.iter().map(|bin| bin.threads).sum();
        let warps: u64 = long.iter().map(|bin| bin.warps).sum();
        let longest = |bins: &[Bin], of: usize| bins.iter().map(|bin| bin.longest[of]).max().unwrap_or(0);
        let of_threads = policy.time(threads.div_ceil(LANES as u64), longest(short, 0));
        let of_warps = policy.time(warps, longest(long, 1));
        of_threads + of_warps
    };
    let best = (0..bins.len()).min_by_key(|&below| time(below)).unwrap_or(0);
    best.checked_sub(1).map_or(0, |last| piece.min(1 << last))
}

#[cfg(test)]
mod tests;
