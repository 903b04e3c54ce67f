//! Command line of the curvesmith Groth16 prover.
//!
//! Exit codes: [`EXIT_CODES`]; for `verify` [`commands::verify::EXIT_CODES`]. An error is one
//! line on standard error.

mod commands;
mod curves;
mod failure;
mod output;
mod process;
mod temporary;
mod trace;

use clap::{CommandFactory as _, Parser, Subcommand};
use failure::Failure;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  a proof that is not valid, read or made; a witness that breaks a constraint
  2  bad input: arguments, keys, witnesses, files that cannot be read or written
  3  a failure of device, memory or program, or of the machine: a full disk, a lost mount
  128 + n  ended by signal n; no file is left behind";

/// Proves and verifies Groth16 proofs of circom circuits.
#[derive(Parser)]
#[command(name = "curvesmith", version, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Prove a witness: writes proof.json and public.json
    Prove(commands::prove::Arguments),
    /// Verify a proof
    #[command(after_help = commands::verify::EXIT_CODES)]
    Verify(commands::verify::Arguments),
    /// Prove jobs as they come, with keys that stay on the device
    #[command(after_help = commands::serve::PROTOCOL)]
    Serve(commands::serve::Arguments),
    /// Prove the jobs of a stream of Redis, beside other workers
    #[cfg(feature = "worker")]
    #[command(after_help = commands::worker::PROTOCOL)]
    Worker(commands::worker::Arguments),
    /// Measure one algorithm on one device
    Bench(commands::bench::Arguments),
    /// Measure windows of MSMs and products on a device and keep the fastest
    Tune(commands::tune::Arguments),
    /// Prove a production circuit on the best device and a small one on the emulator
    Demo(commands::demo::Arguments),
    /// List the devices, and why one cannot be used
    Devices,
    /// List the curves
    Curves,
    /// Prove and verify under snarkjs' names
    #[command(subcommand)]
    Groth16(commands::snarkjs::Groth16),
    /// Work on keys under snarkjs' names
    #[command(subcommand)]
    Zkey(commands::snarkjs::Zkey),
    /// Work on witnesses under snarkjs' names
    #[command(subcommand)]
    Wtns(commands::snarkjs::Wtns),
    /// Print what has a shell complete commands
    Completions(commands::manual::Completions),
    /// Print a page of the manual, to be read with `man -l -`
    Man(commands::manual::Man),
}

impl Command {
    /// Whether all that it is run for goes to standard output.
    fn prints(&self) -> bool {
        use Command::*;
        matches!(self, Bench(_) | Tune(_) | Demo(_) | Devices | Curves | Completions(_) | Man(_))
    }
}

fn main() -> ExitCode {
    process::spare_addresses();
    let everything = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE);
    // Colours are for who looks on, not for files.
    let colours =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    everything.with_ansi(colours).with_writer(std::io::stderr).finish().with(log_filter()).init();
    let arguments = Arguments::parse();
    // A panic is a bug of ours; its message is on standard error already.
    match std::panic::catch_unwind(|| run(arguments.command)) {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            eprintln!("error: {failure}");
            failure.code().into()
        }
        Err(_) => Failure::Internal(String::new()).code().into(),
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    if command.prints() {
        process::check_standard_output()?;
    }
    // Here its failure is an error, and later a panic.
    rayon::ThreadPoolBuilder::new().build_global().map_err(Failure::no_thread)?;
    match command {
        Command::Prove(arguments) => commands::prove::run(&arguments)?,
        Command::Verify(arguments) => commands::verify::run(&arguments)?,
        Command::Serve(arguments) => return commands::serve::run(&arguments),
        #[cfg(feature = "worker")]
        Command::Worker(arguments) => return commands::worker::run(&arguments),
        Command::Bench(arguments) => commands::bench::run(&arguments)?,
        Command::Tune(arguments) => commands::tune::run(&arguments)?,
        Command::Demo(arguments) => commands::demo::run(&arguments)?,
        Command::Devices => commands::info::devices()?,
        Command::Curves => commands::info::curves()?,
        Command::Groth16(command) => command.run()?,
        Command::Zkey(command) => command.run()?,
        Command::Wtns(command) => command.run()?,
        Command::Completions(arguments) => commands::manual::completions(&arguments, Arguments::command())?,
        Command::Man(arguments) => commands::manual::man(&arguments, Arguments::command())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What `CURVESMITH_LOG`, or else `RUST_LOG`, asks for, levels with or without a target: `debug`,
/// `curvesmith=debug,warn`. Warnings if it is not set, empty or not understood.
fn log_filter() -> Targets {
    let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
    let asked = variable("CURVESMITH_LOG").or_else(|| variable("RUST_LOG"));
    let warnings = || Targets::new().with_default(LevelFilter::WARN);
    asked.and_then(|text| text.parse().ok()).unwrap_or_else(warnings)
}
