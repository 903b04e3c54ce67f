//! Temporary files, and a service's socket, that a signal removes.
//!
//! A thread waits for the signals that end a process. It removes what is registered here and
//! exits with 128 + the signal's number, as a shell reports it; a service finishes its work at the
//! first of them ([`on_first_signal`]). `SIGKILL` cannot be waited for.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Files that are there now. The lock is held while one is made, moved or removed, and by the
/// thread that a signal woke until the process has ended.
static FILES: Mutex<Vec<Made>> = Mutex::new(Vec::new());

/// What this process made.
#[derive(Clone, PartialEq, Eq)]
struct Made {
    path: PathBuf,
    /// Device and inode of what others may replace.
    inode: Option<(u64, u64)>,
}

impl Made {
    /// A file of a name that nobody else takes.
    fn own(path: &Path) -> Self {
        Self { path: path.to_owned(), inode: None }
    }

    /// Removes it, unless something else is there by now.
    fn remove(&self) {
        #[cfg(unix)]
        if self.inode.is_some_and(|inode| inode_at(&self.path).ok() != Some(inode)) {
            return;
        }
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn inode_at(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::symlink_metadata(path).map(|meta| (meta.dev(), meta.ino()))
}

/// Has the first signal call `end`, which may take its time, and only one that follows end the
/// process at once. To be called before any file is made.
#[cfg(unix)]
pub(crate) fn on_first_signal(end: impl FnOnce(i32) + Send + 'static) {
    signals::wait_for_them(Some(Box::new(end)));
}

/// What a service ends with after a signal.
pub(crate) fn exit_code(signal: i32) -> ExitCode {
    ExitCode::from(128u8.saturating_add(u8::try_from(signal).unwrap_or(127)))
}

/// A path that is removed when this is dropped, or when a signal ends the process, if it is not
/// another's by then.
#[cfg(unix)]
pub(crate) struct Removed(Made);

#[cfg(unix)]
impl Removed {
    /// Has `make` put something at `path`.
    pub(crate) fn create(path: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<Self> {
        signals::wait_for_them(None);
        let mut files = lock();
        make(path)?;
        let made = Made { path: path.to_owned(), inode: Some(inode_at(path)?) };
        files.push(made.clone());
        Ok(Self(made))
    }
}

#[cfg(unix)]
impl Drop for Removed {
    fn drop(&mut self) {
        let mut files = lock();
        files.retain(|made| *made != self.0);
        self.0.remove();
    }
}

/// A file that is gone when it is dropped, or when a signal ends the process.
pub(crate) struct Temporary {
    file: Option<NamedTempFile>,
}

impl Temporary {
    /// Makes one in `folder`.
    pub(crate) fn create(builder: &tempfile::Builder<'_, '_>, folder: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        signals::wait_for_them(None);
        let mut files = lock();
        let file = builder.tempfile_in(folder)?;
        files.push(Made::own(file.path()));
        Ok(Self { file: Some(file) })
    }

    /// To write to.
    pub(crate) fn file(&mut self) -> &mut std::fs::File {
        self.file.as_mut().expect("taken only where it is dropped").as_file_mut()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let mut files = lock();
            files.retain(|made| made.path != file.path());
            drop(file);
        }
    }
}

/// Moves both files to their places; where the second fails the first is removed again, or what was
/// in its place before is put back, and the error names which of them failed. No signal comes
/// between.
pub(crate) fn persist_both(files: [Temporary; 2], places: [&Path; 2]) -> Result<(), (usize, io::Error)> {
    let mut registered = lock();
    let [first, second] = files.map(|mut file| file.file.take().expect("taken only here and in drop"));
    registered.retain(|made| made.path != first.path() && made.path != second.path());
    let older = Older::keep(first.path(), places[0]).map_err(|e| (0, e))?;
    first.persist(places[0]).map_err(|e| (0, e.error))?;
    second.persist(places[1]).map_err(|e| {
        // The first alone would look like a result.
        let undone = match &older {
            Some(older) => std::fs::rename(&older.file, places[0]),
            None => std::fs::remove_file(places[0]),
        };
        if let Err(error) = undone {
            tracing::warn!(%error, "{} is of a pair that is not complete", places[0].display());
        }
        (1, e.error)
    })?;
    Ok(())
}

/// A second name of the file that another is to replace, until this is dropped.
struct Older {
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Older {
    /// Keeps what is at `place` beside `replacement`; `None` if nothing is there.
    fn keep(replacement: &Path, place: &Path) -> io::Result<Option<Self>> {
        let mut folder = tempfile::Builder::new();
        let beside = replacement.parent().unwrap_or(Path::new("."));
        let folder = folder.prefix(".curvesmith-").tempdir_in(beside)?;
        let file = folder.path().join("older");
        // Where files have one name each it goes for a moment.
        let kept = std::fs::hard_link(place, &file).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Err(error),
            _ => std::fs::rename(place, &file),
        });
        match kept {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            kept => kept.map(|()| Some(Self { file, _folder: folder })),
        }
    }
}

/// Moves a file to its place.
pub(crate) fn persist(mut file: Temporary, place: &Path) -> io::Result<()> {
    let mut registered = lock();
    let file = file.file.take().expect("taken only here and in drop");
    registered.retain(|made| made.path != file.path());
    file.persist(place).map(drop).map_err(|e| e.error)
}

fn lock() -> MutexGuard<'static, Vec<Made>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::{Arc, Once};

    static STARTED: Once = Once::new();

    /// What the first signal does in place of ending the process.
    type First = Option<Box<dyn FnOnce(i32) + Send>>;

    /// Starts the thread, once. Signals that whoever started us had ignored, as `nohup` does, stay so.
    pub(super) fn wait_for_them(first: First) {
        STARTED.call_once(|| {
            let ignored = ignored();
            let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|n| ignored >> (n - 1) & 1 == 0);
            let waited = match Signals::new(wanted) {
                Ok(signals) => {
                    let waits = move || end_with_signal(signals, first);
                    std::thread::Builder::new().spawn(waits).map(drop)
                }
                Err(error) => Err(error),
            };
            // A file that is larger than it may be fails to be written, as on a full disk: the
            // signal would kill.
            let large = signal_hook::flag::register(SIGXFSZ, Arc::default()).map(drop);
            if let Err(error) = waited.and(large) {
                tracing::warn!(%error, "a signal may leave temporary files behind");
            }
        });
    }

    fn end_with_signal(mut signals: Signals, first: First) {
        let mut signals = signals.forever();
        if let Some(first) = first {
            let Some(signal) = signals.next() else { return };
            first(signal);
        }
        if let Some(signal) = signals.next() {
            let files = super::lock();
            files.iter().for_each(super::Made::remove);
            // At once: other threads are at work, and no destructor of theirs has to run.
            signal_hook::low_level::exit(128 + signal);
        }
    }

    /// Ignored signals as bits from `SIGHUP` = bit 0; none where the system does not tell.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    /// What is at both places after a pair that cannot be complete: a folder is in the way of the
    /// second.
    fn fail(folder: &Path) -> Vec<PathBuf> {
        let places = [folder.join("proof.json"), folder.join("public.json")];
        let files = [(), ()].map(|()| {
            let mut file = Temporary::create(&tempfile::Builder::new(), folder).unwrap();
            file.file().write_all(b"new").unwrap();
            file
        });
        let (which, _) = persist_both(files, [&places[0], &places[1]]).unwrap_err();
        assert_eq!(which, 1);
        let mut left: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        left.sort();
        left
    }

    #[test]
    fn a_pair_that_fails_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let [proof, public] = ["proof.json", "public.json"].map(|name| folder.path().join(name));
        std::fs::create_dir_all(public.join("full")).unwrap();
        assert_eq!(fail(folder.path()), std::slice::from_ref(&public));
        std::fs::write(&proof, "old").unwrap();
        assert_eq!(fail(folder.path()), [proof.clone(), public]);
        assert_eq!(std::fs::read_to_string(&proof).unwrap(), "old");
    }
}
