//! Keeps the entries of this worker young, however long a proof takes.

use super::stream::Stream;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The entries that this worker has, which a thread renews.
#[derive(Clone, Default)]
pub(super) struct Heartbeat(Arc<Mutex<Vec<String>>>);

impl Heartbeat {
    /// Renews what is held at every `interval`, while the process lives.
    pub(super) fn start(mut stream: Stream, interval: Duration) -> io::Result<Self> {
        let heartbeat = Self::default();
        std::thread::Builder::new().name("heartbeat".into()).spawn({
            let heartbeat = heartbeat.clone();
            move || {
                loop {
                    std::thread::sleep(interval);
                    let held = heartbeat.lock().clone();
                    if held.is_empty() {
                        continue;
                    }
                    // One that fails is not repeated: another follows soon, on a new connection.
                    if let Err(error) = stream.renew(&held) {
                        tracing::warn!(%error, "jobs under way were not renewed");
                    }
                }
            }
        })?;
        Ok(heartbeat)
    }

    /// Renews these too.
    pub(super) fn hold(&self, entries: impl IntoIterator<Item = String>) {
        self.lock().extend(entries);
    }

    /// Renews this one no more.
    pub(super) fn release(&self, entry: &str) {
        self.lock().retain(|held| held != entry);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
