//! The two forms in which Groth16 provers carry the quotient h = (a·b − c) / Z.
//!
//! | | [`QuotientForm::Libsnark`] | [`QuotientForm::Circom`] |
//! | --- | --- | --- |
//! | who | arkworks, bellman, libsnark | snarkjs, rapidsnark |
//! | c | C·w | a ∘ b on the domain |
//! | coset | shift: the field's generator | shift: root of order 2n, so the odd half of the double domain |
//! | h | coefficients, after division by Z and one more transform | values of a·b − c on the coset |
//! | H query | n − 1 powers of τ times Z(τ)/δ | n Lagrange polynomials of the coset, 1/Z folded in |

use ark_ff::{FftField, LegendreSymbol, PrimeField};

/// How a key expects h; a property of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotientForm {
    /// Coefficients of h, as arkworks' `LibsnarkReduction`.
    Libsnark,
    /// Values of a·b − c on the odd coset, as snarkjs.
    Circom,
}

/// Domain and coset of a key's quotient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quotient<F> {
    pub(crate) form: QuotientForm,
    pub(crate) log_domain: u32,
    /// Root of order `2^log_domain`.
    pub(crate) omega: F,
    /// Shift of the coset.
    pub(crate) shift: F,
    /// `1 / (shift^n − 1)`, the inverse of Z on the coset, where h is carried as
    /// coefficients: the values are divided by Z and transformed back.
    pub(crate) z_inverse: Option<F>,
}

impl<F: PrimeField> Quotient<F> {
    /// For a domain of `2^log_domain ≤ 2^TWO_ADICITY` elements; `None` above.
    pub(crate) fn new(form: QuotientForm, log_domain: u32) -> Option<Self> {
        if log_domain > F::TWO_ADICITY {
            return None;
        }
        match form {
            QuotientForm::Libsnark => {
                let omega = root_of_order(F::TWO_ADIC_ROOT_OF_UNITY, log_domain);
                let shift = <F as FftField>::GENERATOR;
                let z = shift.pow([1 << log_domain]) - F::ONE;
                // The generator's order p − 1 is above the domain's, so it is outside the domain.
                let z_inverse = z.inverse().expect("the generator is outside every domain");
                Some(Self { form, log_domain, omega, shift, z_inverse: Some(z_inverse) })
            }
            QuotientForm::Circom => {
                let nonresidue = smallest_nonresidue::<F>();
                let top = nonresidue.pow(F::TRACE);
                let shift = match log_domain == F::TWO_ADICITY {
                    // There is no root of order 2n; snarkjs' `Fr.shift` is the square of the nonresidue.
                    true => nonresidue.square(),
                    false => root_of_order(top, log_domain + 1),
                };
                Some(Self { form, log_domain, omega: root_of_order(top, log_domain), shift, z_inverse: None })
            }
        }
    }
}

/// The power of `top`, which has order `2^TWO_ADICITY`, that has order `2^log`.
fn root_of_order<F: FftField>(top: F, log: u32) -> F {
    (log..F::TWO_ADICITY).fold(top, |root, _| root.square())
}

/// snarkjs' choice, where arkworks takes a multiplicative generator: on BLS12-381 it is 5
/// against 7, and the roots of unity made from them differ.
fn smallest_nonresidue<F: PrimeField>() -> F {
    (2u64..)
        .map(F::from)
        .find(|x| x.legendre() == LegendreSymbol::QuadraticNonResidue)
        .expect("half of all elements are nonresidues")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders<F: PrimeField>(nonresidue: u64) {
        assert_eq!(smallest_nonresidue::<F>(), F::from(nonresidue));
        for form in [QuotientForm::Libsnark, QuotientForm::Circom] {
            for log in 0..=F::TWO_ADICITY {
                let q = Quotient::<F>::new(form, log).unwrap();
                let n = 1u64 << log;
                assert_eq!(q.omega.pow([n]), F::ONE);
                assert!(log == 0 || q.omega.pow([n / 2]) == -F::ONE);
                let z = q.shift.pow([n]) - F::ONE;
                assert_ne!(z, F::ZERO, "the shift is outside the domain");
                match q.z_inverse {
                    Some(inverse) => assert_eq!(inverse * z, F::ONE),
                    None if log < F::TWO_ADICITY => assert_eq!(q.shift.square(), q.omega),
                    None => assert_eq!(q.shift, F::from(nonresidue * nonresidue)),
                }
            }
            assert!(Quotient::<F>::new(form, F::TWO_ADICITY + 1).is_none());
        }
    }

    #[test]
    fn roots_and_shifts_have_their_orders() {
        orders::<ark_bn254::Fr>(5);
        orders::<ark_bls12_381::Fr>(5);
        let ours = Quotient::<ark_bls12_381::Fr>::new(QuotientForm::Circom, 8).unwrap();
        assert_ne!(Some(ours.omega), ark_bls12_381::Fr::get_root_of_unity(1 << 8));
    }
}
