//! One call's work on a device: typed operations over whichever engine it has.
//!
//! Operations of a device of kernels are submitted in order and done later; those of the host are
//! done at once. What a call made is ready when [`Work::finish`] returns. A value of another device
//! is refused.

use crate::csr::{Csr, check_len};
use crate::engine::{Call as _, Held};
use crate::engines::AnyCall;
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::gpu::Stream;
use crate::handle::Device;
use crate::job::Cancel;
use crate::values::{DeviceVec, Matrix};
use crate::vocabulary::{BinaryOp, Detail, Report, SpMvStrategy, UnaryOp};

mod ahead;
mod msm;
mod ntt;
mod streamed;
mod values;

pub(crate) use ahead::ahead;
pub use msm::{Sum, SumBytes, Sums};
pub use streamed::StreamParts;

/// The work of one call. Vectors, matrices and bases that it makes or takes are of its device;
/// every operation checks the lengths of its arguments against each other.
#[derive(Debug)]
pub struct Work {
    device: Device,
    call: AnyCall,
}

impl Device {
    /// Work for one call, with streams of its own.
    pub fn work(&self) -> Result<Work> {
        self.work_with(Detail::Counts, &Cancel::default())
    }

    /// Work that is watched as closely as `detail` says, and ends early at a wish.
    pub fn work_with(&self, detail: Detail, cancel: &Cancel) -> Result<Work> {
        Ok(Work { device: self.clone(), call: self.call(detail, cancel.clone())? })
    }
}

impl Work {
    /// The stream below, where the device is one of kernels.
    pub fn stream(&self) -> Option<&Stream> {
        self.call.stream()
    }

    /// Waits for all of it; the first failure, if there was one.
    pub fn finish(self) -> Result<Report> {
        self.call.finish()
    }

    /// Submits a call with `run` and waits for it. If both fail, the device's failure is told,
    /// since what `run` noticed is its consequence; unless the call was cancelled.
    pub fn complete<T, E: From<RuntimeError>>(
        self,
        run: impl FnOnce(&Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<(T, Report), E> {
        let value = run(&self);
        let cancelled = self.call.check_cancelled().is_err();
        let done = self.finish();
        match (value, done) {
            (Ok(value), done) => Ok((value, done?)),
            (Err(_), Err(cause)) if !cancelled => Err(cause.into()),
            (Err(error), _) => Err(error),
        }
    }

    /// Work that is ordered after what this has now, and otherwise independent, until
    /// [`Work::join`]. On the CPU it is the same work.
    pub fn fork(&self) -> Result<Work> {
        Ok(Work { device: self.device.clone(), call: self.call.fork(false)? })
    }

    /// As [`Work::fork`], for work that other work waits for: where the device can do that, its
    /// kernels go before those that wait for room.
    pub fn fork_urgent(&self) -> Result<Work> {
        Ok(Work { device: self.device.clone(), call: self.call.fork(true)? })
    }

    /// Orders later work after all of `fork`.
    pub fn join(&self, fork: Work) -> Result<()> {
        self.call.join(fork.call)
    }

    /// Orders later work after what `other`, which is a fork of this or of which this is one, has
    /// now.
    pub(crate) fn after(&self, other: &Work) -> Result<()> {
        self.call.after(&other.call)
    }

    /// Has the device memory of this call zeroed when it ends, but for what it gives out; the CPU's
    /// is not.
    pub fn wipe_at_end(&self) {
        self.call.wipe_at_end();
    }

    /// Runs a named part of the call, for its [`Report`].
    pub fn stage<T>(&self, name: &'static str, part: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.call.stage(name, || part(self))
    }

    /// Runs a named part of the call that the host does by itself.
    pub fn host_stage<T>(&self, name: &'static str, part: impl FnOnce() -> T) -> T {
        self.call.host_stage(name, part)
    }

    fn vector<F: Field>(&self, held: Held, len: usize) -> DeviceVec<F> {
        DeviceVec::new(self.device.clone(), held, len)
    }

    /// Copies values to the device.
    pub fn upload<F: Field>(&self, values: &[F::Ark]) -> Result<DeviceVec<F>> {
        Ok(self.vector(self.call.copies::<F>().upload(values)?, values.len()))
    }

    /// So many zeros.
    pub fn zeros<F: Field>(&self, len: usize) -> Result<DeviceVec<F>> {
        Ok(self.vector(self.call.copies::<F>().zeros(len)?, len))
    }

    /// Copies values back, after all earlier work.
    pub fn download<F: Field>(&self, vector: &DeviceVec<F>) -> Result<Vec<F::Ark>> {
        self.call.copies::<F>().download(&vector.held)
    }

    /// As [`Work::download`], of a vector that nobody needs any more: the CPU's is the result
    /// itself.
    pub fn take<F: Field>(&self, vector: DeviceVec<F>) -> Result<Vec<F::Ark>> {
        self.call.copies::<F>().take(vector.held)
    }

    /// As [`Work::download`], into memory that is there; `values` is as long as the vector.
    pub fn download_into<F: Field>(&self, vector: &DeviceVec<F>, values: &mut [F::Ark]) -> Result<()> {
        check_len("values to download", vector.len(), values.len())?;
        self.call.copies::<F>().download_into(&vector.held, values)
    }

    /// `a ∘ b`, elementwise.
    pub fn binary<F: Field>(&self, op: BinaryOp, a: &DeviceVec<F>, b: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        Ok(self.vector(self.call.elementwise::<F>().binary(op, &a.held, &b.held)?, a.len()))
    }

    /// Elementwise operation.
    pub fn unary<F: Field>(&self, op: UnaryOp, a: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        Ok(self.vector(self.call.elementwise::<F>().unary(op, &a.held)?, a.len()))
    }

    /// `1/a`, elementwise, with one inversion for many elements; 0 for 0.
    pub fn batch_inverse<F: Field>(&self, a: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        Ok(self.vector(self.call.elementwise::<F>().batch_inverse(&a.held)?, a.len()))
    }

    /// `a · c`, elementwise.
    pub fn mul_const<F: Field>(&self, a: &DeviceVec<F>, c: F::Ark) -> Result<DeviceVec<F>> {
        Ok(self.vector(self.call.elementwise::<F>().mul_const(&a.held, c)?, a.len()))
    }

    /// `a·b` into the last third of a vector, elementwise, `a` and `b` being the others.
    pub fn mul_thirds<F: Field>(&self, thirds: &mut DeviceVec<F>) -> Result<()> {
        self.call.elementwise::<F>().mul_thirds(&mut thirds.held)
    }

    /// `a·b - c`, elementwise, of the thirds of a vector.
    pub fn mul_sub_thirds<F: Field>(&self, thirds: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        let made = self.call.elementwise::<F>().mul_sub_thirds(&thirds.held)?;
        Ok(self.vector(made, thirds.len() / 3))
    }

    /// Moves a matrix to the device, [`SpMvStrategy::Balanced`]. Checks offsets and columns.
    pub fn matrix<F: Field>(&self, matrix: &Csr<F::Ark>) -> Result<Matrix<F>> {
        self.matrix_by(matrix, SpMvStrategy::default())
    }

    /// As [`Work::matrix`], with rows shared out as `strategy` says.
    pub fn matrix_by<F: Field>(&self, matrix: &Csr<F::Ark>, strategy: SpMvStrategy) -> Result<Matrix<F>> {
        matrix.validate()?;
        let (held, schedule) = self.call.sparse_products::<F>().matrix(matrix, strategy)?;
        Ok(Matrix::new(held, schedule))
    }

    /// `matrix · x`, zero-extended to `out_len ≥ rows` elements.
    pub fn spmv<F: Field>(
        &self,
        matrix: &Matrix<F>,
        x: &DeviceVec<F>,
        out_len: usize,
    ) -> Result<DeviceVec<F>> {
        let product = self.call.sparse_products::<F>().product(&matrix.held, &x.held, out_len)?;
        Ok(self.vector(product, out_len))
    }
}
