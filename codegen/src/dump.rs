//! A kernel's texts on its way to machine code, for people and for comparisons.

use crate::error::EmitError;
use crate::fir::ir::{self, Kernel, Stmt, Value};
use crate::fir::print::print_noted;
use crate::passes::{Checked, KernelInfo, prepare_observed};
use crate::targets::BackEnd;
use crate::targets::ptx::emit::Emitter;
#[cfg(feature = "llvm")]
use crate::targets::ptx::emit::llvm;
use crate::targets::ptx::{Block, Choice, Pipes, Ptx};
use std::fmt::Write as _;

/// A kernel, and what it calls, at one point of its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// `written`, `inline`, the name of a later pass, or `blocks`, `writer`, `llvm`, `ptx`.
    pub name: &'static str,
    /// FIR after each pass, the limb blocks, PTX by our writer, LLVM IR, PTX by LLVM.
    pub text: String,
}

/// Every stage of a kernel that is reached, in order, and the fault that ended the way early.
///
/// FIR carries the bound of each field value and the variant that computes it as comments, once
/// they are known. LLVM IR and PTX are those of the kernel alone in a module.
pub fn stages(kernel: &Kernel) -> (Vec<Stage>, Result<(), EmitError>) {
    let (mut stages, prepared) = passes(kernel);
    let emitted = prepared.and_then(|prepared| emitted(&[prepared]));
    let ended = emitted.map(|emitted| stages.extend(emitted));
    (stages, ended)
}

/// The texts of writers: ours, and LLVM IR with what LLVM makes of it.
fn emitted(prepared: &[Checked<Ptx>]) -> Result<Vec<Stage>, EmitError> {
    let ptx = |emitter| Ptx::emit(prepared, emitter).map(|artefact| artefact.text);
    Ok(vec![
        Stage { name: "writer", text: ptx(Emitter::Writer)? },
        #[cfg(feature = "llvm")]
        Stage { name: "llvm", text: llvm::emit_ir(prepared)? },
        #[cfg(feature = "llvm")]
        Stage { name: "ptx", text: ptx(Emitter::Llvm)? },
    ])
}

/// The stages up to the limb blocks, without LLVM, and the prepared kernel.
pub fn passes(kernel: &Kernel) -> (Vec<Stage>, Result<Checked<Ptx>, EmitError>) {
    let mut stages: Vec<Stage> = Vec::new();
    let prepared = prepare_observed(kernel, &mut |name, kernel, info| {
        let text = annotated(kernel, info);
        match stages.iter_mut().find(|stage| stage.name == name) {
            // What is called stands before its caller, and is prepared when that is inlined.
            Some(stage) if matches!(name, "written" | "inline") => stage.text.insert_str(0, &text),
            Some(stage) => stage.text.push_str(&text),
            None => stages.push(Stage { name, text }),
        }
    });
    if let Ok(checked) = &prepared {
        let text = checked.with_functions().into_iter().map(|c| blocks(c.kernel(), c.info())).collect();
        stages.push(Stage { name: "blocks", text });
    }
    let fault = |source| EmitError::Pass { kernel: kernel.symbol.clone(), source };
    (stages, prepared.map_err(fault))
}

/// The kernel alone as text, with the bound and variant of each value as comments where they are known.
pub fn annotated(kernel: &Kernel, info: Option<&KernelInfo<Ptx>>) -> String {
    let Some((info, field)) = info.zip(kernel.field.as_ref()) else {
        return print_noted(kernel, &|_| None, &|_| None);
    };
    let value = |v| {
        let bound = info.bound(v)?.display(field).to_string();
        Some(info.choice(v).map_or_else(|| bound.clone(), |c| format!("{bound} {}", c.variant)))
    };
    let local = |l| info.local(l).map(|bound| bound.display(field).to_string());
    print_noted(kernel, &value, &local)
}

/// The distinct programs of a kernel, by first use: how often each stands in the text, and its cost.
fn blocks(kernel: &Kernel, info: &KernelInfo<Ptx>) -> String {
    let mut out = String::new();
    let Some(field) = &kernel.field else { return out };
    for (choice, uses) in programs(kernel, info) {
        let cost = choice.cost;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "; {} used {uses} times, out {}, fma {} alu {} issue {}\n{}",
            choice.variant,
            choice.out.display(field),
            cost.fma(&Pipes::SM_90),
            cost.alu(&Pipes::SM_90),
            cost.issue(),
            choice.block()
        );
    }
    out
}

/// Distinct programs with their number of uses, by first use.
fn programs<'a>(kernel: &Kernel, info: &'a KernelInfo<Ptx>) -> Vec<(&'a Choice, u32)> {
    let mut found: Vec<(&'a Choice, u32)> = Vec::new();
    for v in computed(&kernel.body) {
        let Some(choice) = info.choice(v) else { continue };
        let same = |seen: &Block| seen.name() == choice.block().name() && seen == choice.block();
        match found.iter_mut().find(|(seen, _)| same(seen.block())) {
            Some((_, uses)) => *uses += 1,
            None => found.push((choice, 1)),
        }
    }
    found
}

/// Values that a statement computes, in text order.
pub(crate) fn computed(body: &ir::Block) -> Vec<Value> {
    let mut values = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Let(v) => values.push(*v),
            Stmt::If { then, otherwise, .. } => {
                values.extend(computed(then));
                values.extend(computed(otherwise));
            }
            Stmt::Loop(body) => values.extend(computed(body)),
            _ => {}
        }
    }
    values
}
