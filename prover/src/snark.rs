//! Groth16 under arkworks' interface: [`ark_snark::SNARK`], for programs that have it already.
//!
//! Such a program exchanges two imported names, of its proof system and of its curve, and nothing
//! else:
//!
//! ```text
//! use {ark_bls12_381::Bls12_381, ark_groth16::Groth16};                    // before
//! use curvesmith::{bls12_381::Curve as Bls12_381, snark::Groth16};         // after
//! ```
//!
//! Keys and proofs are arkworks' own types, and of equal seeds the bytes are arkworks' too. **A proof is slow
//! this way**: the interface has no place for a key that stays on a device, so that each call synthesizes the
//! circuit, moves the key to the device and forgets it. A program that proves more than once with a key makes
//! a [`Groth16`](crate::Groth16) of it and calls its [`prove_circuit`](crate::Groth16::prove_circuit).

use crate::groth16::{
    KeyError, KeyOptions, PROVE, ProveError, checked_assignment, constraints_in, synthesize,
};
use crate::verify::{PreparedVk, VerifyError};
use ark_groth16::r1cs_to_qap::LibsnarkReduction;
use ark_groth16::{PreparedVerifyingKey, Proof, ProvingKey, VerifyingKey};
use ark_relations::gr1cs::{ConstraintSynthesizer, SynthesisError};
use ark_snark::{CircuitSpecificSetupSNARK, SNARK};
use ark_std::rand::{CryptoRng, RngCore};
use curvesmith_runtime::Device;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::PairingCurve;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// Groth16 over curve `C`, under arkworks' interface.
///
/// What differs from arkworks' own: an assignment that breaks a constraint is an error and no proof, every
/// proof is verified before it is returned, and [`SNARK::verify`] refuses what [`verify`](crate::verify())
/// refuses, malformed keys and a wrong number of inputs by an error.
#[derive(Clone, Copy, Debug)]
pub struct Groth16<C: PairingCurve>(PhantomData<C>);

/// Why there is no key, no proof, or no verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnarkError {
    /// The circuit's synthesis failed when keys were made.
    #[error("synthesis: {0}")]
    Setup(#[from] SynthesisError),
    /// The key does not fit the circuit, or the device could not take it.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The circuit has no proof under this key.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// Key and inputs cannot be verified against: they do not belong together, or the key is malformed.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

static DEVICE: Mutex<Option<Device>> = Mutex::new(None);

/// Chooses the device of [`Groth16`]'s later proofs in this process. Without it they are made on
/// [`Device::auto`].
pub fn set_device(device: Device) {
    *DEVICE.lock().unwrap_or_else(PoisonError::into_inner) = Some(device);
}

fn device() -> Device {
    DEVICE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Device::auto).clone()
}

type Ark<C> = ark_groth16::Groth16<<C as PairingCurve>::Engine, LibsnarkReduction>;
type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;

impl<C: PairingCurve> SNARK<Scalar<C>> for Groth16<C> {
    type ProvingKey = ProvingKey<C::Engine>;
    type VerifyingKey = VerifyingKey<C::Engine>;
    type Proof = Proof<C::Engine>;
    type ProcessedVerifyingKey = PreparedVerifyingKey<C::Engine>;
    type Error = SnarkError;

    /// arkworks' own, on the CPU.
    fn circuit_specific_setup<S: ConstraintSynthesizer<Scalar<C>>, R: RngCore + CryptoRng>(
        circuit: S,
        rng: &mut R,
    ) -> Result<(Self::ProvingKey, Self::VerifyingKey), Self::Error> {
        Ok(Ark::<C>::circuit_specific_setup(circuit, rng)?)
    }

    fn prove<S: ConstraintSynthesizer<Scalar<C>>, R: RngCore + CryptoRng>(
        key: &Self::ProvingKey,
        circuit: S,
        rng: &mut R,
    ) -> Result<Self::Proof, Self::Error> {
        let cs = synthesize(circuit, PROVE)?;
        // One proof does not pay for multiples.
        let options = KeyOptions::default().multiples(false);
        let constraints = constraints_in(&cs)?;
        let witness = checked_assignment::<C>(&cs, &constraints)?;
        let prover = crate::Groth16::<C>::from_ark(&device(), key, constraints, &options)?;
        Ok(prover.prove_assignment(&cs, &witness, rng)?)
    }

    fn process_vk(key: &Self::VerifyingKey) -> Result<Self::ProcessedVerifyingKey, Self::Error> {
        PreparedVk::<C>::new(key)?;
        Ok(ark_groth16::prepare_verifying_key(key))
    }

    fn verify_with_processed_vk(
        key: &Self::ProcessedVerifyingKey,
        public: &[Scalar<C>],
        proof: &Self::Proof,
    ) -> Result<bool, Self::Error> {
        match PreparedVk::<C>::from_ark(key).verify(public, proof) {
            Ok(()) => Ok(true),
            Err(VerifyError::NotValid | VerifyError::Point { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl<C: PairingCurve> CircuitSpecificSetupSNARK<Scalar<C>> for Groth16<C> {}

#[cfg(test)]
#[cfg(all(feature = "bn254", feature = "bls12-381"))]
mod tests;
