//! Work beside the interpreter.

use curvesmith_bindings::{Cancel, Error, ErrorKind, Result, call};
use pyo3::prelude::*;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, Builder};
use std::time::Duration;

/// How often a thread that waits for a proof looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// Runs `work` on this thread while others use the interpreter.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| call(work)).map_err(|error| raise(py, &error))
}

/// Runs `work` on a thread of its own while others use the interpreter. Once a signal's handler raises an
/// exception, which Ctrl-C's does, the work is cancelled, and the exception raised when it has ended.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> Result<T> + Send,
) -> PyResult<T> {
    let cancel = Cancel::default();
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let wish = &cancel;
    thread::scope(|scope| {
        // Nobody waits any more where it cannot be sent.
        let started = Builder::new().spawn_scoped(scope, move || drop(sender.send(call(|| work(wish)))));
        if let Err(error) = started {
            return Err(raise(py, &Error::new(ErrorKind::Internal, format_args!("no thread: {error}"))));
        }
        loop {
            let next = &mut receiver;
            match py.detach(move || next.recv_timeout(POLL)) {
                Ok(result) => return result.map_err(|error| raise(py, &error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(raise(
                        py,
                        &Error::new(ErrorKind::Internal, "a thread ended without a result"),
                    ));
                }
            }
            if let Err(exception) = py.check_signals() {
                cancel.cancel();
                // Its result comes too late, and so does its error.
                let last = &mut receiver;
                drop(py.detach(move || last.recv()));
                return Err(exception);
            }
        }
    })
}

/// The exception of an error.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let made = py
        .import("curvesmith._errors")
        .and_then(|module| module.getattr("of_kind")?.call1((error.kind.name(), &error.message)));
    made.map_or_else(|failed| failed, PyErr::from_value)
}
