//! Copies between host and device, in chunks through the ring.
//!
//! Every core fills or reads chunks of its own, so that many are on their way at once and the bus waits for
//! none of them.

use super::buffer::Buffer;
use super::record::Kind;
use super::ring::{LARGE, Slot};
use super::stream::Stream;
use crate::error::{Result, RuntimeError};
use curvesmith_abi::{Layout, layout};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Least bytes of a chunk: copying fewer takes less time than starting another core.
const LEAST_CHUNK: usize = 256 << 10;
/// Chunks that a vector is cut into at least, if they are not too short.
const CHUNKS: usize = 16;

/// Calls `work` for each number below `count`, in this order, from this thread and those of the pool, up to the first
/// failure, which is the result. This thread begins at once: others take a tenth of a millisecond to wake up.
fn on_all_cores(count: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let run = || {
        while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < count) {
            if let Err(error) = work(i) {
                next.store(count, Ordering::Relaxed);
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..count.min(rayon::current_num_threads()) {
            scope.spawn(|_| run());
        }
        run();
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Writes the elements of an index range as device bytes.
pub(crate) type Fill<'a> = dyn Fn(Range<usize>, &mut [u8]) + Sync + 'a;
/// Takes the device bytes of the elements of chunk `i`.
pub(crate) type Take<'a> = dyn Fn(usize, &[u8]) -> Result<()> + Sync + 'a;

/// What a device gave that no right kernel writes.
pub(crate) fn not_canonical(name: &str) -> RuntimeError {
    RuntimeError::Device { call: "download", reason: format!("a value of {name} is not canonical") }
}

impl Stream {
    /// Elements of a chunk of the buffer; the last one can be shorter.
    pub(crate) fn chunk_len<L: Layout>(&self, buffer: &Buffer<L>) -> usize {
        let each = buffer.element_bytes();
        let bytes = (buffer.len() * each / CHUNKS).clamp(LEAST_CHUNK, LARGE);
        (bytes / each).max(1)
    }

    /// Fills a whole buffer with what `fill` writes; `fill` is called for parts, from several threads.
    pub(crate) fn upload<L: Layout>(&self, buffer: &Buffer<L>, fill: &Fill<'_>) -> Result<()> {
        let (len, each, per_chunk) = (buffer.len(), buffer.element_bytes(), self.chunk_len(buffer));
        let chunk = |start: usize| {
            self.check_cancelled()?;
            let n = per_chunk.min(len - start);
            self.with_slot(n * each, |slot| {
                fill(start..start + n, slot.bytes(n * each)?);
                self.account.count_up(n * each);
                let (offset, staging) = ((start * each) as u64, &mut *slot.staging);
                self.copied("upload", || {
                    self.device().upload(self.raw(), buffer.memory(), offset, staging, n * each)
                })
            })
        };
        match len.div_ceil(per_chunk) {
            0 => Ok(()),
            chunks => on_all_cores(chunks, |i| chunk(i * per_chunk)),
        }
    }

    /// As [`Stream::upload`], from bytes in device form.
    pub(crate) fn upload_bytes<L: Layout>(&self, buffer: &Buffer<L>, bytes: &[u8]) -> Result<()> {
        let each = buffer.element_bytes();
        debug_assert_eq!(bytes.len(), buffer.len() * each);
        self.upload(buffer, &|range, out| out.copy_from_slice(&bytes[range.start * each..range.end * each]))
    }

    /// Hands the chunks of a buffer to `take`, which is called from several threads. Waits for all earlier work of
    /// this stream; the first failure of it is the result.
    pub(crate) fn download<L: Layout>(&self, buffer: &Buffer<L>, take: &Take<'_>) -> Result<()> {
        let (len, each, per_chunk) = (buffer.len(), buffer.element_bytes(), self.chunk_len(buffer));
        let chunk = |i: usize| {
            self.check_cancelled()?;
            let start = i * per_chunk;
            let bytes = per_chunk.min(len - start) * each;
            self.with_slot(bytes, |slot| {
                self.account.count_down(bytes);
                let (offset, staging) = ((start * each) as u64, &mut *slot.staging);
                self.copied("download", || {
                    self.device().download(self.raw(), buffer.memory(), offset, staging, bytes)
                })?;
                take(i, slot.bytes(bytes)?)
            })
        };
        match len.div_ceil(per_chunk) {
            0 => Ok(()),
            1 => chunk(0),
            chunks => {
                // One thread waits for what comes before, not all.
                self.device().synchronize(self.raw())?;
                on_all_cores(chunks, chunk)
            }
        }
    }

    /// A copy as traces show it.
    fn copied(&self, name: &'static str, copy: impl FnOnce() -> Result<()>) -> Result<()> {
        self.spanned(Kind::Copy, || Cow::Borrowed(name), copy)
    }

    /// As [`Stream::download`], into elements on the host, `T` of them for each of the buffer.
    pub(crate) fn download_into<L: Layout, T: Send>(
        &self,
        buffer: &Buffer<L>,
        out: &mut [T],
        read: impl Fn(&[u8], &mut [T]) -> Result<()> + Sync,
    ) -> Result<()> {
        let each = out.len() / buffer.len().max(1);
        let parts: Vec<Mutex<&mut [T]>> =
            out.chunks_mut((self.chunk_len(buffer) * each).max(1)).map(Mutex::new).collect();
        self.download(buffer, &|i, bytes| {
            read(bytes, &mut parts[i].lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    pub(crate) fn upload_words(&self, words: &[u32]) -> Result<Buffer<layout::U32>> {
        let buffer = self.words(words.len())?;
        self.upload_bytes(&buffer, bytemuck::cast_slice(words))?;
        Ok(buffer)
    }

    /// All bytes of a buffer.
    pub(crate) fn download_bytes<L: Layout>(&self, buffer: &Buffer<L>) -> Result<Vec<u8>> {
        let mut all = vec![0; buffer.len() * buffer.element_bytes()];
        self.download_into(buffer, &mut all, |bytes, out| {
            out.copy_from_slice(bytes);
            Ok(())
        })?;
        Ok(all)
    }

    pub(crate) fn download_words(&self, buffer: &Buffer<layout::U32>) -> Result<Vec<u32>> {
        let bytes = self.download_bytes(buffer)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// Runs `copy` with a slot of the ring. No lock is held meanwhile.
    fn with_slot<T>(&self, len: usize, copy: impl FnOnce(&mut Slot) -> Result<T>) -> Result<T> {
        let ours = self.ring().take(len);
        let mut slot = match ours.map_or_else(|| self.gpu.shared.slots.take(self.device(), len), Ok) {
            Ok(slot) => slot,
            Err(error) => {
                self.ring().put(len, None);
                return Err(error);
            }
        };
        let result = copy(&mut slot);
        self.ring().put(len, Some(slot));
        result
    }
}
