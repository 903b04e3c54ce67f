//! Declare a field or a curve, get GPU kernels and a Groth16 prover.

pub mod groth16;
pub mod montgomery;
#[cfg(feature = "mpi")]
pub mod mpi;
mod r1cs;
pub mod snark;
pub mod snarkjs;
mod verify;

#[cfg(feature = "bandersnatch")]
pub use curvesmith_curves::bandersnatch;
#[cfg(feature = "bls12-377")]
pub use curvesmith_curves::bls12_377;
#[cfg(feature = "bls12-381")]
pub use curvesmith_curves::bls12_381;
#[cfg(feature = "bls24-315")]
pub use curvesmith_curves::bls24_315;
#[cfg(feature = "bn254")]
pub use curvesmith_curves::bn254;
#[cfg(feature = "bn462")]
pub use curvesmith_curves::bn462;
#[cfg(feature = "bw6-761")]
pub use curvesmith_curves::bw6_761;
#[cfg(feature = "curve25519")]
pub use curvesmith_curves::curve25519;
#[cfg(feature = "grumpkin")]
pub use curvesmith_curves::grumpkin;
#[cfg(feature = "jubjub")]
pub use curvesmith_curves::jubjub;
#[cfg(feature = "mnt4-298")]
pub use curvesmith_curves::mnt4_298;
#[cfg(feature = "mnt4-753")]
pub use curvesmith_curves::mnt4_753;
#[cfg(feature = "mnt6-298")]
pub use curvesmith_curves::mnt6_298;
#[cfg(feature = "mnt6-753")]
pub use curvesmith_curves::mnt6_753;
#[cfg(feature = "pallas")]
pub use curvesmith_curves::pallas;
#[cfg(feature = "secp256k1")]
pub use curvesmith_curves::secp256k1;
#[cfg(feature = "secp256r1")]
pub use curvesmith_curves::secp256r1;
#[cfg(feature = "vesta")]
pub use curvesmith_curves::vesta;
pub use curvesmith_field_dsl::{curve, field};
pub use curvesmith_runtime::edwards;
pub use curvesmith_runtime::field::Field;
pub use curvesmith_runtime::group::{AffineOf, Group, PairingCurve, ProjectiveOf, ScalarOf};
pub use curvesmith_runtime::vocabulary::{BinaryOp, Direction, Order, UnaryOp};
#[cfg(feature = "wgpu")]
pub use curvesmith_runtime::wgpu;
pub use curvesmith_runtime::{
    Cancel, Csr, CurveForm, Detail, Device, DeviceBases, DeviceVec, Job, Kind, MeasuredWindow,
    MeasuredWindows, Msm, MsmOptions, MsmStrategy, Ntt, NttBatch, NttOptions, PointLanes, Pointwise, Report,
    RuntimeError, ShardedMsm, SpMv, SpMvOptions, SpMvSchedule, SpMvStrategy, Span, StreamedMsm, TuneOptions,
    Tuned, domain_size, tune_windows,
};
#[cfg(feature = "emulator")]
pub use curvesmith_runtime::{EmulatorOptions, emulator};
pub use groth16::{
    CircuitSize, Fault, Groth16, KeyError, KeyOptions, ProveError, ProveStats, QuotientForm, Stage,
    constraints_of, witness_of,
};
pub use r1cs::{R1cs, R1csError, Witness};
pub use verify::{KeyElement, PointProblem, PreparedVk, VerifyError, Weakness, verify, weaknesses};

/// What macro expansions name. Not an interface for people.
#[doc(hidden)]
pub mod __private {
    pub use curvesmith_runtime::__private::*;
}

#[cfg(test)]
#[cfg(all(feature = "bn254", feature = "bls12-381"))]
mod tests;
