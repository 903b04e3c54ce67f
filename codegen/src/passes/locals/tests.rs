//! Locals in memory: which reads may be repeated, and where they are written.

use super::*;
use crate::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use crate::fir::build::{Builder, Fe, Var};
use crate::fir::interp::{Argument, launch, to_words};
use crate::fir::verify::verify;
use crate::passes::simplify;
use crate::targets::portable::Portable;
use crate::targets::ptx::Ptx;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{Accumulate, FieldMulSub};
use num_bigint::BigUint;

fn field() -> FieldDesc {
    FieldDesc::new("f251", 251u32.into())
}

/// A kernel on one local, which starts as `a`; what is made of it is `out`.
fn kernel(body: impl for<'k> Fn(&'k Builder, Var<'k, Fe<'k>>, Fe<'k>) -> Fe<'k>) -> Kernel {
    let field = field();
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let [x, y] = ["a", "b"].map(|name| b.buffer(name).field(i));
    let local = b.var(x);
    // Nothing is known of the local from here on.
    b.for_(b.u32(0), b.scalar("n"), 1, |_| local.set(local.get() + y));
    b.buffer("out").set_field(i, body(&b, local, y));
    simplify(&b.finish())
}

fn results(kernel: &Kernel) -> Argument {
    let field = field();
    let input = |seed: u32| Argument::Buffer(to_words(&field, &[BigUint::from(seed)]));
    let mut args = vec![input(2), input(5), input(7), input(0), Argument::U32(1)];
    launch(kernel, 1, &mut args).expect("the kernel runs");
    args.swap_remove(3)
}

/// Whether the `get`s of the kernel are read again, in the order in which they stand.
fn gets(kernel: &Kernel) -> Vec<bool> {
    fn within(kernel: &Kernel, block: &Block, found: &mut Vec<Value>) {
        for stmt in block {
            stmt.blocks().into_iter().for_each(|block| within(kernel, block, found));
            found.extend(stmt.results().into_iter().filter(|v| matches!(kernel[*v], Op::Get(Local(0)))));
        }
    }
    let mut found = vec![];
    within(kernel, &kernel.body, &mut found);
    let again = rereadable(kernel, &in_memory(kernel));
    found.into_iter().map(|v| again[v.0 as usize]).collect()
}

/// The first local, and no other.
fn in_memory(kernel: &Kernel) -> Vec<bool> {
    (0..kernel.locals.len()).map(|l| l == 0).collect()
}

#[test]
fn a_local_is_read_again_up_to_where_it_is_set() {
    let read = kernel(|_, local, y| local.get() * (local.get() + y));
    assert_eq!(gets(&read), [true, true]);
    let set_after = kernel(|_, local, y| {
        let old = local.get();
        local.set(old * y + old);
        local.get() * y
    });
    assert_eq!(gets(&set_after), [true, true]);
    let read_after = kernel(|_, local, y| {
        let old = local.get();
        local.set(old * y);
        local.get() + old
    });
    assert!(!gets(&read_after)[1]);
    let set_within = kernel(|b, local, y| {
        let old = local.get();
        b.if_(b.scalar("n").is(7), || local.set(old * y));
        local.get()
    });
    assert!(!gets(&set_within)[1]);
    let again_around = kernel(|b, local, y| {
        let old = local.get();
        b.for_(b.u32(0), b.u32(3), 1, |_| local.set(local.get() + old * y));
        local.get()
    });
    assert!(!gets(&again_around)[1]);
    assert!(rereadable(&read, &vec![false; read.locals.len()]).iter().all(|again| !again));
}

#[test]
fn a_local_is_set_where_its_value_is_there_and_the_old_one_is_not_read() {
    let written = kernel(|b, local, y| {
        let old = local.get();
        let new = old.sqr();
        let sum = new * y + old;
        let other = sum.sqr() * y;
        b.if_(b.scalar("n").is(1), || local.set(new));
        local.set(new);
        other * sum
    });
    let position = |kernel: &Kernel| {
        let set = |stmt: &Stmt| matches!(stmt, Stmt::Set(Local(0), _));
        kernel.body.iter().rposition(set).expect("it is set")
    };
    let mut early = written.clone();
    set_early(&mut early, &in_memory(&written));
    assert_eq!((verify(&early), results(&early)), (Ok(()), results(&written)));
    // What stands between, a branch that sets it, keeps it where it is.
    assert_eq!(position(&early), position(&written));

    let written = kernel(|_, local, y| {
        let old = local.get();
        let new = old.sqr();
        let sum = new * y + old;
        let other = sum.sqr() * y;
        local.set(new);
        other * sum + local.get()
    });
    let mut early = written.clone();
    set_early(&mut early, &in_memory(&written));
    assert_eq!((verify(&early), results(&early)), (Ok(()), results(&written)));
    let at = position(&early);
    let Stmt::Let(before) = early.body[at - 1] else { panic!("an operation") };
    let old = |v: &Value| matches!(early[*v], Op::Get(Local(0)));
    assert!(early[before].args().iter().any(old), "right after the last that reads the old value");
    assert!(at < position(&written));
    let mut left = written.clone();
    set_early(&mut left, &vec![false; written.locals.len()]);
    assert_eq!(left, written);
}

/// A kernel with so many locals around a loop that some of a group's live in memory, and what the loop does
/// with a sum of two of those.
fn with_sum(use_sum: impl for<'k> Fn(&'k Builder, Fe<'k>, &[Var<'k, Fe<'k>>])) -> Kernel {
    let group = GroupDesc {
        name: "g".into(),
        base: FieldDesc::new("f255", (BigUint::from(1u32) << 255) - 19u32),
        tower: Tower::prime(),
        equation: Equation::ShortWeierstrass { a: vec![BigUint::ZERO], b: vec![3u32.into()] },
    };
    let b = Builder::for_group::<Accumulate>(&Geometry::PTX, &group);
    let locals: Vec<Var<'_, Fe<'_>>> = (0..8u32).map(|c| b.var(b.constant(&c.into()))).collect();
    b.for_(b.u32(0), b.scalar("slices"), 1, |_| {
        // Of equals the last ones.
        let [x, y] = [locals[7].get(), locals[6].get()];
        use_sum(&b, x + y, &locals);
        locals.iter().for_each(|local| local.set(local.get().sqr()));
    });
    for (at, local) in locals.iter().enumerate() {
        b.buffer("partials").set_coordinate(b.u32(at as u32 / 4), at % 4, local.get());
    }
    simplify(&b.finish())
}

#[test]
fn sums_of_what_is_in_memory_are_computed_again() {
    let kernel = with_sum(|_, sum, locals| {
        let product = sum * locals[0].get();
        locals[1].set(product * sum);
    });
    let sums = |kernel: &Kernel| {
        kernel.values().filter(|v| kernel[*v].field().is_some_and(|(op, _)| *op == FieldOp::Add)).count()
    };
    let again = recompute::<Ptx>(&kernel);
    assert_eq!(verify(&again), Ok(()));
    assert_eq!((sums(&kernel), sums(&again)), (1, 2));
    assert_eq!(recompute::<Portable>(&kernel), kernel, "there all are in registers");
}

/// A branch that computes a sum again keeps it to itself.
#[test]
fn sums_of_a_branch_stay_in_it() {
    let kernel = with_sum(|b, sum, locals| {
        let product = sum * locals[0].get();
        b.if_(b.scalar("slices").is(3), || locals[2].set(product * sum));
        locals[1].set(sum);
    });
    assert_eq!(verify(&recompute::<Ptx>(&kernel)), Ok(()));
}
