//! Threads for calls that take long.
//!
//! They are ours and not libuv's, whose four serve files and names of hosts: proofs would keep a server from
//! both.

use curvesmith_bindings::{Cancel, Error, ErrorKind, Result};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// How long a thread waits for another job before it ends.
const IDLE: Duration = Duration::from_secs(5);

/// A call, which can be cancelled while it waits and while it runs.
#[derive(Debug)]
pub struct Ticket {
    /// The JavaScript environment that asked for it.
    owner: u32,
    cancelled: AtomicBool,
    pub(crate) cancel: Cancel,
}

impl Ticket {
    pub(crate) fn new(owner: u32) -> Arc<Self> {
        Arc::new(Self { owner, cancelled: AtomicBool::new(false), cancel: Cancel::default() })
    }

    /// An error if the call was cancelled.
    fn check(&self) -> Result<()> {
        match self.cancelled.load(Ordering::Acquire) {
            true => Err(Error::new(ErrorKind::Cancelled, "cancelled")),
            false => Ok(()),
        }
    }
}

/// Does its work, or, given an error, only tells it.
type Run = Box<dyn FnOnce(Result<()>) + Send>;

struct Job {
    ticket: Arc<Ticket>,
    run: Run,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    running: Vec<Arc<Ticket>>,
    threads: usize,
}

/// Jobs in the order in which they came, and threads that come with them and end without.
pub(crate) struct Pool {
    name: &'static str,
    /// Jobs that run at once.
    most: usize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Pool {
    pub(crate) const fn new(name: &'static str, most: usize) -> Self {
        let state = State { waiting: VecDeque::new(), running: Vec::new(), threads: 0 };
        Self { name, most, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Has `run` called on another thread, once.
    pub(crate) fn submit(&'static self, ticket: Arc<Ticket>, run: Run) {
        let mut state = self.lock();
        state.waiting.push_back(Job { ticket, run });
        // Each thread that does not run a job takes one.
        let free = state.threads - state.running.len();
        if free < state.waiting.len() && state.threads < self.most {
            state.threads += 1;
            let spawned = Builder::new().name(self.name.to_owned()).spawn(|| self.work());
            if let Err(error) = spawned {
                state.threads -= 1;
                // Others come to it where there are any.
                if state.threads == 0
                    && let Some(job) = state.waiting.pop_back()
                {
                    drop(state);
                    (job.run)(Err(Error::new(ErrorKind::Internal, format_args!("no thread: {error}"))));
                    return;
                }
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Ends a call: at once if it waits, else when its work next looks.
    pub(crate) fn cancel(&self, ticket: &Arc<Ticket>) {
        ticket.cancelled.store(true, Ordering::Release);
        ticket.cancel.cancel();
        self.drop_waiting(|other| Arc::ptr_eq(other, ticket));
    }

    /// Cancels all calls of an environment, and returns when none runs any more.
    pub(crate) fn end(&self, owner: u32) {
        self.drop_waiting(|ticket| ticket.owner == owner);
        let of_owner = |state: &mut State| state.running.iter().any(|ticket| ticket.owner == owner);
        let state = self.lock();
        for ticket in state.running.iter().filter(|ticket| ticket.owner == owner) {
            ticket.cancelled.store(true, Ordering::Release);
            ticket.cancel.cancel();
        }
        let ended = self.changed.wait_while(state, of_owner);
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }

    fn drop_waiting(&self, is_dropped: impl Fn(&Arc<Ticket>) -> bool) {
        let mut state = self.lock();
        let waiting = std::mem::take(&mut state.waiting);
        let (dropped, kept): (VecDeque<_>, _) = waiting.into_iter().partition(|job| is_dropped(&job.ticket));
        state.waiting = kept;
        drop(state);
        dropped.into_iter().for_each(|job| (job.run)(Err(Error::new(ErrorKind::Cancelled, "cancelled"))));
    }

    fn work(&'static self) {
        let mut state = self.lock();
        loop {
            if let Some(Job { ticket, run }) = state.waiting.pop_front() {
                state.running.push(Arc::clone(&ticket));
                drop(state);
                run(ticket.check());
                state = self.lock();
                state.running.retain(|other| !Arc::ptr_eq(other, &ticket));
                self.changed.notify_all();
                continue;
            }
            let waited = self.changed.wait_timeout(state, IDLE);
            let (woken, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if timeout.timed_out() && state.waiting.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
