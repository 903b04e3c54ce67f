//! One error for all bindings: a kind, by which a program decides, and a line for people.

use curvesmith::snarkjs::json::{JsonError, JsonProblem};
use curvesmith::snarkjs::{FormatError, WtnsError, ZkeyError};
use curvesmith::{KeyError, ProveError, RuntimeError};
use std::fmt;

/// Shorthand.
pub type Result<T> = std::result::Result<T, Error>;

/// Who is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument or a file of the caller.
    Input,
    /// A witness with another number of values than the key has wires, which is an error of its own in
    /// rapidsnark's interface.
    WitnessLength,
    /// The proof was made and does not verify: the witness does not satisfy the constraints, or key or device
    /// are at fault.
    Invalid,
    /// The device was too small. Another one, or another time, may do.
    DeviceMemory,
    /// The device.
    Device,
    /// The call was [cancelled](crate::Cancel::cancel).
    Cancelled,
    /// The host's memory, a disk, a process that was forked, or a bug.
    Internal,
}

impl ErrorKind {
    /// A word for it, the same in all languages: `input`, `witness-length`, `invalid`, `device-memory`,
    /// `device`, `cancelled`,
    /// `internal`.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Input => "input",
            ErrorKind::WitnessLength => "witness-length",
            ErrorKind::Invalid => "invalid",
            ErrorKind::DeviceMemory => "device-memory",
            ErrorKind::Device => "device",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Internal => "internal",
        }
    }
}

/// Why a call failed.
#[derive(Clone, Debug)]
pub struct Error {
    /// Who is at fault.
    pub kind: ErrorKind,
    /// What happened, in one line.
    pub message: String,
}

impl Error {
    /// An error of this kind; line breaks of a library's message become spaces.
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string().replace(['\n', '\r'], " ") }
    }

    /// An error of the caller's.
    pub fn input(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    fn of_format(problem: &FormatError, message: String) -> Self {
        let kind = match problem {
            FormatError::WitnessLength { .. } => ErrorKind::WitnessLength,
            FormatError::Memory { .. } => ErrorKind::Internal,
            FormatError::Io(error) => of_io(error),
            _ => ErrorKind::Input,
        };
        Self::new(kind, message)
    }
}

/// A path that is wrong is the caller's fault, a disk that fails is not.
pub(crate) fn of_io(error: &std::io::Error) -> ErrorKind {
    use std::io::ErrorKind as Io;
    match error.kind() {
        Io::NotFound
        | Io::PermissionDenied
        | Io::NotADirectory
        | Io::IsADirectory
        | Io::InvalidInput
        | Io::InvalidFilename => ErrorKind::Input,
        // "Not a regular file", and a file that ends early.
        Io::Other | Io::UnexpectedEof => ErrorKind::Input,
        _ => ErrorKind::Internal,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<ZkeyError> for Error {
    fn from(error: ZkeyError) -> Self {
        Error::of_format(&error.problem, error.to_string())
    }
}

impl From<WtnsError> for Error {
    fn from(error: WtnsError) -> Self {
        Error::of_format(&error.problem, error.to_string())
    }
}

impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        let kind = match &error.problem {
            JsonProblem::Io(error) => of_io(error),
            _ => ErrorKind::Input,
        };
        Error::new(kind, error)
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        let kind = match error {
            KeyError::Zkey(error) => return error.into(),
            KeyError::Device(error) => return error.into(),
            KeyError::DeviceMemory { .. } => ErrorKind::DeviceMemory,
            KeyError::Memory { .. } => ErrorKind::Internal,
            _ => ErrorKind::Input,
        };
        Error::new(kind, error)
    }
}

impl From<ProveError> for Error {
    fn from(error: ProveError) -> Self {
        let kind = match error {
            ProveError::Device(error) => return error.into(),
            ProveError::SelfCheck { .. } | ProveError::Point { .. } => ErrorKind::Invalid,
            ProveError::WitnessLength { .. } => ErrorKind::WitnessLength,
            _ => ErrorKind::Input,
        };
        Error::new(kind, error)
    }
}

impl From<RuntimeError> for Error {
    fn from(error: RuntimeError) -> Self {
        let kind = match error {
            RuntimeError::Cancelled => ErrorKind::Cancelled,
            RuntimeError::OutOfMemory { .. }
            | RuntimeError::InsufficientMemory { .. }
            | RuntimeError::Binding { .. } => ErrorKind::DeviceMemory,
            RuntimeError::Length { .. } | RuntimeError::Input { .. } | RuntimeError::TooLarge { .. } => {
                ErrorKind::Input
            }
            RuntimeError::Thread { .. } => ErrorKind::Internal,
            _ => ErrorKind::Device,
        };
        Error::new(kind, error)
    }
}
