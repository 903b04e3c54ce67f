//! Verification of Groth16 proofs, with every check that the equation presupposes.
//!
//! A proof is valid if `e(A, B) = e(α, β)·e(Σ xᵢ·ICᵢ, γ)·e(C, δ)`. What depends on the key alone
//! is computed once ([`PreparedVk`]); three Miller loops, on two threads, and one final
//! exponentiation are left. Variable time: nothing here is secret.
//!
//! Source: Groth, "On the size of pairing-based non-interactive arguments", 2016.

mod weakness;

pub(crate) use weakness::weaknesses_of_proving_key;
pub use weakness::{KeyElement, Weakness, weaknesses};

use ark_ec::pairing::{MillerLoopOutput, Pairing};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, BigInteger, PrimeField, Zero};
use ark_groth16::{PreparedVerifyingKey, Proof, VerifyingKey};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, PairingCurve, Points as _, ProjectiveOf, ScalarOf};
use curvesmith_runtime::host;
use curvesmith_runtime::parallel::join;
use std::fmt;

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
    /// A point of the proof is not in the group it must be in: the proof is malformed.
    #[error("{what} is {problem}")]
    Point {
        /// Which point.
        what: &'static str,
        /// What is wrong with it.
        problem: PointProblem,
    },
    /// A point of the key is not what it must be: the key is malformed.
    #[error("{what} is {problem}")]
    KeyPoint {
        /// Which point.
        what: String,
        /// What is wrong with it.
        problem: PointProblem,
    },
    /// Anyone makes proofs under the key, which [`PreparedVk::new_strict`] refuses: ask its maker
    /// for another.
    #[error("anyone can make proofs under this key: {0}")]
    WeakKey(Weakness),
    /// Everything is well-formed, but the proof does not prove this statement.
    #[error("the proof is not valid")]
    NotValid,
}

/// What is wrong with a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointProblem {
    /// Its coordinates do not satisfy the curve's equation.
    #[error("off the curve")]
    OffCurve,
    /// It is on the curve, but its order is not r.
    #[error("outside the subgroup of order r")]
    OutsideSubgroup,
    /// It is the identity, where Groth16 draws a logarithm other than zero.
    #[error("the identity")]
    Identity,
}

/// Verifies that `proof` proves the statement `public` (without the leading one) under `vk`.
///
/// Refused are: a wrong number of inputs (`ark-groth16` 0.6 ignores extra ones), points off
/// their curve or outside the subgroup of order r, in proof and key, a key with α, β, γ or δ at
/// the identity, and a proof whose equation does not hold. For many proofs under one key see
/// [`PreparedVk`]; whether a proof under the key means anything is for [`weaknesses`] to tell.
pub fn verify<C: PairingCurve>(
    vk: &VerifyingKey<C::Engine>,
    public: &[<C::Fr as Field>::Ark],
    proof: &Proof<C::Engine>,
) -> Result<(), VerifyError> {
    PreparedVk::<C>::new(vk)?.verify(public, proof)
}

/// A verification key that was checked, with what every verification needs computed once.
#[derive(Clone)]
pub struct PreparedVk<C: PairingCurve> {
    ic: Vec<AffineOf<C::G1>>,
    /// e(α, β); `None` for points that no pairing takes, under which nothing is valid.
    alpha_beta: Option<<C::Engine as Pairing>::TargetField>,
    /// −γ and −δ; `None` for the identity, whose pairings are one.
    neg_gamma: Option<<C::Engine as Pairing>::G2Prepared>,
    neg_delta: Option<<C::Engine as Pairing>::G2Prepared>,
}

impl<C: PairingCurve> fmt::Debug for PreparedVk<C> {
    // Thousands of coefficients of lines are for no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedVk<{}>[{}]", C::NAME, self.ic.len())
    }
}

impl<C: PairingCurve> PreparedVk<C> {
    /// Checks a key as [`verify`] does and prepares it.
    pub fn new(vk: &VerifyingKey<C::Engine>) -> Result<Self, VerifyError> {
        let key = |what: &str, problem: Result<(), PointProblem>| {
            problem.map_err(|problem| VerifyError::KeyPoint { what: format!("key point {what}"), problem })
        };
        key("alpha", check_nonzero::<C::G1>(&vk.alpha_g1))?;
        key("beta", check_nonzero::<C::G2>(&vk.beta_g2))?;
        key("gamma", check_nonzero::<C::G2>(&vk.gamma_g2))?;
        key("delta", check_nonzero::<C::G2>(&vk.delta_g2))?;
        for (i, point) in vk.gamma_abc_g1.iter().enumerate() {
            check_point::<C::G1>(point).or_else(|problem| key(&format!("IC[{i}]"), Err(problem)))?;
        }
        Ok(Self::new_unchecked(vk))
    }

    /// As [`PreparedVk::new`], refusing what [`weaknesses`] finds too.
    pub fn new_strict(vk: &VerifyingKey<C::Engine>) -> Result<Self, VerifyError> {
        let prepared = Self::new(vk)?;
        match weaknesses::<C>(vk).first() {
            Some(weakness) => Err(VerifyError::WeakKey(*weakness)),
            None => Ok(prepared),
        }
    }

    /// As [`PreparedVk::new`], for a key whose points are known to be in their groups.
    pub(crate) fn new_unchecked(vk: &VerifyingKey<C::Engine>) -> Self {
        Self {
            ic: vk.gamma_abc_g1.clone(),
            alpha_beta: final_exponentiation::<C>(miller_loop::<C>([(
                vk.alpha_g1,
                prepared::<C>(vk.beta_g2),
            )])),
            neg_gamma: prepared::<C>(-vk.gamma_g2),
            neg_delta: prepared::<C>(-vk.delta_g2),
        }
    }

    /// As [`PreparedVk::new`], of what arkworks has prepared of such a key.
    pub(crate) fn from_ark(key: &PreparedVerifyingKey<C::Engine>) -> Self {
        let unless_zero = |point: &AffineOf<C::G2>, prepared: &<C::Engine as Pairing>::G2Prepared| {
            (!point.is_zero()).then(|| prepared.clone())
        };
        Self {
            ic: key.vk.gamma_abc_g1.clone(),
            alpha_beta: Some(key.alpha_g1_beta_g2),
            neg_gamma: unless_zero(&key.vk.gamma_g2, &key.gamma_g2_neg_pc),
            neg_delta: unless_zero(&key.vk.delta_g2, &key.delta_g2_neg_pc),
        }
    }

    /// As [`verify`], without the key's checks, which were made once.
    pub fn verify(
        &self,
        public: &[<C::Fr as Field>::Ark],
        proof: &Proof<C::Engine>,
    ) -> Result<(), VerifyError> {
        check_proof::<C>(proof).map_err(|(what, problem)| VerifyError::Point { what, problem })?;
        self.verify_equation(public, proof)
    }

    /// As [`PreparedVk::verify`], for a proof whose points are known to be in their groups.
    pub(crate) fn verify_equation(
        &self,
        public: &[<C::Fr as Field>::Ark],
        proof: &Proof<C::Engine>,
    ) -> Result<(), VerifyError> {
        let inputs = self.sum_of_inputs(public)?;
        let (Factor(of_proof), of_key) = join(
            || Factor::<C>::of_a_b(proof.a, proof.b),
            || miller_loop::<C>([(inputs, self.neg_gamma.clone()), (proof.c, self.neg_delta.clone())]),
        );
        self.is_valid(of_proof * of_key).then_some(()).ok_or(VerifyError::NotValid)
    }

    /// `Σ xᵢ·ICᵢ`, the constant one's included.
    fn sum_of_inputs(&self, public: &[<C::Fr as Field>::Ark]) -> Result<AffineOf<C::G1>, VerifyError> {
        let expected = self.ic.len().saturating_sub(1);
        let Some((constant, ic)) = self.ic.split_first().filter(|_| public.len() == expected) else {
            return Err(VerifyError::InputCount { expected, found: public.len() });
        };
        Ok((sum_of_inputs::<C::G1>(ic, public) + constant).into_affine())
    }

    /// The public inputs' factor of the equation.
    pub(crate) fn factor_of_inputs(
        &self,
        public: &[<C::Fr as Field>::Ark],
    ) -> Result<Factor<C>, VerifyError> {
        let inputs = self.sum_of_inputs(public)?;
        Ok(Factor(miller_loop::<C>([(inputs, self.neg_gamma.clone())])))
    }

    /// The factor of C, a point of its group.
    pub(crate) fn factor_of_c(&self, c: AffineOf<C::G1>) -> Factor<C> {
        Factor(miller_loop::<C>([(c, self.neg_delta.clone())]))
    }

    /// Does the equation hold for these factors: of the inputs, of A and B, and of C?
    pub(crate) fn holds(&self, [inputs, a_b, c]: [Factor<C>; 3]) -> bool {
        self.is_valid(inputs.0 * a_b.0 * c.0)
    }

    /// Is the product of the pairings that of α and β?
    fn is_valid(&self, product: <C::Engine as Pairing>::TargetField) -> bool {
        let product = final_exponentiation::<C>(product);
        product.is_some() && product == self.alpha_beta
    }
}

/// A factor of the equation, before the final exponentiation: what of a proof is known early is paired early.
pub(crate) struct Factor<C: PairingCurve>(<C::Engine as Pairing>::TargetField);

impl<C: PairingCurve> Factor<C> {
    /// Of nothing.
    pub(crate) const ONE: Self = Self(<<C::Engine as Pairing>::TargetField as ark_ff::Field>::ONE);

    /// Of A and B, points of their groups.
    pub(crate) fn of_a_b(a: AffineOf<C::G1>, b: AffineOf<C::G2>) -> Self {
        Self(miller_loop::<C>([(a, prepared::<C>(b))]))
    }
}

/// `None` for the identity.
fn prepared<C: PairingCurve>(q: AffineOf<C::G2>) -> Option<<C::Engine as Pairing>::G2Prepared> {
    (!q.is_zero()).then(|| <C::Engine as Pairing>::G2Prepared::from(q))
}

/// The product of the pairings before the final exponentiation. Identities, `None` in G2, are kept out of the
/// Miller loop, whose formulas do not hold for them on every curve.
fn miller_loop<C: PairingCurve>(
    pairs: impl IntoIterator<Item = (AffineOf<C::G1>, Option<<C::Engine as Pairing>::G2Prepared>)>,
) -> <C::Engine as Pairing>::TargetField {
    let pairs = pairs.into_iter().filter(|(p, _)| !p.is_zero()).filter_map(|(p, q)| Some((p, q?)));
    let (left, right): (Vec<_>, Vec<_>) = pairs.unzip();
    C::Engine::multi_miller_loop(left, right).0
}

/// `None` where a point is not on its curve and no inverse exists.
fn final_exponentiation<C: PairingCurve>(
    product: <C::Engine as Pairing>::TargetField,
) -> Option<<C::Engine as Pairing>::TargetField> {
    C::Engine::final_exponentiation(MillerLoopOutput(product)).map(|product| product.0)
}

/// Terms up to which a sum is made on the calling thread, without a round trip through the thread
/// pool. BN254 on two cores of a virtual machine: 0.10 ms for 3 terms, 1.6 ms against 0.75 for 64.
const SERIAL_TERMS: usize = 32;

/// Width w of the digits of a short sum: 2^(w−2) odd multiples a term, one digit in w + 1 nonzero.
const WINDOW: usize = 4;

/// Σ xᵢ·ICᵢ for points on the curve. Few terms share their doublings (Straus), with signed digits.
fn sum_of_inputs<G: Group>(points: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    // The recoding adds up to 2^(w−1) to the scalar, for which a whole number of words has no room.
    let has_room = ScalarOf::<G>::MODULUS_BIT_SIZE % 64 != 0;
    if points.len() > SERIAL_TERMS || !has_room {
        return host::msm_of::<G>(points, scalars);
    }
    let terms: Vec<_> = points
        .iter()
        .zip(scalars)
        .map(|(point, scalar)| {
            let digits = scalar.into_bigint().find_wnaf(WINDOW).expect("2 <= w < 64");
            (odd_multiples::<G>(point), digits)
        })
        .collect();
    let longest = terms.iter().map(|(_, digits)| digits.len()).max().unwrap_or(0);
    let mut sum = ProjectiveOf::<G>::zero();
    for i in (0..longest).rev() {
        sum.double_in_place();
        for (multiples, digits) in &terms {
            match digits.get(i).copied().unwrap_or(0) {
                0 => {}
                digit if digit > 0 => sum += multiples[digit as usize / 2],
                digit => sum -= multiples[digit.unsigned_abs() as usize / 2],
            }
        }
    }
    sum
}

/// P, 3P, … (2^(w−1) − 1)P: digits are odd and below 2^(w−1).
fn odd_multiples<G: Group>(point: &AffineOf<G>) -> [ProjectiveOf<G>; 1 << (WINDOW - 2)] {
    let mut multiple = point.into_group();
    let twice = multiple.double();
    std::array::from_fn(|_| {
        let this = multiple;
        multiple += twice;
        this
    })
}

/// Are A, B and C in their groups? Names the first that is not.
pub(crate) fn check_proof<C: PairingCurve>(
    proof: &Proof<C::Engine>,
) -> Result<(), (&'static str, PointProblem)> {
    check_point::<C::G1>(&proof.a).map_err(|problem| ("proof point A", problem))?;
    check_point::<C::G2>(&proof.b).map_err(|problem| ("proof point B", problem))?;
    check_point::<C::G1>(&proof.c).map_err(|problem| ("proof point C", problem))
}

/// Is a point on its curve and of order r, or the identity?
pub(crate) fn check_point<G: Group>(point: &AffineOf<G>) -> Result<(), PointProblem> {
    if !ProjectiveOf::<G>::is_on_curve(point) {
        Err(PointProblem::OffCurve)
    } else if !ProjectiveOf::<G>::is_in_subgroup(point) {
        Err(PointProblem::OutsideSubgroup)
    } else {
        Ok(())
    }
}

/// As [`check_point`], refusing the identity.
fn check_nonzero<G: Group>(point: &AffineOf<G>) -> Result<(), PointProblem> {
    if point.is_zero() { Err(PointProblem::Identity) } else { check_point::<G>(point) }
}

#[cfg(test)]
#[cfg(all(feature = "bn254", feature = "bls12-381"))]
mod tests;
