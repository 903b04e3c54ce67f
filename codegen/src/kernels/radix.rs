//! One pass of a least-significant-digit radix sort of every segment by itself: count, then scatter stably.
//!
//! A block handles one tile of one segment. Each of its warps takes a contiguous part of the tile in rounds of 32
//! pairs, so that (warp, round, lane) is the order of the input, and ranks in that order make the scatter stable.
//! Pairs are put in order within shared memory first: a block then writes runs, not single words.

use super::full;
use super::scan::inclusive_scan;
use crate::fir::build::{Builder, Pred, Shared, U32};
use crate::fir::ir::{AtomicOp, Kernel, ShuffleMode};
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{
    NO_DIGIT, ODD_KEY_BITS, RADIX_BITS, RADIX_TILE, RadixCount, RadixCountFirst, RadixScatter,
    RadixScatterFirst, RadixScatterOdd,
};

const THREADS: u32 = RadixScatter::DESC.block;
const WARPS: u32 = THREADS / 32;
const ROUNDS: u32 = RADIX_TILE / THREADS;
const DIGITS: u32 = 1 << RADIX_BITS;
/// The bits of a code that are its key.
const KEY: u32 = (1 << 31) - 1;
const _: () = assert!(RadixCount::DESC.block == THREADS && RadixCountFirst::DESC.block == THREADS);
const _: () = assert!(RadixScatterFirst::DESC.block == THREADS && RadixScatterOdd::DESC.block == THREADS);
const _: () = assert!(DIGITS == THREADS, "a thread joins the counts of one digit");
const _: () = assert!(RADIX_TILE.is_multiple_of(THREADS) && WARPS.is_power_of_two() && WARPS <= 32);

pub(super) fn count_first() -> Kernel {
    let b = Builder::common::<RadixCountFirst>();
    let tile = Tile::of_codes(&b);
    count(&tile, "codes");
    b.finish()
}

pub(super) fn count_next() -> Kernel {
    let b = Builder::common::<RadixCount>();
    let tile = Tile::of_pairs(&b);
    count(&tile, "keys");
    b.finish()
}

pub(super) fn scatter_first() -> Kernel {
    let b = Builder::common::<RadixScatterFirst>();
    let tile = Tile::of_codes(&b);
    let base = base_of_code(&tile);
    scatter(&tile, "codes", |at, code| {
        let entry = base(at);
        (code & KEY, entry | (code & !KEY))
    });
    b.finish()
}

pub(super) fn scatter_odd() -> Kernel {
    let b = Builder::common::<RadixScatterOdd>();
    let tile = Tile::of_codes(&b);
    let (base, doublings) = (base_of_code(&tile), b.scalar("doublings"));
    scatter(&tile, "codes", |at, code| {
        let exponent = (code & KEY) >> ODD_KEY_BITS;
        (code & ((1 << ODD_KEY_BITS) - 1), (base(at) * doublings + exponent) | (code & !KEY))
    });
    b.finish()
}

/// The multiple of a base that the code at an index is for: `i·multiples + j`.
fn base_of_code<'k>(tile: &Tile<'k>) -> impl Fn(U32<'k>) -> U32<'k> + Copy + use<'k> {
    let (b, segment_start) = (tile.b, tile.segment_start);
    let multiples = b.scalar("multiples");
    let (several, scalars) = (multiples.gt(b.u32(1)), b.scalar("n") / multiples);
    move |at| {
        let code_in_segment = at - segment_start;
        let base = b.var(code_in_segment);
        b.if_(several, || {
            let multiple = code_in_segment / scalars;
            base.set((code_in_segment - multiple * scalars) * multiples + multiple);
        });
        base.get()
    }
}

pub(super) fn scatter_next() -> Kernel {
    let b = Builder::common::<RadixScatter>();
    let tile = Tile::of_pairs(&b);
    scatter(&tile, "keys_in", |at, key| (key, b.buffer("entries_in").word(at)));
    b.finish()
}

/// The part of a segment that a block handles.
struct Tile<'k> {
    b: &'k Builder,
    segment: U32<'k>,
    segment_start: U32<'k>,
    /// Number of the tile in its segment.
    index: U32<'k>,
    tiles: U32<'k>,
    /// First word of the tile: past the segment's last if the segment is shorter.
    start: U32<'k>,
    /// End of the segment.
    end: U32<'k>,
    shift: U32<'k>,
    bits: U32<'k>,
}

impl<'k> Tile<'k> {
    /// Segments of `n` codes.
    fn of_codes(b: &'k Builder) -> Self {
        let n = b.scalar("n");
        Tile::new(b, b.u32(0), |segment| (segment * n, segment * n + n))
    }

    /// Segments of pairs from `bounds[segment·stride]` to `bounds[(segment + 1)·stride]`.
    fn of_pairs(b: &'k Builder) -> Self {
        let (bounds, stride) = (b.buffer("bounds"), b.scalar("stride"));
        Tile::new(b, b.scalar("shift"), |segment| {
            let at = segment * stride;
            (bounds.word(at), bounds.word(at + stride))
        })
    }

    fn new(b: &'k Builder, shift: U32<'k>, range: impl FnOnce(U32<'k>) -> (U32<'k>, U32<'k>)) -> Self {
        let (block, tiles) = (b.block_index(), b.scalar("tiles"));
        b.return_if(block.ge(b.scalar("segments") * tiles));
        let segment = block / tiles;
        let index = block - segment * tiles;
        let (segment_start, end) = range(segment);
        let start = segment_start + index * RADIX_TILE;
        Tile { b, segment, segment_start, index, tiles, start, end, shift, bits: b.scalar("bits") }
    }

    /// Where the tile's count of `digit`, and then its offset, stands.
    fn cell(&self, digit: U32<'k>) -> U32<'k> {
        ((self.segment << self.bits) + digit) * self.tiles + self.index
    }

    /// The number of digits.
    fn digits(&self) -> U32<'k> {
        self.b.u32(1) << self.bits
    }

    fn digit(&self, code: U32<'k>) -> U32<'k> {
        (code >> self.shift) & (self.digits() - 1)
    }

    /// The words of `buffer` at `at`, and where that is past the end the last one. Together, so that all are on
    /// their way at once; the tile is not empty.
    fn words(&self, buffer: &str, at: impl Fn(u32) -> U32<'k>) -> Vec<(U32<'k>, U32<'k>)> {
        let (buffer, last) = (self.b.buffer(buffer), self.end - 1);
        (0..ROUNDS).map(|round| (at(round), buffer.word(at(round).min(last)))).collect()
    }

    /// Whether a word is one of the tile that is sorted.
    fn takes(&self, at: U32<'k>, code: U32<'k>) -> Pred<'k> {
        at.lt(self.end) & code.ne(self.b.u32(NO_DIGIT))
    }
}

fn count(tile: &Tile<'_>, codes: &str) {
    let b = tile.b;
    let (thread, counts) = (b.thread(), b.shared(DIGITS));
    clear(b, counts, DIGITS);
    b.barrier();
    b.if_(tile.start.lt(tile.end), || {
        for (at, code) in tile.words(codes, |round| tile.start + thread + round * THREADS) {
            b.if_(tile.takes(at, code), || {
                counts.atomic(AtomicOp::Add, tile.digit(code), b.u32(1));
            });
        }
    });
    b.barrier();
    let out = b.buffer("counts");
    b.for_(thread, tile.digits(), THREADS, |digit| out.set_word(tile.cell(digit), counts.word(digit)));
    // The end of the last segment, once the counts are summed.
    b.if_(b.block_index().is(0) & thread.is(0), || {
        out.set_word((b.scalar("segments") << tile.bits) * tile.tiles, b.u32(0));
    });
}

/// `pair` gives key and entry of the code that is at an index.
fn scatter<'k>(tile: &Tile<'k>, codes: &str, pair: impl Fn(U32<'k>, U32<'k>) -> (U32<'k>, U32<'k>)) {
    let b = tile.b;
    b.return_if(tile.start.ge(tile.end));
    let (thread, lane) = (b.thread(), b.lane());
    let warp = thread >> 5;
    let warp_start = tile.start + warp * (ROUNDS * 32);
    let slots = tile.words(codes, |round| warp_start + lane + round * 32);

    // Row `warp` counts that warp's digits, then holds the place in the tile of its first pair of each digit.
    let table = b.shared(WARPS * DIGITS);
    let cell = |code| warp * DIGITS + tile.digit(code);
    clear(b, table, WARPS * DIGITS);
    b.barrier();
    let mut ranks = vec![];
    for (round, &(at, code)) in (0..).zip(&slots) {
        let rank = b.var(b.u32(0));
        b.if_((warp_start + round * 32).lt(tile.end), || {
            let takes = tile.takes(at, code);
            rank.set(count_in_warp(tile, table, cell(code), code, takes));
            if round + 1 < ROUNDS {
                b.sync_warp(full(b));
            }
        });
        ranks.push(rank);
    }
    b.barrier();
    let (places, len) = join_counts(tile, table);

    let (keys, entries) = (b.shared(RADIX_TILE), b.shared(RADIX_TILE));
    for (round, (&(at, code), rank)) in (0..).zip(slots.iter().zip(ranks)) {
        b.if_((warp_start + round * 32).lt(tile.end) & tile.takes(at, code), || {
            let (key, entry) = pair(at, code);
            let place = table.word(cell(code)) + rank.get();
            keys.set_word(place, key);
            entries.set_word(place, entry);
        });
    }
    b.barrier();
    let (keys_out, entries_out) = (b.buffer("keys_out"), b.buffer("entries_out"));
    b.for_(thread, len, THREADS, |place| {
        let key = keys.word(place);
        let to = places.word(tile.digit(key)) + place;
        keys_out.set_word(to, key);
        entries_out.set_word(to, entries.word(place));
    });
}

/// Counts the codes that the lanes of a warp take in one round; the rank of this lane's among those of its digit.
fn count_in_warp<'k>(
    tile: &Tile<'k>,
    table: Shared<'k>,
    cell: U32<'k>,
    code: U32<'k>,
    takes: Pred<'k>,
) -> U32<'k> {
    let b = tile.b;
    let peers = equal_digits(b, tile.digit(code)) & b.ballot(takes, full(b));
    let earlier = (peers & ((b.u32(1) << b.lane()) - 1)).popc();
    let before = table.word(cell);
    // All peers have read the count before the first of them moves it on.
    b.sync_warp(full(b));
    b.if_(takes & earlier.is(0), || table.set_word(cell, before + peers.popc()));
    before + earlier
}

/// Makes the counts of the warps places in the tile. Gives, for each digit, what is to be added to a place in the
/// tile for the place in the output (modulo 2^32), and the number of pairs in the tile.
fn join_counts<'k>(tile: &Tile<'k>, table: Shared<'k>) -> (Shared<'k>, U32<'k>) {
    let b = tile.b;
    let (digit, lane) = (b.thread(), b.lane());
    let warp = digit >> 5;
    let counts: Vec<U32<'_>> = (0..WARPS).map(|row| table.word(digit + row * DIGITS)).collect();
    let own = counts.iter().skip(1).fold(counts[0], |sum, &count| sum + count);
    let in_warp = inclusive_scan(b, own, 32);
    let warp_sums = b.shared(WARPS);
    b.if_(lane.is(31), || warp_sums.set_word(warp, in_warp));
    b.barrier();
    let up_to_warps = inclusive_scan(b, warp_sums.word(lane & (WARPS - 1)), WARPS);
    let len = b.shuffle(ShuffleMode::Index, up_to_warps, b.u32(WARPS - 1), full(b));
    let before_warp = b.shuffle(ShuffleMode::Index, up_to_warps, (warp - 1) & (WARPS - 1), full(b));
    let start = warp.is(0).select(b.u32(0), before_warp) + in_warp - own;

    let mut next = start;
    for (row, count) in (0..).zip(counts) {
        table.set_word(digit + row * DIGITS, next);
        next = next + count;
    }
    let places = b.shared(DIGITS);
    b.if_(digit.lt(tile.digits()), || {
        places.set_word(digit, b.buffer("offsets").word(tile.cell(digit)) - start);
    });
    b.barrier();
    (places, len)
}

/// The lanes whose digit is this lane's.
fn equal_digits<'k>(b: &'k Builder, digit: U32<'k>) -> U32<'k> {
    (0..RADIX_BITS).fold(full(b), |peers, bit| {
        let set = (digit & (1 << bit)).ne(b.u32(0));
        peers & (b.ballot(set, full(b)) ^ set.select(b.u32(0), full(b)))
    })
}

/// Zeroes a shared array; a barrier must follow.
fn clear(b: &Builder, array: Shared<'_>, words: u32) {
    b.for_(b.thread(), b.u32(words), THREADS, |i| array.set_word(i, b.u32(0)));
}
