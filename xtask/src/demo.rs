//! The first thing a newcomer runs.

use crate::{setup, shell};
use anyhow::Result;

/// Keys and witnesses that come with the repository.
pub(crate) const FIXTURES: &str = "tests/fixtures";

/// Builds the command line and has it prove and verify the fixtures.
pub(crate) fn run() -> Result<()> {
    setup::check_rustc()?;
    shell::run(shell::curvesmith().args(["demo", "--fixtures"]).arg(shell::root().join(FIXTURES)))
}
