//! Locals that live in memory: read where they are used, and written as soon as that can be.

use crate::declaration::FieldOp;
use crate::fir::ir::{Block, Kernel, Local, Op, Stmt, Value};
use crate::fir::rewrite::Rewriter;
use crate::targets::Machine;
use std::collections::BTreeSet;

/// The kernel where sums of locals in memory are computed for every operation that reads them, and not kept
/// in registers from one to the next.
pub(crate) fn recompute<T: Machine>(kernel: &Kernel) -> Kernel {
    let rereadable = rereadable(kernel, &T::in_memory(kernel));
    if !rereadable.contains(&true) {
        return kernel.clone();
    }
    let is_sum = |v: Value| match kernel[v].field() {
        Some((FieldOp::Add | FieldOp::Sub | FieldOp::Neg | FieldOp::Dbl, args)) => {
            args.iter().all(|v| rereadable[v.0 as usize])
        }
        _ => false,
    };
    let mut read = BTreeSet::new();
    Rewriter::new(kernel).rebuild(|r, v, _, out| {
        for sum in kernel[v].args().into_iter().collect::<BTreeSet<_>>() {
            if is_sum(sum) && !read.insert(sum) {
                let again = r.compute(r.op(sum), out);
                r.set(sum, Some(again));
            }
        }
        r.compute(r.op(v), out)
    })
}

/// The `get`s of locals in memory whose value can be read again at every use, since nothing sets the local
/// between the `get` and the last use: by value.
pub(crate) fn rereadable(kernel: &Kernel, in_memory: &[bool]) -> Vec<bool> {
    let mut found = vec![false; kernel.values().count()];
    note(kernel, &kernel.body, in_memory, &mut found);
    found
}

fn note(kernel: &Kernel, block: &Block, in_memory: &[bool], found: &mut [bool]) {
    for (at, stmt) in block.iter().enumerate() {
        stmt.blocks().into_iter().for_each(|inner| note(kernel, inner, in_memory, found));
        if let Stmt::Let(v) = stmt
            && let Op::Get(local) = kernel[*v]
            && in_memory[local.0 as usize]
        {
            let after = &block[at + 1..];
            let last = after.iter().rposition(|stmt| reads(kernel, stmt, *v));
            let set = after.iter().position(|stmt| sets(stmt, local));
            // What sets the local reads before it does, unless that is within it.
            found[v.0 as usize] = match (set, last) {
                (Some(set), Some(last)) => last < set || last == set && matches!(after[set], Stmt::Set(..)),
                _ => true,
            };
        }
    }
}

/// Moves what sets a local in memory up to where its value is there and the old one is no longer read.
pub(crate) fn set_early(kernel: &mut Kernel, in_memory: &[bool]) {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = early(kernel, body, in_memory);
}

fn early(kernel: &Kernel, block: Block, in_memory: &[bool]) -> Block {
    let mut out = Block::new();
    for stmt in block {
        let stmt = match stmt {
            Stmt::If { cond, then, otherwise } => {
                let [then, otherwise] = [then, otherwise].map(|block| early(kernel, block, in_memory));
                Stmt::If { cond, then, otherwise }
            }
            Stmt::Loop(body) => Stmt::Loop(early(kernel, body, in_memory)),
            stmt => stmt,
        };
        let at = match stmt {
            Stmt::Set(local, v) if in_memory[local.0 as usize] => earliest(kernel, &out, local, v),
            _ => out.len(),
        };
        out.insert(at, stmt);
    }
    out
}

/// Where `set local, v` may stand at the end of a block or before: not before what makes `v`, what reads or
/// sets the local, what reads something read from it, or what may leave the block.
fn earliest(kernel: &Kernel, block: &Block, local: Local, v: Value) -> usize {
    let got = |stmt: &Stmt| matches!(stmt, Stmt::Let(got) if kernel[*got] == Op::Get(local));
    let old: Vec<Value> = block.iter().filter(|stmt| got(stmt)).flat_map(Stmt::results).collect();
    let stays = |stmt: &Stmt| {
        stmt.results().contains(&v)
            || got(stmt)
            || old.iter().any(|old| reads(kernel, stmt, *old))
            || !matches!(stmt, Stmt::Let(_) | Stmt::Set(..) | Stmt::Call { .. })
            || sets(stmt, local)
    };
    block.iter().rposition(stays).map_or(0, |last| last + 1)
}

fn reads(kernel: &Kernel, stmt: &Stmt, v: Value) -> bool {
    let own = match stmt {
        Stmt::Let(of) => kernel[*of].args(),
        _ => stmt.uses(),
    };
    own.contains(&v) || within(stmt, |stmt| reads(kernel, stmt, v))
}

fn sets(stmt: &Stmt, local: Local) -> bool {
    matches!(stmt, Stmt::Set(l, _) if *l == local) || within(stmt, |stmt| sets(stmt, local))
}

/// Whether it holds for a statement in the statement's blocks.
fn within(stmt: &Stmt, holds: impl Fn(&Stmt) -> bool) -> bool {
    stmt.blocks().into_iter().flatten().any(holds)
}

#[cfg(test)]
mod tests;
