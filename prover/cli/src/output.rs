//! What the commands leave behind: files, and text on standard output.

use crate::failure::Failure;
use crate::process;
use crate::temporary::{Temporary, persist, persist_both};
use curvesmith::ProveStats;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Two files that appear only when both are complete.
pub(crate) struct FilePair {
    files: [Temporary; 2],
    places: [PathBuf; 2],
}

impl FilePair {
    /// Opens a temporary file beside each path, so that a folder that cannot be written to
    /// is found before the work and not after it. Refused are two paths to one file, whatever
    /// they are spelled like, and paths to one of the `inputs`.
    pub(crate) fn create(first: &Path, second: &Path, inputs: &[&Path]) -> Result<Self, Failure> {
        let place = |path: &Path| place(path).map_err(|e| failed(path, &e));
        let places = [place(first)?, place(second)?];
        let identity = |i: usize, path| identity(&places[i]).map_err(|e| failed(path, &e));
        let identities = [identity(0, first)?, identity(1, second)?];
        if identities[0] == identities[1] {
            return Err(Failure::Input(format!("{}: given for both outputs", second.display())));
        }
        for input in inputs {
            // One that is not there is not an output either, and is reported when it is read.
            let Ok(input_identity) = self::identity(input) else { continue };
            for (path, identity) in [first, second].into_iter().zip(&identities) {
                if *identity == input_identity {
                    let (path, input) = (path.display(), input.display());
                    return Err(Failure::Input(format!("{path}: would replace the input {input}")));
                }
            }
        }
        let open = |i: usize, path| open(&places[i]).map_err(|e| failed(path, &e));
        Ok(Self { files: [open(0, first)?, open(1, second)?], places })
    }

    /// Writes both and moves them to their places. On failure neither is left.
    pub(crate) fn finish(self, contents: [&str; 2]) -> Result<(), Failure> {
        let Self { mut files, places } = self;
        for ((file, path), content) in files.iter_mut().zip(&places).zip(contents) {
            let file = file.file();
            let written = file.write_all(content.as_bytes()).and_then(|()| file.sync_all());
            written.map_err(|e| failed(path, &e))?;
        }
        persist_both(files, [&places[0], &places[1]]).map_err(|(i, e)| failed(&places[i], &e))
    }
}

/// Stands for standard input or output where a path is expected; a file of that name is `./-`.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Where proof and public inputs go: to files, or one of them to standard output.
pub(crate) enum Outputs {
    Files(FilePair),
    /// One file, and which of the two is printed.
    Split(OneFile, usize),
}

impl Outputs {
    /// Opens what are files, as [`FilePair::create`].
    pub(crate) fn create(first: &Path, second: &Path, inputs: [&Path; 2]) -> Result<Self, Failure> {
        if is_standard(first) || is_standard(second) {
            process::check_standard_output()?;
        }
        match (is_standard(first), is_standard(second)) {
            (false, false) => FilePair::create(first, second, &inputs).map(Outputs::Files),
            (true, false) => Ok(Outputs::Split(OneFile::create(second, &inputs)?, 0)),
            (false, true) => Ok(Outputs::Split(OneFile::create(first, &inputs)?, 1)),
            (true, true) => Err(Failure::Input("-: given for both outputs".into())),
        }
    }

    /// Writes both. On failure no file is left.
    pub(crate) fn finish(self, contents: [&str; 2]) -> Result<(), Failure> {
        match self {
            Outputs::Files(files) => files.finish(contents),
            Outputs::Split(file, printed) => {
                write_standard(contents[printed])?;
                file.finish(contents[1 - printed])
            }
        }
    }

    /// Whether standard output is taken.
    pub(crate) fn prints(&self) -> bool {
        matches!(self, Outputs::Split(..))
    }
}

/// Writes a result to standard output; who does not get it must know.
pub(crate) fn write_standard(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::Input(format!("standard output: cannot be written: {error}")))
}

/// A file that appears only when it is complete.
pub(crate) struct OneFile {
    file: Temporary,
    place: PathBuf,
}

impl OneFile {
    /// Opens a temporary file beside the path. Refused is a path to one of the `others`, whatever it is
    /// spelled like.
    pub(crate) fn create(path: &Path, others: &[&Path]) -> Result<Self, Failure> {
        let failed = |e| failed(path, &e);
        let place = place(path).map_err(failed)?;
        let own = identity(&place).map_err(failed)?;
        let same = |other: &&&Path| {
            let other = self::place(other).and_then(|place| identity(&place));
            other.is_ok_and(|other| other == own)
        };
        if let Some(other) = others.iter().find(same) {
            let (path, other) = (path.display(), other.display());
            return Err(Failure::Input(format!("{path}: is the same file as {other}")));
        }
        Ok(Self { file: open(&place).map_err(failed)?, place })
    }

    /// Writes it and moves it to its place. On failure it is not there.
    pub(crate) fn finish(mut self, content: &str) -> Result<(), Failure> {
        let written = self.file.file().write_all(content.as_bytes());
        written.and_then(|()| persist(self.file, &self.place)).map_err(|e| failed(&self.place, &e))
    }
}

/// A temporary file in the folder of `place`.
fn open(place: &Path) -> io::Result<Temporary> {
    let mut builder = tempfile::Builder::new();
    // Proof and public inputs are made to be shared: the umask decides, as for other files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    Temporary::create(builder.prefix(".curvesmith-"), folder(place))
}

fn folder(place: &Path) -> &Path {
    place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
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

/// What makes two paths one file.
#[derive(PartialEq, Eq)]
enum Identity {
    /// Device and inode of a file that is there: hard links share them.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The canonical path.
    Path(PathBuf),
}

fn identity(path: &Path) -> io::Result<Identity> {
    match std::fs::metadata(path) {
        #[cfg(unix)]
        Ok(meta) => {
            use std::os::unix::fs::MetadataExt;
            Ok(Identity::Inode(meta.dev(), meta.ino()))
        }
        #[cfg(not(unix))]
        Ok(_) => std::fs::canonicalize(path).map(Identity::Path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = path.file_name().ok_or(error)?;
            Ok(Identity::Path(std::fs::canonicalize(folder(path))?.join(name)))
        }
        Err(error) => Err(error),
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::of_io(error, format!("{}: cannot be written: {error}", path.display()))
}

/// Prints to standard output; a reader that has gone is not an error.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A spinner on standard error, where that is a terminal; elsewhere nothing. It goes when it is dropped.
pub(crate) fn spinner(message: impl Into<Cow<'static, str>>) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message);
    bar.set_style(ProgressStyle::default_spinner());
    bar.tick();
    // By a thread, which has nothing to do where nothing is shown.
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar.with_finish(ProgressFinish::AndClear)
}

/// A duration with three significant digits or so.
pub(crate) fn show(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.0} us", s * 1e6),
    }
}

/// A table of the stages of a proof, indented by two: the host's time, the device's, and the device's share
/// of the whole; stages on several streams overlap.
pub(crate) fn stage_table(stats: &ProveStats) -> String {
    let total = stats.total.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut text = format!("  {:<12}{:>10}{:>10}{:>9}\n", "stage", "host", "device", "");
    for stage in &stats.stages {
        let device = stage.device.map_or_else(|| "-".into(), show);
        let percent = 100.0 * stage.device.unwrap_or(stage.host).as_secs_f64() / total;
        text += &format!("  {:<12}{:>10}{device:>10}{percent:>7.1} %\n", stage.name, show(stage.host));
    }
    text += &format!("  {:<12}{:>10}", "total", show(stats.total));
    let report = &stats.report;
    if report.launches > 0 {
        let device = Duration::from_secs_f64(report.device_seconds());
        text += &format!("{:>10}", show(device));
        text += &format!(
            "\n  {} launches, {} up, {} down",
            report.launches,
            show_bytes(report.bytes_up),
            show_bytes(report.bytes_down)
        );
        if let Some(share) = report.busy_share() {
            text += &format!(", device busy for {:.0} %", 100.0 * share);
        }
    }
    text + "\n"
}

/// Bytes with three significant digits or so.
pub(crate) fn show_bytes(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 30 => format!("{:.2} GiB", b as f64 / f64::from(1u32 << 30)),
        b if b >= 1 << 20 => format!("{:.1} MiB", b as f64 / f64::from(1u32 << 20)),
        b if b >= 1 << 10 => format!("{:.1} kiB", b as f64 / 1024.0),
        b => format!("{b} B"),
    }
}
