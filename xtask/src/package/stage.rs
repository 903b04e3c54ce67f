//! A copy of the library packages' sources, with images.

use super::{IMAGES, LIBRARIES};
use crate::files::{LICENCES, clear, copy};
use crate::shell;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// What all packages share: files of the root.
const SHARED: [&str; 3] = ["Cargo.toml", "Cargo.lock", "README.md"];

/// Copies what git knows of the library packages, as it is now, to a folder that is emptied first; the
/// folder. It is a workspace of these packages alone.
pub(super) fn fill(folder: &Path, images: &[(&str, PathBuf)]) -> Result<PathBuf> {
    clear(folder)?;
    let root = shell::root();
    let of_git = files()?;
    for file in SHARED.iter().copied().chain(of_git.iter().map(String::as_str)) {
        copy(&root.join(file), &folder.join(file))?;
    }
    for (_, own) in LIBRARIES {
        for licence in LICENCES {
            copy(&root.join(licence), &folder.join(own).join(licence))?;
        }
    }
    for (_, own) in LIBRARIES {
        edit(&folder.join(own).join("Cargo.toml"), |text| Ok(without_others(text, Path::new(own))))?;
    }
    for (own, from) in images {
        for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
            let entry = entry?;
            copy(&entry.path(), &folder.join(own).join(IMAGES).join(entry.file_name()))?;
        }
    }
    edit(&folder.join("Cargo.toml"), reduced)?;
    Ok(folder.to_owned())
}

fn edit(file: &Path, new: impl Fn(&str) -> Result<String>) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    std::fs::write(file, new(&text)?).with_context(|| format!("cannot write {}", file.display()))
}

/// Version of all packages.
pub(super) fn version() -> Result<String> {
    let text =
        std::fs::read_to_string(shell::root().join("Cargo.toml")).context("the workspace has a manifest")?;
    let manifest: toml::Table = text.parse().context("the manifest is not TOML")?;
    let of = manifest.get("workspace").and_then(|of| of.get("package")).and_then(|of| of.get("version"));
    of.and_then(toml::Value::as_str).map(str::to_owned).context("the workspace has no version")
}

/// Files of the library packages that are committed or would be, and are there.
fn files() -> Result<Vec<String>> {
    let mut git = shell::command("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]);
    let out = git.args(LIBRARIES.map(|(_, folder)| folder)).output().context("could not start `git`")?;
    ensure!(out.status.success(), "`git ls-files` failed; packages are made of a checkout");
    let text = String::from_utf8(out.stdout).context("a file's name is not UTF-8")?;
    let files: Vec<String> = text.split('\0').filter(|name| is_of_library(name)).map(str::to_owned).collect();
    Ok(files.into_iter().filter(|name| shell::root().join(name).is_file()).collect())
}

/// Whether the innermost package that a file can belong to is a library: `prover` holds the command line too.
fn is_of_library(file: &str) -> bool {
    let is_other = |folder: &Path| {
        !LIBRARIES.iter().any(|(_, own)| Path::new(own) == folder)
            && shell::root().join(folder).join("Cargo.toml").is_file()
    };
    let above = || Path::new(file).ancestors().skip(1).filter(|folder| *folder != Path::new(""));
    !file.is_empty() && !above().any(is_other)
}

/// The workspace's manifest with the library packages as its only members.
fn reduced(manifest: &str) -> Result<String> {
    let (before, rest) = manifest.split_once("members = [").context("the workspace lists no members")?;
    let (_, after) = rest.split_once(']').context("the list of members has no end")?;
    let members = LIBRARIES.map(|(_, folder)| format!("\"{folder}\"")).join(", ");
    Ok(format!("{before}members = [{members}]{after}"))
}

/// The manifest of the library in `own` without the packages that its tests have by their paths and that are
/// no libraries: they are not there.
fn without_others(manifest: &str, own: &Path) -> String {
    let is_other = |line: &str| {
        let path = line.split_once(" = { path = \"").and_then(|(_, rest)| rest.strip_suffix("\" }"));
        path.is_some_and(|path| {
            let folder = own.join(path);
            !path.contains("..") && !LIBRARIES.iter().any(|(_, library)| Path::new(library) == folder)
        })
    };
    manifest.lines().filter(|line| !is_other(line)).fold(String::new(), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_are_not_there_are_left_out() {
        let text = "[dev-dependencies]\na = { path = \"sample\" }\nb = { path = \"device\" }\nc = \"1\"\n";
        let left = without_others(text, Path::new("runtime"));
        assert_eq!(left, "[dev-dependencies]\nb = { path = \"device\" }\nc = \"1\"\n");
    }

    #[test]
    fn only_libraries_are_members() {
        let text =
            reduced("[workspace]\nmembers = [\n  \"a\",\n  \"xtask\",\n]\n[profile.dev]\n").expect("a list");
        let manifest: toml::Table = text.parse().expect("TOML");
        let members = manifest["workspace"]["members"].as_array().expect("a list");
        assert_eq!(members.len(), LIBRARIES.len());
        assert!(manifest.contains_key("profile") && !text.contains("xtask"));
        assert!(reduced("[workspace]\n").is_err() && reduced("members = [").is_err());
    }

    #[test]
    fn the_command_line_is_no_library() {
        assert!(is_of_library("prover/src/lib.rs") && is_of_library("runtime/abi/src/lib.rs"));
        assert!(!is_of_library("prover/cli/src/main.rs") && !is_of_library(""));
        let files = files().expect("git lists them");
        assert!(files.iter().any(|file| file == "codegen/build.rs"));
    }

    #[test]
    fn packages_have_a_version() {
        assert!(version().expect("a version").split('.').count() == 3);
    }
}
