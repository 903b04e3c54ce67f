//! The order of rows by their lengths, and their sums.

use super::super::{GEOMETRY, Machine};
use super::common::scan;
use super::msm::{Sorted, merge};
use super::toy::{Affine, Textbook};
use super::{Random, blocks, buf, num};
use curvesmith_abi::kernels::{AccumulateRows, ROW_CLASSES, RowCounts, RowOrder};

/// The sums of rows, a thread a row or a part of one, added to those that there are: `begun`, a point a row.
pub(super) fn accumulate_rows<T: Textbook>(
    machine: &Machine,
    toy: &T,
    points: &[Affine<T>],
    sorted: &Sorted,
    begun: &[Affine<T>],
    (slices, least): (usize, usize),
) -> Vec<u32> {
    let Sorted { entries, starts, buckets, .. } = sorted;
    let sums = toy.point_words(begun, &mut Random(2));
    let (offsets, order) = row_order(&Machine::common(), starts, slices, least);
    let threads = *offsets.last().expect("there is an end") as usize;
    let stride = toy.point_words(&[None], &mut Random(1)).len();
    let args = [
        ("bases", buf(&toy.affine_words(points))),
        ("entries", buf(entries)),
        ("starts", buf(starts)),
        ("offsets", buf(&offsets)),
        ("order", buf(&order)),
        ("sums", buf(&sums)),
        ("partials", buf(&vec![3; slices * stride])),
        ("part_rows", buf(&vec![9; slices])),
        ("buckets", num(*buckets)),
        ("tiles", num(buckets.div_ceil(GEOMETRY.row_tile as usize))),
    ];
    // Some threads more than there are parts and rows.
    let blocks = blocks::<AccumulateRows>(threads + 1);
    let outputs = ["sums", "partials", "part_rows"];
    let [sums, partials, keys] = machine.run::<AccumulateRows, 3>(blocks, &args, outputs);
    let parts = Sorted { keys, entries: vec![], starts: offsets, buckets: *buckets };
    merge(machine, &parts, partials, sums, slices, 1)
}

/// The offsets of rows' parts and of classes, and the whole rows in their order.
fn row_order(machine: &Machine, starts: &[u32], slices: usize, least: usize) -> (Vec<u32>, Vec<u32>) {
    let buckets = starts.len() - 1;
    let tiles = buckets.div_ceil(GEOMETRY.row_tile as usize);
    let numbers =
        [("buckets", num(buckets)), ("tiles", num(tiles)), ("slices", num(slices)), ("least", num(least))];
    let counts = buf(&vec![9; buckets + 2 + tiles * ROW_CLASSES as usize]);
    let args = [&[("starts", buf(starts)), ("counts", counts)], &numbers[..]].concat();
    let [counts] = machine.run::<RowCounts, 1>(tiles, &args, ["counts"]);
    let offsets = scan(machine, &counts);
    let order = buf(&vec![u32::MAX; buckets]);
    let args =
        [&[("starts", buf(starts)), ("offsets", buf(&offsets)), ("order", order)], &numbers[..]].concat();
    let [order] = machine.run::<RowOrder, 1>(tiles, &args, ["order"]);
    (offsets, order)
}

#[test]
fn rows_are_ordered_by_length() {
    let machine = Machine::common();
    let mut random = Random(16);
    let tile = GEOMETRY.row_tile as usize;
    for (buckets, most, slices, least) in
        [(1, 5, 1, 1), (7, 4, 2, 3), (tile, 9, 64, 1), (tile + 1, 300, 900, 1), (2 * tile + 9, 3000, 2000, 1)]
    {
        let rows: Vec<u32> = (0..buckets).map(|_| random.below(most) * random.below(3).min(1)).collect();
        let sums = rows.iter().scan(0, |sum, row| Some(std::mem::replace(sum, *sum + row)));
        let total: u32 = rows.iter().sum();
        let starts: Vec<u32> = sums.chain([total]).collect();
        let length = total.div_ceil(slices as u32).max(least as u32);
        let (offsets, order) = row_order(&machine, &starts, slices, least);
        let mut parts = 0;
        for (row, len) in rows.iter().enumerate() {
            assert_eq!(offsets[row], parts);
            parts += if *len >= 2 * length { *len / length } else { 0 };
        }
        assert!(offsets[buckets] == parts && parts <= slices as u32, "{parts} parts");
        let whole = rows.iter().enumerate().filter(|(_, len)| (1..2 * length).contains(*len));
        let whole: Vec<u32> = whole.map(|(row, _)| row as u32).collect();
        assert_eq!(*offsets.last().expect("there is an end") as usize, parts as usize + whole.len());
        let (order, rest) = order.split_at(whole.len());
        let mut numbers = order.to_vec();
        numbers.sort_unstable();
        assert!(numbers == whole && rest.iter().all(|row| *row == u32::MAX), "each whole row once");
        // Longer ones first, but for less than a 64th.
        let lens: Vec<u32> = order.iter().map(|row| rows[*row as usize]).collect();
        let wrong = lens.windows(2).find(|pair| pair[1] > pair[0] + pair[0] / 64);
        assert_eq!(wrong, None, "{buckets} rows of up to {most}");
    }
}
