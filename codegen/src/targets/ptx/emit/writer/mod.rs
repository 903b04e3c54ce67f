//! PTX without LLVM: one statement after the other, a register for each value, and nothing that ptxas does
//! anyway.
//!
//! Addresses are computed at every access, parameters and positions are read where they are used, and what a
//! local holds is copied where it is read. ptxas finds common values, folds offsets, hoists and allocates, so
//! that machine code comes out as long as from LLVM's text, but for a percent.

mod body;
mod registers;

use crate::error::EmitError;
use crate::fir::ir::{Kernel, Type};
use crate::passes::Checked;
use crate::targets::ptx::{Block, Ptx};
use crate::targets::walk::{words_of, write};
use body::Body;
use curvesmith_abi::ParamKind;
use registers::Atom;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::text_of;

/// The least PTX version that knows `sm_75`.
const HEADER: &str = ".version 6.3\n.target sm_75\n.address_size 64\n";

/// PTX of the kernels, in order, as one module.
pub(super) fn emit(kernels: &[Checked<Ptx>]) -> Result<String, EmitError> {
    let mut module = Module { text: HEADER.to_owned(), ..Module::default() };
    for checked in kernels {
        let kernel = checked.kernel();
        module.take(&kernel.symbol)?;
        let body = module.body(checked)?;
        module.entry(kernel, &body);
    }
    Ok(module.text)
}

/// What is written so far. Writing to a string cannot fail.
#[derive(Default)]
struct Module {
    text: String,
    symbols: BTreeSet<String>,
    /// Programs of field operations as functions, with their names, and whether they are without guards.
    programs: Vec<(Block, bool, String)>,
    /// Functions of FIR by their symbols, and what is compiled under each.
    functions: Vec<Checked<Ptx>>,
    /// Bodies so far: labels are numbered by body.
    bodies: usize,
}

impl Module {
    fn take(&mut self, symbol: &str) -> Result<(), EmitError> {
        match self.symbols.insert(symbol.to_owned()) {
            true => Ok(()),
            false => Err(EmitError::Kernel { kernel: symbol.to_owned(), reason: "symbol is taken".into() }),
        }
    }

    /// The lines of a kernel or function; what it calls is written before.
    fn body(&mut self, checked: &Checked<Ptx>) -> Result<String, EmitError> {
        for function in checked.functions() {
            if !self.functions.iter().any(|known| known == &**function) {
                self.function(function)?;
                self.functions.push((**function).clone());
            }
        }
        let number = self.bodies;
        self.bodies += 1;
        let mut body = Body::new(self, checked, number);
        write(&mut body, checked)?;
        Ok(body.finish())
    }

    fn entry(&mut self, kernel: &Kernel, body: &str) {
        let params = kernel.desc.params.iter().enumerate().map(|(i, param)| {
            let ty = match param.kind {
                ParamKind::Buffer(..) | ParamKind::U64 => "u64",
                ParamKind::U32 => "u32",
            };
            format!("\t.param .{ty} {}", body::param(&kernel.symbol, i))
        });
        let params = params.collect::<Vec<_>>().join(",\n");
        // One resident block is enough but where a kernel wants more: with the block size alone ptxas 13.5
        // aims at more of them.
        let _ = writeln!(
            self.text,
            "\n.visible .entry {}(\n{params}\n)\n.maxntid {}, 1, 1\n.minnctapersm {}\n{body}",
            kernel.symbol, kernel.desc.block, kernel.resident
        );
    }

    fn function(&mut self, checked: &Checked<Ptx>) -> Result<(), EmitError> {
        let kernel = checked.kernel();
        self.take(&kernel.symbol)?;
        let body = self.body(checked)?;
        let signature = kernel.function.clone().unwrap_or_default();
        let words = |types: &[Type]| types.iter().map(|ty| words_of::<Ptx>(kernel, *ty)).sum();
        self.text += &function_head(&kernel.symbol, words(&signature.arguments), words(&signature.results));
        self.text += &body;
        Ok(())
    }

    /// The name of the function that holds a program, written at its first use.
    fn program(&mut self, kernel: &Kernel, block: &Block) -> Result<String, EmitError> {
        let unguarded = kernel.unguarded;
        let mut known = self.programs.iter();
        if let Some((.., name)) = known.find(|(b, without, _)| (b, *without) == (block, unguarded)) {
            return Ok(name.clone());
        }
        let name = format!("{}_{}", block.name(), self.programs.len());
        self.take(&name)?;
        let (inputs, outputs) = (block.input_words(), block.output_words());
        let mut registers = registers::Registers::default();
        let mut lines = String::new();
        let given: Vec<Atom> =
            (0..inputs).map(|i| body::read_argument(&mut lines, &mut registers, &name, i)).collect();
        let results = body::place(&mut lines, &mut registers, &text_of(kernel, block), outputs, &given)?;
        body::give(&mut lines, &results);
        self.text += &function_head(&name, inputs, outputs);
        self.text += &registers.around(&lines);
        self.programs.push((block.clone(), unguarded, name.clone()));
        Ok(name)
    }
}

/// A function takes words, and gives an array of them.
fn function_head(name: &str, inputs: usize, outputs: usize) -> String {
    let params = (0..inputs).map(|i| format!("\t.param .b32 {}", body::param(name, i)));
    let params = params.collect::<Vec<_>>().join(",\n");
    format!("\n.func (.param .align 16 .b8 results[{}]) {name}(\n{params}\n)\n", 4 * outputs)
}
