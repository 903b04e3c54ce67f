//! Integers, predicates, memory, control, and locals of every type.

use super::scope::{LONGS, Pool, Scope, WORDS, stir};
use super::{MOST, Trial, check};
use curvesmith_abi::{Access, Element, Family, KernelDesc, Param, ParamKind, padded_words};
use curvesmith_codegen::declaration::{FieldDesc, Tower};
use curvesmith_codegen::fir::build::{
    Buffer, Builder, FULL_MASK, Fe, Pred, Shared, SharedElements, U32, U64,
};
use curvesmith_codegen::fir::interp::{Argument, to_words};
use curvesmith_codegen::fir::ir::{
    AtomicOp, Below, Kernel, Op, Order, ParamId, Scope as Reach, ShuffleMode, Special,
};
use curvesmith_tests::four_ways::Inside;
use curvesmith_tests::{Random, Size};
use num_bigint::BigUint;
use std::cell::RefCell;

const BLOCK: u32 = 64;
const GRID: u32 = 2;
const THREADS: usize = (BLOCK * GRID) as usize;
/// Words of a thread in global and in shared memory, and what it writes at its end.
const OWN: u32 = 8;
/// Elements of a thread in global memory.
const ELEMENTS: u32 = 2;
/// Words of the input, and of the part of it that is another parameter.
const INPUT: usize = 128;
const PART: usize = 64;
/// Words that all threads of a block add to.
const TALLY: u32 = 8;

const fn buffer(name: &'static str, access: Access, element: Element) -> Param {
    Param { name, kind: ParamKind::Buffer(access, element) }
}

const PARAMS: &[Param] = &[
    buffer("a", Access::In, Element::U32),
    buffer("part_of_a", Access::In, Element::U32),
    buffer("own", Access::InOut, Element::U32),
    buffer("out", Access::InOut, Element::U32),
    Param { name: "n", kind: ParamKind::U32 },
    Param { name: "long", kind: ParamKind::U64 },
    buffer("f", Access::In, Element::Field),
    buffer("elements", Access::InOut, Element::Field),
];
/// Where `long` stands. The builder has no parameters of 64 bits, the IR has: they are built as this
/// constant.
const LONG: ParamId = ParamId(5);
const STANDS_FOR_LONG: u64 = 0x5eed_1046_5eed_2026;
/// Without a field the last two do not exist.
const PARAMS_WITHOUT_FIELD: &[Param] = PARAMS.split_at(6).0;

fn desc(field: Option<&FieldDesc>) -> KernelDesc {
    let (family, params) = match field {
        Some(_) => (Family::Field, PARAMS),
        None => (Family::Common, PARAMS_WITHOUT_FIELD),
    };
    KernelDesc { name: "machine", family, block: BLOCK, wide_block: BLOCK, params }
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct At {
    /// Blocks that may be opened within each other.
    depth: usize,
    /// All threads of the block run it.
    uniform: bool,
    in_loop: bool,
}

struct Writer<'k> {
    b: &'k Builder,
    random: &'k mut Random,
    /// Threads may end anywhere, and then never meet.
    returns: bool,
    thread: U32<'k>,
    global: U32<'k>,
    own: Buffer<'k>,
    own_shared: Shared<'k>,
    board: Shared<'k>,
    tally: Shared<'k>,
    /// One of each thread, under some bound.
    elements: Option<SharedElements<'k>>,
}

impl<'k> Writer<'k> {
    fn word_or_edge(&mut self, s: &Scope<'k>) -> U32<'k> {
        match self.random.one_in(4) {
            true => self.b.u32(self.random.one_of(&WORDS)),
            false => s.words.pick(self.random),
        }
    }

    fn long_or_edge(&mut self, s: &Scope<'k>) -> U64<'k> {
        match self.random.one_in(4) {
            true => self.b.u64(self.random.one_of(&LONGS)),
            false => s.longs.pick(self.random),
        }
    }

    fn word(&mut self, s: &Scope<'k>) -> U32<'k> {
        let (x, y) = (self.word_or_edge(s), self.word_or_edge(s));
        match self.random.below(24) {
            0 => x + y,
            1 => x - y,
            2 => x * y,
            3 => x & y,
            4 => x | y,
            5 => x ^ y,
            6 => x << (y & 31),
            7 => x >> (y & 31),
            8 | 9 => x.min(y),
            10 | 11 => x.max(y),
            12 => x / y.max(self.b.u32(1)),
            13 => x % (y | 1),
            14 => !x,
            15 => x.popc(),
            16 => x.clz(),
            17 => x.brev(),
            18 => self.long_or_edge(s).narrow(),
            19 => (self.long_or_edge(s) >> 32).narrow(),
            20 | 21 => self.pred(s).select(x, y),
            22 => self.input(x),
            _ => x >> self.random.below(32) as u32,
        }
    }

    fn long(&mut self, s: &Scope<'k>) -> U64<'k> {
        let (x, y, amount) = (self.long_or_edge(s), self.long_or_edge(s), self.word_or_edge(s) & 63);
        match self.random.below(20) {
            0 => x + y,
            1 => x - y,
            2 => x * y,
            3 => x & y,
            4 => x | y,
            5 => x ^ y,
            6 => x << amount,
            7 | 8 => x >> amount,
            9 => x.min(y),
            10 => x.max(y),
            11 => x / y.max(self.b.u64(1)),
            12 => x % (y | 1),
            13 => !x,
            14 => self.word_or_edge(s).widen(),
            15 => (self.word_or_edge(s).widen() << 32) | self.word_or_edge(s).widen(),
            16 => self.word_or_edge(s).widen() * self.word_or_edge(s).widen(),
            17 => x >> self.random.below(64) as u32,
            18 => self.b.u64(STANDS_FOR_LONG),
            _ => self.pred(s).select(x, y),
        }
    }

    fn pred(&mut self, s: &Scope<'k>) -> Pred<'k> {
        let (p, q) = (s.preds.pick(self.random), s.preds.pick(self.random));
        match self.random.below(8) {
            0 => p & q,
            1 => p | q,
            2 => p ^ q,
            3 => !p,
            4 if !s.elements.values.is_empty() => self.is_zero(s),
            5 => p.select(q, !p),
            6 => {
                let (x, y) = (self.long_or_edge(s), self.long_or_edge(s));
                [x.lt(y), x.le(y), x.gt(y), x.ge(y), x.eq(y), x.ne(y)][self.random.below(6)]
            }
            _ => {
                let (x, y) = (self.word_or_edge(s), self.word_or_edge(s));
                [x.lt(y), x.le(y), x.gt(y), x.ge(y), x.eq(y), x.ne(y)][self.random.below(6)]
            }
        }
    }

    /// Asked at once, or behind the cheap test, which alone may say anything of what is not zero.
    fn is_zero(&mut self, s: &Scope<'k>) -> Pred<'k> {
        let x = s.elements.pick(self.random);
        match self.random.one_in(2) {
            true => x.is_zero(),
            false => x.maybe_zero() & x.is_zero(),
        }
    }

    fn element(&mut self, s: &Scope<'k>) -> Fe<'k> {
        let (x, y) = (s.elements.pick(self.random), s.elements.pick(self.random));
        match self.random.below(9) {
            0 | 1 => x + y,
            2 | 3 => x - y,
            4 => x * y,
            5 => x * y - (y.sqr() + x * s.elements.pick(self.random)),
            6 => self.b.from_words(&x.words()),
            7 => self.pred(s).select(x, y),
            _ => self.b.buffer("f").field(self.word_or_edge(s) & 15),
        }
    }

    /// A word that is read only, through one of two parameters that overlap.
    fn input(&mut self, at: U32<'k>) -> U32<'k> {
        match self.random.one_in(2) {
            true => self.b.buffer("a").word(at & (INPUT as u32 - 1)),
            false => self.b.buffer("part_of_a").word(at & (PART as u32 - 1)),
        }
    }

    /// Reads or writes what no other thread does, at indices that often coincide.
    fn memory(&mut self, s: &mut Scope<'k>) {
        let (x, value) = (self.word_or_edge(s) & (OWN - 1), self.word_or_edge(s));
        let op = self.random.one_of(&[AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::Exchange]);
        let order = self.random.one_of(&[Order::Relaxed, Order::AcquireRelease]);
        let (at, shared_at) = (self.global * OWN + x, self.thread * OWN + x);
        let (own, own_shared, words) = (self.own, self.own_shared, &mut s.words.values);
        match self.random.below(13) {
            0 | 1 => own.set_word(at, value),
            2 | 3 => words.push(own.word(at)),
            4 => words.push(own.atomic(op, at, value, order)),
            5 => words.push(own.load_ordered(at, order)),
            6 => own.store_ordered(at, value, order),
            7 | 8 => own_shared.set_word(shared_at, value),
            9 => words.push(own_shared.word(shared_at)),
            10 => words.push(own_shared.atomic(op, shared_at, value)),
            11 => own.prefetch(at),
            _ => self.b.fence(self.random.one_of(&[Reach::Block, Reach::Device])),
        }
    }

    /// The same of elements.
    fn element_memory(&mut self, s: &mut Scope<'k>) {
        let at = self.global * ELEMENTS + (self.word_or_edge(s) & (ELEMENTS - 1));
        let elements = self.b.buffer("elements");
        match self.random.one_in(2) {
            true => elements.set_field(at, s.elements.pick(self.random)),
            false => s.elements.values.push(elements.field(at)),
        }
    }

    /// What the threads of a block, or of a warp, do together.
    fn meeting(&mut self, s: &mut Scope<'k>) {
        let (b, x, y) = (self.b, self.word_or_edge(s), self.word_or_edge(s));
        let full = b.u32(FULL_MASK);
        if !s.elements.values.is_empty() && self.random.one_in(3) {
            let own = s.elements.pick(self.random);
            return s.elements.values.push(self.element_of_another(own, x));
        }
        let word = match self.random.below(5) {
            0 => self.exchange(x, y & (BLOCK - 1)),
            1 => self.count(x, y),
            2 => b.ballot(self.pred(s), full),
            3 => {
                let bits = self.random.one_of(&[1, 2, 8, 32]);
                b.match_any(if bits == 32 { x & 3 } else { x }, bits, full)
            }
            _ => {
                let modes = [ShuffleMode::Index, ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Xor];
                b.sync_warp(full);
                b.shuffle(self.random.one_of(&modes), x, y & 31, full)
            }
        };
        s.words.values.push(word);
    }

    /// The element that another thread has, by words under a bound: through shared memory or between lanes.
    fn element_of_another(&mut self, x: Fe<'k>, of: U32<'k>) -> Fe<'k> {
        let b = self.b;
        if let Some(elements) = self.elements.filter(|_| self.random.one_in(3)) {
            elements.set(self.thread, x);
            b.barrier();
            let theirs = elements.get(of & (BLOCK - 1));
            b.barrier();
            return theirs;
        }
        let below = Below(1 + self.random.below(5) as u32).fit(&b.field_desc());
        let words = x.words_below(below);
        let theirs: Vec<U32<'k>> = match self.random.one_in(2) {
            true => words.into_iter().map(|word| self.exchange(word, of & (BLOCK - 1))).collect(),
            false => {
                let full = b.u32(FULL_MASK);
                let word = |word| b.shuffle(ShuffleMode::Index, word, of & 31, full);
                words.into_iter().map(word).collect()
            }
        };
        b.from_words_below(&theirs, below)
    }

    /// The word that another thread has.
    fn exchange(&mut self, word: U32<'k>, of: U32<'k>) -> U32<'k> {
        self.board.set_word(self.thread, word);
        self.b.barrier();
        let theirs = self.board.word(of);
        self.b.barrier();
        theirs
    }

    /// What all threads have made of a common word.
    fn count(&mut self, at: U32<'k>, value: U32<'k>) -> U32<'k> {
        let at = at & (TALLY - 1);
        self.tally.atomic(self.random.one_of(&[AtomicOp::Add, AtomicOp::Min, AtomicOp::Max]), at, value);
        self.b.barrier();
        let all = self.tally.word(at);
        self.b.barrier();
        all
    }

    fn statements(&mut self, count: usize, at: At, scope: &Scope<'k>) {
        let mut s = scope.clone();
        for _ in 0..count {
            self.statement(at, &mut s);
        }
        self.leave_traces(&s);
    }

    fn statement(&mut self, at: At, s: &mut Scope<'k>) {
        let b = self.b;
        match self.random.below(24) {
            0..=3 => s.words.values.push(self.word(s)),
            4..=6 => s.longs.values.push(self.long(s)),
            7 | 8 => s.preds.values.push(self.pred(s)),
            9 => s.words.touch_local(b, self.random),
            10 => s.longs.touch_local(b, self.random),
            11 => s.preds.touch_local(b, self.random),
            12..=14 => self.memory(s),
            15 if at.in_loop => b.break_if(self.rare_condition(s)),
            16 if self.returns => b.return_if(self.rare_condition(s) & self.pred(s) & self.pred(s)),
            15..=17 if at.uniform => self.meeting(s),
            15..=18 if at.depth > 0 => self.branch(at, s),
            19 | 20 if at.depth > 0 => self.repeat(at, s),
            _ if s.elements.values.is_empty() => s.words.values.push(self.word(s)),
            20 => self.element_memory(s),
            21 => s.elements.touch_local(b, self.random),
            _ => s.elements.values.push(self.element(s)),
        }
    }

    /// Mostly one that depends on the thread, now and then a constant, which the passes resolve.
    fn rare_condition(&mut self, s: &Scope<'k>) -> Pred<'k> {
        match self.random.one_in(8) {
            true => self.b.bool(self.random.one_in(2)),
            false => self.pred(s) & self.pred(s),
        }
    }

    fn branch(&mut self, at: At, s: &Scope<'k>) {
        let (b, inner) = (self.b, 1 + self.random.below(6));
        let at = At { depth: at.depth - 1, uniform: false, ..at };
        let condition = self.pred(s);
        let this = RefCell::new(self);
        b.if_else(
            condition,
            || this.borrow_mut().statements(inner, at, s),
            || this.borrow_mut().statements(inner / 2, at, s),
        );
    }

    fn repeat(&mut self, at: At, s: &Scope<'k>) {
        let (b, inner, rounds) = (self.b, 1 + self.random.below(7), 1 + self.random.below(4) as u32);
        let at = At { depth: at.depth - 1, ..at };
        if at.uniform && self.random.one_in(2) {
            b.for_(b.u32(0), b.u32(rounds), 1, |_| self.statements(inner, At { in_loop: false, ..at }, s));
            return;
        }
        let bound = s.words.pick(self.random) & 3;
        let round = b.var(b.u32(0));
        b.loop_(|| {
            b.break_if(round.get().gt(bound));
            round.set(round.get() + 1);
            self.statements(inner, At { uniform: false, in_loop: true, ..at }, s);
        });
    }

    /// Nested blocks are seen by what they leave in locals and memory.
    fn leave_traces(&mut self, s: &Scope<'k>) {
        let trace = s.words.pick(self.random) ^ s.longs.pick(self.random).narrow();
        if let Some(local) = s.words.locals.last() {
            local.set(local.get() + trace);
        }
        self.own.set_word(self.global * OWN + (trace & (OWN - 1)), trace);
    }

    /// Writes what every local and the last values hold.
    fn results(&mut self, s: &Scope<'k>) {
        let b = self.b;
        let mut words: Vec<U32<'k>> = s.words.locals.iter().map(|l| l.get()).collect();
        let last = |n: usize| n.saturating_sub(6);
        words.extend(&s.words.values[last(s.words.values.len())..]);
        let longs = s.longs.locals.iter().map(|l| l.get());
        let longs = longs.chain(s.longs.values[last(s.longs.values.len())..].iter().copied());
        words.extend(longs.flat_map(|x| [x.narrow(), (x >> 32).narrow()]));
        let preds = s.preds.locals.iter().map(|l| l.get());
        words.extend(preds.chain(s.preds.values.last().copied()).map(|p| p.select(b.u32(1), b.u32(0))));
        for (k, chunk) in words.chunks(words.len().div_ceil(OWN as usize)).enumerate() {
            let mixed = chunk.iter().fold(b.u32(0), |mixed, w| (mixed * 0x9e37_79b1) ^ *w);
            b.buffer("out").set_word(self.global * OWN + k as u32, mixed);
        }
        let elements = s.elements.locals.iter().map(|l| l.get());
        if let Some(sum) = elements.chain(s.elements.values.last().copied()).reduce(|sum, e| sum.dbl() + e) {
            b.buffer("elements").set_field(self.global * ELEMENTS, sum);
        }
    }
}

/// `locals` locals of elements, all alive from the beginning to the end.
fn program(field: Option<&FieldDesc>, random: &mut Random, most: usize, locals: usize) -> Kernel {
    let name = field.map_or("common", |f| f.name.as_str());
    let b = Builder::new(format!("{name}_machine"), desc(field), field.cloned(), Tower::prime());
    let returns = random.one_in(3);
    let (thread, global) = (b.thread(), b.global_index());
    if returns {
        b.return_if(global.ge(b.scalar("n")));
    }
    let bound = Below(1 + random.below(5) as u32);
    let mut w = Writer {
        b: &b,
        random,
        returns,
        thread,
        global,
        own: b.buffer("own"),
        own_shared: b.shared(OWN * BLOCK),
        board: b.shared(BLOCK),
        tally: b.shared(TALLY),
        elements: field.map(|_| b.shared_elements(BLOCK, bound)),
    };
    for k in 0..OWN {
        w.own_shared.set_word(thread * OWN + k, global + k);
    }
    b.if_(thread.lt(b.u32(TALLY)), || w.tally.set_word(thread, thread));
    if !returns {
        b.barrier();
    }
    let mut scope = first_values(&mut w, field.is_some(), locals);
    let count = (10 + w.random.below(MOST - 10)).min(most);
    let at = At { depth: 3, uniform: !returns, in_loop: false };
    (0..count).for_each(|_| w.statement(at, &mut scope));
    w.results(&scope);
    with_long_parameter(b.finish())
}

fn first_values<'k>(w: &mut Writer<'k>, elements: bool, locals: usize) -> Scope<'k> {
    let b = w.b;
    let inputs: Vec<_> = (0..4).map(|k| w.input(w.thread * 4 + k)).collect();
    let longs = vec![(inputs[0].widen() << 32) | inputs[1].widen(), b.u64(STANDS_FOR_LONG)];
    let preds = vec![inputs[2].lt(inputs[3]), w.thread.lt(b.u32(20))];
    let elements = match elements {
        true => vec![b.buffer("f").field(w.thread & 15), b.buffer("elements").field(w.global * ELEMENTS)],
        false => vec![],
    };
    let mut elements = Pool::of(elements);
    for k in 0..locals {
        elements.locals.push(b.var(elements.values[k % 2]));
    }
    if let Some(first) = elements.values.first() {
        stir(b, &elements.locals, *first);
    }
    let words = [vec![w.thread, b.lane(), b.special(Special::GridSize), b.scalar("n")], inputs].concat();
    let (mut words, longs) = (Pool::of(words), Pool::of(longs));
    words.locals.push(b.var(w.thread));
    Scope { words, longs, preds: Pool::of(preds), elements }
}

fn with_long_parameter(mut kernel: Kernel) -> Kernel {
    for v in kernel.values() {
        if kernel[v] == Op::U64(STANDS_FOR_LONG) {
            kernel[v] = Op::Param(LONG);
        }
    }
    kernel
}

/// The program of a seed, with inputs.
pub(crate) fn trial(field: Option<&FieldDesc>, seed: u64, most: usize, locals: usize) -> Trial {
    let kernel = program(field, &mut Random(seed), most, locals);
    let random = &mut Random(!seed);
    let a: Vec<u32> = (0..INPUT).map(|_| any_word(random)).collect();
    let inside = Inside { part: 1, whole: 0, words: 4 * random.below((INPUT - PART) / 4) };
    let part = a[inside.words..][..PART].to_vec();
    let own = (0..THREADS * OWN as usize).map(|_| any_word(random)).collect();
    let mut args = vec![
        Argument::Buffer(a),
        Argument::Buffer(part),
        Argument::Buffer(own),
        Argument::Buffer(vec![0; THREADS * OWN as usize]),
        Argument::U32(THREADS as u32 - 20),
        Argument::U64(random.one_of(&LONGS)),
    ];
    if let Some(field) = field {
        let mut elements = |n: usize| {
            let all: Vec<BigUint> = (0..n).map(|_| any_element(field, random)).collect();
            let words = to_words(field, &all);
            assert_eq!(words.len(), n * padded_words(field.words));
            Argument::Buffer(words)
        };
        args.extend([elements(16), elements(THREADS * ELEMENTS as usize)]);
    }
    Trial { kernel, grid: GRID, args, inside: Some(inside) }
}

fn any_word(random: &mut Random) -> u32 {
    if random.one_in(2) { random.one_of(&WORDS) } else { random.word() as u32 }
}

fn any_element(field: &FieldDesc, random: &mut Random) -> BigUint {
    match random.below(3) {
        0 => BigUint::from(random.below(3)) % &field.p,
        1 => &field.p - 1u32 - random.below(2),
        _ => BigUint::new((0..field.words).map(|_| random.word() as u32).collect()) % &field.p,
    }
}

fn programs(field: Option<&FieldDesc>, first: u64, count: u64, locals: usize) {
    let seeds = first..first + Size::from_env().pick(count, 20 * count);
    seeds.for_each(|seed| check(seed, |most| trial(field, seed, most, locals)));
}

#[test]
fn integers_memory_and_control() {
    programs(None, 1000, 200, 0);
}

#[test]
fn elements_among_integers() {
    for p in [13, 0xffff_fffb, 0xffff_ffff_0000_0001u64] {
        programs(Some(&FieldDesc::new(format!("p{p}"), p.into())), 2000, 30, 0);
    }
}

/// More locals than registers are meant for: some live in shared memory, beside the kernel's own arrays.
#[test]
fn locals_that_live_in_shared_memory() {
    let p = BigUint::parse_bytes(b"30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47", 16);
    programs(Some(&FieldDesc::new("bn254_fq", p.unwrap())), 3000, 12, 22);
}
