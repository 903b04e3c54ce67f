//! Sort, scan and search.

use super::{LENGTHS, Limits, hash};
use curvesmith_abi::Family;
use curvesmith_abi::kernels::{
    BucketStarts, RADIX_TILE, RadixHistogram, RadixScatter, SCAN_TILE, ScanAdd, ScanTiles,
};
use curvesmith_codegen::kernels::common_kernels;

const TILE: u64 = RADIX_TILE as u64;

#[test]
fn common_kernels_do_not_wrap() {
    let mut limits = Limits::new(common_kernels());
    for n in LENGTHS {
        scans(&mut limits, n);
        for (shift, bits) in [(24, 8), (0, 8), (31, 1)] {
            radix(&mut limits, n, shift, bits);
        }
        for buckets in [n - 1, 1 << 19] {
            starts(&mut limits, n, buckets);
        }
    }
    Limits::finish(&[limits], Family::Common);
}

fn scans(limits: &mut Limits, n: u64) {
    let tile = u64::from(SCAN_TILE);
    let data = |_: &str, i: u64| vec![hash(i)];
    limits.check_blocks::<ScanTiles>(n.div_ceil(tile), &[("n", n)], data, |block, touched| {
        let mut sum = 0u32;
        for i in (block * tile..(block + 1) * tile).filter(|i| *i < n) {
            touched.read("data", i);
            touched.write_words("data", i, vec![sum]);
            sum = sum.wrapping_add(hash(i));
        }
        // Threads past the end.
        touched.read("data", ((block + 1) * tile - 1).min(n - 1));
        touched.write_words("sums", block, vec![sum]);
    });
    let contents = |buffer: &str, i: u64| vec![if buffer == "data" { hash(i) } else { hash(!i) }];
    limits.check::<ScanAdd>(n, &[("n", n)], contents, |i, touched| {
        if i < n {
            touched.read("data", i);
            touched.read("offsets", i / tile);
            touched.write_words("data", i, vec![hash(i).wrapping_add(hash(!(i / tile)))]);
        }
    });
}

fn radix(limits: &mut Limits, n: u64, shift: u64, bits: u64) {
    let tiles = n.div_ceil(TILE);
    let digit = |i: u64| u64::from(hash(i)) >> shift & ((1 << bits) - 1);
    let scalars = [("shift", shift), ("bits", bits), ("tiles", tiles), ("n", n)];
    let keys = |_: &str, i: u64| vec![hash(i)];
    limits.check_blocks::<RadixHistogram>(tiles, &scalars, keys, |tile, touched| {
        let mut counts = vec![0; 1 << bits];
        for i in (tile * TILE..(tile + 1) * TILE).filter(|i| *i < n) {
            touched.read("keys", i);
            counts[digit(i) as usize] += 1;
        }
        for (digit, count) in counts.into_iter().enumerate() {
            touched.write_words("counts", digit as u64 * tiles + tile, vec![count]);
        }
    });
    // Digits and tiles lie apart, up to 2^31 - 1.
    let offset = |digit: u64, tile: u64| (((1 << 31) - TILE) >> bits) * digit + tile % 512 * 1024 % (1 << 20);
    let contents = |buffer: &str, i: u64| {
        vec![match buffer {
            "keys_in" => hash(i),
            "offsets" => offset(i / tiles, i % tiles) as u32,
            _ => hash(!i),
        }]
    };
    limits.check_blocks::<RadixScatter>(tiles, &scalars, contents, |tile, touched| {
        let mut next: Vec<u64> = (0..1 << bits).map(|digit| offset(digit, tile)).collect();
        for digit in 0..1 << bits {
            touched.read("offsets", digit * tiles + tile);
        }
        for i in (tile * TILE..(tile + 1) * TILE).filter(|i| *i < n) {
            touched.read("keys_in", i);
            touched.read("entries_in", i);
            let target = next[digit(i) as usize];
            next[digit(i) as usize] += 1;
            touched.write_words("keys_out", target, vec![hash(i)]);
            touched.write_words("entries_out", target, vec![hash(!i)]);
        }
    });
}

fn starts(limits: &mut Limits, n: u64, buckets: u64) {
    // Each key some times, but for the last.
    let key = |i: u64| i * buckets / n;
    let contents = |_: &str, i: u64| vec![key(i) as u32];
    let scalars = [("buckets", buckets), ("n", n)];
    limits.check::<BucketStarts>(buckets + 1, &scalars, contents, |k, touched| {
        if k > buckets {
            return;
        }
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = (low + high) / 2;
            touched.read("keys", middle);
            if key(middle) < k { low = middle + 1 } else { high = middle }
        }
        assert_eq!(low, (k * n).div_ceil(buckets), "the case");
        touched.write_words("starts", k, vec![low as u32]);
    });
}
