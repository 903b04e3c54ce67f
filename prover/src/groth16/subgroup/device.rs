//! The test of a key's queries on a device: sums of all points at once, instead of each point by itself.
//!
//! A point outside of the subgroup of order r differs from one inside by a point T of an order m > 1 that is
//! prime to r. In a sum of the query's points with random digits, uniform among 2^c values, T's digit hits
//! any residue modulo m with probability at most 1/2. So, whatever the other points are, at most half of the
//! sums are in the subgroup; [`SUMS`] of them are, whose digits are independent, at most once in `2^SUMS`
//! times. The windows of an MSM are such sums.

use crate::groth16::stages::Queries;
use crate::verify::check_point;
use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use ark_std::rand::RngCore;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{Group, PairingCurve};
use curvesmith_runtime::parallel::first;
use curvesmith_runtime::work::Work;
use curvesmith_runtime::{DeviceBases, Digits, RuntimeError};

/// Sums of a query that are tested.
const SUMS: usize = 128;

/// The name of a query with a point outside of its subgroup, or on a device that fails; `None` if there is
/// none. The points are on their curves.
pub(super) fn suspect<C: PairingCurve>(
    work: &Work,
    queries: &Queries<C>,
    rng: &mut impl RngCore,
) -> Result<Option<&'static str>, RuntimeError> {
    let mut tested = 0;
    while tested < SUMS {
        let (digits, windows) = random_digits::<C::Fr>(work, queries.a.len(), rng)?;
        let (h_digits, h_windows) = random_digits::<C::Fr>(work, queries.h.len(), rng)?;
        for (query, in_group) in [
            ("a_query", sums_in_group(work, &digits, &queries.a)?),
            ("b_g1_query", sums_in_group(work, &digits, &queries.b_g1)?),
            ("b_g2_query", sums_in_group(work, &digits, &queries.b_g2)?),
            ("l_query", sums_in_group(work, &digits, &queries.l)?),
            ("h_query", sums_in_group(work, &h_digits, &queries.h)?),
        ] {
            if !in_group {
                return Ok(Some(query));
            }
        }
        tested += windows.min(h_windows);
    }
    Ok(None)
}

/// Digits of `n` scalars, and how many windows of them are uniform.
fn random_digits<F: Field>(
    work: &Work,
    n: usize,
    rng: &mut impl RngCore,
) -> Result<(Digits, usize), RuntimeError> {
    // Whole bytes below the modulus.
    let mut bytes = vec![0; (F::Ark::MODULUS_BIT_SIZE as usize - 1) / 8];
    let scalars: Vec<F::Ark> = (0..n)
        .map(|_| {
            rng.fill_bytes(&mut bytes);
            F::Ark::from_le_bytes_mod_order(&bytes)
        })
        .collect();
    let shape = work.digit_shape::<F>(n);
    let digits = work.digits(&work.upload::<F>(&scalars)?, shape)?;
    Ok((digits, 8 * bytes.len() / shape.window as usize))
}

fn sums_in_group<G: Group>(
    work: &Work,
    digits: &Digits,
    bases: &DeviceBases<G>,
) -> Result<bool, RuntimeError> {
    let windows = work.window_sums(digits, bases)?;
    let outside = |i: usize| check_point::<G>(&windows[i].into_affine()).is_err();
    Ok(first(windows.len(), &outside).is_none())
}
