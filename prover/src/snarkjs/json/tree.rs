//! JSON text as a tree that borrows from it.
//!
//! `serde_json::Value` takes up to forty times the text's size, so that a file of a few
//! megabytes can exhaust the memory. Here strings are borrowed, a node has 32 bytes, and there is
//! one node at most to four bytes of text: the tree takes about ten times the text at worst, and
//! as much again as the text of a real key.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

/// A JSON value.
#[derive(Debug)]
pub(super) enum Tree<'a> {
    Null,
    Bool,
    /// A number, if it is one of 64 bits without sign, and any other.
    Number(Option<u64>),
    Text(Cow<'a, str>),
    Array(Vec<Tree<'a>>),
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
}

/// Nodes that any text may have.
const SMALL: usize = 1024;

/// Text per node in larger ones: the shortest number and its comma, `"0",`, have four bytes.
const BYTES_PER_NODE: usize = 4;

impl<'a> Tree<'a> {
    /// Parses a whole text.
    pub(super) fn parse(text: &'a [u8]) -> Result<Self, serde_json::Error> {
        let nodes_left = Cell::new(SMALL + text.len() / BYTES_PER_NODE);
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let tree = Builder { nodes_left: &nodes_left }.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(tree)
    }
}

/// Builds one value; all of a tree share their count.
#[derive(Clone, Copy)]
struct Builder<'c> {
    nodes_left: &'c Cell<usize>,
}

impl Builder<'_> {
    fn count<E: Error>(self, nodes: usize) -> Result<(), E> {
        let left = self.nodes_left.get().checked_sub(nodes);
        self.nodes_left.set(left.ok_or_else(|| E::custom("too many values for the size of the file"))?);
        Ok(())
    }
}

/// As `Vec::push`, with at most a quarter of room to spare.
fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        items.reserve_exact(1 + items.len() / 4);
    }
    items.push(item);
}

impl<'de> DeserializeSeed<'de> for Builder<'_> {
    type Value = Tree<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.count(1)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Builder<'_> {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Tree::Bool)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Tree::Number(Some(value)))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Tree::Number(None))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Tree::Number(None))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Tree::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Tree::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            push(&mut items, item);
        }
        Ok(Tree::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = access.next_key_seed(Key)? {
            self.count(1)?;
            push(&mut members, (key, access.next_value_seed(self)?));
        }
        Ok(Tree::Object(members))
    }
}

/// A member's name, borrowed where it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small_and_few() {
        assert_eq!(size_of::<Tree<'_>>(), 32);
        let array = |item: &str, n: usize| format!("[{}{item}]", format!("{item},").repeat(n));
        Tree::parse(array("\"0\"", 1 << 16).as_bytes()).unwrap();
        Tree::parse(array("0", 1000).as_bytes()).unwrap();
        for item in ["0", "[]", "{}", "[0]", "{\"\":0}"] {
            let error = Tree::parse(array(item, 1 << 16).as_bytes()).unwrap_err();
            assert!(error.to_string().starts_with("too many values"), "{item}: {error}");
        }
    }

    #[test]
    fn values_are_read_as_written() {
        let tree = Tree::parse(br#" {"a": [null, true, 7, -7, 1.5, "b\u0063"], "a": {}} "#).unwrap();
        let Tree::Object(members) = &tree else { panic!("{tree:?}") };
        assert_eq!(
            format!("{members:?}"),
            r#"[("a", Array([Null, Bool, Number(Some(7)), Number(None), Number(None), Text("bc")])), ("a", Object([]))]"#
        );
        for text in ["", "[", "1 2", "{1:2}", "nul", "\"\u{1}\""] {
            assert!(Tree::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
