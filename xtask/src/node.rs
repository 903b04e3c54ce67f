//! The Node package: packed, installed into an empty project, and tried there, with snarkjs as the judge.

use crate::demo::FIXTURES;
use crate::files::{LICENCES, clear, copy, names};
use crate::{dist, shell};
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The package in Rust.
const CRATE: &str = "curvesmith-node";
/// Its folder, with the scripts of the package and the manifests of its platforms.
const FOLDER: &str = "bindings/node";
/// Systems that have a package, by rustc's names and by npm's.
const PLATFORMS: [(&str, &str); 1] = [("x86_64-unknown-linux-gnu", "linux-x64-gnu")];
/// What the tests take from npm.
const TOOLS: [&str; 4] = ["snarkjs@0.7.6", "typescript@5.9.3", "@types/node@20.19.43", "wabt@1.0.39"];
/// The oldest Node that the package runs on.
const LEAST: u32 = 18;

#[derive(Args)]
pub(crate) struct NodeArgs {
    /// Build the addon with optimisations
    #[arg(long)]
    release: bool,
    /// Arguments for `node --test`, before its files
    #[arg(last = true)]
    node: Vec<String>,
}

/// Builds both packages, and tries them.
pub(crate) fn run(args: &NodeArgs) -> Result<()> {
    let platform = find().map_err(anyhow::Error::msg)?;
    let mut build = shell::cargo();
    build.args(["build", "--package", CRATE]).args(args.release.then_some("--release"));
    shell::run(&mut build)?;
    let built = shell::target(if args.release { "release" } else { "debug" });
    pack_and_try(platform, &built, &args.node)
}

/// The same with what [`shell::library`] builds; says so where there is no Node for it.
pub(crate) fn test() -> Result<()> {
    match find() {
        Ok(platform) => pack_and_try(platform, &shell::library(CRATE)?, &[]),
        Err(reason) => {
            eprintln!("SKIPPED: the tests of the Node package: {reason}");
            Ok(())
        }
    }
}

/// npm's name of this system, where Node and npm are there too; or what to do about it.
fn find() -> Result<&'static str, String> {
    const HINT: &str = "
    Debian 12, 13, Ubuntu 24.04: apt-get install -y --no-install-recommends nodejs npm
    Fedora:                      dnf install nodejs npm
    Arch:                        pacman -S nodejs npm
    macOS (Homebrew):            brew install node";
    let version = shell::output(shell::command("node").arg("--version"));
    let major =
        version.as_deref().and_then(major).ok_or_else(|| format!("Node was not found; install it:{HINT}"))?;
    if major < LEAST {
        return Err(format!("Node {major} is older than {LEAST}:{HINT}"));
    }
    if !shell::exists("npm", "--version") {
        return Err(format!("npm was not found; install it:{HINT}"));
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let text = shell::output(shell::command(rustc).arg("-vV")).unwrap_or_default();
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let found = PLATFORMS.iter().find(|platform| platform.0 == host);
    found.map(|platform| platform.1).ok_or_else(|| format!("there is no package for {host}"))
}

/// Of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

fn pack_and_try(platform: &str, built: &Path, node: &[String]) -> Result<()> {
    let work = shell::target("node");
    install_tools(&work)?;
    let tarballs = [pack_addon(&work, platform, built)?, pack_scripts(&work)?];
    let project = work.join("project");
    clear(&project)?;
    fs::write(project.join("package.json"), "{ \"private\": true }\n")?;
    let mut npm = shell::command("npm");
    // No registry is asked: the package needs nothing but its addon.
    npm.current_dir(&project).args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error"]);
    shell::run(npm.args(&tarballs))?;
    let tests = project.join("test");
    copy(&shell::root().join(FOLDER).join("test"), &tests)?;
    let mut test = shell::command("node");
    test.current_dir(&tests).env("CURVESMITH_FIXTURES", shell::root().join(FIXTURES));
    test.args(["--test", "--test-reporter=spec"]).args(node);
    let files = names(&tests)?;
    shell::run(test.args(files.iter().filter(|name| name.ends_with(".test.mjs"))))
}

/// Has what the tests take from npm in a folder above the project, where they find it.
fn install_tools(work: &Path) -> Result<()> {
    let installed = |tool: &str| {
        let (name, version) = tool.rsplit_once('@')?;
        let manifest = fs::read_to_string(work.join("node_modules").join(name).join("package.json")).ok()?;
        let manifest: Value = serde_json::from_str(&manifest).ok()?;
        (manifest["version"] == version).then_some(())
    };
    if TOOLS.iter().all(|tool| installed(tool).is_some()) {
        return Ok(());
    }
    fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
    let mut npm = shell::command("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
    shell::run(npm.arg(work).args(TOOLS))
}

/// The package of a platform: the addon without what only debuggers read, and the licences of all that is in it.
fn pack_addon(work: &Path, platform: &str, built: &Path) -> Result<PathBuf> {
    let stage = stage(work, &format!("curvesmith-{platform}"), &Path::new("npm").join(platform))?;
    let addon = stage.join(format!("curvesmith.{platform}.node"));
    let library = built.join("libcurvesmith_node.so");
    shell::run(shell::command("strip").args(["--strip-unneeded", "-o"]).args([&addon, &library]))
        .context("`strip` comes with the linker (Debian, Ubuntu: apt-get install binutils)")?;
    let (third_party, _) = dist::third_party(&["--package", CRATE])?;
    fs::write(stage.join("THIRD-PARTY.txt"), third_party)?;
    pack(work, &stage)
}

/// The package of the scripts.
fn pack_scripts(work: &Path) -> Result<PathBuf> {
    pack(work, &stage(work, "curvesmith", Path::new(""))?)
}

/// A folder with the files of a package and with our licences.
fn stage(work: &Path, name: &str, from: &Path) -> Result<PathBuf> {
    let from = shell::root().join(FOLDER).join(from);
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
fn pack(work: &Path, stage: &Path) -> Result<PathBuf> {
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

    #[test]
    fn packages_have_the_version_of_the_workspace() {
        let read =
            |path: PathBuf| -> Value { serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap() };
        let folder = shell::root().join(FOLDER);
        let scripts = read(folder.join("package.json"));
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(scripts["version"], version);
        let addons = scripts["optionalDependencies"].as_object().unwrap();
        assert_eq!(names(&folder.join("npm")).unwrap(), PLATFORMS.map(|platform| platform.1));
        assert_eq!(addons.len(), PLATFORMS.len());
        for (_, platform) in PLATFORMS {
            let manifest = read(folder.join("npm").join(platform).join("package.json"));
            assert_eq!(manifest["version"], version);
            assert_eq!(addons[manifest["name"].as_str().unwrap()], version);
        }
    }
}
