//! Positioned reads from files and byte slices.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes that several threads may read at once.
#[derive(Debug)]
pub(crate) enum Source {
    /// A regular file, read by position; the second field is its length when opened.
    #[cfg(unix)]
    File(File, u64),
    /// Bytes in memory: a pipe's content, or a caller's buffer.
    Bytes(Vec<u8>),
}

impl Source {
    /// Opens a regular file for positioned reads, or drains a pipe. Other devices are
    /// refused: they may never end.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.is_dir() {
            return Err(io::Error::other("is a directory"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt;
            if meta.is_file() {
                return Ok(Source::File(file, meta.len()));
            }
            if !meta.file_type().is_fifo() {
                return Err(io::Error::other("neither a regular file nor a pipe"));
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Source::Bytes(bytes))
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            #[cfg(unix)]
            Source::File(_, len) => *len,
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
