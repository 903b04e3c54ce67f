//! Sorts, scan and search against the host.

use super::super::{GEOMETRY, Machine};
use super::{Random, buf, num};
use curvesmith_abi::kernels::{
    BucketCounts, BucketScatter, BucketStarts, NO_DIGIT, ODD_KEY_BITS, RADIX_BITS, RadixCount, RadixScatter,
    RadixScatterFirst, ScanAdd, ScanTiles,
};

/// Where there is no such sort, there is nothing to run it on.
const TILE: usize = if GEOMETRY.looks_back() { GEOMETRY.radix_tile as usize } else { 1 };
const SCAN_TILE: usize = GEOMETRY.scan_tile as usize;

pub(super) fn scan(machine: &Machine, data: &[u32]) -> Vec<u32> {
    let (n, tiles) = (data.len(), data.len().div_ceil(SCAN_TILE));
    let args = [("data", buf(data)), ("sums", buf(&vec![0; tiles])), ("n", num(n))];
    let [data, sums] = machine.run::<ScanTiles, 2>(tiles, &args, ["data", "sums"]);
    if tiles <= 1 {
        return data;
    }
    let sums = scan(machine, &sums);
    machine.run_threads::<ScanAdd>(n, &[("data", buf(&data)), ("offsets", buf(&sums)), ("n", num(n))], "data")
}

#[test]
fn scans_are_exclusive_prefix_sums() {
    let machine = Machine::common();
    let mut random = Random(2);
    let around = |n| [n - 1, n, n + 1];
    let lengths =
        [[1, 2, 8], around(32), around(512), around(SCAN_TILE), around(2 * SCAN_TILE), [5000, 65_539, 7]];
    for n in lengths.concat() {
        let data = random.words(n);
        let expected: Vec<u32> = data
            .iter()
            .scan(0u32, |sum, &x| {
                let before = *sum;
                *sum = sum.wrapping_add(x);
                Some(before)
            })
            .collect();
        assert_eq!(scan(&machine, &data), expected, "{n} words");
    }
}

/// A sort by `passes` as even passes as there can be over the low `bits` bits of the keys.
struct Sort {
    segments: usize,
    /// Digits that a scalar has in a segment.
    multiples: usize,
    bits: usize,
    passes: usize,
}

impl Sort {
    /// The lowest bit of each pass, and the end of the last.
    fn edges(&self) -> Vec<usize> {
        (0..=self.passes).map(|pass| self.bits * pass / self.passes).collect()
    }

    /// Where the pairs of each digit of each segment begin, all passes one behind the other, counted by
    /// `each` tiles a block.
    fn offsets(&self, machine: &Machine, codes: &[u32], each: usize) -> Vec<u32> {
        let &Sort { segments, bits, passes, .. } = self;
        let n = codes.len() / segments;
        let edges = self.edges();
        let cells = edges.windows(2).map(|edge| segments << (edge[1] - edge[0])).sum::<usize>() + 1;
        let args = [
            ("codes", buf(codes)),
            ("counts", buf(&vec![0; cells])),
            ("key_bits", num(bits)),
            ("passes", num(passes)),
            ("segments", num(segments)),
            ("each", num(each)),
            ("n", num(n)),
        ];
        let blocks = segments * n.div_ceil(TILE).div_ceil(each);
        let [counts] = machine.run::<RadixCount, 1>(blocks, &args, ["counts"]);
        let total = codes.iter().filter(|code| **code != NO_DIGIT).count();
        assert_eq!((counts.iter().sum::<u32>() as usize, counts[cells - 1]), (passes * total, 0));
        scan(machine, &counts)
    }

    /// Keys and entries after all passes.
    fn run(&self, machine: &Machine, codes: &[u32]) -> [Vec<u32>; 2] {
        let &Sort { segments, multiples, .. } = self;
        let n = codes.len() / segments;
        let tiles = n.div_ceil(TILE);
        let offsets = self.offsets(machine, codes, 1);
        assert_eq!(offsets, self.offsets(machine, codes, 3));
        let blank = buf(&vec![u32::MAX; codes.iter().filter(|code| **code != NO_DIGIT).count()]);
        let mut pairs: Option<[Vec<u32>; 2]> = None;
        let mut first = 0;
        for edge in self.edges().windows(2) {
            let bits = edge[1] - edge[0];
            let args = [
                ("offsets", buf(&offsets)),
                ("states", buf(&vec![0; ((segments * tiles) << bits) + 1])),
                ("keys_out", blank.clone()),
                ("entries_out", blank.clone()),
                ("bits", num(bits)),
                ("segments", num(segments)),
                ("tiles", num(tiles)),
            ];
            let (blocks, names) = (segments * tiles, ["keys_out", "entries_out"]);
            pairs = Some(match pairs {
                None => {
                    let more = [("codes", buf(codes)), ("multiples", num(multiples)), ("n", num(n))];
                    machine.run::<RadixScatterFirst, 2>(blocks, &[&args[..], &more].concat(), names)
                }
                Some([keys, entries]) => {
                    let more = [
                        ("keys_in", buf(&keys)),
                        ("entries_in", buf(&entries)),
                        ("first", num(first)),
                        ("shift", num(edge[0])),
                    ];
                    machine.run::<RadixScatter, 2>(blocks, &[&args[..], &more].concat(), names)
                }
            });
            first += segments << bits;
        }
        pairs.expect("there is a pass")
    }
}

#[test]
fn radix_passes_are_stable_sorts_of_every_segment() {
    if !GEOMETRY.looks_back() {
        return;
    }
    let machine = Machine::common();
    let mut random = Random(3);
    let mut case = |sort: Sort, n: usize, spread: u32, zeros: u32| {
        let Sort { segments, multiples, bits, passes } = sort;
        assert!(bits.div_ceil(passes) <= RADIX_BITS as usize);
        let code =
            |segment: u32, key: u32, sign: u32| ((segment << bits | key) & (u32::MAX >> 1)) | sign << 31;
        let mut codes = vec![];
        for i in 0..segments * n {
            let key = random.words(1)[0] & spread & ((1 << bits) - 1);
            let sign = random.below(2);
            let zero = zeros > 0 && random.below(zeros) == 0;
            codes.push(if zero { NO_DIGIT } else { code((i / n) as u32, key, sign) });
        }
        let pairs = codes.iter().enumerate().filter(|(_, code)| **code != NO_DIGIT);
        let scalars = n / multiples;
        let entry = |k: usize| (k % scalars * multiples + k / scalars) as u32;
        let mut expected: Vec<(u32, u32)> =
            pairs.map(|(i, code)| (code & (u32::MAX >> 1), entry(i % n) | code >> 31 << 31)).collect();
        expected.sort_by_key(|(key, _)| *key);
        let [keys, entries] = sort.run(&machine, &codes);
        let found: Vec<(u32, u32)> = keys.into_iter().zip(entries).collect();
        assert!(
            found == expected,
            "{segments}·{n} codes, {multiples} a scalar, {bits} bits in {passes}, spread {spread:x}"
        );
    };
    for n in [1, 2, 31, 32, 33, 511, 512, 513] {
        case(Sort { segments: 3, multiples: 1, bits: 5, passes: 2 }, n, u32::MAX, 3);
    }
    for n in [TILE - 1, TILE, TILE + 1, 2 * TILE + 700].into_iter().skip(if super::is_long() { 0 } else { 2 })
    {
        case(Sort { segments: 2, multiples: 1, bits: 15, passes: 2 }, n, u32::MAX, 5);
        case(Sort { segments: 1, multiples: 1, bits: 9, passes: 2 }, n, u32::MAX, 0);
    }
    let most = if super::is_long() { TILE } else { TILE / 8 };
    for (multiples, scalars) in [(2, 1), (3, TILE / 2 + 7), (13, 40), (32, most)] {
        case(Sort { segments: 2, multiples, bits: 15, passes: 2 }, multiples * scalars, u32::MAX, 5);
    }
    // Three passes, and the most.
    case(Sort { segments: 3, multiples: 1, bits: 18, passes: 3 }, TILE + 5, u32::MAX, 5);
    case(Sort { segments: 1, multiples: 1, bits: 31, passes: 4 }, TILE + 5, u32::MAX - 1, 5);
    // Few digits, one, and none at all.
    for (spread, zeros) in [(0x11, 0), (0, 0), (0, 2), (u32::MAX, 1)] {
        case(Sort { segments: 2, multiples: 1, bits: 5, passes: 1 }, 700, spread, zeros);
        case(Sort { segments: 2, multiples: 1, bits: 11, passes: 2 }, TILE + 5, spread, zeros);
    }
}

/// Codes that are sorted by counting.
struct Counted {
    segments: usize,
    multiples: usize,
    doublings: usize,
    buckets: usize,
    /// Bits of a code that are its key.
    key_bits: u32,
    codes: Vec<u32>,
}

impl Counted {
    /// Pairs of code `i`; none of a digit that is 0.
    fn pair(&self, i: usize) -> Option<(u32, u32)> {
        let n = self.codes.len() / self.segments;
        let code = Some(self.codes[i]).filter(|code| *code != NO_DIGIT)?;
        let (scalars, in_segment) = (n / self.multiples, i % n);
        let base = in_segment % scalars * self.multiples + in_segment / scalars;
        let exponent = (code & (u32::MAX >> 1)) >> self.key_bits;
        let entry = (base * self.doublings) as u32 + exponent;
        Some((code & ((1 << self.key_bits) - 1), entry | code >> 31 << 31))
    }

    fn check(&self, machine: &Machine) {
        let &Counted { segments, multiples, doublings, buckets, key_bits, ref codes } = self;
        let numbers = [
            ("codes", buf(codes)),
            ("key_bits", num(key_bits as usize)),
            ("segments", num(segments)),
            ("n", num(codes.len() / segments)),
        ];
        let mut expected: Vec<(u32, u32)> = (0..codes.len()).filter_map(|i| self.pair(i)).collect();
        expected.sort_unstable();
        // As if others had been counted before.
        let before: Vec<u32> = (0..=buckets as u32).map(|i| i * i).collect();
        let named = [&numbers[..], &[("counts", buf(&before))]].concat();
        let counts = machine.run_threads::<BucketCounts>(codes.len(), &named, "counts");
        let counts: Vec<u32> = counts.iter().zip(&before).map(|(count, before)| count - before).collect();
        let with_key = |key: usize| expected.iter().filter(|pair| pair.0 as usize == key).count() as u32;
        let wanted = (0..=buckets).map(|i| i.checked_sub(1).map_or(0, with_key));
        assert!(counts.iter().copied().eq(wanted), "{segments}·{} codes", codes.len() / segments);

        let begins = scan(machine, &counts);
        let blank = buf(&vec![u32::MAX; expected.len()]);
        let more = [
            ("places", buf(&begins)),
            ("keys_out", blank.clone()),
            ("entries_out", blank),
            ("multiples", num(multiples)),
            ("doublings", num(doublings)),
        ];
        let blocks = super::blocks::<BucketScatter>(codes.len());
        let named = [&numbers[..], &more].concat();
        let [places, keys, entries] =
            machine.run::<BucketScatter, 3>(blocks, &named, ["places", "keys_out", "entries_out"]);
        let below = |key: usize| expected.partition_point(|pair| (pair.0 as usize) < key) as u32;
        assert_eq!(places, (0..=buckets).map(below).collect::<Vec<_>>(), "where the keys begin");
        assert!(keys.is_sorted(), "{segments}·{} codes", codes.len() / segments);
        // Pairs of one key have any order.
        let mut found: Vec<(u32, u32)> = keys.into_iter().zip(entries).collect();
        found.sort_unstable();
        assert!(found == expected, "{segments}·{} codes, {multiples} a scalar", codes.len() / segments);
    }
}

#[test]
fn counting_sorts_by_keys() {
    let machine = Machine::common();
    let mut random = Random(5);
    let mut case =
        |[segments, n]: [usize; 2], multiples: usize, doublings: usize, spread: u32, zeros: u32| {
            // Six bits of each segment, below an exponent where several doublings are stored.
            let key_bits = if doublings > 1 { ODD_KEY_BITS } else { 31 };
            let mut code = |i: usize| {
                let key = (i / n) as u32 * 64 + (random.below(64) & spread);
                let exponent = random.below(doublings as u32);
                let is_zero = zeros > 0 && random.below(zeros) == 0;
                let digit = if doublings > 1 { exponent << key_bits | key } else { key };
                if is_zero { NO_DIGIT } else { digit | random.below(2) << 31 }
            };
            let codes = (0..segments * n).map(&mut code).collect();
            let buckets = 64 * segments;
            Counted { segments, multiples, doublings, buckets, key_bits, codes }.check(&machine);
        };
    for n in [1, 2, 31, 32, 33, 127, 128, 129, 700] {
        case([1, n], 1, 1, 63, 3);
        case([3, n], 1, 7, 63, 3);
        case([40, n], 1, 1, 63, 0);
    }
    for (multiples, scalars) in [(2, 1), (3, 47), (13, 40), (32, 9)] {
        case([2, multiples * scalars], multiples, 1, 63, 5);
        case([2, multiples * scalars], multiples, 24, 63, 5);
    }
    // Few keys, one, and no digit at all.
    for (spread, zeros) in [(0x11, 0), (0, 0), (0, 2), (63, 1)] {
        case([2, 300], 1, 1, spread, zeros);
        case([2, 300], 3, 5, spread, zeros);
    }
}

#[test]
fn bucket_starts_are_lower_bounds() {
    let machine = Machine::common();
    let mut random = Random(4);
    for (n, buckets, shift) in
        [(0, 6, 1), (1, 1, 0), (7, 300, 2), (1000, 4, 2), (513, 128, 5), (300, 127, 0), (90, 64, 6)]
    {
        let mut keys: Vec<u32> = (0..n).map(|_| random.below(buckets as u32)).collect();
        keys.sort_unstable();
        let below = |k: u32| keys.partition_point(|&key| key < k) as u32;
        // As after a pass whose counts stand behind five others.
        let first = 5;
        let groups = (0..=(buckets >> shift) as u32).map(|group| 1000 + below(group << shift));
        let offsets: Vec<u32> = (0..first).map(|other| 7 * other).chain(groups).collect();
        let args = [
            ("keys", buf(&keys)),
            ("offsets", buf(&offsets)),
            ("starts", buf(&vec![9; buckets + 1])),
            ("buckets", num(buckets)),
            ("shift", num(shift)),
            ("first", num(first as usize)),
        ];
        let starts = machine.run_threads::<BucketStarts>(buckets + 1, &args, "starts");
        let expected: Vec<u32> = (0..=buckets as u32).map(below).collect();
        assert_eq!(starts, expected, "{n} keys, {buckets} buckets in groups of 2^{shift}");
    }
}
