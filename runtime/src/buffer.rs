//! Device allocations that know the layout and the number of their elements.

use crate::device::KernelDevice;
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::Group;
use curvesmith_abi::{Layout, Ptr, layout};
use std::fmt;
use std::marker::PhantomData;

/// `len` elements of layout `L` on a device.
pub struct Buffer<D: KernelDevice, L> {
    memory: D::Memory,
    address: u64,
    len: usize,
    element_bytes: usize,
    layout: PhantomData<fn() -> L>,
}

impl<D: KernelDevice, L: Layout> fmt::Debug for Buffer<D, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer[{:?}; {}] at {:#x}", L::ELEMENT, self.len, self.address)
    }
}

impl<D: KernelDevice> Buffer<D, layout::U32> {
    /// `len` words, contents undefined.
    pub fn words(device: &D, len: usize) -> Result<Self> {
        Self::alloc(device, len, 4)
    }
}

impl<D: KernelDevice> Buffer<D, layout::Field> {
    /// `len` elements of `F`, contents undefined.
    pub fn field<F: Field>(device: &D, len: usize) -> Result<Self> {
        Self::alloc(device, len, layout::Field::ELEMENT.bytes(F::WORDS, 1))
    }
}

impl<D: KernelDevice> Buffer<D, layout::Affine> {
    /// `len` affine points of `G`, contents undefined.
    pub fn affine<G: Group>(device: &D, len: usize) -> Result<Self> {
        Self::alloc(device, len, layout::Affine::ELEMENT.bytes(G::Base::WORDS, G::DEGREE))
    }
}

impl<D: KernelDevice> Buffer<D, layout::Xyzz> {
    /// `len` XYZZ points of `G`, contents undefined.
    pub fn xyzz<G: Group>(device: &D, len: usize) -> Result<Self> {
        Self::alloc(device, len, layout::Xyzz::ELEMENT.bytes(G::Base::WORDS, G::DEGREE))
    }
}

impl<D: KernelDevice, L: Layout> Buffer<D, L> {
    fn alloc(device: &D, len: usize, element_bytes: usize) -> Result<Self> {
        let bytes = (len as u64).checked_mul(element_bytes as u64);
        let bytes = bytes.ok_or(RuntimeError::OutOfMemory { requested: u64::MAX })?;
        // An empty buffer still has an address: kernels are not launched on it, but may
        // take it as an operand that no thread reads.
        let memory = device.alloc(bytes.max(1))?;
        let address = device.address(&memory);
        Ok(Buffer { memory, address, len, element_bytes, layout: PhantomData })
    }

    /// The allocation.
    pub fn memory(&self) -> &D::Memory {
        &self.memory
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
        Ptr::new(self.address)
    }

    /// Address of element `index`, at most `len`.
    pub fn ptr_at(&self, index: usize) -> Ptr<L> {
        debug_assert!(index <= self.len);
        Ptr::new(self.address + (index * self.element_bytes) as u64)
    }
}
