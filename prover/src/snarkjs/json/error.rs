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
    /// The file could not be read.
    #[error("{0}")]
    Io(std::io::Error),
    /// The text is not JSON.
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
