//! Variants that are on the menu and not proven.

use super::*;
use crate::fir::build::Builder;
use crate::targets::Arithmetic as _;
use crate::targets::ptx::{self, Bound, Choice, Cost, Offer, Ptx};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::FieldAdd;

const WRONG: &str = "add.wrong";

fn field() -> FieldDesc {
    FieldDesc::new("m61", ((1u64 << 61) - 1).into())
}

fn sum() -> Kernel {
    let field = field();
    let b = Builder::for_field::<FieldAdd>(&Geometry::PTX, &field);
    let i = b.global_index();
    b.buffer("out").set_field(i, b.buffer("a").field(i) + b.buffer("b").field(i));
    b.finish()
}

/// What is on offer, and for sums a block that gives the first operand back: nothing is cheaper.
fn with_a_wrong_sum(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Offer> {
    [only_wrong_sums(field, op, operands), Ptx::offers(field, op, operands)].concat()
}

/// What is on offer, and for sums that block alone.
fn only_wrong_sums(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Offer> {
    let choices = ptx::choices(field, op, operands);
    let wrong = |choice: Choice| choice.with_block(WRONG, ptx::tests::first_operand(choice.block()));
    let changed = |choice| if *op == FieldOp::Add { wrong(choice) } else { choice };
    choices.into_iter().map(changed).map(Offer::from).collect()
}

fn variants(kernel: &Kernel, info: &KernelInfo<Ptx>) -> Vec<&'static str> {
    kernel.values().filter_map(|v| info.choice(v)).map(|choice| choice.variant).collect()
}

#[test]
fn a_variant_that_is_not_proven_is_chosen_no_more() {
    let (kernel, field) = (sum(), field());
    let mut menu = Menu::of(&field, with_a_wrong_sum);
    let subject = Subject { kernel: &kernel, callees: vec![], crowd: Crowd::of::<Ptx>(&kernel) };
    let first = search(&subject, &mut menu).expect("there are variants");
    assert_eq!(variants(&first.kernel, &first.info), [WRONG], "the cheapest is not tried first");
    assert!(!unproven_blocks(&field, &first).is_empty());
    let (kernel, info) =
        place_from(&kernel, &[], Menu::of(&field, with_a_wrong_sum)).expect("others are right");
    let chosen = variants(&kernel, &info);
    assert!(!chosen.is_empty() && !chosen.contains(&WRONG), "{chosen:?}");
}

#[test]
fn what_is_refused_is_off_the_menu() {
    let field = field();
    let mut menu = Menu::of(&field, with_a_wrong_sum);
    let cheapest = |menu: &mut Menu<'_, Ptx>| {
        let length = |cost: &Cost| cost.issue().into();
        menu.cheapest(&FieldOp::Add, &[Bound::Canonical; 2], |_| true, length).map(|choice| choice.variant)
    };
    assert_eq!(cheapest(&mut menu), Some(WRONG));
    let mut refused = vec![];
    while let Some(variant) = cheapest(&mut menu) {
        assert!(!refused.contains(&variant), "{variant} is chosen after it was refused");
        menu.refuse(variant);
        refused.push(variant);
    }
    let offered = with_a_wrong_sum(&field, &FieldOp::Add, &[Bound::Canonical; 2]);
    assert!(offered.iter().all(|choice| refused.contains(&choice.variant)));
}

#[test]
fn an_operation_without_a_proven_variant_does_not_compile() {
    let error =
        place_from(&sum(), &[], Menu::of(&field(), only_wrong_sums)).map(drop).expect_err("no sum is right");
    let PassError::Unproven { op, variant, source } = &error else { panic!("{error}") };
    assert!(source.0.starts_with("the result is not shown to be Add: "), "{source}");
    assert_eq!((op.as_str(), *variant), ("Add", WRONG));
}

#[test]
fn an_operation_without_a_variant_does_not_compile() {
    let error = place_from(&sum(), &[], Menu::<Ptx>::of(&field(), |_, _, _| vec![]))
        .map(drop)
        .expect_err("there is no sum");
    assert!(matches!(error, PassError::NoVariant { .. }), "{error}");
}
