//! The package for web pages: its module built, packed, installed into an empty project, and tried in a
//! browser.

use crate::demo::FIXTURES;
use crate::files::{copy, names};
use crate::test::SIZE;
use crate::{npm, shell};
use anyhow::{Context, Result};
use clap::Args;
use std::path::{Path, PathBuf};

/// The target of web pages.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// The module in Rust.
const CRATE: &str = "curvesmith-web";
/// Its folder, with the scripts of the package, an example, and the tests.
const FOLDER: &str = "bindings/web";
/// What writes the JavaScript that loads the module.
const GLUE: &str = "xtask-glue";
/// What the tests take from npm.
const TOOLS: [&str; 3] = ["playwright-core@1.65.1", "snarkjs@0.7.6", "typescript@5.9.3"];
/// The oldest Node that runs the tests.
const LEAST: u32 = 20;
/// Names of browsers that the tests can drive.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const NO_BROWSER: &str = "no Chromium was found; install it, or name one by CURVESMITH_CHROMIUM
    Debian 12, 13: apt-get install -y --no-install-recommends chromium";

#[derive(Args)]
pub(crate) struct WebArgs {
    /// Build the module with optimisations
    #[arg(long)]
    release: bool,
    /// Build the package, and do not try it
    #[arg(long)]
    build: bool,
    /// Write screenshots of the example to this folder
    #[arg(long, value_name = "FOLDER")]
    screenshots: Option<PathBuf>,
    /// Arguments for `node --test`, before its files
    #[arg(last = true)]
    node: Vec<String>,
}

/// Builds the package, and tries it.
pub(crate) fn run(args: &WebArgs) -> Result<()> {
    find().map_err(anyhow::Error::msg)?;
    let packed = pack(args.release, None)?;
    match args.build {
        true => Ok(()),
        false => try_in(&browser().context(NO_BROWSER)?, &packed, args, true),
    }
}

/// The same, with images that were made before; says so where something is missing for it.
pub(crate) fn test(images: &Path, long: bool) -> Result<()> {
    if let Err(reason) = find() {
        eprintln!("SKIPPED: the package for web pages: {reason}");
        return Ok(());
    }
    let args = WebArgs { release: false, build: false, screenshots: None, node: vec![] };
    let packed = pack(args.release, Some(images))?;
    match browser() {
        Some(browser) => try_in(&browser, &packed, &args, long),
        None => {
            eprintln!("SKIPPED: the tests of the package for web pages: {NO_BROWSER}");
            Ok(())
        }
    }
}

/// What a module of WebAssembly is compiled with, or what to do about it.
pub(crate) fn library() -> Result<(), String> {
    let mut rustc = shell::command(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let folder = shell::output(rustc.args(["--print", "target-libdir", "--target", TARGET]));
    match folder.is_some_and(|folder| Path::new(&folder).is_dir()) {
        true => Ok(()),
        false => Err(format!("Rust's library for {TARGET} is missing: `rustup target add {TARGET}` adds it")),
    }
}

/// A browser that tests can drive.
pub(crate) fn browser() -> Option<String> {
    let named = std::env::var("CURVESMITH_CHROMIUM").ok();
    named.into_iter().chain(BROWSERS.map(str::to_owned)).find(|name| shell::exists(name, "--version"))
}

/// Whether there is what it takes to build the package, or what is missing.
fn find() -> Result<(), String> {
    library()?;
    npm::find(LEAST)
}

/// The tarball of the package.
fn pack(release: bool, images: Option<&Path>) -> Result<PathBuf> {
    let work = shell::target("web");
    let mut build = shell::without_llvm(shell::cargo());
    shell::with_images(&mut build, images);
    build.args(["build", "--package", CRATE, "--target", TARGET]).args(release.then_some("--release"));
    shell::run(&mut build)?;
    shell::run(shell::cargo().args(["build", "--package", GLUE]))?;
    let stage = npm::stage(&work, CRATE, Path::new(FOLDER))?;
    let module =
        shell::target(TARGET).join(if release { "release" } else { "debug" }).join("curvesmith_web.wasm");
    shell::run(shell::command(shell::target("debug").join(GLUE)).arg(module).arg(stage.join("lib")))?;
    npm::add_third_party(&stage, &["--package", CRATE, "--target", TARGET])?;
    npm::pack(&work, &stage)
}

fn try_in(browser: &str, packed: &Path, args: &WebArgs, long: bool) -> Result<()> {
    let work = shell::target("web");
    npm::install_tools(&work, &TOOLS)?;
    let project = npm::install_offline(&work, &[packed.to_owned()])?;
    let package = project.join("node_modules").join(CRATE);
    // The example's judge is not ours to pack.
    let judge = work.join("node_modules/snarkjs/build/snarkjs.min.js");
    copy(&judge, &package.join("example/snarkjs.min.js"))?;
    let tests = project.join("test");
    copy(&shell::root().join(FOLDER).join("test"), &tests)?;
    let mut test = shell::command("node");
    test.current_dir(&tests).env("CURVESMITH_SITE", &package);
    test.env("CURVESMITH_FIXTURES", shell::root().join(FIXTURES))
        .env("CURVESMITH_CHROMIUM", path_of(browser));
    if long {
        test.env(SIZE, "long");
    }
    if let Some(folder) = &args.screenshots {
        test.env("CURVESMITH_SCREENSHOTS", shell::root().join(folder));
    }
    // One browser at a time: each takes all cores.
    test.args(["--test", "--test-reporter=spec", "--test-concurrency=1"]).args(&args.node);
    let files = names(&tests)?;
    shell::run(test.args(files.iter().filter(|name| name.ends_with(".test.mjs"))))
}

/// Where a program is that `PATH` has.
fn path_of(program: &str) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|file| file.is_file());
    found.unwrap_or_else(|| program.into())
}
