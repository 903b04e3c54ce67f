//! Keys under which anyone makes proofs, as far as their points show it.
//!
//! Groth draws α, β, γ and δ independently. A key whose setup ended before its second phase has
//! γ = δ, and `(α, β, −Σ)` with `Σ = Σ xᵢ·ICᵢ` proves everything. So does another proof for each
//! relation that is looked for, with the sign of the relation:
//!
//! | relation | A | B | C |
//! | --- | --- | --- | --- |
//! | δ = ±γ | α | β | ∓Σ |
//! | γ = ±β | α ± Σ | β | 0 |
//! | δ = ±β | Σ | γ | ∓α |
//! | β = ±γ ±' δ | Σ ± α | γ | ∓' α |
//! | α = ±δ | Σ | γ | ∓β |
//! | α = ±γ, which shows where γ is the generator or its opposite | Σ ± β | γ | 0 |
//!
//! The last two need β in G1, which proving keys have. With α = ±β the left and right sides of
//! constraints are not kept apart. Logarithms that only the key's maker knows do not show.

use ark_ec::AffineRepr;
use ark_ff::Zero;
use ark_groth16::VerifyingKey;
use curvesmith_runtime::group::{AffineOf, PairingCurve};
use std::fmt;

/// A number that Groth16 draws for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyElement {
    /// α.
    Alpha,
    /// β.
    Beta,
    /// γ.
    Gamma,
    /// δ.
    Delta,
}

impl fmt::Display for KeyElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyElement::Alpha => "alpha",
            KeyElement::Beta => "beta",
            KeyElement::Gamma => "gamma",
            KeyElement::Delta => "delta",
        })
    }
}

/// Why a key proves nothing: what its points show of the numbers that should be independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Weakness {
    /// One is zero. Such keys are refused in any case.
    #[error("{0} is the identity")]
    Identity(KeyElement),
    /// Two are the same: of γ and δ in a key whose setup had no second phase.
    #[error("{0} and {1} are equal")]
    Equal(KeyElement, KeyElement),
    /// The sum of two is zero.
    #[error("{0} and {1} are opposite")]
    Opposite(KeyElement, KeyElement),
    /// One of β, γ and δ is the sum of the others, up to signs.
    #[error("beta, gamma and delta add up to the identity, up to signs")]
    Dependent,
}

/// What of a verification key's points voids its proofs; nothing of a key whose setup was complete.
pub fn weaknesses<C: PairingCurve>(vk: &VerifyingKey<C::Engine>) -> Vec<Weakness> {
    find::<C>(vk, &[])
}

/// As [`weaknesses`], with the points that only a proving key has.
pub(crate) fn weaknesses_of_proving_key<C: PairingCurve>(
    vk: &VerifyingKey<C::Engine>,
    beta_g1: AffineOf<C::G1>,
    delta_g1: AffineOf<C::G1>,
) -> Vec<Weakness> {
    find::<C>(vk, &[(KeyElement::Beta, beta_g1), (KeyElement::Delta, delta_g1)])
}

fn find<C: PairingCurve>(
    vk: &VerifyingKey<C::Engine>,
    others: &[(KeyElement, AffineOf<C::G1>)],
) -> Vec<Weakness> {
    use KeyElement::{Alpha, Beta, Delta, Gamma};
    let g2 = [(Beta, vk.beta_g2), (Gamma, vk.gamma_g2), (Delta, vk.delta_g2)];
    let mut g1 = vec![(Alpha, vk.alpha_g1)];
    g1.extend_from_slice(others);
    let generator = AffineOf::<C::G2>::generator();
    if vk.gamma_g2 == generator {
        g1.push((Gamma, AffineOf::<C::G1>::generator()));
    } else if vk.gamma_g2 == -generator {
        g1.push((Gamma, -AffineOf::<C::G1>::generator()));
    }
    let mut found = related(&g2);
    for weakness in related(&g1) {
        if !found.contains(&weakness) {
            found.push(weakness);
        }
    }
    let [beta, gamma, delta] = g2.map(|(_, point)| point.into_group());
    let (sum, difference) = (gamma + delta, gamma - delta);
    if [beta + sum, beta - sum, beta + difference, beta - difference].iter().any(Zero::is_zero) {
        found.push(Weakness::Dependent);
    }
    found
}

/// Points that are the identity, and pairs that are equal or opposite.
fn related<P: AffineRepr>(points: &[(KeyElement, P)]) -> Vec<Weakness> {
    let mut found = Vec::new();
    for (i, &(name, point)) in points.iter().enumerate() {
        if point.is_zero() {
            found.push(Weakness::Identity(name));
            continue;
        }
        for &(other_name, other) in &points[i + 1..] {
            let (first, second) = (name.min(other_name), name.max(other_name));
            if point == other {
                found.push(Weakness::Equal(first, second));
            } else if (point.into_group() + other).is_zero() {
                found.push(Weakness::Opposite(first, second));
            }
        }
    }
    found
}
