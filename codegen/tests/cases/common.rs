//! Sort, scan and search against the host.

use super::{Random, buf, num};
use crate::Machine;
use curvesmith_abi::kernels::{BucketStarts, RadixHistogram, RadixScatter, ScanAdd, ScanTiles};

const TILE: usize = curvesmith_abi::kernels::RADIX_TILE as usize;
const SCAN_TILE: usize = curvesmith_abi::kernels::SCAN_TILE as usize;

fn scan(machine: &Machine, data: &[u32]) -> Vec<u32> {
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

fn radix_pass(machine: &Machine, keys: &[u32], entries: &[u32], shift: usize, bits: usize) -> [Vec<u32>; 2] {
    let (n, tiles) = (keys.len(), keys.len().div_ceil(TILE));
    let args = [
        ("keys", buf(keys)),
        ("counts", buf(&vec![0; tiles << bits])),
        ("shift", num(shift)),
        ("bits", num(bits)),
        ("tiles", num(tiles)),
        ("n", num(n)),
    ];
    let [counts] = machine.run::<RadixHistogram, 1>(tiles, &args, ["counts"]);
    assert_eq!(counts.iter().sum::<u32>() as usize, n);
    let args = [
        ("keys_in", buf(keys)),
        ("entries_in", buf(entries)),
        ("keys_out", buf(&vec![u32::MAX; n])),
        ("entries_out", buf(&vec![u32::MAX; n])),
        ("offsets", buf(&scan(machine, &counts))),
        ("shift", num(shift)),
        ("bits", num(bits)),
        ("tiles", num(tiles)),
        ("n", num(n)),
    ];
    machine.run::<RadixScatter, 2>(tiles, &args, ["keys_out", "entries_out"])
}

#[test]
fn radix_passes_are_stable_sorts_by_their_digit() {
    let machine = Machine::common();
    let mut random = Random(3);
    let lengths = [1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2500];
    for (n, (shift, bits)) in lengths.iter().flat_map(|&n| [(0, 8), (8, 3), (31, 1), (24, 8)].map(|s| (n, s)))
    {
        for spread in [u32::MAX, 3 << shift, 0] {
            let keys: Vec<u32> = random.words(n).iter().map(|k| k & spread).collect();
            let entries: Vec<u32> = (0..n as u32).collect();
            let mut expected: Vec<(u32, u32)> = keys.iter().copied().zip(entries.iter().copied()).collect();
            expected.sort_by_key(|(key, _)| (key >> shift) & ((1 << bits) - 1));
            let [keys, entries] = radix_pass(&machine, &keys, &entries, shift, bits);
            let found: Vec<(u32, u32)> = keys.into_iter().zip(entries).collect();
            assert_eq!(found, expected, "{n} keys, {bits} bits at {shift}, spread {spread:x}");
        }
    }
}

#[test]
fn bucket_starts_are_lower_bounds() {
    let machine = Machine::common();
    let mut random = Random(4);
    for (n, buckets) in [(0, 5), (1, 1), (7, 300), (1000, 3), (513, 127), (300, 128)] {
        let mut keys: Vec<u32> = (0..n).map(|_| random.below(buckets as u32 + 1)).collect();
        keys.sort_unstable();
        let args = [
            ("keys", buf(&keys)),
            ("starts", buf(&vec![9; buckets + 1])),
            ("buckets", num(buckets)),
            ("n", num(n)),
        ];
        let starts = machine.run_threads::<BucketStarts>(buckets + 1, &args, "starts");
        let expected: Vec<u32> =
            (0..=buckets as u32).map(|k| keys.partition_point(|&key| key < k) as u32).collect();
        assert_eq!(starts, expected, "{n} keys, {buckets} buckets");
    }
}
