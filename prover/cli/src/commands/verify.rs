//! `curvesmith verify`

use crate::curves::{Curve, with_curve};
use crate::failure::Failure;
use crate::output::{is_standard, print};
use curvesmith::snarkjs::ZkeyCurve;
use curvesmith::snarkjs::json::{JsonError, JsonFile, JsonKind};
use curvesmith::{PreparedVk, weaknesses};
use std::path::{Path, PathBuf};

/// What a service can rely on: 1 is the prover's fault, 2 its own.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  the proof is valid
  1  it is not: the equation does not hold, or proof or public inputs are malformed (not JSON,
     a wrong count, numbers not canonical, points off the curve or outside the subgroup, too large)
  2  the verification key is malformed, or with --strict one under which anyone can make proofs, or
     a file is missing, not regular or unreadable
  3  a failure of memory or program";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Verification key of snarkjs; one of the three may be - for standard input
    verification_key: PathBuf,
    /// Public inputs
    public: PathBuf,
    /// Proof
    proof: PathBuf,
    /// Refuse a key under which anyone can make proofs, as far as its points show it; without this
    /// there is a warning
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files = [&*arguments.verification_key, &*arguments.public, &*arguments.proof];
    if files.iter().filter(|path| is_standard(path)).count() > 1 {
        return Err(Failure::Input("-: given for more than one input".into()));
    }
    let key = read(&arguments.verification_key, JsonKind::Any)?;
    with_curve!(Curve::of_file(key.curve()?)?, C => check::<C>(arguments, &key))
}

fn check<C: ZkeyCurve>(arguments: &Arguments, key: &JsonFile) -> Result<(), Failure> {
    let key = key.verification_key::<C>()?;
    let prepared = if arguments.strict { PreparedVk::<C>::new_strict(&key) } else { PreparedVk::new(&key) };
    let prepared = prepared
        .map_err(|error| Failure::Input(format!("{}: {error}", arguments.verification_key.display())))?;
    if let Some(warning) = super::warning(&arguments.verification_key, &weaknesses::<C>(&key)) {
        eprintln!("warning: {warning}");
    }
    let count = key.gamma_abc_g1.len() - 1;
    let public = read(&arguments.public, JsonKind::Public(count))
        .and_then(|file| file.public::<C>(count))
        .map_err(Failure::of_claim)?;
    let proof = read(&arguments.proof, JsonKind::Proof)
        .and_then(|file| file.proof::<C>())
        .map_err(Failure::of_claim)?;
    prepared
        .verify(&public, &proof)
        .map_err(|error| Failure::Invalid(format!("{}: {error}", arguments.proof.display())))?;
    print("valid proof\n");
    Ok(())
}

fn read(path: &Path, kind: JsonKind) -> Result<JsonFile, JsonError> {
    if is_standard(path) {
        return JsonFile::from_reader(Path::new("standard input"), std::io::stdin().lock(), kind);
    }
    JsonFile::read_as(path, kind)
}
