//! Kernels to WGSL, by the shared [walk](crate::targets::walk).
//!
//! An image is one module. It has a function for each program that its kernels use, one for each function of
//! FIR, and an entry point for each kernel, named by its symbol.

mod body;
mod narrow;
mod prelude;
mod programs;
pub(super) mod rows;
pub(super) mod steps;

use super::Wgsl;
use crate::declaration::FieldDesc;
use crate::error::EmitError;
use crate::fir::ir::{Kernel, Type};
use crate::passes::Checked;
use crate::targets::walk::write;
use crate::targets::{Artefact, BackEnd, Choice, Layout, Unproven};
use body::Body;
use curvesmith_abi::{Access, Features, Needs, ParamKind};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A target of the language: how its programs are written.
pub(super) trait Dialect: BackEnd {
    /// Whether elements are not on the words that they have in memory. Then [`Dialect::prelude`] has the
    /// functions `unpack`, from the words to an element, and `pack`, to a structure of words `m0`, `m1` and
    /// so on.
    const REGROUPS: bool = false;

    /// What a module for a field has besides elements.
    fn prelude(_: &FieldDesc) -> Result<String, Unproven> {
        Ok(String::new())
    }

    /// A program as a function of this name from elements of `n` limbs to one.
    fn function(name: &str, program: &Self::Program, n: usize) -> String;
}

impl Dialect for Wgsl {
    fn function(name: &str, program: &Self::Program, n: usize) -> String {
        programs::function(name, program, n)
    }
}

impl BackEnd for Wgsl {
    type Emitter = ();

    fn layout(field: &FieldDesc) -> Layout {
        Layout { limbs: field.words, bits: 32 }
    }

    /// One module for kernels of one field. An entry point binds in group 0
    ///
    /// * at `k` the buffer parameter number `k`, as words or as vectors of four, to be read or to be read and
    ///   written;
    /// * behind them a uniform block of four-word vectors: the number of blocks of the launch, then for each
    ///   parameter in order the first word of a buffer's range within what is bound, a scalar's value, or
    ///   both words of a 64-bit one.
    ///
    /// Blocks are numbered through a grid of two dimensions, `x + y·⟨size in x⟩`; those past the number of
    /// blocks do nothing.
    fn emit(kernels: &[Checked<Wgsl>], (): ()) -> Result<Artefact, EmitError> {
        module(kernels)
    }
}

/// One module, as [`BackEnd::emit`] says.
fn module<T: Dialect>(kernels: &[Checked<T>]) -> Result<Artefact, EmitError> {
    let mut module = Module::new(kernels)?;
    let needs = kernels.iter().map(|checked| module.kernel(checked)).collect::<Result<_, _>>()?;
    Ok(Artefact { text: module.text, needs })
}

/// What is written so far. Writing to a string cannot fail.
struct Module<T: Dialect> {
    text: String,
    symbols: BTreeSet<String>,
    /// Programs with the names of their functions.
    programs: Vec<(T::Program, String)>,
    /// Functions of FIR that are written.
    functions: Vec<Checked<T>>,
}

impl<T: Dialect> Module<T> {
    /// With what all kernels share.
    fn new(kernels: &[Checked<T>]) -> Result<Module<T>, EmitError> {
        let mut text = String::new();
        let of_field = kernels.iter().map(Checked::kernel).find(|kernel| kernel.field.is_some());
        let field = of_field.and_then(|kernel| kernel.field.as_ref());
        if let Some(other) = kernels.iter().map(Checked::kernel).find(|k| k.field.as_ref() != field) {
            return Err(fault(other, "it is of another field than the module"));
        }
        text += &prelude::text();
        if let Some(kernel) = of_field {
            let field = kernel.field();
            let limbs: Vec<String> = (0..T::layout(field).limbs).map(|i| format!("w{i}: u32")).collect();
            let _ = writeln!(text, "struct E {{ {} }}", limbs.join(", "));
            let chosen = |i: usize| format!("select(b.w{i}, a.w{i}, c)");
            let chosen: Vec<String> = (0..T::layout(field).limbs).map(chosen).collect();
            let _ = writeln!(
                text,
                "fn choose(c: bool, a: E, b: E) -> E {{\n  return E({});\n}}",
                chosen.join(", ")
            );
            text += &T::prelude(field).map_err(|unproven| fault(kernel, &unproven.0))?;
        }
        let symbols = [
            "E", "choose", "M", "unpack", "pack", "mul_add", "add_pair", "sub_pair", "mul_pair", "shl_pair",
            "shr_pair", "lt_pair",
        ];
        let symbols = symbols.map(str::to_owned).into();
        Ok(Module { text, symbols, programs: vec![], functions: vec![] })
    }

    fn take(&mut self, kernel: &Kernel) -> Result<(), EmitError> {
        match self.symbols.insert(kernel.symbol.clone()) {
            true => Ok(()),
            false => Err(fault(kernel, "symbol is taken")),
        }
    }

    /// The function of a program, which is written where it is new.
    fn program(&mut self, choice: &Choice<T>, n: usize) -> String {
        if let Some((_, name)) = self.programs.iter().find(|(known, _)| *known == choice.program) {
            return name.clone();
        }
        let name = format!("{}_{}", choice.variant.replace('.', "_"), self.programs.len());
        self.text += &T::function(&name, &choice.program, n);
        self.programs.push((choice.program.clone(), name.clone()));
        name
    }

    /// The body of a kernel or function; the functions that it calls are written before.
    fn body(&mut self, checked: &Checked<T>) -> Result<(String, bool), EmitError> {
        for function in checked.functions() {
            if !self.functions.iter().any(|known| known == &**function) {
                self.function(function)?;
                self.functions.push((**function).clone());
            }
        }
        let mut body = Body::new(self, checked)?;
        write(&mut body, checked)?;
        body.finish()
    }

    fn function(&mut self, checked: &Checked<T>) -> Result<(), EmitError> {
        let kernel = checked.kernel();
        self.take(kernel)?;
        let (body, _) = self.body(checked)?;
        let signature = kernel.function.clone().unwrap_or_default();
        let list = |types: &[Type], start: char| {
            let one = |(i, ty): (usize, &Type)| format!("{start}{i}: {}", passed(*ty));
            types.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
        };
        let symbol = &kernel.symbol;
        let results = list(&signature.results, 'r');
        let _ = writeln!(self.text, "struct {symbol}_results {{ {results} }}");
        let arguments = list(&signature.arguments, 'a');
        let _ = writeln!(self.text, "fn {symbol}({arguments}) -> {symbol}_results {{\n{body}}}");
        Ok(())
    }

    fn kernel(&mut self, checked: &Checked<T>) -> Result<Needs, EmitError> {
        let kernel = checked.kernel();
        self.take(kernel)?;
        let (body, exchanges) = self.body(checked)?;
        let (symbol, desc) = (&kernel.symbol, &kernel.desc);
        let (mut buffers, mut words) = (0, 1);
        for (i, param) in desc.params.iter().enumerate() {
            words += if param.kind == ParamKind::U64 { 2 } else { 1 };
            if let ParamKind::Buffer(access, _) = param.kind {
                let access = if access == Access::In { "read" } else { "read_write" };
                let holds = body::words_of_buffer(kernel, i);
                let name = body::buffer(kernel, i);
                let _ = writeln!(
                    self.text,
                    "@group(0) @binding({buffers}) var<storage, {access}> {name}: array<{holds}>; // {}",
                    param.name
                );
                buffers += 1;
            }
        }
        let vectors = u32::div_ceil(words, 4);
        let _ = writeln!(
            self.text,
            "@group(0) @binding({buffers}) var<uniform> {symbol}_args: array<vec4<u32>, {vectors}>;"
        );
        let mut shared = 0;
        let field_words = kernel.field.as_ref().map_or(0, |f| f.words);
        for (i, array) in kernel.shared.iter().enumerate() {
            let length = array.length * array.stride(field_words) as u32;
            let (name, holds) = (body::shared(kernel, i), body::words_of_shared(kernel, i));
            let _ = writeln!(self.text, "var<workgroup> {name}: array<{holds}, {length}>;");
            shared += 4 * length;
        }
        if exchanges {
            let _ = writeln!(self.text, "var<workgroup> {symbol}_exchange: array<u32, {}>;", desc.block);
            shared += 4 * desc.block;
        }
        let _ = writeln!(
            self.text,
            "@compute @workgroup_size({})\nfn {symbol}(@builtin(local_invocation_index) thread: u32, \
             @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{\n  \
             let block = group.x + group.y * groups.x;\n  if (block >= {symbol}_args[0].x) {{ return; }}\n{body}}}",
            desc.block
        );
        Ok(Needs { threads: desc.block, shared, buffers, features: Features::NONE })
    }
}

/// The type of a value that goes into a function or comes out.
fn passed(ty: Type) -> &'static str {
    match ty {
        Type::Field => "E",
        Type::U64 => "vec2<u32>",
        Type::Pred => "bool",
        _ => "u32",
    }
}

fn fault(kernel: &Kernel, reason: &str) -> EmitError {
    EmitError::Kernel { kernel: kernel.symbol.clone(), reason: reason.into() }
}
