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
use curvesmith_runtime::domain_size;

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
    /// Elements of the domain.
    pub(crate) domain: usize,
    /// Root of that order.
    pub(crate) omega: F,
    /// Shift of the coset.
    pub(crate) shift: F,
    /// `1 / (shift^n − 1)`, the inverse of Z on the coset, where h is carried as
    /// coefficients: the values are divided by Z and transformed back.
    pub(crate) z_inverse: Option<F>,
}

impl<F: PrimeField> Quotient<F> {
    /// For at most so many rows, on the domain that arkworks' `GeneralEvaluationDomain` has for them. `None`
    /// where there is none, or where all units are in it.
    pub(crate) fn libsnark(rows: usize) -> Option<Self> {
        let domain = domain_size::<F>(rows)?;
        let omega = F::get_root_of_unity(domain as u64)?;
        let shift = <F as FftField>::GENERATOR;
        let z_inverse = Some((shift.pow([domain as u64]) - F::ONE).inverse()?);
        Some(Self { form: QuotientForm::Libsnark, domain, omega, shift, z_inverse })
    }

    /// For a domain of `2^log_domain ≤ 2^TWO_ADICITY` elements; `None` above.
    pub(crate) fn circom(log_domain: u32) -> Option<Self> {
        if log_domain > F::TWO_ADICITY {
            return None;
        }
        let nonresidue = smallest_nonresidue::<F>();
        let top = nonresidue.pow(F::TRACE);
        let shift = match log_domain == F::TWO_ADICITY {
            // There is no root of order 2n; snarkjs' `Fr.shift` is the square of the nonresidue.
            true => nonresidue.square(),
            false => root_of_order(top, log_domain + 1),
        };
        let (domain, omega) = (1usize.checked_shl(log_domain)?, root_of_order(top, log_domain));
        Some(Self { form: QuotientForm::Circom, domain, omega, shift, z_inverse: None })
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
        for log in 0..=F::TWO_ADICITY {
            let (circom, n) = (Quotient::<F>::circom(log).unwrap(), 1u64 << log);
            let mut quotients = vec![circom];
            match log < 31 {
                true => quotients.push(Quotient::<F>::libsnark(1 << log).unwrap()),
                false => assert_eq!(circom.domain, 1 << log),
            }
            for q in quotients {
                assert_eq!((q.domain as u64, q.omega.pow([n])), (n, F::ONE));
                assert!(log == 0 || q.omega.pow([n / 2]) == -F::ONE);
                let z = q.shift.pow([n]) - F::ONE;
                assert_ne!(z, F::ZERO, "the shift is outside the domain");
                match q.z_inverse {
                    Some(inverse) => assert_eq!(inverse * z, F::ONE),
                    None if log < F::TWO_ADICITY => assert_eq!(q.shift.square(), q.omega),
                    None => assert_eq!(q.shift, F::from(nonresidue * nonresidue)),
                }
            }
        }
        assert!(Quotient::<F>::circom(F::TWO_ADICITY + 1).is_none());
    }

    #[test]
    fn roots_and_shifts_have_their_orders() {
        orders::<ark_bn254::Fr>(5);
        orders::<ark_bls12_381::Fr>(5);
        let ours = Quotient::<ark_bls12_381::Fr>::circom(8).unwrap();
        assert_ne!(Some(ours.omega), ark_bls12_381::Fr::get_root_of_unity(1 << 8));
    }

    /// As [`orders`], of a domain with the factor 3.
    fn mixed<F: PrimeField>(rows: usize, domain: usize) {
        let q = Quotient::<F>::libsnark(rows).unwrap();
        assert_eq!(q.domain, domain, "{rows} rows");
        let power = |x: F, factor| x.pow([domain as u64 / factor]);
        assert_eq!([1, 2, 3].map(|factor| power(q.omega, factor) == F::ONE), [true, false, false]);
        assert_eq!(q.z_inverse.unwrap() * (power(q.shift, 1) - F::ONE), F::ONE);
    }

    #[test]
    fn domains_above_the_two_adicity_have_a_small_factor() {
        for (rows, domain) in [(1 << 28, 9 << 25), (9 << 25, 3 << 27), (3 << 27, 9 << 26)] {
            mixed::<ark_bn254::Fr>(rows + 1, domain);
            mixed::<ark_bn254::Fr>(domain, domain);
        }
        for rows in [(1 << 31) + 1, usize::MAX] {
            assert!(Quotient::<ark_bn254::Fr>::libsnark(rows).is_none());
        }
    }
}
