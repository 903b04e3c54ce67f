//! Functions of field elements: the part of the language that this target has.

use crate::declaration::FieldDesc;
use crate::error::PassError;
use crate::fir::build::{Builder, Fe, Handle};
use crate::fir::ir::{Kernel, Op, Type, Value};
use crate::targets::pure;

/// The function from `inputs` elements to those that `body` gives. Its results are canonical: elements of
/// their own words.
pub fn function(
    field: &FieldDesc,
    name: &str,
    inputs: usize,
    body: impl for<'k> FnOnce(&'k Builder, &[Fe<'k>]) -> Vec<Fe<'k>>,
) -> Kernel {
    let b = Builder::function_of(field, name, &vec![Type::Field; inputs]);
    let inputs: Vec<Fe<'_>> = b.arguments().into_iter().map(|x| Fe::wrap(&b, x)).collect();
    let results = body(&b, &inputs);
    let results: Vec<Value> = results.into_iter().map(|x| b.from_words(&x.words()).id()).collect();
    b.finish_function(&results)
}

/// An error names what the kernel has besides field operations and canonical results.
pub(super) fn supports(kernel: &Kernel) -> Result<(), PassError> {
    pure::supports(kernel)?;
    let canonical = |v: &Value| matches!(kernel[*v], Op::FromWords(..) | Op::Const(_));
    match pure::results(kernel).iter().all(canonical) {
        true => Ok(()),
        false => Err(pure::lacks("results that are not canonical")),
    }
}
