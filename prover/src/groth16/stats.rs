//! Where the time of a proof goes.

use curvesmith_runtime::platform::Instant;
use curvesmith_runtime::{Kind, Report, Span};
use std::borrow::Cow;
use std::time::Duration;

/// A part of a proof.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What it does.
    pub name: Cow<'static, str>,
    /// Time of the host: computing, submitting work, or waiting for it.
    pub host: Duration,
    /// Time of the device, by its own clock, from the first to the last of the stage's work. Stages on
    /// several streams overlap. `None` where the stage runs on the host, or the device was not watched.
    pub device: Option<Duration>,
}

/// What a proof did.
#[derive(Clone, Debug, Default)]
pub struct ProveStats {
    /// The stages in the order in which they were begun; empty unless the proof was watched.
    pub stages: Vec<Stage>,
    /// From the call to the proof, self-check included.
    pub total: Duration,
    /// Launches, bytes and times by the device's clock.
    pub report: Report,
}

impl ProveStats {
    /// Of a proof that was begun at `start` and is ready now.
    pub(super) fn new(start: Instant, mut report: Report) -> Self {
        // The report counts from its own start, a little later.
        let later = report.start.map_or(0.0, |began| began.duration_since(start).as_secs_f64());
        for span in &mut report.spans {
            (span.begin, span.end) = (span.begin + later, span.end + later);
        }
        report.start = Some(start);
        let mut host: Vec<&Span> = report.spans.iter().filter(|span| span.kind == Kind::Host).collect();
        host.sort_by(|a, b| a.begin.total_cmp(&b.begin));
        let seconds = |span: &Span| Duration::from_secs_f64((span.end - span.begin).max(0.0));
        let stage = |span: &&Span| Stage {
            name: span.name.clone(),
            host: seconds(span),
            device: report
                .spans
                .iter()
                .find(|device| device.kind == Kind::Stage && device.name == span.name)
                .map(seconds),
        };
        let stages: Vec<Stage> = host.iter().map(stage).collect();
        for stage in &stages {
            tracing::debug!(stage = &*stage.name, seconds = stage.host.as_secs_f64());
        }
        let total = start.elapsed();
        tracing::debug!(seconds = total.as_secs_f64(), launches = report.launches, "proved");
        ProveStats { stages, total, report }
    }
}
