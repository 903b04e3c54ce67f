//! Products by words of 32 bits, their rows as a loop.
//!
//! Turn `k` is turn 0 with other operands: what the same turn has written, what the turn before wrote in the
//! same place (*carried*, with some value before turn 0), or the same in all turns. That is compared,
//! instruction by instruction and in all turns, so that the loop is the program that was proven.

use crate::targets::wgsl::columns::ir::{Limb, Op, Src};
use crate::targets::wgsl::products::rolled::Rolled;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What an operand of turn 0 stands for in each turn; instructions by their places in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operand {
    Fixed(Src),
    Own(usize),
    /// And what it is in turn 0.
    Carried(usize, Src),
}

/// A function of elements of `n` words; `None` where the turns are not alike. Writing to a string cannot
/// fail.
pub(in crate::targets::wgsl) fn function(name: &str, rolled: &Rolled, n: usize) -> Option<String> {
    let Rolled { program, turns, .. } = rolled;
    let all: Vec<(Limb, Op)> = program.written().collect();
    let places = Places::new(rolled, all.len())?;
    let operands = alike(rolled, &places, &all)?;
    let (length, start) = (places.length(), places.start());
    let input = |limb: u32| (Limb(limb), format!("x{}.w{}", limb as usize / n, limb as usize % n));
    let mut writer =
        Writer { names: (0..(program.inputs * n) as u32).map(input).collect(), text: String::new() };
    writer.straight(&all[..start]);

    let mut carried: Vec<(usize, Src)> = vec![];
    for operand in operands.iter().flatten() {
        if let Operand::Carried(at, first) = *operand
            && !carried.contains(&(at, first))
        {
            carried.push((at, first));
        }
    }
    for (k, (_, first)) in carried.iter().enumerate() {
        let first = writer.source(*first);
        let _ = writeln!(writer.text, "  var c{k} = {first};");
    }
    // What is read of the last turn behind it.
    let last = |at: usize| all[places.place(turns - 1, at)].0;
    let behind = places.behind(&all);
    let read: BTreeSet<Src> =
        behind.iter().flat_map(|(_, op)| op.reads()).chain(program.output.iter().copied()).collect();
    let kept: Vec<(usize, String)> = (0..length)
        .filter(|at| read.contains(&last(*at).into()))
        .map(|at| match carried.iter().position(|(slot, _)| *slot == at) {
            Some(k) => (at, format!("c{k}")),
            None => (at, format!("k{at}")),
        })
        .collect();
    for (_, name) in kept.iter().filter(|(_, name)| name.starts_with('k')) {
        let _ = writeln!(writer.text, "  var {name} = 0u;");
    }
    let _ = writeln!(writer.text, "  for (var turn = 0u; turn < {turns}u; turn++) {{");
    let slot = |at: usize| format!("t{}", all[places.place(0, at)].0.0);
    for (at, (limb, op)) in (0..length).map(|at| (at, &all[places.place(0, at)])) {
        // An instruction may read a limb in two meanings: each operand by its place.
        let names: Vec<String> = operands[at]
            .iter()
            .map(|operand| match *operand {
                Operand::Fixed(src) => writer.source(src),
                Operand::Own(at) => slot(at),
                Operand::Carried(at, first) => {
                    let k = carried.iter().position(|known| *known == (at, first));
                    format!("c{}", k.expect("collected above"))
                }
            })
            .collect();
        let numbered = |src: Src| match src {
            Src::Limb(Limb(number)) => names[number as usize].clone(),
            Src::Imm(value) => format!("{value}u"),
        };
        let _ = writeln!(writer.text, "    let t{} = {};", limb.0, expression(&by_number(op), &numbered));
    }
    for (k, (at, _)) in carried.iter().enumerate() {
        let _ = writeln!(writer.text, "    c{k} = {};", slot(*at));
    }
    for (at, name) in kept.iter().filter(|(_, name)| name.starts_with('k')) {
        let _ = writeln!(writer.text, "    {name} = {};", slot(*at));
    }
    writer.text += "  }\n";
    for (at, name) in kept {
        writer.names.insert(last(at), name);
    }
    writer.straight(&needed(&behind, &program.output));
    let words: Vec<String> = program.output.iter().map(|src| writer.source(*src)).collect();
    let arguments: Vec<String> = (0..program.inputs).map(|k| format!("x{k}: E")).collect();
    let Writer { text, .. } = writer;
    Some(format!(
        "fn {name}({}) -> E {{\n{text}  return E({});\n}}\n",
        arguments.join(", "),
        words.join(", ")
    ))
}

struct Writer {
    names: BTreeMap<Limb, String>,
    text: String,
}

impl Writer {
    fn source(&self, src: Src) -> String {
        match src {
            Src::Imm(value) => format!("{value}u"),
            Src::Limb(limb) => self.names[&limb].clone(),
        }
    }

    fn straight(&mut self, all: &[(Limb, Op)]) {
        for (limb, op) in all {
            let value = expression(op, &|src| self.source(src));
            let _ = writeln!(self.text, "  let t{} = {value};", limb.0);
            self.names.insert(*limb, format!("t{}", limb.0));
        }
    }
}

/// The instructions of which the output needs the results.
fn needed(all: &[(Limb, Op)], output: &[Src]) -> Vec<(Limb, Op)> {
    let mut read = output.to_vec();
    let mut needed = vec![];
    for (limb, op) in all.iter().rev() {
        if read.contains(&Src::Limb(*limb)) {
            read.extend(op.reads());
            needed.push((*limb, *op));
        }
    }
    needed.reverse();
    needed
}

/// An instruction that reads limb `k` as its operand number `k`.
fn by_number(op: &Op) -> Op {
    let limb = Limb;
    let src = |k: u32| Src::Limb(Limb(k));
    match *op {
        Op::Add(..) => Op::Add(src(0), src(1)),
        Op::Mul { .. } => Op::Mul { sum: src(0), a: src(1), b: src(2) },
        Op::Quotient { by, bits, .. } => Op::Quotient { a: limb(0), by, bits },
        Op::Carry { p0, bits, .. } => Op::Carry { a: limb(0), q: limb(1), p0, bits },
        Op::Shift { bits, .. } => Op::Shift { a: limb(0), bits },
        Op::Mask { bits, .. } => Op::Mask { a: limb(0), bits },
        Op::Double { bits, .. } => Op::Double { a: limb(0), bits },
    }
}

/// What an instruction writes, of words of 32 bits that are called so.
fn expression(op: &Op, source: &dyn Fn(Src) -> String) -> String {
    let name = |limb: Limb| source(limb.into());
    let mask = |bits: u32| (1u32 << bits) - 1;
    match *op {
        Op::Add(a, b) => format!("{} + {}", source(a), source(b)),
        Op::Mul { sum: Src::Imm(0), a, b } => format!("{} * {}", source(a), source(b)),
        Op::Mul { sum, a, b } => format!("{} + {} * {}", source(sum), source(a), source(b)),
        Op::Quotient { a, by, bits } => format!("({} * {by}u) & {}u", name(a), mask(bits)),
        Op::Carry { a, q, p0, bits } => format!("({} + {} * {p0}u) >> {bits}u", name(a), name(q)),
        Op::Shift { a, bits } => format!("{} >> {bits}u", name(a)),
        Op::Mask { a, bits } => format!("{} & {}u", name(a), mask(bits)),
        Op::Double { a, bits } => format!("{} << {bits}u", name(a)),
    }
}

/// Where instructions of turns are.
struct Places<'a> {
    /// The first of each kind, and how many a turn has.
    kinds: &'a [(usize, usize)],
    turns: usize,
}

impl<'a> Places<'a> {
    /// `None` if they are not among `all` instructions, one kind after the other, or there are no two turns.
    fn new(Rolled { kinds, turns, .. }: &'a Rolled, all: usize) -> Option<Places<'a>> {
        let ends = kinds.iter().map(|(start, length)| start + length * turns);
        let starts = kinds.iter().skip(1).map(|(start, _)| *start).chain([all]);
        (*turns > 1 && !kinds.is_empty() && ends.zip(starts).all(|(end, next)| end <= next))
            .then_some(Places { kinds, turns: *turns })
    }

    /// Instructions of a turn.
    fn length(&self) -> usize {
        self.kinds.iter().map(|(_, length)| length).sum()
    }

    /// Instructions before the first turn.
    fn start(&self) -> usize {
        self.kinds[0].0
    }

    /// Those that are in no turn, and not before.
    fn behind(&self, all: &[(Limb, Op)]) -> Vec<(Limb, Op)> {
        (self.start()..all.len()).filter(|at| self.find(*at).is_none()).map(|at| all[at]).collect()
    }

    /// Instruction `at` of a turn.
    fn place(&self, turn: usize, mut at: usize) -> usize {
        for (start, length) in self.kinds {
            if at < *length {
                return start + turn * length + at;
            }
            at -= length;
        }
        usize::MAX
    }

    /// The turn of an instruction, and its place there; `None` of those outside.
    fn find(&self, place: usize) -> Option<(usize, usize)> {
        let mut before = 0;
        for (start, length) in self.kinds {
            if let Some(past) = place.checked_sub(*start).filter(|past| *past < length * self.turns) {
                return Some((past / length, before + past % length));
            }
            before += length;
        }
        None
    }
}

/// By instruction of a turn, its operands in the order of [`Op::reads`]; `None` of turns that are not alike.
fn alike(
    Rolled { program, .. }: &Rolled,
    places: &Places<'_>,
    all: &[(Limb, Op)],
) -> Option<Vec<Vec<Operand>>> {
    let turns = places.turns;
    let mut at = vec![None; program.limbs as usize];
    for (place, (limb, _)) in all.iter().enumerate() {
        at[limb.0 as usize] = Some(place);
    }
    let written = |src: Src| match src {
        Src::Limb(limb) => at[limb.0 as usize],
        Src::Imm(_) => None,
    };
    let in_turns = |src: Src| written(src).and_then(|place| places.find(place));
    let is_before = |src: Src| written(src).is_none_or(|place| place < places.start());
    let operand = |t: usize, reads: &dyn Fn(usize) -> Src| -> Option<Operand> {
        let first = reads(0);
        if is_before(first) && (0..turns).all(|turn| reads(turn) == first) {
            return Some(Operand::Fixed(first));
        }
        if let Some((0, own)) = in_turns(first).filter(|(_, own)| *own < t) {
            let same = (0..turns).all(|turn| in_turns(reads(turn)) == Some((turn, own)));
            return same.then_some(Operand::Own(own));
        }
        let (_, carried) = in_turns(reads(1))?;
        let same = (1..turns).all(|turn| in_turns(reads(turn)) == Some((turn - 1, carried)));
        (is_before(first) && same).then_some(Operand::Carried(carried, first))
    };
    let one = |t: usize| -> Option<Vec<Operand>> {
        let op = |turn: usize| &all[places.place(turn, t)].1;
        if !(1..turns).all(|turn| op(turn).is_like(op(0))) {
            return None;
        }
        (0..op(0).reads().len()).map(|i| operand(t, &|turn| op(turn).reads()[i])).collect()
    };
    let operands = (0..places.length()).map(one).collect::<Option<Vec<_>>>()?;
    // Behind the turns, only the last one's limbs are read.
    let behind = places.behind(all);
    let read = behind.iter().flat_map(|(_, op)| op.reads()).chain(program.output.iter().copied());
    let mut read = read.filter_map(in_turns);
    (!read.any(|(turn, _)| turn + 1 < turns)).then_some(operands)
}
