//! What a package's `Cargo.toml` must say before anyone can use it from a registry.

use super::LIBRARIES;
use crate::files::LICENCES;
use anyhow::{Context, Result};
use std::path::Path;
use toml::{Table, Value};

/// Keys that cargo's registry and its readers ask for.
const ASKED: [&str; 5] = ["description", "license", "repository", "rust-version", "edition"];

/// What is wrong with an unpacked package.
pub(super) fn faults(package: &Path) -> Result<Vec<String>> {
    let path = package.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest = text.parse::<Table>().with_context(|| format!("{} is not TOML", path.display()))?;
    let mut faults = judge(&manifest);
    let readme = manifest.get("package").and_then(|of| of.get("readme")).and_then(Value::as_str);
    let files = LICENCES.into_iter().chain(readme).filter(|name| !package.join(name).exists());
    faults.extend(files.map(|name| format!("the file {name} is not packaged")));
    Ok(faults)
}

fn judge(manifest: &Table) -> Vec<String> {
    let own = manifest.get("package").and_then(Value::as_table);
    let missing = ASKED.iter().filter(|key| own.is_none_or(|own| !own.contains_key(**key)));
    let mut faults: Vec<String> = missing.map(|key| format!("no `{key}`")).collect();
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let tables = targets.filter_map(|(_, of)| of.as_table()).chain([manifest]);
    for (kind, table) in tables.flat_map(Table::iter).filter(|(key, _)| key.ends_with("dependencies")) {
        for (name, dependency) in table.as_table().into_iter().flatten() {
            let key = |key: &str| dependency.get(key).and_then(Value::as_str);
            if let Some(place) = ["path", "git"].into_iter().find(|place| key(place).is_some()) {
                faults.push(format!("{name} of [{kind}] has a `{place}`"));
            }
            let version = dependency.as_str().or_else(|| key("version")).unwrap_or_default();
            let of = key("package").unwrap_or(name);
            // The signatures of kernels and the format of bundles tie packages to their like.
            if LIBRARIES.iter().any(|(library, _)| *library == of) && !version.starts_with('=') {
                faults.push(format!("{name} of [{kind}] has version `{version}`, not one alone"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(rest: &str) -> Vec<String> {
        let package = ASKED.map(|key| format!("{key} = \"x\"\n")).concat();
        judge(&format!("[package]\n{package}{rest}").parse().expect("TOML"))
    }

    #[test]
    fn a_complete_manifest_has_no_faults() {
        let rest = "[dependencies.curvesmith-abi]\nversion = \"=0.1.0\"\n[dependencies]\nblake3 = \"1\"\n";
        assert!(judged(rest).is_empty());
    }

    #[test]
    fn every_fault_is_named() {
        let of = |rest: &str| judged(rest).concat();
        assert!(of("[dependencies]\ncurvesmith-abi = \"0.1.0\"").contains("version `0.1.0`"));
        assert!(
            of("[build-dependencies]\na = { package = \"curvesmith-abi\", version = \"1\" }")
                .contains("a of")
        );
        assert!(
            of("[target.'cfg(unix)'.dependencies]\nx = { version = \"1\", path = \"x\" }").contains("`path`")
        );
        assert!(of("[dev-dependencies]\nx = { git = \"x\" }").contains("`git`"));
        assert_eq!(judge(&"[package]\n".parse().expect("TOML")).len(), ASKED.len());
        assert_eq!(judge(&Table::new()).len(), ASKED.len());
    }
}
