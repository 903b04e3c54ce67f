//! Who asks for proofs, and what they are answered.

use crate::commands::jobs::{self, Answer};
use crate::failure::Failure;
use serde_json::Value;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What takes the answers to the jobs of one input.
pub(super) struct Client {
    /// `None` when it has failed once: the rest of a broken line must not look like an answer.
    output: Mutex<Option<Box<dyn Write + Send>>>,
}

impl Client {
    pub(super) fn new(output: impl Write + Send + 'static) -> Self {
        Self { output: Mutex::new(Some(Box::new(output))) }
    }

    /// Writes one line.
    pub(super) fn answer(&self, id: &Value, result: &Result<Answer, Failure>) {
        let mut line = jobs::answer_text(id, result);
        line.push('\n');
        let mut output = self.lock();
        let written = output.as_mut().map(|out| out.write_all(line.as_bytes()).and_then(|()| out.flush()));
        if let Some(Err(error)) = written {
            tracing::warn!(%error, "a client takes no more answers");
            *output = None;
        }
    }

    /// Whether it can be answered no more.
    pub(super) fn is_gone(&self) -> bool {
        self.lock().is_none()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Write + Send>>> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
