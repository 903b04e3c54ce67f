//! What is on offer before it is built: programs cost more to build than to compare.
//!
//! A variant is not built where its promise is enough to leave it: it is not legal, a part of its program is
//! legal by itself and cheaper, or something that is built costs less than it would at least. The choice is
//! the same as among all of them built.

use super::{Arithmetic, Choice};

/// A legal variant that may not be built yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer<T: Arithmetic> {
    /// [`Choice::variant`]
    pub variant: &'static str,
    /// [`Choice::out`]
    pub out: T::Bound,
    /// [`Choice::parts`]
    pub parts: u32,
    /// A part of what it costs: no price of the program is below the price of this.
    pub least: T::Cost,
    /// Another variant on offer whose program this one has as a part: that one has a lower price.
    pub cheaper: Option<&'static str>,
    /// The variant, where it is built.
    pub built: Option<Choice<T>>,
}

impl<T: Arithmetic> From<Choice<T>> for Offer<T> {
    fn from(choice: Choice<T>) -> Self {
        let Choice { variant, out, parts, cost, .. } = choice;
        Offer { variant, out, parts, least: cost, cheaper: None, built: Some(choice) }
    }
}

/// Price, rank and name.
type Key<P> = (P, (u64, u64), &'static str);

/// The variant of least price of those that are `legal`; of several the one of least rank and first name.
/// What has to be compared is built by `build` and stays so.
pub fn cheapest<T: Arithmetic, P: Ord + Copy>(
    offers: &mut [Offer<T>],
    build: impl Fn(&'static str) -> Option<Choice<T>>,
    legal: impl Fn(&Offer<T>) -> bool,
    price: impl Fn(&T::Cost) -> P,
) -> Option<&Choice<T>> {
    let mut open: Vec<usize> = (0..offers.len()).filter(|&at| legal(&offers[at])).collect();
    let is_open = |open: &[usize], name| open.iter().any(|&other| offers[other].variant == name);
    let all = open.clone();
    open.retain(|&at| !offers[at].cheaper.is_some_and(|cheaper| is_open(&all, cheaper)));
    open.sort_by_key(|&at| price(&offers[at].least));
    let mut best: Option<(Key<P>, usize)> = None;
    for at in open {
        let offer = &mut offers[at];
        if best.is_some_and(|((least, ..), _)| price(&offer.least) > least) {
            break;
        }
        if offer.built.is_none() {
            offer.built = build(offer.variant);
        }
        let Some(choice) = &offer.built else { continue };
        let key = (price(&choice.cost), T::rank(&choice.cost), choice.variant);
        if best.is_none_or(|(least, _)| key < least) {
            best = Some((key, at));
        }
    }
    let (_, at) = best?;
    offers[at].built.as_ref()
}
