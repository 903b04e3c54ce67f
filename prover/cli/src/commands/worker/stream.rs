//! The stream of jobs and what is kept beside it, as commands to Redis.
//!
//! What has to be done whole or not at all is a script: Redis runs nothing else meanwhile.

use super::link::{Link, LinkError};
use redis::{Cmd, ErrorKind, RedisError, RedisResult, Value};
use std::time::Duration;

/// Longest wait for jobs in one request, and so for a signal to be noticed.
const WAIT: Duration = Duration::from_millis(500);

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
    /// Its field `job`.
    pub(super) job: Option<Vec<u8>>,
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
        let Names { stream, group, consumer } = &self.names;
        let mut read = redis::cmd("XREADGROUP");
        read.arg("GROUP").arg(group).arg(consumer).arg("COUNT").arg(limit);
        read.arg("BLOCK").arg(millis(WAIT)).arg("STREAMS").arg(stream).arg(">");
        let entries = self.link.ask_before_end(|connection| match read.query(connection)? {
            Value::Nil => Ok(Vec::new()),
            streams => new_entries(streams),
        })?;
        Ok(entries.unwrap_or_default())
    }

    /// Takes over an entry whose worker has not been heard of for `age`.
    pub(super) fn claim(&mut self, age: Duration) -> Result<Option<Entry>, LinkError> {
        let Names { stream, group, consumer } = &self.names;
        let mut pending = redis::cmd("XPENDING");
        pending.arg(stream).arg(group).arg("IDLE").arg(millis(age)).arg("-").arg("+").arg(1);
        let taken = self.link.ask_before_end(|connection| {
            loop {
                let old: Vec<(String, Value, u64, u64)> = pending.query(connection)?;
                let Some((id, _, _, deliveries)) = old.into_iter().next() else { return Ok(None) };
                let mut claim = redis::cmd("XCLAIM");
                claim.arg(stream).arg(group).arg(consumer).arg(millis(age)).arg(&id);
                match array(claim.query(connection)?)?.pop() {
                    // Another worker was faster, or the entry is no more, which Redis 7 forgets here.
                    None => {}
                    Some(value) => match entry(value, deliveries + 1)? {
                        Some(entry) => return Ok(Some(entry)),
                        None => redis::cmd("XACK").arg(stream).arg(group).arg(&id).exec(connection)?,
                    },
                }
            }
        })?;
        Ok(taken.flatten())
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

/// The entries of the one stream that was read.
fn new_entries(streams: Value) -> RedisResult<Vec<Entry>> {
    let [_, entries] = pair(array(streams)?.pop().unwrap_or_default())?;
    array(entries)?.into_iter().filter_map(|value| entry(value, 1).transpose()).collect()
}

/// An entry with its fields, `None` if it is no more. Names and values may be any bytes; of several fields `job` the first counts.
fn entry(value: Value, deliveries: u64) -> RedisResult<Option<Entry>> {
    if value == Value::Nil {
        return Ok(None);
    }
    let [id, fields] = pair(value)?;
    let mut job = None;
    if fields != Value::Nil {
        let mut fields = array(fields)?.into_iter();
        while let (Some(name), Some(value)) = (fields.next(), fields.next()) {
            if matches!(name, Value::BulkString(name) if name == b"job") {
                let Value::BulkString(value) = value else { return Err(unexpected()) };
                job = Some(value);
                break;
            }
        }
    }
    Ok(Some(Entry { id: redis::from_redis_value(id)?, deliveries, job }))
}

fn pair(value: Value) -> RedisResult<[Value; 2]> {
    array(value)?.try_into().map_err(|_| unexpected())
}

fn array(value: Value) -> RedisResult<Vec<Value>> {
    match value {
        Value::Array(values) => Ok(values),
        _ => Err(unexpected()),
    }
}

fn unexpected() -> RedisError {
    (ErrorKind::UnexpectedReturnType, "an answer of another form than Redis gives").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Value {
        Value::BulkString(bytes.to_vec())
    }

    #[test]
    fn entries_may_have_fields_of_any_bytes() {
        let fields = [&b"\xff"[..], b"\xfe", b"job", b"one", b"job", b"two"].map(text);
        let value = Value::Array(vec![text(b"5-0"), Value::Array(fields.into())]);
        let found = entry(value, 2).unwrap().unwrap();
        assert_eq!((&*found.id, found.deliveries, found.job), ("5-0", 2, Some(b"one".to_vec())));
        let bare = Value::Array(vec![text(b"5-1"), Value::Array(Vec::new())]);
        assert_eq!(entry(bare, 1).unwrap().unwrap().job, None);
        assert!(entry(Value::Nil, 1).unwrap().is_none());
        for wrong in
            [Value::Int(1), Value::Array(Vec::new()), Value::Array(vec![text(b"5-1"), Value::Int(1)])]
        {
            assert!(entry(wrong, 1).is_err());
        }
    }
}
