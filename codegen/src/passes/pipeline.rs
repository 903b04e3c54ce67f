//! The order of the passes.

use super::{KernelInfo, place_reductions, simplify, verify_bounds};
use crate::error::PassError;
use crate::fir::ir::Kernel;
use crate::fir::verify::verify;

/// Takes a kernel as written to one that a back end can emit. Verifies before the first pass and after
/// each.
pub fn prepare(kernel: &Kernel) -> Result<(Kernel, KernelInfo), PassError> {
    check(kernel, "as written")?;
    let kernel = simplify(kernel);
    check(&kernel, "after simplify")?;
    let (kernel, info) = place_reductions(&kernel)?;
    check(&kernel, "after place_reductions")?;
    verify_bounds(&kernel, &info)?;
    Ok((kernel, info))
}

fn check(kernel: &Kernel, when: &str) -> Result<(), PassError> {
    verify(kernel).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
        PassError::Malformed(format!("{when}: {}", lines.join("; ")))
    })
}
