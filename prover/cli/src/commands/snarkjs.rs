//! Commands under the names that snarkjs gives them.

use super::{check, export, prove, verify};
use crate::failure::Failure;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Groth16 {
    /// Prove a witness, as `curvesmith prove`
    Prove(prove::Arguments),
    /// Verify a proof, as `curvesmith verify`
    #[command(after_help = verify::EXIT_CODES)]
    Verify(verify::Arguments),
}

impl Groth16 {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Groth16::Prove(arguments) => prove::run(arguments),
            Groth16::Verify(arguments) => verify::run(arguments),
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Zkey {
    /// Write a part of a key as JSON
    #[command(subcommand)]
    Export(Export),
}

#[derive(Subcommand)]
pub(crate) enum Export {
    /// The verification key
    Verificationkey(export::Arguments),
}

impl Zkey {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Zkey::Export(Export::Verificationkey(arguments)) = self;
        export::run(arguments)
    }
}

#[derive(Subcommand)]
pub(crate) enum Wtns {
    /// Tell whether a witness satisfies the constraints of a circuit; exit code 1 if not
    Check(check::Arguments),
}

impl Wtns {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Wtns::Check(arguments) = self;
        check::run(arguments)
    }
}
