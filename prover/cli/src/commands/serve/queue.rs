//! Jobs that wait.

use super::job::Asked;
use crate::failure::Failure;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Most jobs that wait; who brings more waits too, and with it what writes to it.
const CAPACITY: usize = 64;

/// Why no more jobs are taken.
pub(super) enum End {
    /// There are no more; those that wait are proven.
    Input,
    /// A signal; what waits is not begun.
    Signal(i32),
    /// Nothing more can be done; what waits is not begun.
    Failed(Failure),
}

pub(super) struct Queue {
    /// Threads that take jobs.
    takers: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Asked>,
    end: Option<End>,
}

impl Queue {
    /// No jobs yet, for so many threads that take them.
    pub(super) fn new(takers: usize) -> Self {
        Queue { takers: takers.max(1), state: Mutex::default(), changed: Condvar::new() }
    }

    /// Adds a job when there is room; gives it back if none are taken any more, or nobody waits for
    /// it.
    pub(super) fn push(&self, job: Asked) -> Option<Asked> {
        let full =
            |state: &mut State| state.end.is_none() && state.jobs.len() >= CAPACITY && !job.client.is_gone();
        let mut state = self.changed.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        if state.end.is_some() || job.client.is_gone() {
            return Some(job);
        }
        state.jobs.push_back(job);
        self.changed.notify_all();
        None
    }

    /// The job that has waited for longest, as soon as there is one; or why there is none to come.
    pub(super) fn first(&self) -> Result<Asked, End> {
        let idle = |state: &mut State| state.end.is_none() && state.jobs.is_empty();
        let mut state = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        let job = if state.takes_jobs() { state.jobs.pop_front() } else { None };
        self.changed.notify_all();
        // Whoever comes later finds that it has ended, and needs no reason.
        job.ok_or_else(|| state.end.replace(End::Input).expect("waited for one of the two"))
    }

    /// Jobs that wait for this key, those that wait for longest: with the one that was taken before at most `most`, and no more than
    /// each thread's share of all that wait for it.
    pub(super) fn others_of(&self, zkey: &Path, most: usize) -> Vec<Asked> {
        let mut state = self.lock();
        let all = 1 + state.jobs.iter().filter(|asked| asked.job.zkey == zkey).count();
        let limit = most.min(all.div_ceil(self.takers)) - 1;
        let mut taken = Vec::new();
        let mut at = 0;
        while state.takes_jobs() && taken.len() < limit && at < state.jobs.len() {
            if state.jobs[at].job.zkey == zkey {
                taken.extend(state.jobs.remove(at));
            } else {
                at += 1;
            }
        }
        self.changed.notify_all();
        taken
    }

    /// Takes no more jobs. The end of the input gives way to another reason.
    pub(super) fn end(&self, end: End) {
        let mut state = self.lock();
        if matches!(state.end, None | Some(End::Input)) {
            state.end = Some(end);
        }
        self.changed.notify_all();
    }

    /// Has who waits to add a job look whether anybody waits for that.
    pub(super) fn client_has_gone(&self) {
        let _state = self.lock();
        self.changed.notify_all();
    }

    /// What was not begun.
    pub(super) fn rest(&self) -> Vec<Asked> {
        self.lock().jobs.drain(..).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether jobs that wait are begun.
    fn takes_jobs(&self) -> bool {
        matches!(self.end, None | Some(End::Input))
    }
}
