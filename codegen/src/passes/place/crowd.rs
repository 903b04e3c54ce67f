//! Which multiplications have company: others in the same basic block, neither depending on the other.
//!
//! A product that is itself made of several side by side may get in their way: whether it does, the target
//! says ([`Machine::crowds`]).

use crate::fir::ir::{Block, Kernel, Op, Stmt, Value};
use crate::passes::work::products;
use crate::targets::Machine;
use std::collections::BTreeMap;

/// The multiplications with company.
pub(super) struct Crowd {
    /// Whether the kernel's multiplications are functions of their own.
    pub(super) calls: bool,
    company: Vec<bool>,
}

impl Crowd {
    pub(super) fn of<T: Machine>(kernel: &Kernel) -> Self {
        let mut crowd = Crowd { calls: T::calls(kernel), company: vec![false; kernel.values().count()] };
        if T::crowds(kernel) {
            crowd.visit(kernel, &kernel.body);
        }
        crowd
    }

    pub(super) fn has(&self, v: Value) -> bool {
        self.company[v.0 as usize]
    }

    fn visit(&mut self, kernel: &Kernel, block: &Block) {
        let mut run = Run::default();
        for stmt in block {
            match stmt {
                Stmt::Let(v) => run.define(kernel, *v),
                Stmt::Set(l, v) => {
                    run.held.insert(l.0, run.needs.get(v).cloned().unwrap_or_default());
                }
                Stmt::Shuffle { result, value, .. } => {
                    let needs = run.needs.get(value).cloned().unwrap_or_default();
                    run.needs.insert(*result, needs);
                }
                Stmt::If { then, otherwise, .. } => {
                    std::mem::take(&mut run).close(self);
                    self.visit(kernel, then);
                    self.visit(kernel, otherwise);
                }
                Stmt::Loop(body) => {
                    std::mem::take(&mut run).close(self);
                    self.visit(kernel, body);
                }
                _ => {}
            }
        }
        run.close(self);
    }
}

/// A basic block as far as it has been read.
#[derive(Default)]
struct Run {
    /// Its multiplications.
    products: Vec<Value>,
    /// The multiplications that a value depends on, by number.
    needs: BTreeMap<Value, Vec<bool>>,
    /// The same for what locals hold.
    held: BTreeMap<u32, Vec<bool>>,
}

impl Run {
    fn define(&mut self, kernel: &Kernel, v: Value) {
        let op = &kernel[v];
        let mut needs = match op {
            Op::Get(l) => self.held.get(&l.0).cloned().unwrap_or_default(),
            _ => vec![],
        };
        for other in op.args().iter().filter_map(|a| self.needs.get(a)) {
            needs.resize(needs.len().max(other.len()), false);
            needs.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
        }
        if products(op) > 0 {
            needs.resize(self.products.len(), false);
            needs.push(true);
            self.products.push(v);
        }
        self.needs.insert(v, needs);
    }

    fn close(self, crowd: &mut Crowd) {
        let depends = |a: usize, b: usize| self.needs[&self.products[a]].get(b).copied().unwrap_or(false);
        for (at, v) in self.products.iter().enumerate() {
            let apart = |other: &usize| *other != at && !depends(at, *other) && !depends(*other, at);
            crowd.company[v.0 as usize] = (0..self.products.len()).any(|other| apart(&other));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::FieldDesc;
    use crate::fir::build::{Builder, Fe};
    use crate::targets::ptx::Ptx;
    use curvesmith_abi::Geometry;
    use curvesmith_abi::kernels::FieldMulSub;

    /// Whether the products of a kernel that computes `out` of `a`, `b`, `c` have company, in their order.
    fn company(body: impl for<'k> FnOnce(&'k Builder, [Fe<'k>; 3]) -> Fe<'k>) -> Vec<bool> {
        let field = FieldDesc::new("toy", 13u32.into());
        let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &field);
        let i = b.global_index();
        let operands = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
        let out = body(&b, operands);
        b.buffer("out").set_field(i, out);
        let kernel = b.finish();
        let crowd = Crowd::of::<Ptx>(&kernel);
        kernel.values().filter(|v| products(&kernel[*v]) > 0).map(|v| crowd.has(v)).collect()
    }

    #[test]
    fn a_chain_is_alone_and_independent_products_are_not() {
        assert_eq!(company(|_, [x, y, z]| (x * y + z) * z), [false, false]);
        assert_eq!(company(|_, [x, y, z]| x * y + z.sqr()), [true, true]);
        // The last one waits for all others.
        assert_eq!(company(|_, [x, y, z]| (x * y + z.sqr()) * z), [true, true, false]);
    }

    #[test]
    fn what_a_local_holds_is_waited_for() {
        assert_eq!(company(|b, [x, y, z]| b.var(x * y).get() * z), [false, false]);
    }

    #[test]
    fn branches_part_the_company() {
        let apart = company(|b, [x, y, z]| {
            let product = x * y;
            let other = b.var(z);
            b.if_(x.is_zero(), || other.set(z.sqr()));
            product + other.get()
        });
        assert_eq!(apart, [false, false]);
    }

    #[test]
    fn functions_run_alone() {
        let field = FieldDesc::new("large", (num_bigint::BigUint::from(1u32) << 1023) + 5u32);
        let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &field);
        let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(b.global_index()));
        b.buffer("out").set_field(b.global_index(), x * y + x * z + y * z);
        let kernel = b.finish();
        assert!(Ptx::calls(&kernel));
        let crowd = Crowd::of::<Ptx>(&kernel);
        assert!(kernel.values().all(|v| !crowd.has(v)));
    }
}
