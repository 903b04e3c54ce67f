//! Rows of a program that are alike, as a loop.
//!
//! Instructions `start..start + length·count` are rows where row `k` is row 0 with other operands: what is
//! written in the same row, what the row before wrote in the same place (a *carried* limb, which has some
//! value before), limb `k` of an operand from one on (which *rotates*), or the same constant or limb from
//! before. That is compared instruction by instruction, so that the loop is the program that was proven.

use crate::targets::limbs::ir::{Inst, Limb, Program, Src};

/// A limb of the row that is written in an instruction: its place in the row, and which of those that it
/// writes.
pub(in crate::targets::wgsl) type Slot = (usize, usize);

/// What an operand of row 0 stands for in each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::targets::wgsl) enum Operand {
    /// The same in all rows.
    Fixed(Src),
    /// Limb `.0 + k` of the operands in row `k`.
    Rotating(u32),
    /// What the row has written.
    Own(Slot),
    /// What the row before has written, and in row 0 this.
    Carried(Slot, Src),
}

/// Rows of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::wgsl) struct Rows {
    /// The first instruction.
    pub(in crate::targets::wgsl) start: usize,
    /// Instructions of a row.
    pub(in crate::targets::wgsl) length: usize,
    /// Rows.
    pub(in crate::targets::wgsl) count: usize,
    /// By instruction of a row, its operands in the order of [`Inst::reads`].
    pub(in crate::targets::wgsl) operands: Vec<Vec<Operand>>,
}

/// Least rows, and instructions, that a loop saves.
const LEAST: usize = 24;

/// The rows that save most instructions, if that is enough. `n` limbs are an operand.
pub(in crate::targets::wgsl) fn find(program: &Program, n: usize) -> Option<Rows> {
    let all = program.insts.len();
    let written = Written::of(program);
    let mut best: Option<Rows> = None;
    let saved = |rows: &Rows| rows.length * (rows.count - 1);
    for start in 0..all {
        for length in 4..=(all - start) / 2 {
            let most = (all - start) / length;
            if best.as_ref().is_some_and(|best| length * (most - 1) <= saved(best)) {
                continue;
            }
            let Some(rows) = at(program, &written, n, start, length) else { continue };
            if rows.count > 2 && saved(&rows) >= best.as_ref().map_or(LEAST, |best| saved(best) + 1) {
                best = Some(rows);
            }
        }
    }
    best
}

/// Where each limb is written.
struct Written(Vec<Option<Slot>>);

impl Written {
    fn of(program: &Program) -> Written {
        let mut at = vec![None; program.limbs as usize];
        for (k, inst) in program.insts.iter().enumerate() {
            for (slot, limb) in inst.writes().into_iter().enumerate() {
                at[limb.0 as usize] = Some((k, slot));
            }
        }
        Written(at)
    }

    /// The instruction that writes a source; `None` of constants and operands.
    fn by(&self, src: Src) -> Option<Slot> {
        match src {
            Src::Limb(limb) => self.0[limb.0 as usize],
            Src::Imm(_) => None,
        }
    }
}

/// As many rows of a length from an instruction on as there are, at least two.
fn at(program: &Program, written: &Written, n: usize, start: usize, length: usize) -> Option<Rows> {
    let row = |k: usize| program.insts.get(start + k * length..start + (k + 1) * length);
    let (first, second) = (row(0)?, row(1)?);
    let mut kinds = vec![];
    for (a, b) in first.iter().zip(second) {
        if !same_kind(a, b) {
            return None;
        }
        let pairs = a.reads().into_iter().zip(b.reads());
        let kind = |(a, b)| operand(written, n, program.inputs, (start, length), a, b);
        kinds.push(pairs.map(kind).collect::<Option<Vec<Operand>>>()?);
    }
    let mut count = 2;
    while let Some(insts) = row(count) {
        let from = start + count * length;
        let fits = |(at, inst): (usize, &Inst)| {
            same_kind(inst, &first[at])
                && inst.reads().into_iter().zip(&kinds[at]).all(|(src, kind)| {
                    let value = match *kind {
                        Operand::Fixed(fixed) => return src == fixed,
                        Operand::Rotating(limb) => {
                            let limb = limb + count as u32;
                            return !(limb as usize).is_multiple_of(n) && src == Limb(limb).into();
                        }
                        Operand::Own((at, slot)) => (from + at, slot),
                        Operand::Carried((at, slot), _) => (from - length + at, slot),
                    };
                    written.by(src) == Some(value)
                })
        };
        if !insts.iter().enumerate().all(fits) {
            break;
        }
        count += 1;
    }
    // Behind the rows, only the last one's limbs are read.
    let hidden = start..start + (count - 1) * length;
    let behind = program.insts[start + count * length..].iter().flat_map(Inst::reads);
    let read = behind.chain(program.output.iter().copied());
    let mut by = read.filter_map(|src| written.by(src));
    (!by.any(|(at, _)| hidden.contains(&at))).then_some(Rows { start, length, count, operands: kinds })
}

fn same_kind(a: &Inst, b: &Inst) -> bool {
    match (a, b) {
        (Inst::Pair { by: a, .. }, Inst::Pair { by: b, .. }) => {
            std::mem::discriminant(a) == std::mem::discriminant(b)
        }
        (Inst::Select { .. }, Inst::Select { .. }) => true,
        _ => false,
    }
}

/// What an operand is that is `a` in row 0 and `b` in row 1.
fn operand(
    written: &Written,
    n: usize,
    inputs: usize,
    (start, length): (usize, usize),
    a: Src,
    b: Src,
) -> Option<Operand> {
    let (own, carried) = (start + length..start + 2 * length, start..start + length);
    match (written.by(a), written.by(b)) {
        (Some((first, i)), Some((second, j))) if own.contains(&second) => {
            let same = (first + length, i) == (second, j);
            same.then_some(Operand::Own((first.checked_sub(start)?, i)))
        }
        (before, Some((at, slot))) if carried.contains(&at) => {
            let is_before = before.is_none_or(|(at, _)| at < start);
            is_before.then_some(Operand::Carried((at - start, slot), a))
        }
        (before, _) if a == b && before.is_none_or(|(at, _)| at < start) => Some(Operand::Fixed(a)),
        (None, None) => match (a, b) {
            (Src::Limb(Limb(a)), Src::Limb(Limb(b))) => {
                let is_next = b == a + 1 && (b as usize) < inputs * n && !(b as usize).is_multiple_of(n);
                is_next.then_some(Operand::Rotating(a))
            }
            _ => None,
        },
        _ => None,
    }
}

/// An instruction of the same kind with other operands and results; for tests.
#[cfg(test)]
pub(in crate::targets::wgsl) fn with_operands(inst: &Inst, results: &[Limb], s: &[Src]) -> Inst {
    use crate::targets::limbs::ir::Pair;
    match *inst {
        Inst::Pair { by, .. } => {
            let by = match by {
                Pair::Add(..) => Pair::Add(s[0], s[1], s[2]),
                Pair::Sub(..) => Pair::Sub(s[0], s[1], s[2]),
                Pair::MulAdd(..) => Pair::MulAdd(s[0], s[1], s[2], s[3]),
            };
            Inst::Pair { low: results[0], high: results[1], by }
        }
        Inst::Select { bit, .. } => {
            let bit = if let Src::Limb(limb) = s[0] { limb } else { bit };
            Inst::Select { out: results[0], bit, a: s[1], b: s[2] }
        }
    }
}
