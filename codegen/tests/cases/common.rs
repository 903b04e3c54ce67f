//! Sort, scan and search against the host.

use super::{Random, buf, num};
use crate::Machine;
use curvesmith_abi::kernels::{
    BucketStarts, NO_DIGIT, RadixCount, RadixCountFirst, RadixScatter, RadixScatterFirst, ScanAdd, ScanTiles,
};

const TILE: usize = curvesmith_abi::kernels::RADIX_TILE as usize;
const SCAN_TILE: usize = curvesmith_abi::kernels::SCAN_TILE as usize;

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

/// A sort by the bits `0..bits` and then by `bits..bits + more` of the keys, if `more` is not 0.
struct Sort {
    segments: usize,
    /// Digits that a scalar has in a segment.
    multiples: usize,
    bits: usize,
    more: usize,
}

impl Sort {
    fn tiles(codes: &[u32], segments: usize) -> (usize, usize) {
        let n = codes.len() / segments;
        (n, n.div_ceil(TILE))
    }

    /// Keys and entries after the first pass, and its offsets.
    fn first(&self, machine: &Machine, codes: &[u32]) -> [Vec<u32>; 3] {
        let &Sort { segments, multiples, bits, .. } = self;
        let (n, tiles) = Sort::tiles(codes, segments);
        let numbers =
            [("bits", num(bits)), ("segments", num(segments)), ("tiles", num(tiles)), ("n", num(n))];
        let cells = ((segments << bits) * tiles) + 1;
        let args = [vec![("codes", buf(codes)), ("counts", buf(&vec![7; cells]))], numbers.to_vec()].concat();
        let [counts] = machine.run::<RadixCountFirst, 1>(segments * tiles, &args, ["counts"]);
        let total = codes.iter().filter(|code| **code != NO_DIGIT).count();
        assert_eq!((counts.iter().sum::<u32>() as usize, counts[cells - 1]), (total, 0));
        let offsets = scan(machine, &counts);
        let blank = buf(&vec![u32::MAX; total]);
        let buffers = vec![
            ("codes", buf(codes)),
            ("offsets", buf(&offsets)),
            ("keys_out", blank.clone()),
            ("entries_out", blank),
        ];
        let args = [buffers, numbers.to_vec(), vec![("multiples", num(multiples))]].concat();
        let [keys, entries] =
            machine.run::<RadixScatterFirst, 2>(segments * tiles, &args, ["keys_out", "entries_out"]);
        [keys, entries, offsets]
    }

    /// Keys and entries after both passes.
    fn run(&self, machine: &Machine, codes: &[u32]) -> [Vec<u32>; 2] {
        let &Sort { segments, bits, more, .. } = self;
        let [keys, entries, bounds] = self.first(machine, codes);
        if more == 0 {
            return [keys, entries];
        }
        let (_, tiles) = Sort::tiles(codes, segments);
        let numbers = [
            ("stride", num(tiles << bits)),
            ("shift", num(bits)),
            ("bits", num(more)),
            ("segments", num(segments)),
            ("tiles", num(tiles)),
        ];
        let counts = buf(&vec![7; ((segments << more) * tiles) + 1]);
        let buffers = vec![("keys", buf(&keys)), ("bounds", buf(&bounds)), ("counts", counts)];
        let args = [buffers, numbers.to_vec()].concat();
        let [counts] = machine.run::<RadixCount, 1>(segments * tiles, &args, ["counts"]);
        assert_eq!(counts.iter().sum::<u32>() as usize, keys.len());
        let blank = buf(&vec![u32::MAX; keys.len()]);
        let buffers = vec![
            ("keys_in", buf(&keys)),
            ("entries_in", buf(&entries)),
            ("bounds", buf(&bounds)),
            ("offsets", buf(&scan(machine, &counts))),
            ("keys_out", blank.clone()),
            ("entries_out", blank),
        ];
        let args = [buffers, numbers.to_vec()].concat();
        machine.run::<RadixScatter, 2>(segments * tiles, &args, ["keys_out", "entries_out"])
    }
}

#[test]
fn radix_passes_are_stable_sorts_of_every_segment() {
    let machine = Machine::common();
    let mut random = Random(3);
    let mut case = |sort: Sort, n: usize, spread: u32, zeros: u32| {
        let Sort { segments, multiples, bits, more } = sort;
        let width = bits + more;
        let code = |segment: u32, key: u32, sign: u32| segment << width | key | sign << 31;
        let mut codes = vec![];
        for i in 0..segments * n {
            let key = random.words(1)[0] & spread & ((1 << width) - 1);
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
            "{segments}·{n} codes, {multiples} a scalar, {bits} + {more} bits, spread {spread:x}"
        );
    };
    for n in [1, 2, 31, 32, 33, 511, 512, 513] {
        case(Sort { segments: 3, multiples: 1, bits: 3, more: 2 }, n, u32::MAX, 3);
    }
    for n in [TILE - 1, TILE, TILE + 1, 2 * TILE + 700] {
        case(Sort { segments: 2, multiples: 1, bits: 8, more: 7 }, n, u32::MAX, 5);
        case(Sort { segments: 1, multiples: 1, bits: 1, more: 8 }, n, u32::MAX, 0);
    }
    for (multiples, scalars) in [(2, 1), (3, TILE / 2 + 7), (13, 40), (32, TILE)] {
        case(Sort { segments: 2, multiples, bits: 8, more: 7 }, multiples * scalars, u32::MAX, 5);
    }
    // Few digits, one, and none at all.
    for (spread, zeros) in [(0x11, 0), (0, 0), (0, 2), (u32::MAX, 1)] {
        case(Sort { segments: 2, multiples: 1, bits: 5, more: 0 }, 700, spread, zeros);
        case(Sort { segments: 2, multiples: 1, bits: 8, more: 3 }, TILE + 5, spread, zeros);
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
        // As after a pass of three tiles.
        let tiles = 3;
        let offsets: Vec<u32> = (0..=(buckets >> shift) as u32)
            .flat_map(|group| [below(group << shift), u32::MAX, u32::MAX])
            .take((buckets >> shift) * tiles + 1)
            .collect();
        let args = [
            ("keys", buf(&keys)),
            ("offsets", buf(&offsets)),
            ("starts", buf(&vec![9; buckets + 1])),
            ("buckets", num(buckets)),
            ("shift", num(shift)),
            ("tiles", num(tiles)),
        ];
        let starts = machine.run_threads::<BucketStarts>(buckets + 1, &args, "starts");
        let expected: Vec<u32> = (0..=buckets as u32).map(below).collect();
        assert_eq!(starts, expected, "{n} keys, {buckets} buckets in groups of 2^{shift}");
    }
}
