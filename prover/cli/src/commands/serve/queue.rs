//! Jobs that wait.

use super::job::Asked;
use crate::failure::Failure;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most jobs that wait; who brings more waits too, and with it what writes to it.
const CAPACITY: usize = 64;

/// Why no more jobs are taken.
pub(super) enum End {
    /// There are no more, in order or not; those that wait are proven.
    Input(Result<(), Failure>),
    /// A signal; what waits is not begun.
    Signal(i32),
    /// Nothing more can be done; what waits is not begun.
    Failed(Failure),
}

pub(super) struct Queue {
    /// Threads that take jobs.
    takers: usize,
    state: Mutex<State>,
    /// Tells them.
    changed: Condvar,
    /// None are given when no more jobs are taken.
    places: Arc<Semaphore>,
}

/// One of the [`CAPACITY`] places of jobs that wait.
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Placed>,
    end: Option<End>,
}

struct Placed {
    asked: Asked,
    _place: Place,
}

impl Queue {
    /// No jobs yet, for so many threads that take them.
    pub(super) fn new(takers: usize) -> Self {
        let places = Arc::new(Semaphore::new(CAPACITY));
        Queue { takers: takers.max(1), state: Mutex::default(), changed: Condvar::new(), places }
    }

    /// Waits for a place; `None` if no more jobs are taken.
    pub(super) async fn place(&self) -> Option<Place> {
        let permit = self.places.clone().acquire_owned().await.ok()?;
        Some(Place { _permit: permit })
    }

    /// Adds a job that has a place; gives it back if none are taken any more.
    pub(super) fn push(&self, asked: Asked, place: Option<Place>) -> Option<Asked> {
        let mut state = self.lock();
        match place {
            Some(place) if state.end.is_none() => {
                state.jobs.push_back(Placed { asked, _place: place });
                self.changed.notify_all();
                None
            }
            _ => Some(asked),
        }
    }

    /// The job that has waited for longest, as soon as there is one; or why there is none to come.
    pub(super) fn first(&self) -> Result<Asked, End> {
        let idle = |state: &mut State| state.end.is_none() && state.jobs.is_empty();
        let mut state = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        // Whoever comes later finds that it has ended, and needs no reason.
        let reason = |state: &mut State| state.end.replace(End::Input(Ok(())));
        match state.takes_jobs().then(|| state.jobs.pop_front()).flatten() {
            Some(job) => Ok(job.asked),
            None => Err(reason(&mut state).expect("waited for one of the two")),
        }
    }

    /// Jobs that wait for this key, those that wait for longest: with the one that was taken before at most
    /// `most`, and no more than each thread's share of all that wait for it.
    pub(super) fn others_of(&self, zkey: &Path, most: usize) -> Vec<Asked> {
        let mut state = self.lock();
        let all = 1 + state.jobs.iter().filter(|placed| placed.asked.job.zkey == zkey).count();
        let limit = most.min(all.div_ceil(self.takers)) - 1;
        let mut taken = Vec::new();
        let mut at = 0;
        while state.takes_jobs() && taken.len() < limit && at < state.jobs.len() {
            if state.jobs[at].asked.job.zkey == zkey {
                taken.extend(state.jobs.remove(at).map(|placed| placed.asked));
            } else {
                at += 1;
            }
        }
        taken
    }

    /// Takes no more jobs. The end of the input gives way to another reason.
    pub(super) fn end(&self, end: End) {
        let mut state = self.lock();
        if matches!(state.end, None | Some(End::Input(_))) {
            state.end = Some(end);
        }
        self.places.close();
        self.changed.notify_all();
    }

    /// What was not begun.
    pub(super) fn rest(&self) -> Vec<Asked> {
        self.lock().jobs.drain(..).map(|placed| placed.asked).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether jobs that wait are begun.
    fn takes_jobs(&self) -> bool {
        matches!(self.end, None | Some(End::Input(_)))
    }
}
