//! One pass of a least-significant-digit radix sort of every segment by itself, in one sweep: Merrill and
//! Garland, "Single-pass parallel prefix scan with decoupled look-back" (2016), for each digit of Adinets and
//! Merrill, "Onesweep: a faster least significant digit radix sort for GPUs" (arXiv 2206.01784, 2022).
//!
//! A block handles one tile of one segment. Each of its warps takes a contiguous part of the tile in rounds
//! of 32 pairs, so that (warp, round, lane) is the order of the input, and ranks in that order make the
//! scatter stable. Pairs are put in order within shared memory first: a block then writes runs, not single
//! words.
//!
//! Where a run goes depends on the tiles before it: a block publishes how many pairs of each digit it has,
//! and adds up what they publish, from its own tile backwards to one that knows its sum. Tiles are handed out
//! in the order in which blocks begin, so that a block waits only for blocks that have begun, whatever the
//! device's order and however few it holds at once; none that has begun waits for a later one.
//!
//! No branch depends on a code but for [`NO_DIGIT`]: what a lane has not to write goes to a place of its own.

use super::full;
use super::scan::inclusive_scan;
use crate::fir::build::{Builder, Pred, Shared, U32, Var};
use crate::fir::ir::{AtomicOp, Kernel, Order, ShuffleMode};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{
    NO_DIGIT, ODD_KEY_BITS, RADIX_BITS, RADIX_PASSES, RadixCount, RadixScatter, RadixScatterFirst,
    RadixScatterOdd,
};

const DIGITS: u32 = 1 << RADIX_BITS;
/// The bits of a code that are not its sign.
pub(super) const KEY: u32 = (1 << 31) - 1;

/// Sizes of a block's work.
#[derive(Clone, Copy)]
struct Sizes {
    threads: u32,
    warps: u32,
    /// Pairs of a tile.
    tile: u32,
    /// Pairs of a thread.
    rounds: u32,
}

impl Sizes {
    fn of(geometry: &Geometry) -> Sizes {
        let Geometry { sort_threads: threads, radix_tile: tile, .. } = *geometry;
        let warps = threads / 32;
        assert!(DIGITS <= threads, "a thread joins the counts of one digit");
        assert!(warps * DIGITS <= tile, "the counts of all warps and the pairs of a tile take turns");
        assert!(
            tile.is_multiple_of(threads) && warps.is_power_of_two() && warps <= 32,
            "whole rounds of warps"
        );
        Sizes { threads, warps, tile, rounds: tile / threads }
    }
}

/// Blocks on a multiprocessor, which has registers for 64 a thread then.
const RESIDENT: u32 = 2;
/// What a tile publishes of a digit: nothing yet, which is 0; its own pairs; or those of all tiles of the
/// segment up to it.
const OWN: u32 = 1 << 30;
const UP_TO_IT: u32 = 2 << 30;
/// Tiles that a tile looks back at together.
const LOOKS: u32 = 8;

/// The kernels of the sort, for geometries with a tile of it.
pub(super) fn kernels(geometry: &Geometry) -> Vec<Kernel> {
    vec![count(geometry), scatter_first(geometry), scatter_odd(geometry), scatter_next(geometry)]
}

/// Counts of all passes, of tiles `block·each` and following of a segment.
fn count(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<RadixCount>(geometry);
    let Sizes { threads, tile, rounds, .. } = Sizes::of(geometry);
    let (n, each, segments) = (b.scalar("n"), b.scalar("each"), b.scalar("segments"));
    let (key_bits, passes) = (b.scalar("key_bits"), b.scalar("passes"));
    let parts = ((n + (tile - 1)) / tile + each - 1) / each;
    let segment = b.block_index() / parts;
    b.return_if(segment.ge(segments));
    let first = (b.block_index() - segment * parts) * each;
    let (codes, out, thread) = (b.buffer("codes"), b.buffer("counts"), b.thread());

    // Digit `d` of pass `p` is counted at `p·DIGITS + d`.
    let counts = b.shared(RADIX_PASSES * DIGITS);
    clear(&b, counts, RADIX_PASSES * DIGITS);
    b.barrier();
    let edge = |pass| first_bit(key_bits, passes, pass);
    let end = n.min((first + each) * tile);
    b.for_(first * tile, end, tile, |start| {
        let at: Vec<U32<'_>> = (0..rounds).map(|round| start + thread + round * threads).collect();
        // Together, so that all are on their way at once.
        let words: Vec<U32<'_>> = at.iter().map(|&at| codes.word(segment * n + at.min(n - 1))).collect();
        b.for_(b.u32(0), passes, 1, |pass| {
            let (shift, end_of_digit) = (edge(pass), edge(pass + 1));
            let mask = (b.u32(1) << (end_of_digit - shift)) - 1;
            for (&at, &code) in at.iter().zip(&words) {
                b.if_(at.lt(n) & code.ne(b.u32(NO_DIGIT)), || {
                    counts.atomic(AtomicOp::Add, pass * DIGITS + ((code >> shift) & mask), b.u32(1));
                });
            }
        });
    });
    b.barrier();
    let before = b.var(b.u32(0));
    b.for_(b.u32(0), passes, 1, |pass| {
        let digits = b.u32(1) << (edge(pass + 1) - edge(pass));
        b.if_(thread.lt(digits), || {
            let cell = before.get() + segment * digits + thread;
            out.atomic(AtomicOp::Add, cell, counts.word(pass * DIGITS + thread), Order::Relaxed);
        });
        before.set(before.get() + segments * digits);
    });
    b.finish()
}

/// The lowest bit of a pass, or one behind the last pass'.
fn first_bit<'k>(key_bits: U32<'k>, passes: U32<'k>, pass: U32<'k>) -> U32<'k> {
    key_bits * pass / passes
}

fn scatter_first(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<RadixScatterFirst>(geometry);
    let tile = Tile::of_codes(&b, Sizes::of(geometry));
    let base = base_of_code(&b);
    scatter(&tile, "codes", |at, code| {
        let entry = base(at - tile.segment_start);
        (code & KEY, entry | (code & !KEY))
    });
    b.finish()
}

fn scatter_odd(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<RadixScatterOdd>(geometry);
    let tile = Tile::of_codes(&b, Sizes::of(geometry));
    let (base, doublings) = (base_of_code(&b), b.scalar("doublings"));
    scatter(&tile, "codes", |at, code| {
        let exponent = (code & KEY) >> ODD_KEY_BITS;
        let entry = || base(at - tile.segment_start) * doublings + exponent;
        (code & ((1 << ODD_KEY_BITS) - 1), entry() | (code & !KEY))
    });
    b.finish()
}

/// The multiple of a base that a code of a segment is for: `i·multiples + j`.
pub(super) fn base_of_code<'k>(b: &'k Builder) -> impl Fn(U32<'k>) -> U32<'k> + Copy + use<'k> {
    let multiples = b.scalar("multiples");
    let (several, scalars) = (multiples.gt(b.u32(1)), b.scalar("n") / multiples);
    move |code_in_segment| {
        let base = b.var(code_in_segment);
        b.if_(several, || {
            let multiple = code_in_segment / scalars;
            base.set((code_in_segment - multiple * scalars) * multiples + multiple);
        });
        base.get()
    }
}

fn scatter_next(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<RadixScatter>(geometry);
    let tile = Tile::of_pairs(&b, Sizes::of(geometry));
    scatter(&tile, "keys_in", |at, key| (key, b.buffer("entries_in").word(at)));
    b.finish()
}

/// The part of a segment that a block handles.
struct Tile<'k> {
    b: &'k Builder,
    sizes: Sizes,
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
    /// Where the pass begins in `offsets`.
    first: U32<'k>,
}

impl<'k> Tile<'k> {
    /// Segments of `n` codes.
    fn of_codes(b: &'k Builder, sizes: Sizes) -> Self {
        let n = b.scalar("n");
        Tile::new(b, sizes, b.u32(0), b.u32(0), |segment| (segment * n, segment * n + n))
    }

    /// Segments of pairs, which begin where those of the digit 0 do.
    fn of_pairs(b: &'k Builder, sizes: Sizes) -> Self {
        let (offsets, bits, first) = (b.buffer("offsets"), b.scalar("bits"), b.scalar("first"));
        let total = offsets.word(first);
        let start = |segment: U32<'k>| offsets.word(first + (segment << bits)) - total;
        Tile::new(b, sizes, b.scalar("shift"), first, |segment| (start(segment), start(segment + 1)))
    }

    fn new(
        b: &'k Builder,
        sizes: Sizes,
        shift: U32<'k>,
        first: U32<'k>,
        range: impl FnOnce(U32<'k>) -> (U32<'k>, U32<'k>),
    ) -> Self {
        let (states, tiles) = (b.buffer("states"), b.scalar("tiles"));
        let ticket = b.shared(1);
        b.if_(b.thread().is(0), || {
            ticket.set_word(b.u32(0), states.atomic(AtomicOp::Add, b.u32(0), b.u32(1), Order::Relaxed));
        });
        b.barrier();
        let number = ticket.word(b.u32(0));
        b.return_if(number.ge(b.scalar("segments") * tiles));
        let segment = number / tiles;
        let index = number - segment * tiles;
        let (segment_start, end) = range(segment);
        let start = segment_start + index * sizes.tile;
        Tile {
            b,
            sizes,
            segment,
            segment_start,
            index,
            tiles,
            start,
            end,
            shift,
            bits: b.scalar("bits"),
            first,
        }
    }

    /// The number of digits.
    fn digits(&self) -> U32<'k> {
        self.b.u32(1) << self.bits
    }

    fn digit(&self, code: U32<'k>) -> U32<'k> {
        (code >> self.shift) & (self.digits() - 1)
    }

    /// What is to be added, modulo 2^32, to the place of a pair in the sorted segments of tiles from this one
    /// on: pairs with lower digits or of earlier segments.
    fn offset(&self, digit: U32<'k>) -> U32<'k> {
        let offsets = self.b.buffer("offsets");
        offsets.word(self.first + (self.segment << self.bits) + digit) - offsets.word(self.first)
    }

    /// Where a tile of the segment tells of a digit.
    fn state(&self, tile: U32<'k>, digit: U32<'k>) -> U32<'k> {
        (((self.segment * self.tiles + tile) << self.bits) | digit) + 1
    }

    /// Tells the tiles behind it of its `own` pairs with a digit, which are all up to it where it is the
    /// segment's first.
    fn publish(&self, digit: U32<'k>, own: U32<'k>) {
        let what = own | self.index.is(0).select(self.b.u32(UP_TO_IT), self.b.u32(OWN));
        self.b.buffer("states").store_ordered(self.state(self.index, digit), what, Order::Relaxed);
    }

    /// Pairs with a digit in the tiles of the segment before this one, which has `own` of them: by what these
    /// publish. Then this one publishes all up to it.
    fn before(&self, digit: U32<'k>, own: U32<'k>) -> U32<'k> {
        let (b, states) = (self.b, self.b.buffer("states"));
        let (sum, tile) = (b.var(b.u32(0)), b.var(self.index));
        b.if_(!self.index.is(0), || {
            b.loop_(|| {
                // Several are on their way at once. The first tile knows its sum, so that what is asked of it
                // again counts once.
                let tiles = (1..=LOOKS).map(|k| tile.get().max(b.u32(k)) - k);
                let looks: Vec<U32<'k>> =
                    tiles.map(|tile| states.load_ordered(self.state(tile, digit), Order::Relaxed)).collect();
                let (mut goes_on, mut ends) = (b.bool(true), b.bool(false));
                for what in looks {
                    // Where there is nothing yet it is asked again.
                    let takes = goes_on & what.ne(b.u32(0));
                    let at_end = takes & what.ge(b.u32(UP_TO_IT));
                    sum.set(sum.get() + takes.select(what & (OWN - 1), b.u32(0)));
                    tile.set(tile.get() - takes.select(b.u32(1), b.u32(0)));
                    (goes_on, ends) = (takes & !at_end, ends | at_end);
                }
                b.break_if(ends);
            });
            let all = (sum.get() + own) | UP_TO_IT;
            states.store_ordered(self.state(self.index, digit), all, Order::Relaxed);
        });
        sum.get()
    }
}

/// A pair of the tile, on its way to its place.
struct Slot<'k> {
    /// Its word in the buffer, or the tile's last, where the tile is shorter.
    at: U32<'k>,
    code: U32<'k>,
    /// Whether it is sorted: it is one of the tile, and has a digit.
    takes: Pred<'k>,
    /// Its place: in the row of its warp and digit, and then in the tile.
    place: Var<'k, U32<'k>>,
}

/// `pair` gives key and entry of the code that is at an index.
fn scatter<'k>(tile: &Tile<'k>, codes: &str, pair: impl Fn(U32<'k>, U32<'k>) -> (U32<'k>, U32<'k>)) {
    let (b, Sizes { threads, warps, tile: size, rounds }) = (tile.b, tile.sizes);
    b.resident_blocks(RESIDENT);
    b.return_if(tile.start.ge(tile.end));
    let (thread, lane) = (b.thread(), b.lane());
    let warp = thread >> 5;
    let slots = slots(tile, codes, tile.start + warp * (rounds * 32) + lane);

    // Row `warp` counts that warp's digits, then holds the place in the tile of its first pair of each digit.
    // Behind them each thread has a place for what nobody reads.
    let [keys, table] = [(); 2].map(|()| b.shared(size + threads));
    let cell = |code| warp * DIGITS + tile.digit(code);
    clear(b, table, warps * DIGITS);
    b.barrier();
    for (round, slot) in (1..).zip(&slots) {
        slot.place.set(count_in_warp(tile, table, cell(slot.code), slot));
        if round < rounds {
            b.sync_warp(full(b));
        }
    }
    b.barrier();
    let joined = join_counts(tile, table);
    b.if_(joined.has_digit, || tile.publish(b.thread(), joined.own));
    b.barrier();

    for slot in &slots {
        let place = slot.place.get() + table.word(cell(slot.code));
        slot.place.set(slot.takes.select(place, thread + size));
    }
    b.barrier();
    // Nobody asks for a row any more.
    let entries = table;
    for slot in &slots {
        let (key, entry) = pair(slot.at, slot.code);
        keys.set_word(slot.place.get(), key);
        entries.set_word(slot.place.get(), entry);
    }
    // For each digit, what is to be added to a place in the tile for the place in the output (modulo 2^32).
    // Only now, when the tiles before have published.
    let places = b.shared(DIGITS);
    b.if_(joined.has_digit, || {
        let before = tile.offset(thread) + tile.before(thread, joined.own);
        places.set_word(thread, before - joined.start);
    });
    b.barrier();
    let (keys_out, entries_out) = (b.buffer("keys_out"), b.buffer("entries_out"));
    for round in 0..rounds {
        let place = thread + round * threads;
        b.if_(place.lt(joined.len), || {
            let key = keys.word(place);
            let to = places.word(tile.digit(key)) + place;
            keys_out.set_word(to, key);
            entries_out.set_word(to, entries.word(place));
        });
    }
}

/// The pairs of a thread, the first of which is at `first`. All words are read together, so that all are on
/// their way at once.
fn slots<'k>(tile: &Tile<'k>, codes: &str, first: U32<'k>) -> Vec<Slot<'k>> {
    let (b, codes, last) = (tile.b, tile.b.buffer(codes), tile.end - 1);
    let slot = |round: u32| {
        let within = first + round * 32;
        let at = within.min(last);
        let code = codes.word(at);
        let takes = within.lt(tile.end) & code.ne(b.u32(NO_DIGIT));
        Slot { at, code, takes, place: b.var(b.u32(0)) }
    };
    (0..tile.sizes.rounds).map(slot).collect()
}

/// Counts the codes that the lanes of a warp take in one round; the rank of this lane's among those of its
/// digit.
fn count_in_warp<'k>(tile: &Tile<'k>, table: Shared<'k>, cell: U32<'k>, slot: &Slot<'k>) -> U32<'k> {
    let b = tile.b;
    let (digit, all) = (tile.digit(slot.code), full(b));
    let peers = b.match_any(digit, RADIX_BITS, all) & b.ballot(slot.takes, all);
    let earlier = (peers & ((b.u32(1) << b.lane()) - 1)).popc();
    let before = table.word(cell);
    // All peers have read the count before the first of them moves it on.
    b.sync_warp(all);
    let counts = slot.takes & earlier.is(0);
    table.set_word(counts.select(cell, b.thread() + tile.sizes.tile), before + peers.popc());
    before + earlier
}

/// A thread's digit in the tile.
struct Joined<'k> {
    /// Whether it has one.
    has_digit: Pred<'k>,
    /// Pairs with it.
    own: U32<'k>,
    /// The place of the first of them.
    start: U32<'k>,
    /// Pairs in the tile.
    len: U32<'k>,
}

/// Makes the counts of the warps places in the tile; a barrier must follow.
fn join_counts<'k>(tile: &Tile<'k>, table: Shared<'k>) -> Joined<'k> {
    let b = tile.b;
    let (thread, lane) = (b.thread(), b.lane());
    // A thread a digit; others do the same again and write nothing.
    let (digit, joins) = (thread & (DIGITS - 1), thread.lt(b.u32(DIGITS)));
    let warp = digit >> 5;
    let counts: Vec<U32<'_>> = (0..tile.sizes.warps).map(|row| table.word(digit + row * DIGITS)).collect();
    let own = counts.iter().skip(1).fold(counts[0], |sum, &count| sum + count);
    let in_warp = inclusive_scan(b, own, 32);
    let warp_sums = b.shared(DIGITS / 32);
    b.if_(joins & lane.is(31), || warp_sums.set_word(warp, in_warp));
    b.barrier();
    let last = DIGITS / 32 - 1;
    let up_to_warps = inclusive_scan(b, warp_sums.word(lane & last), DIGITS / 32);
    let len = b.shuffle(ShuffleMode::Index, up_to_warps, b.u32(last), full(b));
    let before_warp = b.shuffle(ShuffleMode::Index, up_to_warps, (warp - 1) & last, full(b));
    let start = warp.is(0).select(b.u32(0), before_warp) + in_warp - own;
    b.if_(joins, || {
        let mut next = start;
        for (row, count) in (0..).zip(counts) {
            table.set_word(digit + row * DIGITS, next);
            next = next + count;
        }
    });
    Joined { has_digit: thread.lt(tile.digits()), own, start, len }
}

/// Zeroes a shared array; a barrier must follow.
fn clear(b: &Builder, array: Shared<'_>, words: u32) {
    for first in (0..words).step_by(b.threads() as usize) {
        array.set_word(b.thread() + first, b.u32(0));
    }
}
