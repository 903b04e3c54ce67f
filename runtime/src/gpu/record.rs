//! What a call did and when, by the device's clock.

use crate::error::Result;
use crate::platform::Instant;
use crate::vocabulary::{Detail, Kind, Report, Span};
use curvesmith_device::{self as device, Event, KernelDevice};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
