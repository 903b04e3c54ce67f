//! Proofs of all blocks of a kernel, made once in a process.
//!
//! Operations with other bounds often have the same block. A block of products, which takes longest to prove,
//! is proven once, for operands as wide as its variant takes; what is then left for each of the bounds that
//! kernels have is to bound the results. Other blocks are proven for the weakest bounds of their operands in
//! a kernel, in the same way. What cannot be shown so is proven for its own bounds alone. Nothing depends on
//! what was proven before, or on the order: what is remembered is found by the block itself, not by its name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{ProofError, Search, Shown};
use crate::declaration::FieldDesc;
use crate::targets;
use crate::targets::ptx::arithmetic::check::Accepted;
use crate::targets::ptx::arithmetic::variants::{Build, offers};
use crate::targets::ptx::{Block, Bound, FieldOp, Ptx};

type Claim<'a> = targets::Claim<'a, Ptx>;
type Proof = Result<Accepted, ProofError>;

/// Bounds of the operands with which a block is proven.
type Base = Vec<Bound>;

/// What was proven of a block.
#[derive(Default)]
struct Proven {
    /// By what it was proven with, and the bounds of operands and results.
    proofs: BTreeMap<String, Proof>,
    /// With the widest operands.
    wide: Attempts,
}

/// By quick and by thorough search.
#[derive(Default)]
struct Attempts([Option<Result<Shown, ProofError>>; 2]);

/// A block that computes an operation.
struct Subject {
    block: Block,
    /// The widest operands for which a variant has it, of products.
    wide: OnceLock<Option<Base>>,
    proven: Mutex<Proven>,
}

/// By modulus and operation.
static MADE: Mutex<BTreeMap<String, Vec<Arc<Subject>>>> = Mutex::new(BTreeMap::new());

/// Proves every claim, in order: that a block computes its operation, with results within the bound that is
/// claimed.
pub fn prove_all(field: &FieldDesc, claims: &[Claim<'_>]) -> Vec<Proof> {
    let mut proofs: Vec<Option<Proof>> = vec![None; claims.len()];
    for same in of_equal_blocks(claims) {
        let Claim { op, choice, .. } = &claims[same[0]];
        let subject = subject(field, op, choice.block());
        let wide = subject.wide.get_or_init(|| widest(field, op, choice.variant, choice.block())).as_ref();
        let is_covered = |i: &usize| wide.is_some_and(|wide| within(field, claims[*i].operands, wide));
        let (covered, others): (Vec<usize>, Vec<usize>) = same.into_iter().partition(is_covered);
        // Two threads that want the same wait for one another.
        let mut proven = subject.proven.lock().unwrap_or_else(PoisonError::into_inner);
        let Proven { proofs: known, wide: by_wide } = &mut *proven;
        let weakest = weakest(field, claims, &others);
        let mut by_weakest = Attempts::default();
        let covered = covered.into_iter().map(|i| (i, wide));
        for (i, base) in covered.chain(others.into_iter().map(|i| (i, Some(&weakest)))) {
            let Some(base) = base else { continue };
            let Claim { operands, choice, .. } = claims[i];
            let prove = || {
                let attempts = if Some(base) == wide { &mut *by_wide } else { &mut by_weakest };
                let together = attempts.prove(field, op, base, &subject.block, (operands, choice.out));
                let alone = || super::prove(field, op, operands, &subject.block, choice.out);
                together.or_else(|error| if operands == base { Err(error) } else { alone() })
            };
            let key = format!("{base:?} {operands:?} {:?}", choice.out);
            proofs[i] = Some(known.entry(key).or_insert_with(prove).clone());
        }
    }
    proofs.into_iter().map(|proof| proof.expect("every claim is in a group")).collect()
}

impl Attempts {
    /// Bounds the results of a block that is shown to compute its operation with operands within `base`.
    fn prove(
        &mut self,
        field: &FieldDesc,
        op: &FieldOp,
        base: &Base,
        block: &Block,
        (operands, out): (&[Bound], Bound),
    ) -> Proof {
        let [quick, thorough] = &mut self.0;
        let by = |attempt: &mut Option<Result<Shown, ProofError>>, search| {
            let shown = attempt.get_or_insert_with(|| Shown::new(field, op, base, block, search));
            shown.as_mut().map_err(|error| error.clone())?.case(operands, out)
        };
        by(quick, Search::Quick).or_else(|_| by(thorough, Search::Thorough))
    }
}

fn subject(field: &FieldDesc, op: &FieldOp, block: &Block) -> Arc<Subject> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let subjects = made.entry(format!("{:x} {op:?}", field.p)).or_default();
    if let Some(known) = subjects.iter().find(|subject| subject.block == *block) {
        return known.clone();
    }
    let (wide, proven) = (OnceLock::new(), Mutex::default());
    let subject = Arc::new(Subject { block: block.clone(), wide, proven });
    subjects.push(subject.clone());
    subject
}

/// The widest operands, all alike and a power of two, for which a variant of a product has this block.
fn widest(field: &FieldDesc, op: &FieldOp, variant: &'static str, block: &Block) -> Option<Base> {
    use FieldOp::{Dot, DotFq2, Mul, MulShared, Sqr};
    if !matches!(op, Mul | Sqr | Dot(_) | MulShared(_) | DotFq2 { .. }) {
        return None;
    }
    let least = Bound::Canonical.units(field);
    let powers = (0..=32).rev().map(|bits| 1u64 << bits).take_while(|units| *units >= least);
    let mut bases = powers.map(|units| vec![Bound::Units(units); op.operands(field)]);
    bases.find(|base| {
        let offers = offers(field, op, base, true, Build::One(variant)).into_iter();
        let mut built = offers.filter_map(|offer| offer.built);
        built.any(|choice| choice.variant == variant && choice.block() == block)
    })
}

/// Claims of one operation and block each, by index.
fn of_equal_blocks(claims: &[Claim<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, claim) in claims.iter().enumerate() {
        let equal = |group: &&mut Vec<usize>| {
            let first = &claims[group[0]];
            first.choice.variant == claim.choice.variant
                && first.op == claim.op
                && first.choice.block() == claim.choice.block()
        };
        match groups.iter_mut().find(equal) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

fn within(field: &FieldDesc, operands: &[Bound], base: &Base) -> bool {
    operands.iter().zip(base).all(|(bound, all)| bound.within(*all, field))
}

/// Operand by operand the weakest bound of some claims.
fn weakest(field: &FieldDesc, claims: &[Claim<'_>], group: &[usize]) -> Base {
    let mut operands = group.iter().map(|&i| claims[i].operands);
    let mut weakest = operands.next().unwrap_or_default().to_vec();
    for operands in operands {
        for (bound, other) in weakest.iter_mut().zip(operands) {
            *bound = bound.join(*other, field);
        }
    }
    weakest
}
