//! Elementwise kernels.

use super::{DeviceVec, Kernels, index32};
use crate::backend::{BinaryOp, UnaryOp, check_len};
use crate::buffer::Buffer;
use crate::device::KernelDevice;
use crate::error::Result;
use crate::field::Field;
use crate::launch::Owner;
use curvesmith_abi::kernels::{
    FieldAdd, FieldBatchInverse, FieldDbl, FieldInverse, FieldMul, FieldMulConst, FieldMulSub, FieldNeg,
    FieldSqr, FieldSub,
};

impl<D: KernelDevice> Kernels<D> {
    pub(super) fn binary_op<F: Field>(
        &self,
        op: BinaryOp,
        a: &DeviceVec<D, F>,
        b: &DeviceVec<D, F>,
    ) -> Result<DeviceVec<D, F>> {
        let len = a.buffer.len();
        check_len("right operand", len, b.buffer.len())?;
        let result = self.new_vec::<F>(len)?;
        let (a, b, out, n) = (a.buffer.ptr(), b.buffer.ptr(), result.buffer.ptr(), index32("vector", len)?);
        let owner = Owner::field::<F>();
        match op {
            BinaryOp::Add => self.launch(owner, len, &FieldAdd { a, b, out, n })?,
            BinaryOp::Sub => self.launch(owner, len, &FieldSub { a, b, out, n })?,
            BinaryOp::Mul => self.launch(owner, len, &FieldMul { a, b, out, n })?,
        }
        Ok(result)
    }

    pub(super) fn unary_op<F: Field>(&self, op: UnaryOp, a: &DeviceVec<D, F>) -> Result<DeviceVec<D, F>> {
        let len = a.buffer.len();
        let result = self.new_vec::<F>(len)?;
        let (a, out, n) = (a.buffer.ptr(), result.buffer.ptr(), index32("vector", len)?);
        let owner = Owner::field::<F>();
        match op {
            UnaryOp::Neg => self.launch(owner, len, &FieldNeg { a, out, n })?,
            UnaryOp::Dbl => self.launch(owner, len, &FieldDbl { a, out, n })?,
            UnaryOp::Sqr => self.launch(owner, len, &FieldSqr { a, out, n })?,
            UnaryOp::Inverse => self.launch(owner, len, &FieldInverse { a, out, n })?,
        }
        Ok(result)
    }

    pub(super) fn batch_inverse_op<F: Field>(&self, a: &DeviceVec<D, F>) -> Result<DeviceVec<D, F>> {
        let len = a.buffer.len();
        let result = self.new_vec::<F>(len)?;
        let n = index32("vector", len)?;
        let threads = self.policy().pointwise.inverting_threads(n);
        let kernel = FieldBatchInverse { a: a.buffer.ptr(), out: result.buffer.ptr(), n, threads };
        self.launch(Owner::field::<F>(), threads as usize, &kernel)?;
        Ok(result)
    }

    /// `out = a · c`.
    pub(super) fn scale<F: Field>(
        &self,
        a: &DeviceVec<D, F>,
        c: F::Ark,
        out: &DeviceVec<D, F>,
    ) -> Result<()> {
        let len = a.buffer.len();
        let factor = Buffer::field::<F>(self.device(), 1)?;
        self.upload_elements::<F>(&factor, &[c])?;
        let kernel = FieldMulConst {
            a: a.buffer.ptr(),
            c: factor.ptr(),
            out: out.buffer.ptr(),
            n: index32("vector", len)?,
        };
        self.launch(Owner::field::<F>(), len, &kernel)
    }

    pub(super) fn mul_sub_op<F: Field>(
        &self,
        a: &DeviceVec<D, F>,
        b: &DeviceVec<D, F>,
        c: &DeviceVec<D, F>,
    ) -> Result<DeviceVec<D, F>> {
        let len = a.buffer.len();
        check_len("second factor", len, b.buffer.len())?;
        check_len("subtrahend", len, c.buffer.len())?;
        let result = self.new_vec::<F>(len)?;
        let kernel = FieldMulSub {
            a: a.buffer.ptr(),
            b: b.buffer.ptr(),
            c: c.buffer.ptr(),
            out: result.buffer.ptr(),
            n: index32("vector", len)?,
        };
        self.launch(Owner::field::<F>(), len, &kernel)?;
        Ok(result)
    }
}
