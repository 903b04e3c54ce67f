//! What a job is answered.

use crate::failure::Failure;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// A proof that was made.
pub(crate) struct Answer {
    pub(crate) curve: &'static str,
    /// The name by which the command line asked for it.
    pub(crate) device: Arc<str>,
    /// What the batch took, reading witnesses included.
    pub(crate) prove: Duration,
    /// Proofs of the batch.
    pub(crate) batch: usize,
    /// The proof, unless it went to a file.
    pub(crate) proof: Option<Value>,
    /// The public inputs, unless they went to a file.
    pub(crate) public: Option<Value>,
}

/// The answer to a job as a line of JSON, without its newline.
pub(crate) fn answer_text(id: &Value, result: &Result<Answer, Failure>) -> String {
    Value::Object(members(id, result)).to_string()
}

fn members(id: &Value, result: &Result<Answer, Failure>) -> Map<String, Value> {
    let mut members = Map::new();
    let mut add = |name: &str, value: Value| drop(members.insert(name.into(), value));
    add("id", id.clone());
    add("ok", result.is_ok().into());
    match result {
        Ok(answer) => {
            add("curve", answer.curve.into());
            add("device", (*answer.device).into());
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
