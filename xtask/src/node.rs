//! The Node package: packed, installed into an empty project, and tried there, with snarkjs as the judge.

use crate::demo::FIXTURES;
use crate::files::{copy, names};
use crate::{npm, shell};
use anyhow::{Context, Result};
use clap::Args;
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
pub(crate) fn test(images: &Path) -> Result<()> {
    match find() {
        Ok(platform) => pack_and_try(platform, &shell::library(CRATE, Some(images))?, &[]),
        Err(reason) => {
            eprintln!("SKIPPED: the tests of the Node package: {reason}");
            Ok(())
        }
    }
}

/// npm's name of this system, where Node and npm are there too; or what to do about it.
fn find() -> Result<&'static str, String> {
    npm::find(LEAST)?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let text = shell::output(shell::command(rustc).arg("-vV")).unwrap_or_default();
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let found = PLATFORMS.iter().find(|platform| platform.0 == host);
    found.map(|platform| platform.1).ok_or_else(|| format!("there is no package for {host}"))
}

fn pack_and_try(platform: &str, built: &Path, node: &[String]) -> Result<()> {
    let work = shell::target("node");
    npm::install_tools(&work, &TOOLS)?;
    let tarballs = [pack_addon(&work, platform, built)?, pack_scripts(&work)?];
    let project = npm::install_offline(&work, &tarballs)?;
    let tests = project.join("test");
    copy(&shell::root().join(FOLDER).join("test"), &tests)?;
    let mut test = shell::command("node");
    test.current_dir(&tests).env("CURVESMITH_FIXTURES", shell::root().join(FIXTURES));
    // A layer of Mesa's would write to standard error where there is no desktop.
    test.env("NODEVICE_SELECT", "1");
    test.args(["--test", "--test-reporter=spec"]).args(node);
    let files = names(&tests)?;
    shell::run(test.args(files.iter().filter(|name| name.ends_with(".test.mjs"))))
}

/// The package of a platform: the addon without what only debuggers read, and the licences of all that is in
/// it.
fn pack_addon(work: &Path, platform: &str, built: &Path) -> Result<PathBuf> {
    let from = Path::new(FOLDER).join("npm").join(platform);
    let stage = npm::stage(work, &format!("curvesmith-{platform}"), &from)?;
    let addon = stage.join(format!("curvesmith.{platform}.node"));
    let library = built.join("libcurvesmith_node.so");
    shell::run(shell::command("strip").args(["--strip-unneeded", "-o"]).args([&addon, &library]))
        .context("`strip` comes with the linker (Debian, Ubuntu: apt-get install binutils)")?;
    npm::add_third_party(&stage, &["--package", CRATE])?;
    npm::pack(work, &stage)
}

/// The package of the scripts.
fn pack_scripts(work: &Path) -> Result<PathBuf> {
    npm::pack(work, &npm::stage(work, "curvesmith", Path::new(FOLDER))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::fs;

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
