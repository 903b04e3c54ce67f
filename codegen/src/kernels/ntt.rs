//! Transforms in registers and shared memory, and tables of powers.
//!
//! A transform is a sequence of passes over memory. A pass in radix `r` transforms columns of `r` strided
//! elements, after multiplying them by twiddles. Where columns lie before and after it makes the order of a
//! transform: Stockham's, natural throughout, or in place, with one side bit-reversed. A block has
//! neighbouring columns, and does the same with them again: steps, in the radix of the elements that a thread
//! holds, exchange them through shared memory.
//!
//! Whatever root `ω` of order `n` a plan uses, `ω^(n/r)` is an odd power of the field's own root `W` of order
//! `r`: `W = ω^(n/r·t)`, so `Σ x_tq·ω^(n/r·tq·m) = Σ x_tq·W^(qm)`. One kernel with the powers of `W` as
//! immediates, and in the tables of its steps, serves every root: a plan only says where to find the
//! elements.

use crate::declaration::FieldDesc;
use crate::fir::build::{Buffer, Builder, Fe, Pred, SharedElements, Table, U32, Var};
use crate::fir::ir::{Below, Kernel};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{
    NTT_TABLE, NttPass, NttScale, NttTables, NttTwiddles, Powers, ntt_has_tables, ntt_is_short,
};
use num_bigint::BigUint;

/// What elements in shared memory are under, in times `p`, where the words hold so much.
const LAZY: Below = Below(12);

/// Lanes whose accesses to shared memory, of 4 bytes each, take turns at no bank if they are neighbours. Of 8
/// and 16 bytes a half and a quarter of them do so.
const ACCESS_LANES: u32 = 32;

/// Blocks of a pass on a multiprocessor with 65536 registers, for which a thread's elements, what a product
/// adds, and 45 more words are room enough.
fn resident_blocks(threads: u32, words: u32, log_e: u32) -> u32 {
    65536 / (threads * (((1 << log_e) + 3) * words + 45))
}

/// The kernels of a field.
pub(super) fn kernels(geometry: &Geometry, field: &FieldDesc) -> Vec<Kernel> {
    let mut kernels = vec![
        powers(geometry, field),
        pass(geometry, field),
        scale(geometry, field),
        twiddles(geometry, field),
    ];
    if has_tables(field) {
        kernels.push(tables(geometry, field));
    }
    kernels
}

fn has_tables(field: &FieldDesc) -> bool {
    ntt_has_tables(field.words, field.p.bits() as usize)
}

/// Neighbouring threads with neighbouring lines where a pass stores by lines, as a logarithm.
const LINES: u32 = 4;

/// The columns of a block of `NttPass`.
struct Tile<'k> {
    b: &'k Builder,
    /// Elements of a thread, as a logarithm.
    log_e: u32,
    log_r: U32<'k>,
    /// Columns, as a logarithm.
    log_columns: U32<'k>,
    /// Threads of a column, as a logarithm.
    log_lines: U32<'k>,
    /// The tile's first column in the vector.
    first: U32<'k>,
    /// Number of the vector.
    vector: U32<'k>,
    /// Whether the thread has elements that no other has. If not, it computes on those of another and stores
    /// nothing.
    is_own: Pred<'k>,
}

/// A thread's place in its tile.
#[derive(Clone, Copy)]
struct Lane<'k> {
    column: U32<'k>,
    /// Number of the thread among those of its column.
    line: U32<'k>,
}

/// A number for each of a thread's elements, whose bits are the thread's or come from one bit of the
/// element's number.
struct Each<'k> {
    own: U32<'k>,
    /// What the bits of the element's number bring, the lowest first.
    bits: Vec<U32<'k>>,
}

impl<'k> Each<'k> {
    /// Each of them moved, by what moves or drops bits, or adds some to others by exclusive or.
    fn map(self, f: impl Fn(U32<'k>) -> U32<'k>) -> Self {
        Each { own: f(self.own), bits: self.bits.into_iter().map(f).collect() }
    }

    /// In the order of the elements.
    fn numbers(self) -> Vec<U32<'k>> {
        let mut numbers = vec![self.own];
        for bit in self.bits {
            numbers.extend_from_within(..);
            let half = numbers.len() / 2;
            numbers[half..].iter_mut().for_each(|number| *number = *number ^ bit);
        }
        numbers
    }
}

impl<'k> Tile<'k> {
    fn new(b: &'k Builder, log_e: u32) -> Self {
        let (log_n, log_r) = (b.scalar("log_n"), b.scalar("log_r"));
        let log_tile = log_n.min(b.u32(b.threads().trailing_zeros() + log_e));
        let (log_columns, log_tiles) = (log_tile - log_r, log_n - log_tile);
        let log_lines = log_r.max(b.u32(log_e)) - log_e;
        let block = b.block_index();
        Tile {
            b,
            log_e,
            log_r,
            log_columns,
            log_lines,
            first: (block & low(b, log_tiles)) << log_columns,
            vector: block >> log_tiles,
            is_own: (b.thread() >> (log_columns + log_lines)).is(0),
        }
    }

    /// The thread's place where `2^lines` neighbours have neighbouring lines, and then columns are
    /// neighbours.
    fn lane(&self, lines: U32<'k>) -> Lane<'k> {
        let (thread, in_run) = (self.b.thread(), low(self.b, lines));
        let line = (thread & in_run) | ((thread >> self.log_columns) & !in_run);
        Lane {
            column: (thread >> lines) & low(self.b, self.log_columns),
            line: line & low(self.b, self.log_lines),
        }
    }

    /// Where a thread stores. Columns that neighbours of a short element are apart lie one after the other
    /// after a first pass, which stores by lines.
    fn last_lane(&self, words: usize) -> Lane<'k> {
        let zero = self.b.u32(0);
        if !ntt_is_short(words) {
            return self.lane(zero);
        }
        let run = self.log_lines.min(self.b.u32(LINES));
        self.lane(self.b.scalar("log_to").is(0).select(run, zero))
    }

    /// Where the thread's column begins in its vector if its places are the bits from `log` on.
    fn start(&self, lane: Lane<'k>, log: U32<'k>) -> U32<'k> {
        let (j, below) = (self.first + lane.column, low(self.b, log));
        ((j & !below) << self.log_r) | (j & below)
    }

    /// The index in its vector of a place in a column that begins at `start`, with a sign.
    fn index(&self, start: U32<'k>, place: U32<'k>, log: U32<'k>, sign: U32<'k>) -> U32<'k> {
        (start * sign + place * (sign << log)) & low(self.b, self.b.scalar("log_n"))
    }

    /// Places in a column, with their bits reversed where a bit of `reverse` says so.
    fn ordered(&self, places: impl IntoIterator<Item = U32<'k>>, bit: u32) -> Vec<U32<'k>> {
        let b = self.b;
        let places: Vec<_> = places.into_iter().map(|place| b.var(place)).collect();
        b.if_((b.scalar("reverse") & bit).ne(b.u32(0)), || {
            places.iter().for_each(|place| place.set(place.get().brev() >> (b.u32(32) - self.log_r)));
        });
        places.iter().map(|place| place.get()).collect()
    }

    /// The places in its column of a thread's elements. Where columns are shorter than a thread's elements,
    /// each is there several times.
    fn places(&self, lane: Lane<'k>) -> Each<'k> {
        let of_bit = |bit| self.spaced(self.b.u32(1u32 << bit));
        Each { own: lane.line, bits: (0..self.log_e).map(of_bit).collect() }
    }

    /// How far element `i` of a thread is from its first.
    fn spaced(&self, i: U32<'k>) -> U32<'k> {
        (i << self.log_r) >> self.log_e
    }

    /// Where the tile has the elements at places in the thread's column, between a step and the next. Lanes
    /// that differ in their line write places that lie `2^step.log` apart: higher bits go into those of the
    /// bank.
    fn slots(&self, lane: Lane<'k>, places: Each<'k>, step: Step<'k>) -> Vec<U32<'k>> {
        let columns = places.map(|place| place << self.log_columns);
        let at = Each { own: columns.own + lane.column, ..columns };
        at.map(|at| at ^ ((at >> step.log) & (ACCESS_LANES - 1))).numbers()
    }

    /// Gives the results of a step to the threads that take them next, at another place than before if that
    /// is better.
    fn exchange(
        &self,
        x: &[Var<'k, Fe<'k>>],
        through: SharedElements<'k>,
        step: Step<'k>,
        [from, to]: [Lane<'k>; 2],
    ) {
        self.b.if_(self.is_own, || {
            for (x, slot) in x.iter().zip(self.slots(from, step.places(self, from), step)) {
                through.set(slot, x.get());
            }
        });
        self.b.barrier();
        for (i, slot) in self.slots(to, self.places(to), step).into_iter().enumerate() {
            x[reversed(i, self.log_e)].set(through.get(slot));
        }
        self.b.barrier();
    }
}

/// A step in radix `2^log` after `2^done`, over a thread's elements in the order of [`transform`].
#[derive(Clone, Copy)]
struct Step<'k> {
    log: U32<'k>,
    done: U32<'k>,
}

impl<'k> Step<'k> {
    /// Where in its column the results go, by their positions: Stockham's order. A thread has the elements of
    /// several transforms where the radix is below their number, which is so in a first step: which one is in
    /// the high bits of the position, reversed, and the result's number in the low ones.
    fn places(self, tile: &Tile<'k>, lane: Lane<'k>) -> Each<'k> {
        let b = tile.b;
        let k = lane.line & low(b, self.done);
        let of_bit = |bit| {
            let number = b.u32(1u32 << bit) & low(b, self.log);
            let transform = b.u32(1u32 << (tile.log_e - 1 - bit)) & low(b, b.u32(tile.log_e) - self.log);
            (tile.spaced(transform) << self.log) | (number << self.done)
        };
        Each { own: ((lane.line - k) << self.log) + k, bits: (0..tile.log_e).map(of_bit).collect() }
    }
}

fn reversed(i: usize, bits: u32) -> usize {
    if bits == 0 { i } else { i.reverse_bits() >> (usize::BITS - bits) }
}

fn pass(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<NttPass>(geometry, field);
    let log_e = geometry.ntt_log_elements(field.words);
    let tile = Tile::new(&b, log_e);
    b.resident_blocks(resident_blocks(b.threads(), field.words as u32, log_e));

    let (first, last) = (tile.lane(b.u32(0)), tile.last_lane(field.words));
    let (column, line) = (b.var(first.column), b.var(first.line));
    let lane = || Lane { column: column.get(), line: line.get() };
    let x = load(&tile, first);
    // The first step has what is left when the others are whole.
    let log = b.var((tile.log_r - 1) % log_e + 1);
    let done = b.var(b.u32(0));
    let step = || Step { log: log.get(), done: done.get() };
    transform(&x, Some(log.get()), field);
    // Fields without longer transforms have no other steps.
    if field.two_adicity() > log_e {
        let exchange = b.shared_elements(b.threads() << log_e, LAZY);
        b.while_(
            || (done.get() + log.get()).lt(tile.log_r),
            || {
                let after = done.get() + log.get();
                let is_last = (after + log_e).eq(tile.log_r);
                let next = Lane {
                    column: is_last.select(last.column, first.column),
                    line: is_last.select(last.line, first.line),
                };
                tile.exchange(&x, exchange, step(), [lane(), next]);
                column.set(next.column);
                line.set(next.line);
                done.set(after);
                log.set(b.u32(log_e));
                twist(&tile, &x, next.line, after, field);
                transform(&x, None, field);
            },
        );
    }
    store(&tile, lane(), &x, step());
    b.finish()
}

/// A thread's elements, element `i` at the position that is `i` reversed.
fn load<'k>(tile: &Tile<'k>, lane: Lane<'k>) -> Vec<Var<'k, Fe<'k>>> {
    let b = tile.b;
    let (log_from, sign) = (b.scalar("log_from"), b.scalar("sign_from"));
    let start = tile.start(lane, log_from);
    let (turn, in_column) = (b.scalar("turn"), low(b, tile.log_r));
    let rows: Vec<_> =
        tile.places(lane).numbers().into_iter().map(|place| (turn * place) & in_column).collect();
    let places = tile.ordered(rows.iter().copied(), 1);
    let indices: Vec<_> = places.into_iter().map(|place| tile.index(start, place, log_from, sign)).collect();
    let (first, step) = (tile.vector * b.scalar("vector_from"), b.scalar("element_from"));
    let x: Vec<_> = indices.iter().map(|i| b.var(b.buffer("a").field(first + *i * step))).collect();
    b.if_(b.scalar("scaled").ne(b.u32(0)), || {
        let each = b.scalar("scaled").is(2);
        let step = b.scalar("step");
        // Of no bits, all are shifted out.
        let j = tile.first + lane.column;
        let before = (j >> log_from).brev() >> 1 >> (b.u32(31) - b.scalar("log_before"));
        let first = (j & b.scalar("mask")) + ((before * step) << tile.log_r);
        for ((q, i), x) in rows.into_iter().zip(&indices).zip(&x) {
            let at = each.select(*i, q * step + first);
            x.set(x.get() * b.buffer("factors").field(at));
        }
    });
    (0..x.len()).map(|position| x[reversed(position, tile.log_e)]).collect()
}

/// Multiplies elements by the twiddles of a whole step after `2^done`.
fn twist<'k>(tile: &Tile<'k>, x: &[Var<'k, Fe<'k>>], line: U32<'k>, done: U32<'k>, field: &FieldDesc) {
    let (b, log_e) = (tile.b, tile.log_e);
    let log_inner = b.scalar("log_inner");
    let unit = (line & low(b, done)) << (log_inner - done - log_e);
    let shape = NTT_TABLE.fit(field.words);
    for i in 1..1 << log_e {
        let (at, x) = (unit * i, x[reversed(i as usize, log_e)]);
        let entry = |e: usize| b.buffer("inner").field(at + (b.u32(e as u32) << log_inner));
        x.set(match has_tables(field) {
            false => x.get() * entry(0),
            true => {
                let entries = (0..shape.entries(field.words)).map(entry).collect();
                x.get().mul_table(&Table { entries, shape })
            }
        });
    }
}

/// Transforms of `2^log` elements each, or one of all, decimated in time: stages with one multiplication by
/// an immediate per butterfly that needs one. Elements are in reversed order, and those of one transform
/// neighbours.
fn transform<'k>(x: &[Var<'k, Fe<'k>>], log: Option<U32<'k>>, field: &FieldDesc) {
    let stages = x.len().trailing_zeros().min(field.two_adicity());
    for stage in 0..stages {
        let half = 1 << stage;
        let root = field.root_of_unity(stage + 1);
        let butterflies = || {
            for low in (0..x.len()).filter(|i| i & half == 0) {
                let factor = root.modpow(&(low % half).into(), &field.p);
                let (even, odd) = (x[low].get(), x[low + half].get().mul_const(&factor));
                x[low].set(even + odd);
                x[low + half].set(even - odd);
            }
        };
        match log {
            Some(log) if stage > 0 => log.builder().if_(log.gt(log.builder().u32(stage)), butterflies),
            _ => butterflies(),
        }
    }
}

/// Writes the results of the last step.
fn store<'k>(tile: &Tile<'k>, lane: Lane<'k>, x: &[Var<'k, Fe<'k>>], step: Step<'k>) {
    let b = tile.b;
    let (log_to, sign) = (b.scalar("log_to"), b.scalar("sign"));
    let start = tile.start(lane, log_to);
    let (first, stride) = (tile.vector * b.scalar("vector_to"), b.scalar("element_to"));
    b.if_(tile.is_own, || {
        let results = step.places(tile, lane).numbers();
        for (x, result) in x.iter().zip(tile.ordered(results, 2)) {
            let at = tile.index(start, result, log_to, sign);
            b.buffer("out").set_field(first + at * stride, x.get());
        }
    });
}

/// The number whose low bits are ones, so many.
fn low<'k>(b: &'k Builder, bits: U32<'k>) -> U32<'k> {
    (b.u32(1) << bits) - 1
}

fn scale(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<NttScale>(geometry, field);
    let thread = b.global_index();
    b.return_if(thread.ge(b.scalar("n")));
    let log_n = b.scalar("log_n");
    let (vector, i) = (thread >> log_n, thread & low(&b, log_n));
    let at =
        |side: &str| vector * b.scalar(&format!("vector_{side}")) + i * b.scalar(&format!("element_{side}"));
    let x = b.var(b.buffer("a").field(at("from")));
    b.if_(b.scalar("scaled").ne(b.u32(0)), || x.set(x.get() * b.buffer("factors").field(i)));
    b.buffer("out").set_field(at("to"), x.get());
    b.finish()
}

fn powers(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<Powers>(geometry, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let result = power(&b, b.one(), b.buffer("base_pows"), i);
    b.buffer("out").set_field(i, result);
    b.finish()
}

fn twiddles(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<NttTwiddles>(geometry, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let log_done = b.scalar("log_done");
    let k = i & ((b.u32(1) << log_done) - 1);
    let result = power(&b, b.one(), b.buffer("base_pows"), (i >> log_done) * k);
    b.buffer("out").set_field(i, result);
    b.finish()
}

fn tables(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<NttTables>(geometry, field);
    let (i, n) = (b.global_index(), b.scalar("n"));
    b.return_if(i.ge(n));
    let result = power(&b, b.one(), b.buffer("base_pows"), i);
    for (e, factor) in (0..).zip(entry_factors(field)) {
        b.buffer("out").set_field(n * e + i, result.mul_const(&factor));
    }
    b.finish()
}

/// By what a constant is multiplied to get the elements whose Montgomery words are the entries of its
/// table: `B^(rows + step·e)/R`.
fn entry_factors(field: &FieldDesc) -> Vec<BigUint> {
    let (p, words) = (&field.p, field.words);
    let shape = NTT_TABLE.fit(words);
    let r_inv = field.r_mod_p().modpow(&(p - 2u32), p);
    let exponents = (0..shape.entries(words) as u32).map(|e| 32 * (shape.rows + shape.step * e));
    exponents.map(|e| (&r_inv << e) % p).collect()
}

/// `a · base^exponent`, where `base_pows[j] = base^(2^j)`: one product a set bit.
pub(super) fn power<'k>(b: &'k Builder, a: Fe<'k>, base_pows: Buffer<'k>, exponent: U32<'k>) -> Fe<'k> {
    let (acc, rest) = (b.var(a), b.var(exponent));
    b.while_(
        || rest.get().ne(b.u32(0)),
        || {
            let bits = rest.get();
            let highest = b.u32(31) - bits.clz();
            acc.set(acc.get() * base_pows.field(highest));
            rest.set(bits ^ (b.u32(1) << highest));
        },
    );
    acc.get()
}
