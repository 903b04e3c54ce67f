//! Jobs from a Unix socket.

use super::client::{self, Clients};
use super::queue::Queue;
use crate::failure::Failure;
use crate::temporary::Removed;
use serde_json::Value;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// Most clients at once; one more waits for [`FULL`], and then is told so.
const CLIENTS: usize = 64;

/// How long the service may be full before clients are sent away.
const FULL: Duration = Duration::from_secs(3);

/// How long a client may leave an answer unread before it is dropped.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the start of a service waits for the starts and ends of others in the same folder.
const BUSY: Duration = Duration::from_secs(5);

/// A socket that is listened on, and removed when this is dropped unless it is another's by then.
pub(super) struct Socket {
    folder: PathBuf,
    path: Option<Removed>,
}

impl Drop for Socket {
    fn drop(&mut self) {
        // No other service takes the path while it is looked whose it is.
        let _lock = lock(&self.folder).inspect_err(|error| tracing::warn!(%error, "the socket's folder"));
        self.path = None;
    }
}

/// Takes a place for a socket at `path`, to which only this user may connect. For a runtime.
///
/// Refused is a path that is there, but for a socket that nobody listens on.
pub(super) async fn listen(path: &Path) -> Result<(UnixListener, Socket), Failure> {
    let failed = |error: io::Error| Failure::of_io(&error, format!("{}: {error}", path.display()));
    // It is bound under another name, but clients connect to this one.
    SocketAddr::from_pathname(path).map_err(failed)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _lock = lock(folder).map_err(failed)?;
    remove_dead(path).await.map_err(failed)?;
    let (listener, path) = bind(path, folder).map_err(failed)?;
    Ok((listener, Socket { folder: folder.to_owned(), path: Some(path) }))
}

/// Has no other service change which sockets are in a folder until the file is closed.
fn lock(folder: &Path) -> io::Result<File> {
    use rustix::fs::{FlockOperation, flock};
    let file = File::open(folder)?;
    let begun = Instant::now();
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if begun.elapsed() < BUSY => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(io::Error::other("another process has its folder locked"));
            }
            locked => return locked.map(|()| file).map_err(io::Error::from),
        }
    }
}

async fn remove_dead(path: &Path) -> io::Result<()> {
    let meta = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta?,
    };
    if !meta.file_type().is_socket() {
        return Err(io::Error::other("is there, and not a socket"));
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path),
        // More wait to be let in than may.
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
        _ => Err(io::Error::other("another process listens there")),
    }
}

/// Binds in a folder that others cannot enter, so that nobody connects before the mode is set.
fn bind(path: &Path, folder: &Path) -> io::Result<(UnixListener, Removed)> {
    let private = tempfile::Builder::new().prefix(".curvesmith-").tempdir_in(folder)?;
    let made = private.path().join("s");
    let listener = UnixListener::bind(&made)?;
    std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o600))?;
    // A link replaces nothing, should something be there by now.
    let socket = Removed::create(path, |path| std::fs::hard_link(&made, path))?;
    Ok((listener, socket))
}

/// Serves clients, each by a task, while the service lives.
pub(super) async fn accept(listener: UnixListener, queue: &Arc<Queue>, clients: &Arc<Clients>) {
    let places = Arc::new(Semaphore::new(CLIENTS));
    let mut full = None;
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a client cannot be served");
                // Out of file descriptors, most likely: some time may free one.
                sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let since = *full.get_or_insert_with(Instant::now);
        match timeout_at(since + FULL, places.clone().acquire_owned()).await {
            Ok(place) => {
                full = None;
                let (queue, clients) = (queue.clone(), clients.clone());
                tokio::spawn(async move {
                    serve(stream, &queue, &clients).await;
                    drop(place);
                });
            }
            Err(_) => {
                let failure = Failure::Internal(format!("{CLIENTS} clients are connected already"));
                // Nothing was sent before: there is room for a line.
                let _ = stream.try_write(client::line(&Value::Null, &Err(failure)).as_bytes());
                close(stream).await;
            }
        }
    }
}

async fn serve(mut stream: UnixStream, queue: &Queue, clients: &Clients) {
    let (input, mut output) = stream.split();
    if let Err(error) = clients.serve(input, &mut output, Some(PATIENCE), queue).await {
        tracing::warn!(%error, "a client cannot be read");
    }
    close(stream).await;
}

/// Ends both directions.
async fn close(mut stream: UnixStream) {
    if rustix::net::shutdown(&stream, rustix::net::Shutdown::Both).is_ok() {
        // Unread lines would have the client see an error in place of the end. No more come.
        let _ = timeout(FULL, tokio::io::copy(&mut stream, &mut tokio::io::sink())).await;
    }
}
