//! Device allocations that know the layout and the number of their elements.

use super::pool::Block;
use curvesmith_abi::{Layout, Ptr};
use curvesmith_device::Memory;
use std::fmt;
use std::marker::PhantomData;
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
        write!(f, "Buffer[{:?}; {}] at {:#x}", L::ELEMENT, self.len, self.memory().address())
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

    /// Address of the first element.
    pub fn ptr(&self) -> Ptr<L> {
        Ptr::new(self.memory().address())
    }

    /// Address of element `index`, at most `len`.
    pub fn ptr_at(&self, index: usize) -> Ptr<L> {
        debug_assert!(index <= self.len);
        Ptr::new(self.memory().address() + (index * self.element_bytes) as u64)
    }
}
