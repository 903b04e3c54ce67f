//! What must hold of a kernel before LLVM sees it, beyond the verifier's rules.

use crate::error::EmitError;
use crate::fir::ir::{Block, Kernel, Op, Place, SharedDecl, Stmt, Type, Value};
use crate::passes::Checked;
use crate::targets::ptx::Ptx;
use crate::targets::ptx::machine::locals::SHARED_BYTES;
use curvesmith_abi::{Element, Param, ParamKind};

/// Most threads of a block.
const MAX_BLOCK: u32 = 1024;

pub(super) fn check(checked: &Checked<Ptx>) -> Result<(), EmitError> {
    checked.functions().iter().try_for_each(|function| check(function))?;
    let (kernel, info) = (checked.kernel(), checked.info());
    let error = |reason: String| Err(EmitError::Kernel { kernel: kernel.symbol.clone(), reason });
    let ok = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if kernel.symbol.is_empty()
        || kernel.symbol.starts_with(|c: char| c.is_ascii_digit())
        || !kernel.symbol.chars().all(ok)
    {
        return error(format!("symbol {:?} is not an identifier of PTX", kernel.symbol));
    }
    let block = kernel.desc.block;
    if block == 0 || block > MAX_BLOCK || !block.is_multiple_of(32) {
        return error(format!("{block} threads a block are not whole warps, at most {MAX_BLOCK}"));
    }
    let words = kernel.field.as_ref().map_or(0, |f| f.words);
    let bytes = |s: &SharedDecl| u64::from(s.length) * s.stride(words) as u64 * 4;
    let shared: u64 = kernel.shared.iter().map(bytes).sum();
    if shared > SHARED_BYTES as u64 || kernel.shared.iter().any(|s| bytes(s) == 0) {
        return error(format!("{shared} bytes of shared memory, at most {SHARED_BYTES}, no empty array"));
    }
    for v in kernel.values() {
        let missing = match &kernel[v] {
            _ if matches!(kernel.ty(v), Type::Ext(_)) => true,
            Op::Field(..) => info.choice(v).is_none(),
            Op::Const(_) | Op::FromWords(..) | Op::Get(_) | Op::Select(..) | Op::Part(..) => false,
            Op::Argument(_) | Op::Result(_) => false,
            _ => matches!(kernel.ty(v), Type::Field | Type::Fields) && info.choice(v).is_none(),
        };
        if missing {
            return error(format!("{v} has no variant"));
        }
    }
    places(kernel, &kernel.body)
}

/// Accesses with an order or an effect are those of one word.
fn places(kernel: &Kernel, block: &Block) -> Result<(), EmitError> {
    for stmt in block {
        match stmt {
            Stmt::If { then, otherwise, .. } => {
                places(kernel, then)?;
                places(kernel, otherwise)?;
            }
            Stmt::Loop(body) => places(kernel, body)?,
            Stmt::Load { place, .. }
            | Stmt::Prefetch { place }
            | Stmt::Store { place, .. }
            | Stmt::LoadOrdered { place, .. }
            | Stmt::StoreOrdered { place, .. }
            | Stmt::Atomic { place, .. } => place_is_declared(kernel, place)?,
            _ => {}
        }
    }
    Ok(())
}

fn place_is_declared(kernel: &Kernel, place: &Place) -> Result<(), EmitError> {
    let word = |v: Value| kernel.ty(v) == Type::U32;
    let ok = match *place {
        Place::Global { buffer, index, .. } => {
            word(index)
                && matches!(
                    kernel.desc.params.get(buffer.0 as usize).map(|p| p.kind),
                    Some(ParamKind::Buffer(..))
                )
        }
        Place::Part { buffer, index, part, .. } => {
            let of_points =
                |p: &Param| matches!(p.kind, ParamKind::Buffer(_, Element::Affine | Element::Point));
            word(index) && word(part) && kernel.desc.params.get(buffer.0 as usize).is_some_and(of_points)
        }
        Place::Shared { array, index } => word(index) && (array.0 as usize) < kernel.shared.len(),
    };
    if ok {
        return Ok(());
    }
    Err(EmitError::Kernel { kernel: kernel.symbol.clone(), reason: format!("{place:?} is not declared") })
}
