//! Jobs of `serve` and `worker`: what is asked for, what it is answered, and how the jobs of one key are proven together, with keys
//! that stay on the device.

mod answer;
mod job;
mod keys;
mod outputs;
mod prover;

use super::{DeviceName, KeyArguments};
use crate::failure::Failure;
use curvesmith::Device;
use outputs::Outputs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

pub(super) use answer::{Answer, answer_text};
pub(super) use job::{Job, MAX_BYTES};
pub(super) use keys::Keys;

/// Most jobs that are proven together, and whose witnesses are in memory at once.
pub(super) const BATCH: usize = 8;

/// The keys on a device.
#[derive(clap::Args)]
pub(crate) struct JobArguments {
    #[command(flatten)]
    key: KeyArguments,
    /// Keys that stay on a device; the one that was not used for longest makes room
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1024))]
    keys: u32,
}

impl JobArguments {
    /// The device `name`, with no keys on it yet.
    pub(super) fn keys(&self, name: &DeviceName, device: Device) -> Keys {
        let options = self.key.options();
        let read = move |path: &Path| prover::read(path, &device, &options);
        Keys::new(name.to_string(), read, self.keys as usize)
    }
}

/// Proves a job together with those that `others` gives as soon as their common key is ready: a result for each that was begun.
pub(super) fn prove<J: AsRef<Job>>(
    first: J,
    keys: &mut Keys,
    others: impl FnOnce() -> Vec<J>,
) -> Vec<(J, Result<Answer, Failure>)> {
    let mut jobs = vec![first];
    let results = catch_unwind(AssertUnwindSafe(|| prove_with(&mut jobs, keys, others)));
    let results = results.unwrap_or_else(|_| {
        // A bug; its message is on standard error. What it left of the key is not used again.
        keys.forget(&jobs[0].as_ref().zkey);
        jobs.iter().map(|_| Err(Failure::Internal("the program failed".into()))).collect()
    });
    jobs.into_iter().zip(results).collect()
}

/// Proves the first job, and the others that it adds to it.
fn prove_with<J: AsRef<Job>>(
    jobs: &mut Vec<J>,
    keys: &mut Keys,
    others: impl FnOnce() -> Vec<J>,
) -> Vec<Result<Answer, Failure>> {
    if let Err(failure) = keys.make_ready(&jobs[0].as_ref().zkey) {
        return vec![Err(failure)];
    }
    jobs.extend(others());
    let outputs: Vec<_> = jobs.iter().map(|job| Outputs::create(job.as_ref())).collect();
    let witnesses: Vec<&Path> = jobs
        .iter()
        .zip(&outputs)
        .filter(|(_, outputs)| outputs.is_ok())
        .map(|(job, _)| &*job.as_ref().witness)
        .collect();
    let start = Instant::now();
    let (curve, proofs) = keys.prove(&witnesses);
    let (prove, batch, device) = (start.elapsed(), proofs.len(), keys.device());
    let mut proofs = proofs.into_iter();
    let answer = |outputs: Result<Outputs, Failure>| {
        let outputs = outputs?;
        let proof = proofs.next().expect("one for each job that has its outputs")?;
        let (proof, public) = outputs.finish(&proof)?;
        Ok(Answer { curve, device: device.clone(), prove, batch, proof, public })
    };
    outputs.into_iter().map(answer).collect()
}
