//! What the commands leave behind: files, and text on standard output.

use crate::failure::Failure;
use curvesmith::ProveStats;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// Two files that appear only when both are complete.
pub(crate) struct FilePair {
    files: [(NamedTempFile, PathBuf); 2],
}

impl FilePair {
    /// Opens a temporary file beside each path, so that a folder that cannot be written to
    /// is found before the work and not after it.
    pub(crate) fn create(first: &Path, second: &Path) -> Result<Self, Failure> {
        if first == second {
            return Err(Failure::Input(format!("{}: given for both outputs", first.display())));
        }
        Ok(Self { files: [open(first)?, open(second)?] })
    }

    /// Writes both and moves them to their places. On failure neither is left.
    pub(crate) fn finish(self, contents: [&str; 2]) -> Result<(), Failure> {
        let [mut first, mut second] = self.files;
        for ((file, path), content) in [&mut first, &mut second].into_iter().zip(contents) {
            let written = file.write_all(content.as_bytes()).and_then(|()| file.as_file().sync_all());
            written.map_err(|e| failed(path, &e))?;
        }
        let (file, path) = first;
        file.persist(&path).map_err(|e| failed(&path, &e.error))?;
        let (file, second_path) = second;
        file.persist(&second_path).map_err(|e| {
            // The first alone would look like a result.
            let _ = std::fs::remove_file(&path);
            failed(&second_path, &e.error)
        })?;
        Ok(())
    }
}

fn open(path: &Path) -> Result<(NamedTempFile, PathBuf), Failure> {
    let place = place(path).map_err(|e| failed(path, &e))?;
    let folder = place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // Proof and public inputs are made to be shared: the umask decides, as for other files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.prefix(".curvesmith-").tempfile_in(folder).map_err(|e| failed(path, &e))?;
    Ok((file, place))
}

/// Where the file goes: through links, and never in the place of a device or a folder.
fn place(path: &Path) -> io::Result<PathBuf> {
    match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => {
            let target = std::fs::canonicalize(path)?;
            if target.is_file() { Ok(target) } else { Err(io::Error::other("not a regular file")) }
        }
        Ok(meta) if meta.is_file() => Ok(path.to_owned()),
        Ok(_) => Err(io::Error::other("not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(error),
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::Input(format!("{}: cannot be written: {error}", path.display()))
}

/// Prints to standard output; a reader that has gone is not an error.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A duration with three significant digits or so.
pub(crate) fn show(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.0} us", s * 1e6),
    }
}

/// A table of the stages of a proof, indented by two.
pub(crate) fn stage_table(stats: &ProveStats) -> String {
    let total = stats.total.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut text = String::new();
    for (stage, time) in &stats.stages {
        let percent = 100.0 * time.as_secs_f64() / total;
        text += &format!("  {stage:<12}{:>10}{percent:>7.1} %\n", show(*time));
    }
    text + &format!("  {:<12}{:>10}\n", "total", show(stats.total))
}
