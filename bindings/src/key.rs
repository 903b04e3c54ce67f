//! Proving keys of snarkjs that are ready on a device, whatever their curve.

use crate::cancel::Cancel;
use crate::curves::{Entry, of_snarkjs};
use crate::error::{Error, ErrorKind, Result};
use ark_std::rand::rngs::OsRng;
use curvesmith::snarkjs::json::{proof_to_json, public_to_json, verification_key_to_json};
use curvesmith::snarkjs::{ZkeyCurve, ZkeyFile, max_witness_bytes};
use curvesmith::{Detail, Device, Field, Groth16, KeyOptions, PairingCurve, Witness};
use std::fmt;
use std::path::Path;

/// Where a key or a witness is.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// In this file.
    File(&'a Path),
    /// Here, as in a file. The bytes are copied.
    Bytes(&'a [u8]),
}

impl fmt::Debug for Source<'_> {
    // The bytes can be a witness.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::File(path) => write!(f, "File({path:?})"),
            Source::Bytes(bytes) => write!(f, "Bytes[{}]", bytes.len()),
        }
    }
}

/// A proof and its public inputs as JSON, byte for byte as snarkjs' files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Members `pi_a`, `pi_b`, `pi_c`, `protocol`, `curve`.
    pub proof: String,
    /// An array of decimal numbers in strings.
    pub public: String,
}

impl Proof {
    /// The same without spaces and without `curve`, as rapidsnark writes it.
    pub fn compact(&self) -> Result<Proof> {
        let parse = |text: &str| {
            serde_json::from_str::<serde_json::Value>(text)
                .map_err(|error| Error::new(ErrorKind::Internal, error))
        };
        let (mut proof, public) = (parse(&self.proof)?, parse(&self.public)?);
        if let Some(members) = proof.as_object_mut() {
            members.shift_remove("curve");
        }
        Ok(Proof { proof: proof.to_string(), public: public.to_string() })
    }
}

/// A part of a proof.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What it does.
    pub name: String,
    /// Seconds that the host spent on it: computing, submitting work, or waiting for it.
    pub seconds: f64,
}

/// A proving key of snarkjs on a device. Any number of threads proves with it.
pub struct Key {
    prover: Box<dyn Prover>,
    entry: &'static Entry,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("curve", &self.entry.name).finish_non_exhaustive()
    }
}

impl Key {
    /// Reads a key and makes it ready on `device`.
    ///
    /// Errors: [`ErrorKind::Input`] for what is no key of a curve of this build; [`ErrorKind::DeviceMemory`]
    /// and [`ErrorKind::Device`] for a device that cannot take it.
    pub fn load(key: Source<'_>, device: &Device, options: &KeyOptions) -> Result<Self> {
        Self::ready(&open(key)?, device, options)
    }

    /// The same of a file's bytes, which are not copied.
    pub fn from_bytes(key: Vec<u8>, device: &Device, options: &KeyOptions) -> Result<Self> {
        Self::ready(&ZkeyFile::from_bytes(key)?, device, options)
    }

    fn ready(file: &ZkeyFile, device: &Device, options: &KeyOptions) -> Result<Self> {
        let entry = of_snarkjs(file.curve())?;
        let prover = (entry.read_key)(file, options.trust_key)?(device, options)?;
        Ok(Self { prover, entry })
    }

    /// Number of public inputs of a key, of which only the header is read.
    pub fn public_inputs_of(key: Source<'_>) -> Result<usize> {
        Ok(open(key)?.dimensions().public as usize)
    }

    /// Name of the curve, as its declaration has it: `bn254`, `bls12_381`.
    pub fn curve(&self) -> &'static str {
        self.entry.name
    }

    /// Bits of a coordinate of the points of a proof.
    pub fn coordinate_bits(&self) -> u32 {
        self.entry.coordinate_bits
    }

    /// Number of wires: values of a witness.
    pub fn wires(&self) -> usize {
        self.prover.wires()
    }

    /// Number of public inputs, the constant one not included.
    pub fn public_inputs(&self) -> usize {
        self.prover.public_inputs()
    }

    /// Name of the device.
    pub fn device(&self) -> String {
        self.prover.device()
    }

    /// The verification key as JSON, byte for byte as snarkjs exports it.
    pub fn verification_key(&self) -> String {
        self.prover.verification_key()
    }

    /// What of the key's points lets anyone make proofs under it, a line each; none of a key whose setup was
    /// complete.
    pub fn weaknesses(&self) -> Vec<String> {
        self.prover.weaknesses()
    }

    /// Proves a witness (`.wtns`), with randomness of the operating system.
    ///
    /// Errors: [`ErrorKind::WitnessLength`], and [`ErrorKind::Input`] for what is no witness of the key's
    /// field; [`ErrorKind::Invalid`] for one that does not satisfy the constraints; [`ErrorKind::Cancelled`];
    /// those of the device.
    pub fn prove(&self, witness: Source<'_>, cancel: &Cancel) -> Result<Proof> {
        self.prover.prove(witness, cancel)
    }

    /// As [`Key::prove`] of a file's bytes, which are not copied, with the stages of the proof in their
    /// order.
    pub fn prove_watched(&self, witness: Vec<u8>) -> Result<(Proof, Vec<Stage>)> {
        self.prover.prove_watched(witness)
    }

    /// Proves several witnesses, some at once; each has a result of its own.
    pub fn prove_batch(&self, witnesses: &[Source<'_>], cancel: &Cancel) -> Vec<Result<Proof>> {
        self.prover.prove_batch(witnesses, cancel)
    }
}

/// Opens a key and reads its header.
pub(crate) fn open(key: Source<'_>) -> Result<ZkeyFile> {
    match key {
        Source::File(path) => Ok(ZkeyFile::open(path)?),
        Source::Bytes(bytes) => Ok(ZkeyFile::from_bytes(copy(bytes)?)?),
    }
}

/// A copy of a caller's bytes, or an error where there is no memory for one.
fn copy(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len())
        .map_err(|_| Error::new(ErrorKind::Internal, format_args!("no memory for {} bytes", bytes.len())))?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// A key that was read, and what makes it ready on a device.
pub(crate) type Unready = Box<dyn FnOnce(&Device, &KeyOptions) -> Result<Box<dyn Prover>>>;

pub(crate) fn unready<C: ZkeyCurve>(file: &ZkeyFile, trust: bool) -> Result<Unready> {
    let key = file.read::<C>(trust)?;
    Ok(Box::new(move |device, options| Ok(Box::new(Groth16::<C>::from_zkey_parts(device, key, options)?))))
}

/// [`Groth16`] without its curve.
pub(crate) trait Prover: Send + Sync {
    fn wires(&self) -> usize;
    fn public_inputs(&self) -> usize;
    fn device(&self) -> String;
    fn verification_key(&self) -> String;
    fn weaknesses(&self) -> Vec<String>;
    fn prove(&self, witness: Source<'_>, cancel: &Cancel) -> Result<Proof>;
    fn prove_watched(&self, witness: Vec<u8>) -> Result<(Proof, Vec<Stage>)>;
    fn prove_batch(&self, witnesses: &[Source<'_>], cancel: &Cancel) -> Vec<Result<Proof>>;
}

impl<C: ZkeyCurve> Prover for Groth16<C> {
    fn wires(&self) -> usize {
        self.wires()
    }

    fn public_inputs(&self) -> usize {
        self.public_inputs()
    }

    fn device(&self) -> String {
        self.device().name()
    }

    fn verification_key(&self) -> String {
        verification_key_to_json::<C>(self.verifying_key())
    }

    fn weaknesses(&self) -> Vec<String> {
        self.weaknesses().iter().map(ToString::to_string).collect()
    }

    fn prove(&self, witness: Source<'_>, cancel: &Cancel) -> Result<Proof> {
        let witness = read_witness::<C>(witness, self.wires())?;
        let proof = self.prove_unless_cancelled(&witness, &mut OsRng, &cancel.0)?;
        Ok(texts::<C>(self, &proof, &witness))
    }

    fn prove_watched(&self, witness: Vec<u8>) -> Result<(Proof, Vec<Stage>)> {
        let witness = Witness::from_wtns_bytes(witness, self.wires())?;
        let (proof, stats) = self.prove_with_stats(&witness, &mut OsRng, Detail::Stages)?;
        let stage = |stage: curvesmith::Stage| Stage {
            name: stage.name.into_owned(),
            seconds: stage.host.as_secs_f64(),
        };
        Ok((texts::<C>(self, &proof, &witness), stats.stages.into_iter().map(stage).collect()))
    }

    fn prove_batch(&self, witnesses: &[Source<'_>], cancel: &Cancel) -> Vec<Result<Proof>> {
        let mut read = Vec::with_capacity(witnesses.len());
        let mut values = Vec::with_capacity(witnesses.len());
        for witness in witnesses {
            read.push(read_witness::<C>(*witness, self.wires()).map(|witness| values.push(witness)));
        }
        let proofs = self.prove_batch_unless_cancelled(&values, &mut OsRng, &cancel.0);
        let mut proofs = proofs.into_iter().zip(&values);
        let result = |read: Result<()>| {
            read?;
            let (proof, witness) = proofs.next().expect("a proof for each witness that was read");
            Ok(texts::<C>(self, &proof?, witness))
        };
        read.into_iter().map(result).collect()
    }
}

fn read_witness<C: ZkeyCurve>(witness: Source<'_>, wires: usize) -> Result<Witness<C>> {
    match witness {
        Source::File(path) => Ok(Witness::from_wtns_of(path, wires)?),
        Source::Bytes(bytes) => {
            // Before they are copied.
            let most = max_witness_bytes::<<<C as PairingCurve>::Fr as Field>::Ark>(wires);
            if bytes.len() as u64 > most {
                let found = bytes.len();
                let text = format!("the witness has {found} bytes, one of {wires} values has at most {most}");
                return Err(Error::new(ErrorKind::WitnessLength, text));
            }
            Ok(Witness::from_wtns_bytes(copy(bytes)?, wires)?)
        }
    }
}

fn texts<C: ZkeyCurve>(
    prover: &Groth16<C>,
    proof: &ark_groth16::Proof<C::Engine>,
    witness: &Witness<C>,
) -> Proof {
    let public = &witness.values()[1..=prover.public_inputs()];
    Proof { proof: proof_to_json::<C>(proof), public: public_to_json::<C>(public) }
}
