use super::*;

const GPU: SpMvPolicy = SpMvPolicy { warps_at_once: 528, latency: 4, piece: [512, 4096] };

/// Rows of so many units and others.
fn rows(lengths: &[[usize; 2]]) -> Rows {
    let mut rows = Rows::new();
    for (place, &[units, others]) in lengths.iter().enumerate() {
        rows.push(place as u32, &vec![7; units], &vec![9; others]);
    }
    rows
}

fn schedule(lengths: &[[usize; 2]], strategy: SpMvStrategy) -> Vec<Level> {
    Level::all(rows(lengths), &GPU, strategy)
}

/// Rows of threads, of warps, and pieces, of each level.
fn shares(levels: &[Level]) -> Vec<[usize; 3]> {
    levels.iter().map(|level| [level.threads, level.warps, level.pieces]).collect()
}

fn balanced(lengths: &[[usize; 2]]) -> Vec<[usize; 3]> {
    shares(&schedule(lengths, SpMvStrategy::Balanced))
}

#[test]
fn entries_are_sorted_by_what_they_are() {
    use Entry::{MinusOne, One, Other, Zero};
    let entries = [Other, One, Zero, MinusOne, Zero, Other, Other];
    // Rows of four entries, of none, of one that is zero, and of two.
    let rows = Rows::of(&[0, 4, 4, 5, 7], &[1, 2, 3, 4, 5, 6, 7], &entries);
    assert_eq!(rows.places, [0, 3]);
    assert_eq!((&*rows.unit_starts, &*rows.units), (&[0, 2, 2][..], &[2, 4 | 1 << 31][..]));
    assert_eq!((&*rows.starts, &*rows.others), (&[0, 1, 3][..], &[0, 5, 6][..]));
}

#[test]
fn lengths_decide() {
    assert_eq!(balanced(&[]), Vec::<[usize; 3]>::new());
    assert_eq!(balanced(&[[0, 3]; 100_000]), [[100_000, 0, 0]]);
    // Few rows: each by as many lanes as it has use for.
    assert_eq!(balanced(&[[0, 64]; 100]), [[0, 100, 0]]);
    assert_eq!(balanced(&[[0, 64]; 100_000]), [[100_000, 0, 0]]);
    // Short ones and long ones, and such as are cut.
    let mut lengths = vec![[2, 1]; 100_000];
    (lengths[7], lengths[9], lengths[11]) = ([0, 200], [5000, 0], [0, 600]);
    assert_eq!(balanced(&lengths), [[99_997, 0, 24], [3, 0, 0]]);
    // More pieces than one warp sums.
    assert_eq!(balanced(&[[5000 * 512, 0]]), [[0, 0, 1982], [0, 0, 4], [1, 0, 0]]);
}

#[test]
fn strategies_are_followed() {
    let lengths = [[2, 1], [0, 200], [5000, 10_000]];
    assert_eq!(shares(&schedule(&lengths, SpMvStrategy::Scalar)), [[3, 0, 0]]);
    assert_eq!(shares(&schedule(&lengths, SpMvStrategy::Vector)), [[0, 3, 0]]);
    assert_eq!(balanced(&lengths), [[1, 0, 171], [0, 2, 0]]);
}

/// Each row is there once, with its own entries; each piece once, in the sum of its row.
#[test]
fn nothing_is_lost() {
    let lengths: Vec<[usize; 2]> =
        (0..3000).map(|i| [1 + i * 7 % 11, if i % 500 == 0 { 40 * i } else { i * 5 % 13 }]).collect();
    for strategy in [SpMvStrategy::Scalar, SpMvStrategy::Vector, SpMvStrategy::Balanced] {
        let mut found = vec![[0; 2]; lengths.len()];
        let mut of_pieces: Vec<[usize; 2]> = vec![];
        for level in &schedule(&lengths, strategy) {
            let sum = |row: usize| match of_pieces.is_empty() {
                true => level.rows.lengths(row),
                false => level.rows.units[level.rows.units_of(row)].iter().fold([0; 2], |sum, &piece| {
                    let of = of_pieces[piece as usize];
                    [sum[0] + of[0], sum[1] + of[1]]
                }),
            };
            let whole = level.threads + level.warps;
            (0..whole).for_each(|row| found[level.rows.places[row] as usize] = sum(row));
            let pieces = whole..level.rows.places.len();
            assert!(pieces.clone().map(|row| level.rows.places[row] as usize).eq(0..level.pieces));
            of_pieces = pieces.map(sum).collect();
        }
        assert_eq!(found, lengths, "{strategy:?}");
    }
}

/// Warps take what is next whenever one of those that run ends.
fn makespan(costs: &[u64], at_once: usize) -> u64 {
    let mut ends = std::collections::BinaryHeap::from(vec![Reverse(0); at_once]);
    for cost in costs {
        let Reverse(end) = ends.pop().unwrap();
        ends.push(Reverse(end + cost));
    }
    ends.into_iter().map(|Reverse(end)| end).max().unwrap()
}

/// The time of all warps, whatever the rows' lengths, is at most 1.3 times what it were if all of them ended
/// at once.
#[test]
fn skewed_matrices_are_shared_out_evenly() {
    const ROWS: usize = 1 << 20;
    let row = |of: &dyn Fn(usize) -> [usize; 2]| (0..ROWS).map(of).collect::<Vec<_>>();
    let mix = |i: usize| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let matrices = [
        ("equal", row(&|_| [2, 1])),
        ("one row with everything", row(&|i| if i == 77 { [ROWS, 3 * ROWS] } else { [0, 0] })),
        ("one long row", row(&|i| if i == 77 { [0, ROWS] } else { [2, 1] })),
        ("half empty", row(&|i| if i % 2 == 0 { [0, 0] } else { [3, 2] })),
        ("a power law", row(&|i| [0, (1 << 16) / (1 + mix(i) % (1 << 16))])),
        ("mixed", row(&|i| [mix(i) % 30, mix(i + 1) % 5])),
        ("bits and packs", row(&|i| if i % 255 == 0 { [1, 254] } else { [2, 0] })),
    ];
    for (name, lengths) in matrices {
        let levels = schedule(&lengths, SpMvStrategy::Balanced);
        // Threads of a warp wait for each other too.
        let ideal: u64 = lengths.iter().map(|&row| GPU.cost(row)).sum::<u64>() / LANES as u64;
        let (mut total, mut time) = (0, 0);
        let at_once = (GPU.warps_at_once * GPU.latency) as usize;
        for costs in levels.iter().map(|level| level.warps(&GPU)) {
            total += costs.iter().sum::<u64>();
            time += makespan(&costs, at_once);
        }
        let mean = total.div_ceil(at_once as u64);
        println!("{name}: {:?}, {time} of {mean}, {total} of {ideal}", shares(&levels));
        assert!(10 * time <= 13 * mean, "{name}: {time} of {mean}");
        assert!(10 * total <= 14 * ideal, "{name}: {total} of {ideal}");
    }
}
