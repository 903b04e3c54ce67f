//! Queued work of streams, for seeded orders and for the race check between streams.

use super::device::Prepared;
use super::memory::Allocation;
use super::race::RaceState;
use super::schedule::Random;
use crate::error::{Result, RuntimeError};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Work of a stream.
#[derive(Debug)]
pub(super) enum Operation {
    /// Host bytes to device.
    Write { allocation: Arc<Allocation>, offset: u64, data: Vec<u8> },
    /// Bytes of one value.
    Fill { allocation: Arc<Allocation>, offset: u64, len: u64, byte: u8 },
    /// A kernel.
    Launch(Prepared),
    /// An event.
    Record,
    /// Nothing further before `position` of `stream` is reached.
    Wait { stream: usize, position: u64 },
    /// Frees memory that queued work may still use.
    Free(Arc<Allocation>),
}

#[derive(Debug, Default)]
struct Queue {
    /// Work, and what the host had waited for when it was submitted.
    waiting: VecDeque<(Operation, Vec<u64>)>,
    /// Operations ever pushed, and done.
    pushed: u64,
    done: u64,
    /// Per stream, how far its work is ordered before this stream's next operation.
    clock: Vec<u64>,
    error: Option<RuntimeError>,
}

/// All streams of a device.
#[derive(Debug)]
pub(super) struct Queues {
    streams: Vec<Queue>,
    random: Option<Random>,
    race: Option<RaceState>,
    /// What the host has waited for.
    host: Vec<u64>,
    /// Clocks of executed events, by stream and position.
    events: HashMap<(usize, u64), Vec<u64>>,
    /// Memory to free once every stream has done this much.
    frees: Vec<(Vec<u64>, Arc<Allocation>)>,
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
            random: (seed != 0).then(|| Random::new(seed)),
            race: racecheck.then(RaceState::default),
            host: Vec::new(),
            events: HashMap::new(),
            frees: Vec::new(),
        }
    }

    /// A new stream.
    pub(super) fn open(&mut self) -> usize {
        self.streams.push(Queue::default());
        self.streams.len() - 1
    }

    /// Appends work, ordered after all that the host has waited for; returns its position.
    pub(super) fn push(&mut self, stream: usize, operation: Operation) -> u64 {
        let s = &mut self.streams[stream];
        s.pushed += 1;
        s.waiting.push_back((operation, self.host.clone()));
        s.pushed
    }

    /// The position of the last operation of a stream.
    pub(super) fn end(&self, stream: usize) -> u64 {
        self.streams[stream].pushed
    }

    /// The first error of a stream since the last call.
    pub(super) fn take_error(&mut self, stream: usize) -> Option<RuntimeError> {
        self.streams[stream].error.take()
    }

    /// Keeps an allocation until work queued so far is done; false if there is none.
    pub(super) fn free_later(&mut self, allocation: &Arc<Allocation>) -> bool {
        if self.streams.iter().all(|s| s.waiting.is_empty()) {
            return false;
        }
        self.frees.push((self.streams.iter().map(|s| s.pushed).collect(), allocation.clone()));
        true
    }

    fn runnable(&self, stream: usize) -> bool {
        match self.streams[stream].waiting.front() {
            None => false,
            Some((Operation::Wait { stream, position }, _)) => self.streams[*stream].done >= *position,
            Some(_) => true,
        }
    }

    /// Runs work until `stream` has none left. Other streams advance as the seed says, or as far as
    /// `stream` waits for them.
    pub(super) fn drain(
        &mut self,
        stream: usize,
        mut execute: impl FnMut(Operation, Option<&mut RaceState>) -> Result<()>,
    ) {
        while !self.streams[stream].waiting.is_empty() {
            let next = match &mut self.random {
                Some(_) => {
                    let able: Vec<usize> = (0..self.streams.len()).filter(|&s| self.runnable(s)).collect();
                    // Events are recorded before they are waited for, so waits cannot form a cycle.
                    let Some(random) = &mut self.random else { return };
                    able[random.below(able.len())]
                }
                None => {
                    let mut s = stream;
                    while let Some((Operation::Wait { stream: other, position }, _)) =
                        self.streams[s].waiting.front()
                        && self.streams[*other].done < *position
                    {
                        s = *other;
                    }
                    s
                }
            };
            self.advance(next, &mut execute);
        }
        let clock = self.streams[stream].clock.clone();
        join(&mut self.host, &clock);
    }

    /// Checks a copy to the host.
    pub(super) fn host_read(&mut self, address: u64, bytes: u64) -> Result<()> {
        let host = self.host.clone();
        match &mut self.race {
            Some(race) => race.host_read(&host, address, bytes),
            None => Ok(()),
        }
    }

    /// Runs all work.
    pub(super) fn drain_all(
        &mut self,
        mut execute: impl FnMut(Operation, Option<&mut RaceState>) -> Result<()>,
    ) {
        for s in 0..self.streams.len() {
            self.drain(s, &mut execute);
        }
    }

    fn advance(
        &mut self,
        s: usize,
        execute: &mut impl FnMut(Operation, Option<&mut RaceState>) -> Result<()>,
    ) {
        let Some((operation, host)) = self.streams[s].waiting.pop_front() else { return };
        let mut clock = std::mem::take(&mut self.streams[s].clock);
        join(&mut clock, &host);
        if let Operation::Wait { stream, position } = operation
            && let Some(event) = self.events.get(&(stream, position))
        {
            join(&mut clock, event);
        }
        let queue = &mut self.streams[s];
        queue.done += 1;
        let done = queue.done;
        if clock.len() <= s {
            clock.resize(s + 1, 0);
        }
        clock[s] = done;
        if matches!(operation, Operation::Record) {
            self.events.insert((s, done), clock.clone());
        }
        queue.clock = clock;
        let failed = queue.error.is_some();
        if let Some(race) = &mut self.race {
            race.begin(s, done, &self.streams[s].clock);
        }
        if !failed && let Err(e) = execute(operation, self.race.as_mut()) {
            self.streams[s].error = Some(e);
        }
        let streams = &self.streams;
        let (ready, later): (Vec<_>, Vec<_>) = std::mem::take(&mut self.frees)
            .into_iter()
            .partition(|(marks, _)| marks.iter().zip(streams).all(|(m, s)| s.done >= *m));
        self.frees = later;
        for (_, allocation) in ready {
            // Freeing cannot fail.
            let _ = execute(Operation::Free(allocation), None);
        }
    }
}
