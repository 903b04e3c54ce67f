//! NVIDIA's checkers over everything that runs on a GPU.

use crate::demo::FIXTURES;
use crate::shell;
use anyhow::Result;
use clap::Args;

#[derive(Args)]
pub(crate) struct SanitizeArgs {
    /// The checker
    #[arg(long, default_value = "compute-sanitizer")]
    sanitizer: String,
}

/// Builds the command line and runs `sanitize.sh`, which also runs where there is no cargo.
pub(crate) fn run(args: &SanitizeArgs) -> Result<()> {
    shell::run(shell::cargo().args(["build", "--release", "--package", "curvesmith-cli"]))?;
    let binary = shell::target("release").join("curvesmith");
    shell::run(
        shell::command("bash")
            .arg(shell::root().join("xtask/sanitize.sh"))
            .arg(binary)
            .arg(shell::root().join(FIXTURES))
            .arg(&args.sanitizer),
    )
}
