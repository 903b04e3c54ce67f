//! Elements of extensions as their coordinates: after this pass a kernel holds elements of the prime field
//! alone.
//!
//! A value becomes one value a coordinate, a local one local a coordinate, and so do arguments and results of
//! functions. Products and squares are written by the [scheme](schemes) that costs least.

mod code;
mod schemes;

use crate::declaration::FieldOp;
use crate::fir::ir::{Block, IntOp, Kernel, Local, LocalDecl, Op, Signature, Stmt, Type, Value};
use crate::fir::rewrite::Rewriter;
use crate::targets::Machine;
use code::{Code, Coordinates};
use schemes::Choices;
use std::sync::Arc;

/// The kernel, and what it calls, without elements of extensions.
pub fn lower_towers<T: Machine>(kernel: &Kernel) -> Kernel {
    let mut r = Rewriter::new(kernel);
    for function in &mut r.new.functions {
        *function = Arc::new(lower_towers::<T>(function));
    }
    if !holds_extensions(kernel) {
        let mut same = kernel.clone();
        same.functions = r.new.functions;
        return same;
    }
    let flat = |types: &[Type]| types.iter().flat_map(|ty| coordinates_of(kernel, *ty)).collect();
    if let Some(signature) = &mut r.new.function {
        *signature = Signature { arguments: flat(&signature.arguments), results: flat(&signature.results) };
    }
    let mut locals = vec![];
    r.new.locals.clear();
    for local in &kernel.locals {
        let first = r.new.locals.len() as u32;
        r.new.locals.extend(coordinates_of(kernel, local.ty).map(|ty| LocalDecl { ty }));
        locals.push((first..r.new.locals.len() as u32).map(Local).collect());
    }
    let elements = vec![vec![]; kernel.values().count()];
    let mut lowering = Lowering { r, elements, locals, choices: Choices::<T>::of(kernel) };
    lowering.r.new.body = lowering.block(&kernel.body);
    lowering.r.new
}

fn holds_extensions(kernel: &Kernel) -> bool {
    let of_extension = |ty: Type| matches!(ty, Type::Ext(_));
    let in_signature = |s: &Signature| s.arguments.iter().chain(&s.results).any(|ty| of_extension(*ty));
    kernel.values().any(|v| of_extension(kernel.ty(v)))
        || kernel.locals.iter().any(|local| of_extension(local.ty))
        || kernel.function.as_ref().is_some_and(in_signature)
}

/// The types of what becomes of a value of this type.
fn coordinates_of(kernel: &Kernel, ty: Type) -> impl Iterator<Item = Type> + use<> {
    let (count, ty) = match ty {
        Type::Ext(level) => (kernel.tower.degree_at(level.into()), Type::Field),
        _ => (1, ty),
    };
    std::iter::repeat_n(ty, count)
}

/// The schemes that a kernel's tower is lowered by, for readers of what is emitted: none where nothing of an
/// extension is in it.
pub fn describe_schemes<T: Machine>(kernel: &Kernel) -> Vec<String> {
    if !holds_extensions(kernel) {
        return vec![];
    }
    Choices::<T>::of(kernel).describe()
}

struct Lowering<'a, T> {
    r: Rewriter<'a>,
    /// The coordinates of each old value of an extension.
    elements: Vec<Coordinates>,
    /// The new locals of each old one.
    locals: Vec<Vec<Local>>,
    choices: Choices<T>,
}

impl<T: Machine> Lowering<'_, T> {
    fn block(&mut self, block: &Block) -> Block {
        let mut out = Block::new();
        for stmt in block {
            let stmt = match stmt {
                Stmt::Let(v) => {
                    self.value(*v, &mut out);
                    continue;
                }
                Stmt::Set(l, v) => {
                    let parts = self.coordinates(*v);
                    out.extend(self.locals[l.0 as usize].iter().zip(parts).map(|(l, v)| Stmt::Set(*l, v)));
                    continue;
                }
                Stmt::If { cond, then, otherwise } => Stmt::If {
                    cond: self.r.get(*cond),
                    then: self.block(then),
                    otherwise: self.block(otherwise),
                },
                Stmt::Loop(body) => Stmt::Loop(self.block(body)),
                Stmt::Call { results, function, args } => Stmt::Call {
                    args: self.all_coordinates(args),
                    function: *function,
                    results: results.iter().flat_map(|v| self.result(*v)).collect(),
                },
                Stmt::Yield(values) => Stmt::Yield(self.all_coordinates(values)),
                Stmt::Break | Stmt::Return => stmt.clone(),
                _ => self.r.effect(stmt),
            };
            out.push(stmt);
        }
        out
    }

    /// The new values of an old one: the coordinates of an element of an extension, else one.
    fn coordinates(&self, old: Value) -> Coordinates {
        match self.r.old.ty(old) {
            Type::Ext(_) => self.elements[old.0 as usize].clone(),
            _ => vec![self.r.get(old)],
        }
    }

    fn all_coordinates(&self, old: &[Value]) -> Vec<Value> {
        old.iter().flat_map(|v| self.coordinates(*v)).collect()
    }

    /// What becomes of the result of a call.
    fn result(&mut self, old: Value) -> Coordinates {
        let types = coordinates_of(self.r.old, self.r.old.ty(old));
        let parts: Coordinates = types.map(|ty| self.r.new.push(Op::Result(ty))).collect();
        self.define(old, parts.clone());
        parts
    }

    /// What becomes of an argument: those before it have so many coordinates.
    fn argument(&mut self, i: u32, out: &mut Block) -> Coordinates {
        let kernel = self.r.old;
        let arguments = kernel.function.iter().flat_map(|signature| &signature.arguments);
        let counts: Vec<u32> =
            arguments.map(|ty| coordinates_of(kernel, *ty).count() as u32).take(i as usize + 1).collect();
        let end = counts.iter().sum::<u32>();
        let first = end - counts.last().expect("verified: an argument of the function");
        (first..end).map(|i| self.r.compute(Op::Argument(i), out)).collect()
    }

    fn value(&mut self, old: Value, out: &mut Block) {
        let kernel = self.r.old;
        match &kernel[old] {
            Op::Argument(i) => {
                let parts = self.argument(*i, out);
                self.define(old, parts);
            }
            Op::Compose(_, parts) => {
                self.elements[old.0 as usize] =
                    parts.iter().flat_map(|part| self.coordinates(*part)).collect();
            }
            Op::Coefficient(a, i) => {
                let all = self.coordinates(*a);
                let level = kernel.ty(old).level().expect("a coefficient is an element");
                let degree = kernel.tower.degree_at(level);
                self.define(old, all[*i as usize * degree..][..degree].to_vec());
            }
            Op::Get(l) => {
                let locals = self.locals[l.0 as usize].clone();
                let parts = locals.into_iter().map(|l| self.r.compute(Op::Get(l), out)).collect();
                self.define(old, parts);
            }
            Op::Select(cond, a, b) => {
                let cond = self.r.get(*cond);
                let pairs = self.coordinates(*a).into_iter().zip(self.coordinates(*b));
                let parts = pairs.map(|(a, b)| self.r.compute(Op::Select(cond, a, b), out)).collect();
                self.define(old, parts);
            }
            Op::Field(op, args) if matches!(kernel.ty(args[0]), Type::Ext(_)) => {
                self.operation(old, op, args, out)
            }
            _ => {
                let new = self.r.compute(self.r.op(old), out);
                self.r.set(old, Some(new));
            }
        }
    }

    fn define(&mut self, old: Value, parts: Coordinates) {
        match self.r.old.ty(old) {
            Type::Ext(_) => self.elements[old.0 as usize] = parts,
            _ => {
                self.r.set(old, Some(parts[0]));
            }
        }
    }

    /// An operation on elements of one extension.
    fn operation(&mut self, old: Value, op: &FieldOp, args: &[Value], out: &mut Block) {
        let level = self.r.old.ty(args[0]).level().expect("operands are elements");
        let args: Vec<Coordinates> = args.iter().map(|a| self.coordinates(*a)).collect();
        let mut code = Code { kernel: &mut self.r.new, out, choices: &mut self.choices };
        if op.tests_zero() {
            // Zero where every coordinate is.
            let tests: Vec<Value> = args[0].iter().map(|x| code.base(op.clone(), &[*x])).collect();
            let all =
                tests[1..].iter().fold(tests[0], |all, test| code.compute(Op::Int(IntOp::And, all, *test)));
            self.r.set(old, Some(all));
            return;
        }
        self.elements[old.0 as usize] = match op {
            FieldOp::Mul => code.dot(level, &[(args[0].clone(), args[1].clone())]),
            FieldOp::Sqr => code.sqr(level, &args[0]),
            FieldOp::Dot(_) => {
                let terms: Vec<_> =
                    args.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
                code.dot(level, &terms)
            }
            // By coordinates.
            _ => (0..args[0].len())
                .map(|i| code.base(op.clone(), &args.iter().map(|a| a[i]).collect::<Vec<_>>()))
                .collect(),
        };
    }
}

#[cfg(test)]
mod tests;
