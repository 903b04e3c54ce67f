//! Errors by exit code.

use curvesmith::snarkjs::json::{JsonError, JsonProblem};
use curvesmith::snarkjs::{FormatError, R1csFileError, WtnsError, ZkeyError};
use curvesmith::{KeyError, ProveError, RuntimeError};
use std::path::Path;
use std::{fmt, io};

/// Why the command failed, in one line.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A proof that does not verify, or cannot be one.
    Invalid(String),
    /// The user's files or arguments.
    Input(String),
    /// The device, or its memory.
    Device(DeviceFault, String),
    /// The machine: a full disk, no descriptors, a lost mount. Another try may succeed, here or
    /// elsewhere.
    Host(String),
    /// The host's memory, or a bug.
    Internal(String),
}

/// What a device's failure leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceFault {
    /// Its memory was too small.
    Memory,
    /// Nothing: no further call of this process can succeed.
    Lost,
    /// A device that may do the next thing.
    Other,
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Invalid(_) => 1,
            Failure::Input(_) => 2,
            Failure::Device(..) | Failure::Host(_) | Failure::Internal(_) => 3,
        }
    }

    /// The word for it in the answers of a service.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Failure::Invalid(_) => "invalid",
            Failure::Input(_) => "input",
            Failure::Device(..) => "device",
            Failure::Host(_) | Failure::Internal(_) => "internal",
        }
    }

    /// An error of the proof itself; `witness` is the file that the witness came from.
    pub(crate) fn of_proof(error: ProveError, witness: &Path) -> Self {
        match error {
            ProveError::SelfCheck { .. } | ProveError::Point { .. } => Failure::Invalid(error.to_string()),
            ProveError::Device(error) => error.into(),
            _ => Failure::Input(format!("{}: {error}", witness.display())),
        }
    }

    /// An error in a proof or its public inputs: what can be read and is no proof is not valid.
    pub(crate) fn of_claim(error: JsonError) -> Self {
        match error.problem {
            JsonProblem::Io(_) => error.into(),
            _ => Failure::Invalid(error.to_string()),
        }
    }

    /// A file that cannot be read or written: the user's, unless the machine has failed.
    pub(crate) fn of_io(error: &io::Error, text: String) -> Self {
        if is_of_the_host(error) { Failure::Host(text) } else { Failure::Input(text) }
    }

    /// The same, of a file.
    pub(crate) fn of_file(mut self, path: &Path) -> Self {
        let (Failure::Invalid(text)
        | Failure::Input(text)
        | Failure::Device(_, text)
        | Failure::Host(text)
        | Failure::Internal(text)) = &mut self;
        *text = format!("{}: {text}", path.display());
        self
    }

    /// A thread that the machine does not start.
    pub(crate) fn no_thread(error: impl fmt::Display) -> Self {
        Failure::Internal(format!("no thread can be started: {error}"))
    }

    /// The files are at fault, but for a lack of memory and what the machine fails to do.
    fn of_format(problem: &FormatError, text: String) -> Self {
        match problem {
            FormatError::Memory { .. } => Failure::Internal(text),
            FormatError::Io(error) => Failure::of_io(error, text),
            _ => Failure::Input(text),
        }
    }

    /// An error of key loading; `key` is its file.
    pub(crate) fn of_key(error: KeyError, key: &Path) -> Self {
        match error {
            KeyError::Zkey(error) => error.into(),
            KeyError::Device(error) => error.into(),
            KeyError::DeviceMemory { .. } => {
                Failure::Device(DeviceFault::Memory, format!("{}: {error}", key.display()))
            }
            KeyError::Memory { .. } => Failure::Internal(format!("{}: {error}", key.display())),
            other => Failure::Input(format!("{}: {other}", key.display())),
        }
    }
}

/// Whether the machine is at fault and not a path or a file: another try may succeed, here or
/// elsewhere.
fn is_of_the_host(error: &io::Error) -> bool {
    #[cfg(unix)]
    const CODES: [i32; 13] = [
        // No room: on the disk, in a quota, in a file, for descriptors, in memory.
        libc::ENOSPC,
        libc::EDQUOT,
        libc::EFBIG,
        libc::EMFILE,
        libc::ENFILE,
        libc::ENOMEM,
        // A disk or a mount that is lost, or does not answer.
        libc::EIO,
        libc::ENODEV,
        libc::EROFS,
        libc::ESTALE,
        libc::ETIMEDOUT,
        libc::ENOTCONN,
        libc::EHOSTDOWN,
    ];
    #[cfg(unix)]
    if error.raw_os_error().is_some_and(|code| CODES.contains(&code)) {
        return true;
    }
    error.kind() == io::ErrorKind::OutOfMemory
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Invalid(text)
        | Failure::Input(text)
        | Failure::Device(_, text)
        | Failure::Host(text)
        | Failure::Internal(text)) = self;
        // One line, whatever a library's message holds.
        f.write_str(&text.replace(['\n', '\r'], " "))
    }
}

impl From<ZkeyError> for Failure {
    fn from(error: ZkeyError) -> Self {
        Failure::of_format(&error.problem, error.to_string())
    }
}

impl From<WtnsError> for Failure {
    fn from(error: WtnsError) -> Self {
        Failure::of_format(&error.problem, error.to_string())
    }
}

impl From<R1csFileError> for Failure {
    fn from(error: R1csFileError) -> Self {
        Failure::of_format(&error.problem, error.to_string())
    }
}

impl From<JsonError> for Failure {
    fn from(error: JsonError) -> Self {
        let text = error.to_string();
        match &error.problem {
            JsonProblem::Io(error) => Failure::of_io(error, text),
            _ => Failure::Input(text),
        }
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        let fault = match error {
            RuntimeError::Thread { reason } => return Failure::no_thread(reason),
            RuntimeError::OutOfMemory { .. } | RuntimeError::InsufficientMemory { .. } => DeviceFault::Memory,
            RuntimeError::DeviceLost { .. } => DeviceFault::Lost,
            _ => DeviceFault::Other,
        };
        Failure::Device(fault, error.to_string())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn faults_of_the_machine_are_not_the_users() {
        let kind = |code| Failure::of_io(&io::Error::from_raw_os_error(code), String::new()).kind();
        for code in
            [libc::ENOSPC, libc::EDQUOT, libc::EMFILE, libc::ENFILE, libc::EIO, libc::ESTALE, libc::EFBIG]
        {
            assert_eq!(kind(code), "internal", "{code}");
        }
        for code in [libc::ENOENT, libc::EACCES, libc::ENOTDIR, libc::EISDIR, libc::ELOOP, libc::ENAMETOOLONG]
        {
            assert_eq!(kind(code), "input", "{code}");
        }
    }
}
