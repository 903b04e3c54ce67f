//! Transforms of vectors and batches.

use super::arithmetic::{Tables, tables as tables_of};
use crate::batch::Places;
use crate::csr::check_multiple;
use crate::domain::Domain;
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::parallel::try_chunks;
use crate::tier::{self, Tier, tier};
use crate::vocabulary::{Direction, Transform};
use ark_ff::Zero as _;

/// Tables for a size that the field has and a root `omega` of exactly that order (both checked), for the
/// [`tier()`] in use.
///
/// Errors: the size, the root, and those of [`tier()`].
pub fn ntt_tables<F: Field>(n: usize, omega: F::Ark) -> Result<Box<dyn Tables<F>>> {
    ntt_tables_of::<F>(n, omega, tier()?)
}

/// As [`ntt_tables`], for a tier that is given.
///
/// Errors: the size, the root, or this processor lacks the tier.
pub fn ntt_tables_of<F: Field>(n: usize, omega: F::Ark, tier: Tier) -> Result<Box<dyn Tables<F>>> {
    let domain = Domain::new::<F>(n)?;
    domain.check_omega(omega)?;
    Ok(tables_of::<F>(domain, omega, tier::check(tier)?))
}

/// NTT in natural order on both sides, over the coset `shift·<omega>` (`shift` nonzero; one for
/// none), of the vectors of the tables' size that lie one after the other in `vector`.
pub fn ntt<F: Field>(
    tables: &dyn Tables<F>,
    vector: &mut Vec<F::Ark>,
    direction: Direction,
    shift: F::Ark,
) -> Result<()> {
    check_multiple("NTT vector", tables.size(), vector.len())?;
    if shift.is_zero() {
        return Err(RuntimeError::Input { what: "coset shift", reason: "it is zero".into() });
    }
    tables.run(vector, direction, shift);
    Ok(())
}

/// The transforms of vectors that are at `places` of `values`.
pub(crate) fn ntt_of<F: Field>(
    tables: &dyn Tables<F>,
    values: &[F::Ark],
    places: Places,
    transform: Transform<F::Ark>,
) -> Result<Vec<Vec<F::Ark>>> {
    let Transform { direction, shift, order } = transform;
    let of = |v: usize| {
        let mut own: Vec<F::Ark> = (0..places.n).map(|i| values[places.at(v, i)]).collect();
        if order.reversed_before(direction) {
            reverse_bits(&mut own);
        }
        ntt::<F>(tables, &mut own, direction, shift)?;
        if order.reversed_after(direction) {
            reverse_bits(&mut own);
        }
        Ok(own)
    };
    let mut vectors = vec![vec![]; places.count];
    try_chunks(&mut vectors, 1, &|v, vector| of(v).map(|own| vector.fill(own)))?;
    Ok(vectors)
}

/// Writes vectors to their places.
pub(crate) fn put<T>(vectors: Vec<Vec<T>>, values: &mut [T], places: Places) {
    for (v, vector) in vectors.into_iter().enumerate() {
        vector.into_iter().enumerate().for_each(|(i, x)| values[places.at(v, i)] = x);
    }
}

/// Exchanges the elements of a vector, a power of two of them, whose indices are each other's with
/// their bits reversed.
fn reverse_bits<T>(vector: &mut [T]) {
    let log = vector.len().trailing_zeros();
    for i in 1..vector.len() {
        let j = i.reverse_bits() >> (usize::BITS - log);
        if i < j {
            vector.swap(i, j);
        }
    }
}
