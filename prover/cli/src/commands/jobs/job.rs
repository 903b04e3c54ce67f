//! What is asked for: an object of JSON.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::path::PathBuf;

/// Bytes that a job may have.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// A proof that is wanted.
pub(crate) struct Job {
    /// Whatever the client calls it.
    pub(crate) id: Value,
    pub(crate) zkey: PathBuf,
    pub(crate) witness: PathBuf,
    /// Where the proof goes, if not into the answer.
    pub(crate) proof: Option<PathBuf>,
    /// Where the public inputs go, if not into the answer.
    pub(crate) public: Option<PathBuf>,
}

/// The members of a job.
const MEMBERS: [&str; 5] = ["id", "zkey", "witness", "proof", "public"];

/// Bytes that an id may have, which is kept, echoed and logged.
const MAX_ID: usize = 1024;

/// Bytes that a path may have: what Linux takes.
const MAX_PATH: usize = 4096;

impl Job {
    /// Reads a job; the error comes with its id, if that was read before.
    ///
    /// Nothing but its members is kept, each of bounded length; the first that is none ends the
    /// reading.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, (Value, String)> {
        let mut found = Found::default();
        let mut deserializer = serde_json::Deserializer::from_slice(line);
        let read = deserializer.deserialize_map(&mut found).and_then(|()| deserializer.end());
        let id = found.id.take();
        if let Err(error) = read {
            return Err((id.unwrap_or_default(), format!("not a job: {error}")));
        }
        let id = id.ok_or_else(|| (Value::Null, "id is missing".to_owned()))?;
        let [zkey, witness, proof, public] = found.paths;
        match (zkey, witness) {
            (Some(zkey), Some(witness)) => Ok(Self { id, zkey, witness, proof, public }),
            (None, _) => Err((id, "zkey is missing".into())),
            (_, None) => Err((id, "witness is missing".into())),
        }
    }
}

/// What was read of a job.
#[derive(Default)]
struct Found {
    id: Option<Value>,
    /// Those of the members that follow the id.
    paths: [Option<PathBuf>; MEMBERS.len() - 1],
}

impl<'de> Visitor<'de> for &mut Found {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let twice = |name: &str| A::Error::custom(format_args!("member {name:?} is given twice"));
        while let Some(member) = access.next_key_seed(Member)? {
            let name = MEMBERS[member];
            match member.checked_sub(1) {
                None => {
                    // Which of the two is meant is not known.
                    if self.id.take().is_some() {
                        return Err(twice(name));
                    }
                    self.id = Some(access.next_value_seed(Id)?);
                }
                Some(i) if self.paths[i].is_some() => return Err(twice(name)),
                Some(i) => self.paths[i] = Some(access.next_value_seed(File(name))?),
            }
        }
        Ok(())
    }
}

/// The number of a member.
struct Member;

impl<'de> DeserializeSeed<'de> for Member {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Member {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        MEMBERS.iter().position(|known| *known == name).ok_or_else(|| {
            let name = name.chars().take(64).collect::<String>();
            E::custom(format_args!("unknown member {name:?}, expected one of {}", MEMBERS.join(", ")))
        })
    }
}

/// An id is echoed, and so must be what a number of JSON can be without a loss.
struct Id;

impl<'de> DeserializeSeed<'de> for Id {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Id {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id that is a string or an integer of 64 bits")
    }

    fn visit_i64<E: Error>(self, id: i64) -> Result<Value, E> {
        Ok(id.into())
    }

    fn visit_u64<E: Error>(self, id: u64) -> Result<Value, E> {
        Ok(id.into())
    }

    fn visit_str<E: Error>(self, id: &str) -> Result<Value, E> {
        if id.len() > MAX_ID {
            return Err(E::custom(format_args!("id has {} bytes, more than {MAX_ID}", id.len())));
        }
        Ok(id.into())
    }
}

/// The path that a member of this name has.
struct File(&'static str);

impl<'de> DeserializeSeed<'de> for File {
    type Value = PathBuf;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<PathBuf, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for File {
    type Value = PathBuf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string: {} is not a path", self.0)
    }

    fn visit_str<E: Error>(self, path: &str) -> Result<PathBuf, E> {
        match path.len() {
            0 => Err(E::custom(format_args!("{} is not a path", self.0))),
            len if len > MAX_PATH => {
                Err(E::custom(format_args!("{} has {len} bytes, more than {MAX_PATH}", self.0)))
            }
            _ => Ok(path.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> (Value, String) {
        Job::parse(line.as_bytes()).err().unwrap()
    }

    #[test]
    fn a_job_is_what_it_says() {
        let line = br#"{"witness":"w","id":18446744073709551615,"public":"a\u0062","zkey":"k"}"#;
        let job = Job::parse(line).ok().unwrap();
        assert_eq!(job.id, Value::from(u64::MAX));
        assert_eq!((job.zkey, job.witness), ("k".into(), "w".into()));
        assert_eq!((job.proof, job.public), (None, Some("ab".into())));
    }

    /// Of a crowded line nothing is read after the first member that is none, or the first value of
    /// another type.
    #[test]
    fn hostile_lines_end_where_they_are_wrong() {
        let crowd = r#"{"":0},"#.repeat(MAX_BYTES / 7);
        for (line, message) in [
            (format!(r#"{{"id":1,"":[{crowd}0]}}"#), "unknown member \"\""),
            (
                format!(r#"{{"zkey":[{crowd}0]}}"#),
                "invalid type: sequence, expected a string: zkey is not a path",
            ),
            (format!(r#"{{"id":[{crowd}0]}}"#), "invalid type: sequence, expected an id that is a string or"),
            (format!(r#"{{"id":{}"#, "[".repeat(MAX_BYTES)), "invalid type: sequence"),
            (format!("[{crowd}0]"), "invalid type: sequence, expected an object"),
        ] {
            let (_, error) = error(&line);
            let column: usize = error.rsplit(' ').next().unwrap().parse().unwrap();
            assert!(error.starts_with(&format!("not a job: {message}")), "{error}");
            assert!(column < 16, "{error}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let long = "x".repeat(MAX_PATH + 1);
        let (id, text) = error(&format!(r#"{{"id":7,"zkey":"{long}"}}"#));
        assert_eq!(id, 7);
        assert!(text.contains("zkey has 4097 bytes, more than 4096"), "{text}");
        let (id, text) = error(&format!(r#"{{"id":"{long}"}}"#));
        assert_eq!(id, Value::Null);
        assert!(text.contains("id has 4097 bytes, more than 1024"), "{text}");
        let (id, text) = error(&format!(r#"{{"id":7,"{long}":0}}"#));
        assert_eq!(id, 7);
        assert!(text.len() < 300, "{text}");
    }
}
