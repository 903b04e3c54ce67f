//! Images and texts as files.

use super::sources::Declared;
use super::{DriverError, Result, create, put};
use crate::images::{kept_or_emitted, texts_of};
use crate::parallel;
use curvesmith_codegen::dump::passes;
use curvesmith_codegen::targets::ptx::emit::Emitter;
use std::collections::BTreeMap;
use std::path::Path;

/// Columns of `images.tsv`; one line a kernel.
const COLUMNS: &str = "image\tlimbs\tkernel\tsymbol";

/// Writes `<image>.ptx` of every image by an emitter, and `images.tsv`. What the cache has is not made anew.
pub(super) fn write(declared: &Declared, folder: &Path, emitter: Emitter) -> Result<String> {
    create(folder)?;
    let mut texts = BTreeMap::new();
    for bundle in kept_or_emitted(&declared.declarations(true), emitter.into())? {
        let of = texts_of(&bundle).map_err(|source| {
            let path = "a bundle that was made or kept".to_owned();
            DriverError::Bundle { path, source }
        })?;
        texts.extend(of.into_iter().map(|(image, text)| (image.name, text)));
    }
    let owners = declared.plans(emitter);
    let plans: Vec<_> =
        owners.iter().flat_map(|(owner, plans)| plans.iter().map(move |p| (owner, p))).collect();
    let mut list = format!("{COLUMNS}\n");
    for (owner, plan) in plans {
        let text = texts.get(plan.name()).ok_or_else(|| DriverError::Unknown {
            what: "image",
            name: plan.name().to_owned(),
            known: texts.keys().cloned().collect::<Vec<_>>().join(", "),
        })?;
        put(folder, &format!("{}.ptx", plan.name()), text)?;
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
