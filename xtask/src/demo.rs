//! The first thing a newcomer runs.

use crate::{SetupArgs, setup, shell};
use anyhow::Result;
use clap::Args;

/// Keys and witnesses that come with the repository.
pub(crate) const FIXTURES: &str = "tests/fixtures";

#[derive(Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    setup: SetupArgs,
}

/// Builds the command line and has it prove and verify the fixtures.
pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    setup::run(args.setup.yes)?;
    shell::run(shell::curvesmith().args(["demo", "--fixtures"]).arg(shell::root().join(FIXTURES)))
}
