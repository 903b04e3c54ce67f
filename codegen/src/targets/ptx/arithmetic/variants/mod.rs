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

use std::sync::Arc;

use num_bigint::BigUint;

use super::ir::{Builder, Src};
use super::{Bound, Choice, Cost, FieldOp, Offer};
use crate::declaration::FieldDesc;

/// Which of the variants on offer are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) enum Build {
    /// None: what they promise is enough.
    None,
    /// The one of this name.
    One(&'static str),
    /// All.
    All,
}

/// The legal variants of a well-formed op, in no particular order; those that never pay only with
/// `everything`.
pub(super) fn offers(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    everything: bool,
    build: Build,
) -> Vec<Offer> {
    let mut offers = Offers { field, everything, build, parts: 1, products: 0, all: Vec::new() };
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
    offers.all
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
    build: Build,
    /// [`Choice::parts`] of what is offered next.
    parts: u32,
    /// Products of words that what is offered next makes at least.
    products: usize,
    all: Vec<Offer>,
}

impl Offers<'_> {
    /// Whether what pays from so many words on is on offer.
    fn pays(&self, words: usize) -> bool {
        self.everything || self.field.words >= words
    }

    /// The last offer is more than the program of `cheaper`, if that is on offer: it goes on from there.
    fn goes_on_from(&mut self, cheaper: &'static str) {
        let on_offer = self.all.iter().any(|offer| offer.variant == cheaper);
        if let Some(last) = self.all.last_mut().filter(|_| on_offer) {
            last.cheaper = Some(cheaper);
        }
    }

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
            self.goes_on_from(forms.lazy);
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
        let wanted = match self.build {
            Build::None => false,
            Build::One(one) => one == variant,
            Build::All => true,
        };
        let least = Cost { wide: self.products as u32, ..Cost::default() };
        let parts = self.parts;
        let built = wanted.then(|| {
            let mut b = Builder::new(format!("{}_{}", self.field.name, variant.replace('.', "_")));
            emit(&mut b);
            let block = b.finish();
            let cost = Cost::of(&block);
            debug_assert!(cost.wide >= least.wide, "{variant} makes fewer products than it is said to");
            Choice { variant, out, parts, cost, program: Arc::new(block) }
        });
        self.all.push(Offer { variant, out, parts, least, cheaper: None, built });
    }
}

/// `x` as immediates, at least `n` words.
fn immediates(x: &BigUint, n: usize) -> Vec<Src> {
    let mut words: Vec<Src> = x.iter_u32_digits().map(Src::Imm).collect();
    words.resize(words.len().max(n), Src::Imm(0));
    words
}

/// Words of a number that are not zero.
fn nonzero(x: &BigUint) -> usize {
    x.iter_u32_digits().filter(|&word| word != 0).count()
}

/// Words that hold every value up to `max`.
fn words_for(max: &BigUint) -> usize {
    (max.bits() as usize).div_ceil(32)
}
