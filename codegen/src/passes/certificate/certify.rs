//! From the facts of the placing pass to a certificate.

use super::{Certificate, Claim, Step};
use crate::declaration::FieldDesc;
use crate::fir::ir::{Block, Kernel, Op, Stmt, Type, Value};
use crate::passes::KernelInfo;
use crate::targets::{Arithmetic, Bound};

/// Writes down why the bounds of a placed kernel hold. Loop invariants and the bounds of what is read
/// from locals are the least that follow from the bounds of what is set. Where a claim cannot be
/// justified it is written down all the same: judging is the checker's work.
pub(crate) fn certify<T: Arithmetic>(kernel: &Kernel, info: &KernelInfo<T>) -> Certificate {
    let Some(field) = &kernel.field else { return Certificate::default() };
    let limits = |bounds: &[Option<T::Bound>]| bounds.iter().map(|b| b.map(Bound::stated)).collect();
    let blank = Certificate {
        values: vec![None; kernel.values().count()],
        loops: vec![],
        arguments: limits(&info.contract.arguments),
        results: limits(&info.contract.results),
    };
    let mut writer = Writer {
        kernel,
        info,
        field,
        certificate: blank,
        bounds: vec![None; kernel.values().count()],
        locals: vec![None; kernel.locals.len()],
        breaks: vec![],
    };
    writer.block(&kernel.body);
    writer.certificate
}

type Locals<T> = Vec<Option<<T as Arithmetic>::Bound>>;

struct Writer<'a, T: Arithmetic> {
    kernel: &'a Kernel,
    info: &'a KernelInfo<T>,
    field: &'a FieldDesc,
    certificate: Certificate,
    bounds: Vec<Option<T::Bound>>,
    locals: Locals<T>,
    breaks: Vec<Option<Locals<T>>>,
}

impl<T: Arithmetic> Writer<'_, T> {
    /// True when control reaches the end.
    fn block(&mut self, block: &Block) -> bool {
        for stmt in block {
            let falls = match stmt {
                Stmt::Let(v) => {
                    self.value(*v);
                    true
                }
                Stmt::Set(l, v) => {
                    self.locals[l.0 as usize] = self.bounds[v.0 as usize];
                    true
                }
                Stmt::If { then, otherwise, .. } => self.branch(then, otherwise),
                Stmt::Loop(body) => self.repeat(body),
                Stmt::Break => {
                    let now = self.locals.clone();
                    if let Some(left) = self.breaks.last_mut() {
                        *left = Some(match left.take() {
                            Some(before) => join::<T>(&before, &now, self.field),
                            None => now,
                        });
                    }
                    false
                }
                Stmt::Call { results, .. } => {
                    results.iter().for_each(|v| self.value(*v));
                    true
                }
                Stmt::Shuffle { result, value, .. } => {
                    self.bounds[result.0 as usize] = self.bounds[value.0 as usize];
                    self.claim(*result);
                    true
                }
                Stmt::Return | Stmt::Yield(_) => false,
                _ => true,
            };
            if !falls {
                return false;
            }
        }
        true
    }

    fn branch(&mut self, then: &Block, otherwise: &Block) -> bool {
        let before = self.locals.clone();
        let then_falls = self.block(then);
        let after_then = std::mem::replace(&mut self.locals, before);
        let otherwise_falls = self.block(otherwise);
        match (then_falls, otherwise_falls) {
            (true, true) => self.locals = join::<T>(&after_then, &self.locals, self.field),
            (true, false) => self.locals = after_then,
            _ => {}
        }
        then_falls || otherwise_falls
    }

    /// The least invariant: joins until nothing grows. There are finitely many bounds to join.
    fn repeat(&mut self, body: &Block) -> bool {
        let (number, mut head) = (self.certificate.loops.len(), self.locals.clone());
        loop {
            self.certificate.loops.truncate(number);
            self.certificate.loops.push(head.iter().map(|b| b.map(Bound::stated)).collect());
            self.locals.clone_from(&head);
            self.breaks.push(None);
            let comes_around = self.block(body);
            let left = self.breaks.pop().flatten();
            let grown: Locals<T> = head
                .iter()
                .zip(&self.locals)
                .map(|(a, b)| a.map(|a| b.map_or(a, |b| a.join(b, self.field))))
                .collect();
            if !comes_around || grown == head {
                let leaves = left.is_some();
                self.locals = left.unwrap_or(head);
                return leaves;
            }
            head = grown;
        }
    }

    fn value(&mut self, v: Value) {
        let fact = &self.info.facts[v.0 as usize];
        let bound = match &self.kernel[v] {
            Op::Get(l) if self.kernel.ty(v) == Type::Field => self.locals[l.0 as usize],
            Op::Select(_, a, b) if self.kernel.ty(v) == Type::Field => {
                let (a, b) = (self.bounds[a.0 as usize], self.bounds[b.0 as usize]);
                a.zip(b).map(|(a, b)| a.join(b, self.field))
            }
            Op::Part(a, _) => self.bounds[a.0 as usize],
            _ => fact.bound,
        };
        self.bounds[v.0 as usize] = bound;
        self.claim(v);
    }

    /// Claims the bound that a value was found to have.
    fn claim(&mut self, v: Value) {
        let (fact, bound) = (&self.info.facts[v.0 as usize], self.bounds[v.0 as usize]);
        if bound.is_none() && fact.choice.is_none() {
            return;
        }
        let step = fact.choice.as_ref().map(|(choice, operands)| Step {
            variant: choice.variant.to_owned(),
            operands: operands.iter().map(|b| b.stated()).collect(),
            slack: T::slack(self.field, choice, operands),
        });
        self.certificate.values[v.0 as usize] = Some(Claim { limit: bound.map(Bound::stated), step });
    }
}

fn join<T: Arithmetic>(a: &Locals<T>, b: &Locals<T>, field: &FieldDesc) -> Locals<T> {
    a.iter().zip(b).map(|(a, b)| Some((*a)?.join((*b)?, field))).collect()
}
