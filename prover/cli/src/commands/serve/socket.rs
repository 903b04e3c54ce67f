//! Jobs from a Unix socket.

use super::client::Client;
use super::job;
use super::queue::Queue;
use crate::failure::Failure;
use crate::temporary::Removed;
use serde_json::Value;
use std::io::{self, BufReader};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Most clients at once; one more is told so.
const CLIENTS: usize = 64;

/// How long a client may leave its answers unread before it is given up: all wait for it meanwhile.
const PATIENCE: Duration = Duration::from_secs(10);

/// Takes jobs from clients of a socket at `path`, which only this user may connect to.
///
/// Refused is a path that is there, but for a socket that nobody listens on.
pub(super) fn listen(path: &Path, queue: &Arc<Queue>) -> Result<Removed, Failure> {
    let failed = |error: io::Error| Failure::Input(format!("{}: {error}", path.display()));
    remove_dead(path).map_err(failed)?;
    let (listener, socket) = bind(path).map_err(failed)?;
    let queue = queue.clone();
    std::thread::spawn(move || accept(&listener, &queue));
    Ok(socket)
}

fn remove_dead(path: &Path) -> io::Result<()> {
    let meta = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta?,
    };
    if !meta.file_type().is_socket() {
        return Err(io::Error::other("is there, and not a socket"));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path),
        Err(error) => Err(error),
        Ok(_) => Err(io::Error::other("another process listens there")),
    }
}

/// Binds in a folder that others cannot enter, so that nobody connects before the mode is set.
fn bind(path: &Path) -> io::Result<(UnixListener, Removed)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let private = tempfile::Builder::new().prefix(".curvesmith-").tempdir_in(folder)?;
    let made = private.path().join("s");
    let listener = UnixListener::bind(&made)?;
    std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o600))?;
    // A link replaces nothing, should something be there by now.
    let socket = Removed::create(path, |path| std::fs::hard_link(&made, path))?;
    Ok((listener, socket))
}

fn accept(listener: &UnixListener, queue: &Arc<Queue>) {
    let clients = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let served = stream.and_then(|stream| {
            stream.set_write_timeout(Some(PATIENCE))?;
            let client = Arc::new(Client::new(stream.try_clone()?));
            if clients.load(Ordering::Relaxed) >= CLIENTS {
                let error = Failure::Internal(format!("{CLIENTS} clients are connected already"));
                client.answer(&Value::Null, &Err(error));
                return Ok(());
            }
            clients.fetch_add(1, Ordering::Relaxed);
            let (queue, clients) = (queue.clone(), clients.clone());
            std::thread::spawn(move || {
                if let Err(error) = job::read_jobs(BufReader::new(stream), &client, &queue) {
                    tracing::warn!(%error, "a client cannot be read");
                }
                clients.fetch_sub(1, Ordering::Relaxed);
            });
            Ok(())
        });
        if let Err(error) = served {
            tracing::warn!(%error, "a client cannot be served");
            // Out of file descriptors, most likely: some time may free one.
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
