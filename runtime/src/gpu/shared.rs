//! Tables that plans of one device share.

use crate::error::Result;
use crate::owner::Owner;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What a table is of: a field, by its name and where its kernels are; numbers, by which kinds of table
/// differ; and a root in device form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    field: &'static str,
    images: usize,
    numbers: Vec<u64>,
    root: Vec<u8>,
}

impl Key {
    pub(crate) fn new(field: &Owner, numbers: Vec<u64>, root: Vec<u8>) -> Self {
        Key { field: field.name, images: field.images.as_ptr().addr(), numbers, root }
    }
}

/// Values that their users own: the last one frees them.
#[derive(Debug, Default)]
pub(crate) struct SharedTables {
    known: Mutex<HashMap<Key, Weak<dyn Any + Send + Sync>>>,
}

impl SharedTables {
    /// The value of a key if somebody has it, else the one that is made now, complete on the device when
    /// `make` returns. No lock is held meanwhile: of two that are made at once the second to come is dropped.
    pub(crate) fn get<T: Any + Send + Sync>(
        &self,
        key: Key,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        if let Some(value) = find(&self.lock(), &key) {
            return Ok(value);
        }
        let made = Arc::new(make()?);
        let mut known = self.lock();
        if let Some(value) = find(&known, &key) {
            return Ok(value);
        }
        known.retain(|_, value| value.strong_count() > 0);
        let value: Arc<dyn Any + Send + Sync> = Arc::clone(&made) as _;
        known.insert(key, Arc::downgrade(&value));
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Weak<dyn Any + Send + Sync>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find<T: Any + Send + Sync>(
    known: &HashMap<Key, Weak<dyn Any + Send + Sync>>,
    key: &Key,
) -> Option<Arc<T>> {
    known.get(key)?.upgrade()?.downcast().ok()
}
