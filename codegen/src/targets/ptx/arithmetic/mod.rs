//! Blocks of PTX: field operations as carry chains on u32 words.
//!
//! A value is `n` words (`n =` [`FieldDesc::words`]) in Montgomery form with `R = 2^(32n)`, canonical
//! or lazy; a [`Bound`] says which. For each operation there are several **variants**, each with a
//! precondition on the bounds of its operands, a bound of its result, a cost and a [`Block`]. The
//! caller sees none of them by name:
//!
//! ```text
//! choices(field, op, operands) ─► every legal variant, cheapest first
//! choose(field, op, operands)  ─► the cheapest
//! ```
//!
//! **Every op has a legal variant for every odd prime and all operand bounds**, and one whose result
//! is canonical ([`FieldOp::ReduceWeak`] excepted, which promises less), so
//! that a caller that asks for canonical results only is already right. What a lazier choice saves is for
//! the caller to weigh: a lazy result costs later ops their own laziness.
//!
//! The blocks are emitted by [`template`](super::emit::text::template), run by [`interp::run`], and printed
//! by `Display`.

pub mod bound;
pub mod check;
pub mod interp;
pub mod ir;
pub(in crate::targets::ptx) mod num;
pub(in crate::targets::ptx) mod print;
pub mod prove;
mod rules;
pub(in crate::targets::ptx) mod variants;

pub use bound::Bound;
pub use ir::Block;
pub use rules::Numbers;

pub use crate::declaration::{FieldOp, MAX_ROWS};

use super::{Choice, Cost, Offer, Ptx};
use crate::declaration::FieldDesc;
use crate::error::PassError;
use crate::fir::ir::Kernel;
use crate::targets::{self, Arithmetic, Claim, Limit, Unproven, cheapest};
use num_bigint::BigUint;
use std::sync::Arc;
use variants::Build;

impl Choice {
    /// The program: inputs and outputs as [`FieldOp`] says.
    pub fn block(&self) -> &Block {
        &self.program
    }

    /// As this one under another name, with another program.
    #[cfg(test)]
    pub(crate) fn with_block(&self, variant: &'static str, block: Block) -> Choice {
        Choice { variant, cost: Cost::of(&block), program: block.into(), ..self.clone() }
    }

    /// The program, without a copy where nobody else has it.
    pub fn into_block(self) -> Block {
        std::sync::Arc::unwrap_or_clone(self.program)
    }
}

/// The legal variants, cheapest first, without those that never pay at the field's number of words.
/// Empty when the number of `operands` is not the op's, when a `MulConst` is not canonical, a table's
/// shape is not one, or for `Dot(0)` and `MulShared(0)`.
pub fn choices(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice> {
    sorted(field, op, operands, false)
}

/// Every legal variant, as [`choices`]: for tests, proofs and measurements.
pub fn all_choices(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice> {
    sorted(field, op, operands, true)
}

fn sorted(field: &FieldDesc, op: &FieldOp, operands: &[Bound], everything: bool) -> Vec<Choice> {
    let offers = offers(field, op, operands, everything, Build::All);
    let mut choices: Vec<Choice> = offers.into_iter().filter_map(|offer| offer.built).collect();
    choices.sort_by_key(|choice| (choice.cost.rank(), choice.variant));
    choices
}

pub(in crate::targets::ptx) fn offers(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    everything: bool,
    build: Build,
) -> Vec<Offer> {
    match op.fault(field, operands.len()) {
        Some(_) => Vec::new(),
        None => variants::offers(field, op, operands, everything, build),
    }
}

/// The cheapest legal variant.
pub fn choose(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Option<Choice> {
    let mut offers = offers(field, op, operands, false, Build::None);
    let build = |variant| <Ptx as Arithmetic>::build(field, op, operands, variant);
    cheapest(&mut offers, build, |_| true, Cost::rank).cloned()
}

impl Arithmetic for Ptx {
    type Bound = Bound;
    type Cost = Cost;
    type Program = Arc<Block>;
    type Accepted = check::Accepted;
    type Rules = Numbers;

    fn supports(_: &Kernel) -> Result<(), PassError> {
        Ok(())
    }

    fn choices(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice> {
        choices(field, op, operands)
    }

    fn offers(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Offer> {
        offers(field, op, operands, false, Build::None)
    }

    fn build(field: &FieldDesc, op: &FieldOp, operands: &[Bound], variant: &'static str) -> Option<Choice> {
        let offers = offers(field, op, operands, false, Build::One(variant));
        offers.into_iter().find_map(|offer| offer.built)
    }

    fn rank(cost: &Cost) -> (u64, u64) {
        cost.rank()
    }

    fn products(cost: &Cost) -> usize {
        (cost.wide + cost.imad) as usize
    }

    fn prove(field: &FieldDesc, claims: &[Claim<'_, Ptx>]) -> Vec<Result<Self::Accepted, Unproven>> {
        let unproven = |error: prove::ProofError| Unproven(error.to_string());
        prove::prove_all(field, claims).into_iter().map(|proof| proof.map_err(unproven)).collect()
    }

    fn rules(field: &FieldDesc) -> Numbers {
        Numbers::new(&field.p, field.words)
    }

    /// A variant whose result is not canonical whatever its operands asks that the result fits the words,
    /// `neg.canonical` that its operand is canonical, and `dot_fq2.u` that sums of two operands and their
    /// products fit; others ask nothing.
    fn slack(field: &FieldDesc, choice: &Choice, operands: &[Bound]) -> Vec<u64> {
        let mut slack = match choice.variant.rsplit('.').next() {
            _ if choice.variant == "neg.canonical" => vec![0],
            Some("lazy" | "borrow" | "weak" | "copy") => {
                vec![Bound::ANY.units(field) - choice.out.units(field)]
            }
            _ => vec![],
        };
        if choice.variant.starts_with("dot_fq2.u.") {
            let sums: Vec<BigUint> =
                operands.chunks_exact(2).map(|pair| pair[0].max(field) + pair[1].max(field)).collect();
            let products: BigUint = sums.chunks_exact(2).map(|pair| &pair[0] * &pair[1]).sum();
            let room = |value: BigUint| (field.r() - value - 1u32) >> (32 * (field.words - 1));
            let units = |value| u64::try_from(room(value)).expect("less than 2^32 units");
            let high = products >> (32 * field.words);
            slack.extend(sums.into_iter().chain([high]).map(units));
        }
        slack
    }
}

impl targets::Bound for Bound {
    const CANONICAL: Bound = Bound::Canonical;

    fn below(field: &FieldDesc, limit: &BigUint) -> Option<Bound> {
        Bound::below(field, limit)
    }

    fn limit(self, field: &FieldDesc) -> BigUint {
        self.limit(field)
    }

    fn units(self, field: &FieldDesc) -> u64 {
        self.units(field)
    }

    fn stated(self) -> Limit {
        match self {
            Bound::Canonical => Limit::Canonical,
            Bound::Units(units) => Limit::Units(units),
        }
    }

    fn text(self, field: &FieldDesc) -> String {
        self.display(field).to_string()
    }
}
