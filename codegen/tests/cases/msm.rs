//! The kernels of an MSM, one after the other, against repeated addition.

use super::super::{GEOMETRY, Machine};
use super::common::scan;
use super::rows::accumulate_rows;
use super::toy::{Affine, Textbook, Toy};
use super::{Random, blocks, buf, edwards, num, real};
use curvesmith_abi::Form;
use curvesmith_abi::kernels::{
    Accumulate, AccumulateLanes, BaseMultiples, BitHorner, BitSums, MergeHeads, MergePartials, NO_ENTRY,
    PairCounts, PairEntries, PairSums,
};
use std::ops::Range;

/// Signed digits of `scalars` in windows of `c` bits, sorted by key.
pub(super) struct Sorted {
    pub(super) keys: Vec<u32>,
    pub(super) entries: Vec<u32>,
    pub(super) starts: Vec<u32>,
    pub(super) buckets: usize,
}

fn sorted_digits(scalars: &[u64], c: usize, windows: usize) -> Sorted {
    let half = 1u64 << (c - 1);
    let buckets = windows << (c - 1);
    let mut pairs = vec![];
    for (i, &scalar) in scalars.iter().enumerate() {
        let mut rest = scalar;
        for w in 0..windows as u64 {
            let low = rest & (2 * half - 1);
            rest >>= c;
            let (magnitude, sign) = if low > half { (2 * half - low, 1u32) } else { (low, 0) };
            rest += u64::from(sign);
            let key = if magnitude == 0 { buckets as u64 } else { w * half + magnitude - 1 };
            pairs.push((key as u32, i as u32 | sign << 31));
        }
        assert_eq!(rest, 0);
    }
    pairs.sort_by_key(|(key, _)| *key);
    let (keys, entries): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
    let starts = (0..=buckets as u32).map(|k| keys.partition_point(|&x| x < k) as u32).collect();
    Sorted { keys, entries, starts, buckets }
}

struct Shape {
    c: usize,
    windows: usize,
    slices: usize,
    /// Least number of entries of a slice.
    least: usize,
    /// Sums of a span, parts of a span, and sums of a run, of Horner's rule on the device.
    horner: [usize; 3],
}

fn msm<T: Textbook>(
    machine: &Machine,
    toy: &T,
    points: &[Affine<T>],
    scalars: &[u64],
    shape: &Shape,
) -> Affine<T> {
    let Shape { c, windows, slices, least, horner } = *shape;
    let Sorted { keys, entries, starts, buckets } = sorted_digits(scalars, c, windows);
    let stride = toy.point_words(&[None], &mut Random(1)).len();
    // Zeros are identities.
    let sums = vec![0; buckets * stride];
    let args = [
        ("bases", buf(&toy.affine_words(points))),
        ("keys", buf(&keys)),
        ("entries", buf(&entries)),
        ("starts", buf(&starts)),
        ("sums", buf(&sums)),
        ("partials", buf(&vec![3; slices * stride])),
        ("buckets", num(buckets)),
        ("slices", num(slices)),
        ("least", num(least)),
    ];
    let [sums, partials] =
        machine.run::<Accumulate, 2>(blocks::<Accumulate>(slices), &args, ["sums", "partials"]);
    let on_lanes = toy.group().equation.form() == Form::Xyzz && toy.group().degree() == 2;
    if GEOMETRY.lane_pairs && on_lanes {
        let blocks = blocks::<AccumulateLanes>(2 * slices);
        let on_lanes = machine.run::<AccumulateLanes, 2>(blocks, &args, ["sums", "partials"]);
        for (found, expected) in on_lanes.iter().zip([&sums, &partials]) {
            assert_eq!(
                toy.read_points(found),
                toy.read_points(expected),
                "{slices} slices on pairs of lanes"
            );
        }
    }
    let sorted = Sorted { keys, entries, starts, buckets };
    let sums = merge(machine, &sorted, partials, sums, slices, least);
    // Rows are added to nothing, to a base of theirs, equal or opposite, and to others.
    let begun: Vec<Affine<T>> =
        (0..buckets).map(|row| points.get(row % (points.len() + 1)).cloned().flatten()).collect();
    let by_rows = accumulate_rows(machine, toy, points, &sorted, &begun, (slices, least));
    let Sorted { keys, entries, .. } = sorted;

    let mut expected: Vec<Affine<T>> = vec![None; buckets];
    for (key, entry) in keys.iter().zip(&entries).filter(|(key, _)| (**key as usize) < buckets) {
        let p = points[(entry & 0x7fff_ffff) as usize].clone();
        let p = if entry >> 31 == 1 { toy.neg(p) } else { p };
        expected[*key as usize] = toy.sum(expected[*key as usize].take(), p);
    }
    assert_eq!(toy.read_points(&sums), expected, "{slices} slices");
    let with_rows: Vec<Affine<T>> =
        begun.into_iter().zip(&expected).map(|(begun, row)| toy.sum(begun, row.clone())).collect();
    assert_eq!(toy.read_points(&by_rows), with_rows, "rows cut as {slices} slices");

    let sums = bit_sums(machine, &sums, c - 1, windows, GEOMETRY.bit_sums_steps() as usize);
    let of_runs = toy.read_points(&bit_horner(machine, &sums, c, windows, horner));
    // Runs by the exponents of their first sums.
    let runs = runs(c * windows, horner);
    let multiple = |power: usize, p| (0..power).fold(p, |p: Affine<T>, _| toy.sum(p.clone(), p));
    let terms = runs.iter().zip(of_runs).map(|(run, p)| multiple(exponent(run.start, c), p));
    terms.fold(None, |sum, p| toy.sum(sum, p))
}

/// The exponent of the weight of sum `q` by bits, in windows of `c` bits.
fn exponent(q: usize, c: usize) -> usize {
    q - usize::from(!q.is_multiple_of(c))
}

/// The runs of `n` sums that a thread each takes.
fn runs(n: usize, [span, parts, each]: [usize; 3]) -> Vec<Range<usize>> {
    let spans = (0..n).step_by(span).map(|lo| lo..(lo + span).min(n));
    let of_span = |span: Range<usize>| {
        span.clone().step_by(each).take(parts).map(move |lo| lo..(lo + each).min(span.end))
    };
    spans.flat_map(of_span).collect()
}

/// Horner's rule over runs of sums by bits.
fn bit_horner(machine: &Machine, sums: &[u32], c: usize, sets: usize, horner: [usize; 3]) -> Vec<u32> {
    let n = c * sets;
    let runs = runs(n, horner).len();
    let [span, parts, each] = horner;
    let args = [
        ("sums", buf(sums)),
        ("out", buf(&vec![6; sums.len() / n * runs])),
        ("window", num(c)),
        ("span", num(span)),
        ("parts", num(parts)),
        ("each", num(each)),
        ("n", num(n)),
        ("runs", num(runs)),
    ];
    machine.run_threads::<BitHorner>(runs, &args, "out")
}

/// The sums by bits of points in sets of `2^log_b`, in launches of at most `most` steps.
fn bit_sums(machine: &Machine, points: &[u32], log_b: usize, sets: usize, most: usize) -> Vec<u32> {
    let point = points.len() / (sets << log_b);
    let mut points = points.to_vec();
    let mut out = vec![5; sets * (log_b + 1) * point];
    let mut done = 0;
    while done < log_b {
        let steps = most.min(log_b - done);
        let args = [
            ("points", buf(&points)),
            ("out", buf(&out)),
            ("log_b", num(log_b)),
            ("done", num(done)),
            ("steps", num(steps)),
            ("sets", num(sets)),
        ];
        let runs = (sets << (log_b - done - steps)) * (done + 1);
        let blocks = blocks::<BitSums>(runs << (steps - 1));
        [points, out] = machine.run::<BitSums, 2>(blocks, &args, ["points", "out"]);
        done += steps;
    }
    out
}

/// `sums` after a merge.
pub(super) fn merge(
    machine: &Machine,
    sorted: &Sorted,
    partials: Vec<u32>,
    sums: Vec<u32>,
    slices: usize,
    least: usize,
) -> Vec<u32> {
    let Sorted { keys, starts, buckets, .. } = sorted;
    let args = |partials: Vec<u32>, sums: Vec<u32>| {
        [
            ("keys", buf(keys)),
            ("starts", buf(starts)),
            ("partials", buf(&partials)),
            ("sums", buf(&sums)),
            ("buckets", num(*buckets)),
            ("slices", num(slices)),
            ("least", num(least)),
        ]
    };
    let both = ["partials", "sums"];
    let within = blocks::<MergePartials>(slices);
    let [partials, sums] = machine.run::<MergePartials, 2>(within, &args(partials, sums), both);
    let [sums] = machine.run::<MergeHeads, 1>(within - 1, &args(partials, sums), ["sums"]);
    sums
}

/// Slices of `len` entries whose first keys make segments of the given lengths, and then `empty` slices
/// without an entry: what a merge of random points with many special cases makes of them.
fn check_merge<T: Textbook>(curve: &T, segments: &[usize], len: usize, empty: usize, random: &mut Random) {
    let machine = Machine::group(&curve.group());
    let all = curve.some_points();
    let filled: usize = segments.iter().sum();
    let slices = filled + empty;
    // Segment `i` has the key `2i`. In slices of more than one entry, keys also change within the last of
    // them.
    let (mut keys, mut first_keys) = (vec![], vec![]);
    for (i, &length) in segments.iter().enumerate() {
        first_keys.resize(first_keys.len() + length, 2 * i);
        keys.resize(keys.len() + length * len, 2 * i as u32);
        if let Some(last) = keys.last_mut().filter(|_| len > 1) {
            *last += i as u32 % 3;
        }
    }
    if len > 1 {
        keys.pop();
    }
    let buckets = 2 * segments.len() + 1;
    let starts = (0..=buckets as u32).map(|k| keys.partition_point(|&x| x < k) as u32).collect();
    let mut pick = |special: &[Affine<T>]| match random.below(4) {
        0 => special[random.below(special.len() as u32) as usize].clone(),
        _ => all[random.below(all.len() as u32) as usize].clone(),
    };
    let mut points: Vec<Affine<T>> = vec![];
    for _ in 0..slices {
        let last = points.last().cloned().flatten();
        points.push(pick(&[None, last.clone(), curve.neg(last)]));
    }
    let before: Vec<Affine<T>> = (0..buckets).map(|_| pick(&[None])).collect();
    let mut expected = before.clone();
    for (&key, point) in first_keys.iter().zip(&points) {
        expected[key] = curve.sum(expected[key].take(), point.clone());
    }
    let (partials, sums) = (curve.point_words(&points, random), curve.point_words(&before, random));
    let sorted = Sorted { keys, entries: vec![], starts, buckets };
    // Of slices longer than their number asks for, `least` says how long.
    let sums = curve.read_points(&merge(&machine, &sorted, partials, sums, slices, len));
    let wrong = (0..buckets).find(|&key| sums[key] != expected[key]);
    assert_eq!(wrong, None, "{curve:?}, {slices} slices of {len}, segments {segments:?}");
}

/// Segments of about 128² slices, and longer ones, in a long run of a million: for the interpreter, as it
/// takes some seconds.
pub(crate) fn check_large_merges(long: bool) {
    let mut random = Random(13);
    let [toy, _] = merge_curves();
    let (b, bb) = (128, 128 * 128);
    let all = [
        &[bb - 1][..],
        &[bb],
        &[bb + 1],
        &[1, bb - 1, bb + 1],
        &[bb - b, 1, b - 1, bb + 5],
        &[bb - b, bb + b, b],
        &[bb - 1, b + 1, bb - b],
        &[5, 2 * bb, bb, 1],
        &[1; 2 * 128 * 128 + 3],
    ];
    for segments in all.into_iter().step_by(if long { 1 } else { 2 }) {
        check_merge(&toy, segments, 1, 0, &mut random);
    }
    for _ in 0..if long { 4 } else { 1 } {
        let longest = 1 << (4 + random.below(12));
        let segments: Vec<usize> =
            (0..100_000 / longest).map(|_| 1 + random.below(longest) as usize).collect();
        check_merge(&toy, &segments, 1, 1, &mut random);
    }
    check_merge(&toy, &[1 << if long { 20 } else { 17 }], 1, 0, &mut random);
}

fn merge_curves() -> [Toy; 2] {
    [
        Toy { p: 13, nonresidue: None, a: [3, 0], b: [8, 0] },
        Toy { p: 7, nonresidue: Some(6), a: [0, 0], b: [4, 4] },
    ]
}

#[test]
fn merges_add_the_slices_of_each_segment() {
    let mut random = Random(10);
    for toy in &merge_curves() {
        for segments in [
            &[1][..],
            &[2],
            &[127],
            &[128],
            &[129],
            &[1, 127],
            &[1, 128, 128, 1],
            &[126, 1, 1, 1, 2, 129],
            &[300],
            &[1; 150],
            &[2; 150],
            &[3, 255, 256, 257, 1, 1],
        ] {
            for (len, empty) in [(1, 0), (1, 5), (3, 0), (3, 300)] {
                check_merge(toy, segments, len, empty, &mut random);
            }
        }
        for _ in 0..6 {
            let longest = 1 << (1 + random.below(9));
            let segments: Vec<usize> = (0..10).map(|_| 1 + random.below(longest) as usize).collect();
            check_merge(toy, &segments, 1, 0, &mut random);
        }
    }
    for curve in &edwards::curves() {
        check_merge(curve, &[1, 2, 9, 129, 1, 1], 1, 2, &mut random);
        check_merge(curve, &[3, 1, 140], 2, 0, &mut random);
    }
}

/// Random points, of which many are the identity, or equal or opposite to one that they may meet.
fn check_bit_sums<T: Textbook>(curve: &T, log_b: usize, most: usize, random: &mut Random) {
    let machine = Machine::group(&curve.group());
    let (all, sets) = (curve.some_points(), if log_b < 7 { 3 } else { 2 });
    let mut points: Vec<Affine<T>> = vec![];
    for _ in 0..sets << log_b {
        let pick = all[random.below(all.len() as u32) as usize].clone();
        let other = points.len().checked_sub(1 << random.below(9)).map(|i| points[i].clone());
        let other = other.unwrap_or(pick.clone());
        let choice = [pick, other.clone(), curve.neg(other), None];
        points.push(choice[random.below(4) as usize].clone());
    }
    let sum = |set: &[Affine<T>], bits: usize| {
        let of_bits = set.iter().enumerate().filter(|(i, _)| i & bits == bits);
        of_bits.fold(None, |sum, (_, p)| curve.sum(sum, p.clone()))
    };
    let of_set = |set| std::iter::once(0).chain((0..log_b).map(|j| 1 << j)).map(move |bits| sum(set, bits));
    let expected: Vec<Affine<T>> = points.chunks(1 << log_b).flat_map(of_set).collect();
    let words = curve.point_words(&points, random);
    let sums = curve.read_points(&bit_sums(&machine, &words, log_b, sets, most));
    assert_eq!(sums, expected, "{curve:?}, {log_b} bits, at most {most} at once");
}

#[test]
fn buckets_are_summed_by_bits() {
    let mut random = Random(11);
    for toy in &merge_curves() {
        for (log_b, most) in [(1, 8), (2, 8), (3, 1), (5, 2), (7, 3), (8, 8), (9, 8), (10, 4)] {
            check_bit_sums(toy, log_b, most, &mut random);
        }
    }
    for curve in &edwards::curves() {
        for (log_b, most) in [(1, 8), (4, 3), (6, 8)] {
            check_bit_sums(curve, log_b, most, &mut random);
        }
    }
}

/// Runs of random points with special cases, in windows of `c` bits.
fn check_bit_horner<T: Textbook>(curve: &T, c: usize, sets: usize, horner: [usize; 3], random: &mut Random) {
    let machine = Machine::group(&curve.group());
    let all = curve.some_points();
    let mut points: Vec<Affine<T>> = vec![];
    for _ in 0..c * sets {
        let pick = all[random.below(all.len() as u32) as usize].clone();
        // Equal or opposite to twice the point before, which it may meet.
        let last = points.last().cloned().flatten();
        let twice = curve.sum(last.clone(), last);
        let choice = [pick.clone(), twice.clone(), curve.neg(twice), None, pick];
        points.push(choice[random.below(5) as usize].clone());
    }
    let double = |p: Affine<T>| curve.sum(p.clone(), p);
    let of_run = |run: Range<usize>| {
        let low = exponent(run.start, c);
        let term = |q: usize| (low..exponent(q, c)).fold(points[q].clone(), |p, _| double(p));
        run.map(term).fold(None, |sum, p| curve.sum(sum, p))
    };
    let expected: Vec<Affine<T>> = runs(points.len(), horner).into_iter().map(of_run).collect();
    let words = curve.point_words(&points, random);
    let found = curve.read_points(&bit_horner(&machine, &words, c, sets, horner));
    assert_eq!(found, expected, "{curve:?}, {sets} windows of {c} bits, {horner:?}");
}

#[test]
fn sums_by_bits_are_combined_by_runs() {
    let mut random = Random(15);
    for toy in &merge_curves() {
        for (c, sets, horner) in [
            (2, 1, [2, 1, 2]),
            (2, 9, [8, 1, 8]),
            (3, 40, [9, 1, 9]),
            (5, 3, [5, 1, 5]),
            (10, 4, [10, 2, 5]),
            (13, 5, [13, 2, 7]),
            (24, 2, [24, 3, 8]),
            (7, 3, [7, 7, 1]),
        ] {
            check_bit_horner(toy, c, sets, horner, &mut random);
        }
    }
    for curve in &edwards::curves() {
        check_bit_horner(curve, 4, 3, [8, 1, 8], &mut random);
        check_bit_horner(curve, 11, 2, [11, 2, 6], &mut random);
    }
}

#[test]
fn real_points_are_merged_and_summed() {
    let mut random = Random(12);
    for curve in &real::curves() {
        check_merge(curve, &[1, 2, 9, 129, 1, 1], 1, 2, &mut random);
        check_merge(curve, &[3, 1, 140], 2, 0, &mut random);
        check_bit_sums(curve, 3, 8, &mut random);
        check_bit_sums(curve, 6, 4, &mut random);
        check_bit_horner(curve, 5, 3, [5, 2, 3], &mut random);
        check_bit_horner(curve, 3, 5, [6, 1, 6], &mut random);
    }
}

#[test]
fn sums_of_products_for_every_distribution() {
    let mut random = Random(9);
    merge_curves().iter().for_each(|toy| check_products(toy, &mut random));
    let curves = edwards::curves();
    curves.iter().take(2).chain(curves.last()).for_each(|toy| check_products(toy, &mut random));
}

/// Multiples of every point of a toy, those of orders 2 and 4 among them.
fn check_multiples<T: Textbook>(curve: &T, doublings: usize, multiples: usize) {
    let machine = Machine::group(&curve.group());
    let points = curve.some_points();
    let words = curve.affine_words(&points);
    let args = [
        ("points", buf(&words)),
        ("out", buf(&vec![3; words.len() * multiples])),
        ("multiples", num(multiples)),
        ("doublings", num(doublings)),
        ("n", num(points.len())),
    ];
    let found = machine.run_threads::<BaseMultiples>(points.len(), &args, "out");
    let twice = |p: Affine<T>| curve.sum(p.clone(), p);
    let next = |p: &Affine<T>| Some((0..doublings).fold(p.clone(), |p, _| twice(p)));
    let of = |p: Affine<T>| std::iter::successors(Some(p), next).take(multiples);
    let expected: Vec<Affine<T>> = points.into_iter().flat_map(of).collect();
    assert!(found == curve.affine_words(&expected), "{curve:?}, {multiples} of {doublings} doublings");
}

#[test]
fn bases_have_multiples() {
    let order_two = Toy { p: 13, nonresidue: None, a: [1, 0], b: [0, 0] };
    for (doublings, multiples) in [(1, 1), (1, 4), (3, 2), (13, 3)] {
        for toy in merge_curves().iter().chain([&order_two]) {
            check_multiples(toy, doublings, multiples);
        }
        edwards::curves().iter().for_each(|curve| check_multiples(curve, doublings, multiples));
        real::curves().iter().for_each(|curve| check_multiples(curve, doublings, multiples));
    }
}

fn multiple<T: Textbook>(curve: &T, k: u64, p: &Affine<T>) -> Affine<T> {
    (0..k).fold(None, |sum, _| curve.sum(sum, p.clone()))
}

fn check_products<T: Textbook>(toy: &T, random: &mut Random) {
    let shapes = [
        Shape { c: 2, windows: 5, slices: 32, least: 1, horner: [4, 1, 4] },
        Shape { c: 3, windows: 4, slices: 7, least: 2, horner: [3, 2, 2] },
        Shape { c: 4, windows: 3, slices: 160, least: 1, horner: [4, 1, 4] },
        Shape { c: 5, windows: 2, slices: 1, least: 9, horner: [5, 2, 3] },
        Shape { c: 8, windows: 2, slices: 64, least: 3, horner: [8, 3, 3] },
    ];
    let machine = Machine::group(&toy.group());
    let all = toy.some_points();
    for (i, shape) in shapes.iter().enumerate() {
        // Every other length in a short run, other ones for each shape.
        let step = if super::is_long() { 1 } else { 2 };
        for n in [1usize, 2, 33, 130].into_iter().skip(i % step).step_by(step) {
            let points: Vec<Affine<T>> =
                (0..n).map(|_| all[random.below(all.len() as u32) as usize].clone()).collect();
            let top = 1u64 << (shape.c * shape.windows - 1);
            let bound = top.min(500) as u32;
            let cases: [Vec<u64>; 4] = [
                (0..n).map(|_| u64::from(random.below(bound))).collect(),
                vec![0; n],
                vec![u64::from(bound - 1); n],
                (0..n).map(|i| u64::from(i % 7 == 0)).collect(),
            ];
            for scalars in cases {
                let products = points.iter().zip(&scalars).map(|(p, &k)| multiple(toy, k, p));
                let expected = products.fold(None, |sum, product| toy.sum(sum, product));
                let found = msm(&machine, toy, &points, &scalars, shape);
                assert_eq!(found, expected, "{toy:?} n={n} c={}", shape.c);
            }
        }
    }
}

/// The pairs of entries sorted by bucket.
struct Paired {
    keys: Vec<u32>,
    entries: Vec<u32>,
    lefts: Vec<u32>,
    rights: Vec<u32>,
    starts: Vec<u32>,
}

fn paired(machine: &Machine, keys: &[u32], entries: &[u32], buckets: usize) -> Paired {
    let starts: Vec<u32> = (0..=buckets as u32).map(|k| keys.partition_point(|&x| x < k) as u32).collect();
    let args = [("starts", buf(&starts)), ("counts", buf(&vec![9; buckets + 1])), ("buckets", num(buckets))];
    let counts = machine.run_threads::<PairCounts>(buckets + 1, &args, "counts");
    let next_starts = scan(machine, &counts);
    let pairs = next_starts[buckets] as usize;
    let n = keys.len();
    let blank = || buf(&vec![9; pairs]);
    let args = [
        ("keys", buf(keys)),
        ("entries", buf(entries)),
        ("starts", buf(&starts)),
        ("next_starts", buf(&next_starts)),
        ("keys_out", blank()),
        ("entries_out", blank()),
        ("lefts", blank()),
        ("rights", blank()),
        ("buckets", num(buckets)),
        ("n", num(n)),
    ];
    let out = ["keys_out", "entries_out", "lefts", "rights"];
    let [keys, entries, lefts, rights] = machine.run::<PairEntries, 4>(blocks::<PairEntries>(n), &args, out);
    Paired { keys, entries, lefts, rights, starts: next_starts }
}

/// Keys of `rows` entries each, in buckets of which every third is empty.
fn keys_of(rows: &[usize]) -> (Vec<u32>, usize) {
    let keys = rows.iter().enumerate().flat_map(|(i, &len)| std::iter::repeat_n((i + i / 2) as u32, len));
    (keys.collect(), rows.len() * 3 / 2 + 1)
}

#[test]
fn entries_of_a_bucket_are_paired() {
    let machine = Machine::common();
    for rows in [&[1][..], &[2], &[3, 1, 1, 2, 5, 4, 0, 7], &[130, 129, 1], &[1; 300]] {
        let (keys, buckets) = keys_of(rows);
        let entries: Vec<u32> = (0..keys.len() as u32).map(|i| (i * 7) | ((i % 2) << 31)).collect();
        let found = paired(&machine, &keys, &entries, buckets);
        let mut expected: Vec<[u32; 3]> = vec![];
        for key in 0..buckets as u32 {
            let of_key: Vec<u32> =
                keys.iter().zip(&entries).filter(|(k, _)| **k == key).map(|(_, e)| *e).collect();
            let pair = |pair: &[u32]| [key, pair[0], pair.get(1).copied().unwrap_or(NO_ENTRY)];
            expected.extend(of_key.chunks(2).map(pair));
            let end = found.starts[key as usize + 1] as usize;
            assert_eq!(end, expected.len(), "{rows:?}");
        }
        let places: Vec<u32> = (0..expected.len() as u32).collect();
        let pairs = found.keys.iter().zip(&found.lefts).zip(&found.rights);
        let pairs: Vec<[u32; 3]> = pairs.map(|((k, l), r)| [*k, *l, *r]).collect();
        assert_eq!((pairs, found.entries), (expected, places), "{rows:?}");
    }
}

/// Rounds of sums of pairs until every bucket has one entry, of points among which the identity, equal and
/// opposite ones and those of order two are many.
fn check_pairs<T: Textbook>(curve: &T, rows: &[usize], threads: usize, random: &mut Random) {
    let (machine, common) = (Machine::group(&curve.group()), Machine::common());
    let all = curve.some_points();
    let (mut keys, buckets) = keys_of(rows);
    let mut points: Vec<Affine<T>> = vec![];
    for _ in 0..keys.len() {
        let pick = all[random.below(all.len() as u32) as usize].clone();
        let last = points.last().cloned().unwrap_or(pick.clone());
        let choice = [pick.clone(), last.clone(), curve.neg(last), None, pick];
        points.push(choice[random.below(5) as usize].clone());
    }
    let mut entries: Vec<u32> =
        (0..keys.len() as u32).map(|i| (i * 5 % keys.len() as u32) | (random.below(2) << 31)).collect();
    let mut expected: Vec<Affine<T>> = vec![None; buckets];
    for (key, entry) in keys.iter().zip(&entries) {
        let p = points[(entry & 0x7fff_ffff) as usize].clone();
        let p = if entry >> 31 == 1 { curve.neg(p) } else { p };
        expected[*key as usize] = curve.sum(expected[*key as usize].take(), p);
    }
    let point = curve.affine_words(&[None]).len();
    let mut words = curve.affine_words(&points);
    // A round at least: it also applies the signs.
    loop {
        let pairs = paired(&common, &keys, &entries, buckets);
        let args = [
            ("points", buf(&words)),
            ("lefts", buf(&pairs.lefts)),
            ("rights", buf(&pairs.rights)),
            ("starts", buf(&pairs.starts)),
            ("sums", buf(&vec![7; pairs.keys.len() * point])),
            ("buckets", num(buckets)),
            ("threads", num(threads)),
        ];
        words = machine.run_threads::<PairSums>(threads, &args, "sums");
        (keys, entries) = (pairs.keys, pairs.entries);
        if keys.windows(2).all(|pair| pair[0] != pair[1]) {
            break;
        }
    }
    let expected: Vec<Affine<T>> = keys.iter().map(|key| expected[*key as usize].clone()).collect();
    assert!(words == curve.affine_words(&expected), "{curve:?}, rows {rows:?}, {threads} threads");
}

#[test]
fn pairs_are_summed() {
    let mut random = Random(14);
    let order_two = Toy { p: 13, nonresidue: None, a: [1, 0], b: [0, 0] };
    for toy in merge_curves().iter().chain([&order_two]) {
        for (rows, threads) in
            [(&[1][..], 1), (&[2, 1], 5), (&[3, 17, 1, 2], 2), (&[40; 9], 40), (&[129, 300], 130)]
        {
            check_pairs(toy, rows, threads, &mut random);
        }
    }
    for curve in &real::curves() {
        check_pairs(curve, &[1, 2, 9, 4], 3, &mut random);
    }
}
