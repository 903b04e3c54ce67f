//! One multi-scalar multiplication over the processes of an MPI communicator: feature `mpi`.
//!
//! Each process has a share of the bases on a device of its own and gives the sum of its products; one
//! exchange of a point a process makes their sum everybody's. The interface is that of MPI 3.1:
//! [`MpiMsm::new`] and [`MpiMsm::run`] are *collective*, called by every process of the communicator in the
//! same order.
//!
//! A process that fails says so in the exchange, so that no other waits for it: all of them get an error, and
//! their next call may succeed. A process that ends without a word is MPI's matter: its default error handler
//! ends the others.
//!
//! ```no_run
//! use curvesmith::{Device, MsmOptions, bn254, mpi::{MpiMsm, share}};
//! # type Points = Vec<<bn254::G1Projective as ark_ec::CurveGroup>::Affine>;
//! # fn my_bases(_: std::ops::Range<usize>) -> Points { Vec::new() }
//! # fn my_scalars(_: std::ops::Range<usize>) -> Vec<bn254::Fr> { Vec::new() }
//! let universe = ::mpi::initialize().ok_or("MPI was initialised before")?;
//! let world = universe.world();
//! let mine = share(1 << 26, &world);
//! let (device, options) = (Device::auto(), MsmOptions::default());
//! let msm = MpiMsm::<bn254::G1>::new(&world, &device, &my_bases(mine.clone()), options)?;
//! let sum = msm.run(&my_scalars(mine))?; // the same point on every process
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{Communicator, CommunicatorCollectives};
use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, SerializationError};
use curvesmith_runtime::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use curvesmith_runtime::{Device, Msm, MsmOptions, RuntimeError};
use std::fmt;
use std::ops::Range;

/// Bytes of a failure's text that the other processes get.
const TEXT: usize = 256;

/// Why processes have no sum.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MpiError {
    /// This process failed; the others know.
    #[error(transparent)]
    Here(#[from] RuntimeError),
    /// Other processes failed, this one did not.
    #[error("{}", list(.0))]
    Elsewhere(Vec<Failure>),
    /// Processes mean different groups, or run different versions of this program.
    #[error("process {rank} adds points of {found}, this one of {expected}")]
    OtherGroup {
        /// The other process.
        rank: usize,
        /// What it adds.
        found: String,
        /// What this one adds.
        expected: String,
    },
    /// What another process sent is not a point.
    #[error("the sum of process {rank} cannot be read: {reason}")]
    Unreadable {
        /// The other process.
        rank: usize,
        /// What is wrong.
        reason: SerializationError,
    },
}

/// What another process said of its failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The process, by its rank in the communicator.
    pub rank: usize,
    /// Its error in words, the first 256 bytes.
    pub reason: String,
}

fn list(failures: &[Failure]) -> String {
    let one = |failure: &Failure| format!("process {}: {}", failure.rank, failure.reason);
    failures.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The part of `len` neighbours that is this process's: as many as every other's, but for the last ones.
pub fn share<C: Communicator>(len: usize, processes: &C) -> Range<usize> {
    let (rank, size) = place(processes);
    part(len, rank, size)
}

fn part(len: usize, rank: usize, size: usize) -> Range<usize> {
    let each = len.div_ceil(size);
    (rank * each).min(len)..((rank + 1) * each).min(len)
}

fn place<C: Communicator>(processes: &C) -> (usize, usize) {
    let number = |n: i32| usize::try_from(n).expect("MPI counts processes from 0");
    (number(processes.rank()), number(processes.size()))
}

/// `Σ scalar_i · base_i` with bases shared out among processes, which work at the same time.
pub struct MpiMsm<G: Group> {
    /// A duplicate, so that nothing else is received from it.
    processes: SimpleCommunicator,
    msm: Msm<G>,
}

impl<G: Group> MpiMsm<G> {
    /// Moves this process's share of the bases to its device. Collective.
    ///
    /// Shares may have any lengths, 0 included ([`share`] gives equal ones). The options are those of
    /// [`Msm`], and may differ.
    ///
    /// Errors, on every process: a device that cannot take its share; processes that mean different groups.
    pub fn new<C: Communicator>(
        processes: &C,
        device: &Device,
        bases: &[AffineOf<G>],
        options: MsmOptions,
    ) -> Result<Self, MpiError> {
        let processes = processes.duplicate();
        let group = format!("{}, version {}", G::NAME, env!("CARGO_PKG_VERSION"));
        // As much of it as a frame takes: a character has at most four bytes.
        let group: String = group.chars().take(TEXT / 4).collect();
        let msm = Msm::new(device, bases, options);
        let sent = msm.as_ref().map(|_| group.clone().into_bytes());
        let told = exchange(&processes, TEXT, sent);
        // Its own failure, as it is and not in words.
        let msm = msm?;
        for (rank, other) in told?.into_iter().enumerate() {
            if other != group.as_bytes() {
                let found = String::from_utf8_lossy(&other).into_owned();
                return Err(MpiError::OtherGroup { rank, found, expected: group });
            }
        }
        Ok(MpiMsm { processes, msm })
    }

    /// The sum over all processes, for as many scalars as this one has bases: the same point on every
    /// process. Collective.
    pub fn run(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>, MpiError> {
        let own = self.msm.run(scalars);
        let size = AffineOf::<G>::default().uncompressed_size();
        let sent = own.as_ref().map(|sum| {
            let mut bytes = Vec::with_capacity(size);
            sum.into_affine().serialize_uncompressed(&mut bytes).expect("memory takes a point");
            bytes
        });
        let told = exchange(&self.processes, size.max(TEXT), sent);
        own?;
        let mut all = ProjectiveOf::<G>::ZERO;
        for (rank, bytes) in told?.into_iter().enumerate() {
            // Of the same program: a point of the curve, of its subgroup where the bases are.
            let point = AffineOf::<G>::deserialize_uncompressed_unchecked(bytes.as_slice());
            all += point.map_err(|reason| MpiError::Unreadable { rank, reason })?;
        }
        Ok(all)
    }

    /// This process's plan.
    pub fn local(&self) -> &Msm<G> {
        &self.msm
    }
}

impl<G: Group> fmt::Debug for MpiMsm<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rank, size) = place(&self.processes);
        write!(f, "MpiMsm<{}>[{}] in process {rank} of {size}", G::NAME, self.msm.len())
    }
}

/// What every process sent, of at most `most` bytes each, by rank; or who failed.
fn exchange(
    processes: &SimpleCommunicator,
    most: usize,
    sent: Result<Vec<u8>, &RuntimeError>,
) -> Result<Vec<Vec<u8>>, MpiError> {
    let (rank, size) = place(processes);
    let frame = frame(most, &sent);
    let mut frames = vec![0; frame.len() * size];
    processes.all_gather_into(&frame[..], &mut frames[..]);
    let told: Vec<Result<Vec<u8>, String>> = frames.chunks(frame.len()).map(unframe).collect();
    let failures: Vec<Failure> = told
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != rank)
        .filter_map(|(rank, told)| Some(Failure { rank, reason: told.as_ref().err()?.clone() }))
        .collect();
    match failures.is_empty() {
        // A process's own failure is known to it.
        true => Ok(told.into_iter().filter_map(Result::ok).collect()),
        false => Err(MpiError::Elsewhere(failures)),
    }
}

/// Bytes before what is sent: whether all is well, and the length, little-endian.
const HEAD: usize = 5;

fn frame(most: usize, sent: &Result<Vec<u8>, &RuntimeError>) -> Vec<u8> {
    let words = sent.as_ref().err().map(ToString::to_string);
    let content = match (sent, &words) {
        (Ok(bytes), _) => bytes.as_slice(),
        (Err(_), words) => {
            let words = words.as_deref().unwrap_or_default();
            let end = (0..=TEXT.min(words.len())).rev().find(|end| words.is_char_boundary(*end));
            &words.as_bytes()[..end.unwrap_or(0)]
        }
    };
    let mut frame = vec![0; HEAD + most];
    frame[0] = u8::from(sent.is_ok());
    frame[1..HEAD].copy_from_slice(&u32::try_from(content.len()).expect("some hundred bytes").to_le_bytes());
    frame[HEAD..HEAD + content.len()].copy_from_slice(content);
    frame
}

fn unframe(frame: &[u8]) -> Result<Vec<u8>, String> {
    let (head, content) = frame.split_at(HEAD);
    let len = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let content = content.get(..len).ok_or("a message of another length")?;
    match head[0] {
        1 => Ok(content.to_vec()),
        _ => Err(String::from_utf8_lossy(content).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_and_none_twice() {
        for (len, size) in [(0, 1), (0, 3), (1, 3), (10, 3), (9, 3), (4, 5), (100, 7)] {
            let parts: Vec<usize> = (0..size).flat_map(|rank| part(len, rank, size)).collect();
            assert_eq!(parts, (0..len).collect::<Vec<_>>(), "{len} among {size}");
        }
    }

    #[test]
    fn frames_carry_points_and_failures() {
        let point = vec![7u8; 300];
        assert_eq!(unframe(&frame(300, &Ok(point.clone()))), Ok(point));
        assert_eq!(unframe(&frame(TEXT, &Ok(Vec::new()))), Ok(Vec::new()));
        // Cut between characters.
        let reason = "ä".repeat(TEXT);
        let error = RuntimeError::Input { what: "x", reason };
        let text = unframe(&frame(TEXT, &Err(&error))).expect_err("a failure");
        assert!(error.to_string().starts_with(&text) && (TEXT - 1..=TEXT).contains(&text.len()), "{text}");
        let mut other = frame(TEXT, &Ok(vec![1]));
        other[3] = 255;
        assert!(unframe(&other).is_err());
    }
}
