//! Kernels to PTX text, by LLVM or by our own `writer`.
//!
//! Both take a kernel by the same [walk](crate::targets::walk), put the same blocks of text into it, and lay
//! out memory alike; ptxas schedules and allocates what either gives. Images are LLVM's by default; the
//! writer needs no LLVM.

mod block;
pub mod chain;
mod check;
mod effects;
mod layout;
#[cfg(feature = "llvm")]
pub mod llvm;
mod needs;
pub mod text;
mod writer;

use super::{Block, Ptx};
use crate::declaration::FieldDesc;
use crate::error::EmitError;
use crate::fir::ir::{Kernel, Op};
use crate::passes::{Checked, products};
use crate::targets::{Artefact, BackEnd, Layout};

/// The least compute capability, `major * 10 + minor`: all that the kernels need.
pub const MIN_COMPUTE: u32 = 75;

/// Who writes PTX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emitter {
    /// LLVM's NVPTX back end.
    #[cfg(feature = "llvm")]
    #[default]
    Llvm,
    /// This crate.
    #[cfg_attr(not(feature = "llvm"), default)]
    Writer,
}

impl Emitter {
    /// Whether it can be had in this process: that of LLVM may be another than the bindings are made for.
    pub fn check(self) -> Result<(), EmitError> {
        match self {
            #[cfg(feature = "llvm")]
            Emitter::Llvm => llvm::check_llvm(),
            Emitter::Writer => Ok(()),
        }
    }

    /// Name and version, as images name it.
    pub fn version(self) -> String {
        match self {
            #[cfg(feature = "llvm")]
            Emitter::Llvm => llvm::llvm_version(),
            Emitter::Writer => "own writer".into(),
        }
    }
}

impl BackEnd for Ptx {
    type Emitter = Emitter;

    fn layout(field: &FieldDesc) -> Layout {
        Layout { limbs: field.words, bits: 32 }
    }

    /// One module for compute capability 7.5 and later.
    fn emit(kernels: &[Checked<Ptx>], emitter: Emitter) -> Result<Artefact, EmitError> {
        kernels.iter().try_for_each(check::check)?;
        let text = match emitter {
            #[cfg(feature = "llvm")]
            Emitter::Llvm => llvm::emit(kernels)?,
            Emitter::Writer => writer::emit(kernels)?,
        };
        Ok(Artefact { text, needs: kernels.iter().map(needs::needs).collect() })
    }
}

/// Whether the program of an operation is a function where a kernel [calls](crate::targets::Machine::calls)
/// its products.
fn is_called(op: &Op, block: &Block) -> bool {
    products(op) > 0 && block.output_words() > 1
}

/// A block as the lines of a kernel, with placeholders.
fn text_of(kernel: &Kernel, block: &Block) -> String {
    if kernel.unguarded { text::unguarded_template(block) } else { text::template(block) }
}
