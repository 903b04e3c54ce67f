//! `curvesmith worker`: proves the jobs of a stream of Redis, beside as many others as there are.
//!
//! A loop, of which there are some, takes an entry whose worker is gone, or else a batch of new ones, proves
//! it as `serve` does, and stores each answer in one step with the end of its entry. What died with a worker
//! is proven alone, with no other loop at work, so that whatever ends workers takes nothing with it. One more
//! thread keeps the entries young meanwhile.

mod ending;
mod heartbeat;
mod link;
mod stream;

use super::DeviceArgument;
use super::jobs::{self, Answer, BATCH, Job, Keys, MAX_BYTES};
use crate::failure::{DeviceFault, Failure};
use clap::builder::NonEmptyStringValueParser;
use clap::value_parser;
use ending::{Ending, Reason};
use heartbeat::Heartbeat;
use link::{Link, LinkError};
use serde_json::Value;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{Builder, ScopedJoinHandle};
use std::time::{Duration, SystemTime};
use stream::{Content, Entry, Final, Names, Stream};

/// What a client has to know.
pub(crate) const PROTOCOL: &str = "\
A job is an entry of the stream, JSON in its field job as for `serve`:
  XADD jobs '*' job '{\"id\": 1, \"zkey\": \"circuit.zkey\", \"witness\": \"witness.wtns\"}'
Its answer, as from `serve`, is the value of jobs:result:1, and in field answer of an entry of the stream jobs:results. What cannot
be proven is in the stream jobs:dead too, with the reason.

Exit codes:
  2  bad arguments, or a Redis that is not there at the start or refuses what is asked
  3  a failure of program or machine, a Redis that was lost and did not come back, or a device that is lost
  128 + n  ended by signal n, after the jobs that were being proven; a second signal ends at once";

/// Names Redis where `--redis` does not.
const VARIABLE: &str = "CURVESMITH_REDIS";

/// The wait after a failure that is not a job's own; it doubles with each that follows, so that a worker with
/// a broken device does not spend the deliveries of all jobs.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest such wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Faults of the machine, a full disk or a lost mount, one after the other, after which a worker
/// ends: its jobs are given back to those that can work.
const MOST_FAULTS: u32 = 3;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    on: DeviceArgument,
    #[command(flatten)]
    keys: jobs::JobArguments,
    /// Redis, as redis://HOST or unix:///PATH; from the environment variable CURVESMITH_REDIS if it is not
    /// given, which others do not see in the list of processes
    #[arg(long, value_name = "URL")]
    redis: Option<String>,
    /// Stream of the jobs; results and dead letters are beside it
    #[arg(long, value_name = "NAME", default_value = "jobs", value_parser = NonEmptyStringValueParser::new())]
    stream: String,
    /// Consumer group that the workers share
    #[arg(long, value_name = "NAME", default_value = "provers", value_parser = NonEmptyStringValueParser::new())]
    group: String,
    /// Name of this worker, which no other may have [default: of host, process and time]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    consumer: Option<String>,
    /// Take so many new jobs at a time; those of one key are proven together
    #[arg(long, value_name = "N", default_value_t = BATCH as u64, value_parser = value_parser!(u64).range(1..=BATCH as u64))]
    batch: u64,
    /// Take over jobs whose worker has not been heard of for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(1..=86_400))]
    claim_after: u64,
    /// Give a job up when it was delivered so often
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u64).range(1..=1000))]
    max_deliveries: u64,
    /// Keep results for so long, and know their ids
    #[arg(long, value_name = "SECONDS", default_value_t = 604_800, value_parser = value_parser!(u64).range(1..=315_360_000))]
    keep_results: u64,
    /// Wait so long for a Redis that was lost
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(0..=86_400))]
    reconnect_for: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let url = match &arguments.redis {
        Some(url) => url.clone(),
        None => std::env::var(VARIABLE)
            .map_err(|_| Failure::Input(format!("no Redis: give --redis, or set {VARIABLE}")))?,
    };
    let name = &arguments.on.device;
    let device = name.open()?;
    let batches = arguments.keys.batches(&device);
    let keys = arguments.keys.keys(name, device, &arguments.keys.host());
    let ending = Arc::new(Ending::default());
    #[cfg(unix)]
    crate::temporary::on_first_signal({
        let ending = ending.clone();
        move |signal| ending.tell(Reason::Signal(signal))
    });
    let names = Names {
        stream: arguments.stream.clone(),
        group: arguments.group.clone(),
        consumer: arguments.consumer.clone().unwrap_or_else(unique_name),
    };
    let group = [&*names.stream, &*names.group];
    let link = Link::open(&url, group, Duration::from_secs(arguments.reconnect_for), ending.clone())?;
    tracing::info!(stream = names.stream, group = names.group, consumer = names.consumer, "waiting for jobs");
    let mut stream = Stream::new(link, names, Duration::from_secs(arguments.keep_results));
    let claim_after = Duration::from_secs(arguments.claim_after);
    let heartbeat = Heartbeat::start(stream.another(), claim_after / 3).map_err(Failure::no_thread)?;
    let company = RwLock::default();
    let worker = || Worker {
        stream: stream.another(),
        keys: &keys,
        heartbeat: heartbeat.clone(),
        ending: &ending,
        company: &company,
        batch: arguments.batch,
        claim_after,
        max_deliveries: arguments.max_deliveries,
        pause: FIRST_PAUSE,
        faults: 0,
    };
    let end = work_together((0..batches).map(|_| worker()).collect(), &ending);
    if let Err(error) = stream.leave() {
        tracing::warn!(%error, "the name of this worker stays in the group");
    }
    Ok(crate::temporary::exit_code(end?))
}

/// Answers jobs on a thread for each until a signal comes: its number. What one cannot go on after ends all.
fn work_together(workers: Vec<Worker<'_>>, ending: &Ending) -> Result<i32, Failure> {
    let ends: Vec<Result<Option<i32>, Failure>> = std::thread::scope(|scope| {
        let work = |mut worker: Worker<'_>| {
            let end = catch_unwind(AssertUnwindSafe(|| worker.work()));
            let end = end.unwrap_or_else(|_| Err(Failure::Internal("the program failed".into())));
            if end.is_err() {
                ending.tell(Reason::Failure);
            }
            end
        };
        let start = |worker| match Builder::new().spawn_scoped(scope, move || work(worker)) {
            Ok(thread) => Ok(thread),
            Err(error) => {
                ending.tell(Reason::Failure);
                Err(Failure::no_thread(error))
            }
        };
        let threads: Vec<_> = workers.into_iter().map(start).collect();
        let join =
            |thread: ScopedJoinHandle<'_, _>| thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        threads.into_iter().map(|thread| thread.and_then(join)).collect()
    });
    // After a failure the others have nothing to say.
    let ends: Vec<Option<i32>> = ends.into_iter().collect::<Result<_, _>>()?;
    let told = ends.into_iter().flatten().next();
    told.ok_or_else(|| Failure::Internal("nobody told why the worker ends".into()))
}

/// A name that no other worker has.
fn unique_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let host = host.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    // In containers all may have the same number, and with it the same name.
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{:x}", host.trim(), std::process::id(), time.as_nanos())
}

/// One of the threads that take jobs.
struct Worker<'a> {
    stream: Stream,
    keys: &'a Keys,
    heartbeat: Heartbeat,
    ending: &'a Ending,
    /// Held by whoever has entries: alone, if one of them may have ended a worker.
    company: &'a RwLock<()>,
    batch: u64,
    claim_after: Duration,
    max_deliveries: u64,
    /// The wait after the next failure.
    pause: Duration,
    /// Faults of the machine since the last proof.
    faults: u32,
}

/// A job that this worker has.
struct Held {
    entry: Entry,
    job: Job,
    /// The job's id as text, for which there is one answer.
    id: String,
}

impl AsRef<Job> for Held {
    fn as_ref(&self) -> &Job {
        &self.job
    }
}

impl Worker<'_> {
    /// Answers jobs until a signal comes: its number. `None` if another thread has failed.
    fn work(&mut self) -> Result<Option<i32>, Failure> {
        loop {
            match self.ending.reason() {
                Some(Reason::Signal(signal)) => return Ok(Some(signal)),
                Some(Reason::Failure) => return Ok(None),
                None => {}
            }
            if let Some(entry) = self.stream.claim(self.claim_after)? {
                self.heartbeat.hold([entry.id.clone()]);
                let _alone = self.company.write().unwrap_or_else(PoisonError::into_inner);
                self.answer(vec![entry])?;
            } else {
                let _beside_others = self.company.read().unwrap_or_else(PoisonError::into_inner);
                let entries = self.stream.read(self.batch)?;
                self.heartbeat.hold(entries.iter().map(|entry| entry.id.clone()));
                self.answer(entries)?;
            }
        }
    }

    /// Answers these, but for what is not begun when the worker ends or the device is lost: that is given
    /// back.
    fn answer(&mut self, entries: Vec<Entry>) -> Result<(), Failure> {
        let mut waiting = VecDeque::new();
        for entry in entries {
            waiting.extend(self.read_job(entry)?);
        }
        let mut lost = None;
        while !waiting.is_empty() && lost.is_none() && self.ending.reason().is_none() {
            self.drop_answered(&mut waiting)?;
            let Some(first) = waiting.pop_front() else { break };
            let (zkey, id) = (first.job.zkey.clone(), first.id.clone());
            let others = || take_others(&mut waiting, &zkey, id);
            let mut retried = false;
            for (held, result) in jobs::prove(first, self.keys, others) {
                match &result {
                    Ok(_) => self.faults = 0,
                    Err(Failure::Device(fault @ DeviceFault::Lost, text)) => {
                        lost = Some(Failure::Device(*fault, text.clone()));
                    }
                    Err(Failure::Host(text)) => {
                        self.faults += 1;
                        if self.faults >= MOST_FAULTS {
                            lost = Some(Failure::Host(format!("this machine cannot work: {text}")));
                        }
                    }
                    Err(_) => {}
                }
                retried |= self.settle(&held, &result)?;
            }
            if !retried {
                self.pause = FIRST_PAUSE;
            } else if lost.is_none() {
                self.ending.wait(self.pause);
                self.pause = LONGEST_PAUSE.min(2 * self.pause);
            }
        }
        if !waiting.is_empty() {
            self.stream.give_back(waiting.iter().map(|held| &held.entry))?;
            waiting.iter().for_each(|held| self.heartbeat.release(&held.entry.id));
        }
        lost.map_or(Ok(()), Err)
    }

    /// The job of an entry. One that is none, or was delivered too often, is answered here.
    fn read_job(&mut self, mut entry: Entry) -> Result<Option<Held>, LinkError> {
        let job = match &entry.job {
            Content::None => Err((Value::Null, "the entry has no field job".into())),
            Content::TooLong => Err((Value::Null, format!("the job has more than {MAX_BYTES} bytes"))),
            Content::Job(text) => Job::parse(text),
        };
        let (id, failure) = match job {
            Err((id, error)) => (id, Failure::Input(error)),
            Ok(job) if entry.deliveries > self.max_deliveries => {
                // This delivery is for the letter.
                entry.deliveries -= 1;
                let deadly =
                    format!("delivered {} times, and each worker died or was not heard of", entry.deliveries);
                (job.id, Failure::Internal(deadly))
            }
            Ok(job) => {
                let id = id_text(&job.id).unwrap_or_default();
                return Ok(Some(Held { entry, job, id }));
            }
        };
        self.finish(&entry, &id, &Err(failure))?;
        Ok(None)
    }

    /// Takes jobs that have an answer off the stream.
    fn drop_answered(&mut self, waiting: &mut VecDeque<Held>) -> Result<(), LinkError> {
        let ids: Vec<&str> = waiting.iter().map(|held| &*held.id).collect();
        let answered = self.stream.are_answered(&ids)?;
        for (held, answered) in std::mem::take(waiting).into_iter().zip(answered) {
            if answered {
                self.stream.drop_entry(&held.entry)?;
                self.heartbeat.release(&held.entry.id);
            } else {
                waiting.push_back(held);
            }
        }
        Ok(())
    }

    /// Stores what came of a job, unless its failure is not its own and it is left to be delivered
    /// again: whether it is. What the machine is at fault for counts as no delivery.
    fn settle(&mut self, held: &Held, result: &Result<Answer, Failure>) -> Result<bool, LinkError> {
        let deliveries = held.entry.deliveries;
        match result {
            Err(failure @ Failure::Host(_)) => {
                tracing::warn!(id = held.id, %failure, "a job is given back");
                self.stream.give_back([&held.entry].into_iter())?;
                self.heartbeat.release(&held.entry.id);
                Ok(true)
            }
            Err(failure @ (Failure::Device(..) | Failure::Internal(_)))
                if deliveries < self.max_deliveries =>
            {
                tracing::warn!(id = held.id, deliveries, %failure, "a job is left to be tried again");
                self.heartbeat.release(&held.entry.id);
                Ok(true)
            }
            result => self.finish(&held.entry, &held.job.id, result).map(|()| false),
        }
    }

    /// Stores an answer, and the reason among the dead letters if it is a failure.
    fn finish(
        &mut self,
        entry: &Entry,
        id: &Value,
        result: &Result<Answer, Failure>,
    ) -> Result<(), LinkError> {
        let (answer, id) = (jobs::answer_text(id, result), id_text(id));
        let failure = result.as_ref().err().map(|failure| (failure.kind(), failure.to_string()));
        let dead = failure.as_ref().map(|(kind, reason)| (*kind, &**reason));
        let stored = self.stream.finish(entry, &Final { id: id.as_deref(), answer: &answer, dead })?;
        if let (true, Some((kind, reason))) = (stored, dead) {
            tracing::warn!(entry = entry.id, id, kind, reason, "a job is given up");
        }
        self.heartbeat.release(&entry.id);
        Ok(())
    }
}

/// The jobs that wait for this key, each id once, beside the one of `first`.
fn take_others(waiting: &mut VecDeque<Held>, zkey: &std::path::Path, first: String) -> Vec<Held> {
    let mut ids = vec![first];
    let mut others = Vec::new();
    for held in std::mem::take(waiting) {
        if held.job.zkey == zkey && !ids.contains(&held.id) {
            ids.push(held.id.clone());
            others.push(held);
        } else {
            waiting.push_back(held);
        }
    }
    others
}

/// An id as the names of results have it: 1 and "1" are one.
fn id_text(id: &Value) -> Option<String> {
    match id {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
