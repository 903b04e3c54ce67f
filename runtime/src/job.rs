//! Work that runs beside the caller.

use crate::error::{Result, RuntimeError};
use crate::platform::start_thread;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A wish to end a call early, shared between the call and who may wish it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// [`RuntimeError::Cancelled`] once the end is asked for.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(RuntimeError::Cancelled) } else { Ok(()) }
    }
}

/// A call that runs on a thread of its own, with streams of its own.
///
/// Dropping it waits for the call, whose result is lost; cancel first to wait less.
#[must_use = "dropping a job waits for it"]
pub struct Job<T, E = RuntimeError> {
    /// Until it is waited for; or why there is none.
    thread: Option<Result<JoinHandle<std::result::Result<T, E>>>>,
    cancel: Cancel,
}

impl<T: Send + 'static, E: From<RuntimeError> + Send + 'static> Job<T, E> {
    /// Runs `work` on a thread of its own. It ends early, with [`RuntimeError::Cancelled`], once its argument
    /// asks for that: [`Work`](crate::work::Work) that was [made with it](crate::Device::work_with) does.
    /// Where no thread can be started, its result is [`RuntimeError::Thread`].
    pub fn start(work: impl FnOnce(Cancel) -> std::result::Result<T, E> + Send + 'static) -> Self {
        let cancel = Cancel::default();
        let wish = cancel.clone();
        Job { thread: Some(start_thread(move || work(wish))), cancel }
    }

    /// The result of the call.
    pub fn wait(mut self) -> std::result::Result<T, E> {
        let thread = self.thread.take().unwrap_or(Err(RuntimeError::Cancelled))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl<T, E> Job<T, E> {
    /// Asks the call to end. What the device has begun it completes, nothing more is submitted, and
    /// [`Job::wait`] gives [`RuntimeError::Cancelled`] unless the call had ended before. The CPU's
    /// algorithms end between their steps only.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether [`Job::wait`] would not block.
    pub fn is_finished(&self) -> bool {
        self.thread.iter().flatten().all(JoinHandle::is_finished)
    }
}

impl<T, E> Drop for Job<T, E> {
    fn drop(&mut self) {
        if let Some(Ok(thread)) = self.thread.take() {
            // A panic was reported by the thread itself.
            let _ = thread.join();
        }
    }
}

impl<T, E> fmt::Debug for Job<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("finished", &self.is_finished()).finish_non_exhaustive()
    }
}
