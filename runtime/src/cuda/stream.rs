//! Streams and events.

use super::{Context, failed};
use cudarc::driver::result::stream::StreamKind;
use cudarc::driver::{result, sys};
use curvesmith_device::Result;
use std::sync::Arc;

/// A stream that does not wait for the default one.
pub(super) struct CudaStream {
    context: Arc<Context>,
    raw: sys::CUstream,
}

/// A point in a stream.
pub(super) struct CudaEvent {
    context: Arc<Context>,
    raw: sys::CUevent,
}

// SAFETY: stream and event handles belong to the context, not to a thread; the driver allows their use from
// any thread, concurrently, while the context is current there.
unsafe impl Send for CudaStream {}
// SAFETY: as above; the struct has no interior mutability.
unsafe impl Sync for CudaStream {}
// SAFETY: as for the stream.
unsafe impl Send for CudaEvent {}
// SAFETY: as for the stream.
unsafe impl Sync for CudaEvent {}

impl CudaStream {
    /// The context is current.
    pub(super) fn new(context: &Arc<Context>) -> Result<CudaStream> {
        let raw = result::stream::create(StreamKind::NonBlocking);
        Ok(CudaStream { context: Arc::clone(context), raw: raw.map_err(failed("cuStreamCreate"))? })
    }

    /// Of the highest priority. The context is current.
    pub(super) fn urgent(context: &Arc<Context>) -> Result<CudaStream> {
        let range = result::stream::get_priority_range();
        let (_, greatest) = range.map_err(failed("cuCtxGetStreamPriorityRange"))?;
        let raw = result::stream::create_with_priority(StreamKind::NonBlocking, greatest);
        Ok(CudaStream {
            context: Arc::clone(context),
            raw: raw.map_err(failed("cuStreamCreateWithPriority"))?,
        })
    }

    pub(super) fn raw(&self) -> sys::CUstream {
        self.raw
    }

    pub(super) fn wait(&self, event: &CudaEvent) -> Result<()> {
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: both handles are alive.
        unsafe { result::stream::wait_event(self.raw, event.raw, flags) }.map_err(failed("cuStreamWaitEvent"))
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is alive.
        unsafe { result::stream::synchronize(self.raw) }.map_err(failed("cuStreamSynchronize"))
    }
}

impl CudaEvent {
    /// The context is current.
    pub(super) fn new(context: &Arc<Context>, timed: bool) -> Result<CudaEvent> {
        let flags = match timed {
            true => sys::CUevent_flags::CU_EVENT_DEFAULT,
            false => sys::CUevent_flags::CU_EVENT_DISABLE_TIMING,
        };
        let raw = result::event::create(flags).map_err(failed("cuEventCreate"))?;
        Ok(CudaEvent { context: Arc::clone(context), raw })
    }

    /// Marks the current end of a stream; what was marked before is forgotten.
    pub(super) fn record(&self, stream: &CudaStream) -> Result<()> {
        // SAFETY: both handles are alive.
        unsafe { result::event::record(self.raw, stream.raw) }.map_err(failed("cuEventRecord"))
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is alive.
        unsafe { result::event::synchronize(self.raw) }.map_err(failed("cuEventSynchronize"))
    }

    /// Seconds between two timed events.
    pub(super) fn elapsed(from: &CudaEvent, to: &CudaEvent) -> Result<f64> {
        // SAFETY: both handles are alive.
        let milliseconds = unsafe { result::event::elapsed(from.raw, to.raw) };
        Ok(f64::from(milliseconds.map_err(failed("cuEventElapsedTime"))?) / 1e3)
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: the handle is destroyed once; the driver completes what is submitted. A failure leaks
            // it.
            let _ = unsafe { result::stream::destroy(self.raw) };
        }
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: the handle is destroyed once. A failure leaks it.
            let _ = unsafe { result::event::destroy(self.raw) };
        }
    }
}
