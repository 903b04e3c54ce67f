//! What is folded, shared and left out.

use super::*;
use crate::declaration::FieldDesc;
use crate::fir::build::{Builder, Fe, Handle};
use crate::fir::ir::Below;
use crate::fir::verify::verify;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{BucketStarts, FieldMul};

fn count(kernel: &Kernel, f: impl Fn(&Op) -> bool) -> usize {
    kernel.values().filter(|v| f(&kernel[*v])).count()
}

#[test]
fn equal_operations_are_computed_once_where_the_first_dominates() {
    let b = Builder::common::<BucketStarts>(&Geometry::PTX);
    let (out, n) = (b.buffer("starts"), b.scalar("buckets"));
    let x = out.word(b.u32(0));
    b.if_else(n.is(3), || out.set_word(n, (x + 1) * 7), || out.set_word(n, (x + 1) * 7));
    out.set_word(n, (x + 1) * 7);
    out.set_word(n, (x + 1) * 7);
    let kernel = simplify(&b.finish());
    assert_eq!(verify(&kernel), Ok(()));
    // Once in each arm, once after: neither arm dominates what follows.
    assert_eq!(count(&kernel, |op| matches!(op, Op::Int(IntOp::Mul, ..))), 3);
}

#[test]
fn a_local_is_read_again_after_each_write() {
    let b = Builder::common::<BucketStarts>(&Geometry::PTX);
    let (starts, n) = (b.buffer("starts"), b.scalar("buckets"));
    let local = b.var(n);
    let first = local.get();
    b.if_(n.is(3), || local.set(n + 5));
    let second = local.get();
    starts.set_word(first, second);
    b.while_(|| local.get().lt(n), || local.set(local.get() + 1));
    starts.set_word(first, local.get());
    let kernel = simplify(&b.finish());
    assert_eq!(verify(&kernel), Ok(()));
    // The first read is forwarded from the write; after the branch, in the loop, after the loop.
    assert_eq!(count(&kernel, |op| matches!(op, Op::Get(_))), 3);
}

/// Words under a bound are read back as they are under it and under larger ones, and not under smaller ones.
#[test]
fn words_of_words_are_known_under_their_bound() {
    let field = FieldDesc::new("toy", 13u32.into());
    for (made, read, left) in [(1, 1, 0), (2, 2, 0), (2, 3, 0), (3, 2, 1), (2, 1, 1)] {
        let b = Builder::for_field::<FieldMul>(&Geometry::PTX, &field);
        let i = b.global_index();
        let x = b.from_words_below(&b.buffer("a").part_words(i, 0), Below(made));
        b.buffer("out").set_field(i, b.from_words_below(&x.words_below(Below(read)), Below(read)) * x);
        let kernel = simplify(&b.finish());
        assert_eq!(verify(&kernel), Ok(()));
        let words = count(&kernel, |op| matches!(op, Op::Word(_, _, below) if below.0 == read));
        // Canonical ones of the product are stored.
        assert_eq!(words - usize::from(read == 1), left, "below {made}, read below {read}");
    }
}

#[test]
fn what_nothing_needs_is_left_out() {
    let b = Builder::common::<BucketStarts>(&Geometry::PTX);
    let (keys, starts, n) = (b.buffer("keys"), b.buffer("starts"), b.scalar("buckets"));
    let unused = b.var(keys.word(n));
    b.if_(n.is(4), || unused.set(n));
    starts.set_word(n, (b.u32(6) * b.u32(7)).min(b.u32(50)));
    let kernel = simplify(&b.finish());
    assert_eq!(verify(&kernel), Ok(()));
    assert_eq!(kernel.body.len(), 3, "{:?}", kernel.body);
    assert_eq!(count(&kernel, |op| *op == Op::U32(42)), 1);
}

#[test]
fn field_identities() {
    let field = FieldDesc::new("toy", 13u32.into());
    let b = Builder::for_field::<FieldMul>(&Geometry::PTX, &field);
    let i = b.global_index();
    let x = b.buffer("a").field(i);
    let y = (x + b.zero()) * b.one() - (x - x) + x.mul_small(0) + x.mul_const(&13u32.into());
    b.buffer("out").set_field(i, y * x);
    let kernel = simplify(&b.finish());
    assert_eq!(verify(&kernel), Ok(()));
    assert_eq!(count(&kernel, |op| matches!(op, Op::Field(FieldOp::Sqr, _))), 1);
    let others =
        |op: &Op| matches!(op, Op::Field(FieldOp::Add | FieldOp::Sub | FieldOp::Mul, _) | Op::Const(_));
    assert_eq!(count(&kernel, others), 0);
}

#[test]
fn a_call_whose_results_nothing_needs_is_left_out() {
    let field = FieldDesc::new("toy", 13u32.into());
    let b = Builder::for_field::<FieldMul>(&Geometry::PTX, &field);
    let f = b.function("f", &[Type::Field]);
    let [x] = f.arguments()[..] else { panic!("one argument") };
    let both = [Fe::wrap(&f, x).dbl().id(), Fe::wrap(&f, x).sqr().id()];
    let f = b.declare(f.finish_function(&both));
    let i = b.global_index();
    let given = ["a", "b"].map(|name| b.call(f, &[b.buffer(name).field(i).id()]));
    // One result of the first, none of the second.
    b.buffer("out").set_field(i, Fe::wrap(&b, given[0][1]));
    let kernel = simplify(&b.finish());
    assert_eq!(verify(&kernel), Ok(()));
    let count = |wanted: fn(&Stmt) -> bool| kernel.body.iter().filter(|stmt| wanted(stmt)).count();
    assert_eq!(count(|stmt| matches!(stmt, Stmt::Call { .. })), 1);
    assert_eq!(
        count(|stmt| matches!(stmt, Stmt::Load { .. })),
        1,
        "what it was called with is left out, too"
    );
}
