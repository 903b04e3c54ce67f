//! What a call did and when, by the device's clock.

use crate::error::Result;
use curvesmith_device::{self as device, Event, KernelDevice};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

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

    /// The share of [`Report::device_seconds`] that the device was busy; `None` unless every kernel was timed, with
    /// [`Detail::Kernels`].
    pub fn busy_share(&self) -> Option<f64> {
        let busy = self.busy_seconds();
        (busy > 0.0).then(|| busy / self.device_seconds())
    }
}

/// The books of one call and its forks.
#[derive(Debug)]
pub(super) struct Account {
    start: Instant,
    launches: AtomicU64,
    bytes_up: AtomicU64,
    bytes_down: AtomicU64,
    recorder: Option<Recorder>,
}

#[derive(Debug)]
pub(super) struct Recorder {
    detail: Detail,
    /// The device's clock when the call began.
    base: Event,
    spans: Mutex<Vec<Timed>>,
    host: Mutex<Vec<Span>>,
}

#[derive(Debug)]
struct Timed {
    name: Cow<'static, str>,
    kind: Kind,
    stream: u32,
    begin: Event,
    end: Event,
}

impl Account {
    pub(super) fn new(device: &dyn KernelDevice, stream: &device::Stream, detail: Detail) -> Result<Account> {
        let recorder = match detail {
            Detail::Counts => None,
            Detail::Stages | Detail::Kernels => Some(Recorder {
                detail,
                base: device.record(stream, true)?,
                spans: Mutex::default(),
                host: Mutex::default(),
            }),
        };
        Ok(Account {
            start: Instant::now(),
            launches: AtomicU64::new(0),
            bytes_up: AtomicU64::new(0),
            bytes_down: AtomicU64::new(0),
            recorder,
        })
    }

    pub(super) fn count_launch(&self) {
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_up(&self, bytes: usize) {
        self.bytes_up.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn count_down(&self, bytes: usize) {
        self.bytes_down.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Where spans of a kind are noted, if they are.
    pub(super) fn recorder(&self, kind: Kind) -> Option<&Recorder> {
        let least = match kind {
            Kind::Stage | Kind::Host => Detail::Stages,
            Kind::Kernel | Kind::Copy => Detail::Kernels,
        };
        self.recorder.as_ref().filter(|recorder| recorder.detail >= least)
    }

    pub(super) fn host_span(&self, name: &'static str, begin: Instant) {
        if let Some(recorder) = self.recorder(Kind::Host) {
            let since = |at: Instant| at.saturating_duration_since(self.start).as_secs_f64();
            let (begin, end) = (since(begin), since(Instant::now()));
            let span = Span { name: Cow::Borrowed(name), kind: Kind::Host, stream: 0, begin, end };
            lock(&recorder.host).push(span);
        }
    }

    /// The books, once all work is done.
    pub(super) fn report(&self, device: &dyn KernelDevice) -> Result<Report> {
        let mut spans = Vec::new();
        if let Some(recorder) = &self.recorder {
            for timed in std::mem::take(&mut *lock(&recorder.spans)) {
                spans.push(Span {
                    begin: device.elapsed(&recorder.base, &timed.begin)?,
                    end: device.elapsed(&recorder.base, &timed.end)?,
                    name: timed.name,
                    kind: timed.kind,
                    stream: timed.stream,
                });
            }
            spans.append(&mut lock(&recorder.host));
        }
        Ok(Report {
            start: Some(self.start),
            launches: self.launches.load(Ordering::Relaxed),
            bytes_up: self.bytes_up.load(Ordering::Relaxed),
            bytes_down: self.bytes_down.load(Ordering::Relaxed),
            spans,
        })
    }
}

impl Recorder {
    pub(super) fn add(&self, kind: Kind, name: Cow<'static, str>, stream: u32, begin: Event, end: Event) {
        lock(&self.spans).push(Timed { name, kind, stream, begin, end });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
