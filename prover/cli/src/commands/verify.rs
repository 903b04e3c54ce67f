//! `curvesmith verify`

use crate::curves::with_curve;
use crate::failure::Failure;
use crate::output::print;
use curvesmith::snarkjs::ZkeyCurve;
use curvesmith::snarkjs::json::JsonFile;
use curvesmith::{VerifyError, verify};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Verification key of snarkjs
    verification_key: PathBuf,
    /// Public inputs
    public: PathBuf,
    /// Proof
    proof: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let key = JsonFile::read(&arguments.verification_key)?;
    with_curve!(key.curve()?, C => check::<C>(arguments, &key))
}

fn check<C: ZkeyCurve>(arguments: &Arguments, key: &JsonFile) -> Result<(), Failure> {
    let key = key.verification_key::<C>()?;
    let public = JsonFile::read(&arguments.public)?.public::<C>(key.gamma_abc_g1.len() - 1)?;
    let proof = JsonFile::read(&arguments.proof)?.proof::<C>()?;
    match verify::<C>(&key, &public, &proof) {
        Ok(()) => {
            print("valid proof\n");
            Ok(())
        }
        Err(VerifyError::NotValid) => {
            Err(Failure::Invalid(format!("{}: the proof is not valid", arguments.proof.display())))
        }
        Err(other) => Err(Failure::Input(other.to_string())),
    }
}
