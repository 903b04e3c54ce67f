//! A kernel under reconstruction, statement by statement: what passes and forms of kernels share.

use crate::declaration::{FieldOp, MAX_NONRESIDUE};
use crate::fir::ir::{Block, Kernel, Local, Op, Place, Stmt, Value};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// Largest factor for which additions are cheaper than a multiplication.
const SMALL: u32 = MAX_NONRESIDUE;

/// The statement with `f` applied to every value that it reads. Nested blocks, results and the
/// value of a `Let` stay as they are.
pub(crate) fn map_uses(stmt: &Stmt, mut f: impl FnMut(Value) -> Value) -> Stmt {
    let mut stmt = stmt.clone();
    match &mut stmt {
        Stmt::Let(_) | Stmt::Loop(_) | Stmt::Break | Stmt::Return | Stmt::Barrier | Stmt::Fence(_) => {}
        Stmt::Set(_, v) => *v = f(*v),
        Stmt::Call { args: values, .. } | Stmt::Yield(values) => values.iter_mut().for_each(|v| *v = f(*v)),
        Stmt::If { cond, .. } => *cond = f(*cond),
        Stmt::Load { place, .. } | Stmt::LoadOrdered { place, .. } | Stmt::Prefetch { place } => {
            map_place(place, &mut f)
        }
        Stmt::Store { place, words } => {
            map_place(place, &mut f);
            words.iter_mut().for_each(|w| *w = f(*w));
        }
        Stmt::StoreOrdered { place, value, .. } | Stmt::Atomic { place, value, .. } => {
            map_place(place, &mut f);
            *value = f(*value);
        }
        Stmt::SyncWarp { mask } => *mask = f(*mask),
        Stmt::Shuffle { value, arg, mask, .. } => {
            *value = f(*value);
            *arg = f(*arg);
            *mask = f(*mask);
        }
        Stmt::Ballot { cond, mask, .. } => {
            *cond = f(*cond);
            *mask = f(*mask);
        }
        Stmt::MatchAny { value, mask, .. } => {
            *value = f(*value);
            *mask = f(*mask);
        }
    }
    stmt
}

fn map_place(place: &mut Place, f: &mut impl FnMut(Value) -> Value) {
    match place {
        Place::Global { index, .. } | Place::Shared { index, .. } => *index = f(*index),
        Place::Part { index, part, .. } => {
            *index = f(*index);
            *part = f(*part);
        }
    }
}

/// The statement with other results.
pub(crate) fn map_results(mut stmt: Stmt, mut f: impl FnMut(Value) -> Value) -> Stmt {
    match &mut stmt {
        Stmt::Let(v) => *v = f(*v),
        Stmt::Load { results, .. } | Stmt::Call { results, .. } => {
            results.iter_mut().for_each(|v| *v = f(*v))
        }
        Stmt::LoadOrdered { result, .. }
        | Stmt::Atomic { result, .. }
        | Stmt::Shuffle { result, .. }
        | Stmt::Ballot { result, .. }
        | Stmt::MatchAny { result, .. } => *result = f(*result),
        Stmt::Set(..)
        | Stmt::If { .. }
        | Stmt::Loop(_)
        | Stmt::Break
        | Stmt::Return
        | Stmt::Yield(_)
        | Stmt::Prefetch { .. }
        | Stmt::Store { .. }
        | Stmt::StoreOrdered { .. }
        | Stmt::Barrier
        | Stmt::SyncWarp { .. }
        | Stmt::Fence(_) => {}
    }
    stmt
}

/// The locals that a block sets, nested blocks included.
pub(crate) fn locals_set(block: &Block, out: &mut Vec<Local>) {
    for stmt in block {
        match stmt {
            Stmt::Set(l, _) => out.push(*l),
            Stmt::If { then, otherwise, .. } => {
                locals_set(then, out);
                locals_set(otherwise, out);
            }
            Stmt::Loop(body) => locals_set(body, out),
            _ => {}
        }
    }
}

/// A kernel that grows, with the map from the values of the kernel it is made from.
#[derive(Clone)]
pub(crate) struct Rewriter<'a> {
    /// The kernel that is read.
    pub(crate) old: &'a Kernel,
    /// The kernel that is made.
    pub(crate) new: Kernel,
    map: Vec<Option<Value>>,
}

impl<'a> Rewriter<'a> {
    /// Same contract, functions, locals and shared arrays; no values, no statements.
    pub(crate) fn new(old: &'a Kernel) -> Self {
        let mut new = Kernel::new(old.symbol.clone(), old.desc, old.field.clone(), old.tower.clone());
        new.form = old.form;
        new.function = old.function.clone();
        new.functions = old.functions.clone();
        new.locals = old.locals.clone();
        new.shared = old.shared.clone();
        new.resident = old.resident;
        new.unguarded = old.unguarded;
        Rewriter { old, new, map: vec![None; old.values().count()] }
    }

    /// What an old value has become.
    pub(crate) fn get(&self, old: Value) -> Value {
        self.map[old.0 as usize].expect("a value is defined before its uses")
    }

    /// Whether an old value has become something: where it may be read, whether it is computed by now.
    pub(crate) fn has(&self, old: Value) -> bool {
        self.map[old.0 as usize].is_some()
    }

    /// Says what an old value becomes; what it was before.
    pub(crate) fn set(&mut self, old: Value, new: Option<Value>) -> Option<Value> {
        std::mem::replace(&mut self.map[old.0 as usize], new)
    }

    /// The old operation on new operands.
    pub(crate) fn op(&self, old: Value) -> Op {
        self.old[old].map_args(|a| self.get(a))
    }

    /// A statement without nested blocks that is not a `Let`: fresh results, new operands.
    pub(crate) fn effect(&mut self, stmt: &Stmt) -> Stmt {
        let stmt = map_uses(stmt, |v| self.get(v));
        map_results(stmt, |v| {
            let new = self.new.push(self.old[v].clone());
            self.set(v, Some(new));
            new
        })
    }

    /// Makes a value at the end of a block.
    pub(crate) fn compute(&mut self, op: Op, out: &mut Block) -> Value {
        let new = self.new.push(op);
        out.push(Stmt::Let(new));
        new
    }

    /// The kernel with the statements of the old one, where `value` says what each of its values becomes: it
    /// is given the value, the statements behind it in its block, and the block that is made.
    pub(crate) fn rebuild(
        mut self,
        mut value: impl FnMut(&mut Self, Value, &[Stmt], &mut Block) -> Value,
    ) -> Kernel {
        let old = self.old;
        self.new.body = self.rebuild_block(&old.body, &mut value);
        self.new
    }

    fn rebuild_block(
        &mut self,
        block: &Block,
        value: &mut impl FnMut(&mut Self, Value, &[Stmt], &mut Block) -> Value,
    ) -> Block {
        let mut out = Block::new();
        for (i, stmt) in block.iter().enumerate() {
            let stmt = match stmt {
                Stmt::Let(v) => {
                    let new = value(self, *v, &block[i + 1..], &mut out);
                    self.set(*v, Some(new));
                    continue;
                }
                Stmt::Set(l, v) => Stmt::Set(*l, self.get(*v)),
                Stmt::If { cond, then, otherwise } => Stmt::If {
                    cond: self.get(*cond),
                    then: self.rebuild_inner(then, value),
                    otherwise: self.rebuild_inner(otherwise, value),
                },
                Stmt::Loop(body) => Stmt::Loop(self.rebuild_inner(body, value)),
                Stmt::Break | Stmt::Return => stmt.clone(),
                _ => self.effect(stmt),
            };
            out.push(stmt);
        }
        out
    }

    /// A block within another: what values from outside become in it ends with it.
    fn rebuild_inner(
        &mut self,
        block: &Block,
        value: &mut impl FnMut(&mut Self, Value, &[Stmt], &mut Block) -> Value,
    ) -> Block {
        let outside = self.map.clone();
        let out = self.rebuild_block(block, value);
        for (now, before) in self.map.iter_mut().zip(outside) {
            *now = before.or(*now);
        }
        out
    }
}

/// `c·x` in the prime field modulo `p`, by additions where `c` or `-c` is small.
pub(crate) fn mul_number(
    p: &BigUint,
    x: Value,
    c: &BigUint,
    mut of: impl FnMut(FieldOp, Value) -> Value,
) -> Value {
    let small = |c: &BigUint| c.to_u32().filter(|&c| c <= SMALL);
    let minus = p - c;
    match (small(c), small(&minus)) {
        _ if c.is_one() => x,
        _ if minus.is_one() => of(FieldOp::Neg, x),
        (Some(c), _) => of(FieldOp::MulSmall(c), x),
        (_, Some(minus)) => {
            let product = of(FieldOp::MulSmall(minus), x);
            of(FieldOp::Neg, product)
        }
        _ => of(FieldOp::MulConst(c.clone()), x),
    }
}
