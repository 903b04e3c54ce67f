//! Products that cost less together: sums of products with one reduction, and several products with a
//! shared operand.
//!
//! 1. `a·b ± c·d`, where nobody else needs the single products, is a dot product; a difference negates
//!    an operand of what is subtracted.
//! 2. At least [`LEAST_SHARED`] products by one operand, all of whose other operands are known where
//!    the first is computed, are computed together.
//!
//! Whether that pays the cost model says, for canonical operands.

use super::rewrite::Rewriter;
use crate::fir::ir::{Block, Kernel, Op, Stmt, Value};
use crate::limb::{Bound, LimbOp, Pipes, choose};
use crate::spec::FieldDesc;
use std::collections::{BTreeMap, BTreeSet};

/// Fewest products that share an operand: of two the tables of multiples cost what they save.
const LEAST_SHARED: usize = 3;

/// The kernel with its products joined.
pub fn join_products(kernel: &Kernel) -> Kernel {
    let Some(field) = &kernel.field else { return kernel.clone() };
    let joined = Dots::new(kernel, field).run();
    Shared { field, r: Rewriter::new(&joined), parts: BTreeMap::new(), known: BTreeSet::new() }.run()
}

/// The time to expect of an operation on canonical operands, in tenths of a cycle.
fn price(field: &FieldDesc, op: &LimbOp) -> u32 {
    let operands = vec![Bound::Canonical; op.operands(field)];
    choose(field, op, &operands).map_or(u32::MAX, |choice| choice.cost.tenths(&Pipes::SM_90))
}

struct Dots<'a> {
    field: &'a FieldDesc,
    r: Rewriter<'a>,
    /// Uses of each old value.
    uses: Vec<u32>,
}

impl<'a> Dots<'a> {
    fn new(kernel: &'a Kernel, field: &'a FieldDesc) -> Self {
        let mut uses = vec![0; kernel.values().count()];
        count_uses(kernel, &kernel.body, &mut uses);
        Dots { field, r: Rewriter::new(kernel), uses }
    }

    fn run(mut self) -> Kernel {
        let old = self.r.old;
        self.r.new.body = self.block(&old.body);
        self.r.new
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut out = Block::new();
        for stmt in block {
            match stmt {
                Stmt::Let(v) => {
                    let new = self.value(*v, &mut out);
                    self.r.set(*v, Some(new));
                }
                Stmt::Set(l, v) => out.push(Stmt::Set(*l, self.r.get(*v))),
                Stmt::If { cond, then, otherwise } => {
                    let cond = self.r.get(*cond);
                    let (then, otherwise) = (self.block(then), self.block(otherwise));
                    out.push(Stmt::If { cond, then, otherwise });
                }
                Stmt::Loop(body) => {
                    let body = self.block(body);
                    out.push(Stmt::Loop(body));
                }
                Stmt::Break | Stmt::Return => out.push(stmt.clone()),
                _ => {
                    let stmt = self.r.effect(stmt);
                    out.push(stmt);
                }
            }
        }
        out
    }

    fn push(&mut self, op: Op, out: &mut Block) -> Value {
        let new = self.r.new.push(op);
        out.push(Stmt::Let(new));
        new
    }

    fn value(&mut self, old: Value, out: &mut Block) -> Value {
        let kernel = self.r.old;
        let (a, b, subtracts) = match kernel[old] {
            Op::Add(a, b) => (a, b, false),
            Op::Sub(a, b) => (a, b, true),
            _ => return self.push(self.r.op(old), out),
        };
        let (Some(left), Some(right)) = (self.terms(a), self.terms(b)) else {
            return self.push(self.r.op(old), out);
        };
        if !self.pays(left.len(), right.len(), subtracts) {
            return self.push(self.r.op(old), out);
        }
        let mut terms = left;
        for (x, y) in right {
            let x = if subtracts { self.push(Op::Neg(x), out) } else { x };
            terms.push((x, y));
        }
        // A later sum may take these terms in turn; the single products die of disuse.
        self.push(Op::Dot(terms), out)
    }

    /// The new terms of an old value that is a sum of products and used once.
    fn terms(&self, old: Value) -> Option<Vec<(Value, Value)>> {
        if self.uses[old.0 as usize] != 1 {
            return None;
        }
        match &self.r.new[self.r.get(old)] {
            Op::Mul(a, b) => Some(vec![(*a, *b)]),
            Op::Sqr(a) => Some(vec![(*a, *a)]),
            Op::Dot(terms) => Some(terms.clone()),
            _ => None,
        }
    }

    fn pays(&self, left: usize, right: usize, subtracts: bool) -> bool {
        let price = |op: LimbOp| u64::from(price(self.field, &op));
        let sum = |terms: usize| price(if terms == 1 { LimbOp::Mul } else { LimbOp::Dot(terms) });
        let apart = sum(left) + sum(right) + price(if subtracts { LimbOp::Sub } else { LimbOp::Add });
        let negations = if subtracts { right as u64 * price(LimbOp::Neg) } else { 0 };
        sum(left + right) + negations < apart
    }
}

fn count_uses(kernel: &Kernel, block: &Block, uses: &mut [u32]) {
    for stmt in block {
        let read = match stmt {
            Stmt::Let(v) => kernel[*v].args(),
            _ => stmt.uses(),
        };
        read.iter().for_each(|v| uses[v.0 as usize] += 1);
        match stmt {
            Stmt::If { then, otherwise, .. } => {
                count_uses(kernel, then, uses);
                count_uses(kernel, otherwise, uses);
            }
            Stmt::Loop(body) => count_uses(kernel, body, uses),
            _ => {}
        }
    }
}

struct Shared<'a> {
    field: &'a FieldDesc,
    r: Rewriter<'a>,
    /// Old products that were computed with an earlier one: the new products and which of them.
    parts: BTreeMap<Value, (Value, u32)>,
    /// Old values defined so far in the open blocks.
    known: BTreeSet<Value>,
}

impl Shared<'_> {
    fn run(mut self) -> Kernel {
        let old = self.r.old;
        self.r.new.body = self.block(&old.body);
        self.r.new
    }

    fn block(&mut self, block: &Block) -> Block {
        let (mut out, before) = (Block::new(), self.known.clone());
        for (i, stmt) in block.iter().enumerate() {
            match stmt {
                Stmt::Let(v) => {
                    self.share(*v, &block[i + 1..], &mut out);
                    let op = match self.parts.get(v) {
                        Some((all, which)) => Op::Part(*all, *which),
                        None => self.r.op(*v),
                    };
                    let new = self.r.new.push(op);
                    out.push(Stmt::Let(new));
                    self.r.set(*v, Some(new));
                }
                Stmt::Set(l, v) => out.push(Stmt::Set(*l, self.r.get(*v))),
                Stmt::If { cond, then, otherwise } => {
                    let cond = self.r.get(*cond);
                    let (then, otherwise) = (self.block(then), self.block(otherwise));
                    out.push(Stmt::If { cond, then, otherwise });
                }
                Stmt::Loop(body) => {
                    let body = self.block(body);
                    out.push(Stmt::Loop(body));
                }
                Stmt::Break | Stmt::Return => out.push(stmt.clone()),
                _ => {
                    let stmt = self.r.effect(stmt);
                    out.push(stmt);
                }
            }
            self.known.extend(stmt.results());
        }
        self.known = before;
        out
    }

    /// If `v` is the first of enough products by one operand, computes them all.
    fn share(&mut self, v: Value, rest: &[Stmt], out: &mut Block) {
        let kernel = self.r.old;
        let Op::Mul(a, b) = kernel[v] else { return };
        if self.parts.contains_key(&v) {
            return;
        }
        for (x, y) in [(a, b), (b, a)] {
            let mut group = vec![(v, x)];
            for stmt in rest {
                let Stmt::Let(w) = stmt else { continue };
                let other = match kernel[*w] {
                    Op::Mul(c, d) if d == y => c,
                    Op::Mul(c, d) if c == y => d,
                    _ => continue,
                };
                if other != y && self.known.contains(&other) && !self.parts.contains_key(w) {
                    group.push((*w, other));
                }
            }
            let m = group.len();
            let together = u64::from(price(self.field, &LimbOp::MulShared(m)));
            if x == y || m < LEAST_SHARED || together >= m as u64 * u64::from(price(self.field, &LimbOp::Mul))
            {
                continue;
            }
            let xs = group.iter().map(|(_, x)| self.r.get(*x)).collect();
            let all = self.r.new.push(Op::MulShared(xs, self.r.get(y)));
            out.push(Stmt::Let(all));
            for (which, (w, _)) in group.into_iter().enumerate() {
                self.parts.insert(w, (all, which as u32));
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::build::Builder;
    use crate::fir::verify::verify;
    use crate::passes::simplify;
    use curvesmith_abi::kernels::FieldMulSub;
    use num_bigint::BigUint;

    fn bn254() -> FieldDesc {
        let p = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
        FieldDesc::new("bn254_fq", BigUint::parse_bytes(p.as_bytes(), 16).expect("hexadecimal"))
    }

    fn joined(b: Builder) -> Kernel {
        let kernel = simplify(&join_products(&simplify(&b.finish())));
        assert_eq!(verify(&kernel), Ok(()));
        kernel
    }

    fn count(kernel: &Kernel, f: impl Fn(&Op) -> bool) -> usize {
        kernel.values().filter(|v| f(&kernel[*v])).count()
    }

    #[test]
    fn sums_and_differences_of_products_are_reduced_once() {
        let b = Builder::for_field::<FieldMulSub>(&bn254());
        let i = b.global_index();
        let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
        b.buffer("out").set_field(i, x * y - z * z + y * z);
        let kernel = joined(b);
        assert_eq!(count(&kernel, |op| matches!(op, Op::Dot(terms) if terms.len() == 3)), 1);
        assert_eq!(count(&kernel, |op| matches!(op, Op::Neg(_))), 1);
        assert_eq!(
            count(&kernel, |op| matches!(op, Op::Mul(..) | Op::Sqr(_) | Op::Add(..) | Op::Sub(..))),
            0
        );
    }

    #[test]
    fn a_product_that_others_need_stays_one() {
        let b = Builder::for_field::<FieldMulSub>(&bn254());
        let i = b.global_index();
        let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
        let product = x * y;
        b.buffer("out").set_field(i, (product + y * z) * product);
        assert_eq!(count(&joined(b), |op| matches!(op, Op::Dot(_))), 0);
    }

    /// Three products by `y` whose other operands are known; the fourth needs the first.
    #[test]
    fn products_by_one_operand_are_computed_together_where_that_pays() {
        let field = bn254();
        let b = Builder::for_field::<FieldMulSub>(&field);
        let i = b.global_index();
        let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
        let other = x + z;
        let products = [x * y, z * y, y * other];
        let late = products[0] * products[1] * y;
        let all = products.iter().fold(late, |all, p| all * *p);
        b.buffer("out").set_field(i, all);
        let kernel = joined(b);
        let pays = price(&field, &LimbOp::MulShared(3)) < 3 * price(&field, &LimbOp::Mul);
        let shared = |op: &Op| matches!(op, Op::MulShared(xs, _) if xs.len() == 3);
        assert_eq!(count(&kernel, shared), usize::from(pays));
        assert_eq!(count(&kernel, |op| matches!(op, Op::Part(..))), if pays { 3 } else { 0 });
    }
}
