//! Images that are kept beside the declarations they were made of.

use super::sources::Declared;
use super::{DriverError, Result, create};
use crate::images::{
    Declaration, emit, extension, formats, kept_or_emitted, lane_formats, read_bundle, sealed,
};
use curvesmith_abi::{Bundle, Flavour};
use curvesmith_codegen::Format;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Writes the bundle of every declaration into a folder, and removes all others there. With `check`, makes
/// all anew and only says what would change.
///
/// Errors: with `check`, a bundle that is missing, is of another declaration or compiler, or holds other
/// texts.
pub(super) fn prepare(declared: &Declared, common: bool, folder: &Path, check: bool) -> Result<String> {
    let declarations = declared.declarations(common);
    let mut wanted: BTreeMap<String, (Format, Vec<u8>)> = BTreeMap::new();
    for format in formats().into_iter().chain(lane_formats()) {
        let made = declarations.iter().filter(|declaration| declaration.is_made_in(format));
        let declarations: Vec<Declaration<'_>> = made.copied().collect();
        let bundles = match check {
            true => emit(&declarations, format)?.iter().map(Bundle::encode).collect(),
            false => kept_or_emitted(&declarations, format)?,
        };
        let bundles = bundles.into_iter().map(|bundle| (format, bundle));
        wanted.extend(declarations.iter().map(|declaration| declaration.file(format)).zip(bundles));
    }
    let there = bundles_in(folder)?;
    let others: Vec<&String> = there.iter().filter(|name| !wanted.contains_key(*name)).collect();
    if check {
        let mut faults: Vec<String> = others
            .iter()
            .map(|name| format!("{name} is of no declaration, or of another compiler"))
            .collect();
        for (name, (format, bundle)) in &wanted {
            if !there.contains(name) {
                faults.push(format!("{name} is missing"));
                continue;
            }
            match read_bundle(&folder.join(name), &format.flavour(), &format.version()) {
                Ok(kept) if texts(&Bundle::decode(&kept).ok()) == texts(&Bundle::decode(bundle).ok()) => {}
                Ok(_) => faults.push(format!("{name} holds other texts than the compiler writes")),
                Err(error) => faults.push(format!("{name}: {error}")),
            }
        }
        return match faults.is_empty() {
            true => Ok(format!("{} bundles are as the compiler writes them\n", wanted.len())),
            false => {
                Err(DriverError::Stale { folder: folder.display().to_string(), faults: faults.join("; ") })
            }
        };
    }
    create(folder)?;
    let mut bytes = 0;
    for (name, (_, bundle)) in &wanted {
        let file = sealed(bundle);
        bytes += file.len();
        crate::images::cache::write(folder, name, &file)
            .map_err(|source| fault(&folder.join(name), source))?;
    }
    for name in others {
        let path = folder.join(name);
        fs::remove_file(&path).map_err(|source| fault(&path, source))?;
    }
    Ok(format!("{} bundles, {bytes} bytes, in {}\n", wanted.len(), folder.display()))
}

/// Images and hashes of their texts. Another compression of the same texts is as good.
fn texts(bundle: &Option<Bundle>) -> Option<Vec<(&curvesmith_abi::Image, [u8; 32])>> {
    bundle
        .as_ref()
        .map(|bundle| bundle.images.iter().map(|packed| (&packed.image, packed.text_hash)).collect())
}

/// The flavour that a bundle's file name says, of those that this build knows.
pub(super) fn flavour_of(name: &str) -> Option<Flavour> {
    let lanes = lane_formats().map(Format::flavour);
    let mut known = [Flavour::PTX, Flavour::WGSL].into_iter().chain(lanes);
    known.find(|flavour| name.ends_with(&extension(flavour)))
}

/// Names of the bundles in a folder, if it is there.
pub(super) fn bundles_in(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(fault(folder, error)),
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<std::io::Result<Vec<_>>>().map_err(|error| fault(folder, error))?;
    names.retain(|name| flavour_of(name).is_some());
    Ok(names)
}

pub(super) fn fault(path: &Path, source: std::io::Error) -> DriverError {
    DriverError::File { path: path.display().to_string(), source }
}
