//! Failures on purpose.

use super::lock;
use curvesmith_device::{Result, RuntimeError};
use std::sync::{Mutex, OnceLock};

/// A call that [`Emulator::fail_after`](super::Emulator::fail_after) counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceCall {
    /// `alloc`.
    Alloc,
    /// `staging`.
    Staging,
    /// `stream`.
    Stream,
    /// `load`.
    Load,
    /// `upload`.
    Upload,
    /// `download`.
    Download,
    /// `fill`.
    Fill,
    /// `launch`.
    Launch,
    /// `record`.
    Record,
    /// `wait`.
    Wait,
}

impl DeviceCall {
    /// Every counted call.
    pub const ALL: [DeviceCall; 10] = [
        DeviceCall::Alloc,
        DeviceCall::Staging,
        DeviceCall::Stream,
        DeviceCall::Load,
        DeviceCall::Upload,
        DeviceCall::Download,
        DeviceCall::Fill,
        DeviceCall::Launch,
        DeviceCall::Record,
        DeviceCall::Wait,
    ];

    fn name(self) -> &'static str {
        match self {
            DeviceCall::Alloc => "alloc",
            DeviceCall::Staging => "staging",
            DeviceCall::Stream => "stream",
            DeviceCall::Load => "load",
            DeviceCall::Upload => "upload",
            DeviceCall::Download => "download",
            DeviceCall::Fill => "fill",
            DeviceCall::Launch => "launch",
            DeviceCall::Record => "record",
            DeviceCall::Wait => "wait",
        }
    }
}

/// How a call fails on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InjectedFault {
    /// The call fails: `alloc` with [`RuntimeError::OutOfMemory`], any other with
    /// [`RuntimeError::Device`]. Work of a stream is submitted and fails when it is executed, so that
    /// it fails its stream.
    Failure,
    /// The device is lost: this call and every later one returns [`RuntimeError::DeviceLost`], and what
    /// is queued is not executed.
    DeviceLost,
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    /// Calls that still pass before one fails.
    passes: u64,
    /// `None` for any call.
    call: Option<DeviceCall>,
    fault: InjectedFault,
}

/// What is to fail, and whether the device is lost.
#[derive(Debug, Default)]
pub(super) struct Injector {
    planned: Mutex<Option<Planned>>,
    lost: OnceLock<RuntimeError>,
}

/// What a counted call is to do.
pub(super) enum Verdict {
    Pass,
    Fail(RuntimeError),
    /// This call loses the device.
    Lose(RuntimeError),
}

impl Injector {
    pub(super) fn plan(&self, passes: u64, call: Option<DeviceCall>, fault: InjectedFault) {
        *lock(&self.planned) = Some(Planned { passes, call, fault });
    }

    pub(super) fn cancel(&self) {
        *lock(&self.planned) = None;
    }

    pub(super) fn pending(&self) -> bool {
        lock(&self.planned).is_some()
    }

    /// An error once the device is lost.
    pub(super) fn alive(&self) -> Result<()> {
        self.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Counts a call. `bytes` is what an allocation asks for.
    pub(super) fn count(&self, call: DeviceCall, bytes: u64) -> Result<Verdict> {
        self.alive()?;
        let mut planned = lock(&self.planned);
        let Some(p) = planned.as_mut().filter(|p| p.call.is_none_or(|c| c == call)) else {
            return Ok(Verdict::Pass);
        };
        if p.passes > 0 {
            p.passes -= 1;
            return Ok(Verdict::Pass);
        }
        let fault = p.fault;
        *planned = None;
        let (name, reason) = (call.name(), String::from("failed on purpose"));
        Ok(match fault {
            InjectedFault::DeviceLost => Verdict::Lose(
                self.lost.get_or_init(|| RuntimeError::DeviceLost { call: name, reason }).clone(),
            ),
            InjectedFault::Failure if call == DeviceCall::Alloc => {
                Verdict::Fail(RuntimeError::OutOfMemory { requested: bytes })
            }
            InjectedFault::Failure => Verdict::Fail(RuntimeError::Device { call: name, reason }),
        })
    }
}
