//! Products by words of 32 bits: on limbs of 13 bits or fewer, in rows that are alike.
//!
//! A row multiplies by the lowest limb of the words of one operand and moves them by that limb, so that the
//! rows are a loop of a text: a few hundred operations, of which the loop has a third. Products of limbs are
//! words with room for 64 of them, where words of 32 bits take four half products each.

use super::{WORD, limbs, packed, to_limbs};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::wgsl::columns::ir::{Inst, Limb, Op, Program, Src};
use crate::targets::wgsl::columns::{Columns, Sizes, regrouped, rows};

/// Bits of a limb, the most first. Of 13 a word holds the sums of a product of 381 bits, of 12 those of three
/// such products, or of one of 768 bits.
const BITS: [u32; 3] = [13, 12, 11];

/// A program, and where its rows are: those that are alike as one hopes. Who writes them as a loop compares
/// them.
///
/// From instruction `start` on, of those that write a limb, there are for each of the lengths `count` rows of
/// it. A row of the loop has one of each: limbs of a factor first, which the program has all at once, so that
/// they are known as limbs of a number before they are multiplied.
#[derive(Clone, Debug)]
pub(in crate::targets::wgsl) struct Rolled {
    pub(in crate::targets::wgsl) program: Program,
    pub(in crate::targets::wgsl) sizes: Sizes,
    pub(in crate::targets::wgsl) start: usize,
    pub(in crate::targets::wgsl) lengths: Vec<usize>,
    pub(in crate::targets::wgsl) count: usize,
}

/// The factors of a product: words of one operand, and limbs of the other one, with the most that they are.
struct Pair {
    words: Vec<Src>,
    by: Vec<Src>,
    most: Vec<u64>,
}

/// Bits of limbs of which a word holds a column: a product of limbs for each limb of each factor, and as many
/// of the multiples of `p`.
fn bits(field: &FieldDesc, factors: usize) -> Option<u32> {
    let in_column = |bits: u32| (factors + 1).checked_mul(limbs(field.words, bits));
    BITS.into_iter().find(|bits| in_column(*bits).is_some_and(|products| products <= 1 << (WORD - 2 * bits)))
}

/// The program of an operation, whatever the bounds of its operands are; `None` of what has no such rows.
pub(in crate::targets::wgsl) fn program(field: &FieldDesc, op: &FieldOp, operands: usize) -> Option<Rolled> {
    let n = field.words;
    let factors = match op {
        FieldOp::Dot(k) => *k,
        FieldOp::MulTable { .. } => operands.saturating_sub(1),
        _ => 1,
    };
    let bits = bits(field, factors)?;
    let sizes = Sizes { count: n, element: WORD, limb: bits, word: WORD };
    let mut program = Program::new(operands, n);
    let input = |k: usize| (k * n..(k + 1) * n).map(|limb| Src::Limb(Limb(limb as u32))).collect::<Vec<_>>();
    let mut pair = |words: &[Src], y: usize| {
        let from: Vec<(Src, u32)> = input(y).into_iter().map(|word| (word, WORD)).collect();
        let by = regrouped(&mut program, &from, (limbs(n, bits), bits));
        program.insts.push(Inst::Renamed(by.clone()));
        Pair { words: words.to_vec(), by, most: to_limbs(&(field.r() - 1u32), limbs(n, bits), bits) }
    };
    let (pairs, divided) = match op {
        FieldOp::Mul => (vec![pair(&input(0), 1)], n),
        FieldOp::Sqr => (vec![pair(&input(0), 0)], n),
        FieldOp::Dot(k) => ((0..*k).map(|i| pair(&input(2 * i), 2 * i + 1)).collect(), n),
        FieldOp::MulConst(c) => {
            let most = to_limbs(&((c << (WORD as usize * n)) % &field.p), limbs(n, bits), bits);
            let by = most.iter().map(|limb| Src::Imm(*limb as u32)).collect();
            (vec![Pair { words: input(0), by, most }], n)
        }
        FieldOp::MulTable { step, rows } if (*step..=n as u32).contains(rows) => {
            let x = input(0);
            let chunks = x.chunks(*step as usize).enumerate();
            (chunks.map(|(i, chunk)| pair(chunk, 1 + i)).collect::<Vec<_>>(), *rows as usize)
        }
        _ => return None,
    };
    let (full, _) = rows(WORD as usize * divided, bits);
    let start = program.written().count();
    let mut lengths = vec![];
    let mut factors = vec![];
    for Pair { words, by, most } in pairs {
        let before = program.written().count();
        let (mut words, mut cut) = (words, vec![]);
        for _ in 0..full {
            let a = program.limb(words[0]);
            cut.push(program.write(Op::Mask { a, bits }).into());
            words = moved(&mut program, &words, bits);
        }
        cut.push(words[0]);
        lengths.push((program.written().count() - before).checked_div(full)?);
        program.insts.push(Inst::Renamed(cut.clone()));
        // More than there is of the last ones: rows are to be alike.
        let left = (WORD as usize * words.len()).saturating_sub(bits as usize * full);
        let last = (1u128 << left) - 1;
        factors.push((cut, last, by, most));
    }
    let p = to_limbs(&field.p, limbs(n, bits), bits);
    let before = program.written().count();
    let mut columns = Columns::new(&mut program, sizes, vec![]);
    for row in 0..=full {
        if row == full {
            lengths.push((columns.program().written().count() - before).checked_div(full)?);
        }
        for (cut, last, by, most) in &factors {
            let above = if row == full { *last } else { (1 << bits) - 1 };
            for (j, (by, most)) in by.iter().zip(most).enumerate() {
                columns.add(row + j, (cut[row], *by), above * u128::from(*most));
            }
        }
        columns.reduce(field, &p, divided, row);
    }
    let reduced = columns.reduced(divided);
    program.output = packed(&mut program, reduced, sizes);
    Some(Rolled { program, sizes, start, lengths, count: full })
}

/// The number on words, less its lowest limb and divided by what that has.
fn moved(program: &mut Program, words: &[Src], bits: u32) -> Vec<Src> {
    let words: Vec<_> = words.iter().map(|word| program.limb(*word)).collect();
    let one = |(i, a): (usize, &Limb)| {
        let below = program.write(Op::Shift { a: *a, bits });
        let Some(next) = words.get(i + 1) else { return below.into() };
        let next = program.write(Op::Mask { a: *next, bits });
        let next = program.write(Op::Double { a: next, bits: WORD - bits });
        program.write(Op::Add(below.into(), next.into())).into()
    };
    words.iter().enumerate().map(one).collect()
}
