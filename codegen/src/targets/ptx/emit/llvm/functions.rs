//! Functions of a module, and what goes into them and comes out: words, and a struct of words.

use super::asm::llvm;
use super::lower::{Lower, Words, body};
use crate::error::EmitError;
use crate::fir::ir::Type;
use crate::passes::Checked;
use crate::targets::ptx::{self, Ptx};
use crate::targets::walk::words_of;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicMetadataValueEnum, FunctionValue, IntValue};
use std::sync::Arc;

/// The functions of a module.
#[derive(Default)]
pub(super) struct Functions<'c> {
    /// Field operations, by program and whether it is without guards.
    products: Vec<(ptx::Block, bool, FunctionValue<'c>)>,
    /// Functions of FIR.
    called: Vec<(Arc<Checked<Ptx>>, FunctionValue<'c>)>,
}

/// The function in the module, added at its first use.
pub(super) fn callee<'c>(
    ctx: &'c Context,
    module: &Module<'c>,
    checked: &Arc<Checked<Ptx>>,
    functions: &mut Functions<'c>,
) -> Result<FunctionValue<'c>, EmitError> {
    if let Some((_, known)) = functions.called.iter().find(|(f, _)| Arc::ptr_eq(f, checked) || f == checked) {
        return Ok(*known);
    }
    let kernel = checked.kernel();
    let signature = kernel.function.clone().unwrap_or_default();
    let words = |types: &[Type]| types.iter().map(|ty| words_of::<Ptx>(kernel, *ty)).sum();
    let function = declare_function(
        ctx,
        module,
        &kernel.symbol,
        words(&signature.arguments),
        words(&signature.results),
    )?;
    body(ctx, module, checked, functions, function)?;
    functions.called.push((checked.clone(), function));
    Ok(function)
}

/// A function that stays one: words in, a struct of words out.
fn declare_function<'c>(
    ctx: &'c Context,
    module: &Module<'c>,
    symbol: &str,
    inputs: usize,
    outputs: usize,
) -> Result<FunctionValue<'c>, EmitError> {
    if module.get_function(symbol).is_some() {
        return Err(EmitError::Kernel { kernel: symbol.to_owned(), reason: "symbol is taken".into() });
    }
    let word = ctx.i32_type();
    let ty = ctx.struct_type(&vec![word.into(); outputs], false).fn_type(&vec![word.into(); inputs], false);
    let function = module.add_function(symbol, ty, Some(Linkage::Internal));
    for name in ["noinline", "nounwind"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, ctx.create_enum_attribute(kind, 0));
    }
    Ok(function)
}

impl<'c> Lower<'_, 'c> {
    /// The words that a function gives for these.
    pub(super) fn given(
        &self,
        function: FunctionValue<'c>,
        inputs: &[IntValue<'c>],
    ) -> Result<Words<'c>, EmitError> {
        let args: Vec<BasicMetadataValueEnum<'c>> = inputs.iter().map(|v| (*v).into()).collect();
        let call = self.b.build_call(function, &args, "").map_err(llvm)?;
        let all = call.try_as_basic_value().unwrap_basic().into_struct_value();
        let word = |k| Ok(self.b.build_extract_value(all, k, "").map_err(llvm)?.into_int_value());
        (0..all.get_type().count_fields()).map(word).collect()
    }

    /// The function that holds this program, made at its first use.
    pub(super) fn outlined(&mut self, block: &ptx::Block) -> Result<FunctionValue<'c>, EmitError> {
        let unguarded = self.kernel.unguarded;
        let mut known = self.functions.products.iter();
        if let Some((.., known)) = known.find(|(b, without, _)| (b, *without) == (block, unguarded)) {
            return Ok(*known);
        }
        let name = format!("{}_{}", block.name(), self.functions.products.len());
        let (inputs, outputs) = (block.input_words(), block.output_words());
        let function = declare_function(self.ctx, self.module, &name, inputs, outputs)?;
        let b = self.ctx.create_builder();
        b.position_at_end(self.ctx.append_basic_block(function, "entry"));
        let params: Words<'c> = function.get_param_iter().map(|p| p.into_int_value()).collect();
        let words = self.inline(&b, block, &params)?;
        return_words(&b, function, &words)?;
        self.functions.products.push((block.clone(), unguarded, function));
        Ok(function)
    }
}

/// Ends a function with these words.
pub(super) fn return_words<'c>(
    b: &Builder<'c>,
    function: FunctionValue<'c>,
    words: &[IntValue<'c>],
) -> Result<(), EmitError> {
    let ty = function.get_type().get_return_type().ok_or_else(|| llvm("a function gives nothing"))?;
    let mut all = ty.into_struct_type().get_undef();
    for (k, w) in words.iter().enumerate() {
        all = b.build_insert_value(all, *w, k as u32, "").map_err(llvm)?.into_struct_value();
    }
    b.build_return(Some(&all)).map_err(llvm)?;
    Ok(())
}
