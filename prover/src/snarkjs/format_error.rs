//! What can be wrong with a binary file of snarkjs.

use std::path::PathBuf;

/// What a `.zkey`, `.wtns` or `.r1cs` file holds that it should not, or lacks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Somebody wrote to the file, by its length or its time of modification, between its opening and the end
    /// of its reading. Write another file and rename it over this one instead; readers of the old one do not
    /// notice.
    #[error("changed while it was read")]
    Changed,
    /// There is no memory for what the file holds: give the process more, or a smaller key.
    #[error("no memory for {bytes} bytes of {what}")]
    Memory {
        /// What was to be held.
        what: &'static str,
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The witness is of another circuit than the one it is read for. Nothing of it but its header
    /// was read.
    #[error("witness has {found} values, but the circuit has {expected} wires")]
    WitnessLength {
        /// Number of the circuit's wires.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// The first four bytes belong to another kind of file.
    #[error("expected a file that begins with `{expected}`")]
    Magic {
        /// The four letters expected.
        expected: &'static str,
    },
    /// The container's version is not the one snarkjs writes.
    #[error("version is {found}, expected {expected}")]
    Version {
        /// Version expected.
        expected: u32,
        /// Version in the file.
        found: u32,
    },
    /// The file ends early.
    #[error("{what} needs {needed} bytes at offset {offset}, but the file ends at {end}")]
    Truncated {
        /// What was being read.
        what: String,
        /// Where it begins.
        offset: u64,
        /// Bytes it needs.
        needed: u64,
        /// Length of the file.
        end: u64,
    },
    /// There are bytes after the last section.
    #[error("{extra} bytes follow the last section")]
    Trailing {
        /// How many.
        extra: u64,
    },
    /// A section that must be there is not.
    #[error("section {id} ({name}) is missing")]
    SectionMissing {
        /// Section number.
        id: u32,
        /// What it holds.
        name: &'static str,
    },
    /// A section that must be unique is there twice.
    #[error("section {id} ({name}) appears more than once")]
    SectionTwice {
        /// Section number.
        id: u32,
        /// What it holds.
        name: &'static str,
    },
    /// A section's size is not what the counts demand.
    #[error("section {id} ({name}) has {found} bytes, expected {expected}")]
    SectionSize {
        /// Section number.
        id: u32,
        /// What it holds.
        name: &'static str,
        /// Bytes the counts demand.
        expected: String,
        /// Bytes in the file.
        found: u64,
    },
    /// A field has a value it must not have.
    #[error("section {id} ({name}): {field} is {found}, expected {expected}")]
    Value {
        /// Section number.
        id: u32,
        /// What it holds.
        name: &'static str,
        /// The field.
        field: String,
        /// What it must be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The key belongs to another proof system; export a Groth16 key.
    #[error("this is a {protocol} key, expected groth16")]
    Protocol {
        /// Name or number of the protocol.
        protocol: String,
    },
    /// The primes belong to no curve that is supported here.
    #[error("curve with q = {q} and r = {r}, expected {expected}")]
    Curve {
        /// Base field modulus in the file.
        q: String,
        /// Scalar field modulus in the file.
        r: String,
        /// Curves that would do.
        expected: String,
    },
}

/// A `.zkey` file is not a usable Groth16 key: the file is at fault.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct ZkeyError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: FormatError,
}

/// A `.wtns` file is not a usable witness: the file is at fault, or belongs to another circuit.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct WtnsError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: FormatError,
}

/// A `.r1cs` file does not hold a usable circuit: the file is at fault.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct R1csFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: FormatError,
}
