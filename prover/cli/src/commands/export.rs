//! `curvesmith zkey export verificationkey`

use crate::curves::{Curve, with_curve};
use crate::failure::Failure;
use crate::output::{OneFile, is_standard, spinner, write_standard};
use crate::process;
use curvesmith::snarkjs::json::verification_key_to_json;
use curvesmith::snarkjs::{ZkeyCurve, ZkeyFile};
use curvesmith::{PreparedVk, weaknesses};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Proving key of snarkjs
    zkey: PathBuf,
    /// Where to write the verification key, or - for standard output
    verification_key: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = &arguments.verification_key;
    if is_standard(path) {
        process::check_standard_output()?;
    }
    let file = ZkeyFile::open(&arguments.zkey)?;
    if is_standard(path) {
        return write_standard(&text(arguments, &file)?);
    }
    let output = OneFile::create(path, &[&arguments.zkey])?;
    output.finish(&text(arguments, &file)?)
}

fn text(arguments: &Arguments, file: &ZkeyFile) -> Result<String, Failure> {
    with_curve!(Curve::of_file(file.curve())?, C => text_of::<C>(arguments, file))
}

/// What `verify` would refuse is not written.
fn text_of<C: ZkeyCurve>(arguments: &Arguments, file: &ZkeyFile) -> Result<String, Failure> {
    let progress = spinner("reading and checking the verification key");
    let key = file.read_verifying_key::<C>()?;
    PreparedVk::<C>::new(&key)
        .map_err(|error| Failure::Input(format!("{}: {error}", arguments.zkey.display())))?;
    if let Some(warning) = super::warning(&arguments.zkey, &weaknesses::<C>(&key)) {
        progress.suspend(|| eprintln!("warning: {warning}"));
    }
    Ok(verification_key_to_json::<C>(&key))
}
