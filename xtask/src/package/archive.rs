//! `.crate` files: compressed archives with one folder, which is named as they are.

use crate::shell;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// Unpacks a package into a folder; the package's own folder there.
pub(super) fn unpack(file: &Path, into: &Path) -> Result<PathBuf> {
    let stem = file.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".crate"));
    let stem = stem.with_context(|| format!("{} is no .crate file", file.display()))?;
    std::fs::create_dir_all(into).with_context(|| format!("cannot create {}", into.display()))?;
    let mut tar = shell::command("tar");
    tar.arg("-xzf").arg(std::path::absolute(file)?).arg("-C").arg(into);
    // Nothing of it lies elsewhere.
    let out = tar.arg(stem).output().context("could not start `tar`")?;
    let said = String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "{} cannot be unpacked: {}", file.display(), said.trim());
    Ok(into.join(stem))
}

/// SHA-256 of a file in hex, as registries list it.
pub(super) fn sha256(file: &Path) -> Result<String> {
    let sum = shell::output(shell::command("sha256sum").arg(file));
    let sum = sum.with_context(|| format!("`sha256sum {}` failed", file.display()))?;
    sum.split_whitespace().next().map(str::to_owned).context("sha256sum printed nothing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_package_is_refused() {
        let folder = shell::target("package-test").join("archive");
        std::fs::create_dir_all(&folder).expect("a folder");
        let refused = |name: &str, text: &str| {
            let file = folder.join(name);
            std::fs::write(&file, text).expect("a file");
            unpack(&file, &folder.join("into")).expect_err("it is refused").to_string()
        };
        assert!(refused("a.tar", "").contains("is no .crate file"));
        assert!(refused("a-1.crate", "not an archive").contains("cannot be unpacked"));
    }

    #[test]
    fn sums_are_those_of_the_standard() {
        let file = shell::target("package-test").join("abc");
        std::fs::create_dir_all(file.parent().expect("it has one")).expect("a folder");
        std::fs::write(&file, "abc").expect("a file");
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&file).expect("a sum"), known);
    }
}
