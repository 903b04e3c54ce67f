//! The variants on offer, remembered: a program costs more to build than to find.

use crate::spec::{FieldDesc, FieldOp};
use crate::target::{Bound, Choice, Limit, Target};
use std::collections::BTreeMap;

/// Variants by the operands' bounds.
type Known<T> = BTreeMap<Vec<Limit>, Vec<Choice<T>>>;

/// The variants of an operation, as [`Target::choices`] gives them.
pub(super) type Offers<T> = fn(&FieldDesc, &FieldOp, &[<T as Target>::Bound]) -> Vec<Choice<T>>;

pub(super) struct Menu<'a, T: Target> {
    pub(super) field: &'a FieldDesc,
    offers: Offers<T>,
    seen: Vec<(FieldOp, Known<T>)>,
    /// Variants that are not used, because a block of theirs is not proven.
    refused: Vec<&'static str>,
    effort: usize,
}

impl<'a, T: Target> Menu<'a, T> {
    pub(super) fn new(field: &'a FieldDesc) -> Self {
        Menu::of(field, T::choices)
    }

    /// A menu of what `offers` gives.
    pub(super) fn of(field: &'a FieldDesc, offers: Offers<T>) -> Self {
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

    fn choices(&mut self, op: &FieldOp, operands: &[T::Bound]) -> &[Choice<T>] {
        let at = self.seen.iter().position(|(o, _)| o == op).unwrap_or_else(|| {
            self.seen.push((op.clone(), BTreeMap::new()));
            self.seen.len() - 1
        });
        self.seen[at].1.entry(operands.iter().map(|b| b.stated()).collect()).or_insert_with(|| {
            let all = (self.offers)(self.field, op, operands);
            self.effort += all.iter().map(|c| T::size(c.program())).sum::<usize>();
            all
        })
    }

    /// The variant of least `price` of those that are `legal`.
    pub(super) fn cheapest(
        &mut self,
        op: &FieldOp,
        operands: &[T::Bound],
        legal: impl Fn(&Choice<T>) -> bool,
        price: impl Fn(&Choice<T>) -> u64,
    ) -> Option<Choice<T>> {
        let refused = self.refused.clone();
        let legal = |c: &&Choice<T>| legal(c) && !refused.contains(&c.variant);
        self.choices(op, operands).iter().filter(legal).min_by_key(|c| price(c)).cloned()
    }
}
