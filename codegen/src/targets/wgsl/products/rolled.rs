//! Products by words of 32 bits: on limbs of 15 bits or fewer, in rows that are alike.
//!
//! A row multiplies by a limb of one operand. A turn of a loop is two rows: it takes the lowest limbs of that
//! operand's words, moves the words by as much, and carries the columns, so that a text has a turn once. Of
//! limbs of 15 bits a word holds the sum of four products, those of two rows of a product and its reduction.
//! Words of 32 bits take four half products for each of theirs.

use super::{WORD, limbs, packed, to_limbs};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::wgsl::columns::ir::{Inst, Limb, Op, Program, Src};
use crate::targets::wgsl::columns::{Columns, Sizes, regrouped, rows};

/// Bits of a limb, the most first.
const BITS: [u32; 5] = [15, 14, 13, 12, 11];
/// Rows of a turn, where there are turns enough.
const ROWS: usize = 2;

/// A program, and where its turns are: those that are alike as one hopes. Who writes them as a loop compares
/// them.
#[derive(Clone, Debug)]
pub(in crate::targets::wgsl) struct Rolled {
    pub(in crate::targets::wgsl) program: Program,
    pub(in crate::targets::wgsl) sizes: Sizes,
    /// A turn of the loop has some instructions of each kind: limbs of a factor first, which the program has
    /// all at once, so that they are known as limbs of a number before they are multiplied. Of those that
    /// write a limb, the first one of a kind, and how many a turn has.
    pub(in crate::targets::wgsl) kinds: Vec<(usize, usize)>,
    pub(in crate::targets::wgsl) turns: usize,
}

/// The factors of a product: words of one operand, and limbs of the other one, with the most that they are.
struct Pair {
    words: Vec<Src>,
    by: Vec<Src>,
    most: Vec<u64>,
}

/// Bits of limbs, and rows of a turn, of which a word holds a column: a product of limbs for each factor in
/// each row, and one for the multiple of `p`.
fn shape(divided: usize, factors: usize) -> Option<(u32, usize)> {
    let rows_of = |bits: u32| match rows(WORD as usize * divided, bits).0 {
        few if few < 2 * ROWS => 1,
        _ => ROWS,
    };
    let shapes = BITS.map(|bits| (bits, rows_of(bits)));
    let in_column = |rows: usize| factors.checked_add(1)?.checked_mul(rows);
    let holds =
        |&(bits, rows): &(u32, usize)| in_column(rows).is_some_and(|all| all <= 1 << (WORD - 2 * bits));
    shapes.into_iter().find(holds)
}

/// The program of an operation, whatever the bounds of its operands are; `None` of what has no such rows.
pub(in crate::targets::wgsl) fn program(field: &FieldDesc, op: &FieldOp, operands: usize) -> Option<Rolled> {
    let n = field.words;
    let (factors, divided) = match op {
        FieldOp::Dot(k) => (*k, n),
        FieldOp::MulTable { rows, .. } => (operands.saturating_sub(1), *rows as usize),
        _ => (1, n),
    };
    let (bits, per_turn) = shape(divided, factors)?;
    let sizes = Sizes { count: n, element: WORD, limb: bits, word: WORD };
    let mut program = Program::new(operands, n);
    let input = |k: usize| (k * n..(k + 1) * n).map(|limb| Src::Limb(Limb(limb as u32))).collect::<Vec<_>>();
    let mut pair = |words: &[Src], y: usize| {
        let from: Vec<(Src, u32)> = input(y).into_iter().map(|word| (word, WORD)).collect();
        let by = regrouped(&mut program, &from, (limbs(n, bits), bits));
        program.insts.push(Inst::Renamed(by.clone()));
        Pair { words: words.to_vec(), by, most: to_limbs(&(field.r() - 1u32), limbs(n, bits), bits) }
    };
    let pairs = match op {
        FieldOp::Mul => vec![pair(&input(0), 1)],
        FieldOp::Sqr => vec![pair(&input(0), 0)],
        FieldOp::Dot(k) => (0..*k).map(|i| pair(&input(2 * i), 2 * i + 1)).collect(),
        FieldOp::MulConst(c) => {
            let most = to_limbs(&((c << (WORD as usize * n)) % &field.p), limbs(n, bits), bits);
            let by = most.iter().map(|limb| Src::Imm(*limb as u32)).collect();
            vec![Pair { words: input(0), by, most }]
        }
        FieldOp::MulTable { step, rows } if (*step..=n as u32).contains(rows) => {
            let x = input(0);
            let chunks = x.chunks(*step as usize).enumerate();
            chunks.map(|(i, chunk)| pair(chunk, 1 + i)).collect::<Vec<_>>()
        }
        _ => return None,
    };
    // Columns begin as limbs, so that no turn is other than those before it.
    let zero = Src::Limb(program.limb(Src::Imm(0)));
    let (full, _) = rows(WORD as usize * divided, bits);
    let (turns, moved_bits) = (full / per_turn, bits * per_turn as u32);
    let mut kinds = vec![];
    let mut factors = vec![];
    for Pair { mut words, by, most } in pairs {
        let mut cut = vec![];
        let start = program.written().count();
        for _ in 0..turns {
            cut.extend(lowest(&mut program, words[0], per_turn, bits));
            words = moved(&mut program, &words, moved_bits);
        }
        kinds.push((start, (program.written().count() - start).checked_div(turns)?));
        // More than there is of the last ones: rows are to be alike.
        let left = (WORD as usize * words.len()).saturating_sub(bits as usize * full);
        let last = (1u128 << left) - 1;
        cut.extend(lowest(&mut program, words[0], full % per_turn, bits));
        cut.push(match full % per_turn {
            0 => words[0],
            cut => {
                let (a, bits) = (program.limb(words[0]), bits * cut as u32);
                program.write(Op::Shift { a, bits }).into()
            }
        });
        program.insts.push(Inst::Renamed(cut.clone()));
        factors.push((cut, last, by, most));
    }
    let p = to_limbs(&field.p, limbs(n, bits), bits);
    // What a turn leaves of a column, and of the highest.
    let (carried, highest) = ((1 << bits) - 1, 1 << (WORD - bits));
    let of_column = |j: usize| if j + 1 < limbs(n, bits) { carried } else { highest };
    let start = program.written().count();
    let mut columns =
        Columns::new(&mut program, sizes, (0..limbs(n, bits)).map(|j| (zero, of_column(j))).collect());
    for row in 0..=full {
        for (cut, last, by, most) in &factors {
            let above = if row == full { *last } else { (1 << bits) - 1 };
            for (j, (by, most)) in by.iter().zip(most).enumerate() {
                columns.add(row + j, (cut[row], *by), above * u128::from(*most));
            }
        }
        columns.reduce(field, &p, divided, row);
        let done = row + 1;
        if done <= turns * per_turn && done % per_turn == 0 {
            columns.carry_from(done, limbs(n, bits), of_column);
        }
        if done == turns * per_turn {
            kinds.push((start, (columns.program().written().count() - start).checked_div(turns)?));
        }
    }
    let reduced = columns.reduced(divided);
    program.output = packed(&mut program, reduced, sizes);
    Some(Rolled { program, sizes, kinds, turns })
}

/// The lowest limbs of a word.
fn lowest(program: &mut Program, word: Src, count: usize, bits: u32) -> Vec<Src> {
    let mut limbs = vec![];
    let mut a = program.limb(word);
    for i in 0..count {
        limbs.push(program.write(Op::Mask { a, bits }).into());
        if i + 1 < count {
            a = program.write(Op::Shift { a, bits });
        }
    }
    limbs
}

/// The number on words, less its lowest bits and divided by as much.
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
