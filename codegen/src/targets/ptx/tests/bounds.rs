//! What is promised of choices, whatever the values.

use super::*;

/// Every op has a variant with a canonical result from every operand bound, so that a caller
/// need never be stuck.
#[test]
fn always_a_canonical_choice() {
    for f in fields::fields() {
        for op in ops(&f) {
            for x in [Bound::Canonical, Bound::up_to(&f, &f.p).unwrap(), Bound::ANY] {
                let operands = vec![x; op.operands(&f)];
                let limit = match op {
                    FieldOp::ReduceWeak => Bound::ANY,
                    _ => Bound::Canonical,
                };
                let within = |choice: &Choice| choice.out.within(limit, &f);
                assert!(choices(&f, &op, &operands).iter().any(within), "{} {op:?} {x:?}", f.name);
            }
        }
    }
}

#[test]
fn malformed_ops_have_no_choice() {
    let f = FieldDesc::new("f13", 13u32.into());
    assert_eq!(choose(&f, &FieldOp::Add, &[Bound::Canonical]), None);
    assert_eq!(choose(&f, &FieldOp::Dot(0), &[]), None);
    assert_eq!(choose(&f, &FieldOp::MulConst(13u32.into()), &[Bound::Canonical]), None);
}
