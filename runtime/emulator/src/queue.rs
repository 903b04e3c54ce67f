//! Queued work of streams, for seeded orders and for the race check between streams.

use super::launch::Prepared;
use super::lock;
use super::memory::Allocation;
use super::race::RaceState;
use super::schedule::Random;
use super::staging::StagedBytes;
use curvesmith_device::{Result, RuntimeError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// Work of a stream.
pub(super) enum Operation {
    /// Host bytes to device.
    Upload { allocation: Arc<Allocation>, offset: u64, data: StagedBytes, len: usize },
    /// Device bytes to host.
    Download { allocation: Arc<Allocation>, offset: u64, data: StagedBytes, len: usize },
    /// Bytes of one value.
    Fill { allocation: Arc<Allocation>, offset: u64, len: u64, byte: u8 },
    /// The first bytes have a new owner.
    Reuse { allocation: Arc<Allocation>, bytes: u64 },
    /// A kernel.
    Launch(Prepared),
    /// An event.
    Record,
    /// Nothing further before another stream passes its mark.
    Wait(Arc<Mark>),
    /// A failure on purpose.
    Fail(RuntimeError),
}

/// A place in a stream that somebody waits for.
#[derive(Debug)]
pub(super) struct Mark {
    slot: usize,
    passed: OnceLock<Passed>,
}

#[derive(Debug)]
struct Passed {
    /// What is ordered before it; empty where operations are executed at submission.
    clock: Vec<u64>,
    at: Instant,
    /// The error of the stream then.
    error: Option<RuntimeError>,
}

impl Mark {
    pub(super) fn new(slot: usize) -> Arc<Mark> {
        Arc::new(Mark { slot, passed: OnceLock::new() })
    }

    pub(super) fn slot(&self) -> usize {
        self.slot
    }

    /// Its stream has come here; a second call changes nothing.
    pub(super) fn pass(&self, clock: Vec<u64>, error: Option<RuntimeError>) {
        let _ = self.passed.set(Passed { clock, at: Instant::now(), error });
    }

    /// When the stream came here, unless it failed before.
    pub(super) fn time(&self) -> Option<Instant> {
        self.passed.get().filter(|p| p.error.is_none()).map(|p| p.at)
    }

    /// The error that the stream came here with.
    pub(super) fn error(&self) -> Option<&RuntimeError> {
        self.passed.get().and_then(|p| p.error.as_ref())
    }

    fn is_passed(&self) -> bool {
        self.passed.get().is_some()
    }
}

/// What a stream is, apart from its queue.
#[derive(Debug)]
pub(super) struct StreamState {
    pub(super) slot: usize,
    /// The first error. Held while an operation is executed at submission.
    pub(super) failure: Mutex<Option<RuntimeError>>,
}

struct Work {
    operation: Operation,
    /// What the host had waited for when it was submitted.
    host: Vec<u64>,
    mark: Option<Arc<Mark>>,
}

/// The work of one stream after another. Positions count on from stream to stream, so that clocks
/// and shadows of an earlier stream keep their meaning.
struct Queue {
    waiting: VecDeque<Work>,
    /// Operations ever pushed, and done.
    pushed: u64,
    done: u64,
    /// Per slot, how far its work is ordered before this stream's next operation.
    clock: Vec<u64>,
    state: Arc<StreamState>,
}

/// All streams of a device.
pub(super) struct Queues {
    streams: Vec<Queue>,
    /// Slots whose stream is gone, and whose work is done.
    closed: Vec<usize>,
    random: Option<Random>,
    race: Option<RaceState>,
    /// What the host has waited for.
    host: Vec<u64>,
    /// Memory to free once every stream has done this much.
    frees: Vec<(Vec<u64>, Arc<Allocation>)>,
}

/// Executes an operation, or frees memory, which cannot fail.
pub(super) trait Execute {
    fn execute(&self, operation: Operation, race: Option<&mut RaceState>) -> Result<()>;
    fn release(&self, allocation: &Allocation);
}

/// Entry-wise maximum; missing entries are 0.
fn join(into: &mut Vec<u64>, from: &[u64]) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}

impl Queues {
    pub(super) fn new(seed: u64, racecheck: bool) -> Queues {
        Queues {
            streams: Vec::new(),
            closed: Vec::new(),
            random: (seed != 0).then(|| Random::new(seed)),
            race: racecheck.then(RaceState::default),
            host: Vec::new(),
            frees: Vec::new(),
        }
    }

    /// A new stream. It takes a closed slot if that orders nothing that was not ordered: the race check
    /// would otherwise not see a race between the two streams. So a slot is lost for good only if the
    /// host never waits for the last work of its stream, and the race check is on.
    pub(super) fn open(&mut self) -> Arc<StreamState> {
        let known =
            |s: usize| self.race.is_none() || self.host.get(s).copied().unwrap_or(0) >= self.streams[s].done;
        let reusable = self.closed.iter().position(|&s| known(s));
        let slot = reusable.map_or(self.streams.len(), |i| self.closed.swap_remove(i));
        let state = Arc::new(StreamState { slot, failure: Mutex::new(None) });
        match self.streams.get_mut(slot) {
            Some(queue) => queue.state = state.clone(),
            None => self.streams.push(Queue {
                waiting: VecDeque::new(),
                pushed: 0,
                done: 0,
                clock: Vec::new(),
                state: state.clone(),
            }),
        }
        state
    }

    /// Does the work of a stream that nobody can wait for any more, and takes its slot back.
    pub(super) fn close(&mut self, slot: usize, device: &impl Execute) {
        while !self.streams[slot].waiting.is_empty() {
            self.advance_towards(slot, device);
        }
        self.closed.push(slot);
    }

    /// Appends work, ordered after all that the host has waited for.
    pub(super) fn push(&mut self, slot: usize, operation: Operation, mark: Option<Arc<Mark>>) {
        let s = &mut self.streams[slot];
        s.pushed += 1;
        s.waiting.push_back(Work { operation, host: self.host.clone(), mark });
    }

    /// Keeps an allocation until work queued so far is done; false if there is none, and it can be
    /// freed now.
    pub(super) fn free_later(&mut self, allocation: &Arc<Allocation>) -> bool {
        if self.streams.iter().all(|s| s.waiting.is_empty()) {
            self.forget(allocation);
            return false;
        }
        self.frees.push((self.streams.iter().map(|s| s.pushed).collect(), allocation.clone()));
        true
    }

    /// Runs work until `slot` has none left. Other streams advance as the seed says, or as far as
    /// `slot` waits for them.
    pub(super) fn drain(&mut self, slot: usize, device: &impl Execute) {
        while !self.streams[slot].waiting.is_empty() {
            self.advance_towards(slot, device);
        }
        let clock = self.streams[slot].clock.clone();
        join(&mut self.host, &clock);
    }

    /// Runs work until a mark is passed.
    pub(super) fn drain_to(&mut self, mark: &Mark, device: &impl Execute) {
        while !mark.is_passed() && !self.streams[mark.slot].waiting.is_empty() {
            self.advance_towards(mark.slot, device);
        }
        if let Some(passed) = mark.passed.get() {
            join(&mut self.host, &passed.clock);
        }
    }

    /// Runs all work.
    pub(super) fn drain_all(&mut self, device: &impl Execute) {
        for s in 0..self.streams.len() {
            self.drain(s, device);
        }
    }

    /// Drops all work: the device is lost. Whoever waits for a mark is told so.
    pub(super) fn abandon(&mut self, error: &RuntimeError, device: &impl Execute) {
        for s in &mut self.streams {
            s.done = s.pushed;
            for mark in s.waiting.drain(..).filter_map(|work| work.mark) {
                mark.pass(s.clock.clone(), Some(error.clone()));
            }
        }
        for (_, allocation) in self.frees.drain(..) {
            device.release(&allocation);
        }
    }

    fn forget(&mut self, allocation: &Allocation) {
        if let Some(race) = &mut self.race {
            race.forget(allocation.base, allocation.capacity);
        }
    }

    fn runnable(&self, slot: usize) -> bool {
        match self.streams[slot].waiting.front().map(|work| &work.operation) {
            None => false,
            Some(Operation::Wait(mark)) => mark.is_passed(),
            Some(_) => true,
        }
    }

    /// Runs one operation: of any stream under a seed, otherwise one that `slot`, which has work, needs.
    fn advance_towards(&mut self, slot: usize, device: &impl Execute) {
        let able: Vec<usize> = match self.random {
            Some(_) => (0..self.streams.len()).filter(|&s| self.runnable(s)).collect(),
            None => Vec::new(),
        };
        let next = match &mut self.random {
            // Events are recorded before they are waited for, so waits cannot form a cycle.
            Some(random) => able[random.below(able.len())],
            None => {
                let mut s = slot;
                while let Some(Operation::Wait(mark)) = self.streams[s].waiting.front().map(|w| &w.operation)
                    && !mark.is_passed()
                {
                    s = mark.slot;
                }
                s
            }
        };
        self.advance(next, device);
    }

    fn advance(&mut self, s: usize, device: &impl Execute) {
        let Some(Work { operation, host, mark }) = self.streams[s].waiting.pop_front() else { return };
        let mut clock = std::mem::take(&mut self.streams[s].clock);
        join(&mut clock, &host);
        if let Operation::Wait(event) = &operation
            && let Some(passed) = event.passed.get()
        {
            join(&mut clock, &passed.clock);
        }
        let queue = &mut self.streams[s];
        queue.done += 1;
        if clock.len() <= s {
            clock.resize(s + 1, 0);
        }
        clock[s] = queue.done;
        queue.clock = clock;
        if let Some(race) = &mut self.race {
            race.begin(s, queue.done, &queue.clock);
        }
        let mut failure = lock(&queue.state.failure);
        if failure.is_none() {
            *failure = device.execute(operation, self.race.as_mut()).err();
        } else {
            // Its share of staging memory must be gone before the mark is passed.
            drop(operation);
        }
        if let Some(mark) = mark {
            mark.pass(queue.clock.clone(), failure.clone());
        }
        drop(failure);
        let streams = &self.streams;
        let (ready, later): (Vec<_>, Vec<_>) = std::mem::take(&mut self.frees)
            .into_iter()
            .partition(|(marks, _)| marks.iter().zip(streams).all(|(m, s)| s.done >= *m));
        self.frees = later;
        for (_, allocation) in ready {
            self.forget(&allocation);
            device.release(&allocation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;
    impl Execute for Nothing {
        fn execute(&self, _: Operation, _: Option<&mut RaceState>) -> Result<()> {
            Ok(())
        }
        fn release(&self, _: &Allocation) {}
    }

    #[test]
    fn dropped_streams_give_their_slots_back() {
        for (racecheck, waits, slots) in
            [(false, true, 1), (false, false, 1), (true, true, 1), (true, false, 50)]
        {
            let mut queues = Queues::new(0, racecheck);
            for _ in 0..50 {
                let slot = queues.open().slot;
                queues.push(slot, Operation::Record, None);
                if waits {
                    queues.drain(slot, &Nothing);
                }
                queues.close(slot, &Nothing);
            }
            assert_eq!(queues.streams.len(), slots, "race check {racecheck}, host waits {waits}");
        }
    }
}
