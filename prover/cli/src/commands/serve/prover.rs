//! A key that is ready, whatever its curve.

use super::super::prove::rand_from_os;
use crate::failure::Failure;
use curvesmith::snarkjs::ZkeyCurve;
use curvesmith::snarkjs::json::{proof_to_json, public_to_json};
use curvesmith::{Groth16, Witness};
use std::path::Path;

/// A proof and its public inputs, as snarkjs' files.
pub(super) struct Proof {
    pub(super) proof: String,
    pub(super) public: String,
}

pub(super) trait Prover {
    /// Name of the curve.
    fn curve(&self) -> &'static str;

    /// Proves the witnesses of these files, each with a result of its own.
    fn prove(&self, witnesses: &[&Path]) -> Vec<Result<Proof, Failure>>;
}

/// The prover of one curve.
pub(super) struct Loaded<C: ZkeyCurve>(pub(super) Groth16<C>);

impl<C: ZkeyCurve> Prover for Loaded<C> {
    fn curve(&self) -> &'static str {
        C::NAME
    }

    fn prove(&self, paths: &[&Path]) -> Vec<Result<Proof, Failure>> {
        let mut witnesses = Vec::with_capacity(paths.len());
        let read: Vec<Result<(), Failure>> = paths
            .iter()
            .map(|path| {
                witnesses.push(Witness::<C>::from_wtns(path)?);
                Ok(())
            })
            .collect();
        let proofs = self.0.prove_batch(&witnesses, &mut rand_from_os());
        let mut proofs = proofs.into_iter().zip(&witnesses);
        let result = |(read, path): (Result<(), Failure>, &&Path)| {
            read?;
            let (proof, witness) = proofs.next().expect("one for each witness that was read");
            let proof = proof.map_err(|error| Failure::of_proof(error, path))?;
            let public = &witness.values()[1..=self.0.public_inputs()];
            Ok(Proof { proof: proof_to_json::<C>(&proof), public: public_to_json::<C>(public) })
        };
        read.into_iter().zip(paths).map(result).collect()
    }
}
