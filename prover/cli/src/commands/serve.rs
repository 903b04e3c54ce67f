//! `curvesmith serve`: proves jobs as they come, with keys that stay on the device.
//!
//! One thread a client reads lines into one bounded queue; this one takes a job from it, makes its key ready, takes the jobs
//! that wait for the same key too, and proves them together. A job's failure is its answer; what ends the service is
//! the end of its input, a signal, or the loss of the device.

mod client;
mod job;
mod keys;
mod lines;
mod outputs;
mod prover;
mod queue;
#[cfg(unix)]
mod socket;

use super::KeyArguments;
use crate::failure::{DeviceFault, Failure};
use client::{Answer, Client};
use job::Job;
use keys::Keys;
use outputs::Outputs;
use queue::{End, Queue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// What a client has to know.
pub(crate) const PROTOCOL: &str = "\
A job is a line: {\"id\": 1, \"zkey\": \"circuit.zkey\", \"witness\": \"witness.wtns\"}; \"proof\" and \"public\" may name
files to write. Its answer is a line: {\"id\": 1, \"ok\": true, ...} or {\"id\": 1, \"ok\": false, \"kind\": \"input\", \"error\": ...}.

Exit codes:
  0  the input has ended, and every job was answered
  2  bad arguments, or a socket or standard stream that cannot be used
  3  a failure of program, or a device that is lost
  128 + n  ended by signal n, after the jobs that were being proven; a second signal ends at once";

/// Most jobs that are proven together, and whose witnesses are in memory at once.
const BATCH: usize = 8;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    key: KeyArguments,
    /// Listen on a Unix socket there, in place of standard input and output
    #[cfg(unix)]
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Keys that stay on the device; the one that was not used for longest makes room
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1024))]
    keys: u32,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let device = arguments.key.device.open()?;
    let queue = Arc::new(Queue::default());
    #[cfg(unix)]
    crate::temporary::on_first_signal({
        let queue = queue.clone();
        move |signal| queue.end(End::Signal(signal))
    });
    let options = arguments.key.options();
    let keys = Keys::new(move |path| prover::read(path, &device, &options), arguments.keys as usize);
    #[cfg(unix)]
    if let Some(path) = &arguments.socket {
        // Removed when this returns.
        let _socket = socket::listen(path, &queue)?;
        return finish(work(&queue, keys));
    }
    let client = Arc::new(Client::new(std::io::stdout()));
    std::thread::spawn({
        let (client, queue) = (client.clone(), queue.clone());
        move || queue.end(read_standard_input(&client, &queue))
    });
    let end = work(&queue, keys);
    if client.is_gone() && matches!(end, End::Input) {
        return Err(Failure::Input("standard output: cannot be written".into()));
    }
    finish(end)
}

fn read_standard_input(client: &Arc<Client>, queue: &Queue) -> End {
    match job::read_jobs(std::io::stdin().lock(), client, queue) {
        Ok(()) => End::Input,
        Err(error) => End::Failed(Failure::Input(format!("standard input: {error}"))),
    }
}

fn finish(end: End) -> Result<ExitCode, Failure> {
    match end {
        End::Input => Ok(ExitCode::SUCCESS),
        End::Signal(signal) => Ok(ExitCode::from(128u8.saturating_add(u8::try_from(signal).unwrap_or(127)))),
        End::Failed(failure) => Err(failure),
    }
}

/// Answers jobs until there are none to come, and then those that were not begun.
fn work(queue: &Queue, mut keys: Keys) -> End {
    let end = loop {
        match queue.first() {
            Ok(job) if job.is_pointless() => {}
            Ok(job) => {
                if let Some(lost) = answer_with_others(job, queue, &mut keys) {
                    queue.end(End::Failed(lost));
                }
            }
            Err(end) => break end,
        }
    };
    for job in queue.rest() {
        job.refuse("not begun: the service ends");
    }
    end
}

/// Answers a job, and others that wait for its key. `Some` if the device is lost: nothing can be proven any more.
fn answer_with_others(first: Job, queue: &Queue, keys: &mut Keys) -> Option<Failure> {
    let mut jobs = vec![first];
    let Ok(results) = catch_unwind(AssertUnwindSafe(|| prove(&mut jobs, queue, keys))) else {
        // A bug; its message is on standard error. What it left of the key is not used again.
        keys.forget(&jobs[0].zkey);
        jobs.iter().for_each(|job| job.refuse("the program failed"));
        return None;
    };
    let mut lost = None;
    for (job, result) in jobs.iter().zip(results) {
        job.client.answer(&job.id, &result);
        if let Err(failure @ Failure::Device(DeviceFault::Lost, _)) = result {
            lost = Some(failure);
        }
    }
    lost
}

/// Proves the first job, and the others that it adds to it.
fn prove(jobs: &mut Vec<Job>, queue: &Queue, keys: &mut Keys) -> Vec<Result<Answer, Failure>> {
    let zkey = jobs[0].zkey.clone();
    let ready = keys.make_ready(&zkey);
    if let Err(failure) = ready {
        return vec![Err(failure)];
    }
    jobs.extend(queue.others_of(&zkey, BATCH - 1));
    let outputs: Vec<_> = jobs.iter().map(Outputs::create).collect();
    let witnesses: Vec<&Path> = jobs
        .iter()
        .zip(&outputs)
        .filter(|(_, outputs)| outputs.is_ok())
        .map(|(job, _)| &*job.witness)
        .collect();
    let start = Instant::now();
    let (curve, proofs) = keys.prove(&witnesses);
    let (prove, batch) = (start.elapsed(), proofs.len());
    let mut proofs = proofs.into_iter();
    let answer = |outputs: Result<Outputs, Failure>| {
        let outputs = outputs?;
        let proof = proofs.next().expect("one for each job that has its outputs")?;
        let (proof, public) = outputs.finish(&proof)?;
        Ok(Answer { curve, prove, batch, proof, public })
    };
    outputs.into_iter().map(answer).collect()
}
