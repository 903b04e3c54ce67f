//! Development tasks of curvesmith, run as `cargo xtask <task>`.
//!
//! This crate links no other crate of the workspace, so that it builds where LLVM is
//! still missing: `setup` exists to install it. What needs the other crates is run
//! through cargo as a separate process.

mod setup;
mod shell;
mod test;
mod tidy;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tasks of curvesmith")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Check the Rust toolchain, find LLVM 19, and install what is missing
    Setup(SetupArgs),
    /// Set-up, format, lints, documentation, invariants, then every test
    Test(test::TestArgs),
    /// Check the architecture's invariants in the source text
    Tidy,
}

/// How to treat missing packages.
#[derive(Args, Clone, Copy)]
struct SetupArgs {
    /// Install missing packages without asking
    #[arg(long, short)]
    yes: bool,
}

fn main() -> std::process::ExitCode {
    let result = match Cli::parse().task {
        Task::Setup(args) => setup::run(args.yes),
        Task::Test(args) => test::run(&args),
        Task::Tidy => tidy::run(),
    };
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}
