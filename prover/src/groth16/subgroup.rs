//! What a crafted key can do to a prover, and the tests against it.
//!
//! Where a group has a cofactor, a query can hold `Aᵢ + T` with T of small order m. The proof's
//! A is then off by `wᵢ·T`, which no pairing sees, and tells `wᵢ mod m` to everyone. So:
//!
//! * The points of a proof are tested before it is returned, always (`Groth16::is_sound`).
//! * [`KeyOptions::check_subgroups`] tests all points of a key: the first test leaves it to the key's maker
//!   to see whether there is a proof at all. On a GPU by sums of all of them (`device`); a sum that is
//!   outside is traced to its point on the host.
//! * α, β, γ and δ are refused at the identity. Groth draws their logarithms from the units:
//!   with δ = 0 a proof is not blinded, with one of the others anyone makes proofs.
//!
//! With these a proof that passes its self-check tells nothing, whoever made the key: r·δ and s·δ
//! make A and B uniform, and the equation determines C. Without a self-check that is not so.

mod device;

use super::key::{HostKey, KeyError, KeyOptions, on_curve};
use super::stages::DeviceKey;
use crate::verify::{PointProblem, check_point};
use ark_ec::AffineRepr;
use ark_ff::PrimeField;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, PairingCurve};
use curvesmith_runtime::parallel::first;
use curvesmith_runtime::{Device, RuntimeError};

/// Makes the checks of a key's header that its options ask for, and those that are made always.
pub(super) fn check_header<C: PairingCurve>(key: &HostKey<C>, options: &KeyOptions) -> Result<(), KeyError> {
    let (points, vk) = (&key.points, &key.points.vk);
    for (point, is_identity) in [
        ("alpha_g1", vk.alpha_g1.is_zero()),
        ("beta_g1", points.beta_g1.is_zero()),
        ("beta_g2", vk.beta_g2.is_zero()),
        ("gamma_g2", vk.gamma_g2.is_zero()),
        ("delta_g1", points.delta_g1.is_zero()),
        ("delta_g2", vk.delta_g2.is_zero()),
    ] {
        if is_identity {
            return Err(KeyError::Identity { point });
        }
    }
    if !options.trust_key || options.check_subgroups {
        in_group::<C::G1>("alpha_g1, beta_g1, delta_g1", &[vk.alpha_g1, points.beta_g1, points.delta_g1])?;
        in_group::<C::G2>("beta_g2, gamma_g2, delta_g2", &[vk.beta_g2, vk.gamma_g2, vk.delta_g2])?;
    }
    if options.check_subgroups {
        in_group::<C::G1>("gamma_abc_g1", &vk.gamma_abc_g1)?;
    }
    let weakness = if options.refuse_weak { points.weaknesses().first().copied() } else { None };
    weakness.map_or(Ok(()), |weakness| Err(KeyError::Weak(weakness)))
}

/// Tests each point of the queries.
pub(super) fn check_queries<C: PairingCurve>(key: &HostKey<C>) -> Result<(), KeyError> {
    in_group::<C::G1>("a_query", &key.a_query)?;
    in_group::<C::G1>("b_g1_query", &key.b_g1_query)?;
    in_group::<C::G2>("b_g2_query", &key.b_g2_query)?;
    in_group::<C::G1>("l_query", l_points(key))?;
    in_group::<C::G1>("h_query", &key.h_query)
}

/// As [`check_queries`], on the device where it has them.
pub(super) fn check_queries_on<C: PairingCurve>(
    device: &Device,
    on_device: &DeviceKey<C>,
    key: &HostKey<C>,
) -> Result<(), KeyError> {
    // Too small for windows that are uniform, and for a GPU to be of use.
    let too_small = <C::Fr as Field>::Ark::MODULUS_BIT_SIZE < 64;
    let Some(queries) = on_device.queries().filter(|_| !too_small) else { return check_queries(key) };
    on_curve::<C::G1>("a_query", &key.a_query)?;
    on_curve::<C::G1>("b_g1_query", &key.b_g1_query)?;
    on_curve::<C::G2>("b_g2_query", &key.b_g2_query)?;
    on_curve::<C::G1>("l_query", l_points(key))?;
    on_curve::<C::G1>("h_query", &key.h_query)?;
    // The key's maker must not know the digits.
    let mut rng = StdRng::from_entropy();
    let (suspect, _) = device.work()?.complete(|work| device::suspect(work, queries, &mut rng))?;
    let Some(query) = suspect else { return Ok(()) };
    check_queries(key)?;
    let reason = format!("a sum of {query}, whose points are all in their group, is not");
    Err(RuntimeError::Device { call: "subgroup check", reason }.into())
}

/// The points of the L query without the identities that stand for public wires.
fn l_points<C: PairingCurve>(key: &HostKey<C>) -> &[AffineOf<C::G1>] {
    &key.l_query[key.points.vk.gamma_abc_g1.len()..]
}

fn in_group<G: Group>(query: &'static str, points: &[AffineOf<G>]) -> Result<(), KeyError> {
    let Some(index) = first(points.len(), &|i| check_point::<G>(&points[i]).is_err()) else { return Ok(()) };
    match check_point::<G>(&points[index]) {
        Err(PointProblem::OffCurve) => Err(KeyError::OffCurve { query, index }),
        _ => Err(KeyError::OutsideSubgroup { query, index }),
    }
}

#[cfg(test)]
#[cfg(all(feature = "bn254", feature = "bls12-381"))]
mod tests;
