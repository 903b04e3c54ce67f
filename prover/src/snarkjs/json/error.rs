//! What can be wrong with a JSON file.

use std::path::PathBuf;

/// A JSON file is not what it should be: the file is at fault.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct JsonError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: JsonProblem,
}

/// What is wrong with a JSON file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonProblem {
    /// The file is not there, not a regular one, or could not be read.
    #[error("{0}")]
    Io(std::io::Error),
    /// The file is larger than one of its kind can be.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// Bytes up to which such a file is read.
        limit: u64,
    },
    /// The text is not JSON, or holds more values than a file of its size can need.
    #[error("not JSON: {0}")]
    Syntax(serde_json::Error),
    /// A field is missing or has a value it must not have.
    #[error("{field} is {found}, expected {expected}")]
    Field {
        /// Path of the field, as `pi_b[0][1]`.
        field: String,
        /// What it must be.
        expected: String,
        /// What it is.
        found: String,
    },
}
