//! The independent checker.

use super::{Certificate, Claim, Limit};
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::{Block, Kernel, Op, Stmt, Type, Value};
use crate::targets::{Arithmetic, Rules};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// Judges a certificate of a kernel; the first claim that does not hold is the error.
///
/// It goes through the kernel once and keeps what each local may hold. At a loop's head that is replaced by
/// the invariant, after asking whether it holds before the loop; where the body comes around it asks again.
/// So the invariants are inductive, and nothing is searched for. What a function is called with has to be
/// within what its own certificate, one of `callees`, says of its arguments; that of its results is believed,
/// as it was checked before.
pub fn check<T: Arithmetic>(
    kernel: &Kernel,
    certificate: &Certificate,
    callees: &[&Certificate],
) -> Result<(), PassError> {
    let Some(field) = &kernel.field else { return Ok(()) };
    if certificate.values.len() != kernel.values().count() {
        return Err(malformed("certificate of another kernel"));
    }
    let signature = kernel.function.clone().unwrap_or_default();
    let fits = |types: &[Type], limits: &[Option<Limit>]| {
        let is_field = |ty: &Type| *ty == Type::Field;
        types.iter().map(is_field).eq(limits.iter().map(Option::is_some))
    };
    if !fits(&signature.arguments, &certificate.arguments) || !fits(&signature.results, &certificate.results)
    {
        return Err(malformed("certificate of another function"));
    }
    let mut checker = Checker {
        kernel,
        certificate,
        callees,
        field,
        rules: T::rules(field),
        locals: vec![None; kernel.locals.len()],
        breaks: vec![],
        next_loop: 0,
    };
    checker.block(&kernel.body)?;
    if checker.next_loop != certificate.loops.len() {
        return Err(PassError::Malformed("certificate with too many loops".into()));
    }
    Ok(())
}

/// The largest content of each field local; `None` where it may not be read.
type Locals = Vec<Option<BigUint>>;

struct Checker<'a, R> {
    kernel: &'a Kernel,
    certificate: &'a Certificate,
    callees: &'a [&'a Certificate],
    field: &'a FieldDesc,
    rules: R,
    locals: Locals,
    /// What the locals hold where the open loops are left.
    breaks: Vec<Option<Locals>>,
    next_loop: usize,
}

impl<R: Rules> Checker<'_, R> {
    /// True when control reaches the end.
    fn block(&mut self, block: &Block) -> Result<bool, PassError> {
        for stmt in block {
            match stmt {
                Stmt::Let(v) => self.value(*v)?,
                Stmt::Set(l, v) if self.kernel.ty(*v) == Type::Field => {
                    self.locals[l.0 as usize] = Some(self.max(*v)?);
                }
                Stmt::If { then, otherwise, .. } => {
                    let falls = self.branch(then, otherwise)?;
                    if !falls {
                        return Ok(false);
                    }
                }
                Stmt::Loop(body) => {
                    let leaves = self.repeat(body)?;
                    if !leaves {
                        return Ok(false);
                    }
                }
                Stmt::Break => {
                    let left = self.breaks.last_mut().ok_or_else(|| malformed("a break outside a loop"))?;
                    *left = Some(match left.take() {
                        Some(before) => either(&before, &self.locals),
                        None => self.locals.clone(),
                    });
                    return Ok(false);
                }
                Stmt::Call { results, function, args } => {
                    let callee = self.callees.get(function.0 as usize);
                    let callee = callee.ok_or_else(|| malformed("a call of what has no certificate"))?;
                    self.within(args, &callee.arguments, "exceeds what the function is certified for")?;
                    for (v, limit) in results.iter().zip(&callee.results) {
                        if let Some(most) = limit.and_then(|limit| self.below(limit)) {
                            self.at_least(*v, &most, "claims less than its function gives")?;
                        }
                    }
                }
                Stmt::Shuffle { result, value, .. } if self.kernel.ty(*value) == Type::Field => {
                    self.at_least(
                        *result,
                        &self.max(*value)?,
                        "claims less than what another lane may have",
                    )?;
                }
                Stmt::Yield(values) => {
                    let certificate = self.certificate;
                    self.within(values, &certificate.results, "exceeds what the function is to give")?;
                    return Ok(false);
                }
                Stmt::Return => return Ok(false),
                _ => {}
            }
        }
        Ok(true)
    }

    /// Every field value of a list is within its limit.
    fn within(&self, values: &[Value], limits: &[Option<Limit>], reason: &str) -> Result<(), PassError> {
        if values.len() != limits.len() {
            return Err(malformed("a call with other operands than its function has"));
        }
        for (v, limit) in values.iter().zip(limits) {
            if self.kernel.ty(*v) != Type::Field {
                continue;
            }
            let (most, max) = (limit.and_then(|limit| self.below(limit)), self.max(*v)?);
            if most.is_none_or(|most| max > most) {
                return Err(error(*v, reason));
            }
        }
        Ok(())
    }

    fn branch(&mut self, then: &Block, otherwise: &Block) -> Result<bool, PassError> {
        let before = self.locals.clone();
        let then_falls = self.block(then)?;
        let after_then = std::mem::replace(&mut self.locals, before);
        let otherwise_falls = self.block(otherwise)?;
        match (then_falls, otherwise_falls) {
            (true, true) => self.locals = either(&after_then, &self.locals),
            (true, false) => self.locals = after_then,
            _ => {}
        }
        Ok(then_falls || otherwise_falls)
    }

    fn repeat(&mut self, body: &Block) -> Result<bool, PassError> {
        let number = self.next_loop;
        self.next_loop += 1;
        let invariant =
            self.certificate.loops.get(number).ok_or_else(|| malformed("a loop without invariant"))?;
        if invariant.len() != self.locals.len() {
            return Err(malformed("an invariant about other locals"));
        }
        let invariant: Locals = invariant.iter().map(|limit| limit.and_then(|l| self.below(l))).collect();
        self.holds(&invariant, number, "before")?;
        self.locals.clone_from(&invariant);
        self.breaks.push(None);
        if self.block(body)? {
            self.holds(&invariant, number, "around")?;
        }
        let left = self.breaks.pop().flatten();
        let leaves = left.is_some();
        self.locals = left.unwrap_or(invariant);
        Ok(leaves)
    }

    /// Whether the locals are within an invariant.
    fn holds(&self, invariant: &Locals, number: usize, when: &str) -> Result<(), PassError> {
        for (l, (held, allowed)) in self.locals.iter().zip(invariant).enumerate() {
            let within = match (held, allowed) {
                (_, None) => true,
                (Some(held), Some(allowed)) => held <= allowed,
                (None, Some(_)) => false,
            };
            if !within {
                return Err(malformed(&format!("loop {number}: l{l} leaves the invariant {when} the loop")));
            }
        }
        Ok(())
    }

    /// The largest integer below a limit; `None` for a limit of nothing.
    fn below(&self, limit: Limit) -> Option<BigUint> {
        let limit = match limit {
            Limit::Canonical => self.field.p.clone(),
            Limit::Units(units) => self.rules.unit() * units,
        };
        (limit.bits() > 0).then(|| limit - 1u32)
    }

    fn claim(&self, v: Value) -> Result<&Claim, PassError> {
        self.certificate.values[v.0 as usize].as_ref().ok_or_else(|| error(v, "has no claim"))
    }

    /// The largest value that the claim about `v` allows.
    fn max(&self, v: Value) -> Result<BigUint, PassError> {
        let limit = self.claim(v)?.limit.ok_or_else(|| error(v, "has no bound"))?;
        self.below(limit).ok_or_else(|| error(v, "claims to be below nothing"))
    }

    /// `v` may be as large as `least`, so it may not claim less.
    fn at_least(&self, v: Value, least: &BigUint, reason: &str) -> Result<(), PassError> {
        if *least <= self.max(v)? { Ok(()) } else { Err(error(v, reason)) }
    }

    fn value(&self, v: Value) -> Result<(), PassError> {
        let is_field = self.kernel.ty(v) == Type::Field;
        let canonical = &self.field.p - 1u32;
        match &self.kernel[v] {
            Op::Word(a, _, below) => {
                if self.max(*a)? >= below.limit(self.field) {
                    let reason = format!("is not below {}p where its words are read", below.0);
                    return Err(error(*a, &reason));
                }
                Ok(())
            }
            Op::Const(_) => self.at_least(v, &canonical, "claims less than canonical"),
            Op::Argument(i) if is_field => {
                let limit = self.certificate.arguments.get(*i as usize).copied().flatten();
                let most = limit.and_then(|limit| self.below(limit));
                let most = most.ok_or_else(|| error(v, "is an argument of which nothing is known"))?;
                self.at_least(v, &most, "claims less than its function may be given")
            }
            Op::FromWords(_, below) => {
                let max = below.limit(self.field) - 1u32;
                self.at_least(v, &max, "claims less than its words may be")
            }
            Op::Get(l) if is_field => {
                let held = self.locals[l.0 as usize].as_ref();
                let held = held.ok_or_else(|| error(v, "reads a local of which nothing is known"))?;
                self.at_least(v, held, "claims less than its local may hold")
            }
            Op::Select(_, a, b) if is_field => {
                self.at_least(v, &self.max(*a)?, "claims less than its first arm")?;
                self.at_least(v, &self.max(*b)?, "claims less than its second arm")
            }
            Op::Part(a, _) => self.at_least(v, &self.max(*a)?, "claims less than the products it is one of"),
            Op::Field(op, operands) => self.step(v, op, operands),
            _ if is_field => Err(error(v, "is of no known kind")),
            _ => Ok(()),
        }
    }

    fn step(&self, v: Value, op: &FieldOp, operands: &[Value]) -> Result<(), PassError> {
        let step = self.claim(v)?.step.as_ref().ok_or_else(|| error(v, "has no variant"))?;
        if step.operands.len() != operands.len() {
            return Err(error(v, "has a variant for another number of operands"));
        }
        let mut maxima = vec![];
        for (a, limit) in operands.iter().zip(&step.operands) {
            let max = self.below(*limit).ok_or_else(|| error(v, "relies on an operand below nothing"))?;
            if self.max(*a)? > max || max >= *self.rules.capacity() {
                return Err(error(*a, "exceeds what a user's variant relies on"));
            }
            maxima.push(max);
        }
        let unknown = || error(v, &format!("has no variant {}", step.variant));
        let outcome = self.rules.outcome(op, &step.variant, &maxima).ok_or_else(unknown)?;
        if step.slack.len() != outcome.conditions.len() {
            return Err(error(v, "states other preconditions than its variant has"));
        }
        for ((left, right), slack) in outcome.conditions.iter().zip(&step.slack) {
            if left > right {
                return Err(error(v, &format!("breaks a precondition of {}", step.variant)));
            }
            if ((right - left) / self.rules.unit()).to_u64() != Some(*slack) {
                return Err(error(v, "states another slack than its preconditions have"));
            }
        }
        match outcome.max {
            Some(max) => self.at_least(v, &max, "claims less than its variant gives"),
            None => Ok(()),
        }
    }
}

fn either(a: &Locals, b: &Locals) -> Locals {
    a.iter().zip(b).map(|(a, b)| Some(a.as_ref()?.max(b.as_ref()?).clone())).collect()
}

fn error(value: Value, reason: &str) -> PassError {
    PassError::Bounds { value, reason: reason.into() }
}

fn malformed(reason: &str) -> PassError {
    PassError::Malformed(reason.into())
}
