//! wgpu's device and queue, with errors as values.

#[cfg(target_family = "wasm")]
use crate::wait;
use crate::wait::ready;
use curvesmith_device::{Result, RuntimeError};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

/// A device of wgpu. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// Why the device is lost, if it is.
    lost: Arc<OnceLock<String>>,
    /// The first error that came where nobody expected one.
    uncaptured: Arc<OnceLock<String>>,
    /// Pipelines that were made.
    pub(crate) compiled: Arc<AtomicUsize>,
}

/// Why wgpu did not do what it was asked for.
#[derive(Debug)]
pub(crate) enum Refusal {
    OutOfMemory,
    Lost(String),
    Other(String),
}

impl Refusal {
    pub(crate) fn of(self, call: &'static str) -> RuntimeError {
        match self {
            Refusal::OutOfMemory => RuntimeError::Device { call, reason: "out of memory".into() },
            Refusal::Lost(reason) => RuntimeError::DeviceLost { call, reason },
            Refusal::Other(reason) => RuntimeError::Device { call, reason },
        }
    }

    /// As [`Refusal::of`], unless the reason is in the call's arguments, for which `own` has an error.
    pub(crate) fn or(self, call: &'static str, own: impl FnOnce(String) -> RuntimeError) -> RuntimeError {
        match self {
            Refusal::Other(reason) => own(reason),
            other => other.of(call),
        }
    }
}

impl Gpu {
    pub(crate) fn new(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let (lost, uncaptured) = (Arc::new(OnceLock::new()), Arc::new(OnceLock::new()));
        let gpu = Gpu {
            device,
            queue,
            lost: Arc::clone(&lost),
            uncaptured: Arc::clone(&uncaptured),
            compiled: Arc::default(),
        };
        // Else wgpu panics.
        gpu.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            tracing::warn!("wgpu: {error}");
            let _ = uncaptured.set(error.to_string());
        }));
        gpu.device.set_device_lost_callback(move |reason, text| {
            let _ = lost.set(if text.is_empty() { format!("{reason:?}") } else { text });
        });
        gpu
    }

    /// [`RuntimeError::DeviceLost`] if it is.
    pub(crate) fn alive(&self, call: &'static str) -> Result<()> {
        match self.lost.get() {
            Some(reason) => Err(RuntimeError::DeviceLost { call, reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// The first error that no call could be made answer for.
    pub(crate) fn uncaptured(&self) -> Result<()> {
        match self.uncaptured.get() {
            Some(reason) => Err(RuntimeError::Device { call: "wgpu", reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// What `f` makes, unless wgpu says that something is wrong with it.
    pub(crate) fn caught<T>(&self, f: impl FnOnce() -> T) -> std::result::Result<T, Refusal> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let scopes = [OutOfMemory, Internal, Validation].map(|filter| self.device.push_error_scope(filter));
        let made = f();
        // All are asked before one is waited for.
        let errors: Vec<_> = scopes.into_iter().rev().map(wgpu::ErrorScopeGuard::pop).collect();
        let found = errors.into_iter().fold(None, |found, error| ready(error).or(found));
        if let Some(reason) = self.lost.get() {
            return Err(Refusal::Lost(reason.clone()));
        }
        match found {
            None => Ok(made),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(Refusal::OutOfMemory),
            Some(error) => Err(Refusal::Other(error.to_string())),
        }
    }

    /// As [`Gpu::caught`] where that takes no time. A browser answers some time later, which is too long for
    /// each launch: there the error is one that [`Gpu::uncaptured`] tells before any result is read.
    pub(crate) fn noted<T>(&self, f: impl FnOnce() -> T) -> std::result::Result<T, Refusal> {
        match cfg!(target_family = "wasm") {
            true => Ok(f()),
            false => self.caught(f),
        }
    }

    /// Waits until a submission is done.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn wait(&self, index: wgpu::SubmissionIndex) -> Result<()> {
        use std::panic::{AssertUnwindSafe, catch_unwind};
        const CALL: &str = "Device::poll";
        let poll = || self.device.poll(wgpu::PollType::Wait { submission_index: Some(index), timeout: None });
        // wgpu panics where the driver has lost the device; its locks are released by the unwinding, and the
        // device is not used again.
        let polled = catch_unwind(AssertUnwindSafe(poll));
        match polled {
            Ok(Ok(_)) => self.alive(CALL),
            // To a lost device a submission fails without an error, and nobody can wait for it.
            Ok(Err(wgpu::PollError::WrongSubmissionIndex(..))) => {
                let _ = self.lost.set("a submission failed".into());
                self.alive(CALL)
            }
            Ok(Err(error)) => Err(RuntimeError::Device { call: CALL, reason: error.to_string() }),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map_or("wgpu panicked", String::as_str);
                let _ = self.lost.set(text.to_owned());
                self.alive(CALL)
            }
        }
    }

    /// Waits until all that was submitted is done.
    #[cfg(target_family = "wasm")]
    pub(crate) fn wait(&self, _: wgpu::SubmissionIndex) -> Result<()> {
        let done = Arc::new(OnceLock::new());
        let callback = Arc::clone(&done);
        self.queue.on_submitted_work_done(move || {
            let _ = callback.set(());
            wait::wake();
        });
        while done.get().is_none() {
            wait::pause();
        }
        self.alive("Queue::on_submitted_work_done")
    }

    /// As after the loss of the device.
    #[cfg(test)]
    pub(crate) fn lose(&self) {
        self.device.destroy();
        let _ = self.device.poll(wgpu::PollType::Poll);
    }
}
