//! Verification of proofs as JSON.

use crate::curves::of_snarkjs;
use crate::error::{Error, Result};
use curvesmith::PreparedVk;
use curvesmith::snarkjs::ZkeyCurve;
use curvesmith::snarkjs::json::{JsonError, JsonFile, JsonKind, JsonProblem};
use std::path::Path;

/// What a verification found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The proof is valid.
    Valid,
    /// It is not, and why: a wrong count, numbers that are not canonical, points off their curve or outside
    /// their subgroup, or an equation that does not hold.
    Invalid(String),
}

/// Verifies a proof of snarkjs, rapidsnark or this library; all three texts are JSON, as snarkjs' files.
///
/// Errors: a text that is not JSON; a key that is malformed, or of a curve that is not of this build. What
/// can be read and is no proof of the statement is [`Verdict::Invalid`].
pub fn verify(key: &str, public: &str, proof: &str) -> Result<Verdict> {
    let key = parse("verification key", key, JsonKind::Any)?;
    (of_snarkjs(key.curve()?)?.verify)(&key, public, proof)
}

pub(crate) fn verdict<C: ZkeyCurve>(key: &JsonFile, public: &str, proof: &str) -> Result<Verdict> {
    let key = key.verification_key::<C>()?;
    let prepared = PreparedVk::<C>::new(&key).map_err(Error::input)?;
    let count = key.gamma_abc_g1.len().saturating_sub(1);
    let public = parse("public inputs", public, JsonKind::Public(count))?.public::<C>(count);
    let proof = parse("proof", proof, JsonKind::Proof)?.proof::<C>();
    let (public, proof) = match (public, proof) {
        (Ok(public), Ok(proof)) => (public, proof),
        (Err(error), _) | (_, Err(error)) => return claim(error),
    };
    Ok(match prepared.verify(&public, &proof) {
        Ok(()) => Verdict::Valid,
        Err(error) => Verdict::Invalid(error.to_string()),
    })
}

/// What can be read and is no proof is not valid.
fn claim(error: JsonError) -> Result<Verdict> {
    match error.problem {
        JsonProblem::Field { .. } => Ok(Verdict::Invalid(error.to_string())),
        _ => Err(error.into()),
    }
}

fn parse(what: &str, text: &str, kind: JsonKind) -> Result<JsonFile> {
    Ok(JsonFile::from_reader(Path::new(what), text.as_bytes(), kind)?)
}
