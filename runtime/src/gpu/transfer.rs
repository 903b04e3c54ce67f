//! Copies between host and device, in chunks through the ring.
//!
//! Every core fills or reads chunks of its own, so that many are on their way at once and the bus waits for
//! none of them; one of them at a time talks to the driver.

use super::arrivals::Arrivals;
use super::buffer::Buffer;
use super::chunks::{OneByOne, fill_slot, growing, on_all_cores, shrinking};
use super::ring::Slot;
use super::stream::Stream;
use crate::error::{Result, RuntimeError};
use crate::vocabulary::Kind;
use curvesmith_abi::{Layout, layout};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Writes the elements of an index range as device bytes.
pub(crate) type Fill<'a> = dyn Fn(Range<usize>, &mut [u8]) + Sync + 'a;

/// What a device gave that no right kernel writes.
pub(crate) fn not_canonical(name: &str) -> RuntimeError {
    RuntimeError::Device { call: "download", reason: format!("a value of {name} is not canonical") }
}

impl Stream {
    /// Fills a whole buffer with what `fill` writes; `fill` is called for parts, from several threads.
    pub(crate) fn upload<L: Layout>(&self, buffer: &Buffer<L>, fill: &Fill<'_>) -> Result<()> {
        self.upload_first(buffer, buffer.len(), fill)
    }

    /// As [`Stream::upload`], the first `len` elements of a buffer only.
    pub(crate) fn upload_first<L: Layout>(
        &self,
        buffer: &Buffer<L>,
        len: usize,
        fill: &Fill<'_>,
    ) -> Result<()> {
        debug_assert!(len <= buffer.len());
        let each = buffer.element_bytes();
        let chunks = growing(len, each);
        let copies = OneByOne::new();
        let copy = |(chunk, mut slot): (&Range<usize>, Slot)| {
            let (bytes, offset) = (chunk.len() * each, (chunk.start * each) as u64);
            self.account.count_up(bytes);
            let copied = self.copied("upload", || {
                self.device().upload(self.raw(), buffer.memory(), offset, &mut *slot.staging, bytes)
            });
            self.ring().put(bytes, Some(slot));
            copied
        };
        on_all_cores(chunks.len(), |i| {
            self.check_cancelled()?;
            let bytes = chunks[i].len() * each;
            let mut slot = self.slot(bytes)?;
            match fill_slot(&mut slot, &chunks[i], each, fill) {
                Ok(()) => copies.add((&chunks[i], slot), copy),
                Err(error) => {
                    self.ring().put(bytes, Some(slot));
                    Err(error)
                }
            }
        })
    }

    /// As [`Stream::upload`], from bytes in device form.
    pub(crate) fn upload_bytes<L: Layout>(&self, buffer: &Buffer<L>, bytes: &[u8]) -> Result<()> {
        let each = buffer.element_bytes();
        debug_assert_eq!(bytes.len(), buffer.len() * each);
        self.upload(buffer, &|range, out| out.copy_from_slice(&bytes[range.start * each..range.end * each]))
    }

    /// A copy as traces show it.
    pub(super) fn copied(&self, name: &'static str, copy: impl FnOnce() -> Result<()>) -> Result<()> {
        self.spanned(Kind::Copy, || Cow::Borrowed(name), copy)
    }

    /// Reads a whole buffer into elements on the host, `T` of them for each of the buffer; `read` is called
    /// for parts, from several threads. Comes after all earlier work of this stream; the first failure of it
    /// is the result.
    pub(crate) fn download_into<L: Layout, T: Send>(
        &self,
        buffer: &Buffer<L>,
        out: &mut [T],
        read: impl Fn(&[u8], &mut [T]) -> Result<()> + Sync,
    ) -> Result<()> {
        let each = out.len() / buffer.len().max(1);
        let chunks = shrinking(buffer.len(), buffer.element_bytes());
        let mut rest = out;
        let part = |chunk: &Range<usize>| rest.split_off_mut(..chunk.len() * each).unwrap_or_default();
        let parts: Vec<Mutex<&mut [T]>> = chunks.iter().map(part).map(Mutex::new).collect();
        Arrivals::new(self, buffer.memory(), &chunks, buffer.element_bytes())
            .take_all(&|i, bytes| read(bytes, &mut parts[i].lock().unwrap_or_else(PoisonError::into_inner)))
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

    /// A slot for `len` bytes, which goes back by [`Ring::put`](super::ring::Ring::put). No lock is held
    /// while it is found.
    pub(super) fn slot(&self, len: usize) -> Result<Slot> {
        let ours = self.ring().take(len);
        let slot = ours.map_or_else(|| self.gpu.shared.slots.take(self.device(), len), Ok);
        slot.inspect_err(|_| self.ring().put(len, None))
    }
}
