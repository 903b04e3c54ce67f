//! What nothing needs.

use super::Simplification::{self, *};
use crate::declaration::FieldOp;
use crate::fir::ir::{Block, Kernel, Op, Stmt, Value};
use crate::fir::rewrite::Rewriter;
use std::collections::{BTreeMap, BTreeSet};

/// Leaves out values, loads, calls and writes to locals that nothing needs, and branches that do nothing.
pub(super) fn remove_dead(kernel: &Kernel, observe: &mut dyn FnMut(Simplification)) -> Kernel {
    let live = live_values(kernel);
    let mut r = Rewriter::new(kernel);
    let body = keep(&mut r, &kernel.body, &live, observe);
    r.new.body = body;
    r.new
}

struct Live {
    values: Vec<bool>,
    locals: Vec<bool>,
    /// Which of several results are needed.
    parts: BTreeMap<Value, BTreeSet<u32>>,
}

fn live_values(kernel: &Kernel) -> Live {
    let mut live = Live {
        values: vec![false; kernel.values().count()],
        locals: vec![false; kernel.locals.len()],
        parts: BTreeMap::new(),
    };
    let mut work = vec![];
    let mut sets: Vec<Vec<Value>> = vec![vec![]; kernel.locals.len()];
    roots(&kernel.body, &mut work, &mut sets);
    // The index of a load, and the arguments of a call, are needed when one of its results is.
    let mut reads = BTreeMap::new();
    what_results_need(&kernel.body, &mut reads);
    while let Some(v) = work.pop() {
        if std::mem::replace(&mut live.values[v.0 as usize], true) {
            continue;
        }
        work.extend(kernel[v].args());
        if let Op::Part(a, i) = kernel[v] {
            live.parts.entry(a).or_default().insert(i);
        }
        work.extend(reads.get(&v).into_iter().flatten());
        if let Op::Get(l) = kernel[v]
            && !std::mem::replace(&mut live.locals[l.0 as usize], true)
        {
            work.append(&mut sets[l.0 as usize]);
        }
    }
    live
}

fn roots(block: &Block, work: &mut Vec<Value>, sets: &mut [Vec<Value>]) {
    for stmt in block {
        match stmt {
            Stmt::Set(l, v) => sets[l.0 as usize].push(*v),
            Stmt::Load { .. } | Stmt::Call { .. } => {}
            Stmt::If { cond, then, otherwise } => {
                work.push(*cond);
                roots(then, work, sets);
                roots(otherwise, work, sets);
            }
            Stmt::Loop(body) => roots(body, work, sets),
            _ => work.extend(stmt.uses()),
        }
    }
}

fn what_results_need(block: &Block, reads: &mut BTreeMap<Value, Vec<Value>>) {
    for stmt in block {
        match stmt {
            Stmt::Load { results, .. } | Stmt::Call { results, .. } => {
                for r in results {
                    reads.insert(*r, stmt.uses());
                }
            }
            Stmt::If { then, otherwise, .. } => {
                what_results_need(then, reads);
                what_results_need(otherwise, reads);
            }
            Stmt::Loop(body) => what_results_need(body, reads),
            _ => {}
        }
    }
}

fn keep(r: &mut Rewriter<'_>, block: &Block, live: &Live, observe: &mut dyn FnMut(Simplification)) -> Block {
    let dead = |results: &[Value]| !results.iter().any(|v| live.values[v.0 as usize]);
    let mut out = Block::new();
    for stmt in block {
        match stmt {
            Stmt::Let(v) if live.values[v.0 as usize] => {
                let op = without_dead_parts(r, *v, live, observe);
                let new = r.new.push(op);
                r.set(*v, Some(new));
                out.push(Stmt::Let(new));
            }
            Stmt::Let(_) => observe(DeadValue),
            Stmt::Set(l, v) if live.locals[l.0 as usize] => out.push(Stmt::Set(*l, r.get(*v))),
            Stmt::Set(..) => observe(DeadSet),
            Stmt::Load { results, .. } if dead(results) => observe(DeadLoad),
            Stmt::Call { results, .. } if dead(results) => observe(DeadCall),
            Stmt::If { cond, then, otherwise } => {
                let cond = r.get(*cond);
                let (then, otherwise) = (keep(r, then, live, observe), keep(r, otherwise, live, observe));
                match then.is_empty() && otherwise.is_empty() {
                    true => observe(DeadBranch),
                    false => out.push(Stmt::If { cond, then, otherwise }),
                }
            }
            Stmt::Loop(body) => {
                let body = keep(r, body, live, observe);
                out.push(Stmt::Loop(body));
            }
            Stmt::Break | Stmt::Return => out.push(stmt.clone()),
            _ => {
                let stmt = r.effect(stmt);
                out.push(stmt);
            }
        }
    }
    out
}

/// The old operation on new operands; of several products only those that are needed, and one alone
/// as an ordinary product.
fn without_dead_parts(
    r: &Rewriter<'_>,
    v: Value,
    live: &Live,
    observe: &mut dyn FnMut(Simplification),
) -> Op {
    let needed = |all: &Value| live.parts.get(all).into_iter().flatten().copied();
    match (&r.old[v], r.op(v)) {
        (_, Op::Field(FieldOp::MulShared(n), args)) => {
            let left: Vec<Value> = needed(&v).map(|i| args[i as usize]).collect();
            let m = left.len();
            if m < n {
                observe(DeadProduct);
            }
            Op::Field(FieldOp::MulShared(m), left.into_iter().chain([args[n]]).collect())
        }
        (Op::Part(all, i), Op::Part(new, _)) => match r.new[new].field() {
            Some((FieldOp::MulShared(1), &[x, y])) if x == y => {
                observe(LoneSquare);
                Op::Field(FieldOp::Sqr, vec![y])
            }
            Some((FieldOp::MulShared(1), &[x, y])) => {
                observe(LoneProduct);
                Op::Field(FieldOp::Mul, vec![x, y])
            }
            Some((FieldOp::MulShared(_), _)) => {
                let at = needed(all).position(|j| j == *i);
                Op::Part(new, at.expect("a live part is needed") as u32)
            }
            Some((FieldOp::DotFq2 { terms, .. }, args)) if needed(all).eq([1]) => {
                observe(LoneCoordinate);
                let crossed = |term: &[Value]| [term[0], term[3], term[1], term[2]];
                Op::Field(FieldOp::Dot(2 * terms), args.chunks_exact(4).flat_map(crossed).collect())
            }
            _ => Op::Part(new, *i),
        },
        (_, op) => op,
    }
}
