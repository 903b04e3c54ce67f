//! Inputs of the kernels without a field.

use super::session::{Named, Session, buf, num};
use curvesmith_abi::kernels::{NO_DIGIT, ODD_KEY_BITS, ROW_CLASSES};
use curvesmith_abi::{Geometry, KernelDesc};

const TILE: usize = Geometry::PTX.radix_tile as usize;
const THREADS: usize = Geometry::PTX.sort_threads as usize;

pub(crate) fn case(s: &mut Session, desc: &KernelDesc) -> Option<()> {
    match desc.name {
        name @ ("radix_count" | "radix_scatter_first" | "radix_scatter") => {
            if !s.has_run(name) {
                sort(s, 40, 3, 5);
                sort(s, TILE + 300, 1, 15);
            }
        }
        name @ "radix_scatter_odd" => {
            scatter_odd(s, name, 40, 3);
            scatter_odd(s, name, TILE + 300, 1);
        }
        "scan_tiles" => scan(s, Geometry::PTX.scan_tile as usize + 700),
        name @ "scan_add" => {
            let n = 2 * Geometry::PTX.scan_tile as usize - 3;
            let (data, offsets) = (buf(&s.words(n)), buf(&s.words(2)));
            s.run(name, n, n, &[("data", data), ("offsets", offsets)]);
        }
        name @ ("bucket_counts" | "bucket_scatter") => {
            counting(s, name, 31, 1);
            counting(s, name, ODD_KEY_BITS, 7);
        }
        name @ "bucket_starts" => bucket_starts(s, name),
        name @ ("pair_counts" | "pair_entries") => pairs(s, name),
        name @ ("row_counts" | "row_order") => rows(s, name),
        _ => return None,
    }
    Some(())
}

fn exclusive_sums(words: &[u32]) -> Vec<u32> {
    let sums = words.iter().scan(0u32, |sum, x| Some(std::mem::replace(sum, sum.wrapping_add(*x))));
    sums.collect()
}

/// What the passes over segments of `n` codes have in common.
struct Sort {
    n: usize,
    segments: usize,
    /// The lowest bit of each pass, and the end of the last.
    edges: Vec<usize>,
    codes: Vec<u32>,
    offsets: Vec<u32>,
}

impl Sort {
    /// Counts, and their sums.
    fn new(s: &mut Session, codes: Vec<u32>, segments: usize, edges: Vec<usize>) -> Self {
        let (n, passes) = (codes.len() / segments, edges.len() - 1);
        let cells = edges.windows(2).map(|edge| segments << (edge[1] - edge[0])).sum::<usize>() + 1;
        let named = [
            ("codes", buf(&codes)),
            ("counts", buf(&vec![0; cells])),
            ("key_bits", num(edges[passes])),
            ("passes", num(passes)),
            ("segments", num(segments)),
            ("each", num(1)),
            ("n", num(n)),
        ];
        let threads = segments * n.div_ceil(TILE) * THREADS;
        let counted = s.run("radix_count", threads, 0, &named).remove("counts").unwrap();
        Sort { n, segments, edges, codes, offsets: exclusive_sums(&counted) }
    }

    /// Keys and entries after a pass.
    fn pass(&self, s: &mut Session, name: &str, pass: usize, more: Named<'_>) -> [Vec<u32>; 2] {
        let (tiles, bits) = (self.n.div_ceil(TILE), self.edges[pass + 1] - self.edges[pass]);
        let total = self.codes.iter().filter(|code| **code != NO_DIGIT).count();
        let blank = buf(&vec![u32::MAX; total]);
        let named = [
            ("offsets", buf(&self.offsets)),
            ("states", buf(&vec![0; ((self.segments * tiles) << bits) + 1])),
            ("keys_out", blank.clone()),
            ("entries_out", blank),
            ("bits", num(bits)),
            ("segments", num(self.segments)),
            ("tiles", num(tiles)),
        ];
        let threads = self.segments * tiles * THREADS;
        let mut after = s.run(name, threads, 0, &[&named, more].concat());
        ["keys_out", "entries_out"].map(|name| after.remove(name).unwrap())
    }
}

/// Two passes over segments of `n` codes each, of four digits a scalar.
fn sort(s: &mut Session, n: usize, segments: usize, bits: usize) {
    let code = |s: &mut Session, i: usize| match s.random.below(5) {
        0 => NO_DIGIT,
        _ => ((i / n) << bits | s.random.below(1 << bits) | s.random.below(2) << 31) as u32,
    };
    let codes: Vec<u32> = (0..segments * n).map(|i| code(s, i)).collect();
    let sort = Sort::new(s, codes, segments, vec![0, bits / 2, bits]);
    let more = [("codes", buf(&sort.codes)), ("multiples", num(4)), ("n", num(n))];
    let [keys, entries] = sort.pass(s, "radix_scatter_first", 0, &more);
    let more = [
        ("keys_in", buf(&keys)),
        ("entries_in", buf(&entries)),
        ("first", num(segments << (bits / 2))),
        ("shift", num(bits / 2)),
    ];
    sort.pass(s, "radix_scatter", 1, &more);
}

/// One pass over segments of `n` codes with exponents below 7, of four digits a scalar.
fn scatter_odd(s: &mut Session, name: &str, n: usize, segments: usize) {
    let bits = 5;
    let code = |s: &mut Session, i: usize| match s.random.below(5) {
        0 => NO_DIGIT,
        _ => {
            let (sign, exponent) = (s.random.below(2), s.random.below(7));
            ((i / n) << bits | s.random.below(1 << bits) | exponent << ODD_KEY_BITS | sign << 31) as u32
        }
    };
    let codes: Vec<u32> = (0..segments * n).map(|i| code(s, i)).collect();
    let sort = Sort::new(s, codes, segments, vec![0, bits]);
    let more = [("codes", buf(&sort.codes)), ("multiples", num(4)), ("doublings", num(7)), ("n", num(n))];
    sort.pass(s, name, 0, &more);
}

/// Codes of three segments of digits, four a scalar. The scatter has one of each key, since those of a key
/// have any order.
fn counting(s: &mut Session, name: &str, key_bits: u32, doublings: usize) {
    let (segments, n) = (3, 100);
    let len = segments * n;
    let code = |s: &mut Session, i: usize| {
        let key = if name == "bucket_counts" { s.random.below(len) } else { i * 37 % len };
        let exponent = s.random.below(doublings);
        let digit = key as u64 | (exponent as u64) << key_bits | (s.random.below(2) as u64) << 31;
        if s.random.below(5) == 0 { NO_DIGIT } else { digit as u32 }
    };
    let codes: Vec<u32> = (0..len).map(|i| code(s, i)).collect();
    let numbers = [
        ("codes", buf(&codes)),
        ("key_bits", num(key_bits as usize)),
        ("segments", num(segments)),
        ("n", num(n)),
    ];
    if name == "bucket_counts" {
        let counts = buf(&s.words(len + 1));
        s.run(name, len, 0, &[&numbers[..], &[("counts", counts)]].concat());
        return;
    }
    let mut counts = vec![0; len + 1];
    for code in codes.iter().filter(|code| **code != NO_DIGIT) {
        counts[(code & ((1 << key_bits) - 1)) as usize + 1] += 1;
    }
    let blank = buf(&vec![u32::MAX; counts.iter().sum::<u32>() as usize]);
    let more = [
        ("places", buf(&exclusive_sums(&counts))),
        ("keys_out", blank.clone()),
        ("entries_out", blank),
        ("multiples", num(4)),
        ("doublings", num(doublings)),
    ];
    s.run(name, len, 0, &[&numbers[..], &more].concat());
}

fn scan(s: &mut Session, n: usize) {
    let tiles = n.div_ceil(Geometry::PTX.scan_tile as usize);
    let threads = tiles * Geometry::PTX.sort_threads as usize;
    let (data, sums) = (buf(&s.words(n)), buf(&s.words(tiles)));
    s.run("scan_tiles", threads, n, &[("data", data), ("sums", sums)]);
}

/// As after a last pass of the sort with one tile.
fn bucket_starts(s: &mut Session, name: &str) {
    for (n, buckets, shift) in [(0usize, 6usize, 1usize), (300, 64, 3), (500, 128, 0)] {
        let mut keys: Vec<u32> = (0..n).map(|_| s.random.below(buckets) as u32).collect();
        keys.sort_unstable();
        let below = |group: usize| keys.partition_point(|key| (*key as usize) < group << shift) as u32;
        let offsets: Vec<u32> = (0..=buckets >> shift).map(below).collect();
        let named = [
            ("keys", buf(&keys)),
            ("offsets", buf(&offsets)),
            ("starts", buf(&s.words(buckets + 1))),
            ("buckets", num(buckets)),
            ("shift", num(shift)),
            ("first", num(0)),
        ];
        s.run(name, buckets + 1, 0, &named);
    }
}

/// Buckets of 0 to 6 entries.
fn pairs(s: &mut Session, name: &str) {
    let buckets = 40;
    let rows: Vec<usize> = (0..buckets).map(|_| s.random.below(7)).collect();
    let sums = |len: &dyn Fn(usize) -> usize| {
        exclusive_sums(&rows.iter().chain([&0]).map(|&row| len(row) as u32).collect::<Vec<_>>())
    };
    let (starts, next_starts) = (sums(&|row| row), sums(&|row| row.div_ceil(2)));
    let n = starts[buckets] as usize;
    let keys: Vec<u32> = (0..buckets).flat_map(|k| std::iter::repeat_n(k as u32, rows[k])).collect();
    if name == "pair_counts" {
        let named =
            [("starts", buf(&starts)), ("counts", buf(&s.words(buckets + 1))), ("buckets", num(buckets))];
        s.run(name, buckets + 1, 0, &named);
        return;
    }
    let entries = buf(&s.words(n));
    let blank = buf(&vec![u32::MAX; next_starts[buckets] as usize]);
    let named = [
        ("keys", buf(&keys)),
        ("entries", entries),
        ("starts", buf(&starts)),
        ("next_starts", buf(&next_starts)),
        ("keys_out", blank.clone()),
        ("entries_out", blank.clone()),
        ("lefts", blank.clone()),
        ("rights", blank),
        ("buckets", num(buckets)),
        ("n", num(n)),
    ];
    s.run(name, n, 0, &named);
}

/// Empty rows, short ones and long ones, in one tile and in two. Whole ones have different lengths, since
/// those of a class have any order.
fn rows(s: &mut Session, name: &str) {
    for (buckets, step, slices, least) in [(9, 2, 3, 2), (Geometry::PTX.row_tile as usize + 300, 37, 900, 1)]
    {
        let len = |row: usize| match (row % step, row % (step + 1)) {
            (0, _) => (row / step + 1) as u32,
            (_, 0) => 2000,
            _ => 0,
        };
        let lens: Vec<u32> = (0..buckets).map(len).collect();
        let starts = exclusive_sums(&[&lens[..], &[0]].concat());
        let length = starts[buckets].div_ceil(slices).max(least);
        let tiles = buckets.div_ceil(Geometry::PTX.row_tile as usize);
        let cells = buckets + 2 + tiles * ROW_CLASSES as usize;
        let numbers = [
            ("starts", buf(&starts)),
            ("buckets", num(buckets)),
            ("tiles", num(tiles)),
            ("slices", num(slices as usize)),
            ("least", num(least as usize)),
        ];
        let threads = tiles * Geometry::PTX.row_threads as usize;
        let counted = [&numbers[..], &[("counts", buf(&s.words(cells)))]].concat();
        if name == "row_counts" {
            s.run(name, threads, 0, &counted);
            continue;
        }
        let offsets = exclusive_sums(&s.run("row_counts", threads, 0, &counted).remove("counts").unwrap());
        let whole = lens.iter().filter(|len| (1..2 * length).contains(*len)).count();
        let outputs = [("offsets", buf(&offsets)), ("order", buf(&vec![u32::MAX; whole]))];
        s.run(name, threads, 0, &[&numbers[..], &outputs].concat());
    }
}
