//! The variants on offer, remembered with the programs that had to be built.

use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::{Arithmetic, Choice, Offer, cheapest};

/// Variants by the operands' bounds, of which a kernel has few.
type Known<T> = Vec<(Vec<<T as Arithmetic>::Bound>, Vec<Offer<T>>)>;

/// The variants of an operation, as [`Arithmetic::offers`] gives them.
pub(super) type Offers<T> = fn(&FieldDesc, &FieldOp, &[<T as Arithmetic>::Bound]) -> Vec<Offer<T>>;

pub(super) struct Menu<'a, T: Arithmetic> {
    pub(super) field: &'a FieldDesc,
    offers: Offers<T>,
    seen: Vec<(FieldOp, Known<T>)>,
    /// Variants that are not used, because a block of theirs is not proven.
    refused: Vec<&'static str>,
    effort: usize,
}

impl<'a, T: Arithmetic> Menu<'a, T> {
    pub(super) fn new(field: &'a FieldDesc) -> Self {
        Menu::of(field, T::offers)
    }

    /// A menu of what `offers` gives.
    pub(super) fn of(field: &'a FieldDesc, offers: Offers<T>) -> Self {
        Menu { field, offers, seen: vec![], refused: vec![], effort: 0 }
    }

    /// Instructions of all programs on offer so far, about, and without those that make no products.
    pub(super) fn effort(&self) -> usize {
        self.effort
    }

    /// Takes a variant off the menu.
    pub(super) fn refuse(&mut self, variant: &'static str) {
        self.refused.push(variant);
    }

    fn offers(&mut self, op: &FieldOp, operands: &[T::Bound]) -> &mut [Offer<T>] {
        let at = self.seen.iter().position(|(o, _)| o == op).unwrap_or_else(|| {
            self.seen.push((op.clone(), vec![]));
            self.seen.len() - 1
        });
        let known = &mut self.seen[at].1;
        let at = known.iter().position(|(bounds, _)| bounds == operands).unwrap_or_else(|| {
            let all = (self.offers)(self.field, op, operands);
            // Two for each product, and four for each row of products: carries and the multiple of the
            // modulus.
            let products: usize = all.iter().map(|offer| T::products(&offer.least)).sum();
            self.effort += 2 * products + 4 * products / self.field.words;
            known.push((operands.to_vec(), all));
            known.len() - 1
        });
        &mut known[at].1
    }

    /// The variant of least `price` of those that are `legal`.
    pub(super) fn cheapest(
        &mut self,
        op: &FieldOp,
        operands: &[T::Bound],
        legal: impl Fn(&Offer<T>) -> bool,
        price: impl Fn(&T::Cost) -> u64,
    ) -> Option<Choice<T>> {
        let (field, refused) = (self.field, std::mem::take(&mut self.refused));
        let legal = |offer: &Offer<T>| legal(offer) && !refused.contains(&offer.variant);
        let build = |variant| T::build(field, op, operands, variant);
        let cheapest = cheapest(self.offers(op, operands), build, legal, price).cloned();
        self.refused = refused;
        cheapest
    }
}
