//! What the programs of a run are made of: a generator that has lost something tests nothing of it.

use super::MOST;
use super::machine::trial;
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::ir::{Below, Block, Holds, Kernel, Op, Place, Stmt, Value};
use curvesmith_codegen::passes::inline;
use curvesmith_codegen::targets::ptx::Ptx;
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// Names of operations and statements, with types and places where the lowering depends on them.
#[derive(Default)]
struct Found(BTreeSet<String>);

impl Found {
    fn block(&mut self, kernel: &Kernel, block: &Block, loops: usize) {
        for stmt in block {
            self.0.insert(statement(kernel, stmt, loops));
            match stmt {
                Stmt::If { then, otherwise, .. } => {
                    self.block(kernel, then, loops);
                    self.block(kernel, otherwise, loops);
                }
                Stmt::Loop(body) => self.block(kernel, body, loops + 1),
                _ => {}
            }
        }
    }
}

fn statement(kernel: &Kernel, stmt: &Stmt, loops: usize) -> String {
    let space = |place: &Place| match place {
        Place::Global { .. } => "global",
        Place::Part { .. } => "part",
        Place::Shared { array, .. } if kernel.shared[array.0 as usize].holds == Holds::Words => "shared",
        Place::Shared { .. } => "elements",
    };
    match stmt {
        Stmt::Let(v) => operation(kernel, *v),
        Stmt::Set(l, _) => format!("Set {:?}", kernel.locals[l.0 as usize].ty),
        Stmt::Load { place, .. } => format!("Load {}", space(place)),
        Stmt::Store { place, .. } => format!("Store {}", space(place)),
        Stmt::Atomic { op, order, place, .. } => format!("Atomic {op:?} {order:?} {}", space(place)),
        Stmt::Shuffle { mode, .. } => format!("Shuffle {mode:?}"),
        Stmt::Fence(scope) => format!("Fence {scope:?}"),
        Stmt::Break | Stmt::Loop(_) => format!("{} {loops}", variant(stmt)),
        _ => variant(stmt),
    }
}

fn operation(kernel: &Kernel, v: Value) -> String {
    match &kernel[v] {
        Op::Int(op, a, _) => format!("{op:?} {:?}", kernel.ty(*a)),
        Op::Cmp(op, a, _) => format!("{op:?} {:?}", kernel.ty(*a)),
        Op::Bit(op, _) => format!("{op:?}"),
        op @ (Op::Not(_) | Op::Select(..) | Op::Get(_) | Op::Param(_)) => {
            format!("{} {:?}", variant(op), kernel.ty(v))
        }
        Op::Field(op, _) => variant(op),
        op @ (Op::FromWords(_, below) | Op::Word(.., below)) if *below != Below::CANONICAL => {
            format!("{} lazy", variant(op))
        }
        op => variant(op),
    }
}

/// The name of an enum's variant.
fn variant(x: &impl std::fmt::Debug) -> String {
    let text = format!("{x:?}");
    text.split(['(', ' ', '{']).next().unwrap().to_owned()
}

/// Every pair of a name and a type, a place or a number.
fn each(names: &str, of: &str) -> Vec<String> {
    names.split(' ').flat_map(|name| of.split(' ').map(move |of| format!("{name} {of}"))).collect()
}

fn expected() -> BTreeSet<String> {
    let arithmetic = "Add Sub Mul And Or Xor Shl Shr Min Max Div Rem Eq Ne Lt Le";
    let atomics = |how: &str| each("Add Min Max Exchange", how).into_iter().map(|a| format!("Atomic {a}"));
    let plain = "If Return Barrier SyncWarp Prefetch LoadOrdered StoreOrdered Ballot MatchAny Popc Clz Brev Special Bool U32 U64 \
                 Widen Narrow Add Sub Mul Sqr IsZero MaybeZero FromWords Word";
    let plain = plain.split_whitespace().map(str::to_owned);
    let groups = [
        each(arithmetic, "U32 U64"),
        each("And Or Xor", "Pred"),
        each("Not", "Pred U32 U64"),
        each("Param", "U32 U64"),
        each("Get Set Select", "Pred U32 U64 Field"),
        each("Load Store", "global shared elements"),
        each("FromWords Word", "lazy"),
        atomics("Relaxed").chain(atomics("AcquireRelease")).map(|a| a + " global").collect(),
        atomics("Relaxed").map(|a| a + " shared").collect(),
        each("Shuffle", "Index Up Down Xor"),
        each("Fence", "Block Device"),
        // Breaks out of loops in loops.
        each("Loop", "0 1 2"),
        each("Break", "1 2 3"),
    ];
    groups.concat().into_iter().chain(plain).collect()
}

#[test]
fn programs_hold_every_statement_and_operation_of_integers() {
    let field = FieldDesc::new("p13", 13u32.into());
    let mut found = Found::default();
    for seed in 1000..1040 {
        for field in [None, Some(&field)] {
            let kernel = trial(field, seed, MOST, 0).kernel;
            found.block(&kernel, &kernel.body, 0);
        }
    }
    let missing: Vec<_> = expected().difference(&found.0).cloned().collect();
    assert!(missing.is_empty(), "in no program: {missing:?}");
}

/// Of the functions of programs some are called, some of those call others, and some are copied.
#[test]
fn programs_call_functions_and_hold_copies_of_others() {
    let p = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
    let field = FieldDesc::new("bn254_fq", BigUint::parse_bytes(p.as_bytes(), 16).unwrap());
    let (mut called, mut calling, mut copied) = (0, 0, 0);
    for seed in 100..300 {
        let written = super::field::trial(&field, seed, MOST).kernel;
        let inlined = inline::<Ptx>(&written);
        let (before, after) = (written.callees(), inlined.callees());
        called += after.len();
        calling += after.iter().filter(|f| !f.functions.is_empty()).count();
        copied += before.len() - after.len();
    }
    assert!(
        called >= 10 && calling >= 1 && copied >= 10,
        "{called} called, {calling} calling, {copied} copied"
    );
}
