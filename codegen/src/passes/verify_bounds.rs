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
            Op::IsZero(a) => self.variant(v, LimbOp::IsZero, &[*a]),
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
        if op == LimbOp::IsZero {
            return Ok(());
        }
        self.within(v, Some(choice.out), fact.bound, "claims less than its variant gives")
    }
}

fn error(value: Value, reason: &str) -> PassError {
    PassError::Bounds { value, reason: reason.into() }
}
