//! The whole test run.

use crate::{
    SetupArgs, capi, compiler, deny, dist, features, node, package, python, setup, shell, tidy, web,
};
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::cell::OnceCell;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// Environment variable that tests read to choose their sizes; `long` or unset.
pub(crate) const SIZE: &str = "CURVESMITH_TEST_SIZE";

/// Environment variable with which a test that finds no Redis fails.
const REQUIRE_REDIS: &str = "REQUIRE_REDIS";

/// Environment variable with which a test that finds no adapter of wgpu fails.
const NEED_WGPU: &str = "CURVESMITH_NEED_WGPU";

/// What all packages have by default, but for the command line: the worker, and of its curves one of each
/// kind. Every engine in it takes a minute of a core to build. The lints see it with all.
const FEATURES: &str = "curvesmith/default,curvesmith-bindings/default,curvesmith-capi/default,curvesmith-node/default,\
    curvesmith-python/default,curvesmith-curves/default,curvesmith-cli/bls12-381,curvesmith-cli/bn254,\
    curvesmith-cli/jubjub,curvesmith-cli/secp256r1,curvesmith-cli/wgpu,curvesmith-cli/worker";
/// What a long run has besides the default.
const LONG_FEATURES: &str = "curvesmith-cli/worker,curvesmith-curves/long-tests,curvesmith-tests/long-tests";

#[derive(Args)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// Larger sizes and more seeds
    #[arg(long)]
    long: bool,
    /// Begin with this part, to go on after a failure: the line `== PART` before what failed
    #[arg(long, value_name = "PART")]
    from: Option<String>,
}

/// Runs every part in turn; the first failure ends the run.
pub(crate) fn run(args: &TestArgs) -> Result<()> {
    let started = SystemTime::now();
    let mut parts = shell::Parts::from(args.from.clone());
    let mut optional = setup::Optional::default();
    parts.always("setup", || {
        setup::run(args.setup.yes)?;
        optional = setup::find_optional(args.setup.yes)?;
        Ok(())
    })?;
    parts.part("format", || shell::run(shell::cargo().args(["fmt", "--all", "--check"])))?;
    parts.part("tidy", tidy::run)?;
    parts.part("licences", deny::run)?;
    let test = |kind: &[&str]| {
        let mut test = shell::cargo();
        // All failures in one run.
        test.args(["test", "--workspace", "--no-fail-fast"]).args(kind);
        if args.long {
            test.env(SIZE, "long");
        }
        if optional.redis {
            test.env(REQUIRE_REDIS, "1");
        }
        if optional.vulkan {
            // Mesa's driver for the CPU takes far longer to optimise a kernel than tests take to run it.
            test.env(NEED_WGPU, "1").env("GALLIVM_PERF", "nopt");
        }
        match args.long {
            true => test.arg("--features").arg(with_mpi(LONG_FEATURES, optional.mpi)),
            false => test.args(["--no-default-features", "--features"]).arg(with_mpi(FEATURES, optional.mpi)),
        };
        shell::run(&mut test)
    };
    // First: what lints and documentation expand takes its images from the cache then. Examples without tests
    // are compiled by the lints.
    parts.part("compiling the tests", || {
        test(&["--tests", "--no-run"])?;
        compiler_is_built_once(started)
    })?;
    parts.part("lints", || {
        let mut clippy = shell::cargo();
        // Not `--all-targets`, which has libraries without tests once more as tests: all curves for nothing.
        clippy.args(["clippy", "--config", shell::QUICK, "--workspace", "--lib", "--bins", "--examples"]);
        clippy
            .args(["--tests", "--benches", "--features"])
            .arg(with_mpi("curvesmith-cli/worker", optional.mpi));
        shell::run(clippy.args(["--", "-D", "warnings"]))
    })?;
    parts.part("documentation", || {
        let mut doc = shell::cargo();
        // With the features of the lints and by their compiler, so that all but the pages is done by then.
        by_clippy(&mut doc).args([
            "doc",
            "--config",
            shell::QUICK,
            "--workspace",
            "--no-deps",
            "--features",
            &with_mpi("curvesmith-cli/worker", optional.mpi),
        ]);
        shell::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    parts.part("tests", || test(&["--tests"]))?;
    parts.part("tarball", dist::run_dev)?;
    // The macros' own has none, and what its tests need of others would be built once more for macros: cargo
    // asks for that whatever `doctest` of the package says.
    parts.part("code of the book and of the documentation", || {
        test(&["--doc", "--exclude", "curvesmith-field-dsl"])
    })?;
    // Made of the cache. What follows takes them, but for the crate outside, whose images our own writer
    // makes.
    let made = OnceCell::new();
    let images = || match made.get() {
        Some(folder) => Ok(folder),
        None => compiler::images().map(|folder| made.get_or_init(|| folder)),
    };
    parts.part("curves alone", || features::run(images()?, args.long))?;
    parts.part("a crate outside of the workspace", || {
        // As users have it, whose curves our own writer compiles.
        let mut test = shell::without_llvm(shell::cargo());
        // Its own workspace, the same artefacts.
        test.args(["test", "--manifest-path", "tests/outside/Cargo.toml", "--target-dir", "target"]);
        if args.long {
            test.args(["--features", "families"]);
        }
        shell::run(&mut test)
    })?;
    parts.part("packages", || package::test(args.long))?;
    parts.part("C", || capi::run(&shell::library(capi::PACKAGE, Some(images()?))?))?;
    parts.part("Python", || python::test(images()?))?;
    parts.part("Node", || node::test(images()?))?;
    parts.part("web pages", || web::test(images()?, args.long))?;
    parts.finish("cargo xtask test")
}

/// The command of cargo, which compiles the packages of the workspace as `cargo clippy -- -D warnings` does,
/// where there is clippy's compiler beside cargo: what that has checked or built is not done again.
fn by_clippy(command: &mut Command) -> &mut Command {
    let driver = Path::new(command.get_program()).with_file_name("clippy-driver");
    if driver.is_file() {
        // Cargo's fingerprints know the program, and those of clippy's the arguments, in the form that it
        // gives them.
        let arguments = ["-D", "warnings", ""].join("__CLIPPY_HACKERY__");
        command.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", arguments);
    }
    command
}

/// Fails where the compiler was built once for macros and once for tests: that takes minutes, which are lost
/// where the two have other features, or other profiles, of a package that it needs.
fn compiler_is_built_once(started: SystemTime) -> Result<()> {
    let built = newer(&shell::target("debug/deps"), "libcurvesmith_codegen-", started)?;
    ensure!(
        built.len() <= 1,
        "the compiler was built {} times ({}): `cargo tree --edges features` and the profiles in \
         Cargo.toml tell what differs in what it needs",
        built.len(),
        built.join(", ")
    );
    Ok(())
}

/// The libraries in a folder whose names begin so, that were written after some time.
fn newer(folder: &Path, start: &str, time: SystemTime) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(start) && name.ends_with(".rlib") && entry.metadata()?.modified()? > time {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}

/// `features`, and what is built only where there is an MPI.
fn with_mpi(features: &str, mpi: bool) -> String {
    if mpi { format!("{features},curvesmith/mpi") } else { features.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn libraries_of_this_run_are_counted() {
        let folder = shell::target("test-newer");
        crate::files::clear(&folder).expect("a folder");
        for name in ["liba-1.rlib", "liba-2.rlib", "liba-3.rmeta", "libb-4.rlib"] {
            std::fs::write(folder.join(name), "").expect("a file");
        }
        let (now, minute) = (SystemTime::now(), Duration::from_secs(60));
        let (before, after) = (now - minute, now + minute);
        assert_eq!(newer(&folder, "liba-", before).expect("a folder"), ["liba-1.rlib", "liba-2.rlib"]);
        assert!(newer(&folder, "liba-", after).expect("a folder").is_empty());
    }
}
