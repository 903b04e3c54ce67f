//! Constant folding, common subexpressions, dead code.
//!
//! Pure operations are shared where the first one dominates the second, that is, within the
//! statements that enclose it. `Get` reads a mutable local: it is shared only between writes,
//! and forwarded from a `Set` in the same straight line.

mod dead;
mod fold;
mod names;

use crate::declaration::FieldOp;
use crate::fir::ir::{Block, IntOp, Kernel, Local, Op, Stmt, Value};
use crate::fir::rewrite::{Rewriter, locals_set};
use dead::remove_dead;
use fold::{Folded, fold};
pub use names::Simplification;
use std::collections::BTreeMap;

/// The same kernel with less to do.
pub fn simplify(kernel: &Kernel) -> Kernel {
    simplify_observed(kernel, &mut |_| {})
}

/// [`simplify`], with an observer of every rewrite that applies.
pub fn simplify_observed(kernel: &Kernel, observe: &mut dyn FnMut(Simplification)) -> Kernel {
    let mut kernel = fold_and_share(kernel, observe);
    loop {
        let smaller = remove_dead(&kernel, observe);
        if smaller == kernel {
            return kernel;
        }
        kernel = smaller;
    }
}

fn fold_and_share(kernel: &Kernel, observe: &mut dyn FnMut(Simplification)) -> Kernel {
    let mut s = Sharer {
        r: Rewriter::new(kernel),
        observe,
        known: BTreeMap::new(),
        versions: vec![0; kernel.locals.len()],
        next_version: 0,
        contents: vec![None; kernel.locals.len()],
    };
    let mut body = Block::new();
    s.block(&kernel.body, &mut body);
    s.r.new.body = body;
    s.r.new
}

/// What makes two pure operations equal: the operation, and for a `Get` the write it sees.
type Key = (Op, u32);

struct Sharer<'a, 'o> {
    r: Rewriter<'a>,
    observe: &'o mut dyn FnMut(Simplification),
    known: BTreeMap<Key, Value>,
    /// Number of the last write to each local.
    versions: Vec<u32>,
    next_version: u32,
    /// New value that a local holds here, where one is known.
    contents: Vec<Option<Value>>,
}

impl Sharer<'_, '_> {
    /// Appends to `out`. True when control does not reach the end.
    fn block(&mut self, block: &Block, out: &mut Block) -> bool {
        for stmt in block {
            match stmt {
                Stmt::Let(v) => {
                    let new = self.value(*v, out);
                    self.r.set(*v, Some(new));
                }
                Stmt::Set(l, v) => {
                    let v = self.r.get(*v);
                    self.forget(*l);
                    self.contents[l.0 as usize] = Some(v);
                    out.push(Stmt::Set(*l, v));
                }
                Stmt::If { cond, then, otherwise } => {
                    if self.branch(self.r.get(*cond), then, otherwise, out) {
                        return true;
                    }
                }
                Stmt::Loop(body) => {
                    self.forget_all(body);
                    let body_out = self.scope(|s, out| {
                        s.block(body, out);
                    });
                    self.forget_all(body);
                    out.push(Stmt::Loop(body_out));
                }
                Stmt::Break | Stmt::Return => {
                    out.push(stmt.clone());
                    return true;
                }
                _ => {
                    let stmt = self.r.effect(stmt);
                    out.push(stmt);
                }
            }
        }
        false
    }

    fn branch(&mut self, cond: Value, then: &Block, otherwise: &Block, out: &mut Block) -> bool {
        if let Op::Bool(taken) = self.r.new[cond] {
            (self.observe)(Simplification::KnownBranch);
            return self.block(if taken { then } else { otherwise }, out);
        }
        let (mut then_ends, mut otherwise_ends) = (false, false);
        let then_out = self.scope(|s, out| then_ends = s.block(then, out));
        let otherwise_out = self.scope(|s, out| otherwise_ends = s.block(otherwise, out));
        // A branch that does not come back leaves no trace in the locals.
        if !then_ends {
            self.forget_all(then);
        }
        if !otherwise_ends {
            self.forget_all(otherwise);
        }
        out.push(Stmt::If { cond, then: then_out, otherwise: otherwise_out });
        then_ends && otherwise_ends
    }

    /// Runs `f` on a nested block; what is learned inside is forgotten after.
    fn scope(&mut self, f: impl FnOnce(&mut Self, &mut Block)) -> Block {
        let (known, versions, contents) = (self.known.clone(), self.versions.clone(), self.contents.clone());
        let mut out = Block::new();
        f(self, &mut out);
        (self.known, self.versions, self.contents) = (known, versions, contents);
        out
    }

    fn forget(&mut self, l: Local) {
        self.next_version += 1;
        self.versions[l.0 as usize] = self.next_version;
        self.contents[l.0 as usize] = None;
    }

    fn forget_all(&mut self, block: &Block) {
        let mut set = vec![];
        locals_set(block, &mut set);
        set.into_iter().for_each(|l| self.forget(l));
    }

    /// The new value for an old `Let`, made here unless one is at hand.
    fn value(&mut self, old: Value, out: &mut Block) -> Value {
        let mut op = self.r.op(old);
        while let Some((simplification, folded)) = fold(&self.r.new, &op) {
            (self.observe)(simplification);
            match folded {
                Folded::Value(v) => return v,
                Folded::Op(better) => op = better,
            }
        }
        let version = match op {
            Op::Get(l) => {
                if let Some(v) = self.contents[l.0 as usize] {
                    (self.observe)(Simplification::ReadSet);
                    return v;
                }
                self.versions[l.0 as usize]
            }
            _ => 0,
        };
        let key = (order_operands(op), version);
        if let Some(&v) = self.known.get(&key) {
            (self.observe)(Simplification::Share);
            return v;
        }
        let v = self.r.new.push(key.0.clone());
        out.push(Stmt::Let(v));
        if let Op::Get(l) = key.0 {
            self.contents[l.0 as usize] = Some(v);
        }
        self.known.insert(key, v);
        v
    }
}

/// Commutative operands in ascending order.
fn order_operands(op: Op) -> Op {
    match op {
        Op::Field(op @ (FieldOp::Add | FieldOp::Mul), args) if args[1] < args[0] => {
            Op::Field(op, vec![args[1], args[0]])
        }
        Op::Int(o, a, b) if b < a && commutes(o) => Op::Int(o, b, a),
        op => op,
    }
}

fn commutes(op: IntOp) -> bool {
    use IntOp::*;
    matches!(op, Add | Mul | And | Or | Xor | Min | Max)
}
