//! Verification of Groth16 proofs, with every check that the equation presupposes.

use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::One;
use ark_groth16::{Proof, VerifyingKey};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, PairingCurve};

/// Why a proof was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The key is for another number of public inputs: input and key do not belong together.
    #[error("{found} public inputs, expected {expected}")]
    InputCount {
        /// Number that the key demands.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// A point is not in the group it must be in: proof or key is malformed.
    #[error("{what} is {problem}")]
    Point {
        /// Which point.
        what: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Everything is well-formed, but the proof does not prove this statement.
    #[error("the proof is not valid")]
    NotValid,
}

/// Verifies that `proof` proves the statement `public` (without the leading one) under `vk`.
///
/// Refused are: a wrong number of inputs (`ark-groth16` 0.6 ignores extra ones), points off
/// their curve or outside the subgroup of order r, in proof and key, and a proof whose
/// equation does not hold. Identities are kept out of the Miller loop, whose formulas do
/// not hold for them on every curve. Variable time: nothing here is secret.
///
/// Source: Groth, "On the size of pairing-based non-interactive arguments", 2016.
pub fn verify<C: PairingCurve>(
    vk: &VerifyingKey<C::Engine>,
    public: &[<C::Fr as Field>::Ark],
    proof: &Proof<C::Engine>,
) -> Result<(), VerifyError> {
    check_point::<C::G1>("proof point A", &proof.a)?;
    check_point::<C::G2>("proof point B", &proof.b)?;
    check_point::<C::G1>("proof point C", &proof.c)?;
    check_point::<C::G1>("key point alpha", &vk.alpha_g1)?;
    check_point::<C::G2>("key point beta", &vk.beta_g2)?;
    check_point::<C::G2>("key point gamma", &vk.gamma_g2)?;
    check_point::<C::G2>("key point delta", &vk.delta_g2)?;
    for (i, point) in vk.gamma_abc_g1.iter().enumerate() {
        check_point::<C::G1>(format_args!("key point IC[{i}]"), point)?;
    }
    verify_equation::<C>(vk, public, proof)
}

/// As [`verify`], for points already known to be in their groups.
pub(crate) fn verify_equation<C: PairingCurve>(
    vk: &VerifyingKey<C::Engine>,
    public: &[<C::Fr as Field>::Ark],
    proof: &Proof<C::Engine>,
) -> Result<(), VerifyError> {
    let expected = vk.gamma_abc_g1.len().saturating_sub(1);
    let Some((constant, ic)) = vk.gamma_abc_g1.split_first().filter(|_| public.len() == expected) else {
        return Err(VerifyError::InputCount { expected, found: public.len() });
    };
    let inputs = <<C::Engine as Pairing>::G1 as VariableBaseMSM>::msm_unchecked(ic, public) + constant;
    let inputs = inputs.into_affine();
    let pairs =
        [(-proof.a, proof.b), (vk.alpha_g1, vk.beta_g2), (inputs, vk.gamma_g2), (proof.c, vk.delta_g2)];
    let pairs = pairs.into_iter().filter(|(p, q)| !p.is_zero() && !q.is_zero());
    let (left, right): (Vec<_>, Vec<_>) = pairs.unzip();
    let product = C::Engine::final_exponentiation(C::Engine::multi_miller_loop(left, right));
    match product {
        Some(product) if product.0.is_one() => Ok(()),
        _ => Err(VerifyError::NotValid),
    }
}

fn check_point<G: Group>(what: impl ToString, point: &AffineOf<G>) -> Result<(), VerifyError> {
    let problem = if !point.is_on_curve() {
        "off the curve"
    } else if !point.is_in_correct_subgroup_assuming_on_curve() {
        "outside the subgroup of order r"
    } else {
        return Ok(());
    };
    Err(VerifyError::Point { what: what.to_string(), problem })
}
