//! Constant folding, common subexpressions, dead code.
//!
//! Pure operations are shared where the first one dominates the second, that is, within the
//! statements that enclose it. `Get` reads a mutable local: it is shared only between writes,
//! and forwarded from a `Set` in the same straight line.

use super::rewrite::{Rewriter, locals_set};
use crate::declaration::FieldOp;
use crate::fir::ir::{BitOp, Block, CmpOp, IntOp, Kernel, Local, Op, Stmt, Type, Value};
use num_traits::{One, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// The same kernel with less to do.
pub fn simplify(kernel: &Kernel) -> Kernel {
    let mut kernel = fold_and_share(kernel);
    loop {
        let smaller = remove_dead(&kernel);
        if smaller == kernel {
            return kernel;
        }
        kernel = smaller;
    }
}

fn fold_and_share(kernel: &Kernel) -> Kernel {
    let mut s = Sharer {
        r: Rewriter::new(kernel),
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

struct Sharer<'a> {
    r: Rewriter<'a>,
    known: BTreeMap<Key, Value>,
    /// Number of the last write to each local.
    versions: Vec<u32>,
    next_version: u32,
    /// New value that a local holds here, where one is known.
    contents: Vec<Option<Value>>,
}

impl Sharer<'_> {
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
        loop {
            match fold(&self.r.new, &op) {
                Folded::Value(v) => return v,
                Folded::Op(better) => op = better,
                Folded::Same => break,
            }
        }
        let version = match op {
            Op::Get(l) => {
                if let Some(v) = self.contents[l.0 as usize] {
                    return v;
                }
                self.versions[l.0 as usize]
            }
            _ => 0,
        };
        let key = (order_operands(op), version);
        if let Some(&v) = self.known.get(&key) {
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

enum Folded {
    /// The operation's result is this value.
    Value(Value),
    /// The same result by another operation.
    Op(Op),
    /// Nothing better.
    Same,
}

/// One step of folding, over operands of the new kernel.
fn fold(k: &Kernel, op: &Op) -> Folded {
    match op {
        Op::Int(o, a, b) => fold_int(k, *o, *a, *b),
        Op::Not(a) => match (&k[*a], k.ty(*a)) {
            (Op::Bool(x), _) => Folded::Op(Op::Bool(!x)),
            (Op::Not(x), _) => Folded::Value(*x),
            (Op::U32(x), Type::U32) => Folded::Op(Op::U32(!x)),
            (Op::U64(x), Type::U64) => Folded::Op(Op::U64(!x)),
            _ => Folded::Same,
        },
        Op::Bit(o, a) => match k[*a] {
            Op::U32(x) => Folded::Op(Op::U32(match o {
                BitOp::Popc => x.count_ones(),
                BitOp::Clz => x.leading_zeros(),
                BitOp::Brev => x.reverse_bits(),
            })),
            _ => Folded::Same,
        },
        Op::Cmp(o, a, b) => {
            if a == b {
                return Folded::Op(Op::Bool(matches!(o, CmpOp::Eq | CmpOp::Le)));
            }
            match (constant(k, *a), constant(k, *b)) {
                (Some(x), Some(y)) => Folded::Op(Op::Bool(match o {
                    CmpOp::Eq => x == y,
                    CmpOp::Ne => x != y,
                    CmpOp::Lt => x < y,
                    CmpOp::Le => x <= y,
                })),
                _ => Folded::Same,
            }
        }
        Op::Widen(a) => match k[*a] {
            Op::U32(x) => Folded::Op(Op::U64(x.into())),
            _ => Folded::Same,
        },
        Op::Narrow(a) => match k[*a] {
            Op::U64(x) => Folded::Op(Op::U32(x as u32)),
            Op::Widen(x) => Folded::Value(x),
            _ => Folded::Same,
        },
        Op::Select(c, a, b) => match k[*c] {
            Op::Bool(true) => Folded::Value(*a),
            Op::Bool(false) => Folded::Value(*b),
            _ if a == b => Folded::Value(*a),
            _ => Folded::Same,
        },
        _ => fold_field(k, op),
    }
}

fn constant(k: &Kernel, v: Value) -> Option<u64> {
    match k[v] {
        Op::U32(x) => Some(x.into()),
        Op::U64(x) => Some(x),
        Op::Bool(x) => Some(x.into()),
        _ => None,
    }
}

/// The constant of a type; bits above its width are dropped.
fn constant_op(ty: Type, x: u64) -> Op {
    match ty {
        Type::U32 => Op::U32(x as u32),
        Type::U64 => Op::U64(x),
        Type::Pred => Op::Bool(x & 1 == 1),
        Type::Field | Type::Ext(_) | Type::Fields => unreachable!("integer operations have integer types"),
    }
}

fn fold_int(k: &Kernel, o: IntOp, a: Value, b: Value) -> Folded {
    use IntOp::*;
    let ty = k.ty(a);
    let bits = match ty {
        Type::U64 => 64,
        Type::U32 => 32,
        _ => 1,
    };
    let (x, y) = (constant(k, a), constant(k, b));
    if let (Some(x), Some(y)) = (x, y) {
        let folded = match o {
            Add => Some(x.wrapping_add(y)),
            Sub => Some(x.wrapping_sub(y)),
            Mul => Some(x.wrapping_mul(y)),
            And => Some(x & y),
            Or => Some(x | y),
            Xor => Some(x ^ y),
            // An amount at or above the width is the kernel's own fault; leave it visible.
            Shl => (y < bits).then(|| x << y),
            Shr => (y < bits).then(|| x >> y),
            Min => Some(x.min(y)),
            Max => Some(x.max(y)),
            Div => x.checked_div(y),
            Rem => x.checked_rem(y),
        };
        return folded.map_or(Folded::Same, |x| Folded::Op(constant_op(ty, x)));
    }
    match (o, x, y) {
        (Add | Or | Xor, Some(0), _) => Folded::Value(b),
        (Add | Sub | Or | Xor | Shl | Shr, _, Some(0)) => Folded::Value(a),
        (Mul, Some(1), _) => Folded::Value(b),
        (Mul | Div, _, Some(1)) => Folded::Value(a),
        (Mul | And, Some(0), _) | (Mul | And, _, Some(0)) => Folded::Op(constant_op(ty, 0)),
        (And | Or | Min | Max, _, _) if a == b => Folded::Value(a),
        (Sub | Xor, _, _) if a == b => Folded::Op(constant_op(ty, 0)),
        _ => Folded::Same,
    }
}

fn fold_field(k: &Kernel, op: &Op) -> Folded {
    match op {
        Op::Field(op, args) => fold_field_op(k, op, args),
        Op::Part(a, i) => match k[*a].field() {
            Some((FieldOp::MulShared(n), args)) => fold_part(k, *n, args[*i as usize], args[*n]),
            _ => Folded::Same,
        },
        // Words under a bound are under every larger one.
        Op::Word(a, i, below) => match &k[*a] {
            Op::FromWords(words, known) if known <= below => Folded::Value(words[*i as usize]),
            _ => Folded::Same,
        },
        _ => Folded::Same,
    }
}

fn is_zero(k: &Kernel, v: Value) -> bool {
    matches!(&k[v], Op::Const(c) if c.is_zero())
}

fn is_one(k: &Kernel, v: Value) -> bool {
    matches!(&k[v], Op::Const(c) if c.is_one())
}

fn fold_field_op(k: &Kernel, op: &FieldOp, args: &[Value]) -> Folded {
    use FieldOp::*;
    let (zero, one) = (|v: Value| is_zero(k, v), |v: Value| is_one(k, v));
    let nothing = || Folded::Op(Op::Const(Zero::zero()));
    let of = |op: FieldOp, args: &[Value]| Folded::Op(Op::Field(op, args.to_vec()));
    match (op, args) {
        (Add, &[a, b]) if zero(a) => Folded::Value(b),
        (Add | Sub, &[a, b]) if zero(b) => Folded::Value(a),
        (Sub, &[a, b]) if a == b => nothing(),
        (Sub, &[a, b]) if zero(a) => of(Neg, &[b]),
        (Add, &[a, b]) if a == b => of(Dbl, &[a]),
        (Neg | Dbl | Sqr | MulSmall(_) | MulConst(_), &[a]) if zero(a) => nothing(),
        (Neg, &[a]) => match k[a].field() {
            Some((Neg, &[x])) => Folded::Value(x),
            _ => Folded::Same,
        },
        (Mul, &[a, b]) if zero(a) || zero(b) => nothing(),
        (Mul, &[a, b]) if one(a) => Folded::Value(b),
        (Mul, &[a, b]) if one(b) => Folded::Value(a),
        (Mul, &[a, b]) if a == b => of(Sqr, &[a]),
        (MulSmall(0), _) => nothing(),
        (MulSmall(1), &[a]) => Folded::Value(a),
        (MulSmall(2), &[a]) => of(Dbl, &[a]),
        (MulConst(c), _) if c.is_zero() => nothing(),
        (MulConst(c), &[a]) if c.is_one() => Folded::Value(a),
        (Dot(_), terms) if terms.iter().any(|v| zero(*v)) => {
            let left = terms.chunks_exact(2).filter(|term| !zero(term[0]) && !zero(term[1]));
            let left: Vec<Value> = left.flatten().copied().collect();
            if left.is_empty() { nothing() } else { of(Dot(left.len() / 2), &left) }
        }
        (Dot(1), term) => of(Mul, term),
        (MulTable { .. }, [a, ..]) if zero(*a) => nothing(),
        (IsZero, &[a]) => match &k[a] {
            Op::Const(c) => Folded::Op(Op::Bool(c.is_zero())),
            Op::Field(Neg, inner) => of(IsZero, inner),
            _ => Folded::Same,
        },
        _ => Folded::Same,
    }
}

/// A product of several: none where a factor is 0 or 1, and an ordinary one where it is alone.
fn fold_part(k: &Kernel, products: usize, x: Value, y: Value) -> Folded {
    if is_zero(k, x) || is_zero(k, y) {
        Folded::Op(Op::Const(Zero::zero()))
    } else if is_one(k, y) {
        Folded::Value(x)
    } else if is_one(k, x) {
        Folded::Value(y)
    } else if products == 1 {
        Folded::Op(Op::Field(FieldOp::Mul, vec![x, y]))
    } else {
        Folded::Same
    }
}

/// Leaves out values, loads, calls and writes to locals that nothing needs, and branches that do nothing.
fn remove_dead(kernel: &Kernel) -> Kernel {
    let live = live_values(kernel);
    let mut r = Rewriter::new(kernel);
    let body = keep(&mut r, &kernel.body, &live);
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

fn keep(r: &mut Rewriter<'_>, block: &Block, live: &Live) -> Block {
    let mut out = Block::new();
    for stmt in block {
        match stmt {
            Stmt::Let(v) if live.values[v.0 as usize] => {
                let op = without_dead_parts(r, *v, live);
                let new = r.new.push(op);
                r.set(*v, Some(new));
                out.push(Stmt::Let(new));
            }
            Stmt::Let(_) => {}
            Stmt::Set(l, v) if live.locals[l.0 as usize] => out.push(Stmt::Set(*l, r.get(*v))),
            Stmt::Set(..) => {}
            Stmt::Load { results, .. } | Stmt::Call { results, .. }
                if !results.iter().any(|v| live.values[v.0 as usize]) => {}
            Stmt::If { cond, then, otherwise } => {
                let cond = r.get(*cond);
                let (then, otherwise) = (keep(r, then, live), keep(r, otherwise, live));
                if !(then.is_empty() && otherwise.is_empty()) {
                    out.push(Stmt::If { cond, then, otherwise });
                }
            }
            Stmt::Loop(body) => {
                let body = keep(r, body, live);
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
fn without_dead_parts(r: &Rewriter<'_>, v: Value, live: &Live) -> Op {
    let needed = |all: &Value| live.parts.get(all).into_iter().flatten().copied();
    match (&r.old[v], r.op(v)) {
        (_, Op::Field(FieldOp::MulShared(n), args)) => {
            let left: Vec<Value> = needed(&v).map(|i| args[i as usize]).collect();
            let m = left.len();
            Op::Field(FieldOp::MulShared(m), left.into_iter().chain([args[n]]).collect())
        }
        (Op::Part(all, i), Op::Part(new, _)) => match r.new[new].field() {
            Some((FieldOp::MulShared(1), &[x, y])) if x == y => Op::Field(FieldOp::Sqr, vec![y]),
            Some((FieldOp::MulShared(1), &[x, y])) => Op::Field(FieldOp::Mul, vec![x, y]),
            Some((FieldOp::MulShared(_), _)) => {
                let at = needed(all).position(|j| j == *i);
                Op::Part(new, at.expect("a live part is needed") as u32)
            }
            Some((FieldOp::DotFq2 { terms, .. }, args)) if needed(all).eq([1]) => {
                let crossed = |term: &[Value]| [term[0], term[3], term[1], term[2]];
                Op::Field(FieldOp::Dot(2 * terms), args.chunks_exact(4).flat_map(crossed).collect())
            }
            _ => Op::Part(new, *i),
        },
        (_, op) => op,
    }
}

#[cfg(test)]
mod tests;
