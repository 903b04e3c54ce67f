//! The stream of jobs and what is kept beside it, as commands to Redis.
//!
//! What has to be done whole or not at all is a script: Redis runs nothing else meanwhile.

use super::link::{Link, LinkError};
use crate::commands::jobs::MAX_BYTES;
use redis::{Cmd, Connection, RedisResult};
use std::time::{Duration, Instant};

/// How long new jobs are waited for before old ones are looked for.
const WAIT: Duration = Duration::from_millis(500);

/// The pause after a request that found no jobs; it doubles with each that follows.
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// The consumer whose entries are nobody's. Nothing reads under its name.
const NOBODY: &str = "nobody";

/// Age of an entry that was given back: more than any worker asks for.
const GIVEN_BACK: Duration = Duration::from_secs(7 * 86_400);

/// Names of what is kept in Redis.
#[derive(Clone)]
pub(super) struct Names {
    pub(super) stream: String,
    pub(super) group: String,
    /// This worker's, and no other's.
    pub(super) consumer: String,
}

impl Names {
    fn result(&self, id: &str) -> String {
        format!("{}:result:{id}", self.stream)
    }

    fn results(&self) -> String {
        format!("{}:results", self.stream)
    }

    fn dead(&self) -> String {
        format!("{}:dead", self.stream)
    }
}

/// A job as it was put into the stream.
pub(super) struct Entry {
    pub(super) id: String,
    /// How often it was delivered, this time included.
    pub(super) deliveries: u64,
    pub(super) job: Content,
}

/// The field `job` of an entry.
pub(super) enum Content {
    /// There is none.
    None,
    /// It has more than [`MAX_BYTES`] bytes, which nobody fetches.
    TooLong,
    Job(Vec<u8>),
}

/// An answer that is stored.
pub(super) struct Final<'a> {
    /// The job's id, if it has one.
    pub(super) id: Option<&'a str>,
    pub(super) answer: &'a str,
    /// Kind and reason, if it goes to the dead letters too.
    pub(super) dead: Option<(&'a str, &'a str)>,
}

pub(super) struct Stream {
    link: Link,
    names: Names,
    /// How long results are kept.
    keep: Duration,
}

impl Stream {
    pub(super) fn new(link: Link, names: Names, keep: Duration) -> Self {
        Self { link, names, keep }
    }

    /// The same, on a connection of its own.
    pub(super) fn another(&self) -> Self {
        Self { link: self.link.another(), names: self.names.clone(), keep: self.keep }
    }

    /// Up to `limit` entries that nobody had before; none after a short while, or a signal.
    pub(super) fn read(&mut self, limit: u64) -> Result<Vec<Entry>, LinkError> {
        let take = concat!(include_str!("scripts/entry.lua"), include_str!("scripts/take.lua"));
        let mut take = script(take, &[&self.names.stream]);
        take.arg(&self.names.group).arg(&self.names.consumer).arg(limit).arg(MAX_BYTES);
        // A command that waits in Redis sends entries of any length.
        let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let Some(entries) = self.link.ask_before_end(|connection| entries(&take, connection))? else {
                return Ok(Vec::new());
            };
            if !entries.is_empty() || begun.elapsed() >= WAIT {
                return Ok(entries);
            }
            self.link.wait(pause);
            pause = LONGEST_PAUSE.min(2 * pause);
        }
    }

    /// Takes over an entry whose worker has not been heard of for `age`.
    pub(super) fn claim(&mut self, age: Duration) -> Result<Option<Entry>, LinkError> {
        let claim = concat!(include_str!("scripts/entry.lua"), include_str!("scripts/claim.lua"));
        let mut claim = script(claim, &[&self.names.stream]);
        claim.arg(&self.names.group).arg(&self.names.consumer).arg(millis(age)).arg(MAX_BYTES);
        let taken = self.link.ask_before_end(|connection| entries(&claim, connection))?;
        Ok(taken.and_then(|mut entries| entries.pop()))
    }

    /// Which of these ids have an answer.
    pub(super) fn are_answered(&mut self, ids: &[&str]) -> Result<Vec<bool>, LinkError> {
        let mut pipe = redis::pipe();
        for id in ids {
            pipe.cmd("EXISTS").arg(self.names.result(id));
        }
        self.link.ask(|connection| pipe.query(connection))
    }

    /// Stores an answer unless its id has one, and takes the entry off the stream. Whether it was stored.
    pub(super) fn finish(&mut self, entry: &Entry, outcome: &Final) -> Result<bool, LinkError> {
        let Names { stream, group, .. } = &self.names;
        let id = outcome.id.unwrap_or_default();
        let keys = [stream, &self.names.result(id), &self.names.results(), &self.names.dead()];
        let mut script = script(include_str!("scripts/finish.lua"), &keys);
        let (kind, reason) = outcome.dead.unwrap_or_default();
        script.arg(group).arg(&entry.id).arg(u8::from(outcome.id.is_some())).arg(id).arg(outcome.answer);
        script.arg(millis(self.keep)).arg(kind).arg(reason).arg(entry.deliveries);
        self.link.ask(|connection| script.query(connection))
    }

    /// Takes an entry whose job has an answer off the stream.
    pub(super) fn drop_entry(&mut self, entry: &Entry) -> Result<(), LinkError> {
        let Names { stream, group, .. } = &self.names;
        let mut pipe = redis::pipe();
        pipe.atomic().cmd("XACK").arg(stream).arg(group).arg(&entry.id);
        pipe.cmd("XDEL").arg(stream).arg(&entry.id);
        self.link.ask(|connection| pipe.exec(connection))
    }

    /// Keeps entries of this consumer young. Asks once.
    pub(super) fn renew(&mut self, entries: &[String]) -> RedisResult<()> {
        let mut script = script(include_str!("scripts/renew.lua"), &[&self.names.stream]);
        script.arg(&self.names.group).arg(&self.names.consumer).arg(entries);
        self.link.attempt(|connection| script.exec(connection))
    }

    /// Leaves entries that were not begun to others, who need not wait for them to be old.
    pub(super) fn give_back<'a>(
        &mut self,
        entries: impl Iterator<Item = &'a Entry>,
    ) -> Result<(), LinkError> {
        let mut script = script(include_str!("scripts/give_back.lua"), &[&self.names.stream]);
        script.arg(&self.names.group).arg(&self.names.consumer).arg(NOBODY).arg(millis(GIVEN_BACK));
        for entry in entries {
            script.arg(&entry.id).arg(entry.deliveries - 1);
        }
        self.link.ask(|connection| script.exec(connection))
    }

    /// Takes this worker's name off the group, unless entries are left under it. Asks once.
    pub(super) fn leave(&mut self) -> RedisResult<()> {
        let mut script = script(include_str!("scripts/leave.lua"), &[&self.names.stream]);
        script.arg(&self.names.group).arg(&self.names.consumer);
        self.link.attempt(|connection| script.exec(connection))
    }
}

fn script(text: &str, keys: &[&String]) -> Cmd {
    let mut script = redis::cmd("EVAL");
    script.arg(text).arg(keys.len()).arg(keys);
    script
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What a script tells of entries.
fn entries(script: &Cmd, connection: &mut Connection) -> RedisResult<Vec<Entry>> {
    let told: Vec<(String, u64, i64, Vec<u8>)> = script.query(connection)?;
    let entry = |(id, deliveries, bytes, job): (String, u64, i64, Vec<u8>)| {
        let job = match usize::try_from(bytes) {
            Err(_) => Content::None,
            Ok(bytes) if bytes > MAX_BYTES => Content::TooLong,
            Ok(_) => Content::Job(job),
        };
        Entry { id, deliveries, job }
    };
    Ok(told.into_iter().map(entry).collect())
}
