//! Kernels to WGSL, by the shared [walk](crate::targets::walk).
//!
//! An image is one module. It has a function for each program that its kernels use, one for each function of
//! FIR, and an entry point for each kernel, named by its symbol.

mod body;
mod prelude;
mod programs;
pub(super) mod rolled;
pub(super) mod rows;
pub(super) mod steps;
mod words_64;

use super::Wgsl;
use super::products::{Lazy, Words, product};
use crate::declaration::FieldDesc;
use crate::error::EmitError;
use crate::fir::ir::{Kernel, Type};
use crate::passes::Checked;
use crate::targets::limbs::ir::Program;
use crate::targets::walk::write;
use crate::targets::{Artefact, BackEnd, Claim, Layout, Unproven};
use body::Body;
use curvesmith_abi::wgsl::either;
use curvesmith_abi::{Access, Features, Needs, ParamKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

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
        let mut module = Module::new(kernels)?;
        let needs = kernels.iter().map(|checked| module.kernel(checked)).collect::<Result<_, _>>()?;
        Ok(Artefact { text: module.text, needs })
    }
}

/// What is written so far. Writing to a string cannot fail.
struct Module {
    text: String,
    symbols: BTreeSet<String>,
    /// Functions of programs, with what else tells them from one another: their texts by words of 32 and of
    /// 64 bits but for the name.
    programs: Vec<(Program, [Option<String>; 2], String)>,
    /// By the seals of claims, which function it is.
    claims: BTreeMap<[u8; 32], usize>,
    /// Functions of FIR that are written.
    functions: Vec<Checked<Wgsl>>,
}

impl Module {
    /// With what all kernels share.
    fn new(kernels: &[Checked<Wgsl>]) -> Result<Module, EmitError> {
        let mut text = String::new();
        let of_field = kernels.iter().map(Checked::kernel).find(|kernel| kernel.field.is_some());
        let field = of_field.and_then(|kernel| kernel.field.as_ref());
        if let Some(other) = kernels.iter().map(Checked::kernel).find(|k| k.field.as_ref() != field) {
            return Err(fault(other, "it is of another field than the module"));
        }
        text += &prelude::text();
        if let Some(kernel) = of_field {
            let field = kernel.field();
            let limbs: Vec<String> = (0..field.words).map(|i| format!("w{i}: u32")).collect();
            let _ = writeln!(text, "struct E {{ {} }}", limbs.join(", "));
            let chosen = |i: usize| format!("select(b.w{i}, a.w{i}, c)");
            let chosen: Vec<String> = (0..field.words).map(chosen).collect();
            let _ = writeln!(
                text,
                "fn choose(c: bool, a: E, b: E) -> E {{\n  return E({});\n}}",
                chosen.join(", ")
            );
        }
        let symbols =
            ["E", "choose", "mul_add", "add_pair", "sub_pair", "mul_pair", "shl_pair", "shr_pair", "lt_pair"];
        let symbols = symbols.map(str::to_owned).into();
        Ok(Module { text, symbols, programs: vec![], claims: BTreeMap::new(), functions: vec![] })
    }

    fn take(&mut self, kernel: &Kernel) -> Result<(), EmitError> {
        match self.symbols.insert(kernel.symbol.clone()) {
            true => Ok(()),
            false => Err(fault(kernel, "symbol is taken")),
        }
    }

    /// The function of a program, which is written where it is new.
    fn program(&mut self, field: &FieldDesc, claim: &Claim<'_, Wgsl>) -> Result<String, Unproven> {
        let seal = claim.seal(field).bytes();
        if let Some(known) = self.claims.get(&seal) {
            return Ok(self.programs[*known].2.clone());
        }
        let Claim { choice, .. } = claim;
        let texts = |name: &str| -> Result<[Option<String>; 2], Unproven> {
            let by = |words: Words| product_text(name, field, claim, words);
            Ok([by(Words::Bits32)?, by(Words::Bits64)?])
        };
        let nameless = texts("")?;
        let is =
            |known: &(Program, [Option<String>; 2], String)| known.0 == choice.program && known.1 == nameless;
        let found = self.programs.iter().position(is);
        let number = found.unwrap_or(self.programs.len());
        self.claims.insert(seal, number);
        if found.is_none() {
            let name = format!("{}_{number}", choice.variant.replace('.', "_"));
            let [words_32, words_64] = texts(&name)?;
            let own = || programs::function(&name, &choice.program, field.words);
            let words_32 = words_32.unwrap_or_else(own);
            self.text += &match words_64 {
                Some(words_64) => either(&words_64, &words_32),
                None => words_32,
            };
            self.programs.push((choice.program.clone(), nameless, name));
        }
        Ok(self.programs[number].2.clone())
    }

    /// The body of a kernel or function; the functions that it calls are written before.
    fn body(&mut self, checked: &Checked<Wgsl>) -> Result<(String, bool), EmitError> {
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

    fn function(&mut self, checked: &Checked<Wgsl>) -> Result<(), EmitError> {
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

    fn kernel(&mut self, checked: &Checked<Wgsl>) -> Result<Needs, EmitError> {
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

/// The function of a claim by other words than its program's, proven for its bounds, where there is one.
fn product_text(
    name: &str,
    field: &FieldDesc,
    Claim { op, operands, choice }: &Claim<'_, Wgsl>,
    words: Words,
) -> Result<Option<String>, Unproven> {
    let Some(found) = product(field, op, operands, choice, words)? else { return Ok(None) };
    let n = field.words;
    let function = |name: &str| match &found.lazy {
        Lazy::Rolled(rolled) => rolled::function(name, rolled, n),
        Lazy::Straight(program) => Some(words_64::function(name, program, n)),
    };
    let Some(ladder) = found.ladder else { return Ok(function(name)) };
    let [lazy, reduced] = ["lazy", "reduced"].map(|part| format!("{name}_{part}"));
    let Some(product) = function(&lazy) else { return Ok(None) };
    let list = |of: &dyn Fn(usize) -> String| (0..operands.len()).map(of).collect::<Vec<_>>().join(", ");
    let (declared, given) = (list(&|k| format!("x{k}: E")), list(&|k| format!("x{k}")));
    Ok(Some(format!(
        "{product}{}fn {name}({declared}) -> E {{\n  return {reduced}({lazy}({given}));\n}}\n",
        programs::function(&reduced, &ladder.program, n)
    )))
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
