//! The independent checker of bounds and variants.
//!
//! It computes no bound. It takes those claimed and asks, value by value, whether each follows from
//! the bounds of its operands: that the chosen variant is one of those on offer for operands at
//! least as loose, that its result is within the claim, and that every local holds only what its
//! claim allows, which makes the claims an invariant of every loop.

use super::info::{Fact, KernelInfo};
use crate::error::PassError;
use crate::fir::ir::{Block, Kernel, Op, Stmt, Type, Value};
use crate::limb::{Bound, LimbOp, choices};
use crate::spec::FieldDesc;
use curvesmith_abi::TableShape;

/// Judges the claims; the first that does not hold is the error.
pub fn verify_bounds(kernel: &Kernel, info: &KernelInfo) -> Result<(), PassError> {
    if info.facts.len() != kernel.values().count() || info.locals.len() != kernel.locals.len() {
        return Err(PassError::Malformed("facts of another kernel".into()));
    }
    let Some(field) = &kernel.field else { return Ok(()) };
    let checker = Checker { kernel, info, field };
    checker.block(&kernel.body)
}

struct Checker<'a> {
    kernel: &'a Kernel,
    info: &'a KernelInfo,
    field: &'a FieldDesc,
}

impl Checker<'_> {
    fn block(&self, block: &Block) -> Result<(), PassError> {
        for stmt in block {
            match stmt {
                Stmt::Let(v) => self.value(*v)?,
                Stmt::Set(l, v) if self.kernel.ty(*v) == Type::Field => {
                    let held = self.info.locals[l.0 as usize];
                    self.within(*v, Some(self.bound(*v)?), held, "exceeds the local it is set to")?;
                }
                Stmt::If { then, otherwise, .. } => {
                    self.block(then)?;
                    self.block(otherwise)?;
                }
                Stmt::Loop(body) => self.block(body)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn fact(&self, v: Value) -> &Fact {
        &self.info.facts[v.0 as usize]
    }

    fn bound(&self, v: Value) -> Result<Bound, PassError> {
        self.fact(v).bound.ok_or_else(|| error(v, "has no bound"))
    }

    /// `inner` lies within `outer`.
    fn within(
        &self,
        v: Value,
        inner: Option<Bound>,
        outer: Option<Bound>,
        reason: &str,
    ) -> Result<(), PassError> {
        match (inner, outer) {
            (Some(a), Some(b)) if a.limit(self.field) <= b.limit(self.field) => Ok(()),
            _ => Err(error(v, reason)),
        }
    }

    fn value(&self, v: Value) -> Result<(), PassError> {
        let claim = self.fact(v).bound;
        match &self.kernel[v] {
            Op::Word(a, _) => self.within(
                *a,
                Some(self.bound(*a)?),
                Some(Bound::Canonical),
                "is not canonical where words are read",
            ),
            Op::Const(_) | Op::FromWords(_) => {
                self.within(v, Some(Bound::Canonical), claim, "claims less than canonical")
            }
            Op::Get(l) if self.kernel.ty(v) == Type::Field => {
                self.within(v, self.info.locals[l.0 as usize], claim, "claims less than its local may hold")
            }
            Op::Select(_, a, b) if self.kernel.ty(v) == Type::Field => {
                self.within(v, Some(self.bound(*a)?), claim, "claims less than its first arm")?;
                self.within(v, Some(self.bound(*b)?), claim, "claims less than its second arm")
            }
            Op::Add(a, b) => self.variant(v, LimbOp::Add, &[*a, *b]),
            Op::Sub(a, b) => self.variant(v, LimbOp::Sub, &[*a, *b]),
            Op::Mul(a, b) => self.variant(v, LimbOp::Mul, &[*a, *b]),
            Op::Neg(a) => self.variant(v, LimbOp::Neg, &[*a]),
            Op::Dbl(a) => self.variant(v, LimbOp::Dbl, &[*a]),
            Op::Sqr(a) => self.variant(v, LimbOp::Sqr, &[*a]),
            Op::MulSmall(a, k) => self.variant(v, LimbOp::MulSmall(*k), &[*a]),
            Op::MulConst(a, c) => self.variant(v, LimbOp::MulConst(c.clone()), &[*a]),
            Op::Dot(terms) => {
                let operands: Vec<Value> = terms.iter().flat_map(|t| [t.0, t.1]).collect();
                self.variant(v, LimbOp::Dot(terms.len()), &operands)
            }
            Op::MulShared(xs, y) => {
                let operands: Vec<Value> = xs.iter().chain([y]).copied().collect();
                self.variant(v, LimbOp::MulShared(xs.len()), &operands)
            }
            Op::MulTable(a, table, TableShape { step, rows }) => {
                let operands: Vec<Value> = std::iter::once(a).chain(table).copied().collect();
                self.variant(v, LimbOp::MulTable { step: *step, rows: *rows }, &operands)
            }
            Op::Part(a, _) => {
                self.within(v, Some(self.bound(*a)?), claim, "claims less than the products it is one of")
            }
            Op::IsZero(a) => self.variant(v, LimbOp::IsZero, &[*a]),
            Op::MaybeZero(a) => self.variant(v, LimbOp::MaybeZero, &[*a]),
            Op::FromMont(a) => self.variant(v, LimbOp::FromMont, &[*a]),
            Op::Reduce(a) => self.variant(v, LimbOp::ReduceFull, &[*a]),
            Op::Weak(a, _) => self.variant(v, LimbOp::ReduceWeak, &[*a]),
            _ if self.kernel.ty(v) == Type::Field => Err(error(v, "is a field value of unknown origin")),
            _ => Ok(()),
        }
    }

    fn variant(&self, v: Value, op: LimbOp, operands: &[Value]) -> Result<(), PassError> {
        let fact = self.fact(v);
        let (choice, assumed) = fact.choice.as_ref().ok_or_else(|| error(v, "has no variant"))?;
        if assumed.len() != operands.len() {
            return Err(error(v, "has a variant for another number of operands"));
        }
        for (a, limit) in operands.iter().zip(assumed) {
            self.within(*a, Some(self.bound(*a)?), Some(*limit), "exceeds what a user's variant accepts")?;
        }
        if !choices(self.field, &op, assumed).contains(choice) {
            return Err(error(v, &format!("variant {} is not on offer", choice.variant)));
        }
        if matches!(op, LimbOp::IsZero | LimbOp::MaybeZero) {
            return Ok(());
        }
        self.within(v, Some(choice.out), fact.bound, "claims less than its variant gives")
    }
}

fn error(value: Value, reason: &str) -> PassError {
    PassError::Bounds { value, reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::build::Builder;
    use crate::passes::place_reductions;
    use curvesmith_abi::kernels::FieldMulSub;

    /// A loop that doubles an accumulator, for a field with spare bits.
    fn accumulator() -> (Kernel, KernelInfo) {
        let field = FieldDesc::new("toy", 8191u32.into());
        let b = Builder::for_field::<FieldMulSub>(&field);
        let (i, n) = (b.global_index(), b.scalar("n"));
        let acc = b.var(b.buffer("a").field(i));
        b.for_(b.u32(0), n, 1, |_| acc.set(acc.get().dbl() + b.buffer("b").field(i)));
        b.buffer("out").set_field(i, acc.get());
        place_reductions(&b.finish()).expect("the kernel is valid")
    }

    #[test]
    fn what_the_pass_claims_is_accepted() {
        let (kernel, info) = accumulator();
        assert_eq!(verify_bounds(&kernel, &info), Ok(()));
    }

    /// Every claim can be made too strong, and that is seen.
    #[test]
    fn a_false_claim_about_any_value_is_found() {
        let (kernel, info) = accumulator();
        let mut rejected = 0;
        for v in kernel.values().filter(|v| kernel.ty(*v) == Type::Field) {
            let mut forged = info.clone();
            forged.facts[v.0 as usize].bound = Some(Bound::Units(1));
            assert!(verify_bounds(&kernel, &forged).is_err(), "{v} <1 unit");
            if forged.facts[v.0 as usize].choice.take().is_some() {
                assert!(verify_bounds(&kernel, &forged).is_err(), "{v} without a variant");
                rejected += 1;
            }
        }
        assert!(rejected >= 2, "the kernel has operations");
    }

    #[test]
    fn a_local_that_grows_in_its_loop_is_found() {
        let (kernel, info) = accumulator();
        let mut forged = info.clone();
        forged.locals[0] = Some(Bound::Units(1));
        assert!(verify_bounds(&kernel, &forged).is_err());
        // The accumulator claims to be canonical while the loop sets it to a lazy sum.
        let lazy = info.locals[0].is_some_and(|b| b != Bound::Canonical);
        forged.locals[0] = Some(Bound::Canonical);
        assert_eq!(verify_bounds(&kernel, &forged).is_err(), lazy);
    }

    #[test]
    fn a_variant_of_another_operation_is_found() {
        let (kernel, info) = accumulator();
        let operations: Vec<Value> =
            kernel.values().filter(|v| info.choice(*v).is_some() && kernel[*v].args().len() == 1).collect();
        let sum = kernel.values().find(|v| matches!(kernel[*v], Op::Add(..))).expect("there is a sum");
        for v in operations {
            let mut forged = info.clone();
            forged.facts[v.0 as usize].choice = info.facts[sum.0 as usize].choice.clone();
            assert!(verify_bounds(&kernel, &forged).is_err(), "{v}");
        }
    }
}
