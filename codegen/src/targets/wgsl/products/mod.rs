//! Products as texts have them: from words to words, on limbs whose products are words.
//!
//! They give what the programs of [`Wgsl`] give, from the same words to the same words, within the same
//! bounds: `(Σ x·y + q·p)/R` with `q` below `R`. A text has both kinds, and a device takes one
//! ([`curvesmith_abi::wgsl`]): [`straight`] by words of 64 bits, where it has them, and [`rolled`] by words
//! of 32 bits. What has neither is left to the program.

pub(super) mod rolled;
mod straight;
#[cfg(test)]
mod tests;

use super::columns::check::{self, Shown};
use super::columns::ir::{Program, Src};
use super::columns::{Reduced, Sizes, carried_up, regrouped};
use super::{Bound, Choice, Wgsl};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::seal::OpenSeal;
use crate::targets::{Arithmetic as _, Bound as _, Claim, Unproven};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};
use rolled::Rolled;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Bits of a word in memory.
const WORD: u32 = 32;

/// What words are multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// Words of 32 bits.
    Bits32,
    /// Words of 64 bits.
    Bits64,
}

/// A product to a lazily reduced result.
#[derive(Clone, Debug)]
pub(super) enum Lazy {
    /// By words of 32 bits.
    Rolled(Rolled),
    /// By words of 64 bits.
    Straight(Program),
}

impl Lazy {
    /// That of an operation, whatever the bounds of its operands are; `None` of what has none.
    fn new(field: &FieldDesc, op: &FieldOp, operands: usize, words: Words) -> Option<Lazy> {
        match words {
            Words::Bits32 => rolled::program(field, op, operands).map(Lazy::Rolled),
            Words::Bits64 => straight::program(field, op, operands).map(Lazy::Straight),
        }
    }

    /// What computes it.
    pub(super) fn program(&self) -> &Program {
        match self {
            Lazy::Rolled(rolled) => &rolled.program,
            Lazy::Straight(program) => program,
        }
    }

    fn sizes(&self, field: &FieldDesc) -> Sizes {
        match self {
            Lazy::Rolled(rolled) => rolled.sizes,
            Lazy::Straight(_) => straight::sizes(field),
        }
    }
}

/// How a choice is computed.
pub(super) struct Product {
    /// To a lazily reduced result.
    pub(super) lazy: Lazy,
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
    words: Words,
) -> Result<Option<Product>, Unproven> {
    let Some((family, form)) = choice.variant.rsplit_once('.') else { return Ok(None) };
    let lazily = Wgsl::choices(field, op, operands)
        .into_iter()
        .find(|lazy| lazy.variant.strip_prefix(family).is_some_and(|form| form == ".lazy"));
    let (true, Some(choice)) = (matches!(form, "lazy" | "canonical"), lazily) else { return Ok(None) };
    let op = match (op, family) {
        (FieldOp::MulSmall(c), "mul_small.const") => &FieldOp::MulConst(BigUint::from(*c) % &field.p),
        (op, _) => op,
    };
    let Some(lazy) = Lazy::new(field, op, operands.len(), words) else { return Ok(None) };
    proven(field, op, operands, &lazy, choice.out)?;
    let ladder = match form {
        "lazy" => None,
        _ => Some(canonical(field, choice.out)?),
    };
    Ok(Some(Product { lazy, ladder }))
}

/// Programs by the bits of their limbs and the seals of what they compute.
type Known = BTreeMap<(u32, [u8; 32]), Result<Shown, Unproven>>;

/// Each is shown once in a process.
static SHOWN: Mutex<Known> = Mutex::new(BTreeMap::new());

fn proven(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    lazy: &Lazy,
    out: Bound,
) -> Result<(), Unproven> {
    let sizes = lazy.sizes(field);
    let limits: Vec<BigUint> = operands.iter().map(|bound| bound.limit(field)).collect();
    // Shown once for all operands up to a limit below which results are elements, if these are. Of a table
    // less is divided.
    let (r, terms) = (field.r(), operands.len().div_ceil(2).max(1));
    let most = ((&r * (&r - &field.p)) / terms).sqrt();
    let is_table = matches!(op, FieldOp::MulTable { .. });
    let within = match !is_table && limits.iter().all(|limit| *limit <= most) {
        true => vec![most; limits.len()],
        false => limits.clone(),
    };
    let seal = OpenSeal::new(field, op, lazy.program()).within(&within, r).bytes();
    let all = || SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all().get(&(sizes.limb, seal)).cloned();
    let shown = known.unwrap_or_else(|| {
        let shown = check::shown(field, sizes, op, &within, lazy.program());
        all().insert((sizes.limb, seal), shown.clone());
        shown
    });
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

/// Limbs of so many bits that hold so many words.
fn limbs(words: usize, bits: u32) -> usize {
    (WORD as usize * words).div_ceil(bits as usize)
}

/// What is reduced, on words.
fn packed(program: &mut Program, Reduced { columns, by }: Reduced, sizes: Sizes) -> Vec<Src> {
    let mut columns = columns.into_iter();
    let lowest = columns.next().unwrap_or(Src::Imm(0));
    // Without bits of its own the lowest column is that of the next one's weight.
    let first = match by {
        0 => {
            let next = columns.next().unwrap_or(Src::Imm(0));
            (program.plus(lowest, next), sizes.limb)
        }
        by => (lowest, by),
    };
    let sums: Vec<_> = std::iter::once(first).chain(columns.map(|sum| (sum, sizes.limb))).collect();
    let pieces = carried_up(program, &sums);
    regrouped(program, &pieces, (sizes.count, WORD))
}

/// `x` as `n` limbs of so many bits, the least significant first.
fn to_limbs(x: &BigUint, n: usize, bits: u32) -> Vec<u64> {
    let mask = (BigUint::one() << bits) - 1u32;
    let limb =
        |i: usize| ((x >> (bits as usize * i)) & &mask).to_u64().expect("a limb is no more than a word");
    (0..n).map(limb).collect()
}
