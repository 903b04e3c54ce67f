//! Why there is no proof.

use crate::r1cs::R1csError;
use ark_relations::gr1cs::SynthesisError;
use curvesmith_runtime::RuntimeError;
use std::fmt;

/// Who made a proof fail its self-check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The witness: the CPU's proof with the same randomness is the same, and fails as well.
    Witness,
    /// The device: the CPU's proof with the same randomness is valid.
    Device,
    /// Both: the CPU's proof fails, and the device's is another one.
    WitnessAndDevice,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Witness => "the witness does not satisfy the constraints of the key",
            Fault::Device => "the device computed a wrong proof, the CPU a valid one",
            Fault::WitnessAndDevice => {
                "the witness does not satisfy the constraints of the key, and the device's proof differs from the CPU's"
            }
        })
    }
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// Witness and key belong to different circuits.
    #[error("witness has {found} values, expected {expected}")]
    WitnessLength {
        /// Wires of the key.
        expected: usize,
        /// Values of the witness.
        found: usize,
    },
    /// The first wire carries the constant one.
    #[error("value 0 of the witness is not 1")]
    WitnessConstant,
    /// The proof was made but does not verify.
    #[error("the proof made on {device} does not verify: {fault}")]
    SelfCheck {
        /// Who is at fault.
        fault: Fault,
        /// Name of the device.
        device: String,
    },
    /// The circuit's assignment breaks a constraint.
    #[error("constraint {constraint} is not satisfied")]
    Unsatisfied {
        /// The constraint's trace, or its predicate and index.
        constraint: String,
    },
    /// The circuit's synthesis failed.
    #[error("synthesis: {0}")]
    Synthesis(#[from] SynthesisError),
    /// The circuit that was synthesized is not the one the key was made for.
    #[error("circuit has {found} {what}, the key {expected}")]
    OtherCircuit {
        /// What was counted.
        what: &'static str,
        /// What the key has.
        expected: usize,
        /// What the circuit has.
        found: usize,
    },
    /// The circuit's constraints are not rank-1.
    #[error(transparent)]
    R1cs(#[from] R1csError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] RuntimeError),
}
