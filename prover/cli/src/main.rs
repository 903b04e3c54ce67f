//! Command line of the curvesmith Groth16 prover.
//!
//! Exit codes: 0 success; 1 a proof that does not verify; 2 bad input; 3 a device, memory
//! or internal failure. An error is one line on standard error.

mod commands;
mod curves;
mod failure;
mod output;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// Proves and verifies Groth16 proofs of circom circuits.
#[derive(Parser)]
#[command(name = "curvesmith", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Prove a witness: writes proof.json and public.json
    Prove(commands::prove::Arguments),
    /// Verify a proof
    Verify(commands::verify::Arguments),
    /// Measure one algorithm on one device
    Bench(commands::bench::Arguments),
    /// Prove a production circuit on the best device and a small one on the emulator
    Demo(commands::demo::Arguments),
    /// List the devices, and why one cannot be used
    Devices,
    /// List the curves
    Curves,
}

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_env("CURVESMITH_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let arguments = Arguments::parse();
    // A panic is a bug of ours; its message is on standard error already.
    let result = std::panic::catch_unwind(|| match arguments.command {
        Command::Prove(arguments) => commands::prove::run(&arguments),
        Command::Verify(arguments) => commands::verify::run(&arguments),
        Command::Bench(arguments) => commands::bench::run(&arguments),
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Devices => commands::info::devices(),
        Command::Curves => commands::info::curves(),
    });
    match result {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            eprintln!("error: {failure}");
            failure.code().into()
        }
        Err(_) => Failure::Internal(String::new()).code().into(),
    }
}
