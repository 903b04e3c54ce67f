//! The whole test run.

use crate::{SetupArgs, capi, deny, dist, features, node, package, python, setup, shell, tidy, web};
use anyhow::Result;
use clap::Args;

/// Environment variable that tests read to choose their sizes; `short`, `long` or unset.
const SIZE: &str = "CURVESMITH_TEST_SIZE";

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
    /// Smaller sizes, for a quick look
    #[arg(long, conflicts_with = "long")]
    short: bool,
    /// Larger sizes and more seeds
    #[arg(long)]
    long: bool,
}

/// Runs every part in turn; the first failure ends the run.
pub(crate) fn run(args: &TestArgs) -> Result<()> {
    let mut parts = shell::Parts::default();
    let mut optional = setup::Optional::default();
    parts.part("setup", || {
        setup::run(args.setup.yes)?;
        optional = setup::find_optional(args.setup.yes)?;
        Ok(())
    })?;
    parts.part("format", || shell::run(shell::cargo().args(["fmt", "--all", "--check"])))?;
    parts.part("tidy", tidy::run)?;
    parts.part("licences", deny::run)?;
    parts.part("lints", || {
        let mut clippy = shell::cargo();
        clippy.args(["clippy", "--workspace", "--all-targets", "--features"]);
        clippy.arg(with_mpi("curvesmith-cli/worker", optional.mpi));
        shell::run(clippy.args(["--", "-D", "warnings"]))
    })?;
    parts.part("documentation", || {
        let mut doc = shell::cargo();
        // With the features of the lints, so that what both read of other packages is read once.
        doc.args([
            "doc",
            "--workspace",
            "--no-deps",
            "--features",
            &with_mpi("curvesmith-cli/worker", optional.mpi),
        ]);
        shell::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    let test = |kind: &str| {
        let mut test = shell::cargo();
        // All failures in one run.
        test.args(["test", "--workspace", "--no-fail-fast", kind]);
        if args.short || args.long {
            test.env(SIZE, if args.short { "short" } else { "long" });
        }
        if optional.redis {
            test.env(REQUIRE_REDIS, "1");
        }
        if optional.vulkan {
            test.env(NEED_WGPU, "1");
        }
        match args.long {
            true => test.arg("--features").arg(with_mpi(LONG_FEATURES, optional.mpi)),
            false => test.args(["--no-default-features", "--features"]).arg(with_mpi(FEATURES, optional.mpi)),
        };
        shell::run(&mut test)
    };
    // Examples without tests are compiled by the lints.
    parts.part("tests", || test("--tests"))?;
    parts.part("tarball", dist::run_dev)?;
    parts.part("code of the book and of the documentation", || test("--doc"))?;
    parts.part("curves alone", || features::run(args.long))?;
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
    parts.part("packages", package::test)?;
    parts.part("C", || capi::run(&shell::library(capi::PACKAGE)?))?;
    parts.part("Python", python::test)?;
    parts.part("Node", node::test)?;
    parts.part("web pages", web::test)?;
    parts.finish("cargo xtask test");
    Ok(())
}

/// `features`, and what is built only where there is an MPI.
fn with_mpi(features: &str, mpi: bool) -> String {
    if mpi { format!("{features},curvesmith/mpi") } else { features.to_owned() }
}
