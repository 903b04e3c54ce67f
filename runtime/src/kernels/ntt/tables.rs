//! What transforms keep on a device: twiddles, and the powers of cosets' shifts.
//!
//! Tables are made once for a device: plans of one field share those of equal roots, by [`Shared`], and the
//! last of them frees them.

use super::super::index32;
use super::super::mixed::{Mixed, MixedRoots};
use super::super::pointwise::scale;
use super::{SQUARINGS, Vector};
use crate::domain::Domain;
use crate::error::Result;
use crate::gpu::{Key, Stream};
use crate::owner::Owner;
use crate::vocabulary::Direction;
use curvesmith_abi::kernels::{NTT_TABLE, NttTables, NttTwiddles, Powers, ntt_has_tables};
use std::sync::{Arc, Mutex, PoisonError};

/// Coset tables kept for one size and root: a prover uses one shift in two directions.
const MAX_COSETS: usize = 4;

/// Twiddles of one size and root on a device.
#[derive(Debug)]
pub(crate) struct GpuTables {
    pub(super) field: Owner,
    pub(super) n: usize,
    /// Elements of a part as a logarithm; there is one part where the size is a power of two.
    pub(super) log_n: u32,
    pub(super) mixed: Option<Mixed>,
    /// `1/n`.
    pub(super) size_inv: Vector,
    /// The odd `t < r` with `omega^(t·n/r) = W_r` for the kernels' roots `W_r`, in every radix `r` of the
    /// passes up to a multiple of `r`.
    pub(super) turn: u32,
    /// The largest radix of the passes as a logarithm, and the powers of the kernels' root of that order, as
    /// [`NttPass`] takes them.
    pub(super) log_inner: u32,
    pub(super) inner: Arc<Vector>,
    /// The passes in natural order, with the twiddles of those after the first.
    pub(super) passes: Vec<(Pass, Option<Arc<Vector>>)>,
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
    pub(super) log_done: u32,
}

impl Pass {
    /// Stages done after it.
    pub(crate) fn end(self) -> u32 {
        self.log_done + self.log_r
    }
}

/// The passes of a transform of size `2^log_n` in order: as few as radix `2^most` allows, about equally long,
/// the longest first.
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
    passes(log_n, stream.gpu().policy().ntt.log_radix(stream.geometry(), field.words))
}

/// The tables for [`passes_of`] the domain's power of two, those that others of the device have if there are
/// any. `omega` is the root of order `n` in device form, `roots` is asked where they are made.
pub(crate) fn tables(
    stream: &Stream,
    field: Owner,
    domain: Domain,
    omega: Vec<u8>,
    roots: impl FnOnce() -> Roots,
) -> Result<Arc<GpuTables>> {
    let key = Key::new(&field, vec![domain.n as u64], omega);
    stream.gpu().shared_tables().get(key, || make_tables(stream, field, domain, &roots()))
}

fn make_tables(stream: &Stream, field: Owner, domain: Domain, roots: &Roots) -> Result<GpuTables> {
    let passes = passes_of(stream, &field, domain.log);
    let log_inner = passes.iter().map(|pass| pass.log_r).max().unwrap_or(0);
    let inner = shared(stream, &field, vec![0, log_inner.into()], &roots.inner, || {
        inner(stream, &field, log_inner, &roots.inner)
    })?;
    let passes = passes.into_iter().zip(&roots.squarings);
    let passes = passes.map(|(pass, squarings)| Ok((pass, twiddles(stream, &field, pass, squarings)?)));
    let passes = passes.collect::<Result<_>>()?;
    let size_inv = stream.elements(&field, 1)?;
    stream.upload_bytes(&size_inv, &roots.size_inv)?;
    let mixed = roots.mixed.as_ref().map(|roots| Mixed::new(stream, &field, domain, roots)).transpose()?;
    let (Domain { n, log: log_n, .. }, turn) = (domain, roots.turn);
    let cosets = Mutex::default();
    // Others may take them without waiting for this stream.
    stream.synchronize()?;
    Ok(GpuTables { field, n, log_n, mixed, size_inv, turn, log_inner, inner, passes, cosets })
}

/// The vector that `numbers` and the squarings of a root say, which others of the device may have.
fn shared(
    stream: &Stream,
    field: &Owner,
    numbers: Vec<u64>,
    squarings: &[u8],
    make: impl FnOnce() -> Result<Vector>,
) -> Result<Arc<Vector>> {
    let root = squarings[..squarings.len() / SQUARINGS].to_vec();
    stream.gpu().shared_tables().get(Key::new(field, numbers, root), || {
        let made = make()?;
        stream.synchronize()?;
        Ok(made)
    })
}

/// The powers by which passes multiply between their steps.
fn inner(stream: &Stream, field: &Owner, log_inner: u32, squarings: &[u8]) -> Result<Vector> {
    let base_pows = upload_squarings(stream, field, squarings)?;
    let (n, base_pows) = (1u32 << log_inner, base_pows.whole());
    let has_tables = ntt_has_tables(field.words, field.bits as usize);
    let entries = if has_tables { NTT_TABLE.fit(field.words).entries(field.words) } else { 1 };
    let out: Vector = stream.elements(field, entries << log_inner)?;
    match has_tables {
        true => stream.launch(field, n as usize, &NttTables { base_pows, out: out.whole(), n })?,
        false => stream.launch(field, n as usize, &Powers { base_pows, out: out.whole(), n })?,
    }
    Ok(out)
}

fn twiddles(stream: &Stream, field: &Owner, pass: Pass, squarings: &[u8]) -> Result<Option<Arc<Vector>>> {
    if pass.log_done == 0 {
        return Ok(None);
    }
    let count = 1usize << pass.end();
    let n = index32("twiddles", count)?;
    let numbers = vec![1, pass.log_done.into(), pass.end().into()];
    let made = shared(stream, field, numbers, squarings, || {
        let base_pows = upload_squarings(stream, field, squarings)?;
        let out: Vector = stream.elements(field, count)?;
        let kernel =
            NttTwiddles { base_pows: base_pows.whole(), out: out.whole(), log_done: pass.log_done, n };
        stream.launch(field, count, &kernel)?;
        Ok(out)
    })?;
    Ok(Some(made))
}

pub(crate) fn upload_squarings(stream: &Stream, field: &Owner, squarings: &[u8]) -> Result<Vector> {
    let buffer = stream.elements(field, SQUARINGS)?;
    stream.upload_bytes(&buffer, squarings)?;
    Ok(buffer)
}

/// Whether factors of every element are kept.
pub(super) fn fits_cache(stream: &Stream, tables: &GpuTables) -> bool {
    tables.n.next_power_of_two().trailing_zeros() <= stream.gpu().policy().ntt.max_cached_log_n
}

/// The cached factors of a coset, made now if they are not there.
pub(super) fn coset(
    stream: &Stream,
    tables: &GpuTables,
    direction: Direction,
    powers: &[u8],
) -> Result<Arc<Vector>> {
    let lock = || tables.cosets.lock().unwrap_or_else(PoisonError::into_inner);
    let cached =
        lock().iter().find(|c| c.direction == direction && c.powers == powers).map(|c| c.factors.clone());
    if let Some(factors) = cached {
        return Ok(factors);
    }
    let (field, len) = (&tables.field, tables.n);
    let mut factors: Vector = stream.elements(field, len)?;
    let base_pows = upload_squarings(stream, field, powers)?;
    let kernel = Powers { base_pows: base_pows.whole(), out: factors.whole(), n: index32("powers", len)? };
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
    use curvesmith_abi::Geometry;

    /// Sizes too large to run: all stages are there, in passes that the kernel takes, and every index a pass
    /// computes stays in range.
    #[test]
    fn passes_of_large_sizes_stay_in_range() {
        for (log_e, log_n) in (1..=4).flat_map(|log_e| (0..=31).map(move |log_n| (log_e, log_n))) {
            for most in 2 * log_e - 1..=log_e + 6 {
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
            let Geometry { threads, .. } = Geometry::PTX;
            let threads = Geometry::PTX.ntt_blocks(words, 31) as u64 * u64::from(threads);
            assert!(threads <= u64::from(u32::MAX), "thread index");
        }
    }
}
