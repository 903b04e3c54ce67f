//! Reductions of values that a loop does not change, before the loop.

use crate::fir::ir::{Block, Kernel, Op, Stmt, Value};
use std::collections::BTreeSet;

/// Moves them as far out as their operands allow. Reductions are total and pure: one that a loop
/// might not have reached does no harm.
pub(super) fn reductions(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    out_of(kernel, &mut body);
    kernel.body = body;
}

fn out_of(kernel: &Kernel, block: &mut Block) {
    let mut out = Block::new();
    for mut stmt in std::mem::take(block) {
        match &mut stmt {
            Stmt::Loop(body) => {
                out_of(kernel, body);
                let mut inside = BTreeSet::new();
                defined(body, &mut inside);
                let (moves, stays): (Block, Block) =
                    std::mem::take(body).into_iter().partition(|s| is_invariant(kernel, s, &inside));
                *body = stays;
                out.extend(moves);
            }
            Stmt::If { then, otherwise, .. } => {
                out_of(kernel, then);
                out_of(kernel, otherwise);
            }
            _ => {}
        }
        out.push(stmt);
    }
    *block = out;
}

fn is_invariant(kernel: &Kernel, stmt: &Stmt, inside: &BTreeSet<Value>) -> bool {
    match stmt {
        Stmt::Let(v) => match &kernel[*v] {
            Op::Field(op, args) if op.reduces() => !inside.contains(&args[0]),
            _ => false,
        },
        _ => false,
    }
}

/// The values that a block defines, nested blocks included.
fn defined(block: &Block, values: &mut BTreeSet<Value>) {
    for stmt in block {
        values.extend(stmt.results());
        match stmt {
            Stmt::If { then, otherwise, .. } => {
                defined(then, values);
                defined(otherwise, values);
            }
            Stmt::Loop(body) => defined(body, values),
            _ => {}
        }
    }
}
