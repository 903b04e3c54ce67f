//! Device allocations that know the layout and the number of their elements.

use super::pool::Block;
use curvesmith_abi::{ByteRange, Layout, Slice};
use curvesmith_device::Memory;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

/// `len` elements of layout `L` on a device.
pub struct Buffer<L> {
    pub(super) block: Arc<Block>,
    len: usize,
    element_bytes: usize,
    layout: PhantomData<fn() -> L>,
}

impl<L: Layout> fmt::Debug for Buffer<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer[{:?}; {}] in {:?}", L::ELEMENT, self.len, self.memory())
    }
}

impl<L: Layout> Buffer<L> {
    pub(super) fn new(block: Block, len: usize, element_bytes: usize) -> Self {
        Buffer { block: Arc::new(block), len, element_bytes, layout: PhantomData }
    }

    /// The allocation.
    pub(super) fn memory(&self) -> &Memory {
        self.block.memory()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of one element.
    pub fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    /// All elements, as kernels take them.
    pub fn whole(&self) -> Slice<L> {
        self.part(..)
    }

    /// A range of the elements, as kernels take it; it lies within the buffer.
    pub fn part(&self, range: impl RangeBounds<usize>) -> Slice<L> {
        let start = match range.start_bound() {
            Bound::Included(first) => *first,
            Bound::Excluded(before) => before + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(last) => last + 1,
            Bound::Excluded(end) => *end,
            Bound::Unbounded => self.len,
        };
        assert!(start <= end && end <= self.len, "elements {start}..{end} of a buffer of {}", self.len);
        let bytes = |index: usize| (index * self.element_bytes) as u64;
        Slice::new(ByteRange { buffer: self.memory().id(), start: bytes(start), end: bytes(end) })
    }
}
