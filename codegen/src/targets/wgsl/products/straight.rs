//! Products by words of 64 bits: the operands are cut into limbs of 29 bits, products of which are summed in
//! words without carries, as many as a field of 24 words has rows.
//!
//! A product of 254 bits is 162 products of limbs, each added to a word, and no more than as many other
//! operations; by words of 32 bits it is 136 products, of which each is added to two others with carries.

use super::{WORD, limbs, packed, to_limbs};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::wgsl::columns::ir::{Inst, Program, Src};
use crate::targets::wgsl::columns::{Columns, Sizes, Term, rectangle, regrouped, squares};
use num_bigint::BigUint;
use num_traits::One;

/// Bits of a limb: of the largest with which a word holds the sums of 24 words' rows, the one with fewest
/// limbs of 254 and 381 bits.
const BITS: u32 = 29;

/// Of what size everything is.
pub(super) fn sizes(field: &FieldDesc) -> Sizes {
    Sizes { count: field.words, element: WORD, limb: BITS, word: 64 }
}

/// The program of an operation, whatever the bounds of its operands are.
pub(in crate::targets::wgsl) fn program(field: &FieldDesc, op: &FieldOp, operands: usize) -> Option<Program> {
    let n = field.words;
    let mut program = Program::new(operands, n);
    let whole: Vec<usize> = (0..n).collect();
    let (mut start, mut terms, mut words) = (vec![], vec![], n);
    match op {
        FieldOp::Mul => terms = products(&mut program, n, &[(0, 1)]),
        FieldOp::Sqr => terms = products(&mut program, n, &[(0, 0)]),
        FieldOp::Dot(k) => {
            let pairs: Vec<_> = (0..*k).map(|i| (2 * i, 2 * i + 1)).collect();
            terms = products(&mut program, n, &pairs);
        }
        FieldOp::MulConst(c) => {
            let c = to_limbs(&((c << (WORD as usize * n)) % &field.p), limbs(n, BITS), BITS);
            let (x, most) = number(&mut program, n, 0, &whole);
            let imms: Vec<Src> = c.iter().map(|limb| Src::Imm(*limb as u32)).collect();
            terms = rectangle(&x, &most, &imms, &c);
        }
        FieldOp::FromMont => {
            let (x, most) = number(&mut program, n, 0, &whole);
            start = x.into_iter().zip(most).collect();
        }
        FieldOp::MulTable { step, rows } if *rows as usize <= n => {
            words = *rows as usize;
            for (i, chunk) in whole.chunks(*step as usize).enumerate() {
                let (x, most_x) = number(&mut program, n, 0, chunk);
                let (y, most_y) = number(&mut program, n, 1 + i, &whole);
                terms.extend(rectangle(&x, &most_x, &y, &most_y));
            }
        }
        _ => return None,
    }
    let columns = Columns::new(&mut program, sizes(field), start);
    let reduced = columns.divided(field, &to_limbs(&field.p, limbs(n, BITS), BITS), words, &terms);
    program.output = packed(&mut program, reduced, sizes(field));
    Some(program)
}

fn products(program: &mut Program, n: usize, pairs: &[(usize, usize)]) -> Vec<Term> {
    let whole: Vec<usize> = (0..n).collect();
    let mut terms = vec![];
    for &(x, y) in pairs {
        let (a, most) = number(program, n, x, &whole);
        if x == y {
            terms.extend(squares(program, &a, &most));
        } else {
            let (b, most_b) = number(program, n, y, &whole);
            terms.extend(rectangle(&a, &most, &b, &most_b));
        }
    }
    terms
}

/// Words of an operand as a number on limbs, and the most that each limb is.
fn number(program: &mut Program, n: usize, operand: usize, words: &[usize]) -> (Vec<Src>, Vec<u64>) {
    let input = program.input(n, operand);
    let from: Vec<(Src, u32)> = words.iter().map(|word| (input[*word], WORD)).collect();
    let count = limbs(words.len(), BITS);
    let cut = regrouped(program, &from, (count, BITS));
    program.insts.push(Inst::Renamed(cut.clone()));
    let ones = (BigUint::one() << (WORD as usize * words.len())) - 1u32;
    (cut, to_limbs(&ones, count, BITS))
}
