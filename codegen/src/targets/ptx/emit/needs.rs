//! What an emitted kernel needs of a device.

use super::layout::{pieces, slots};
use crate::fir::ir::{Block, Kernel, Stmt, Type};
use crate::fir::waits::waits_for_blocks;
use crate::passes::Checked;
use crate::targets::ptx::Ptx;
use crate::targets::ptx::machine::locals;
use curvesmith_abi::{Features, Needs, ParamKind};

/// The needs of a kernel of PTX, in its final form.
pub(super) fn needs(checked: &Checked<Ptx>) -> Needs {
    let kernel = checked.kernel();
    let arrays = pieces(kernel).into_iter().flatten().map(|piece| piece.length);
    let locals = slots(kernel, locals::place(kernel).1).map(|(_, words)| words);
    let is_buffer = |kind: ParamKind| matches!(kind, ParamKind::Buffer(..));
    let all = checked.with_functions();
    Needs {
        threads: kernel.desc.block,
        shared: 4 * arrays.chain(locals).sum::<u32>(),
        buffers: kernel.desc.params.iter().filter(|param| is_buffer(param.kind)).count() as u32,
        features: all.into_iter().map(|part| features(part.kernel())).fold(Features::NONE, Features::union),
    }
}

/// The abilities that the kernel's own text asks for.
fn features(kernel: &Kernel) -> Features {
    let wide = kernel.values().any(|v| kernel.ty(v) == Type::U64);
    let asked = [
        (wide, Features::WORDS_64),
        (has_warps(&kernel.body), Features::WARPS_32),
        (waits_for_blocks(kernel), Features::PROGRESS),
    ];
    asked
        .into_iter()
        .filter(|(asks, _)| *asks)
        .map(|(_, feature)| feature)
        .fold(Features::NONE, Features::union)
}

fn has_warps(block: &Block) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Shuffle { .. } | Stmt::Ballot { .. } | Stmt::MatchAny { .. } | Stmt::SyncWarp { .. } => true,
        other => other.blocks().into_iter().any(has_warps),
    })
}
