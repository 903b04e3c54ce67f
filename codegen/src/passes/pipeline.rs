//! The order of the passes.

use super::gate::{self, Checked, well_formed};
use super::{KernelInfo, join_products, place_reductions, schedule, simplify};
use crate::error::PassError;
use crate::fir::ir::Kernel;

/// Is told what a kernel looks like after each pass, by the pass' name. Bounds and variants come
/// with the passes that know them.
pub type Observer<'a> = dyn FnMut(&'static str, &Kernel, Option<&KernelInfo>) + 'a;

/// Takes a kernel as written to one that a back end can emit. Verifies before the first pass and after
/// each, so that a pass works on what is well-formed and a fault is told where it comes from; what counts is the
/// [gate].
pub fn prepare(kernel: &Kernel) -> Result<Checked, PassError> {
    prepare_observed(kernel, &mut |_, _, _| {})
}

/// [`prepare`], with an observer of every pass; `written` comes before the first.
pub fn prepare_observed(kernel: &Kernel, observe: &mut Observer<'_>) -> Result<Checked, PassError> {
    observe("written", kernel, None);
    well_formed(kernel, "as written")?;
    let kernel = simplify(kernel);
    observe("simplify", &kernel, None);
    well_formed(&kernel, "after simplify")?;
    // The single products that were joined are left to the second run to remove.
    let kernel = simplify(&join_products(&kernel));
    observe("join_products", &kernel, None);
    well_formed(&kernel, "after join_products")?;
    let (mut kernel, info) = place_reductions(&kernel)?;
    observe("place_reductions", &kernel, Some(&info));
    well_formed(&kernel, "after place_reductions")?;
    schedule(&mut kernel, &info);
    observe("schedule", &kernel, Some(&info));
    gate::check(kernel, info)
}
