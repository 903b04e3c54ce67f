//! Sparse matrix times vector, a warp or a thread a row, whichever the lengths of the rows make cheaper.

use super::index32;
use crate::csr::{check_len, check_out_len};
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use curvesmith_abi::kernels::{SpMvThread, SpMvWarp};
use curvesmith_abi::{Kernel, layout};

/// A sparse matrix in compressed rows on a device.
#[derive(Debug)]
pub(crate) struct GpuMatrix {
    pub(crate) row_offsets: Buffer<layout::U32>,
    pub(crate) columns: Buffer<layout::U32>,
    pub(crate) values: Buffer<layout::Field>,
    pub(crate) rows: usize,
    pub(crate) width: usize,
    pub(crate) mapping: Mapping,
}

/// Who computes a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// A thread: a warp is as slow as the longest of its 32 rows.
    Thread,
    /// A warp.
    Warp,
}

impl Mapping {
    /// Longest row of a thread. The device waits for the last warp, and this many products take some 0.1 ms.
    const LONGEST: u32 = 64;
    /// What a warp pays for a row beside its products: joining the sums of its lanes, in products.
    const JOIN: u64 = 2;

    /// The cheaper one for a matrix with these offsets, counting the products that warps make in turn.
    pub(crate) fn of(row_offsets: &[u32]) -> Mapping {
        let lengths: Vec<u32> = row_offsets.windows(2).map(|w| w[1] - w[0]).collect();
        let longest = |rows: &[u32]| rows.iter().copied().max().unwrap_or(0);
        let by_threads: u64 = lengths.chunks(32).map(|rows| u64::from(longest(rows))).sum();
        let by_warps: u64 = lengths.iter().map(|len| u64::from(len.div_ceil(32)) + Mapping::JOIN).sum();
        match longest(&lengths) <= Mapping::LONGEST && by_threads <= by_warps {
            true => Mapping::Thread,
            false => Mapping::Warp,
        }
    }
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
    let (row_offsets, columns) = (matrix.row_offsets.ptr(), matrix.columns.ptr());
    let (values, x, out_ptr) = (matrix.values.ptr(), x.ptr(), out.ptr());
    let rows = index32("rows of the matrix", matrix.rows)?;
    match matrix.mapping {
        Mapping::Thread => {
            let kernel = SpMvThread { row_offsets, columns, values, x, out: out_ptr, rows };
            stream.launch(field, matrix.rows, &kernel)?;
        }
        Mapping::Warp => {
            let kernel = SpMvWarp { row_offsets, columns, values, x, out: out_ptr, rows };
            let rows_per_block = u64::from(SpMvWarp::DESC.block / 32);
            stream.launch_blocks(field, (matrix.rows as u64).div_ceil(rows_per_block), &kernel)?;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rows_are_for_threads() {
        let mapping = |lengths: &[u32]| {
            let ends = lengths.iter().scan(0, |end, len| {
                *end += len;
                Some(*end)
            });
            Mapping::of(&std::iter::once(0).chain(ends).collect::<Vec<u32>>())
        };
        assert_eq!(
            (mapping(&[]), mapping(&[3; 100]), mapping(&[64; 32])),
            (Mapping::Thread, Mapping::Thread, Mapping::Thread)
        );
        assert_eq!((mapping(&[65; 32]), mapping(&[1 << 20])), (Mapping::Warp, Mapping::Warp));
        // One long row among short ones: its warp would wait for it alone.
        let mut one_long = [2; 320];
        one_long[7] = 1000;
        assert_eq!(mapping(&one_long), Mapping::Warp);
        // A warp for each of few rows of some length, and a few lanes for many.
        assert_eq!((mapping(&[33]), mapping(&[33; 64])), (Mapping::Warp, Mapping::Thread));
    }
}
