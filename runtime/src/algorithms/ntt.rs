//! Number-theoretic transforms: passes of up to seven stages each, natural order throughout.
//!
//! A pass reads vectors and writes others (Stockham), the first without twiddles. A transform of `2^k` elements moves them `⌈k/7⌉` times,
//! and the passes are about equally long; in fields too long for eight elements a thread they have up to six or five stages. The
//! inverse runs with the twiddles of `omega` as well: its results are those of the forward transform at the
//! negated indices, and only the last pass knows. Vectors that lie one after the other are transformed by the same launches.
//!
//! A transform over the coset `shift·<omega>` is one over `<omega>` of the coefficients
//! times powers of `shift`; the inverse multiplies by powers of `1/shift`, and by `1/n`. What goes before a transform, and `1/n` alone, are
//! the first pass's to multiply by.
//!
//! Sizes with an odd factor are [`mixed`](super::mixed)'s: the passes are those of their parts.

use super::index32;
use super::mixed::{Mixed, MixedRoots};
use super::pointwise::scale;
use crate::csr::check_multiple;
use crate::domain::Domain;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::work::Direction;
use curvesmith_abi::kernels::{
    FieldMul, FieldScalePowers, NTT_TABLE, NttPass, NttTables, NttTwiddles, Powers, ntt_blocks,
    ntt_has_tables, ntt_log_elements, ntt_max_log_radix,
};
use curvesmith_abi::{Kernel as _, layout};
use std::sync::{Arc, Mutex, PoisonError};

type Vector = Buffer<layout::Field>;

/// Squarings `base^(2^j)` that kernels take to make powers of a base.
pub(crate) const SQUARINGS: usize = 32;

/// Coset tables kept for one size and root: a prover uses one shift in two directions.
const MAX_COSETS: usize = 4;

/// Twiddles of one size and root on a device.
#[derive(Debug)]
pub(crate) struct GpuTables {
    field: Owner,
    n: usize,
    /// Elements of a part as a logarithm; there is one part where the size is a power of two.
    log_n: u32,
    mixed: Option<Mixed>,
    /// `1/n`.
    size_inv: Vector,
    /// The odd `t < r` with `omega^(t·n/r) = W_r` for the kernels' roots `W_r`, in every radix `r` of the
    /// passes up to a multiple of `r`.
    turn: u32,
    /// The largest radix of the passes as a logarithm, and the powers of the kernels' root of that order, as [`NttPass`] takes them.
    log_inner: u32,
    inner: Vector,
    /// The passes, with the twiddles of those after the first.
    passes: Vec<(Pass, Option<Vector>)>,
    cosets: Mutex<Vec<Coset>>,
}

/// Factors of every element for one shift and direction: `shift^i`, or `shift^-i / n`.
#[derive(Debug)]
struct Coset {
    direction: Direction,
    powers: Vec<u8>,
    factors: Arc<Vector>,
}

/// What the host computes for the tables; elements in device form.
#[derive(Debug)]
pub(crate) struct Roots {
    /// `1/n`.
    pub(crate) size_inv: Vec<u8>,
    /// See [`GpuTables`].
    pub(crate) turn: u32,
    /// The [`SQUARINGS`] of the kernels' root of the order of the largest radix.
    pub(crate) inner: Vec<u8>,
    /// For each pass, the [`SQUARINGS`] of the root of order `2^end`.
    pub(crate) squarings: Vec<Vec<u8>>,
    /// For a size that is no power of two.
    pub(crate) mixed: Option<MixedRoots>,
}

/// One pass over a vector: `log_r` stages after `log_done` others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    pub(crate) log_r: u32,
    log_done: u32,
}

impl Pass {
    /// Stages done after it.
    pub(crate) fn end(self) -> u32 {
        self.log_done + self.log_r
    }
}

/// The passes of a transform of size `2^log_n` in order: as few as radix `2^most` allows, about equally long, the longest first.
fn passes(log_n: u32, most: u32) -> Vec<Pass> {
    let (mut passes, mut log_done) = (vec![], log_n);
    for left in (1..=log_n.div_ceil(most)).rev() {
        let log_r = log_done / left;
        log_done -= log_r;
        passes.push(Pass { log_r, log_done });
    }
    passes.reverse();
    passes
}

/// The passes of a transform in `field` under the device's policy.
pub(crate) fn passes_of(stream: &Stream, field: &Owner, log_n: u32) -> Vec<Pass> {
    // With fewer stages than this some pass would be shorter than the elements of a thread.
    let least = 2 * ntt_log_elements(field.words) - 1;
    passes(log_n, stream.gpu().policy().ntt.max_log_radix.clamp(least, ntt_max_log_radix(field.words)))
}

/// The tables for [`passes_of`] the domain's power of two.
pub(crate) fn make_tables(stream: &Stream, field: Owner, domain: Domain, roots: &Roots) -> Result<GpuTables> {
    let passes = passes_of(stream, &field, domain.log);
    let log_inner = passes.iter().map(|pass| pass.log_r).max().unwrap_or(0);
    let inner = inner(stream, &field, log_inner, &roots.inner)?;
    let passes = passes.into_iter().zip(&roots.squarings);
    let passes = passes.map(|(pass, squarings)| Ok((pass, twiddles(stream, &field, pass, squarings)?)));
    let passes = passes.collect::<Result<_>>()?;
    let size_inv = stream.elements(&field, 1)?;
    stream.upload_bytes(&size_inv, &roots.size_inv)?;
    let mixed = roots.mixed.as_ref().map(|roots| Mixed::new(stream, &field, domain, roots)).transpose()?;
    let (Domain { n, log: log_n, .. }, turn) = (domain, roots.turn);
    let cosets = Mutex::default();
    Ok(GpuTables { field, n, log_n, mixed, size_inv, turn, log_inner, inner, passes, cosets })
}

/// The powers by which passes multiply between their steps.
fn inner(stream: &Stream, field: &Owner, log_inner: u32, squarings: &[u8]) -> Result<Vector> {
    let base_pows = upload_squarings(stream, field, squarings)?;
    let (n, base_pows) = (1u32 << log_inner, base_pows.ptr());
    let has_tables = ntt_has_tables(field.words, field.bits as usize);
    let entries = if has_tables { NTT_TABLE.fit(field.words).entries(field.words) } else { 1 };
    let out: Vector = stream.elements(field, entries << log_inner)?;
    match has_tables {
        true => stream.launch(field, n as usize, &NttTables { base_pows, out: out.ptr(), n })?,
        false => stream.launch(field, n as usize, &Powers { base_pows, out: out.ptr(), n })?,
    }
    Ok(out)
}

fn twiddles(stream: &Stream, field: &Owner, pass: Pass, squarings: &[u8]) -> Result<Option<Vector>> {
    if pass.log_done == 0 {
        return Ok(None);
    }
    let count = 1usize << pass.end();
    let n = index32("twiddles", count)?;
    let base_pows = upload_squarings(stream, field, squarings)?;
    let out: Vector = stream.elements(field, count)?;
    let kernel = NttTwiddles { base_pows: base_pows.ptr(), out: out.ptr(), log_done: pass.log_done, n };
    stream.launch(field, count, &kernel)?;
    Ok(Some(out))
}

pub(super) fn upload_squarings(stream: &Stream, field: &Owner, squarings: &[u8]) -> Result<Vector> {
    let buffer = stream.elements(field, SQUARINGS)?;
    stream.upload_bytes(&buffer, squarings)?;
    Ok(buffer)
}

/// What the elements of every vector are multiplied by before its transform.
#[derive(Clone, Copy, Debug)]
enum Factors<'a> {
    None,
    /// One for all.
    One(&'a Vector),
    /// One for each.
    Each(&'a Vector),
}

/// The transforms of the vectors of a plan's size that lie one after the other in `vector`, which this stream may keep or replace.
/// `powers` are the [`SQUARINGS`] of
/// the coset's shift forward, of its inverse on the way back; `None` for the subgroup itself.
pub(crate) fn transform(
    stream: &Stream,
    tables: &GpuTables,
    vector: &mut Vector,
    direction: Direction,
    powers: Option<&[u8]>,
) -> Result<()> {
    stream.uses("tables", &tables.size_inv)?;
    check_multiple("NTT vector", tables.n, vector.len())?;
    if tables.n == 1 {
        return Ok(());
    }
    let mut spare: Vector = stream.elements(&tables.field, vector.len())?;
    let cached = match (direction, powers) {
        (Direction::Forward, Some(powers)) if tables.mixed.is_none() && fits_cache(stream, tables) => {
            Some(coset(stream, tables, direction, powers)?)
        }
        _ => None,
    };
    let factors = match (direction, powers) {
        (Direction::Forward, None) | (Direction::Inverse, Some(_)) => Factors::None,
        // One of an odd size may have no passes.
        (Direction::Inverse, None) if tables.passes.is_empty() => {
            scale(stream, &tables.field, vector, &tables.size_inv, &spare)?;
            std::mem::swap(vector, &mut spare);
            Factors::None
        }
        (Direction::Inverse, None) => Factors::One(&tables.size_inv),
        (Direction::Forward, Some(powers)) => match &cached {
            Some(factors) => Factors::Each(factors),
            None => {
                scale_by_powers(stream, tables, vector, direction, powers, &spare)?;
                std::mem::swap(vector, &mut spare);
                Factors::None
            }
        },
    };
    match &tables.mixed {
        None => run_passes(stream, tables, direction, factors, vector, &mut spare)?,
        Some(mixed) => {
            mixed.split(stream, &tables.field, direction, vector, &spare)?;
            std::mem::swap(vector, &mut spare);
            run_passes(stream, tables, Direction::Forward, factors, vector, &mut spare)?;
            mixed.join(stream, &tables.field, vector, &mut spare)?;
        }
    }
    // The cache may let go of them before the kernels have run.
    cached.into_iter().for_each(|factors| stream.hold(factors));
    if let (Direction::Inverse, Some(powers)) = (direction, powers) {
        scale_by_powers(stream, tables, vector, direction, powers, &spare)?;
        std::mem::swap(vector, &mut spare);
    }
    Ok(())
}

/// All passes over every part of `vector`.
fn run_passes(
    stream: &Stream,
    tables: &GpuTables,
    direction: Direction,
    factors: Factors<'_>,
    vector: &mut Vector,
    spare: &mut Vector,
) -> Result<()> {
    for (pass, twiddles) in &tables.passes {
        let GpuTables { log_n, log_inner, turn, field, .. } = tables;
        let Pass { log_r, log_done } = *pass;
        let (first, done) = (vector.ptr(), 1u32 << log_done);
        let (factors, scaled, step, mask) = match (twiddles, factors) {
            (Some(twiddles), _) => (twiddles.ptr(), 1, done, done - 1),
            (None, Factors::None) => (first, 0, 0, 0),
            (None, Factors::One(factor)) => (factor.ptr(), 1, 0, 0),
            (None, Factors::Each(factors)) => (factors.ptr(), 1, 1 << (log_n - log_r), u32::MAX),
        };
        // Negated indices; the kernels take `turn` mod r.
        let negate = pass.end() == *log_n && direction == Direction::Inverse;
        let (turn, sign) = if negate { (turn.wrapping_neg(), u32::MAX) } else { (*turn, 1) };
        let (a, inner, out) = (first, tables.inner.ptr(), spare.ptr());
        let (log_n, log_inner) = (*log_n, *log_inner);
        let blocks = (vector.len() >> log_n) * ntt_blocks(field.words, log_n);
        let threads = blocks * NttPass::DESC.block as usize;
        let kernel = NttPass {
            a,
            factors,
            inner,
            out,
            log_n,
            log_done,
            log_r,
            scaled,
            step,
            mask,
            log_inner,
            turn,
            sign,
        };
        stream.launch(field, threads, &kernel)?;
        std::mem::swap(vector, spare);
    }
    Ok(())
}

/// Whether factors of every element are kept.
fn fits_cache(stream: &Stream, tables: &GpuTables) -> bool {
    tables.n.next_power_of_two().trailing_zeros() <= stream.gpu().policy().ntt.max_cached_log_n
}

/// `out[i] = a[i] · base^i` in every vector, and `/n` on the way back; `powers` are the base's.
fn scale_by_powers(
    stream: &Stream,
    tables: &GpuTables,
    a: &Vector,
    direction: Direction,
    powers: &[u8],
    out: &Vector,
) -> Result<()> {
    let (field, len) = (&tables.field, tables.n);
    let n = index32("vector", len)?;
    let starts = (0..a.len()).step_by(len);
    if fits_cache(stream, tables) {
        let factors = coset(stream, tables, direction, powers)?;
        for start in starts {
            let kernel = FieldMul { a: a.ptr_at(start), b: factors.ptr(), out: out.ptr_at(start), n };
            stream.launch(field, len, &kernel)?;
        }
        // The cache may let go of them before the kernels have run.
        stream.hold(factors);
        return Ok(());
    }
    let base_pows = upload_squarings(stream, field, powers)?;
    let scaled = match direction {
        Direction::Forward => None,
        Direction::Inverse => Some(stream.elements(field, a.len())?),
    };
    let to = scaled.as_ref().unwrap_or(out);
    for first in starts {
        let (a, out) = (a.ptr_at(first), to.ptr_at(first));
        let kernel = FieldScalePowers { a, base_pows: base_pows.ptr(), out, start: 0, n };
        stream.launch(field, len, &kernel)?;
    }
    match scaled {
        Some(scaled) => scale(stream, field, &scaled, &tables.size_inv, out),
        None => Ok(()),
    }
}

/// The cached factors of a coset, made now if they are not there.
fn coset(stream: &Stream, tables: &GpuTables, direction: Direction, powers: &[u8]) -> Result<Arc<Vector>> {
    let lock = || tables.cosets.lock().unwrap_or_else(PoisonError::into_inner);
    let cached =
        lock().iter().find(|c| c.direction == direction && c.powers == powers).map(|c| c.factors.clone());
    if let Some(factors) = cached {
        return Ok(factors);
    }
    let (field, len) = (&tables.field, tables.n);
    let mut factors: Vector = stream.elements(field, len)?;
    let base_pows = upload_squarings(stream, field, powers)?;
    let kernel = Powers { base_pows: base_pows.ptr(), out: factors.ptr(), n: index32("powers", len)? };
    stream.launch(field, len, &kernel)?;
    if direction == Direction::Inverse {
        let scaled = stream.elements(field, len)?;
        scale(stream, field, &factors, &tables.size_inv, &scaled)?;
        factors = scaled;
    }
    // Other streams may take them from the cache without waiting for this one.
    stream.synchronize()?;
    let factors = Arc::new(factors);
    let mut cosets = lock();
    if cosets.len() == MAX_COSETS {
        cosets.remove(0);
    }
    cosets.push(Coset { direction, powers: powers.to_vec(), factors: Arc::clone(&factors) });
    Ok(factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes too large to run: all stages are there, in passes that the kernel takes, and every index a pass computes stays in range.
    #[test]
    fn passes_of_large_sizes_stay_in_range() {
        for (log_e, log_n) in (1..=3).flat_map(|log_e| (0..=31).map(move |log_n| (log_e, log_n))) {
            for most in 2 * log_e - 1..=log_e + 4 {
                let passes = passes(log_n, most);
                assert_eq!(passes.len() as u32, log_n.div_ceil(most), "2^{log_n}, {most}");
                let mut done = 0;
                for pass in &passes {
                    assert_eq!(pass.log_done, done);
                    assert!((log_e.min(log_n)..=most).contains(&pass.log_r), "2^{log_n}, {most}");
                    done += pass.log_r;
                    assert_eq!(pass.end(), done);
                }
                assert!(passes.is_sorted_by_key(|pass| std::cmp::Reverse(pass.log_r)));
                assert_eq!(done, log_n);
            }
        }
        for words in 1..=32 {
            let threads = ntt_blocks(words, 31) as u64 * u64::from(NttPass::DESC.block);
            assert!(threads <= u64::from(u32::MAX), "thread index");
        }
    }
}
