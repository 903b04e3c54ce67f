//! `curvesmith serve`: proves jobs as they come, with keys that stay on the device.
//!
//! One thread reads the lines of all clients into one bounded queue and writes their answers. Some
//! threads a device take a job from the queue each, make its key ready, take the jobs that wait for
//! the same key too, and prove them together. A job's failure is its answer; what ends the service
//! is the end of its input, a signal, or the loss of a device.

mod client;
mod event_loop;
mod job;
mod lines;
mod queue;
#[cfg(unix)]
mod socket;

use super::DeviceName;
use super::jobs::{self, BATCH, Keys};
use crate::failure::{DeviceFault, Failure};
use curvesmith::Device;
use event_loop::EventLoop;
use job::Asked;
use queue::{End, Queue};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// What a client has to know.
pub(crate) const PROTOCOL: &str = "\
A job is a line: {\"id\": 1, \"zkey\": \"circuit.zkey\", \"witness\": \"witness.wtns\"}; \"proof\" and \"public\" may name
files to write. Its answer is a line: {\"id\": 1, \"ok\": true, ...} or {\"id\": 1, \"ok\": false, \"kind\": \"input\", \"error\": ...}.

Exit codes:
  0  the input has ended, and every job was answered
  2  bad arguments, or a socket or standard stream that cannot be used
  3  a failure of program, or a device that is lost
  128 + n  ended by signal n, after the jobs that were being proven; a second signal ends at once";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// auto, cpu, cuda, cuda:N, wgpu, wgpu:N or emulator; several, each with an option of its own, take jobs
    /// in turn
    #[arg(long, default_value = "auto")]
    device: Vec<DeviceName>,
    #[command(flatten)]
    keys: jobs::JobArguments,
    /// Listen on a Unix socket there, in place of standard input and output
    #[cfg(unix)]
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let host = arguments.keys.host();
    let opened = arguments.device.iter().map(|name| Ok((name, name.open()?)));
    let devices: Vec<(&DeviceName, Device)> = opened.collect::<Result<_, Failure>>()?;
    let devices: Vec<(Keys, usize)> = devices
        .into_iter()
        .map(|(name, device)| {
            let batches = arguments.keys.batches(&device);
            (arguments.keys.keys(name, device, &host), batches)
        })
        .collect();
    let queue = Arc::new(Queue::new(devices.iter().map(|(_, batches)| batches).sum()));
    #[cfg(unix)]
    crate::temporary::on_first_signal({
        let queue = queue.clone();
        move |signal| queue.end(End::Signal(signal))
    });
    #[cfg(unix)]
    let socket = arguments.socket.as_deref();
    #[cfg(not(unix))]
    let socket = None;
    let event_loop = EventLoop::start(socket, &queue)?;
    let end = work_on_all(&queue, &devices);
    event_loop.finish();
    match end {
        End::Input(read) => read.map(|()| ExitCode::SUCCESS),
        End::Signal(signal) => Ok(crate::temporary::exit_code(signal)),
        End::Failed(failure) => Err(failure),
    }
}

/// Works on every device, each with keys of its own, by so many threads. The reason for the end; that of one
/// device ends all.
fn work_on_all(queue: &Queue, devices: &[(Keys, usize)]) -> End {
    let ends: Vec<End> = std::thread::scope(|scope| {
        let each = devices.iter().flat_map(|(keys, batches)| std::iter::repeat_n(keys, *batches));
        let started = |keys| match std::thread::Builder::new().spawn_scoped(scope, move || work(queue, keys))
        {
            Ok(thread) => Some(thread),
            Err(error) => {
                queue.end(End::Failed(Failure::no_thread(error)));
                None
            }
        };
        let threads: Vec<_> = each.filter_map(started).collect();
        let end = |end: std::thread::Result<End>| {
            end.unwrap_or_else(|_| End::Failed(Failure::Internal("the program failed".into())))
        };
        threads.into_iter().map(|thread| end(thread.join())).collect()
    });
    // Without any thread nobody has asked for the reason yet.
    let other = ends.into_iter().find(|end| !matches!(end, End::Input(Ok(()))));
    let end = other.or_else(|| queue.first().err()).unwrap_or(End::Input(Ok(())));
    refuse_rest(queue);
    end
}

/// Answers jobs that nobody begins.
fn refuse_rest(queue: &Queue) {
    for job in queue.rest() {
        job.refuse("not begun: the service ends");
    }
}

/// Answers jobs until there are none to come, and then those that were not begun.
fn work(queue: &Queue, keys: &Keys) -> End {
    let end = loop {
        match queue.first() {
            Ok(job) if job.is_pointless() => job.refuse("nobody waits for it"),
            Ok(job) => {
                if let Some(lost) = answer_with_others(job, queue, keys) {
                    queue.end(End::Failed(lost));
                }
            }
            Err(end) => break end,
        }
    };
    refuse_rest(queue);
    end
}

/// Answers a job, and others that wait for its key. `Some` if the device is lost: nothing can be proven any
/// more.
fn answer_with_others(first: Asked, queue: &Queue, keys: &Keys) -> Option<Failure> {
    let zkey = first.job.zkey.clone();
    let others = || {
        let mut others = queue.others_of(&zkey, BATCH);
        others.retain(|job| {
            let pointless = job.is_pointless();
            if pointless {
                job.refuse("nobody waits for it");
            }
            !pointless
        });
        others
    };
    let mut lost = None;
    for (asked, result) in jobs::prove(first, keys, others) {
        asked.client.answer(&asked.job.id, &result);
        if let Err(failure @ Failure::Device(DeviceFault::Lost, _)) = result {
            lost = Some(failure);
        }
    }
    lost
}
