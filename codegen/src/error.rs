//! What can go wrong between a checked declaration and its images.

use crate::fir::ir::Value;
use crate::targets::Unproven;

/// Why a kernel could not be compiled.
///
/// A declaration that passed the macros' checks compiles; apart from [`EmitError::LlvmVersion`]
/// every variant is a defect of the compiler, and says where.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// Another LLVM was loaded than this crate is built for. Install LLVM 19, and see that no
    /// other LLVM comes first in the library path.
    #[error("LLVM {}.{}.{} was loaded, but kernels are emitted with LLVM {expected}.x", found.0, found.1, found.2)]
    LlvmVersion {
        /// Major, minor and patch of the library in the process.
        found: (u32, u32, u32),
        /// Major and minor version expected.
        expected: &'static str,
    },
    /// A pass failed.
    #[error("kernel {kernel}: {source}")]
    Pass {
        /// Symbol of the kernel.
        kernel: String,
        /// What failed.
        source: PassError,
    },
    /// A kernel asks for something that cannot be emitted.
    #[error("kernel {kernel}: {reason}")]
    Kernel {
        /// Symbol of the kernel.
        kernel: String,
        /// What is wrong.
        reason: String,
    },
    /// The text or the operands of an inline assembly block are wrong.
    #[error("assembly block: {0}")]
    Asm(String),
    /// LLVM refused a construction or the finished module.
    #[error("LLVM: {0}")]
    Llvm(String),
    /// The image could not be compressed.
    #[error("image cannot be compressed")]
    Compress(#[source] std::io::Error),
}

/// Why a pass could not do its work, or what a checker found.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PassError {
    /// The kernel is malformed.
    #[error("malformed kernel: {0}")]
    Malformed(String),
    /// The kernel asks for what the target does not have. The kernel's fault, or that of whoever chose the
    /// target.
    #[error("the target has no {0}")]
    Unsupported(String),
    /// No variant of the operation accepts even canonical operands.
    #[error("{value}: no variant of {op} for this field accepts canonical operands")]
    NoVariant {
        /// The value.
        value: Value,
        /// The operation.
        op: String,
    },
    /// Every variant that could be used is one whose block is not proven.
    #[error("no variant of {op} for this field is proven; of `{variant}`, {source}")]
    Unproven {
        /// The operation.
        op: String,
        /// The variant that was tried last.
        variant: &'static str,
        /// What could not be shown of it.
        source: Unproven,
    },
    /// A block that was chosen is not proven.
    #[error("{value}: the block of {op} by `{variant}` is not proven: {source}")]
    Block {
        /// The value.
        value: Value,
        /// The operation.
        op: String,
        /// The variant.
        variant: &'static str,
        /// What could not be shown of it.
        source: Unproven,
    },
    /// The checker disagrees with the bounds.
    #[error("{value}: {reason}")]
    Bounds {
        /// The value.
        value: Value,
        /// What does not hold.
        reason: String,
    },
}
