//! A kernel at any point of its way to machine code.

use crate::{SetupArgs, compiler, setup, shell};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct DumpArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// A curve (`bn254`), a field or a group of one (`bn254_fq`, `bn254_g1`), or `common`
    curve: String,
    /// Name of the kernel (`accumulate`), or its symbol
    kernel: String,
    /// The name of a pass; or `written`, `blocks`, `llvm`, `ptx`, `image`, `all`. An unknown name
    /// is answered by the list
    #[arg(long, default_value = "all")]
    after: String,
    /// Rust files or folders with `field!` and `curve!` declarations, instead of the workspace's curves
    #[arg(long)]
    from: Vec<PathBuf>,
}

/// Prints what `cargo-curvesmith` says.
pub(crate) fn run(args: &DumpArgs) -> Result<()> {
    setup::run(args.setup.yes)?;
    let mut dump = compiler::program()?;
    dump.args(["dump", &args.curve, &args.kernel, &args.after]);
    shell::run(dump.args(compiler::from(&args.from)))
}
