//! Sorts, scan and search.

use super::{LENGTHS, LONGEST, Limits, Touched, hash};
use curvesmith_abi::kernels::{
    BucketCounts, BucketScatter, BucketStarts, NO_DIGIT, NO_ENTRY, ODD_KEY_BITS, PairCounts, PairEntries,
    ROW_CLASSES, RadixCount, RadixScatter, RadixScatterFirst, RadixScatterOdd, RowCounts, RowOrder, ScanAdd,
    ScanTiles,
};
use curvesmith_abi::{Family, Geometry, Kernel as _};
use curvesmith_codegen::kernels::common_kernels;
use std::collections::BTreeMap;
use std::ops::Range;

const TILE: u64 = Geometry::PTX.radix_tile as u64;

#[test]
fn common_kernels_do_not_wrap() {
    let mut limits = Limits::new(common_kernels(&Geometry::PTX));
    for n in LENGTHS {
        scans(&mut limits, n);
        for (segments, shift, bits) in [(1, 23, 8), (17, 0, 8), (512, 30, 1)] {
            let radix = Radix::new(n, segments, shift, bits);
            radix.later(&mut limits);
            if shift == 0 {
                radix.count(&mut limits);
                radix.first(&mut limits);
                radix.odd(&mut limits);
            }
        }
        Radix::new(n, 1, 0, 8).first(&mut limits);
        for (segments, key_bits) in [(1, 31), (17, 31), (512, 31), (1, ODD_KEY_BITS), (17, ODD_KEY_BITS)] {
            counting(&mut limits, n, segments, key_bits);
        }
        for (buckets, shift, before) in [(n - 1, 0, 0), (1 << 19, 7, 1 << 30)] {
            starts(&mut limits, n, buckets, shift, before);
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
    let tile = u64::from(Geometry::PTX.scan_tile);
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

/// Where a later pass begins in the offsets, and what the first pass has there.
const FIRST: u64 = 1 << 20;
const BEFORE: u32 = 3 << 30;
/// What a tile publishes when it knows the sum up to it.
const UP_TO_IT: u32 = 2 << 30;

impl Radix {
    fn new(n: u64, segments: u64, shift: u64, bits: u64) -> Self {
        let n = (n / segments).min((1 << 30) - 1);
        Radix { segments, n, tiles: n.div_ceil(TILE), shift, bits }
    }

    fn code(i: u64) -> u32 {
        if hash(i).is_multiple_of(6) { NO_DIGIT } else { hash(!i) & !(1 << 30) }
    }

    fn digit(&self, key: u32) -> u64 {
        u64::from(key) >> self.shift & ((1 << self.bits) - 1)
    }

    /// Where the pairs of a digit of a segment begin: as far from each other as can be.
    fn offset(&self, cell: u64) -> u64 {
        let (total, cells) = (self.segments * self.n - TILE, self.segments << self.bits);
        u64::try_from(u128::from(total) * u128::from(cell) / u128::from(cells)).expect("below 2^31")
    }

    /// How many pairs of any digit the tiles of a segment before this one have.
    fn before(&self, tile: u64) -> u64 {
        self.offset(1) * tile / self.tiles
    }

    fn state(&self, segment: u64, tile: u64, digit: u64) -> u64 {
        ((segment * self.tiles + tile) << self.bits) + digit + 1
    }

    /// What is in `offsets` and `states` before tile `number`.
    fn known(&self, number: u64, first: u64, buffer: &str, i: u64) -> Vec<u32> {
        match buffer {
            "offsets" => vec![BEFORE.wrapping_add(self.offset(i - first) as u32)],
            "states" if i == 0 => vec![number as u32],
            "states" => vec![UP_TO_IT | self.before(((i - 1) >> self.bits) % self.tiles + 1) as u32],
            _ => vec![0],
        }
    }

    /// The first tile, one in the middle, and the last.
    fn numbers(&self) -> [u64; 3] {
        let all = self.segments * self.tiles;
        [0, all / 2, all - 1]
    }

    fn ticket(touched: &mut Touched, number: u64) {
        touched.read("states", 0);
        touched.write_words("states", 0, vec![number as u32 + 1]);
    }

    /// The indices of a tile's pairs.
    fn tile(&self, number: u64, start: u64, end: u64) -> Range<u64> {
        let from = start + number % self.tiles * TILE;
        from.min(end)..(from + TILE).min(end)
    }

    fn scattered(&self, touched: &mut Touched, number: u64, first: u64, pairs: Vec<(u32, u32)>) {
        let (segment, tile) = (number / self.tiles, number % self.tiles);
        touched.read("offsets", first);
        let mut next = vec![];
        for digit in 0..1 << self.bits {
            let cell = (segment << self.bits) + digit;
            touched.read("offsets", first + cell);
            let before = if tile == 0 { 0 } else { self.before(tile) };
            // Eight tiles are asked at once.
            for back in (1..=8).filter(|_| tile > 0) {
                touched.read("states", self.state(segment, tile.max(back) - back, digit));
            }
            let own = pairs.iter().filter(|(key, _)| self.digit(*key) == digit).count();
            let state = UP_TO_IT | (before as u32 + own as u32);
            touched.write_words("states", self.state(segment, tile, digit), vec![state]);
            next.push(self.offset(cell) + before);
        }
        for (key, entry) in pairs {
            let to = &mut next[self.digit(key) as usize];
            touched.write_words("keys_out", *to, vec![key]);
            touched.write_words("entries_out", *to, vec![entry]);
            *to += 1;
        }
    }

    /// Counts for two passes of `bits` bits.
    fn count(&self, limits: &mut Limits) {
        let &Radix { segments, n, tiles, bits, .. } = self;
        let each = 3;
        let parts = tiles.div_ceil(each);
        let scalars =
            [("key_bits", 2 * bits), ("passes", 2), ("segments", segments), ("each", each), ("n", n)];
        let contents = |buffer: &str, i: u64| match buffer {
            "codes" => vec![Self::code(i)],
            _ => vec![hash(i)],
        };
        limits.check_blocks::<RadixCount>(segments * parts, &scalars, contents, |block, touched| {
            let (segment, part) = (block / parts, block % parts);
            let from = part * each * TILE;
            let range = segment * n + from..segment * n + (from + each * TILE).min(n);
            range.clone().for_each(|i| touched.read("codes", i));
            let codes: Vec<u32> = range.map(Self::code).filter(|code| *code != NO_DIGIT).collect();
            for (pass, digit) in (0..2).flat_map(|pass| (0..1 << bits).map(move |digit| (pass, digit))) {
                let of_digit = |code: &&u32| u64::from(**code) >> (pass * bits) & ((1 << bits) - 1) == digit;
                let count = codes.iter().filter(of_digit).count() as u32;
                let cell = (((pass * segments) + segment) << bits) + digit;
                touched.read("counts", cell);
                touched.write_words("counts", cell, vec![hash(cell).wrapping_add(count)]);
            }
        });
    }

    fn first(&self, limits: &mut Limits) {
        let &Radix { segments, n, tiles, bits, .. } = self;
        let scalars = [("segments", segments), ("n", n), ("tiles", tiles), ("bits", bits)];
        let most = (1..=32).rev().find(|multiples| n.is_multiple_of(*multiples)).expect("1 divides all");
        for (multiples, number) in
            [1, most].into_iter().flat_map(|m| self.numbers().map(|number| (m, number)))
        {
            let contents = |buffer: &str, i: u64| match buffer {
                "codes" => vec![Self::code(i)],
                _ => self.known(number, 0, buffer, i),
            };
            let scalars = [&scalars[..], &[("multiples", multiples)]].concat();
            let entry = |k: u64| (k % (n / multiples) * multiples + k / (n / multiples)) as u32;
            limits.check_blocks::<RadixScatterFirst>(1, &scalars, contents, |_, touched| {
                Self::ticket(touched, number);
                let segment = number / tiles;
                let range = self.tile(number, segment * n, (segment + 1) * n);
                range.clone().for_each(|i| touched.read("codes", i));
                let codes = range.map(|i| (i - segment * n, Self::code(i)));
                let codes = codes.filter(|(_, code)| *code != NO_DIGIT);
                let pairs = codes.map(|(k, code)| (code & (u32::MAX >> 1), entry(k) | code >> 31 << 31));
                self.scattered(touched, number, 0, pairs.collect());
            });
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
        let scalars = [
            ("bits", bits),
            ("segments", segments),
            ("tiles", tiles),
            ("multiples", multiples),
            ("doublings", doublings),
            ("n", n),
        ];
        let base = |k: u64| k % (n / multiples) * multiples + k / (n / multiples);
        for number in self.numbers() {
            let contents = |buffer: &str, i: u64| match buffer {
                "codes" => vec![code(i)],
                _ => self.known(number, 0, buffer, i),
            };
            limits.check_blocks::<RadixScatterOdd>(1, &scalars, contents, |_, touched| {
                Self::ticket(touched, number);
                let segment = number / tiles;
                let range = self.tile(number, segment * n, (segment + 1) * n);
                range.clone().for_each(|i| touched.read("codes", i));
                let entry = |i| (base(i - segment * n) * doublings + exponent(i)) as u32 | sign(i);
                let digits = range.filter(|i| code(*i) != NO_DIGIT);
                self.scattered(touched, number, 0, digits.map(|i| (key(i), entry(i))).collect());
            });
        }
    }

    fn later(&self, limits: &mut Limits) {
        let &Radix { segments, tiles, shift, bits, .. } = self;
        let scalars =
            [("segments", segments), ("tiles", tiles), ("first", FIRST), ("shift", shift), ("bits", bits)];
        let key = |i: u64| hash(i) >> 1;
        for number in self.numbers() {
            let contents = |buffer: &str, i: u64| match buffer {
                "keys_in" => vec![key(i)],
                "entries_in" => vec![hash(!i)],
                _ => self.known(number, FIRST, buffer, i),
            };
            limits.check_blocks::<RadixScatter>(1, &scalars, contents, |_, touched| {
                Self::ticket(touched, number);
                let segment = number / tiles;
                let [start, end] = [segment, segment + 1].map(|segment| {
                    touched.read("offsets", FIRST + (segment << bits));
                    self.offset(segment << bits)
                });
                touched.read("offsets", FIRST);
                let range = self.tile(number, start, end);
                if range.is_empty() {
                    return;
                }
                range.clone().for_each(|i| ["keys_in", "entries_in"].iter().for_each(|b| touched.read(b, i)));
                self.scattered(touched, number, FIRST, range.map(|i| (key(i), hash(!i))).collect());
            });
        }
    }
}

/// A sort by counting of `segments` segments, together about `n` codes, a sixth of them none.
fn counting(limits: &mut Limits, n: u64, segments: u64, key_bits: u32) {
    let n = n / segments;
    let codes = segments * n;
    let multiples = (1..=32).rev().find(|multiples| n.is_multiple_of(*multiples)).expect("1 divides all");
    let doublings = if key_bits == 31 { 1 } else { (LONGEST / n).clamp(1, 24) };
    // The largest key that there is, but for 31 ones: no buffer has so many places.
    let key = |i: u64| (hash(!i) >> (32 - key_bits)) & !1;
    let exponent = |i: u64| u64::from(hash(i)) % doublings;
    let sign = |i: u64| hash(i + 3) >> 31 << 31;
    let is_digit = |i: u64| !hash(i).is_multiple_of(6);
    let code = |i: u64| match is_digit(i) {
        true => sign(i) | if doublings > 1 { (exponent(i) as u32) << key_bits } else { 0 } | key(i),
        false => NO_DIGIT,
    };
    // Anything below 2^31, and for each key of its own.
    let begin = |place: u64| hash(place) >> 1;
    let contents = |buffer: &str, i: u64| vec![if buffer == "codes" { code(i) } else { begin(i) }];
    let scalars = [
        ("key_bits", u64::from(key_bits)),
        ("segments", segments),
        ("n", n),
        ("multiples", multiples),
        ("doublings", doublings),
    ];
    // Of one key a block has several codes.
    let block_of = |width: u64, block: u64| (block * width..(block + 1) * width).filter(|i| *i < codes);
    let width = u64::from(BucketCounts::desc(&Geometry::PTX).block);
    let blocks = codes.div_ceil(width);
    limits.check_blocks::<BucketCounts>(blocks, &scalars, contents, |block, touched| {
        let mut counts = BTreeMap::new();
        for i in block_of(width, block) {
            touched.read("codes", i);
            if is_digit(i) {
                *counts.entry(u64::from(key(i)) + 1).or_insert(0) += 1;
            }
        }
        for (place, count) in counts {
            touched.read("counts", place);
            touched.write_words("counts", place, vec![begin(place) + count]);
        }
    });
    limits.check_blocks::<BucketScatter>(blocks, &scalars, contents, |block, touched| {
        let mut next = BTreeMap::new();
        for i in block_of(width, block) {
            touched.read("codes", i);
            if !is_digit(i) {
                continue;
            }
            let place = u64::from(key(i)) + 1;
            touched.read("places", place);
            let to = next.entry(place).or_insert(begin(place));
            let in_segment = i % n;
            let base = in_segment % (n / multiples) * multiples + in_segment / (n / multiples);
            touched.write_words("keys_out", u64::from(*to), vec![key(i)]);
            let entry = (base * doublings + exponent(i)) as u32 | sign(i);
            touched.write_words("entries_out", u64::from(*to), vec![entry]);
            *to += 1;
        }
        next.into_iter().for_each(|(place, to)| touched.write_words("places", place, vec![to]));
    });
}

/// With `before` words before the last pass' offsets.
fn starts(limits: &mut Limits, n: u64, buckets: u64, shift: u64, before: u64) {
    // Each key some times, but for the last.
    let key = |i: u64| i * buckets / n;
    let first = |k: u64| (k * n).div_ceil(buckets);
    let contents = |buffer: &str, i: u64| match buffer {
        "offsets" => vec![BEFORE.wrapping_add(first((i - before) << shift) as u32)],
        _ => vec![key(i) as u32],
    };
    let scalars = [("buckets", buckets), ("shift", shift), ("first", before)];
    limits.check::<BucketStarts>(buckets + 1, &scalars, contents, |k, touched| {
        if k > buckets {
            return;
        }
        let groups = [k >> shift, ((k >> shift) + 1).min(buckets >> shift)];
        [0, groups[0], groups[1]].iter().for_each(|group| touched.read("offsets", before + group));
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

/// The class of a row's length, by what classes are for: those below 128 have their own, and of those from
/// `64·2^s` on `2^s` share one.
fn class(len: u64) -> u64 {
    let shift = (0..).find(|shift| len >> shift < 128).expect("some shift leaves seven bits");
    64 * shift + (len >> shift)
}

/// `n` entries over `buckets` rows, each with about as many; of `n` entries in one row, or of few, some are
/// cut.
fn rows(limits: &mut Limits, n: u64, [buckets, slices, least]: [u64; 3]) {
    let (tile, classes) = (u64::from(Geometry::PTX.row_tile), u64::from(ROW_CLASSES));
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
    // Of each class of a tile as many rows from its offset on, which is anything below 2^31 here, less that
    // of the first class.
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
