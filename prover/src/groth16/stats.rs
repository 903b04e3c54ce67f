//! Where the time of a proof goes.

use std::time::{Duration, Instant};

/// Time per stage of one proof, in the order in which the stages ran.
///
/// Stages are timed on the host. A device may still be busy with one when the next is
/// begun; the multi-scalar multiplications wait for their results.
#[derive(Clone, Debug, Default)]
pub struct ProveStats {
    /// Name and duration of each stage.
    pub stages: Vec<(&'static str, Duration)>,
    /// From the call to the proof, self-check included.
    pub total: Duration,
}

/// Collects [`ProveStats`].
#[derive(Debug)]
pub(crate) struct Recorder {
    start: Instant,
    stages: Vec<(&'static str, Duration)>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { start: Instant::now(), stages: Vec::new() }
    }
}

impl Recorder {
    pub(crate) fn stage<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let elapsed = start.elapsed();
        tracing::debug!(stage = name, ?elapsed);
        self.stages.push((name, elapsed));
        result
    }

    pub(crate) fn finish(self) -> ProveStats {
        ProveStats { stages: self.stages, total: self.start.elapsed() }
    }
}
