//! The variants, one file per family. A family pushes onto [`Offers`] those whose precondition the
//! operand bounds meet.

mod acc;
mod add;
mod karatsuba;
mod product;
mod quadratic;
mod redc;
mod reduce;
mod separate;
mod shared;
mod small;
mod square;
mod sub;
mod table;
mod zero;

use num_bigint::BigUint;

use super::ir::{Builder, Src};
use super::{Bound, Choice, Cost, FieldOp};
use crate::spec::FieldDesc;

/// The legal variants of a well-formed op, in no particular order; those that never pay only with
/// `everything`.
pub(super) fn offers(field: &FieldDesc, op: &FieldOp, operands: &[Bound], everything: bool) -> Vec<Choice> {
    let mut offers = Offers { field, everything, parts: 1, choices: Vec::new() };
    match op {
        FieldOp::Add => add::add(&mut offers, operands[0], operands[1]),
        FieldOp::Dbl => add::dbl(&mut offers, operands[0]),
        FieldOp::Sub => sub::sub(&mut offers, operands[0], operands[1]),
        FieldOp::Neg => sub::neg(&mut offers, operands[0]),
        FieldOp::Mul => {
            product::mul(&mut offers, operands[0], operands[1]);
            separate::mul(&mut offers, operands[0], operands[1]);
        }
        FieldOp::Sqr => {
            product::sqr(&mut offers, operands[0]);
            separate::sqr(&mut offers, operands[0]);
        }
        FieldOp::Dot(_) => {
            product::dot(&mut offers, operands);
            separate::dot(&mut offers, operands);
        }
        FieldOp::DotFq2 { nonresidue, .. } => quadratic::dot(&mut offers, operands, *nonresidue),
        FieldOp::MulConst(c) => {
            product::mul_const(&mut offers, operands[0], c);
            table::mul_const(&mut offers, operands[0], c);
        }
        FieldOp::MulShared(_) => shared::mul_shared(&mut offers, operands),
        FieldOp::MulTable { step, rows } => table::mul_table(&mut offers, operands, *step, *rows),
        FieldOp::FromMont => product::from_mont(&mut offers, operands[0]),
        FieldOp::MulSmall(c) => small::mul_small(&mut offers, operands[0], *c),
        FieldOp::ReduceFull => reduce::full(&mut offers, operands[0]),
        FieldOp::ReduceWeak => reduce::weak(&mut offers, operands[0]),
        FieldOp::IsZero => zero::is_zero(&mut offers, operands[0]),
        FieldOp::MaybeZero => zero::maybe_zero(&mut offers, operands[0]),
    }
    offers.choices
}

/// Names of the two forms of a product.
struct Forms {
    lazy: &'static str,
    canonical: &'static str,
}

/// Collects the variants of one op in one field.
pub(super) struct Offers<'a> {
    field: &'a FieldDesc,
    /// Offer what never pays, too.
    everything: bool,
    /// [`Choice::parts`] of what is offered next.
    parts: u32,
    choices: Vec<Choice>,
}

impl Offers<'_> {
    /// Offers a variant with one output `r`, of at most `max`, made of the words that `emit` returns.
    fn push(&mut self, variant: &'static str, max: &BigUint, emit: impl FnOnce(&mut Builder) -> Vec<Src>) {
        let out = Bound::up_to(self.field, max).expect("a variant is offered only if its result fits");
        self.push_bound(variant, out, emit);
    }

    fn push_canonical(&mut self, variant: &'static str, emit: impl FnOnce(&mut Builder) -> Vec<Src>) {
        self.push_bound(variant, Bound::Canonical, emit);
    }

    /// Offers what `emit` makes, of at most `max`: lazy where that fits the words, and canonical
    /// after a ladder.
    fn push_forms(&mut self, forms: &Forms, max: &BigUint, emit: impl Fn(&mut Builder) -> Vec<Src>) {
        let f = self.field;
        if *max < f.r() {
            self.push(forms.lazy, max, &emit);
        }
        if *max >= f.p {
            self.push_canonical(forms.canonical, |b| {
                let words = emit(b);
                reduce::ladder(b, f, words, max)
            });
        }
    }

    fn push_bound(&mut self, variant: &'static str, out: Bound, emit: impl FnOnce(&mut Builder) -> Vec<Src>) {
        self.push_outputs(variant, out, |b| {
            let words = emit(b);
            b.output("r", words);
        });
    }

    /// Offers a variant whose outputs, all within `out`, `emit` adds.
    fn push_outputs(&mut self, variant: &'static str, out: Bound, emit: impl FnOnce(&mut Builder)) {
        let mut b = Builder::new(format!("{}_{}", self.field.name, variant.replace('.', "_")));
        emit(&mut b);
        let block = b.finish();
        let cost = Cost::of(&block);
        self.choices.push(Choice { variant, out, parts: self.parts, cost, program: block });
    }
}

/// `x` as immediates, at least `n` words.
fn immediates(x: &BigUint, n: usize) -> Vec<Src> {
    let mut words: Vec<Src> = x.iter_u32_digits().map(Src::Imm).collect();
    words.resize(words.len().max(n), Src::Imm(0));
    words
}

/// Words that hold every value up to `max`.
fn words_for(max: &BigUint) -> usize {
    (max.bits() as usize).div_ceil(32)
}
