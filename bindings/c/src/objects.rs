//! What callers hold: numbers of a table.

use curvesmith_bindings::{Cancel, Error, Key, Msm, Ntt, Result};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// An object of a caller.
#[derive(Clone)]
pub(crate) enum Object {
    Key(Arc<Key>),
    Msm(Arc<Msm>),
    Ntt(Arc<Ntt>),
    Cancel(Cancel),
}

/// Those that there are. Numbers are drawn, so that those of another library, or of another version of this
/// one, are unknown here, and one that was freed stays so.
struct Table {
    random: RandomState,
    objects: HashMap<usize, Object>,
    made: u64,
}

static TABLE: LazyLock<Mutex<Table>> =
    LazyLock::new(|| Mutex::new(Table { random: RandomState::new(), objects: HashMap::new(), made: 0 }));

fn with<T>(work: impl FnOnce(&mut Table) -> T) -> T {
    work(&mut TABLE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Takes an object in, for a number other than 0.
pub(crate) fn insert(object: Object) -> usize {
    with(|table| {
        loop {
            table.made += 1;
            let number = table.random.hash_one(table.made) as usize;
            if number != 0 && !table.objects.contains_key(&number) {
                table.objects.insert(number, object);
                return number;
            }
        }
    })
}

/// Takes an object out, which lives until its last call ends. Whether it was there.
pub(crate) fn remove(number: usize) -> bool {
    // It is dropped when the table is free again.
    with(|table| table.objects.remove(&number)).is_some()
}

/// The object of a number, of the kind that `take` takes.
pub(crate) fn get<T>(what: &str, number: usize, take: impl FnOnce(Object) -> Option<T>) -> Result<T> {
    let object = with(|table| table.objects.get(&number).cloned());
    let unknown = || Error::input(format_args!("{what} {number:#x} is none of this library's, or was freed"));
    take(object.ok_or_else(unknown)?)
        .ok_or_else(|| Error::input(format_args!("{what} {number:#x} is an object of another kind")))
}

/// The key of a number.
pub(crate) fn key(number: usize) -> Result<Arc<Key>> {
    get("key", number, |object| if let Object::Key(key) = object { Some(key) } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_are_refused() {
        let number = insert(Object::Cancel(Cancel::default()));
        let cancel =
            |number| get("cancel", number, |object| matches!(object, Object::Cancel(_)).then_some(()));
        assert!(cancel(number).is_ok());
        assert!(key(number).unwrap_err().message.ends_with("is an object of another kind"));
        assert!(remove(number));
        assert!(!remove(number));
        for number in [number, 0, 1, usize::MAX] {
            assert!(cancel(number).unwrap_err().message.ends_with("is none of this library's, or was freed"));
        }
    }
}
