//! Variants that are on the menu and not proven.

use super::*;
use crate::fir::build::Builder;
use crate::fir::ir::{Below, Op, Stmt};
use crate::targets::ptx::{self, Bound, Choice, Cost, Offer, Ptx};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{FieldAdd, FieldMulSub};

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

/// The first word is read of a lazy element; what follows asks for the canonical one, and then come the other words.
#[test]
fn words_of_an_element_are_of_one_representative() {
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &field());
    let i = b.global_index();
    let x = b.from_words_below(&b.buffer("a").part_words(i, 0), Below(4));
    let (lazy, canonical) = (x.words_below(Below(4)), x.words());
    let others = b.from_words_below(&lazy, Below(4)) + b.from_words(&canonical);
    b.buffer("out").set_field(i, others);
    let mut kernel = b.finish();
    let words: Vec<Value> =
        kernel.values().filter(|v| matches!(kernel[*v], Op::Word(_, 1, Below(4)))).collect();
    let [late] = words[..] else { panic!("m61 has two words") };
    // The second lazy word comes behind the canonical ones.
    let first_canonical =
        |stmt: &Stmt| matches!(stmt, Stmt::Let(v) if matches!(kernel[*v], Op::Word(_, 1, Below(1))));
    let at = kernel.body.iter().position(first_canonical).expect("there are canonical words");
    let from = kernel.body.iter().position(|stmt| *stmt == Stmt::Let(late)).expect("it is computed");
    let stmt = kernel.body.remove(from);
    kernel.body.insert(at, stmt);

    let (placed, _) = place_reductions::<Ptx>(&kernel, &[]).expect("there are variants");
    let read = |below: Below| -> Vec<Value> {
        let of = |v: Value| match placed[v] {
            Op::Word(a, _, b) if b == below => Some(a),
            _ => None,
        };
        placed.values().filter_map(of).collect()
    };
    // Among the canonical ones are those of what is stored.
    let (lazy, canonical) = (read(Below(4)), read(Below(1)));
    assert!(lazy.len() == 2 && lazy[0] == lazy[1], "{lazy:?}");
    assert_ne!(lazy[0], canonical[0], "nothing is reduced between the words, so that the test shows nothing");
}
