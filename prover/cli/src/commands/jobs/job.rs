//! What is asked for: an object of JSON.

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use std::path::PathBuf;
use std::{fmt, mem};

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

impl Job {
    /// Reads a job; the error comes with its id, if that could be read.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, (Value, String)> {
        let mut deserializer = serde_json::Deserializer::from_slice(line);
        let members =
            deserializer.deserialize_map(Members).and_then(|members| deserializer.end().map(|()| members));
        let mut members = members.map_err(|error| (Value::Null, format!("not a job: {error}")))?;
        let mut id = Value::Null;
        let known = ["id", "zkey", "witness", "proof", "public"];
        let mut values = known.map(|name| {
            let at = members.iter().position(|(found, _)| found == name)?;
            Some(members.swap_remove(at).1)
        });
        check_id(values[0].take(), &mut id).map_err(|error| (Value::Null, error))?;
        if let Some((name, _)) = members.first() {
            let name = name.chars().take(64).collect::<String>();
            return Err((id, format!("unknown member {name:?}, expected one of {}", known.join(", "))));
        }
        let mut path = |i: usize| match values[i].take() {
            None => Ok(None),
            Some(Value::String(text)) if !text.is_empty() => Ok(Some(PathBuf::from(text))),
            Some(_) => Err((id.clone(), format!("{} is not a path", known[i]))),
        };
        let required = |path: Option<PathBuf>, i: usize| {
            path.ok_or_else(|| (id.clone(), format!("{} is missing", known[i])))
        };
        let (zkey, witness, proof, public) = (path(1)?, path(2)?, path(3)?, path(4)?);
        let (zkey, witness) = (required(zkey, 1)?, required(witness, 2)?);
        Ok(Self { id: mem::take(&mut id), zkey, witness, proof, public })
    }
}

/// An id is echoed, and so must be what a number of JSON can be without a loss.
fn check_id(found: Option<Value>, id: &mut Value) -> Result<(), String> {
    match found {
        None => Err("id is missing".into()),
        Some(found) if found.is_string() || found.is_i64() || found.is_u64() => {
            *id = found;
            Ok(())
        }
        Some(_) => Err("id is neither a string nor an integer of 64 bits".into()),
    }
}

/// The members of an object in their order, no name twice.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        /// More than a job has; bounds the comparisons.
        const LIMIT: usize = 16;
        let mut members: Self::Value = Vec::new();
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if members.len() == LIMIT {
                return Err(A::Error::custom("too many members"));
            }
            if members.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom(format_args!("member {name:?} is given twice")));
            }
            members.push((name, value));
        }
        Ok(members)
    }
}
