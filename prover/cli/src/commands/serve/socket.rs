//! Jobs from a Unix socket.

use super::client::{self, Answers, Client};
use super::job;
use super::queue::Queue;
use crate::failure::Failure;
use crate::temporary::Removed;
use serde_json::Value;
use std::io::{self, BufReader, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Most clients at once; one more is told so.
const CLIENTS: usize = 64;

/// How long a client may leave an answer unread before it is dropped.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often is looked whether it is over.
const STEP: Duration = Duration::from_millis(250);

/// Those who have a place.
#[derive(Clone, Default)]
struct Clients(Arc<Mutex<Vec<Weak<Place>>>>);

/// One of the [`CLIENTS`] places, free when this is dropped.
#[derive(Default)]
struct Place(Mutex<Weak<Answers>>);

/// A socket that is listened on, and removed when this is dropped.
pub(super) struct Listening {
    _socket: Removed,
    clients: Clients,
}

impl Listening {
    /// Answers that wait for those connected now.
    pub(super) fn answers(&self) -> Vec<Arc<Answers>> {
        let places = self.clients.0.lock().unwrap_or_else(PoisonError::into_inner);
        let places = places.iter().filter_map(Weak::upgrade);
        places.filter_map(|place| place.0.lock().unwrap_or_else(PoisonError::into_inner).upgrade()).collect()
    }
}

impl Clients {
    fn place(&self) -> Option<Arc<Place>> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.retain(|place| place.strong_count() > 0);
        let place = Arc::new(Place::default());
        let free = places.len() < CLIENTS;
        free.then(|| {
            places.push(Arc::downgrade(&place));
            place
        })
    }
}

/// Takes jobs from clients of a socket at `path`, which only this user may connect to.
///
/// Refused is a path that is there, but for a socket that nobody listens on.
pub(super) fn listen(path: &Path, queue: &Arc<Queue>) -> Result<Listening, Failure> {
    let failed = |error: io::Error| Failure::Input(format!("{}: {error}", path.display()));
    remove_dead(path).map_err(failed)?;
    let (listener, socket) = bind(path).map_err(failed)?;
    let queue = queue.clone();
    let clients = Clients::default();
    let accepting = {
        let clients = clients.clone();
        move || accept(&listener, &queue, &clients)
    };
    std::thread::Builder::new().spawn(accepting).map_err(super::no_thread)?;
    Ok(Listening { _socket: socket, clients })
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

fn accept(listener: &UnixListener, queue: &Arc<Queue>, clients: &Clients) {
    for stream in listener.incoming() {
        let error = match stream {
            Ok(stream) => {
                let stream = Arc::new(stream);
                let Err((error, failure)) = serve(&stream, queue, clients) else { continue };
                // Nothing was sent before: there is room for a line.
                let _ = (&*stream).write_all(client::line(&Value::Null, &Err(failure)).as_bytes());
                let Some(error) = error else { continue };
                error
            }
            Err(error) => error,
        };
        tracing::warn!(%error, "a client cannot be served");
        // Out of threads or file descriptors, most likely: some time may free one.
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Has threads read a client's jobs and write its answers. What it is told if there is no room, and
/// why.
fn serve(
    stream: &Arc<UnixStream>,
    queue: &Arc<Queue>,
    clients: &Clients,
) -> Result<(), (Option<io::Error>, Failure)> {
    let failed = |error: io::Error| (Some(error), Failure::Internal("no thread for one more client".into()));
    stream.set_write_timeout(Some(STEP)).map_err(failed)?;
    let Some(place) = clients.place() else {
        return Err((None, Failure::Internal(format!("{CLIENTS} clients are connected already"))));
    };
    let cut = {
        let (stream, queue) = (stream.clone(), queue.clone());
        move || {
            let _ = stream.shutdown(Shutdown::Both);
            queue.client_has_gone();
        }
    };
    // The thread that reads waits to be told for whom.
    let (sender, receiver) = std::sync::mpsc::sync_channel::<Arc<Client>>(1);
    let reading = {
        let (stream, queue) = (stream.clone(), queue.clone());
        move || {
            let Ok(client) = receiver.recv() else { return };
            if let Err(error) = job::read_jobs(BufReader::new(&*stream), &client, &queue) {
                tracing::warn!(%error, "a client cannot be read");
            }
            if client.is_gone() {
                // Unread lines would have it see an error in place of the end.
                let _ = io::copy(&mut &*stream, &mut io::sink());
            }
        }
    };
    let thread = std::thread::Builder::new().name("jobs".into()).stack_size(client::STACK);
    thread.spawn(reading).map_err(failed)?;
    let client = Client::start(stream.clone(), Some(PATIENCE), cut, place.clone()).map_err(failed)?;
    *place.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(client.answers());
    let _ = sender.send(Arc::new(client));
    Ok(())
}
