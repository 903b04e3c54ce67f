//! Products by words of 64 bits, for devices that have them: the operands are cut into limbs of 29 bits,
//! products of which are summed in words without carries, as many as a field of 24 words has rows.
//!
//! They give what the programs of [`Wgsl`](super::Wgsl) give, from the same words to the same words, within
//! the same bounds: `(Σ x·y + q·p)/R` with `q` below `R`. A text has both, and a device takes one
//! ([`curvesmith_abi::wgsl`]). A product of 254 bits is 162 products of limbs, each added to a word, and no
//! more than as many other operations; by words of 32 bits it is 136 products, of which each is added to two
//! others with carries.

#[cfg(test)]
mod tests;

use super::columns::check::{self, Shown};
use super::columns::ir::{Inst, Program, Src};
use super::columns::{Columns, Reduced, Sizes, Term, carried_up, rectangle, regrouped, squares};
use super::{Bound, Choice, Wgsl};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::seal::OpenSeal;
use crate::targets::{Arithmetic as _, Bound as _, Claim, Unproven};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Bits of a limb: of the largest with which a word holds the sums of 24 words' rows, the one with fewest
/// limbs of 254 and 381 bits.
const BITS: u32 = 29;
/// Bits of a word in memory.
const WORD: u32 = 32;

/// Of what size everything is.
pub(super) fn sizes(field: &FieldDesc) -> Sizes {
    Sizes { count: field.words, element: WORD, limb: BITS, word: 64 }
}

/// How a choice is computed.
pub(super) struct Product {
    /// To a lazily reduced result.
    pub(super) program: Program,
    /// What makes that canonical, if the choice is.
    pub(super) ladder: Option<Choice>,
}

/// What gives the result of a choice, proven for the bounds of its operands; `None` of what is no product,
/// and of one that fits no element before it is canonical.
pub(super) fn product(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    choice: &Choice,
) -> Result<Option<Product>, Unproven> {
    let Some((family, form)) = choice.variant.rsplit_once('.') else { return Ok(None) };
    let lazily = Wgsl::choices(field, op, operands)
        .into_iter()
        .find(|lazy| lazy.variant.strip_prefix(family).is_some_and(|form| form == ".lazy"));
    let (true, Some(lazy)) = (matches!(form, "lazy" | "canonical"), lazily) else { return Ok(None) };
    let op = match (op, family) {
        (FieldOp::MulSmall(c), "mul_small.const") => &FieldOp::MulConst(BigUint::from(*c) % &field.p),
        (op, _) => op,
    };
    let Some(program) = program(field, op, operands.len()) else { return Ok(None) };
    proven(field, op, operands, &program, lazy.out)?;
    let ladder = match form {
        "lazy" => None,
        _ => Some(canonical(field, lazy.out)?),
    };
    Ok(Some(Product { program, ladder }))
}

/// Programs by the seals of what they compute, each shown once in a process.
static SHOWN: Mutex<BTreeMap<[u8; 32], Result<Shown, Unproven>>> = Mutex::new(BTreeMap::new());

fn proven(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    program: &Program,
    out: Bound,
) -> Result<(), Unproven> {
    let seal = OpenSeal::new(field, op, program).within::<()>(&[], ()).bytes();
    let all = || SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all().get(&seal).cloned();
    let shown = known.unwrap_or_else(|| {
        let shown = check::shown(field, sizes(field), op, program);
        all().insert(seal, shown.clone());
        shown
    });
    let limits: Vec<BigUint> = operands.iter().map(|bound| bound.limit(field)).collect();
    shown?.within(&limits, &out.limit(field))
}

/// What makes an element canonical, proven.
fn canonical(field: &FieldDesc, bound: Bound) -> Result<Choice, Unproven> {
    let (op, operands) = (FieldOp::ReduceFull, [bound]);
    let choices = Wgsl::choices(field, &op, &operands).into_iter();
    let choice = choices.min_by_key(|choice| Wgsl::rank(&choice.cost));
    let choice = choice.ok_or_else(|| Unproven("an element cannot be reduced".into()))?;
    let claim = Claim { op, operands: &operands, choice: &choice };
    Wgsl::prove(field, &[claim]).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(choice)
}

/// The program of an operation, whatever the bounds of its operands are.
pub(super) fn program(field: &FieldDesc, op: &FieldOp, operands: usize) -> Option<Program> {
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
            let c = to_limbs(&((c << (WORD as usize * n)) % &field.p), limbs(n));
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
    let reduced = columns.divided(field, &to_limbs(&field.p, limbs(n)), words, &terms);
    program.output = packed(&mut program, reduced, n);
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

/// Limbs of so many words.
fn limbs(words: usize) -> usize {
    (WORD as usize * words).div_ceil(BITS as usize)
}

/// Words of an operand as a number on limbs, and the most that each limb is.
fn number(program: &mut Program, n: usize, operand: usize, words: &[usize]) -> (Vec<Src>, Vec<u64>) {
    let input = program.input(n, operand);
    let from: Vec<(Src, u32)> = words.iter().map(|word| (input[*word], WORD)).collect();
    let count = limbs(words.len());
    let cut = regrouped(program, &from, (count, BITS));
    program.insts.push(Inst::Renamed(cut.clone()));
    let ones = (BigUint::one() << (WORD as usize * words.len())) - 1u32;
    (cut, to_limbs(&ones, count))
}

/// What is reduced, on `n` words.
fn packed(program: &mut Program, Reduced { columns, by }: Reduced, n: usize) -> Vec<Src> {
    let bits: Vec<u32> = match by {
        0 => vec![],
        by => vec![by],
    };
    // Without bits of its own the lowest column is that of the next one's weight.
    let mut columns = columns.into_iter();
    let lowest = columns.next().unwrap_or(Src::Imm(0));
    let mut sums = vec![];
    if by == 0 {
        let next = columns.next().unwrap_or(Src::Imm(0));
        sums.push(program.plus(lowest, next));
    } else {
        sums.push(lowest);
    }
    sums.extend(columns);
    let widths = bits.into_iter().chain(std::iter::repeat(BITS));
    let pieces = carried_up(program, &sums.into_iter().zip(widths).collect::<Vec<_>>());
    regrouped(program, &pieces, (n, WORD))
}

/// `x` as `n` limbs, the least significant first.
fn to_limbs(x: &BigUint, n: usize) -> Vec<u64> {
    let mask = (BigUint::one() << BITS) - 1u32;
    let limb =
        |i: usize| ((x >> (BITS as usize * i)) & &mask).to_u64().expect("a limb is no more than a word");
    (0..n).map(limb).collect()
}
