//! Packages of npm: made, and installed to be tried.

use crate::files::{LICENCES, clear, copy};
use crate::{dist, shell};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether there is a Node of this version or newer, and npm; or what to do about it.
pub(crate) fn find(least: u32) -> Result<(), String> {
    const HINT: &str = "
    Debian 12, 13, Ubuntu 24.04: apt-get install -y --no-install-recommends nodejs npm
    Fedora:                      dnf install nodejs npm
    Arch:                        pacman -S nodejs npm
    macOS (Homebrew):            brew install node";
    let version = shell::output(shell::command("node").arg("--version"));
    let major =
        version.as_deref().and_then(major).ok_or_else(|| format!("Node was not found; install it:{HINT}"))?;
    if major < least {
        return Err(format!("Node {major} is older than {least}:{HINT}"));
    }
    match shell::exists("npm", "--version") {
        true => Ok(()),
        false => Err(format!("npm was not found; install it:{HINT}")),
    }
}

/// Of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Has what tests take from npm, with their versions, in a folder above their project, where they find it.
pub(crate) fn install_tools(work: &Path, tools: &[&str]) -> Result<()> {
    let installed = |tool: &str| {
        let (name, version) = tool.rsplit_once('@')?;
        let manifest = fs::read_to_string(work.join("node_modules").join(name).join("package.json")).ok()?;
        let manifest: Value = serde_json::from_str(&manifest).ok()?;
        (manifest["version"] == version).then_some(())
    };
    if tools.iter().all(|tool| installed(tool).is_some()) {
        return Ok(());
    }
    fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
    let mut npm = shell::command("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
    shell::run(npm.arg(work).args(tools))
}

/// An empty project into which packages are installed. No registry is asked: they need nothing but each
/// other.
pub(crate) fn install_offline(work: &Path, tarballs: &[PathBuf]) -> Result<PathBuf> {
    let project = work.join("project");
    clear(&project)?;
    fs::write(project.join("package.json"), "{ \"private\": true }\n")?;
    let mut npm = shell::command("npm");
    npm.current_dir(&project).args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error"]);
    shell::run(npm.args(tarballs))?;
    Ok(project)
}

/// Writes the licences of all that is in a package of ours, given the arguments of `cargo tree` that name it.
pub(crate) fn add_third_party(stage: &Path, package: &[&str]) -> Result<()> {
    let (third_party, _) = dist::third_party(package)?;
    Ok(fs::write(stage.join("THIRD-PARTY.txt"), third_party)?)
}

/// A folder with the files of the package of this name, from a folder of the workspace, and with our
/// licences.
pub(crate) fn stage(work: &Path, name: &str, from: &Path) -> Result<PathBuf> {
    let from = shell::root().join(from);
    let manifest: Value = serde_json::from_str(&fs::read_to_string(from.join("package.json"))?)?;
    ensure!(
        manifest["name"] == name,
        "{} has the name {}, expected {name}",
        from.display(),
        manifest["name"]
    );
    let stage = work.join("packages").join(name);
    clear(&stage)?;
    let listed = manifest["files"]
        .as_array()
        .context("a package.json without `files`")?
        .iter()
        .filter_map(Value::as_str);
    for file in ["package.json", "README.md"].into_iter().chain(listed) {
        // What is not there is made for the package, which `npm pack` and the tests show.
        if from.join(file).exists() {
            copy(&from.join(file), &stage.join(file))?;
        }
    }
    for licence in LICENCES {
        copy(&shell::root().join(licence), &stage.join(licence))?;
    }
    Ok(stage)
}

/// The tarball that npm makes of a folder.
pub(crate) fn pack(work: &Path, stage: &Path) -> Result<PathBuf> {
    let mut npm = shell::command("npm");
    npm.current_dir(stage).args(["pack", "--json", "--ignore-scripts", "--pack-destination"]).arg(work);
    let line = shell::show(&npm);
    let text = shell::output(&mut npm).with_context(|| format!("`{line}` failed"))?;
    let packed: Value = serde_json::from_str(&text).context("`npm pack` did not print JSON")?;
    let file = packed[0]["filename"].as_str().context("`npm pack` names no file")?;
    eprintln!("{file}: {} bytes, unpacked {}", packed[0]["size"], packed[0]["unpackedSize"]);
    Ok(work.join(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_have_a_v() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("20.20.2"), None);
    }
}
