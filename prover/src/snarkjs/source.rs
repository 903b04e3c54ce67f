//! Positioned reads from files and byte slices.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;
use zeroize::Zeroizing;

/// Bytes that several threads may read at once.
pub(crate) enum Source {
    /// A regular file, read by position, and what it was when it was opened.
    #[cfg(unix)]
    File(File, FileState),
    /// Bytes in memory: a caller's buffer, which can be a witness.
    Bytes(Zeroizing<Vec<u8>>),
}

/// What tells that an open file was written to. That another one has taken its name does not matter to
/// whoever has it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    len: u64,
    /// `None` where the file system does not tell.
    modified: Option<SystemTime>,
}

impl FileState {
    fn of(file: &File) -> io::Result<Self> {
        let meta = file.metadata()?;
        Ok(Self { len: meta.len(), modified: meta.modified().ok() })
    }
}

impl fmt::Debug for Source {
    // They can be a witness.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(unix)]
            Source::File(_, state) => state.fmt(f),
            Source::Bytes(bytes) => write!(f, "Bytes[{}]", bytes.len()),
        }
    }
}

impl Source {
    /// Opens a regular file for positioned reads.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let (file, _) = open_regular(path)?;
        let state = FileState::of(&file)?;
        #[cfg(unix)]
        return Ok(Source::File(file, state));
        #[cfg(not(unix))]
        {
            let bytes = Zeroizing::new(read_at_most(&file, state.len)?);
            match FileState::of(&file)? == state {
                true => Ok(Source::Bytes(bytes)),
                false => Err(io::Error::other("changed while it was read")),
            }
        }
    }

    /// Whether what was read since it was opened may be of several states of the file.
    pub(crate) fn has_changed(&self) -> io::Result<bool> {
        match self {
            #[cfg(unix)]
            Source::File(file, state) => Ok(FileState::of(file)? != *state),
            Source::Bytes(_) => Ok(false),
        }
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            #[cfg(unix)]
            Source::File(_, state) => state.len,
            Source::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Fills `buffer` from `offset`; an error if the bytes are not there.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Source::File(file, _) => std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset),
            Source::Bytes(bytes) => {
                let start = usize::try_from(offset).ok();
                let part = start.and_then(|s| bytes.get(s..s.checked_add(buffer.len())?));
                buffer.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

/// Opens a regular file and tells its length. Everything else is refused: a device may never end.
///
/// The path is looked up once, since its name may be given to another file at any time, and without
/// waiting: a pipe has perhaps no writer.
pub(crate) fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = match options.open(path) {
        // What has no file behind its name: a socket.
        #[cfg(unix)]
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
            return Err(io::Error::other("not a regular file"));
        }
        file => file?,
    };
    let meta = file.metadata()?;
    regular(&meta)?;
    Ok((file, meta.len()))
}

fn regular(meta: &Metadata) -> io::Result<()> {
    match (meta.is_file(), meta.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::Error::other("is a directory")),
        _ => Err(io::Error::other("not a regular file")),
    }
}

/// Reads `len` bytes, or as many as there are.
pub(crate) fn read_at_most(file: impl Read, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let room = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // One byte more, with which the end is seen without growing.
    bytes.try_reserve_exact(room.saturating_add(1)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    /// Names are exchanged all the time: each opening finds the file or the pipe, and none waits.
    #[test]
    fn no_exchange_of_names_makes_opening_wait() {
        let folder = std::env::temp_dir().join(format!("curvesmith-source-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [name, file, pipe] = ["name", "file", "pipe"].map(|name| folder.join(name));
        let socket = folder.join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        assert_eq!(open_regular(&socket).unwrap_err().to_string(), "not a regular file");
        assert_eq!(open_regular(&folder).unwrap_err().to_string(), "is a directory");
        std::fs::write(&file, "file").unwrap();
        std::fs::write(&name, "file").unwrap();
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let done = AtomicBool::new(false);
        let (opened, ended) = mpsc::channel();
        let target = name.clone();
        // Not a scoped one: the test has to end though it waits.
        std::thread::spawn(move || {
            let end = Instant::now() + Duration::from_millis(500);
            let mut found = [0; 2];
            while Instant::now() < end {
                match open_regular(&target) {
                    Ok((_, 4)) => found[0] += 1,
                    Err(error) if error.to_string() == "not a regular file" => found[1] += 1,
                    other => panic!("{other:?}"),
                }
            }
            opened.send(found).unwrap();
        });
        let found = std::thread::scope(|scope| {
            scope.spawn(|| {
                let link = folder.join("link");
                while !done.load(Ordering::Relaxed) {
                    for target in [&pipe, &file] {
                        std::fs::hard_link(target, &link).unwrap();
                        std::fs::rename(&link, &name).unwrap();
                    }
                }
            });
            let found = ended.recv_timeout(Duration::from_secs(20));
            done.store(true, Ordering::Relaxed);
            found
        });
        std::fs::remove_dir_all(&folder).unwrap();
        let found = found.expect("opening waits");
        assert!(found.iter().all(|&n| n > 0), "{found:?}");
    }
}
