//! The Groth16 prover.
//!
//! A proof for witness w, drawn r and s, and the key's points is (Groth 2016)
//!
//! ```text
//! A = α + Σ wᵢ·Aᵢ + r·δ        (G1)
//! B = β + Σ wᵢ·Bᵢ + s·δ        (G2, and in G1 for C)
//! C = Σ wᵢ·Lᵢ + Σ hᵢ·Hᵢ + s·A + r·B₁ − r·s·δ
//! ```
//!
//! The five sums run on the device (`stages`); what follows them is a handful of scalar
//! multiplications on the host. Host arithmetic on r and s is arkworks' and not constant time.

mod circuit;
mod error;
mod key;
mod quotient;
mod stages;
mod stats;

pub use circuit::constraints_of;
pub use error::{Fault, ProveError};
pub use key::{KeyError, KeyOptions};
pub use quotient::QuotientForm;
pub use stats::ProveStats;

use crate::r1cs::{R1cs, Witness};
use crate::snarkjs::{Zkey, ZkeyCurve, ZkeyFile};
use crate::verify::verify_equation;
use ark_ec::CurveGroup;
use ark_ff::{One, UniformRand};
use ark_groth16::{Proof, ProvingKey, VerifyingKey};
use ark_std::rand::{CryptoRng, RngCore};
use curvesmith_runtime::backend::Backend;
use curvesmith_runtime::cpu::Cpu;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::PairingCurve;
use curvesmith_runtime::{Device, DeviceVisitor, RuntimeError};
use key::{HeaderPoints, HostKey};
use stages::{DeviceKey, StageProver, Sums};
use stats::Recorder;
use std::any::TypeId;
use std::path::Path;
use zeroize::Zeroize;

type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;

/// A key made ready on a device; proves any number of witnesses, from any number of threads.
#[derive(Debug)]
pub struct Groth16<C: PairingCurve> {
    device: Device,
    wires: usize,
    form: QuotientForm,
    log_domain: u32,
    points: HeaderPoints<C>,
    stages: Box<dyn StageProver<C>>,
    /// The key on the host, for the re-proof that tells who is at fault; `None` where the
    /// device is the CPU already.
    host: Option<HostKey<C>>,
    self_check: bool,
}

impl<C: PairingCurve> Groth16<C> {
    /// Reads a `.zkey` file and makes it ready on `device`.
    ///
    /// Errors: a file that is not a key of curve `C`; a device that cannot take it.
    pub fn from_zkey(device: &Device, path: &Path, options: &KeyOptions) -> Result<Self, KeyError>
    where
        C: ZkeyCurve,
    {
        Self::from_zkey_parts(device, ZkeyFile::open(path)?.read(options.trust_key)?, options)
    }

    /// Makes a key that was read before ready on `device`.
    pub fn from_zkey_parts(device: &Device, key: Zkey<C>, options: &KeyOptions) -> Result<Self, KeyError> {
        Self::from_host(device, HostKey::from_zkey(key)?, options)
    }

    /// Makes an arkworks key ready on `device`. `r1cs` are the constraints that the key was
    /// generated from: a `ProvingKey` holds no matrices.
    ///
    /// Errors: sizes of key and constraints that contradict each other; points off their
    /// curve, unless the key is trusted; a device that cannot take the key.
    pub fn from_ark(
        device: &Device,
        key: &ProvingKey<C::Engine>,
        r1cs: R1cs<Scalar<C>>,
        options: &KeyOptions,
    ) -> Result<Self, KeyError> {
        Self::from_host(device, HostKey::from_ark(key, r1cs, options.trust_key)?, options)
    }

    fn from_host(device: &Device, key: HostKey<C>, options: &KeyOptions) -> Result<Self, KeyError> {
        let (wires, quotient, points) = (key.wires, key.quotient, key.points.clone());
        let (stages, host) = device.visit(Upload { key })?;
        Ok(Self {
            device: device.clone(),
            wires,
            form: quotient.form,
            log_domain: quotient.log_domain,
            points,
            stages,
            host,
            self_check: options.self_check,
        })
    }

    /// Proves a witness with r and s from `rng`.
    ///
    /// Errors: a witness of another length, or that does not begin with one; a proof that
    /// fails its self-check; a failing device.
    pub fn prove(
        &self,
        witness: &Witness<C>,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Proof<C::Engine>, ProveError> {
        self.prove_with_stats(witness, rng).map(|(proof, _)| proof)
    }

    /// As [`Groth16::prove`], with the time that each stage took.
    pub fn prove_with_stats(
        &self,
        witness: &Witness<C>,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<(Proof<C::Engine>, ProveStats), ProveError> {
        let mut randomness = [Scalar::<C>::rand(rng), Scalar::<C>::rand(rng)];
        let result = self.prove_randomized(witness, &randomness);
        randomness.zeroize();
        result
    }

    /// Proves with given r and s, so that a proof can be compared with a known one. Such
    /// proofs are not zero-knowledge, and two of them can reveal the witness.
    #[cfg(feature = "known-answers")]
    pub fn prove_with_fixed_randomness_insecure(
        &self,
        witness: &Witness<C>,
        r: Scalar<C>,
        s: Scalar<C>,
    ) -> Result<Proof<C::Engine>, ProveError> {
        self.prove_randomized(witness, &[r, s]).map(|(proof, _)| proof)
    }

    /// The verification key.
    pub fn verifying_key(&self) -> &VerifyingKey<C::Engine> {
        &self.points.vk
    }

    /// The device that proofs are made on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Number of wires: the length of a witness.
    pub fn wires(&self) -> usize {
        self.wires
    }

    /// Number of public inputs, the constant one not included.
    pub fn public_inputs(&self) -> usize {
        self.points.vk.gamma_abc_g1.len().saturating_sub(1)
    }

    /// Logarithm of the size of the evaluation domain.
    pub fn log_domain(&self) -> u32 {
        self.log_domain
    }

    /// The form of the quotient, which belongs to the key.
    pub fn quotient_form(&self) -> QuotientForm {
        self.form
    }

    pub(crate) fn prove_randomized(
        &self,
        witness: &Witness<C>,
        randomness: &[Scalar<C>; 2],
    ) -> Result<(Proof<C::Engine>, ProveStats), ProveError> {
        let values = witness.values();
        if values.len() != self.wires {
            return Err(ProveError::WitnessLength { expected: self.wires, found: values.len() });
        }
        if !values[0].is_one() {
            return Err(ProveError::WitnessConstant);
        }
        let mut recorder = Recorder::default();
        let sums = self.stages.sums(values, &mut recorder)?;
        let proof = recorder.stage("assemble", || assemble(&self.points, &sums, randomness));
        if self.self_check {
            let public = &values[1..=self.public_inputs()];
            let valid = recorder
                .stage("self-check", || verify_equation::<C>(&self.points.vk, public, &proof))
                .is_ok();
            if !valid {
                return Err(self.blame(values, &proof, randomness)?);
            }
        }
        Ok((proof, recorder.finish()))
    }

    /// Proves again on the CPU with the same r and s: who made the first proof fail?
    fn blame(
        &self,
        values: &[Scalar<C>],
        proof: &Proof<C::Engine>,
        randomness: &[Scalar<C>; 2],
    ) -> Result<ProveError, ProveError> {
        let recorder = &mut Recorder::default();
        let sums = match &self.host {
            Some(key) => DeviceKey::copy(&Cpu, key)?.sums(values, recorder)?,
            None => self.stages.sums(values, recorder)?,
        };
        let reference = assemble(&self.points, &sums, randomness);
        let public = &values[1..=self.public_inputs()];
        let valid = verify_equation::<C>(&self.points.vk, public, &reference).is_ok();
        let fault = match (valid, reference == *proof) {
            (true, _) => Fault::Device,
            (false, true) => Fault::Witness,
            (false, false) => Fault::WitnessAndDevice,
        };
        Ok(ProveError::SelfCheck { fault, device: self.device.name() })
    }
}

/// The proof from the sums.
fn assemble<C: PairingCurve>(
    points: &HeaderPoints<C>,
    sums: &Sums<C>,
    [r, s]: &[Scalar<C>; 2],
) -> Proof<C::Engine> {
    let HeaderPoints { vk, beta_g1, delta_g1 } = points;
    let a = sums.a + vk.alpha_g1 + *delta_g1 * r;
    let b_g1 = sums.b_g1 + beta_g1 + *delta_g1 * s;
    let b = sums.b_g2 + vk.beta_g2 + vk.delta_g2 * s;
    let c = sums.l + sums.h + a * s + b_g1 * r - *delta_g1 * (*r * s);
    Proof { a: a.into_affine(), b: b.into_affine(), c: c.into_affine() }
}

/// Moves a key to whichever backend a device has.
struct Upload<C: PairingCurve> {
    key: HostKey<C>,
}

impl<C: PairingCurve> DeviceVisitor for Upload<C> {
    #[allow(clippy::type_complexity, reason = "what `Groth16` stores, made in one place")]
    type Output = Result<(Box<dyn StageProver<C>>, Option<HostKey<C>>), RuntimeError>;

    fn visit<B: Backend>(self, backend: &B) -> Self::Output {
        if TypeId::of::<B>() == TypeId::of::<Cpu>() {
            return Ok((Box::new(DeviceKey::take(backend, self.key)?), None));
        }
        Ok((Box::new(DeviceKey::copy(backend, &self.key)?), Some(self.key)))
    }
}

#[cfg(test)]
#[cfg(all(feature = "bn254", feature = "bls12-381"))]
mod tests;
