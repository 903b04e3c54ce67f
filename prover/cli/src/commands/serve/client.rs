//! Who asks for proofs, and what they are answered.

use crate::failure::Failure;
use serde_json::{Map, Value};
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What takes the answers to the jobs of one input.
pub(super) struct Client {
    /// `None` when it has failed once: the rest of a broken line must not look like an answer.
    output: Mutex<Option<Box<dyn Write + Send>>>,
}

/// A proof that was made.
pub(super) struct Answer {
    pub(super) curve: &'static str,
    /// What the batch took, reading witnesses included.
    pub(super) prove: Duration,
    /// Proofs of the batch.
    pub(super) batch: usize,
    /// The proof, unless it went to a file.
    pub(super) proof: Option<Value>,
    /// The public inputs, unless they went to a file.
    pub(super) public: Option<Value>,
}

impl Client {
    pub(super) fn new(output: impl Write + Send + 'static) -> Self {
        Self { output: Mutex::new(Some(Box::new(output))) }
    }

    /// Writes one line.
    pub(super) fn answer(&self, id: &Value, result: &Result<Answer, Failure>) {
        let mut line = Value::Object(members(id, result)).to_string();
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

fn members(id: &Value, result: &Result<Answer, Failure>) -> Map<String, Value> {
    let mut members = Map::new();
    let mut add = |name: &str, value: Value| drop(members.insert(name.into(), value));
    add("id", id.clone());
    add("ok", result.is_ok().into());
    match result {
        Ok(answer) => {
            add("curve", answer.curve.into());
            add("prove_s", answer.prove.as_secs_f64().into());
            add("batch", answer.batch.into());
            answer.proof.iter().for_each(|proof| add("proof", proof.clone()));
            answer.public.iter().for_each(|public| add("public", public.clone()));
        }
        Err(failure) => {
            add("kind", failure.kind().into());
            add("error", failure.to_string().into());
        }
    }
    members
}
