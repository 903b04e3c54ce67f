//! Accepts what the code says now: snapshots and committed tables.

use crate::validate::{self, ValidateArgs};
use crate::{SetupArgs, package, setup, shell};
use anyhow::Result;
use clap::Args;

/// Packages whose tests compare with committed texts.
const SNAPSHOTS: [&str; 2] = ["curvesmith-codegen", "curvesmith-field-dsl"];

#[derive(Args)]
pub(crate) struct BlessArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// Only the tables of machine code
    #[arg(long, conflicts_with_all = ["images", "snapshots"])]
    tables: bool,
    /// Only the snapshots of texts and of compile errors
    #[arg(long, conflicts_with = "images")]
    snapshots: bool,
    /// Only the table of the images that packages hold
    #[arg(long)]
    images: bool,
}

/// Rewrites the files, and shows which changed. They are to be looked at before they are committed.
pub(crate) fn run(args: &BlessArgs) -> Result<()> {
    setup::run(args.setup.yes)?;
    let all = !args.tables && !args.snapshots && !args.images;
    if all || args.snapshots {
        let mut test = shell::cargo();
        test.arg("test").args(SNAPSHOTS.iter().flat_map(|package| ["--package", package]));
        shell::run(test.env("INSTA_UPDATE", "always").env("TRYBUILD", "overwrite").env("BLESS", "1"))?;
        // What the stages of a proof execute.
        let mut counts = shell::cargo();
        counts.args(["test", "--package", "curvesmith-tests", "--test", "groth16_emulated", "counts"]);
        shell::run(counts.env("INSTA_UPDATE", "always"))?;
    }
    if all || args.tables {
        validate::run(&ValidateArgs::blessing())?;
    }
    if all || args.images {
        package::bless()?;
    }
    shell::run(shell::command("git").args(["status", "--short"]))
}
