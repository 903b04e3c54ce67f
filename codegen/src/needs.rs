//! What an emitted kernel needs of a device.

use crate::fir::ir::{Block, Kernel, Stmt, Type};
use crate::passes::Checked;
use crate::targets::ptx::Ptx;
use crate::targets::ptx::locals;
use curvesmith_abi::{Features, Needs, ParamKind};

/// The needs of a kernel of PTX, in its final form.
pub(crate) fn needs(checked: &Checked<Ptx>) -> Needs {
    let kernel = checked.kernel();
    let words = kernel.field.as_ref().map_or(0, |field| field.words);
    let arrays: usize = kernel.shared.iter().map(|s| 4 * s.length as usize * s.stride(words)).sum();
    let (_, slots) = locals::place(kernel);
    let is_buffer = |kind: ParamKind| matches!(kind, ParamKind::Buffer(..));
    let all = checked.with_functions();
    Needs {
        threads: kernel.desc.block,
        shared: arrays as u32 + locals::SLOT_BYTES * slots * kernel.desc.block,
        buffers: kernel.desc.params.iter().filter(|param| is_buffer(param.kind)).count() as u32,
        features: all.into_iter().map(|part| features(part.kernel())).fold(Features::NONE, Features::and),
    }
}

/// The abilities that the kernel's own text asks for.
fn features(kernel: &Kernel) -> Features {
    let wide = kernel.values().any(|v| kernel.ty(v) == Type::U64);
    let words = if wide { Features::WORDS_64 } else { Features::NONE };
    words.and(if has_warps(&kernel.body) { Features::WARPS_32 } else { Features::NONE })
}

fn has_warps(block: &Block) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Shuffle { .. } | Stmt::Ballot { .. } | Stmt::MatchAny { .. } | Stmt::SyncWarp { .. } => true,
        other => other.blocks().into_iter().any(has_warps),
    })
}
