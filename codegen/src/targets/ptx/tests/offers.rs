//! What is on offer before it is built: the same variants, and the same choice among them.

use super::*;
use crate::targets::ptx::arithmetic::offers;
use crate::targets::ptx::arithmetic::variants::Build;
use crate::targets::{Arithmetic, Load, Machine, cheapest};

/// Bounds to ask for: all operands alike, and the first apart from the others.
fn bounds(f: &FieldDesc, op: &FieldOp) -> Vec<Vec<Bound>> {
    let near = Bound::below(f, &(&f.p * 2u32)).unwrap_or(Bound::ANY);
    let alike = [Bound::Canonical, near, Bound::ANY].map(|bound| vec![bound; op.operands(f)]);
    let mut apart = alike[0].clone();
    apart[0] = near;
    alike.into_iter().chain([apart]).collect()
}

fn fields_up_to(words: usize) -> impl Iterator<Item = FieldDesc> {
    fields::fields().into_iter().filter(move |f| f.words <= words)
}

#[test]
fn promises_are_those_of_the_built_variants() {
    let mut lighter = 0;
    for f in fields_up_to(24) {
        for op in ops(&f) {
            for bounds in bounds(&f, &op) {
                let what = format!("{} {op:?} {bounds:?}", f.name);
                let mut names: Vec<&str> = vec![];
                for everything in [false, true] {
                    let unbuilt = offers(&f, &op, &bounds, everything, Build::None);
                    let built = offers(&f, &op, &bounds, everything, Build::All);
                    assert_eq!(unbuilt.len(), built.len(), "{what}");
                    names = unbuilt.iter().map(|offer| offer.variant).collect();
                    for (offer, whole) in unbuilt.iter().zip(&built) {
                        let choice = whole.built.as_ref().expect("all are built");
                        assert_eq!(*offer, Offer { built: None, ..whole.clone() }, "{what}");
                        let promise = (offer.variant, offer.out, offer.parts);
                        assert_eq!(promise, (choice.variant, choice.out, choice.parts), "{what}");
                        assert!(offer.least.wide <= choice.cost.wide, "{what}: {}", offer.variant);
                        assert_eq!(offer.least, Cost { wide: offer.least.wide, ..Cost::default() });
                        let Some(cheaper) = offer.cheaper else { continue };
                        lighter += 1;
                        let less = built.iter().find(|other| other.variant == cheaper).expect("is on offer");
                        let less = less.built.as_ref().expect("all are built");
                        assert!(less.cost.rank() < choice.cost.rank(), "{what}: {cheaper}");
                        for load in [Load::Even, Load::Products, Load::Sums] {
                            let price = |choice: &Choice| Ptx::price(&choice.cost, load);
                            assert!(price(less) < price(choice), "{what}: {cheaper}");
                        }
                    }
                }
                names.sort_unstable();
                assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{what}: {names:?}");
            }
        }
    }
    assert!(lighter > 1000, "{lighter} variants go on from another");
}

/// Of all variants, built and sorted, the first of least price; and of what is on offer.
#[test]
fn the_choice_is_that_among_all_variants_built() {
    let mut unbuilt = 0;
    for f in fields_up_to(12) {
        for op in ops(&f) {
            for bounds in bounds(&f, &op) {
                let all = choices(&f, &op, &bounds);
                let first = all.first().map(|choice| choice.variant);
                assert_eq!(choose(&f, &op, &bounds).map(|choice| choice.variant), first);
                let mut offers = Ptx::offers(&f, &op, &bounds);
                let refused = first;
                for (load, limit, parts, refused) in [
                    (Load::Even, None, u32::MAX, None),
                    (Load::Products, None, 1, None),
                    (Load::Sums, Some(Bound::Canonical), u32::MAX, None),
                    (Load::Even, Some(Bound::Canonical), 1, None),
                    (Load::Sums, None, u32::MAX, refused),
                ] {
                    let within =
                        |out: Bound| limit.is_none_or(|limit| targets::Bound::within(out, limit, &f));
                    let price = |cost: &Cost| Ptx::price(cost, load);
                    let legal = |variant, out, of| within(out) && of <= parts && Some(variant) != refused;
                    let wanted = all
                        .iter()
                        .filter(|choice| legal(choice.variant, choice.out, choice.parts))
                        .min_by_key(|choice| price(&choice.cost));
                    let build = |variant| Ptx::build(&f, &op, &bounds, variant);
                    let found = cheapest(
                        &mut offers,
                        build,
                        |offer| legal(offer.variant, offer.out, offer.parts),
                        price,
                    );
                    assert_eq!(found, wanted, "{} {op:?} {bounds:?} {load:?} {limit:?}", f.name);
                }
                unbuilt += offers.iter().filter(|offer| offer.built.is_none()).count();
            }
        }
    }
    assert!(unbuilt > 300, "{unbuilt} variants were left without a program by all these questions");
}
