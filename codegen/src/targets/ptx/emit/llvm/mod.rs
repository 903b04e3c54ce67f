//! LLVM emission: kernels with their bounds to PTX text. The only module that knows LLVM.
//!
//! LLVM does kernels, addresses, loops and calls; a field operation is one block of inline assembly
//! made from its limb program. Locals are stack slots that `mem2reg` turns into registers, so that
//! no local memory is left. LLVM ends the process on most errors: everything is checked before.

mod asm;
mod functions;
mod lower;
mod memory;

use crate::error::EmitError;
use crate::passes::Checked;
use crate::targets::ptx::Ptx;
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use std::sync::Once;

const TRIPLE: &str = "nvptx64-nvidia-cuda";
/// The least compute capability, and all that the kernels need.
const CPU: &str = "sm_75";
/// The least PTX version that knows `sm_75`.
const FEATURES: &str = "+ptx63";
/// The LLVM that the pinned `llvm-sys` binds to.
const LLVM: &str = "19.1";

/// Whether the LLVM in this process is the one that the bindings are made for.
///
/// rustc itself carries an LLVM; a macro that is linked to the same major version binds to that one
/// silently, and any other version is undefined behaviour.
pub(super) fn check_llvm() -> Result<(), EmitError> {
    judge(inkwell::support::get_llvm_version())
}

fn judge(found: (u32, u32, u32)) -> Result<(), EmitError> {
    match found {
        (19, 1, _) => Ok(()),
        _ => Err(EmitError::LlvmVersion { found, expected: LLVM }),
    }
}

/// `LLVM 19.1.7`.
pub(super) fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("LLVM {major}.{minor}.{patch}")
}

/// PTX of the kernels, in order, as one module.
pub(super) fn emit(kernels: &[Checked<Ptx>]) -> Result<String, EmitError> {
    with_module(kernels, |module, machine| {
        let text = machine.write_to_memory_buffer(module, FileType::Assembly).map_err(asm::llvm)?;
        let text = String::from_utf8(text.as_slice().to_vec()).map_err(asm::llvm)?;
        Ok(uncommented(text.trim_end_matches('\0')))
    })
}

/// Without two comments of LLVM 19: numbers of calls, which it counts over the whole process, so that the
/// text would depend on what other threads have emitted before, and the marks around every block of assembly.
fn uncommented(text: &str) -> String {
    let code = |line| str::split_once(line, " // callseq").map_or(line, |(code, _)| code);
    let mark = |line: &&str| matches!(line.trim(), "// begin inline asm" | "// end inline asm");
    text.split('\n').filter(|line| !mark(line)).map(code).collect::<Vec<_>>().join("\n")
}

/// LLVM IR of the kernels, in order, as `emit` hands it to LLVM's back end.
pub fn emit_ir(kernels: &[Checked<Ptx>]) -> Result<String, EmitError> {
    with_module(kernels, |module, _| Ok(module.print_to_string().to_string()))
}

fn with_module<T>(
    kernels: &[Checked<Ptx>],
    finish: impl FnOnce(&Module<'_>, &TargetMachine) -> Result<T, EmitError>,
) -> Result<T, EmitError> {
    check_llvm()?;
    let machine = machine()?;
    let ctx = Context::create();
    let module = ctx.create_module("curvesmith");
    module.set_triple(&TargetTriple::create(TRIPLE));
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let mut functions = functions::Functions::default();
    for kernel in kernels {
        lower::kernel(&ctx, &module, kernel, &mut functions)?;
    }
    module.verify().map_err(asm::llvm)?;
    module.run_passes("mem2reg", &machine, PassBuilderOptions::create()).map_err(asm::llvm)?;
    finish(&module, &machine)
}

fn machine() -> Result<TargetMachine, EmitError> {
    static INITIALIZED: Once = Once::new();
    INITIALIZED.call_once(|| Target::initialize_nvptx(&InitializationConfig::default()));
    let triple = TargetTriple::create(TRIPLE);
    let target = Target::from_triple(&triple).map_err(asm::llvm)?;
    target
        .create_target_machine(
            &triple,
            CPU,
            FEATURES,
            OptimizationLevel::Default,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| EmitError::Llvm(format!("no target machine for {TRIPLE} {CPU}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_llvm_is_named_with_the_one_expected() {
        assert!(judge((19, 1, 7)).is_ok());
        let error = judge((22, 1, 2)).expect_err("22 is not 19");
        assert_eq!(error.to_string(), "LLVM 22.1.2 was loaded, but kernels are emitted with LLVM 19.1.x");
    }

    #[test]
    fn numbers_of_calls_are_left_out() {
        let text = "\t{ // callseq 132, 0\n\tcall.uni f;\n\t} // callseq 132\n";
        assert_eq!(uncommented(text), "\t{\n\tcall.uni f;\n\t}\n");
        let text = "\t// begin inline asm\n\tadd.u32 %r1, %r2, 1;\n\t// end inline asm\n\tret;";
        assert_eq!(uncommented(text), "\tadd.u32 %r1, %r2, 1;\n\tret;");
    }

    #[test]
    fn this_process_has_the_right_llvm() {
        check_llvm().expect("the build found LLVM 19.1");
    }
}
