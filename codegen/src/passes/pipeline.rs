//! The order of the passes.

use super::{KernelInfo, certificate, join_products, place_reductions, schedule, simplify};
use crate::error::PassError;
use crate::fir::ir::Kernel;
use crate::fir::verify::verify;

/// Is told what a kernel looks like after each pass, by the pass' name. Bounds and variants come
/// with the passes that know them.
pub type Observer<'a> = dyn FnMut(&'static str, &Kernel, Option<&KernelInfo>) + 'a;

/// Takes a kernel as written to one that a back end can emit. Verifies before the first pass and after
/// each.
pub fn prepare(kernel: &Kernel) -> Result<(Kernel, KernelInfo), PassError> {
    prepare_observed(kernel, &mut |_, _, _| {})
}

/// [`prepare`], with an observer of every pass; `written` comes before the first.
pub fn prepare_observed(
    kernel: &Kernel,
    observe: &mut Observer<'_>,
) -> Result<(Kernel, KernelInfo), PassError> {
    observe("written", kernel, None);
    check(kernel, "as written")?;
    let kernel = simplify(kernel);
    observe("simplify", &kernel, None);
    check(&kernel, "after simplify")?;
    // The single products that were joined are left to the second run to remove.
    let kernel = simplify(&join_products(&kernel));
    observe("join_products", &kernel, None);
    check(&kernel, "after join_products")?;
    let (mut kernel, info) = place_reductions(&kernel)?;
    observe("place_reductions", &kernel, Some(&info));
    check(&kernel, "after place_reductions")?;
    schedule(&mut kernel, &info);
    observe("schedule", &kernel, Some(&info));
    check(&kernel, "after schedule")?;
    certificate::check(&kernel, &certificate::certify(&kernel, &info))?;
    Ok((kernel, info))
}

fn check(kernel: &Kernel, when: &str) -> Result<(), PassError> {
    verify(kernel).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
        PassError::Malformed(format!("{when}: {}", lines.join("; ")))
    })
}
