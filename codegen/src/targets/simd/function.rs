//! Functions of field elements.

use crate::declaration::FieldDesc;
use crate::fir::build::{Builder, Fe, Handle};
use crate::fir::ir::{Kernel, Type, Value};

/// The function from `inputs` elements to those that `body` gives, all resident.
pub fn function(
    field: &FieldDesc,
    name: &str,
    inputs: usize,
    body: impl for<'k> FnOnce(&'k Builder, &[Fe<'k>]) -> Vec<Fe<'k>>,
) -> Kernel {
    let b = Builder::function_of(field, name, &vec![Type::Field; inputs]);
    let inputs: Vec<Fe<'_>> = b.arguments().into_iter().map(|x| Fe::wrap(&b, x)).collect();
    let results: Vec<Value> = body(&b, &inputs).into_iter().map(|x| x.id()).collect();
    b.finish_function(&results)
}
