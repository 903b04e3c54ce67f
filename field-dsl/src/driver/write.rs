//! Images and texts as files.

use super::sources::Declared;
use super::{Result, create, put};
use crate::parallel;
use curvesmith_codegen::dump::passes;
use curvesmith_codegen::targets::ptx::emit::Emitter;
use std::path::Path;

/// Columns of `images.tsv`; one line a kernel.
const COLUMNS: &str = "image\tlimbs\tkernel\tsymbol";

/// Writes `<image>.ptx` of every image by an emitter, and `images.tsv`.
pub(super) fn write(declared: &Declared, folder: &Path, emitter: Emitter) -> Result<String> {
    create(folder)?;
    let owners = declared.plans(emitter);
    let plans: Vec<_> =
        owners.iter().flat_map(|(owner, plans)| plans.iter().map(move |p| (owner, p))).collect();
    let texts = parallel::map(&plans, |(_, plan)| plan.text());
    let mut list = format!("{COLUMNS}\n");
    for ((owner, plan), text) in plans.iter().zip(texts) {
        put(folder, &format!("{}.ptx", plan.name()), &text?)?;
        let limbs = declared.limbs(owner).map_or_else(|| "-".to_owned(), |l| l.to_string());
        for kernel in plan.kernels() {
            list.push_str(&format!("{}\t{limbs}\t{}\t{}\n", plan.name(), kernel.desc.name, kernel.symbol));
        }
    }
    put(folder, "images.tsv", &list)?;
    Ok(String::new())
}

/// Writes `<symbol>.fir`, which is the kernel after the last pass, and `<symbol>.blocks`.
pub(super) fn texts(declared: &Declared, folder: &Path) -> Result<String> {
    create(folder)?;
    let owners = declared.plans(Emitter::default());
    let kernels: Vec<_> =
        owners.iter().flat_map(|(_, plans)| plans).flat_map(|plan| plan.kernels()).collect();
    for (kernel, (mut stages, prepared)) in kernels.iter().zip(parallel::map(&kernels, |k| passes(k))) {
        prepared?;
        let blocks = stages.pop().map(|stage| stage.text).unwrap_or_default();
        let last = stages.pop().map(|stage| stage.text).unwrap_or_default();
        put(folder, &format!("{}.fir", kernel.symbol), &last)?;
        put(folder, &format!("{}.blocks", kernel.symbol), &blocks)?;
    }
    Ok(String::new())
}
