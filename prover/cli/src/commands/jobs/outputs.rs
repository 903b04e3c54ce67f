//! Where a job's proof and public inputs go.

use super::job::Job;
use super::prover::Proof;
use crate::failure::Failure;
use crate::output::{FilePair, OneFile};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Files that appear when they are complete, opened before the work; what has none goes into the answer.
pub(super) enum Outputs {
    Answer,
    Proof(OneFile),
    Public(OneFile),
    Both(FilePair),
}

impl Outputs {
    /// Refused are the job's inputs, and the files of these keys.
    pub(super) fn create(job: &Job, keys: &[PathBuf]) -> Result<Self, Failure> {
        let inputs: Vec<&Path> =
            [&job.zkey, &job.witness].into_iter().chain(keys).map(PathBuf::as_path).collect();
        match (&job.proof, &job.public) {
            (None, None) => Ok(Outputs::Answer),
            (Some(proof), None) => OneFile::create(proof, &inputs).map(Outputs::Proof),
            (None, Some(public)) => OneFile::create(public, &inputs).map(Outputs::Public),
            (Some(proof), Some(public)) => FilePair::create(proof, public, &inputs).map(Outputs::Both),
        }
    }

    /// Writes the files; what is left of proof and public inputs goes into the answer.
    pub(super) fn finish(self, made: &Proof) -> Result<(Option<Value>, Option<Value>), Failure> {
        let Proof { proof, public } = made;
        match self {
            Outputs::Answer => Ok((Some(value(proof)?), Some(value(public)?))),
            Outputs::Proof(file) => file.finish(proof).and_then(|()| Ok((None, Some(value(public)?)))),
            Outputs::Public(file) => file.finish(public).and_then(|()| Ok((Some(value(proof)?), None))),
            Outputs::Both(files) => files.finish([proof, public]).map(|()| (None, None)),
        }
    }
}

fn value(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::Internal(error.to_string()))
}
