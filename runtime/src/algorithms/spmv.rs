//! Sparse matrix times vector, one warp a row.

use super::index32;
use crate::csr::{check_len, check_out_len};
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use curvesmith_abi::kernels::SpMvWarp;
use curvesmith_abi::{Kernel, layout};

/// A sparse matrix in compressed rows on a device.
#[derive(Debug)]
pub(crate) struct GpuMatrix {
    pub(crate) row_offsets: Buffer<layout::U32>,
    pub(crate) columns: Buffer<layout::U32>,
    pub(crate) values: Buffer<layout::Field>,
    pub(crate) rows: usize,
    pub(crate) width: usize,
}

/// `matrix · x`, zero-extended to `out_len` elements.
pub(crate) fn spmv(
    stream: &Stream,
    field: &Owner,
    matrix: &GpuMatrix,
    x: &Buffer<layout::Field>,
    out_len: usize,
) -> Result<Buffer<layout::Field>> {
    check_len("vector of the product", matrix.width, x.len())?;
    check_out_len(matrix.rows, out_len)?;
    index32("vector length", out_len)?;
    let out: Buffer<layout::Field> = stream.elements(field, out_len)?;
    stream.zero(&out, matrix.rows)?;
    let kernel = SpMvWarp {
        row_offsets: matrix.row_offsets.ptr(),
        columns: matrix.columns.ptr(),
        values: matrix.values.ptr(),
        x: x.ptr(),
        out: out.ptr(),
        rows: index32("rows of the matrix", matrix.rows)?,
    };
    let rows_per_block = u64::from(SpMvWarp::DESC.block / 32);
    stream.launch_blocks(field, (matrix.rows as u64).div_ceil(rows_per_block), &kernel)?;
    Ok(out)
}
