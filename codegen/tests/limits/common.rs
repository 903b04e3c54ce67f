//! Sort, scan and search.

use super::{LENGTHS, LONGEST, Limits, Touched, hash};
use curvesmith_abi::Family;
use curvesmith_abi::kernels::{
    BucketStarts, NO_DIGIT, NO_ENTRY, ODD_KEY_BITS, PairCounts, PairEntries, RADIX_TILE, ROW_CLASSES,
    ROW_TILE, RadixCount, RadixCountFirst, RadixScatter, RadixScatterFirst, RadixScatterOdd, RowCounts,
    RowOrder, SCAN_TILE, ScanAdd, ScanTiles,
};
use curvesmith_codegen::kernels::common_kernels;
use std::ops::Range;

const TILE: u64 = RADIX_TILE as u64;

#[test]
fn common_kernels_do_not_wrap() {
    let mut limits = Limits::new(common_kernels());
    for n in LENGTHS {
        scans(&mut limits, n);
        for (segments, shift, bits) in [(1, 23, 8), (17, 0, 8), (512, 30, 1)] {
            let radix = Radix::new(n, segments, shift, bits);
            radix.later(&mut limits);
            if shift == 0 {
                radix.first(&mut limits);
                radix.odd(&mut limits);
            }
        }
        Radix::new(n, 1, 0, 8).first(&mut limits);
        for (buckets, shift, tiles) in [(n - 1, 0, 1), (1 << 19, 7, 1 << 14)] {
            starts(&mut limits, n, buckets, shift, tiles);
        }
        for buckets in [1, 1 << 19, n] {
            pairs(&mut limits, n, buckets);
        }
        for (buckets, slices, least) in
            [(1, 1, 1), (1, 1 << 10, 1), (1 << 19, 1 << 20, 8), (1 << 30, 1 << 10, 1)]
        {
            rows(&mut limits, n, [buckets, slices, least]);
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

/// The sort of `segments` segments, together about `n` codes, a sixth of them none.
struct Radix {
    segments: u64,
    n: u64,
    tiles: u64,
    shift: u64,
    bits: u64,
}

impl Radix {
    fn new(n: u64, segments: u64, shift: u64, bits: u64) -> Self {
        Radix { segments, n: n / segments, tiles: (n / segments).div_ceil(TILE), shift, bits }
    }

    fn code(i: u64) -> u32 {
        if hash(i).is_multiple_of(6) { NO_DIGIT } else { hash(!i) & !(1 << 30) }
    }

    fn digit(&self, key: u32) -> u64 {
        u64::from(key) >> self.shift & ((1 << self.bits) - 1)
    }

    fn cell(&self, segment: u64, digit: u64, tile: u64) -> u64 {
        ((segment << self.bits) + digit) * self.tiles + tile
    }

    /// Cells lie apart, up to 2^31 - 1.
    fn offset(&self, cell: u64) -> u64 {
        let cells = (self.segments << self.bits) * self.tiles;
        u64::try_from(u128::from(LONGEST - TILE) * u128::from(cell) / u128::from(cells)).expect("below 2^31")
    }

    /// Segment, tile, and the indices of a block's pairs.
    fn tile(&self, block: u64, start: u64, end: u64) -> (u64, u64, Range<u64>) {
        let (segment, tile) = (block / self.tiles, block % self.tiles);
        let from = start + tile * TILE;
        (segment, tile, from.min(end)..(from + TILE).min(end))
    }

    fn counts(&self, touched: &mut Touched, block: u64, keys: impl Iterator<Item = u32>) {
        let (segment, tile) = (block / self.tiles, block % self.tiles);
        let mut counts = vec![0; 1 << self.bits];
        keys.for_each(|key| counts[self.digit(key) as usize] += 1);
        for (digit, count) in (0..).zip(counts) {
            touched.write_words("counts", self.cell(segment, digit, tile), vec![count]);
        }
        if block == 0 {
            touched.write_words("counts", self.cell(self.segments, 0, 0), vec![0]);
        }
    }

    fn scattered(&self, touched: &mut Touched, block: u64, pairs: impl Iterator<Item = (u32, u32)>) {
        let (segment, tile) = (block / self.tiles, block % self.tiles);
        let cell = |digit| self.cell(segment, digit, tile);
        (0..1 << self.bits).for_each(|digit| touched.read("offsets", cell(digit)));
        let mut next: Vec<u64> = (0..1 << self.bits).map(|digit| self.offset(cell(digit))).collect();
        for (key, entry) in pairs {
            let to = &mut next[self.digit(key) as usize];
            touched.write_words("keys_out", *to, vec![key]);
            touched.write_words("entries_out", *to, vec![entry]);
            *to += 1;
        }
    }

    fn first(&self, limits: &mut Limits) {
        let &Radix { segments, n, tiles, bits, .. } = self;
        let scalars = [("segments", segments), ("n", n), ("tiles", tiles), ("bits", bits)];
        let contents = |buffer: &str, i: u64| match buffer {
            "codes" => vec![Self::code(i)],
            _ => vec![self.offset(i) as u32],
        };
        let codes = |block: u64, touched: &mut Touched| {
            let segment = block / tiles;
            let (_, _, range) = self.tile(block, segment * n, (segment + 1) * n);
            range.clone().for_each(|i| touched.read("codes", i));
            let codes = range.map(|i| (i - segment * n, Self::code(i)));
            codes.filter(|(_, code)| *code != NO_DIGIT).collect::<Vec<_>>()
        };
        limits.check_blocks::<RadixCountFirst>(segments * tiles, &scalars, contents, |block, touched| {
            let codes = codes(block, touched);
            self.counts(touched, block, codes.into_iter().map(|(_, code)| code));
        });
        let most = (1..=32).rev().find(|multiples| n.is_multiple_of(*multiples)).expect("1 divides all");
        for multiples in [1, most] {
            let scalars = [&scalars[..], &[("multiples", multiples)]].concat();
            let entry = |k: u64| (k % (n / multiples) * multiples + k / (n / multiples)) as u32;
            limits.check_blocks::<RadixScatterFirst>(
                segments * tiles,
                &scalars,
                contents,
                |block, touched| {
                    let codes = codes(block, touched).into_iter();
                    let pairs = codes.map(|(k, code)| (code & (u32::MAX >> 1), entry(k) | code >> 31 << 31));
                    self.scattered(touched, block, pairs);
                },
            );
        }
    }

    /// The first pass over odd digits, with as many doublings as there can be.
    fn odd(&self, limits: &mut Limits) {
        let &Radix { segments, n, tiles, bits, .. } = self;
        let multiples = (1..=32).rev().find(|multiples| n.is_multiple_of(*multiples)).expect("1 divides all");
        let doublings = (LONGEST / n).clamp(1, 24);
        let key = |i: u64| hash(!i) & ((1 << ODD_KEY_BITS) - 1);
        let exponent = |i: u64| u64::from(hash(i)) % doublings;
        let sign = |i: u64| hash(i + 3) >> 31 << 31;
        let code = |i: u64| match hash(i).is_multiple_of(6) {
            true => NO_DIGIT,
            false => sign(i) | (exponent(i) as u32) << ODD_KEY_BITS | key(i),
        };
        let contents = |buffer: &str, i: u64| match buffer {
            "codes" => vec![code(i)],
            _ => vec![self.offset(i) as u32],
        };
        let scalars = [
            ("bits", bits),
            ("segments", segments),
            ("tiles", tiles),
            ("multiples", multiples),
            ("doublings", doublings),
            ("n", n),
        ];
        let base = |k: u64| k % (n / multiples) * multiples + k / (n / multiples);
        limits.check_blocks::<RadixScatterOdd>(segments * tiles, &scalars, contents, |block, touched| {
            let segment = block / tiles;
            let (_, _, range) = self.tile(block, segment * n, (segment + 1) * n);
            range.clone().for_each(|i| touched.read("codes", i));
            let entry = |i| (base(i - segment * n) * doublings + exponent(i)) as u32 | sign(i);
            let digits = range.filter(|i| code(*i) != NO_DIGIT);
            self.scattered(touched, block, digits.map(|i| (key(i), entry(i))));
        });
    }

    /// A pass over segments that are 5 shorter than they can be.
    fn later(&self, limits: &mut Limits) {
        let &Radix { segments, n, tiles, shift, bits } = self;
        let stride = tiles << 3;
        let scalars =
            [("segments", segments), ("tiles", tiles), ("stride", stride), ("shift", shift), ("bits", bits)];
        let bound = |segment: u64| segment * (n - 5);
        let key = |i: u64| hash(i) >> 1;
        let contents = |buffer: &str, i: u64| match buffer {
            "keys" | "keys_in" => vec![key(i)],
            "entries_in" => vec![hash(!i)],
            "bounds" => vec![bound(i / stride) as u32],
            _ => vec![self.offset(i) as u32],
        };
        let range = |block: u64, touched: &mut Touched| {
            let segment = block / tiles;
            touched.read("bounds", segment * stride);
            touched.read("bounds", (segment + 1) * stride);
            self.tile(block, bound(segment), bound(segment + 1)).2
        };
        limits.check_blocks::<RadixCount>(segments * tiles, &scalars, contents, |block, touched| {
            let range = range(block, touched);
            range.clone().for_each(|i| touched.read("keys", i));
            self.counts(touched, block, range.map(key));
        });
        limits.check_blocks::<RadixScatter>(segments * tiles, &scalars, contents, |block, touched| {
            let range = range(block, touched);
            if range.is_empty() {
                return;
            }
            range.clone().for_each(|i| ["keys_in", "entries_in"].iter().for_each(|b| touched.read(b, i)));
            self.scattered(touched, block, range.map(|i| (key(i), hash(!i))));
        });
    }
}

fn starts(limits: &mut Limits, n: u64, buckets: u64, shift: u64, tiles: u64) {
    // Each key some times, but for the last.
    let key = |i: u64| i * buckets / n;
    let first = |k: u64| (k * n).div_ceil(buckets);
    let contents = |buffer: &str, i: u64| match buffer {
        "offsets" => vec![first((i / tiles) << shift) as u32],
        _ => vec![key(i) as u32],
    };
    let scalars = [("buckets", buckets), ("shift", shift), ("tiles", tiles)];
    limits.check::<BucketStarts>(buckets + 1, &scalars, contents, |k, touched| {
        if k > buckets {
            return;
        }
        let groups = [k >> shift, ((k >> shift) + 1).min(buckets >> shift)];
        groups.iter().for_each(|group| touched.read("offsets", group * tiles));
        let [mut low, mut high] = groups.map(|group| first(group << shift));
        while low < high {
            let middle = (low + high) / 2;
            touched.read("keys", middle);
            if key(middle) < k { low = middle + 1 } else { high = middle }
        }
        assert_eq!(low, first(k), "the case");
        touched.write_words("starts", k, vec![low as u32]);
    });
}

/// `n` entries over `buckets` keys, each about as often.
fn pairs(limits: &mut Limits, n: u64, buckets: u64) {
    let key = |i: u64| i * buckets / n;
    let start = |key: u64| (key * n).div_ceil(buckets);
    let contents = |buffer: &str, i: u64| {
        vec![match buffer {
            "keys" => key(i) as u32,
            "starts" => start(i) as u32,
            "next_starts" => hash(i) >> 4,
            _ => hash(i),
        }]
    };
    limits.check::<PairCounts>(buckets + 1, &[("buckets", buckets)], contents, |k, touched| {
        if k <= buckets {
            let next = (k + 1).min(buckets);
            touched.read("starts", k);
            touched.read("starts", next);
            let count = (start(next) - start(k)).div_ceil(2);
            touched.write_words("counts", k, vec![count as u32]);
        }
    });
    limits.check::<PairEntries>(n, &[("buckets", buckets), ("n", n)], contents, |i, touched| {
        touched.read("starts", buckets);
        if i >= n {
            return;
        }
        touched.read("keys", i);
        touched.read("starts", key(i));
        let place = i - start(key(i));
        if !place.is_multiple_of(2) {
            return;
        }
        touched.read("starts", key(i) + 1);
        touched.read("next_starts", key(i));
        touched.read("entries", i);
        let two = i + 1 < start(key(i) + 1);
        if two {
            touched.read("entries", i + 1);
        }
        let pair = u64::from(hash(key(i)) >> 4) + place / 2;
        touched.write_words("keys_out", pair, vec![key(i) as u32]);
        touched.write_words("entries_out", pair, vec![pair as u32]);
        touched.write_words("lefts", pair, vec![hash(i)]);
        touched.write_words("rights", pair, vec![if two { hash(i + 1) } else { NO_ENTRY }]);
    });
}

/// The class of a row's length, by what classes are for: those below 128 have their own, and of those from `64·2^s` on `2^s` share one.
fn class(len: u64) -> u64 {
    let shift = (0..).find(|shift| len >> shift < 128).expect("some shift leaves seven bits");
    64 * shift + (len >> shift)
}

/// `n` entries over `buckets` rows, each with about as many; of `n` entries in one row, or of few, some are cut.
fn rows(limits: &mut Limits, n: u64, [buckets, slices, least]: [u64; 3]) {
    let (tile, classes) = (u64::from(ROW_TILE), u64::from(ROW_CLASSES));
    let start = |row: u64| (row * n).div_ceil(buckets);
    let entries = |row: u64| start(row + 1) - start(row);
    let length = n.div_ceil(slices).max(least);
    let tiles = buckets.div_ceil(tile);
    let at = |class: u64, block: u64| buckets + 1 + (classes - 1 - class) * tiles + block;
    let whole = |row: u64| (1..2 * length).contains(&entries(row));
    let scalars = [("buckets", buckets), ("tiles", tiles), ("slices", slices), ("least", least)];
    let of = |block: u64| block * tile..((block + 1) * tile).min(buckets);
    let contents = |buffer: &str, i: u64| vec![if buffer == "starts" { start(i) as u32 } else { hash(i) }];
    let read = |block: u64, touched: &mut Touched| {
        touched.read("starts", buckets);
        of(block).for_each(|row| [row, row + 1].iter().for_each(|row| touched.read("starts", *row)));
    };
    limits.check_blocks::<RowCounts>(tiles, &scalars, contents, |block, touched| {
        read(block, touched);
        let mut counts = vec![0u32; classes as usize];
        for row in of(block) {
            let parts = if entries(row) >= 2 * length { entries(row) / length } else { 0 };
            touched.write_words("counts", row, vec![parts as u32]);
            counts[class(entries(row)) as usize] += u32::from(whole(row));
        }
        (0..)
            .zip(counts)
            .for_each(|(class, count)| touched.write_words("counts", at(class, block), vec![count]));
        if block == 0 {
            touched.write_words("counts", buckets, vec![0]);
            touched.write_words("counts", buckets + 1 + tiles * classes, vec![0]);
        }
    });
    // Of each class of a tile as many rows from its offset on, which is anything below 2^31 here, less that of the first class.
    let parts = 7;
    let offset = |i: u64| if i == buckets { parts } else { parts + u64::from(hash(i) >> 2) };
    let contents = |buffer: &str, i: u64| vec![if buffer == "starts" { start(i) } else { offset(i) } as u32];
    limits.check_blocks::<RowOrder>(tiles, &scalars, contents, |block, touched| {
        read(block, touched);
        touched.read("offsets", buckets);
        (0..classes).for_each(|class| touched.read("offsets", at(class, block)));
        let mut next = std::collections::BTreeMap::new();
        for row in of(block).filter(|row| whole(*row)) {
            let class = class(entries(row));
            let place = next.entry(class).or_insert(offset(at(class, block)) - parts);
            touched.write("order", *place);
            *place += 1;
        }
    });
}
