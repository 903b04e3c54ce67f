//! Windows of MSMs for the devices of this machine.

use crate::shell;
use anyhow::Result;
use clap::Args;

#[derive(Args)]
pub(crate) struct TuneArgs {
    /// Arguments of `curvesmith tune`, which `-- --help` shows
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the command line, optimised since it is timed, and has it measure.
pub(crate) fn run(args: &TuneArgs) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.args(["run", "--release", "--package", "curvesmith-cli", "--bin", "curvesmith", "--", "tune"]);
    shell::run(cargo.args(&args.arguments))
}
