//! Chained operations as files.

use super::sources::{Declared, Owner};
use super::{Result, create, put};
use crate::parallel;
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::probes::{Probe, VariantProbe, extension_probes, field_probes, variant_probes};
use curvesmith_codegen::targets::BackEnd;
use curvesmith_codegen::targets::ptx::Ptx;
use curvesmith_codegen::targets::ptx::emit::Emitter;
use std::path::Path;

/// Columns of `probes.tsv`; one line a probe.
const COLUMNS: &str = "field\top\tcount\tsymbol";

/// Writes `<symbol>.ptx` of every probe of the fields, and `probes.tsv`.
pub(super) fn write(declared: &Declared, folder: &Path, fields: &[&str]) -> Result<String> {
    create(folder)?;
    let mut probes: Vec<(&FieldDesc, Probe)> = Vec::new();
    for owner in &declared.0 {
        match owner {
            Owner::Field(field) if fields.contains(&field.name.as_str()) => {
                probes.extend(field_probes(field).into_iter().map(|probe| (field, probe)));
            }
            Owner::Group(group) if fields.contains(&group.base.name.as_str()) => {
                probes.extend(extension_probes(group).into_iter().map(|probe| (&group.base, probe)));
            }
            _ => {}
        }
    }
    let texts = parallel::map(&probes, |(_, probe)| emit(probe));
    let mut list = format!("{COLUMNS}\n");
    for ((field, probe), text) in probes.iter().zip(texts) {
        let Probe { op, count, kernel } = probe;
        put(folder, &format!("{}.ptx", kernel.symbol), &text?)?;
        list.push_str(&format!("{}\t{op}\t{count}\t{}\n", field.name, kernel.symbol));
    }
    put(folder, "probes.tsv", &list)?;
    Ok(String::new())
}

/// Writes `<symbol>.ptx` of every variant of the fields' operations, and `variants.tsv`.
pub(super) fn write_variants(declared: &Declared, folder: &Path, fields: &[&str]) -> Result<String> {
    create(folder)?;
    let mut list = String::from("field\top\tvariant\tcanonical\tcount\tsymbol\n");
    for owner in &declared.0 {
        let Owner::Field(field) = owner else { continue };
        if !fields.contains(&field.name.as_str()) {
            continue;
        }
        for VariantProbe { op, variant, canonical, count, symbol, ptx } in variant_probes(field) {
            put(folder, &format!("{symbol}.ptx"), &ptx)?;
            list.push_str(&format!("{}\t{op}\t{variant}\t{canonical}\t{count}\t{symbol}\n", field.name));
        }
    }
    put(folder, "variants.tsv", &list)?;
    Ok(String::new())
}

fn emit(probe: &Probe) -> Result<String> {
    let kernel = probe.kernel.symbol.clone();
    let prepared = prepare::<Ptx>(&probe.kernel);
    let prepared = prepared.map_err(|source| curvesmith_codegen::EmitError::Pass { kernel, source })?;
    Ok(Ptx::emit(&[prepared], Emitter::default())?.text)
}
