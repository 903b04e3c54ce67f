//! Sparse matrix times vector, one warp a row.

use super::{DeviceVec, Kernels, index32};
use crate::backend::{Csr, check_len};
use crate::buffer::Buffer;
use crate::cpu::check_out_len;
use crate::device::KernelDevice;
use crate::error::Result;
use crate::field::Field;
use crate::launch::Owner;
use curvesmith_abi::kernels::SpMvWarp;
use curvesmith_abi::{Kernel, layout};
use std::fmt;
use std::marker::PhantomData;

/// A sparse matrix in compressed rows on a device.
pub struct DeviceMatrix<D: KernelDevice, F: Field> {
    row_offsets: Buffer<D, layout::U32>,
    columns: Buffer<D, layout::U32>,
    values: Buffer<D, layout::Field>,
    rows: usize,
    width: usize,
    field: PhantomData<F>,
}

impl<D: KernelDevice, F: Field> fmt::Debug for DeviceMatrix<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.columns.len();
        write!(f, "DeviceMatrix<{}>[{} x {}, {entries} entries]", F::NAME, self.rows, self.width)
    }
}

impl<D: KernelDevice> Kernels<D> {
    pub(super) fn upload_matrix<F: Field>(&self, matrix: &Csr<F::Ark>) -> Result<DeviceMatrix<D, F>> {
        matrix.validate()?;
        let values = Buffer::field::<F>(self.device(), matrix.values.len())?;
        self.upload_elements::<F>(&values, &matrix.values)?;
        Ok(DeviceMatrix {
            row_offsets: self.upload_words(&matrix.row_offsets)?,
            columns: self.upload_words(&matrix.columns)?,
            values,
            rows: matrix.rows(),
            width: matrix.width as usize,
            field: PhantomData,
        })
    }

    pub(super) fn multiply<F: Field>(
        &self,
        matrix: &DeviceMatrix<D, F>,
        x: &DeviceVec<D, F>,
        out_len: usize,
    ) -> Result<DeviceVec<D, F>> {
        check_len("vector of the product", matrix.width, x.buffer.len())?;
        check_out_len(matrix.rows, out_len)?;
        let result = self.new_vec::<F>(out_len)?;
        let out = &result.buffer;
        if out_len > matrix.rows {
            let bytes = |n: usize| (n * out.element_bytes()) as u64;
            let (offset, len) = (bytes(matrix.rows), bytes(out_len - matrix.rows));
            self.device().fill(self.stream(), out.memory(), offset, len, 0)?;
        }
        let kernel = SpMvWarp {
            row_offsets: matrix.row_offsets.ptr(),
            columns: matrix.columns.ptr(),
            values: matrix.values.ptr(),
            x: x.buffer.ptr(),
            out: out.ptr(),
            rows: index32("rows of the matrix", matrix.rows)?,
        };
        let rows_per_block = u64::from(SpMvWarp::DESC.block / 32);
        self.launch_blocks(Owner::field::<F>(), (matrix.rows as u64).div_ceil(rows_per_block), &kernel)?;
        Ok(result)
    }
}
