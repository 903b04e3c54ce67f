//! Jobs of `serve` and `worker`: what is asked for, what it is answered, and how the jobs of one key are
//! proven together, with keys that stay on the device.

mod answer;
mod job;
mod keys;
mod memory;
mod outputs;
mod prover;

use super::{DeviceName, KeyArguments};
use crate::failure::Failure;
use curvesmith::Device;
use keys::{KeyFiles, Room, is_memory};
use memory::HostMemory;
use outputs::Outputs;
use prover::{Proof, Prover};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) use answer::{Answer, answer_text};
pub(super) use job::{Job, MAX_BYTES};
pub(super) use keys::Keys;

/// Most jobs that are proven together, and whose witnesses are in memory at once.
pub(super) const BATCH: usize = 8;

/// Batches that a GPU has under way at once. On an H200 one takes 1.5 ms a Semaphore proof, two 0.9, three
/// 0.8, four 0.7.
const GPU_BATCHES: usize = 3;

/// The keys on a device.
#[derive(clap::Args)]
pub(crate) struct JobArguments {
    #[command(flatten)]
    key: KeyArguments,
    /// Keys that stay on a device, one copy each; the one that was not used for longest makes room
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1024))]
    keys: u32,
    /// Batches that a device has under way at once, each on a thread of its own: while one waits for the host
    /// another has the device. By default 3 on a GPU, and 1 elsewhere
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    batches: Option<u32>,
    /// Host memory that keys and witnesses may take together, as 8G; what takes more is refused
    /// [default: three quarters of what the machine or its control group has]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_bytes)]
    host_memory: Option<u64>,
}

/// What the jobs of all devices share.
#[derive(Clone)]
pub(crate) struct Host {
    memory: Arc<HostMemory>,
    /// The files of keys that are kept.
    files: KeyFiles,
}

impl JobArguments {
    /// What the jobs of all devices have in common.
    pub(super) fn host(&self) -> Host {
        let limit = self.host_memory.unwrap_or_else(memory::default_limit);
        Host { memory: HostMemory::new(limit), files: KeyFiles::default() }
    }

    /// Threads that prove on a device.
    pub(super) fn batches(&self, device: &Device) -> usize {
        let is_gpu = !device.is_cpu() && device.as_emulator().is_none();
        self.batches.map_or(if is_gpu { GPU_BATCHES } else { 1 }, |batches| batches as usize)
    }

    /// The device `name`, with no keys on it yet.
    pub(super) fn keys(&self, name: &DeviceName, device: Device, host: &Host) -> Keys {
        let options = self.key.options();
        let read = move |path: &Path, room: &Room| prover::read(path, &device, &options, room);
        Keys::new(name.to_string(), read, self.keys as usize, host.clone())
    }
}

/// Proves a job together with those that `others` gives as soon as their common key is ready: a result for
/// each that was begun.
pub(super) fn prove<J: AsRef<Job>>(
    first: J,
    keys: &Keys,
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
    keys: &Keys,
    others: impl FnOnce() -> Vec<J>,
) -> Vec<Result<Answer, Failure>> {
    let zkey = jobs[0].as_ref().zkey.clone();
    let batch = keys.with(&zkey, |prover| {
        jobs.extend(others());
        Batch::prove(jobs, prover, &keys.files())
    });
    let mut batch = match batch {
        Ok(batch) => batch,
        Err(failure) => return vec![Err(failure)],
    };
    let starved = batch.starved();
    if !starved.is_empty() {
        // Once more without anything beside them. What was said of them holds if that is not to be had.
        let again = keys.with_alone(&zkey, |prover| {
            starved.iter().for_each(|&i| batch.prove_again(i, jobs[i].as_ref(), prover));
        });
        if let Err(failure) = again {
            tracing::warn!(%failure, "proofs that found no memory were not tried again");
        }
    }
    batch.answers(&keys.device())
}

/// Jobs of one key that were proven together.
struct Batch {
    curve: &'static str,
    outputs: Vec<Result<Outputs, Failure>>,
    /// Those of jobs that have their outputs.
    proofs: Vec<Option<Result<Proof, Failure>>>,
    time: Duration,
}

impl Batch {
    fn prove<J: AsRef<Job>>(jobs: &[J], prover: &dyn Prover, keys: &[PathBuf]) -> Self {
        let outputs: Vec<_> = jobs.iter().map(|job| Outputs::create(job.as_ref(), keys)).collect();
        let begun = |i: &usize| outputs[*i].is_ok();
        let begun: Vec<usize> = (0..jobs.len()).filter(begun).collect();
        let witnesses: Vec<&Path> = begun.iter().map(|&i| &*jobs[i].as_ref().witness).collect();
        let start = Instant::now();
        let mut proofs: Vec<_> = jobs.iter().map(|_| None).collect();
        begun.iter().zip(prover.prove(&witnesses)).for_each(|(&i, proof)| proofs[i] = Some(proof));
        Batch { curve: prover.curve(), outputs, proofs, time: start.elapsed() }
    }

    /// Jobs for which there was no memory.
    fn starved(&self) -> Vec<usize> {
        let is_starved = |i: &usize| matches!(&self.proofs[*i], Some(Err(failure)) if is_memory(failure));
        (0..self.proofs.len()).filter(is_starved).collect()
    }

    fn prove_again(&mut self, i: usize, job: &Job, prover: &dyn Prover) {
        let start = Instant::now();
        self.proofs[i] = prover.prove(&[&*job.witness]).pop();
        self.time += start.elapsed();
    }

    fn answers(self, device: &Arc<str>) -> Vec<Result<Answer, Failure>> {
        let Batch { curve, outputs, proofs, time: prove } = self;
        let batch = proofs.iter().flatten().count();
        let answer = |(outputs, proof): (Result<Outputs, Failure>, Option<Result<Proof, Failure>>)| {
            let (outputs, device) = (outputs?, device.clone());
            let proof = proof.unwrap_or_else(|| Err(Failure::Internal("no proof was made".into())))?;
            let (proof, public) = outputs.finish(&proof)?;
            Ok(Answer { curve, device, prove, batch, proof, public })
        };
        outputs.into_iter().zip(proofs).map(answer).collect()
    }
}
