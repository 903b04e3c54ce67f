//! The thread that reads the jobs of all clients and writes their answers.

use super::client::Clients;
use super::queue::{End, Queue};
#[cfg(unix)]
use super::socket::{self, Socket};
use crate::failure::Failure;
use crate::process;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::timeout;

/// How long answers are written, to all clients together, when the service has to end.
const GRACE: Duration = Duration::from_secs(5);

/// Serves clients until the process ends.
pub(super) struct EventLoop {
    clients: Arc<Clients>,
    handle: Handle,
    /// Removed when this is dropped.
    #[cfg(unix)]
    _socket: Option<Socket>,
}

impl EventLoop {
    /// Takes jobs from the clients of a socket there, or else from standard input.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there are no Unix sockets"))]
    pub(super) fn start(socket: Option<&Path>, queue: &Arc<Queue>) -> Result<Self, Failure> {
        if socket.is_none() {
            process::check_standard_output()?;
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::Internal(format!("no event loop: {error}")))?;
        let (clients, queue) = (Arc::new(Clients::default()), queue.clone());
        let (handle, served) = (runtime.handle().clone(), clients.clone());
        #[cfg(unix)]
        if let Some(path) = socket {
            let (listener, socket) = runtime.block_on(socket::listen(path))?;
            let accept = {
                let queue = queue.clone();
                async move { socket::accept(listener, &queue, &served).await }
            };
            run(runtime, &queue, accept)?;
            return Ok(Self { clients, handle, _socket: Some(socket) });
        }
        let serve = {
            let queue = queue.clone();
            async move {
                queue.end(End::Input(serve_standard(&served, &queue).await));
                // Whoever waits for the last answers needs the clock.
                std::future::pending().await
            }
        };
        run(runtime, &queue, serve)?;
        Ok(Self {
            clients,
            handle,
            #[cfg(unix)]
            _socket: None,
        })
    }

    /// Waits until all answers are written, no longer than for [`GRACE`].
    pub(super) fn finish(&self) {
        let clients = &self.clients;
        if self.handle.block_on(async { timeout(GRACE, clients.have_all()).await }).is_err() {
            clients.give_up("the service ends");
        }
    }
}

/// Starts the thread. That it fails ends the service.
fn run(
    runtime: Runtime,
    queue: &Arc<Queue>,
    serve: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Failure> {
    let queue = queue.clone();
    let run = move || {
        if catch_unwind(AssertUnwindSafe(|| runtime.block_on(serve))).is_err() {
            queue.end(End::Failed(Failure::Internal("the program failed".into())));
        }
    };
    std::thread::Builder::new().name("clients".into()).spawn(run).map(drop).map_err(Failure::no_thread)
}

/// Serves the one client that standard input and output are, which is waited for.
async fn serve_standard(clients: &Clients, queue: &Queue) -> Result<(), Failure> {
    match clients.serve(tokio::io::stdin(), &mut tokio::io::stdout(), None, queue).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::Input("standard output: cannot be written".into())),
        Err(error) => Err(Failure::Input(format!("standard input: {error}"))),
    }
}
