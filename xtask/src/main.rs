//! Development tasks of curvesmith, run as `cargo xtask <task>`.
//!
//! This crate links no other crate of the workspace, so that it builds where LLVM is
//! still missing: `setup` exists to install it. What needs the other crates is run
//! through cargo as a separate process.

mod bless;
mod capi;
mod compiler;
mod cost;
mod demo;
mod deny;
mod dist;
mod dump;
mod features;
mod files;
mod interop;
mod node;
mod npm;
mod package;
mod python;
mod replay;
mod sanitize;
mod setup;
mod shell;
mod test;
mod tidy;
mod tune;
mod validate;
mod web;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tasks of curvesmith")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Check the Rust toolchain, find LLVM 19, and a Redis and an MPI for tests, and install what is missing
    Setup(SetupArgs),
    /// Prove and verify a production circuit, and a small one on the emulator
    Demo,
    /// Set-up, format, lints, documentation, invariants, then every test
    Test(test::TestArgs),
    /// Check the architecture's invariants in the source text
    Tidy,
    /// Assemble every embedded kernel with NVIDIA's assembler and judge the machine code
    Validate(validate::ValidateArgs),
    /// Show a kernel after any pass: FIR with bounds and variants, blocks, LLVM IR, PTX
    Dump(dump::DumpArgs),
    /// Compare the IR and the counts of every kernel with a revision
    Replay(replay::ReplayArgs),
    /// Accept snapshots and rewrite the committed tables of machine code
    Bless(bless::BlessArgs),
    /// Measure what expansions take: seconds cold and from the cache, bytes of images
    Cost(cost::CostArgs),
    /// Run NVIDIA's compute-sanitizer over MSM, NTT, SpMV and proofs on a GPU
    Sanitize(sanitize::SanitizeArgs),
    /// Measure windows of MSMs on a device and keep the fastest: `curvesmith tune`
    Tune(tune::TuneArgs),
    /// Make the library packages with the images of all curves, or compare the images with the table in git
    Package(package::PackageArgs),
    /// Judge licences and sources of all dependencies by `deny.toml`
    Deny,
    /// Make a tarball of the command line, with its manual, completions and licences, and try it
    Dist(dist::DistArgs),
    /// Build the Python package and try it, in an environment of its own
    Python(python::PythonArgs),
    /// Pack the Node package, install it, and try it with snarkjs as the judge; needs Node.js
    Node(node::NodeArgs),
    /// Pack the package for web pages, and try it in a browser; needs Node.js and Chromium
    Web(web::WebArgs),
    /// Build the C library and have programs of C judge it
    Capi,
    /// Have snarkjs judge our proofs; needs Node.js
    Interop(interop::InteropArgs),
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
        Task::Setup(args) => setup::run(args.yes).and_then(|()| setup::find_optional(args.yes)).map(drop),
        Task::Demo => demo::run(),
        Task::Test(args) => test::run(&args),
        Task::Tidy => tidy::run(),
        Task::Validate(args) => validate::run(&args),
        Task::Dump(args) => dump::run(&args),
        Task::Replay(args) => replay::run(&args),
        Task::Bless(args) => bless::run(&args),
        Task::Cost(args) => cost::run(&args),
        Task::Sanitize(args) => sanitize::run(&args),
        Task::Tune(args) => tune::run(&args),
        Task::Package(args) => package::run(&args),
        Task::Deny => deny::run(),
        Task::Dist(args) => dist::run(&args),
        Task::Capi => shell::library(capi::PACKAGE, None).and_then(|built| capi::run(&built)),
        Task::Node(args) => node::run(&args),
        Task::Web(args) => web::run(&args),
        Task::Python(args) => python::run(&args),
        Task::Interop(args) => interop::run(&args),
    };
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}
