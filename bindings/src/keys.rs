//! Keys that were used lately, found by their content.
//!
//! rapidsnark's and snarkjs' interfaces hand the whole key over for every proof. To read one and bring it to
//! a GPU takes longer than the proof; to hash it does not.

use crate::error::{Error, ErrorKind, Result};
use crate::key::{Key, Source};
use curvesmith::{Device, KeyOptions};
use rayon::prelude::*;
use std::fs::{File, Metadata};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The environment variable that says how many keys [`Keys::of_process`] keeps; 4 where it is not set, none
/// for 0.
pub const KEYS: &str = "CURVESMITH_KEYS";

/// Keys kept where [`KEYS`] does not say how many.
const MOST: usize = 4;

/// Keys by content and device, the most recently used ones.
#[derive(Debug)]
pub struct Keys {
    most: usize,
    /// The one that was used last at the end.
    kept: Mutex<Vec<Kept>>,
}

/// A key of this content for this device, which may be loading: whoever holds the lock loads it.
#[derive(Clone, Debug)]
struct Kept {
    content: blake3::Hash,
    device: String,
    key: Arc<Mutex<Option<Arc<Key>>>>,
}

impl Keys {
    /// A store of at most so many keys.
    pub const fn new(most: usize) -> Self {
        Self { most, kept: Mutex::new(Vec::new()) }
    }

    /// That of the process, for calls that have no store of their own. [`KEYS`] is read once.
    ///
    /// Errors: [`ErrorKind::Input`] if [`KEYS`] is no number.
    pub fn of_process() -> Result<&'static Keys> {
        static KEPT: std::sync::OnceLock<Result<Keys>> = std::sync::OnceLock::new();
        let made = KEPT.get_or_init(|| {
            let most = match std::env::var_os(KEYS) {
                None => MOST,
                Some(text) => text.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
                    Error::input(format_args!("{KEYS} is {text:?}, expected a number of keys"))
                })?,
            };
            Ok(Keys::new(most))
        });
        made.as_ref().map_err(Clone::clone)
    }

    /// The key of this content, loaded if it is not there. It has no [multiples](KeyOptions::multiples): who
    /// proves often holds a [`Key`]. Where the device has no room, all others are dropped, and loading is
    /// tried once more. One that is in use lives until its call ends.
    pub fn get(&self, source: Source<'_>, device: &Device) -> Result<Arc<Key>> {
        let options = KeyOptions::default().multiples(false);
        let content = hash(source)?;
        let kept = self.find(content, &device.name());
        let mut key = kept.key.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = &*key {
            return Ok(Arc::clone(key));
        }
        let load = || unchanged(source, content, || Key::load(source, device, &options));
        let loaded = match load() {
            Err(error) if error.kind == ErrorKind::DeviceMemory && self.drop_others(&kept) => load(),
            loaded => loaded,
        };
        let loaded = loaded.map(Arc::new).inspect_err(|_| self.lock().retain(|other| !other.is(&kept)))?;
        *key = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    /// How many there are, those that are loading included.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops all of them. A key that is in use lives until its call ends.
    pub fn clear(&self) {
        let dropped = std::mem::take(&mut *self.lock());
        drop(dropped);
    }

    /// The entry of this content, a new one if there is none, as the one that was used last.
    fn find(&self, content: blake3::Hash, device: &str) -> Kept {
        let mut kept = self.lock();
        let at = kept.iter().position(|other| other.content == content && other.device == device);
        let found = match at {
            Some(at) => kept.remove(at),
            None => Kept { content, device: device.to_owned(), key: Arc::default() },
        };
        kept.push(found.clone());
        let surplus = kept.len().saturating_sub(self.most);
        let dropped: Vec<Kept> = kept.drain(..surplus).collect();
        // Keys are dropped when others can be found again.
        drop(kept);
        drop(dropped);
        found
    }

    /// Drops the keys but this one. Whether there were others.
    fn drop_others(&self, one: &Kept) -> bool {
        let mut kept = self.lock();
        let (own, others): (Vec<_>, Vec<_>) = kept.drain(..).partition(|other| other.is(one));
        *kept = own;
        drop(kept);
        !others.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn is(&self, other: &Kept) -> bool {
        Arc::ptr_eq(&self.key, &other.key)
    }
}

/// Bytes of a part of a key, which one core hashes.
const PART: usize = 1 << 20;

/// What tells the content of a key: BLAKE3 of the hashes of its parts, which are hashed on all cores.
fn hash(source: Source<'_>) -> Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    match source {
        Source::Bytes(bytes) => update(&mut hasher, bytes),
        Source::File(path) => hash_file(path, &mut hasher)?,
    }
    Ok(hasher.finalize())
}

/// Only the last call may have a length that is no multiple of [`PART`].
fn update(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    let parts: Vec<blake3::Hash> = bytes.par_chunks(PART).map(blake3::hash).collect();
    for part in parts {
        hasher.update(part.as_bytes());
    }
}

fn hash_file(path: &Path, hasher: &mut blake3::Hasher) -> Result<()> {
    use std::io::Read;
    const BLOCK: u64 = 16 * PART as u64;
    let failed = |error: std::io::Error| {
        Error::new(crate::error::of_io(&error), format_args!("{}: {error}", path.display()))
    };
    // What is no file of a key has an end, too, or is refused here.
    let meta = std::fs::metadata(path).map_err(failed)?;
    if !meta.is_file() {
        return Err(Error::input(format_args!("{}: not a regular file", path.display())));
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut block = Vec::new();
    loop {
        block.clear();
        let read = (&mut file).take(BLOCK).read_to_end(&mut block).map_err(failed)?;
        update(hasher, &block);
        if (read as u64) < BLOCK {
            return Ok(());
        }
    }
}

/// The result of `load`, if the file was not written to since it was hashed, nor another one given its name.
fn unchanged(source: Source<'_>, content: blake3::Hash, load: impl FnOnce() -> Result<Key>) -> Result<Key> {
    let Source::File(path) = source else { return load() };
    let before = state(path)?;
    let key = load()?;
    let after = state(path)?;
    // Times are coarse: the content decides.
    if before == after && hash(source)? == content {
        return Ok(key);
    }
    Err(Error::new(ErrorKind::Internal, format_args!("{}: changed while it was read", path.display())))
}

fn state(path: &Path) -> Result<(u64, Option<SystemTime>)> {
    let of = |meta: Metadata| (meta.len(), meta.modified().ok());
    std::fs::metadata(path)
        .map(of)
        .map_err(|error| Error::new(crate::error::of_io(&error), format_args!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_hash_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        let mut bytes: Vec<u8> = (0..16 * PART + 1).map(|i| (i % 251) as u8).collect();
        let mut before = None;
        for len in [0, 1, PART, 16 * PART, 16 * PART + 1] {
            std::fs::write(&path, &bytes[..len]).unwrap();
            let found = hash(Source::File(&path)).unwrap();
            assert_eq!(found, hash(Source::Bytes(&bytes[..len])).unwrap(), "{len}");
            assert_ne!(before.replace(found), Some(found), "{len}");
        }
        bytes[16 * PART] ^= 1;
        assert_ne!(before, Some(hash(Source::Bytes(&bytes)).unwrap()));
    }
}
