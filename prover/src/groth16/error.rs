//! Why there is no proof.

use crate::r1cs::R1csError;
use crate::verify::PointProblem;
use ark_relations::gr1cs::SynthesisError;
use curvesmith_runtime::RuntimeError;
use std::fmt;

/// Who made a proof fail its self-check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Witness or key: the CPU's proof with the same randomness is the same, and fails as well.
    /// The witness breaks a constraint, or the key was not made for the constraints it carries.
    Witness,
    /// The device: the CPU's proof with the same randomness is valid.
    Device,
    /// Witness or key, and the device: the CPU's proof fails, and the device's is another one.
    WitnessAndDevice,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Witness => {
                "witness or key at fault: the witness does not satisfy the constraints, or the key contradicts itself"
            }
            Fault::Device => "the device computed a wrong proof, the CPU a valid one",
            Fault::WitnessAndDevice => {
                "witness or key at fault: the witness does not satisfy the constraints, or the key contradicts itself; and the device's proof differs from the CPU's"
            }
        })
    }
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// Witness and key belong to different circuits.
    #[error("witness has {found} values, but the circuit has {expected} wires")]
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
    /// A point of the proof is not in its group, so no proof is returned: it could tell the
    /// witness. The key is at fault, or the device; load the key with
    /// [`KeyOptions::check_subgroups`](super::KeyOptions::check_subgroups) to tell which.
    #[error("{point}, made on {device}, is {problem}: the key is at fault, or the device")]
    Point {
        /// Which point.
        point: &'static str,
        /// What is wrong with it.
        problem: PointProblem,
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
