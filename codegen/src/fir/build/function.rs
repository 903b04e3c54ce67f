//! Functions and their calls.

use super::Builder;
use crate::declaration::{FieldDesc, Tower};
use crate::fir::ir::*;
use std::sync::Arc;

/// ```
/// # use curvesmith_codegen::fir::build::{Builder, Fe, Handle};
/// # use curvesmith_codegen::fir::ir::Type;
/// # use curvesmith_codegen::declaration::FieldDesc;
/// # use curvesmith_abi::{Geometry, kernels::FieldMul};
/// let field = FieldDesc::new("toy", 13u32.into());
/// let b = Builder::for_field::<FieldMul>(&Geometry::PTX, &field);
///
/// let f = b.function("toy_norm", &[Type::Field, Type::Field]);
/// let [x, y] = f.arguments()[..] else { unreachable!() };
/// let (x, y) = (Fe::wrap(&f, x), Fe::wrap(&f, y));
/// let norm = (x.sqr() + y.sqr()).id();
/// let norm = b.declare(f.finish_function(&[norm]));
///
/// let i = b.global_index();
/// let [x, y] = ["a", "b"].map(|name| b.buffer(name).field(i).id());
/// let [z] = b.call(norm, &[x, y])[..] else { unreachable!() };
/// b.buffer("out").set_field(i, Fe::wrap(&b, z));
/// assert_eq!(b.finish().functions[0].symbol, "toy_norm");
/// ```
impl Builder {
    /// A function over a prime field that no kernel calls.
    pub fn function_of(field: &FieldDesc, symbol: &str, arguments: &[Type]) -> Builder {
        Builder::function_over(field, Tower::prime(), symbol, arguments)
    }

    /// A function over the tower of a field that no kernel calls.
    pub fn function_over(field: &FieldDesc, tower: Tower, symbol: &str, arguments: &[Type]) -> Builder {
        let signature = Signature { arguments: arguments.to_vec(), results: vec![] };
        Builder::of(Kernel::new_function(symbol.to_owned(), signature, Some(field.clone()), tower))
    }

    /// A function of so many arguments over the field and tower of this kernel.
    pub fn function(&self, symbol: &str, arguments: &[Type]) -> Builder {
        let kernel = &self.state.borrow().kernel;
        let signature = Signature { arguments: arguments.to_vec(), results: vec![] };
        let (field, tower) = (kernel.field.clone(), kernel.tower.clone());
        let mut function = Kernel::new_function(symbol.to_owned(), signature, field, tower);
        function.unguarded = kernel.unguarded;
        Builder::of(function)
    }

    /// The arguments of the function.
    pub fn arguments(&self) -> Vec<Value> {
        let signature = self.state.borrow().kernel.function.clone().expect("kernels have no arguments");
        let argument = |i| {
            let v = self.state.borrow_mut().kernel.push(Op::Argument(i));
            self.stmt(Stmt::Let(v));
            v
        };
        (0..signature.arguments.len() as u32).map(argument).collect()
    }

    /// The finished function, which gives these values.
    pub fn finish_function(self, results: &[Value]) -> Kernel {
        self.stmt(Stmt::Yield(results.to_vec()));
        let mut function = self.finish();
        let types = results.iter().map(|v| function.ty(*v)).collect();
        function.function.as_mut().expect("a builder of a function").results = types;
        function
    }

    /// Makes a function known to this kernel, if it is not yet: two of one symbol are the same.
    pub fn declare(&self, function: Kernel) -> FunctionId {
        let functions = &mut self.state.borrow_mut().kernel.functions;
        let known = functions.iter().position(|f| f.symbol == function.symbol);
        assert!(known.is_none_or(|at| *functions[at] == function), "{}: another function", function.symbol);
        FunctionId(known.unwrap_or_else(|| {
            functions.push(Arc::new(function));
            functions.len() - 1
        }) as u32)
    }

    /// What the function gives for these arguments.
    pub fn call(&self, function: FunctionId, args: &[Value]) -> Vec<Value> {
        let signature = self.state.borrow().kernel.functions[function.0 as usize].function.clone();
        let types = signature.expect("what is called is a function").results;
        let result = |ty| self.state.borrow_mut().kernel.push(Op::Result(ty));
        let results: Vec<Value> = types.into_iter().map(result).collect();
        self.stmt(Stmt::Call { results: results.clone(), function, args: args.to_vec() });
        results
    }
}
