//! Sparse matrix times vector.

mod schedule;

use super::index32;
use crate::csr::{Csr, check_len, check_out_len};
use crate::error::Result;
use crate::field::Field;
use crate::gpu::{Buffer, Stream};
use crate::kernels::convert;
use crate::owner::Owner;
use crate::parallel::collect;
use crate::policy::SpMvPolicy;
use crate::vocabulary::{SpMvSchedule, SpMvStrategy};
use ark_ff::{One, Zero};
use curvesmith_abi::kernels::{SpMvThread, SpMvWarp};
use curvesmith_abi::layout;
use schedule::{Entry, Level, Rows};

type Words = Buffer<layout::U32>;
type Vector = Buffer<layout::Field>;

/// A sparse matrix on a device.
#[derive(Debug)]
pub(crate) struct GpuMatrix {
    levels: Vec<GpuLevel>,
    rows: usize,
    width: usize,
    /// Rows without entries, which no kernel writes.
    has_empty: bool,
    pub(crate) schedule: SpMvSchedule,
}

/// A [`Level`] on a device.
#[derive(Debug)]
struct GpuLevel {
    threads: usize,
    warps: usize,
    pieces: usize,
    places: Words,
    unit_starts: Words,
    units: Words,
    starts: Words,
    columns: Words,
    values: Vector,
}

impl GpuMatrix {
    /// Moves a matrix whose invariants hold to the device.
    pub(crate) fn new<F: Field>(
        stream: &Stream,
        matrix: &Csr<F::Ark>,
        strategy: SpMvStrategy,
    ) -> Result<GpuMatrix> {
        // A column shares its word with a sign.
        index32("columns of a matrix", matrix.width as usize)?;
        let minus_one = -F::Ark::one();
        let entry = |value: &F::Ark| match value {
            value if value.is_zero() => Entry::Zero,
            value if value.is_one() => Entry::One,
            value if *value == minus_one => Entry::MinusOne,
            _ => Entry::Other,
        };
        let entries: Vec<Entry> = collect(matrix.values.len(), &|i| entry(&matrix.values[i]));
        let rows = Rows::of(&matrix.row_offsets, &matrix.columns, &entries);
        drop(entries);
        let filled = rows.places.len();
        let policy: SpMvPolicy = stream.gpu().policy().spmv;
        let levels = Level::all(rows, &policy, strategy);
        let first = |of: fn(&Level) -> usize| levels.first().map_or(0, of);
        let (threads, warps) = (first(|level| level.threads), first(|level| level.warps));
        let schedule = SpMvSchedule {
            threads,
            warps,
            cut: filled - threads - warps,
            pieces: levels.iter().map(|level| level.pieces).sum(),
        };
        Ok(GpuMatrix {
            levels: levels
                .iter()
                .map(|level| GpuLevel::new::<F>(stream, level, matrix))
                .collect::<Result<_>>()?,
            rows: matrix.rows(),
            width: matrix.width as usize,
            has_empty: filled < matrix.rows(),
            schedule,
        })
    }

    /// As [`Stream::uses`].
    pub(crate) fn used_by(&self, stream: &Stream) -> Result<()> {
        self.levels.iter().try_for_each(|level| stream.uses("matrix", &level.values))
    }
}

impl GpuLevel {
    fn new<F: Field>(stream: &Stream, level: &Level, matrix: &Csr<F::Ark>) -> Result<GpuLevel> {
        let Rows { places, unit_starts, units, starts, others } = &level.rows;
        let columns: Vec<u32> = collect(others.len(), &|i| matrix.columns[others[i] as usize]);
        let values: Vec<F::Ark> = collect(others.len(), &|i| matrix.values[others[i] as usize]);
        let bytes = values.len() as u64 * convert::element_bytes::<F>() as u64;
        stream.gpu().properties().reach("values of a matrix", bytes)?;
        Ok(GpuLevel {
            threads: level.threads,
            warps: level.warps,
            pieces: level.pieces,
            places: stream.upload_words(places)?,
            unit_starts: stream.upload_words(unit_starts)?,
            units: stream.upload_words(units)?,
            starts: stream.upload_words(starts)?,
            columns: stream.upload_words(&columns)?,
            values: convert::upload::<F>(stream, &values)?,
        })
    }

    /// Sums of the rows of threads and warps to their places in `out`, and those of the pieces.
    fn product(&self, stream: &Stream, field: &Owner, x: &Vector, out: &Vector) -> Result<Vector> {
        let pieces: Vector = stream.elements(field, self.pieces)?;
        let warps = |first: usize, n: usize, out: &Vector| {
            let rows_per_block = u64::from(stream.block_threads::<SpMvWarp>(field) / 32);
            let kernel = SpMvWarp {
                rows: self.places.part(first..),
                unit_starts: self.unit_starts.part(first..),
                units: self.units.whole(),
                starts: self.starts.part(first..),
                columns: self.columns.whole(),
                values: self.values.whole(),
                x: x.whole(),
                out: out.whole(),
                n: index32("rows of a matrix", n)?,
            };
            stream.launch_blocks(field, (n as u64).div_ceil(rows_per_block), &kernel)
        };
        // Threads fill what warps leave, so each have a stream where there are both.
        let side = if self.threads > 0 && self.warps + self.pieces > 0 { Some(stream.fork()?) } else { None };
        warps(self.threads + self.warps, self.pieces, &pieces)?;
        warps(self.threads, self.warps, out)?;
        let kernel = SpMvThread {
            rows: self.places.whole(),
            unit_starts: self.unit_starts.whole(),
            units: self.units.whole(),
            starts: self.starts.whole(),
            columns: self.columns.whole(),
            values: self.values.whole(),
            x: x.whole(),
            out: out.whole(),
            n: index32("rows of a matrix", self.threads)?,
        };
        match side {
            None => stream.launch(field, self.threads, &kernel)?,
            Some(side) => {
                side.launch(field, self.threads, &kernel)?;
                stream.join(side)?;
            }
        }
        Ok(pieces)
    }
}

/// `matrix · x`, zero-extended to `out_len` elements.
pub(crate) fn spmv(
    stream: &Stream,
    field: &Owner,
    matrix: &GpuMatrix,
    x: &Vector,
    out_len: usize,
) -> Result<Vector> {
    check_len("vector of the product", matrix.width, x.len())?;
    check_out_len(matrix.rows, out_len)?;
    index32("vector length", out_len)?;
    let out: Vector = stream.elements(field, out_len)?;
    let written = if matrix.has_empty { 0 } else { matrix.rows };
    stream.zero(&out, written..out.len())?;
    let mut of_pieces: Option<Vector> = None;
    for level in &matrix.levels {
        of_pieces = Some(level.product(stream, field, of_pieces.as_ref().unwrap_or(x), &out)?);
    }
    Ok(out)
}
