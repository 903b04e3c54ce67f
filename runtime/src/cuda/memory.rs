//! Device memory, and page-locked host memory.

use super::stream::{CudaEvent, CudaStream};
use super::{Context, describe, failed};
use cudarc::driver::{DriverError, result, sys};
use curvesmith_device::{Result, RuntimeError, Staging};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// An allocation on the device.
pub(super) struct Allocation {
    context: Arc<Context>,
    address: u64,
}

impl Allocation {
    /// The context is current.
    pub(super) fn new(context: &Arc<Context>, bytes: u64) -> Result<Allocation> {
        let out_of_memory = RuntimeError::OutOfMemory { requested: bytes };
        let Ok(size) = usize::try_from(bytes) else { return Err(out_of_memory) };
        // SAFETY: the context is current.
        match unsafe { result::malloc_sync(size) } {
            Ok(address) => Ok(Allocation { context: Arc::clone(context), address }),
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => Err(out_of_memory),
            Err(error) => Err(failed("cuMemAlloc")(error)),
        }
    }

    pub(super) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: the address is freed once, and its user has waited for all work on it.
        let freed = self.context.bind().map(|()| unsafe { result::free_sync(self.address) });
        if let Ok(Err(error)) = freed {
            tracing::debug!("cuMemFree: {}", describe(error));
        }
    }
}

/// Page-locked host memory.
pub(super) struct Pinned {
    context: Arc<Context>,
    start: NonNull<u8>,
    len: usize,
    /// The end of the last copy. One for all copies: to create one for each costs more than a short copy.
    copied: CudaEvent,
    /// Whether a copy may still run.
    copying: bool,
}

// SAFETY: the memory is owned, and only reached through `&mut self`; the driver's handles may be used from
// any thread.
unsafe impl Send for Pinned {}
// SAFETY: as above; `&self` reads the length only.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// The context is current.
    pub(super) fn new(context: &Arc<Context>, len: usize) -> Result<Pinned> {
        let copied = CudaEvent::new(context, false)?;
        // SAFETY: the result is not used before it is set, below.
        let start = unsafe { result::malloc_host(len.max(1), 0) }.map_err(failed("cuMemHostAlloc"))?;
        let start = NonNull::new(start.cast::<u8>()).ok_or(RuntimeError::Device {
            call: "cuMemHostAlloc",
            reason: "the driver gave a null pointer".into(),
        })?;
        // SAFETY: the driver gave `len` bytes.
        unsafe { start.write_bytes(0, len) };
        Ok(Pinned { context: Arc::clone(context), start, len, copied, copying: false })
    }

    /// Another device's staging is refused.
    pub(super) fn of(staging: &mut dyn Staging) -> Result<&mut Pinned> {
        (staging as &mut dyn Any)
            .downcast_mut()
            .ok_or(RuntimeError::Device { call: "staging", reason: "it belongs to another device".into() })
    }

    /// Copies the first `len` bytes to the device; the range there was checked.
    pub(super) fn upload(&mut self, stream: &CudaStream, address: u64, len: usize) -> Result<()> {
        let bytes = &self.bytes()?[..len];
        // SAFETY: the bytes live, and nobody writes them, until `copied` is waited for.
        unsafe { result::memcpy_htod_async(address, bytes, stream.raw()) }
            .map_err(failed("cuMemcpyHtoDAsync"))?;
        self.mark(stream)
    }

    /// Copies `len` bytes of the device, a checked range, to the start.
    pub(super) fn download(&mut self, stream: &CudaStream, address: u64, len: usize) -> Result<()> {
        let bytes = &mut self.bytes()?[..len];
        // SAFETY: the bytes live, and nobody reads them, until `copied` is waited for.
        unsafe { result::memcpy_dtoh_async(bytes, address, stream.raw()) }
            .map_err(failed("cuMemcpyDtoHAsync"))?;
        self.mark(stream)
    }

    /// A copy was submitted.
    fn mark(&mut self, stream: &CudaStream) -> Result<()> {
        self.copying = true;
        // Without the mark, nothing else would tell when the copy has ended.
        self.copied.record(stream).inspect_err(|_| drop(stream.synchronize()))
    }

    fn wait(&mut self) -> Result<()> {
        if self.copying {
            self.context.bind()?;
            self.copied.synchronize()?;
            self.copying = false;
        }
        Ok(())
    }
}

impl Staging for Pinned {
    fn bytes(&mut self) -> Result<&mut [u8]> {
        self.wait()?;
        // SAFETY: the driver gave `len` bytes, which were initialised; no copy uses them.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) })
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        store_past_caches(&mut self.bytes()?[offset..offset + bytes.len()], bytes);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.len
    }
}

/// A copy that leaves nothing of `to` in the caches: the bus would have to ask them for every line that it
/// reads.
#[cfg(target_arch = "x86_64")]
fn store_past_caches(to: &mut [u8], from: &[u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const VECTOR: usize = size_of::<__m128i>();
    assert_eq!(to.len(), from.len());
    let head = to.as_ptr().align_offset(VECTOR).min(to.len());
    let ((to_head, to), (from_head, from)) = (to.split_at_mut(head), from.split_at(head));
    to_head.copy_from_slice(from_head);
    let (to_vectors, to_tail) = to.as_chunks_mut::<VECTOR>();
    let (from_vectors, from_tail) = from.as_chunks::<VECTOR>();
    to_tail.copy_from_slice(from_tail);
    for (to, from) in to_vectors.iter_mut().zip(from_vectors) {
        // SAFETY: both are of the size of the vector, and `to` is aligned: the head was cut off. SSE2 is part
        // of the architecture.
        unsafe { _mm_stream_si128(to.as_mut_ptr().cast(), _mm_loadu_si128(from.as_ptr().cast())) };
    }
    // SAFETY: SSE is part of the architecture. Such stores are ordered by a fence only: the bytes are there
    // before anyone is told.
    unsafe { _mm_sfence() };
}

/// Other processors have no such stores, or need none.
#[cfg(not(target_arch = "x86_64"))]
fn store_past_caches(to: &mut [u8], from: &[u8]) {
    to.copy_from_slice(from);
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // After a failure the device copies nothing any more.
        let waited = self.wait();
        // SAFETY: the driver gave `len` bytes, and no copy uses them. They may be secrets of a copy that
        // failed, and the driver, which gets the pointer next, keeps the compiler from leaving the stores
        // out.
        unsafe { self.start.write_bytes(0, self.len) };
        // SAFETY: the memory is freed once, and no copy uses it.
        let freed = self.context.bind().map(|()| unsafe { result::free_host(self.start.as_ptr().cast()) });
        if let (Err(error), _) | (_, Err(error)) = (waited, freed) {
            tracing::debug!("page-locked memory: {error}");
        }
    }
}

impl fmt::Debug for Pinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pinned[{} bytes]", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::store_past_caches;

    #[test]
    fn every_byte_is_stored_wherever_it_begins() {
        let from: Vec<u8> = (0..200u8).collect();
        for start in 0..20 {
            for len in (0..70).chain([180]) {
                let mut to = vec![0xaa; 220];
                store_past_caches(&mut to[start..start + len], &from[3..3 + len]);
                assert_eq!(to[start..start + len], from[3..3 + len], "{len} bytes at {start}");
                let rest = to[..start].iter().chain(&to[start + len..]);
                assert!(rest.into_iter().all(|byte| *byte == 0xaa), "{len} bytes at {start}");
            }
        }
    }
}
