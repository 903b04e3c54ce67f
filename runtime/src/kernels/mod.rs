//! The backend made of generated kernels, for every [`KernelDevice`].
//!
//! All work of one [`Kernels`] handle goes to one in-order stream, so a vector is ready
//! whenever a later call reads it; calls from several threads use buffers of their own
//! and interleave safely. The host does nothing but upload, launch and read results.

mod convert;
mod msm;
mod ntt;
mod pointwise;
pub mod policy;
mod scan;
mod sort;
mod spmv;

pub use msm::{DeviceBases, DeviceDigits};
pub use ntt::DeviceTables;
pub use policy::Policy;
pub use sort::sort_pairs;
pub use spmv::DeviceMatrix;

use crate::backend::{Backend, BinaryOp, Csr, DigitShape, Direction, UnaryOp};
use crate::buffer::Buffer;
use crate::device::KernelDevice;
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::{AffineOf, Group, ProjectiveOf};
use crate::launch::{Modules, Owner};
use curvesmith_abi::{Kernel, layout};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A kernel device with its loaded kernels and launch policies. Clones share all of it.
pub struct Kernels<D: KernelDevice> {
    shared: Arc<Shared<D>>,
}

struct Shared<D: KernelDevice> {
    device: D,
    stream: D::Stream,
    modules: Modules<D>,
    policy: Policy,
}

/// Elements of `F` on a device, in device form.
pub struct DeviceVec<D: KernelDevice, F: Field> {
    buffer: Buffer<D, layout::Field>,
    field: PhantomData<F>,
}

impl<D: KernelDevice> Clone for Kernels<D> {
    fn clone(&self) -> Self {
        Kernels { shared: Arc::clone(&self.shared) }
    }
}

impl<D: KernelDevice> fmt::Debug for Kernels<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernels").field(&self.shared.device).finish()
    }
}

impl<D: KernelDevice, F: Field> fmt::Debug for DeviceVec<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceVec<{}>[{}]", F::NAME, self.buffer.len())
    }
}

impl<D: KernelDevice> Kernels<D> {
    /// The backend on `device`, with the policies for its properties.
    pub fn new(device: D) -> Result<Self> {
        let policy = Policy::for_device(&device.properties());
        Self::with_policy(device, policy)
    }

    /// The backend with policies of the caller's choice; results do not depend on them.
    pub fn with_policy(device: D, policy: Policy) -> Result<Self> {
        let stream = device.stream()?;
        let modules = Modules::default();
        Ok(Kernels { shared: Arc::new(Shared { device, stream, modules, policy }) })
    }

    /// The device below.
    pub fn device(&self) -> &D {
        &self.shared.device
    }

    /// The policies in force.
    pub fn policy(&self) -> &Policy {
        &self.shared.policy
    }

    /// Loads all images of a field now instead of at first use.
    pub fn preload_field<F: Field>(&self) -> Result<()> {
        self.shared.modules.preload(self.device(), Owner::field::<F>())
    }

    /// Loads all images of a group now instead of at first use.
    pub fn preload_group<G: Group>(&self) -> Result<()> {
        self.shared.modules.preload(self.device(), Owner::group::<G>())
    }

    /// Blocks until all work submitted through this handle is done.
    pub fn synchronize(&self) -> Result<()> {
        self.device().synchronize(self.stream())
    }

    fn stream(&self) -> &D::Stream {
        &self.shared.stream
    }

    /// Launches at least `threads` threads; nothing for zero.
    fn launch<K: Kernel>(&self, owner: Owner, threads: usize, kernel: &K) -> Result<()> {
        self.launch_blocks(owner, (threads as u64).div_ceil(u64::from(K::DESC.block)), kernel)
    }

    fn launch_blocks<K: Kernel>(&self, owner: Owner, blocks: u64, kernel: &K) -> Result<()> {
        self.shared.modules.launch(self.device(), self.stream(), owner, kernel, blocks)
    }

    fn words(&self, len: usize) -> Result<Buffer<D, layout::U32>> {
        Buffer::words(self.device(), len)
    }

    fn new_vec<F: Field>(&self, len: usize) -> Result<DeviceVec<D, F>> {
        index32("vector length", len)?;
        Ok(DeviceVec { buffer: Buffer::field::<F>(self.device(), len)?, field: PhantomData })
    }
}

/// A length as the 32-bit index that kernels use; below 2^31, so that sums of an index
/// and a block's threads do not wrap.
fn index32(what: &'static str, len: usize) -> Result<u32> {
    const LIMIT: u32 = (1 << 31) - 1;
    u32::try_from(len).ok().filter(|&n| n <= LIMIT).ok_or(RuntimeError::TooLarge {
        what,
        found: len as u64,
        limit: u64::from(LIMIT),
    })
}

impl<D: KernelDevice> Backend for Kernels<D> {
    type Vector<F: Field> = DeviceVec<D, F>;
    type Matrix<F: Field> = DeviceMatrix<D, F>;
    type NttTables<F: Field> = DeviceTables<D, F>;
    type Bases<G: Group> = DeviceBases<D, G>;
    type Digits = DeviceDigits<D>;

    fn upload<F: Field>(&self, values: &[F::Ark]) -> Result<DeviceVec<D, F>> {
        let vector = self.new_vec::<F>(values.len())?;
        self.upload_elements::<F>(&vector.buffer, values)?;
        Ok(vector)
    }

    fn download<F: Field>(&self, vector: &DeviceVec<D, F>) -> Result<Vec<F::Ark>> {
        self.download_elements::<F>(&vector.buffer)
    }

    fn len<F: Field>(&self, vector: &DeviceVec<D, F>) -> usize {
        vector.buffer.len()
    }

    fn binary<F: Field>(
        &self,
        op: BinaryOp,
        a: &DeviceVec<D, F>,
        b: &DeviceVec<D, F>,
    ) -> Result<DeviceVec<D, F>> {
        self.binary_op(op, a, b)
    }

    fn unary<F: Field>(&self, op: UnaryOp, a: &DeviceVec<D, F>) -> Result<DeviceVec<D, F>> {
        self.unary_op(op, a)
    }

    fn batch_inverse<F: Field>(&self, a: &DeviceVec<D, F>) -> Result<DeviceVec<D, F>> {
        self.batch_inverse_op(a)
    }

    fn mul_const<F: Field>(&self, a: &DeviceVec<D, F>, c: F::Ark) -> Result<DeviceVec<D, F>> {
        let out = self.new_vec(a.buffer.len())?;
        self.scale::<F>(a, c, &out)?;
        Ok(out)
    }

    fn mul_sub<F: Field>(
        &self,
        a: &DeviceVec<D, F>,
        b: &DeviceVec<D, F>,
        c: &DeviceVec<D, F>,
    ) -> Result<DeviceVec<D, F>> {
        self.mul_sub_op(a, b, c)
    }

    fn matrix<F: Field>(&self, matrix: &Csr<F::Ark>) -> Result<DeviceMatrix<D, F>> {
        self.upload_matrix(matrix)
    }

    fn spmv<F: Field>(
        &self,
        matrix: &DeviceMatrix<D, F>,
        x: &DeviceVec<D, F>,
        out_len: usize,
    ) -> Result<DeviceVec<D, F>> {
        self.multiply(matrix, x, out_len)
    }

    fn ntt_tables<F: Field>(&self, log_n: u32, omega: F::Ark) -> Result<DeviceTables<D, F>> {
        self.make_tables(log_n, omega)
    }

    fn ntt<F: Field>(
        &self,
        tables: &DeviceTables<D, F>,
        vector: &mut DeviceVec<D, F>,
        direction: Direction,
        shift: F::Ark,
    ) -> Result<()> {
        self.transform(tables, vector, direction, shift)
    }

    fn bases<G: Group>(&self, points: &[AffineOf<G>]) -> Result<DeviceBases<D, G>> {
        self.upload_bases(points)
    }

    fn digit_shape<F: Field>(&self, n: usize) -> DigitShape {
        self.policy().msm.digit_shape(crate::field::modulus_bits::<F>(), n)
    }

    fn digits<F: Field>(&self, scalars: &DeviceVec<D, F>, shape: DigitShape) -> Result<DeviceDigits<D>> {
        self.sorted_digits(scalars, shape)
    }

    fn msm<G: Group>(&self, digits: &DeviceDigits<D>, bases: &DeviceBases<D, G>) -> Result<ProjectiveOf<G>> {
        self.multiply_bases(digits, bases)
    }
}
