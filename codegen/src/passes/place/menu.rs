//! The variants on offer, remembered: a program costs more to build than to find.

use crate::spec::FieldDesc;
use crate::target::ptx::{self, Bound, Choice, FieldOp};
use std::collections::BTreeMap;

/// Variants by the units of the operands' bounds; 0 for canonical.
type Known = BTreeMap<Vec<u64>, Vec<Choice>>;

/// The variants of an operation, as [`ptx::choices`] gives them.
pub(super) type Offers = fn(&FieldDesc, &FieldOp, &[Bound]) -> Vec<Choice>;

pub(super) struct Menu<'a> {
    pub(super) field: &'a FieldDesc,
    offers: Offers,
    seen: Vec<(FieldOp, Known)>,
    /// Variants that are not used, because a block of theirs is not proven.
    refused: Vec<&'static str>,
    effort: usize,
}

impl<'a> Menu<'a> {
    pub(super) fn new(field: &'a FieldDesc) -> Self {
        Menu::of(field, ptx::choices)
    }

    /// A menu of what `offers` gives.
    pub(super) fn of(field: &'a FieldDesc, offers: Offers) -> Self {
        Menu { field, offers, seen: vec![], refused: vec![], effort: 0 }
    }

    /// Instructions of all programs built so far.
    pub(super) fn effort(&self) -> usize {
        self.effort
    }

    /// Takes a variant off the menu.
    pub(super) fn refuse(&mut self, variant: &'static str) {
        self.refused.push(variant);
    }

    fn choices(&mut self, op: &FieldOp, operands: &[Bound]) -> &[Choice] {
        let at = self.seen.iter().position(|(o, _)| o == op).unwrap_or_else(|| {
            self.seen.push((op.clone(), BTreeMap::new()));
            self.seen.len() - 1
        });
        let key = operands.iter().map(|b| if let Bound::Units(units) = b { *units } else { 0 }).collect();
        self.seen[at].1.entry(key).or_insert_with(|| {
            let all = (self.offers)(self.field, op, operands);
            self.effort += all.iter().map(|c| c.block().insts().len()).sum::<usize>();
            all
        })
    }

    /// The variant of least `price` of those that are `legal`.
    pub(super) fn cheapest(
        &mut self,
        op: &FieldOp,
        operands: &[Bound],
        legal: impl Fn(&Choice) -> bool,
        price: impl Fn(&Choice) -> u64,
    ) -> Option<Choice> {
        let refused = self.refused.clone();
        let legal = |c: &&Choice| legal(c) && !refused.contains(&c.variant);
        self.choices(op, operands).iter().filter(legal).min_by_key(|c| price(c)).cloned()
    }
}
