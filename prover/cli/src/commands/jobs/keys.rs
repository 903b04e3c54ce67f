//! Keys that were made ready on the device, the most recently used ones. Any number of threads proves with
//! them.

use super::Host;
use super::memory::Held;
use super::prover::{Prover, Unready};
use crate::failure::{DeviceFault, Failure};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Takes host memory for a key of so many bytes, for which others make room.
pub(super) type Room<'a> = dyn Fn(u64) -> Result<Held, Failure> + 'a;

type Read = dyn Fn(&Path, &Room<'_>) -> Result<Unready, Failure> + Send + Sync;

pub(crate) struct Keys {
    device: Arc<str>,
    read: Box<Read>,
    limit: usize,
    host: Host,
    /// The one that was used last at the end. Whoever uses a key has it too.
    kept: Mutex<Vec<Arc<Kept>>>,
    /// A key is no longer used.
    returned: Condvar,
    /// Whoever changes which keys there are, one at a time: others are used meanwhile.
    changing: Mutex<()>,
}

struct Kept {
    path: PathBuf,
    _file: KeyFile,
    state: FileState,
    prover: Box<dyn Prover>,
}

/// A use of a key.
struct Use<'a> {
    keys: &'a Keys,
    /// Until it ends.
    key: Option<Arc<Kept>>,
}

impl Use<'_> {
    fn prover(&self) -> Result<&dyn Prover, Failure> {
        let key = self.key.as_ref().ok_or_else(|| Failure::Internal("a use that has ended".into()))?;
        Ok(&*key.prover)
    }
}

impl Drop for Use<'_> {
    fn drop(&mut self) {
        let _kept = self.keys.lock_kept();
        self.key = None;
        self.keys.returned.notify_all();
    }
}

impl Keys {
    /// Keeps at most `limit` keys of those that `read` reads for the device of this name.
    pub(super) fn new(
        device: String,
        read: impl Fn(&Path, &Room<'_>) -> Result<Unready, Failure> + Send + Sync + 'static,
        limit: usize,
        host: Host,
    ) -> Self {
        let (kept, returned, changing) = (Mutex::default(), Condvar::default(), Mutex::default());
        Self { device: device.into(), read: Box::new(read), limit, host, kept, returned, changing }
    }

    /// Name of the device.
    pub(super) fn device(&self) -> Arc<str> {
        self.device.clone()
    }

    /// Files of the keys that any device has.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.host.files.lock().clone()
    }

    /// Has `work` use the key of this file, when it is on the device. A file that has changed is read again;
    /// the key of one that is gone goes, too.
    pub(super) fn with<T>(&self, path: &Path, work: impl FnOnce(&dyn Prover) -> T) -> Result<T, Failure> {
        let state = FileState::of(path).inspect_err(|_| self.forget(path))?;
        let key = match self.find(path, &state) {
            Some(key) => key,
            None => {
                let _changing = self.lock_changing();
                match self.find(path, &state) {
                    Some(key) => key,
                    None => self.keep(self.load(path, &state)?),
                }
            }
        };
        Ok(work(key.prover()?))
    }

    /// As [`Keys::with`], with no other key on the device, and no other proof.
    pub(super) fn with_alone<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&dyn Prover) -> T,
    ) -> Result<T, Failure> {
        let state = FileState::of(path)?;
        let _changing = self.lock_changing();
        let mut key = None;
        for kept in self.take(|_| true) {
            let is_it = kept.path == path && kept.state == state;
            key = key.or(is_it.then_some(kept));
        }
        let key = match key {
            Some(key) => key,
            None => self.load(path, &state)?,
        };
        // Until it is kept, nobody else finds it.
        let done = work(&*key.prover);
        self.keep(key);
        Ok(done)
    }

    /// Drops the key of this file when nobody uses it.
    pub(super) fn forget(&self, path: &Path) {
        let _changing = self.lock_changing();
        self.take(|kept| kept.path == path);
    }

    /// The key of a file in this state, as the one used last.
    fn find(&self, path: &Path, state: &FileState) -> Option<Use<'_>> {
        let mut kept = self.lock_kept();
        let found = kept.iter().position(|kept| kept.path == path && kept.state == *state)?;
        kept[found..].rotate_left(1);
        kept.last().map(|key| Use { keys: self, key: Some(key.clone()) })
    }

    /// From now on others find it.
    fn keep(&self, key: Kept) -> Use<'_> {
        let key = Arc::new(key);
        self.lock_kept().push(key.clone());
        Use { keys: self, key: Some(key) }
    }

    /// The key of this file. Others make room before it is on the device, and where there is no
    /// room for it. A file that changes while it is read, as by a rename over it, is read once more
    /// when it has settled. Only for whoever holds `changing`.
    fn load(&self, path: &Path, state: &FileState) -> Result<Kept, Failure> {
        self.take(|kept| kept.path == path);
        let read = self.load_once(path);
        if FileState::of(path)? == *state {
            return Ok(self.kept(path, state.clone(), read?));
        }
        // Neither a key nor an error means anything, and there may be no room for two.
        drop(read);
        let state = FileState::settled(path)?;
        let read = self.load_once(path);
        if FileState::of(path)? == state {
            return Ok(self.kept(path, state, read?));
        }
        Err(changing(path))
    }

    fn kept(&self, path: &Path, state: FileState, prover: Box<dyn Prover>) -> Kept {
        Kept { path: path.to_owned(), _file: self.host.files.add(path), state, prover }
    }

    fn load_once(&self, path: &Path) -> Result<Box<dyn Prover>, Failure> {
        let room = |bytes| self.host.memory.for_key(bytes, || self.drop_oldest());
        loop {
            let unready = (self.read)(path, &room)?;
            while self.lock_kept().len() >= self.limit {
                self.drop_oldest();
            }
            match unready() {
                Err(failure) if is_memory(&failure) && self.drop_oldest() => {}
                prover => return prover,
            }
        }
    }

    /// Drops the key that was not used for longest. Whether there was one.
    fn drop_oldest(&self) -> bool {
        let mut first = true;
        !self.take(|_| std::mem::take(&mut first)).is_empty()
    }

    /// These keys, which nobody finds any more, when nobody uses them any more.
    fn take(&self, mut is_taken: impl FnMut(&Kept) -> bool) -> Vec<Kept> {
        let mut kept = self.lock_kept();
        let (taken, left) = std::mem::take(&mut *kept).into_iter().partition(|key| is_taken(key));
        *kept = left;
        let (mut free, mut used): (_, Vec<Arc<Kept>>) = (Vec::new(), taken);
        loop {
            let still = std::mem::take(&mut used).into_iter().map(Arc::try_unwrap);
            still.for_each(|key| match key {
                Ok(key) => free.push(key),
                Err(key) => used.push(key),
            });
            if used.is_empty() {
                return free;
            }
            kept = self.returned.wait(kept).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock_changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_kept(&self) -> MutexGuard<'_, Vec<Arc<Kept>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Files of keys that are kept, one for each time.
#[derive(Clone, Default)]
pub(super) struct KeyFiles(Arc<Mutex<Vec<PathBuf>>>);

/// One of them, until this is dropped.
struct KeyFile {
    files: KeyFiles,
    path: PathBuf,
}

impl KeyFiles {
    fn add(&self, path: &Path) -> KeyFile {
        self.lock().push(path.to_owned());
        KeyFile { files: self.clone(), path: path.to_owned() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        let mut files = self.files.lock();
        if let Some(at) = files.iter().position(|path| *path == self.path) {
            files.swap_remove(at);
        }
    }
}

/// Whether it is for want of the device's memory.
pub(super) fn is_memory(failure: &Failure) -> bool {
    matches!(failure, Failure::Device(DeviceFault::Memory, _))
}

/// What tells that a file is another one, or was written since.
#[derive(Clone, PartialEq, Eq)]
struct FileState {
    #[cfg(unix)]
    inode: (u64, u64),
    size: u64,
    modified: std::time::SystemTime,
}

/// Between two looks at a file that must find it unchanged.
const LOOKS: Duration = Duration::from_millis(50);

/// Looks at a file that does not settle, some ten seconds.
const MOST_LOOKS: u32 = 200;

/// Tried again: the file is not at fault, but the time.
fn changing(path: &Path) -> Failure {
    Failure::Internal(format!(
        "{}: changed again while it was read; rename a whole file over it",
        path.display()
    ))
}

impl FileState {
    /// That of a file that nobody writes to or replaces for a while.
    fn settled(path: &Path) -> Result<Self, Failure> {
        let mut last = Self::of(path)?;
        for _ in 0..MOST_LOOKS {
            std::thread::sleep(LOOKS);
            let state = Self::of(path)?;
            if state == last {
                return Ok(state);
            }
            last = state;
        }
        Err(changing(path))
    }

    fn of(path: &Path) -> Result<Self, Failure> {
        let of = |meta: Metadata| {
            Ok(Self {
                #[cfg(unix)]
                inode: {
                    use std::os::unix::fs::MetadataExt;
                    (meta.dev(), meta.ino())
                },
                size: meta.len(),
                modified: meta.modified()?,
            })
        };
        let state = std::fs::metadata(path).and_then(of);
        state.map_err(|error| Failure::of_io(&error, format!("{}: {error}", path.display())))
    }
}

#[cfg(test)]
mod tests;
