//! Functions that stand in the code of their callers.
//!
//! Whether a function is called is decided by the target ([`Machine::calls_function`]). One that is not is
//! gone after this pass; one that is goes its own way through the passes, once for all its callers.

use super::lower_towers;
use crate::fir::ir::{Block, FunctionId, Kernel, Local, Op, Stmt, Value, ValueMap};
use crate::fir::rewrite::{Rewriter, map_results, map_uses};
use crate::targets::Machine;
use std::sync::Arc;

/// The kernel with copies of the functions that the target does not call.
pub fn inline<T: Machine>(kernel: &Kernel) -> Kernel {
    inline_where(kernel, &|function, sites| T::calls_function(&lower_towers::<T>(function), sites))
}

/// The kernel with copies of the functions that are not to be `called`, which is asked with the number of
/// places that call.
fn inline_where(kernel: &Kernel, called: &dyn Fn(&Kernel, usize) -> bool) -> Kernel {
    if kernel.functions.is_empty() {
        return kernel.clone();
    }
    // A copy has no copies to make, and brings what it calls with it.
    let functions: Vec<Kernel> = kernel.functions.iter().map(|f| inline_where(f, called)).collect();
    let mut new = Rewriter::new(kernel).new;
    (new.locals, new.functions) = (vec![], vec![]);
    let mut fates = vec![];
    for (at, function) in functions.iter().enumerate() {
        fates.push(match called(function, sites(&kernel.body, FunctionId(at as u32))) {
            true => Fate::Called(declare(&mut new, &Arc::new(function.clone()))),
            false => Fate::Copied(function),
        });
    }
    let mut frame = Frame::new(&mut new, kernel, None, fates);
    new.body = frame.block(&mut new, &kernel.body);
    new
}

/// How many statements of a block, nested ones included, call a function.
fn sites(block: &Block, function: FunctionId) -> usize {
    let of = |stmt: &Stmt| match stmt {
        Stmt::Call { function: f, .. } => usize::from(*f == function),
        Stmt::If { then, otherwise, .. } => sites(then, function) + sites(otherwise, function),
        Stmt::Loop(body) => sites(body, function),
        _ => 0,
    };
    block.iter().map(of).sum()
}

/// The number of a function among those that a kernel calls.
fn declare(kernel: &mut Kernel, function: &Arc<Kernel>) -> FunctionId {
    let known = kernel.functions.iter().position(|f| f == function);
    FunctionId(known.unwrap_or_else(|| {
        kernel.functions.push(function.clone());
        kernel.functions.len() - 1
    }) as u32)
}

/// What becomes of the calls of a function.
enum Fate<'k> {
    Called(FunctionId),
    Copied(&'k Kernel),
}

/// A kernel or function that is copied to another kernel.
struct Frame<'k> {
    from: &'k Kernel,
    /// What stands for its arguments, where it is called.
    args: Option<&'k [Value]>,
    /// What stands for its values.
    values: ValueMap<Option<Value>>,
    /// Where its locals begin.
    first_local: u32,
    /// By function that it calls.
    fates: Vec<Fate<'k>>,
}

impl<'k> Frame<'k> {
    fn new(to: &mut Kernel, from: &'k Kernel, args: Option<&'k [Value]>, fates: Vec<Fate<'k>>) -> Self {
        let first_local = to.locals.len() as u32;
        to.locals.extend(from.locals.iter().cloned());
        Frame { from, args, values: ValueMap::filled(from, None), first_local, fates }
    }

    fn value(&self, v: Value) -> Value {
        self.values[v].expect("verified: a value is defined before its uses")
    }

    fn all(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.value(*v)).collect()
    }

    fn local(&self, l: Local) -> Local {
        Local(self.first_local + l.0)
    }

    fn block(&mut self, to: &mut Kernel, block: &[Stmt]) -> Block {
        let mut out = Block::new();
        block.iter().for_each(|stmt| self.stmt(to, stmt, &mut out));
        out
    }

    fn stmt(&mut self, to: &mut Kernel, stmt: &Stmt, out: &mut Block) {
        let stmt = match stmt {
            Stmt::Let(v) => return self.define(to, *v, out),
            Stmt::If { cond, then, otherwise } => {
                let (then, otherwise) = (self.block(to, then), self.block(to, otherwise));
                Stmt::If { cond: self.value(*cond), then, otherwise }
            }
            Stmt::Loop(body) => Stmt::Loop(self.block(to, body)),
            Stmt::Set(l, v) => Stmt::Set(self.local(*l), self.value(*v)),
            Stmt::Call { results, function, args } => {
                let args = self.all(args);
                match self.fates[function.0 as usize] {
                    Fate::Called(function) => {
                        let results = results.iter().map(|v| self.result(to, *v)).collect();
                        Stmt::Call { results, function, args }
                    }
                    Fate::Copied(function) => {
                        let given = copy(to, function, &args, out);
                        results.iter().zip(given).for_each(|(v, new)| self.values[*v] = Some(new));
                        return;
                    }
                }
            }
            _ => {
                let stmt = map_uses(stmt, |v| self.value(v));
                map_results(stmt, |v| self.result(to, v))
            }
        };
        out.push(stmt);
    }

    fn define(&mut self, to: &mut Kernel, v: Value, out: &mut Block) {
        let op = match &self.from[v] {
            Op::Argument(i) if self.args.is_some() => {
                self.values[v] = self.args.map(|args| args[*i as usize]);
                return;
            }
            Op::Get(l) => Op::Get(self.local(*l)),
            op => op.map_args(|a| self.value(a)),
        };
        let new = to.push(op);
        self.values[v] = Some(new);
        out.push(Stmt::Let(new));
    }

    fn result(&mut self, to: &mut Kernel, v: Value) -> Value {
        let new = to.push(self.from[v].clone());
        self.values[v] = Some(new);
        new
    }
}

/// Appends the statements of a function; what it gives.
fn copy(to: &mut Kernel, function: &Kernel, args: &[Value], out: &mut Block) -> Vec<Value> {
    let fates = function.functions.iter().map(|f| Fate::Called(declare(to, f))).collect();
    let mut frame = Frame::new(to, function, Some(args), fates);
    let Some((Stmt::Yield(values), body)) = function.body.split_last() else {
        unreachable!("verified: a function yields at its end")
    };
    let copied = frame.block(to, body);
    out.extend(copied);
    frame.all(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::interp::{Argument, from_words, launch, to_words};
    use crate::fir::parse::parse;
    use crate::fir::verify::verify;

    /// A function with a local, a branch, a loop and a call, called twice, once in a branch.
    const TEXT: &str = include_str!("inline/nested.fir");

    fn run(kernel: &Kernel) -> Vec<num_bigint::BigUint> {
        let field = kernel.field();
        let words = |seed: u32| to_words(field, &(0..8u32).map(|i| (seed + i).into()).collect::<Vec<_>>());
        let mut args = [2, 7, 0].map(|seed| Argument::Buffer(words(seed))).to_vec();
        args.push(Argument::U32(8));
        launch(kernel, 1, &mut args).expect("the kernel runs");
        let Argument::Buffer(out) = &args[2] else { panic!("a buffer") };
        from_words(field, out)
    }

    #[test]
    fn copies_of_any_of_the_functions_compute_the_same() {
        let kernel = parse(TEXT).expect("the text is right");
        assert_eq!(verify(&kernel), Ok(()));
        let expected = run(&kernel);
        for (called, left) in [(vec!["toy_inner", "toy_outer"], 2), (vec!["toy_inner"], 1), (vec![], 0)] {
            let inlined = inline_where(&kernel, &|f: &Kernel, _| called.contains(&&*f.symbol));
            assert_eq!(verify(&inlined), Ok(()), "{called:?}");
            assert_eq!(run(&inlined), expected, "{called:?}");
            assert_eq!(inlined.callees().len(), left, "{called:?}");
        }
        // A function that is called keeps no call of one that is copied.
        let inlined = inline_where(&kernel, &|f: &Kernel, _| f.symbol == "toy_outer");
        assert_eq!((verify(&inlined), run(&inlined)), (Ok(()), expected));
        assert_eq!(inlined.callees().len(), 1);
        // Places, and not calls: the one in a loop is one.
        let asked = std::cell::RefCell::new(vec![]);
        inline_where(&kernel, &|f: &Kernel, sites| {
            asked.borrow_mut().push((f.symbol.clone(), sites));
            true
        });
        let asked = asked.into_inner();
        let expected = [("toy_inner", 1), ("toy_outer", 2), ("toy_inner", 1)];
        assert_eq!(asked, expected.map(|(symbol, sites)| (symbol.to_owned(), sites)));
    }
}
