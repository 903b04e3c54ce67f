//! Every kernel at the limits of its contract, where indices would wrap: single blocks of launches that no
//! machine of a test could hold.
//!
//! A block runs on the interpreter with scalars as large as the contract allows, on memory that exists only
//! where it is read: a function of buffer and index. The elements it reads and writes, and what it writes,
//! are compared with the contract, which each case states in 64 bits. Below FIR, an index becomes an address
//! in one place: `addresses_are_formed_in_64_bits` reads what comes out there.

#[path = "limits/addresses.rs"]
mod addresses;
#[path = "limits/common.rs"]
mod common;
#[path = "limits/field.rs"]
mod field;
#[path = "limits/group.rs"]
mod group;
#[path = "limits/ntt.rs"]
mod ntt;

use curvesmith_abi::kernels;
use curvesmith_abi::{Family, Geometry, Kernel as Contract, ParamKind};
use curvesmith_codegen::fir::interp::{Memory, Position, run_block};
use curvesmith_codegen::fir::ir::Kernel;
use std::collections::{BTreeMap, BTreeSet};

/// All lengths are below 2^31.
const LONGEST: u64 = (1 << 31) - 1;
/// Lengths from which on 32 bits end for 32, 16, 4 and 2 threads or bytes an element.
const LENGTHS: [u64; 4] = [(1 << 27) + 1, 1 << 28, 1 << 30, LONGEST];

/// Any number that depends on all bits of `x`.
fn hash(x: u64) -> u32 {
    (x.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// An element of a buffer.
type Element = (&'static str, u64);

/// What a block touches according to the contract.
#[derive(Debug, Default)]
struct Touched {
    reads: BTreeSet<Element>,
    /// With the words, where the case knows them.
    writes: BTreeMap<Element, Option<Vec<u32>>>,
    /// Scratch, which may be written or not.
    scratch: BTreeSet<Element>,
}

impl Touched {
    fn read(&mut self, buffer: &'static str, index: u64) {
        self.reads.insert((buffer, index));
    }
    fn write(&mut self, buffer: &'static str, index: u64) {
        self.writes.insert((buffer, index), None);
    }
    fn write_words(&mut self, buffer: &'static str, index: u64, words: Vec<u32>) {
        self.writes.insert((buffer, index), Some(words));
    }
}

/// Memory whose words are computed when they are asked for.
struct Lazy<'a> {
    kernel: &'a Kernel,
    contents: &'a dyn Fn(&str, u64) -> Vec<u32>,
    known: BTreeMap<Element, Vec<u32>>,
    reads: BTreeSet<Element>,
    writes: BTreeMap<Element, Vec<bool>>,
}

impl Lazy<'_> {
    /// The element that a word belongs to, its words, and the word's number among them.
    fn element(&mut self, param: usize, at: usize) -> (Element, &mut Vec<u32>, usize) {
        let param = self.kernel.desc.params[param];
        let ParamKind::Buffer(_, layout) = param.kind else { panic!("{} is a buffer", param.name) };
        let words = self.kernel.field.as_ref().map_or(1, |f| f.words);
        let stride = layout.bytes(self.kernel.form, words, self.kernel.tower.degree()) / 4;
        let element = (param.name, (at / stride) as u64);
        let contents = || (self.contents)(param.name, element.1);
        let words = self.known.entry(element).or_insert_with(contents);
        assert_eq!(words.len(), stride, "{}: the case knows {}", self.kernel.symbol, param.name);
        (element, words, at % stride)
    }
}

impl Memory for Lazy<'_> {
    fn read(&mut self, param: usize, at: usize) -> Option<u32> {
        let (element, words, word) = self.element(param, at);
        let word = words[word];
        self.reads.insert(element);
        Some(word)
    }
    fn write(&mut self, param: usize, at: usize, value: u32) -> Option<()> {
        let (element, words, word) = self.element(param, at);
        words[word] = value;
        let stride = words.len();
        self.writes.entry(element).or_insert_with(|| vec![false; stride])[word] = true;
        Some(())
    }
}

/// The kernels of one owner, and the contracts that have had a case.
struct Limits {
    kernels: Vec<Kernel>,
    seen: BTreeSet<&'static str>,
}

impl Limits {
    fn new(kernels: Vec<Kernel>) -> Self {
        Limits { kernels, seen: BTreeSet::new() }
    }

    /// Runs the middle and the last block for `threads` threads, and the first one in a long run.
    fn check<K: Contract>(
        &mut self,
        threads: u64,
        scalars: &[(&str, u64)],
        contents: impl Fn(&str, u64) -> Vec<u32>,
        expected: impl Fn(u64, &mut Touched),
    ) {
        let width = u64::from(K::desc(&Geometry::PTX).block);
        self.check_blocks::<K>(threads.div_ceil(width), scalars, contents, |block, touched| {
            (block * width..(block + 1) * width).for_each(|i| expected(i, touched));
        });
    }

    /// Runs the middle and the last of `grid` blocks, and the first one in a long run; `expected` says what a
    /// block touches.
    fn check_blocks<K: Contract>(
        &mut self,
        grid: u64,
        scalars: &[(&str, u64)],
        contents: impl Fn(&str, u64) -> Vec<u32>,
        expected: impl Fn(u64, &mut Touched),
    ) {
        let desc = K::desc(&Geometry::PTX);
        self.seen.insert(desc.name);
        let Some(kernel) = self.kernels.iter().find(|k| k.desc == desc) else {
            panic!("{} has no kernel", desc.name)
        };
        assert!((1..1 << 31).contains(&grid), "{}: no device launches {grid} blocks", kernel.symbol);
        let scalar = |name: &str| scalars.iter().find(|(own, _)| *own == name).map(|(_, x)| *x);
        let args: Vec<u64> = desc
            .params
            .iter()
            .map(|p| match p.kind {
                ParamKind::Buffer(..) => 0,
                _ => scalar(p.name).unwrap_or_else(|| panic!("{}: no {}", kernel.symbol, p.name)),
            })
            .collect();
        // What the first does is seen by tests of other sizes, too.
        let first = if crate::is_long() { 0 } else { grid / 2 };
        for block in BTreeSet::from([first, grid / 2, grid - 1]) {
            let mut memory = Lazy {
                kernel,
                contents: &contents,
                known: BTreeMap::new(),
                reads: BTreeSet::new(),
                writes: BTreeMap::new(),
            };
            let position = Position { block: block as u32, grid: grid as u32 };
            run_block(kernel, position, &args, &mut memory).expect("the block has a meaning");
            let mut touched = Touched::default();
            expected(block, &mut touched);
            compare(&memory, &touched, &format!("{} {scalars:?}, block {block} of {grid}", kernel.symbol));
        }
    }

    /// Every contract of the family has had a case.
    fn finish(limits: &[Limits], family: Family) {
        for desc in kernels::all(&Geometry::PTX).into_iter().filter(|desc| desc.family == family) {
            assert!(limits.iter().any(|l| l.seen.contains(desc.name)), "{} has no case", desc.name);
        }
    }
}

fn compare(memory: &Lazy<'_>, touched: &Touched, what: &str) {
    let differ = |found: &BTreeSet<Element>, wanted: &BTreeSet<Element>, verb: &str| {
        let more: Vec<_> = found.difference(wanted).take(5).collect();
        let less: Vec<_> = wanted.difference(found).take(5).collect();
        assert!(more.is_empty() && less.is_empty(), "{what} {verb} {more:?} and not {less:?}");
    };
    differ(&memory.reads, &touched.reads, "reads");
    let written: BTreeSet<Element> =
        memory.writes.keys().filter(|e| !touched.scratch.contains(*e)).copied().collect();
    differ(&written, &touched.writes.keys().copied().collect(), "writes");
    for (element, words) in &memory.writes {
        assert!(words.iter().all(|w| *w), "{what} leaves words of {element:?}: {words:?}");
    }
    for (element, words) in &touched.writes {
        if let Some(words) = words {
            assert_eq!(memory.known[element], *words, "{what} writes {element:?}");
        }
    }
}
