//! What a call did and when.

use crate::platform::Instant;
use std::borrow::Cow;

/// How closely a call is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Launches and bytes are counted.
    #[default]
    Counts,
    /// Stages are timed by events, some ten microseconds a call.
    Stages,
    /// Every kernel and copy is timed too, which keeps them apart by some microseconds.
    Kernels,
}

/// What a [`Span`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A named part of the call, on the device.
    Stage,
    /// A kernel.
    Kernel,
    /// A copy between host and device.
    Copy,
    /// A named part of the call, on the host.
    Host,
}

/// When something was done, in seconds since the call began.
#[derive(Clone, Debug)]
pub struct Span {
    /// What it was.
    pub name: Cow<'static, str>,
    /// What kind of thing it was.
    pub kind: Kind,
    /// Number of the stream; 0 on the host.
    pub stream: u32,
    /// Begin.
    pub begin: f64,
    /// End.
    pub end: f64,
}

/// What a call did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// When the call began.
    pub start: Option<Instant>,
    /// Kernels launched.
    pub launches: u64,
    /// Bytes copied to the device.
    pub bytes_up: u64,
    /// Bytes copied from the device.
    pub bytes_down: u64,
    /// What was timed, in the order in which it was submitted.
    pub spans: Vec<Span>,
}

impl Report {
    /// Seconds of the device between the first and the last timed work; 0 where nothing was timed.
    pub fn device_seconds(&self) -> f64 {
        let device = || self.spans.iter().filter(|span| span.kind != Kind::Host);
        let begin = device().map(|span| span.begin).fold(f64::INFINITY, f64::min);
        let end = device().map(|span| span.end).fold(0.0, f64::max);
        (end - begin).max(0.0)
    }

    /// Seconds in which at least one kernel or copy ran; known with [`Detail::Kernels`].
    pub fn busy_seconds(&self) -> f64 {
        let mut work: Vec<(f64, f64)> = self
            .spans
            .iter()
            .filter(|span| matches!(span.kind, Kind::Kernel | Kind::Copy))
            .map(|span| (span.begin, span.end))
            .collect();
        work.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut busy, mut until) = (0.0, f64::NEG_INFINITY);
        for (begin, end) in work {
            busy += (end - begin.max(until)).max(0.0);
            until = until.max(end);
        }
        busy
    }

    /// The share of [`Report::device_seconds`] that the device was busy; `None` unless every kernel was
    /// timed, with [`Detail::Kernels`].
    pub fn busy_share(&self) -> Option<f64> {
        let busy = self.busy_seconds();
        (busy > 0.0).then(|| busy / self.device_seconds())
    }
}
