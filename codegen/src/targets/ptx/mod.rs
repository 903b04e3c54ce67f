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
//! The blocks are emitted by [`text::template`], run by [`interp::run`], and printed by `Display`.

pub mod bound;
mod calls;
pub mod chain;
pub mod check;
pub mod cost;
pub mod interp;
pub mod ir;
pub(crate) mod locals;
mod num;
mod print;
pub mod prove;
mod rules;
mod target;
pub mod text;
mod variants;

#[cfg(test)]
pub(crate) mod tests;

pub use bound::Bound;
pub use cost::{Cost, Pipes};
pub use ir::Block;
pub use rules::Numbers;
pub use target::{Choice, Offer, Ptx};
use variants::Build;

pub use crate::declaration::{FieldOp, MAX_ROWS};

use super::{Target, cheapest};
use crate::declaration::FieldDesc;

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

fn offers(field: &FieldDesc, op: &FieldOp, operands: &[Bound], everything: bool, build: Build) -> Vec<Offer> {
    match op.fault(field, operands.len()) {
        Some(_) => Vec::new(),
        None => variants::offers(field, op, operands, everything, build),
    }
}

/// The cheapest legal variant.
pub fn choose(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Option<Choice> {
    let mut offers = offers(field, op, operands, false, Build::None);
    let build = |variant| <Ptx as Target>::build(field, op, operands, variant);
    cheapest(&mut offers, build, |_| true, Cost::rank).cloned()
}
