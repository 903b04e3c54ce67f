//! The user's cache directory: files that appear whole or not at all, and that are what was written under
//! their name.
//!
//! `$CURVESMITH_CACHE_DIR`, else `curvesmith` in the user's cache directory. A file begins with a hash of
//! itself and its name. A directory that belongs to somebody else, or that others may write, is not used.

use std::fs;
use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const HASH_BYTES: usize = blake3::OUT_LEN;

/// A directory of files, or none.
#[derive(Clone, Debug)]
pub(crate) struct UserCache {
    directory: Option<PathBuf>,
}

impl UserCache {
    /// The user's, where the environment names one.
    pub(crate) fn of_user() -> UserCache {
        let var = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let directory = var("CURVESMITH_CACHE_DIR")
            .or_else(|| Some(var("XDG_CACHE_HOME")?.join("curvesmith")))
            .or_else(|| Some(var("LOCALAPPDATA")?.join("curvesmith")))
            .or_else(|| Some(var("HOME")?.join(".cache").join("curvesmith")));
        UserCache { directory }
    }

    /// This directory, which need not exist.
    pub(crate) fn at(directory: &Path) -> UserCache {
        UserCache { directory: Some(directory.to_owned()) }
    }

    /// What was stored under a name; `None` where there is no such file. Errors: the file is damaged or
    /// another one, it cannot be read, or others may write to the directory.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(directory) = &self.directory else { return Ok(None) };
        let path = directory.join(name);
        let mut bytes = match read_regular(&path) {
            Ok(bytes) => bytes,
            // Neither is where the directory is a file.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(of_path(&path, &error)),
        };
        check_private(directory)?;
        let whole = bytes.len() >= HASH_BYTES;
        let content = bytes.split_off(HASH_BYTES.min(bytes.len()));
        if whole && bytes == *seal(name, &content).as_bytes() {
            return Ok(Some(content));
        }
        Err(of_path(&path, &Error::other("it is damaged, or was stored under another name")))
    }

    /// Stores a file, whole or not at all, and tells where.
    pub(crate) fn put(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        let Some(directory) = &self.directory else {
            return Err(Error::other("no cache directory: neither CURVESMITH_CACHE_DIR nor HOME is set"));
        };
        let path = directory.join(name);
        let write = || {
            create(directory)?;
            check_private(directory)?;
            let mut partial = Partial::create(directory, name)?;
            partial.file.write_all(seal(name, content).as_bytes())?;
            partial.file.write_all(content)?;
            partial.rename(&path)
        };
        write().map_err(|error| of_path(&path, &error))?;
        Ok(path)
    }
}

/// A file that is being written beside its later place. Dropped before it is renamed, it is removed.
struct Partial {
    file: fs::File,
    path: PathBuf,
}

impl Partial {
    /// An empty file that no other process and no other thread writes to, for this user alone.
    fn create(directory: &Path, name: &str) -> Result<Partial> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut options = fs::File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        loop {
            let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = directory.join(format!(".{name}.{process}.{number}"));
            match options.open(&path) {
                Ok(file) => return Ok(Partial { file, path }),
                // Left by a process that had the same number and was ended while it wrote.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives the file its name; a file that has it is replaced.
    fn rename(mut self, to: &Path) -> Result<()> {
        fs::rename(&self.path, to)?;
        self.path.clear();
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Reads a file that is looked up once, and without waiting for what may never come.
fn read_regular(path: &Path) -> Result<Vec<u8>> {
    let mut options = fs::File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let mut file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The error, with the file's name.
fn of_path(path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The hash a file begins with. It covers the name, so a renamed file is refused.
fn seal(name: &str, content: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(name.as_bytes()).update(&[0]).update(content);
    hasher.finalize()
}

/// An error unless nobody but this user, and the system's administrator, can write to a directory.
fn check_private(directory: &Path) -> Result<()> {
    if is_private(directory) { Ok(()) } else { Err(Error::other("others can write to its directory")) }
}

/// Whether nobody but this user, and the system's administrator, can write to a directory.
#[cfg(unix)]
fn is_private(directory: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    // What this process creates belongs to its user.
    let own = || {
        Partial::create(&std::env::temp_dir(), "curvesmith").ok()?.file.metadata().ok().map(|file| file.uid())
    };
    fs::metadata(directory)
        .is_ok_and(|found| found.is_dir() && writable_by_owner_alone(found.mode(), found.uid(), own))
}

/// Whether a directory's mode lets its owner alone write, who is `own` or the system's administrator.
#[cfg(unix)]
fn writable_by_owner_alone(mode: u32, owner: u32, own: impl FnOnce() -> Option<u32>) -> bool {
    mode & 0o022 == 0 && (owner == 0 || Some(owner) == own())
}

#[cfg(not(unix))]
fn is_private(directory: &Path) -> bool {
    directory.is_dir()
}

/// Makes the directory, for this user alone.
fn create(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_files_of_the_same_name_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let deep = directory.path().join("new/deep");
        let cache = UserCache::at(&deep);
        assert_eq!(cache.get("a").unwrap(), None);
        assert_eq!(cache.put("a", b"content").unwrap(), deep.join("a"));
        assert_eq!(cache.get("a").unwrap().as_deref(), Some(&b"content"[..]));
        assert_eq!(cache.get("b").unwrap(), None);

        fs::copy(deep.join("a"), deep.join("b")).unwrap();
        assert!(cache.get("b").is_err(), "a renamed file");
        let whole = fs::read(deep.join("a")).unwrap();
        for len in [0, HASH_BYTES - 1, HASH_BYTES, whole.len() - 1] {
            fs::write(deep.join("a"), &whole[..len]).unwrap();
            assert!(cache.get("a").is_err(), "{len} bytes");
        }
        let mut damaged = whole;
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(deep.join("a"), damaged).unwrap();
        assert!(cache.get("a").is_err());
        cache.put("a", b"").unwrap();
        assert_eq!(cache.get("a").unwrap().as_deref(), Some(&b""[..]));
    }

    /// One that nobody writes to would be waited for.
    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("a");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let (told, hears) = std::sync::mpsc::channel();
        let cache = UserCache::at(directory.path());
        std::thread::spawn(move || told.send(cache.get("a").map_err(|error| error.to_string())));
        let got = hears.recv_timeout(std::time::Duration::from_secs(20)).expect("it waits");
        assert!(got.unwrap_err().ends_with("a: not a regular file"));
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_others_can_write_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cache");
        let cache = UserCache::at(&path);
        cache.put("a", b"content").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(cache.get("a").unwrap().is_some());
        for mode in [0o777, 0o720, 0o702] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert!(cache.get("a").is_err(), "{mode:o}");
            assert!(cache.put("b", b"content").is_err());
            assert_eq!(fs::read_dir(&path).unwrap().count(), 1, "{mode:o}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn directories_of_other_users_are_not_trusted() {
        let trusted = |mode, owner, own| super::writable_by_owner_alone(mode, owner, || own);
        assert!(trusted(0o700, 1000, Some(1000)) && trusted(0o755, 0, Some(1000)) && trusted(0o700, 0, None));
        assert!(
            !trusted(0o700, 1001, Some(1000))
                && !trusted(0o700, 1000, None)
                && !trusted(0o700, 1000, Some(0))
        );
        assert!(!trusted(0o770, 1000, Some(1000)) && !trusted(0o702, 0, Some(1000)));
    }

    #[test]
    fn what_is_half_written_has_no_name_and_goes() {
        let directory = tempfile::tempdir().unwrap();
        let cache = UserCache::at(directory.path());
        let names = || fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let partial = Partial::create(directory.path(), "a").unwrap();
        let taken = partial.path.clone();
        assert!(names().eq([taken.file_name().unwrap()]) && cache.get("a").unwrap().is_none());
        drop(partial);
        assert_eq!(names().count(), 0);
        // A folder that has the name cannot be replaced, and the file goes.
        fs::create_dir(directory.path().join("a")).unwrap();
        assert!(cache.put("a", b"content").is_err());
        assert!(names().eq(["a"]));
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = UserCache::at(&file.path().join("below"));
        assert!(cache.put("a", b"content").is_err());
        assert_eq!(cache.get("a").unwrap(), None);
        let none = UserCache { directory: None };
        assert!(none.put("a", b"content").is_err() && none.get("a").unwrap().is_none());
    }
}
