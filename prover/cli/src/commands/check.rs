//! `curvesmith wtns check`

use crate::curves::{Curve, with_curve};
use crate::failure::Failure;
use crate::output::{print, spinner};
use curvesmith::snarkjs::{R1csFile, ZkeyCurve};
use curvesmith::{Field, PairingCurve, Witness};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Constraints of circom
    r1cs: PathBuf,
    /// Witness of circom or snarkjs, or - for standard input
    witness: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = R1csFile::open(&arguments.r1cs)?;
    with_curve!(Curve::of_file(file.curve())?, C => check::<C>(arguments, &file))
}

fn check<C: ZkeyCurve>(arguments: &Arguments, file: &R1csFile) -> Result<(), Failure> {
    let wires = file.dimensions().wires as usize;
    let witness: Witness<C> = super::prove::read_witness(&arguments.witness, wires)?;
    let progress = spinner("reading the constraints");
    let constraints = file.read::<<<C as PairingCurve>::Fr as Field>::Ark>()?;
    progress.set_message("checking the constraints");
    let broken = constraints.first_unsatisfied(witness.values());
    drop(progress);
    match broken {
        None => print("valid witness\n"),
        Some(constraint) => {
            let witness = arguments.witness.display();
            return Err(Failure::Invalid(format!("{witness}: constraint {constraint} is not satisfied")));
        }
    }
    Ok(())
}
