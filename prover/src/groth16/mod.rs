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
//! The five sums run on the device (`stages`); what follows them is a handful of scalar multiplications on
//! the host (`assemble`), and the check of the proof (`check`). Host arithmetic on r and s is arkworks' and
//! not constant time.

mod assemble;
mod check;
mod circuit;
mod error;
mod key;
mod quotient;
mod stages;
mod stats;
mod subgroup;

pub(crate) use circuit::{PROVE, checked_assignment, constraints_in, synthesize};
pub use circuit::{constraints_of, witness_of};
pub use error::{Fault, ProveError};
pub use key::{CircuitSize, KeyError, KeyOptions};
pub use quotient::QuotientForm;
pub use stats::{ProveStats, Stage};

use crate::r1cs::{R1cs, Witness};
use crate::snarkjs::{Zkey, ZkeyCurve, ZkeyFile};
use crate::verify::{PreparedVk, Weakness};
use ark_ff::{One, UniformRand};
use ark_groth16::{Proof, ProvingKey, VerifyingKey};
use ark_std::rand::{CryptoRng, RngCore};
use assemble::{Blinding, Deltas, Opening};
use check::Check;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::PairingCurve;
use curvesmith_runtime::platform::{Instant, on_threads};
use curvesmith_runtime::work::Work;
use curvesmith_runtime::{Cancel, Detail, Device, Job, RuntimeError, SpMvSchedule};
use key::{HeaderPoints, HostKey};
use stages::{DeviceKey, Source};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use zeroize::Zeroize;

/// Proofs of a batch that are on their way at once: one whose kernels run, one that is being submitted, and
/// two whose results are put together and checked.
const PROOFS_AT_ONCE: usize = 4;
/// The same where the CPU makes them, with all of its cores.
const CPU_PROOFS_AT_ONCE: usize = 2;

type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;

/// A key made ready on a device; proves any number of witnesses, from any number of threads.
pub struct Groth16<C: PairingCurve> {
    device: Device,
    wires: usize,
    form: QuotientForm,
    domain: usize,
    points: HeaderPoints<C>,
    verifier: PreparedVk<C>,
    deltas: Deltas<C>,
    key: DeviceKey<C>,
    /// The key on the host, for the re-proof that tells who is at fault; `None` where the
    /// device is the CPU already.
    host: Option<HostKey<C>>,
    self_check: bool,
    wipe: bool,
}

/// What the key is for, and where it is: neither the memory of the device nor the points.
impl<C: PairingCurve> fmt::Debug for Groth16<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groth16")
            .field("curve", &C::NAME)
            .field("device", &self.device.name())
            .field("public_inputs", &self.public_inputs())
            .finish_non_exhaustive()
    }
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
    /// curve, unless the key is trusted; other points that [`KeyOptions`] names; a device that
    /// cannot take the key.
    pub fn from_ark(
        device: &Device,
        key: &ProvingKey<C::Engine>,
        r1cs: R1cs<Scalar<C>>,
        options: &KeyOptions,
    ) -> Result<Self, KeyError> {
        Self::from_host(device, HostKey::from_ark(key, r1cs, options.trust_key)?, options)
    }

    fn from_host(device: &Device, key: HostKey<C>, options: &KeyOptions) -> Result<Self, KeyError> {
        subgroup::check_header(&key, options)?;
        let place = stages::place(device, &key, options.stream)?;
        let (wires, quotient, points) = (key.wires, key.quotient, key.points.clone());
        let mut key = key;
        let (on_device, host) = if device.is_cpu() {
            if options.check_subgroups {
                subgroup::check_queries(&key)?;
            }
            (DeviceKey::new(device, Source::Take(&mut key), place)?, None)
        } else {
            let on_device = DeviceKey::new(device, Source::Keep(&key), place)?;
            if options.check_subgroups {
                subgroup::check_queries_on(device, &on_device, &key)?;
            }
            let on_device = if options.multiples { on_device.with_multiples(device)? } else { on_device };
            (on_device, Some(key))
        };
        Ok(Self {
            device: device.clone(),
            wires,
            form: quotient.form,
            domain: quotient.domain,
            verifier: PreparedVk::new_unchecked(&points.vk),
            deltas: Deltas::new(&points),
            points,
            key: on_device,
            host,
            self_check: options.self_check,
            wipe: options.wipe,
        })
    }

    /// Proves a witness with r and s from `rng`.
    ///
    /// Errors: a witness of another length, or that does not begin with one; a proof that
    /// fails its self-check, or whose points are not in their groups; a failing device.
    pub fn prove(
        &self,
        witness: &Witness<C>,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Proof<C::Engine>, ProveError> {
        self.prove_with_stats(witness, rng, Detail::Counts).map(|(proof, _)| proof)
    }

    /// As [`Groth16::prove`], with what the call did, as closely watched as `detail` says.
    pub fn prove_with_stats(
        &self,
        witness: &Witness<C>,
        rng: &mut (impl RngCore + CryptoRng),
        detail: Detail,
    ) -> Result<(Proof<C::Engine>, ProveStats), ProveError> {
        let mut randomness = [Scalar::<C>::rand(rng), Scalar::<C>::rand(rng)];
        let result = self.prove_randomized(witness, &randomness, detail, &Cancel::default());
        randomness.zeroize();
        result
    }

    /// As [`Groth16::prove`]; once the end is asked for, [`RuntimeError::Cancelled`] as
    /// [`ProveError::Device`].
    pub fn prove_unless_cancelled(
        &self,
        witness: &Witness<C>,
        rng: &mut (impl RngCore + CryptoRng),
        cancel: &Cancel,
    ) -> Result<Proof<C::Engine>, ProveError> {
        let mut randomness = [Scalar::<C>::rand(rng), Scalar::<C>::rand(rng)];
        let proof = self.prove_randomized(witness, &randomness, Detail::Counts, cancel);
        randomness.zeroize();
        proof.map(|(proof, _)| proof)
    }

    /// As [`Groth16::prove`], beside the caller. A job that is cancelled, or whose errors are of the device,
    /// gives [`ProveError::Device`].
    pub fn submit(
        self: &Arc<Self>,
        witness: Witness<C>,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Job<Proof<C::Engine>, ProveError> {
        let prover = Arc::clone(self);
        let mut randomness = [Scalar::<C>::rand(rng), Scalar::<C>::rand(rng)];
        Job::start(move |cancel| {
            let proof = prover.prove_randomized(&witness, &randomness, Detail::Counts, &cancel);
            randomness.zeroize();
            proof.map(|(proof, _)| proof)
        })
    }

    /// Proves several witnesses, each with r and s of its own, some at once: while the host submits one proof
    /// or checks it, the device works on others. A witness that cannot be proven does not keep the others
    /// from it; one for which there was no memory beside others is proven again alone.
    pub fn prove_batch(
        &self,
        witnesses: &[Witness<C>],
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Vec<Result<Proof<C::Engine>, ProveError>> {
        self.prove_batch_unless_cancelled(witnesses, rng, &Cancel::default())
    }

    /// As [`Groth16::prove_batch`]; once the end is asked for, [`RuntimeError::Cancelled`] for each proof
    /// that was not made.
    pub fn prove_batch_unless_cancelled(
        &self,
        witnesses: &[Witness<C>],
        rng: &mut (impl RngCore + CryptoRng),
        cancel: &Cancel,
    ) -> Vec<Result<Proof<C::Engine>, ProveError>> {
        let mut randomness: Vec<[Scalar<C>; 2]> =
            witnesses.iter().map(|_| [Scalar::<C>::rand(rng), Scalar::<C>::rand(rng)]).collect();
        let prove = |i: usize| {
            let randomness = &randomness[i];
            let proof = self.prove_randomized(&witnesses[i], randomness, Detail::Counts, cancel);
            proof.map(|(proof, _)| proof)
        };
        let next = AtomicUsize::new(0);
        let worker = |_: usize| {
            let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            indices.take_while(|i| *i < witnesses.len()).map(|i| (i, prove(i))).collect::<Vec<_>>()
        };
        let at_once = if self.device.is_cpu() { CPU_PROOFS_AT_ONCE } else { PROOFS_AT_ONCE };
        let proofs = on_threads(at_once.min(witnesses.len()), worker);
        let mut proofs: Vec<_> = proofs.into_iter().flatten().collect();
        proofs.sort_unstable_by_key(|(i, _)| *i);
        let again = |(i, proof)| match proof {
            Err(ProveError::Device(RuntimeError::OutOfMemory { .. })) => prove(i),
            proof => proof,
        };
        let proofs = proofs.into_iter().map(again).collect();
        randomness.zeroize();
        proofs
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
        self.prove_randomized(witness, &[r, s], Detail::Counts, &Cancel::default()).map(|(proof, _)| proof)
    }

    /// The verification key.
    pub fn verifying_key(&self) -> &VerifyingKey<C::Engine> {
        &self.points.vk
    }

    /// What of the key's points voids its proofs; nothing of a key whose setup was complete. Such a
    /// key is refused where [`KeyOptions::refuse_weak`] says so.
    pub fn weaknesses(&self) -> Vec<Weakness> {
        self.points.weaknesses()
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

    /// Size of the evaluation domain: a power of two, or, in a key from arkworks, what
    /// `GeneralEvaluationDomain` has above the two-adicity of the scalar field.
    pub fn domain_size(&self) -> usize {
        self.domain
    }

    /// Multiples of each point of the queries over wires that the device keeps, the point itself among them;
    /// 1 where there are no others.
    pub fn multiples(&self) -> u32 {
        self.key.multiples()
    }

    /// Parts in which the points of the largest query go to the device in every proof, where it has no room
    /// for them and [`KeyOptions::stream`] allows that; 0 where they are there.
    pub fn streamed_parts(&self) -> usize {
        self.key.streamed_parts()
    }

    /// Who computes which rows of the key's matrices; `None` on the CPU.
    pub fn schedule(&self) -> Option<SpMvSchedule> {
        self.key.schedule()
    }

    /// The form of the quotient, which belongs to the key.
    pub fn quotient_form(&self) -> QuotientForm {
        self.form
    }

    pub(crate) fn prove_randomized(
        &self,
        witness: &Witness<C>,
        randomness: &[Scalar<C>; 2],
        detail: Detail,
        cancel: &Cancel,
    ) -> Result<(Proof<C::Engine>, ProveStats), ProveError> {
        let values = witness.values();
        if values.len() != self.wires {
            return Err(ProveError::WitnessLength { expected: self.wires, found: values.len() });
        }
        if !values[0].is_one() {
            return Err(ProveError::WitnessConstant);
        }
        let start = Instant::now();
        let work = self.device.work_with(detail, cancel)?;
        if self.wipe {
            work.wipe_at_end();
        }
        let ((proof, sound), report) = work.complete(|work| self.make(work, values, randomness))?;
        if !sound {
            return Err(self.blame(values, &proof, randomness, cancel)?);
        }
        Ok((proof, ProveStats::new(start, report)))
    }

    /// A proof, and whether it may be returned. Each point is checked as soon as it is known, while the
    /// device works on what comes next.
    fn make(
        &self,
        work: &Work,
        values: &[Scalar<C>],
        randomness: &[Scalar<C>; 2],
    ) -> Result<(Proof<C::Engine>, bool), RuntimeError> {
        let check = &Check { verifier: &self.verifier, equation: self.self_check };
        let public = &values[1..=self.public_inputs()];
        let mut early = [None, None];
        let [of_inputs, of_a_b] = &mut early;
        let (proof, of_c) = rayon::in_place_scope(|scope| {
            let pending = self.key.submit(work, values, self.host.as_ref())?;
            scope.spawn(move |_| *of_inputs = check.inputs(public));
            // What needs no sum is computed while the device works.
            let blinding = work.host_stage("blinding", || Blinding::new(&self.deltas, randomness));
            let (sums, pending) = pending.opening(work)?;
            let opening = work.host_stage("a and b", || Opening::new(&self.points, &sums, &blinding));
            let (a, b) = (opening.a, opening.b);
            scope.spawn(move |_| *of_a_b = check.a_b(a, b));
            let share = work.host_stage("share of c", || opening.share_of_c(&blinding));
            let c = pending.closing(work)?.c(share);
            let of_c = work.host_stage("check of c", || check.c(c));
            Ok::<_, RuntimeError>((Proof { a, b, c }, of_c))
        })?;
        let [of_inputs, of_a_b] = early;
        let sound = work.host_stage("self-check", || check.holds([of_inputs, of_a_b, of_c]));
        Ok((proof, sound))
    }
}

#[cfg(test)]
#[cfg(all(feature = "bn254", feature = "bls12-381"))]
mod tests;
