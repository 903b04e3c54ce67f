//! A key that is ready, whatever its curve.

use super::super::prove::rand_from_os;
use super::keys::Room;
use super::memory::Held;
use crate::curves::{Curve, with_curve};
use crate::failure::Failure;
use curvesmith::snarkjs::json::{proof_to_json, public_to_json};
use curvesmith::snarkjs::{ZkeyCurve, ZkeyFile};
use curvesmith::{Device, Field, Groth16, KeyOptions, Witness};
use std::path::Path;

/// A proof and its public inputs, as snarkjs' files.
pub(super) struct Proof {
    pub(super) proof: String,
    pub(super) public: String,
}

pub(super) trait Prover: Send + Sync {
    /// Name of the curve.
    fn curve(&self) -> &'static str;

    /// Proves the witnesses of these files, each with a result of its own.
    fn prove(&self, witnesses: &[&Path]) -> Vec<Result<Proof, Failure>>;
}

/// A key that was read, and what makes it ready on a device.
pub(super) type Unready = Box<dyn FnOnce() -> Result<Box<dyn Prover>, Failure>>;

/// Reads a key of any curve for a device.
pub(super) fn read(
    path: &Path,
    device: &Device,
    options: &KeyOptions,
    room: &Room<'_>,
) -> Result<Unready, Failure> {
    let file = ZkeyFile::open(path)?;
    with_curve!(Curve::of_file(file.curve())?, C => {
        let held = room(file.memory::<C>()?).map_err(|failure| failure.of_file(path))?;
        let key = file.read::<C>(options.trust_key)?;
        let (device, options, path) = (device.clone(), options.clone(), path.to_owned());
        Ok(Box::new(move || {
            let prover = Groth16::from_zkey_parts(&device, key, &options);
            let prover = prover.map_err(|error| Failure::of_key(error, &path))?;
            if let Some(warning) = super::super::warning(&path, &prover.weaknesses()) {
                tracing::warn!("{warning}");
            }
            Ok(Box::new(Loaded { prover, held }))
        }))
    })
}

/// The prover of one curve.
struct Loaded<C: ZkeyCurve> {
    prover: Groth16<C>,
    /// The key's.
    held: Held,
}

impl<C: ZkeyCurve> Loaded<C> {
    /// Proves witnesses for which there is memory.
    fn prove_at_once(&self, paths: &[&Path]) -> Vec<Result<Proof, Failure>> {
        let prover = &self.prover;
        let mut witnesses = Vec::with_capacity(paths.len());
        let read: Vec<Result<(), Failure>> = paths
            .iter()
            .map(|path| {
                witnesses.push(Witness::<C>::from_wtns_of(path, prover.wires())?);
                Ok(())
            })
            .collect();
        let proofs = prover.prove_batch(&witnesses, &mut rand_from_os());
        let mut proofs = proofs.into_iter().zip(&witnesses);
        let result = |(read, path): (Result<(), Failure>, &&Path)| {
            read?;
            let (proof, witness) = proofs.next().expect("one for each witness that was read");
            let proof = proof.map_err(|error| Failure::of_proof(error, path))?;
            let public = &witness.values()[1..=prover.public_inputs()];
            Ok(Proof { proof: proof_to_json::<C>(&proof), public: public_to_json::<C>(public) })
        };
        read.into_iter().zip(paths).map(result).collect()
    }
}

impl<C: ZkeyCurve> Prover for Loaded<C> {
    fn curve(&self) -> &'static str {
        C::NAME
    }

    fn prove(&self, paths: &[&Path]) -> Vec<Result<Proof, Failure>> {
        let each = (self.prover.wires() * size_of::<<C::Fr as Field>::Ark>()) as u64;
        let mut proofs = Vec::with_capacity(paths.len());
        while let left @ [first, ..] = &paths[proofs.len()..] {
            match self.held.memory().for_witnesses(left.len(), each) {
                Ok((count, _held)) => proofs.extend(self.prove_at_once(&left[..count])),
                Err(failure) => proofs.push(Err(failure.of_file(first))),
            }
        }
        proofs
    }
}
