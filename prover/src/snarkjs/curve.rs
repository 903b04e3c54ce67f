//! The curves that snarkjs knows, by their primes.

use crate::montgomery::MontgomeryField;
use ark_ff::{BigInteger, PrimeField};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::PairingCurve;
use num_bigint::BigUint;
use std::fmt;

/// A curve that snarkjs' Groth16 supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnarkjsCurve {
    /// BN254, which snarkjs calls `bn128`.
    Bn128,
    /// BLS12-381.
    Bls12381,
}

/// A pairing curve whose field elements can be read from Montgomery bytes. Implemented
/// for every [`PairingCurve`] over arkworks' Montgomery fields.
pub trait ZkeyCurve: PairingCurve<Fq: Field<Ark: MontgomeryField>, Fr: Field<Ark: MontgomeryField>> {}

impl<C> ZkeyCurve for C where C: PairingCurve<Fq: Field<Ark: MontgomeryField>, Fr: Field<Ark: MontgomeryField>>
{}

impl SnarkjsCurve {
    const ALL: [Self; 2] = [Self::Bn128, Self::Bls12381];

    /// snarkjs' name, as in the `curve` field of its JSON files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bn128 => "bn128",
            Self::Bls12381 => "bls12381",
        }
    }

    /// The curve of that name as snarkjs reads it: letters and digits count, their case does not,
    /// and BN254 is `bn128`, `bn254` or `alt_bn128`.
    pub fn from_name(name: &str) -> Option<Self> {
        let letters = name.chars().filter(char::is_ascii_alphanumeric).take(16);
        match &*letters.collect::<String>().to_ascii_lowercase() {
            "bn128" | "bn254" | "altbn128" => Some(Self::Bn128),
            "bls12381" => Some(Self::Bls12381),
            _ => None,
        }
    }

    /// The curve with these primes.
    pub fn from_primes(q: &BigUint, r: &BigUint) -> Option<Self> {
        Self::ALL.into_iter().find(|c| {
            let (curve_q, curve_r) = c.primes();
            curve_q == *q && curve_r == *r
        })
    }

    /// The curve with this prime for its scalar field.
    pub fn from_scalar_prime(r: &BigUint) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.primes().1 == *r)
    }

    /// snarkjs' curve with the primes of `C`, if there is one.
    pub fn of<C: PairingCurve>() -> Option<Self> {
        Self::from_primes(&modulus::<<C::Fq as Field>::Ark>(), &modulus::<<C::Fr as Field>::Ark>())
    }

    fn primes(self) -> (BigUint, BigUint) {
        let parse = |hex: &[u8]| BigUint::parse_bytes(hex, 16).expect("hexadecimal literals");
        match self {
            Self::Bn128 => (
                parse(b"30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
                parse(b"30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"),
            ),
            Self::Bls12381 => (
                parse(
                    concat!(
                        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624",
                        "1eabfffeb153ffffb9feffffffffaaab"
                    )
                    .as_bytes(),
                ),
                parse(b"73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
            ),
        }
    }
}

impl fmt::Display for SnarkjsCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The modulus as a big integer.
pub(crate) fn modulus<F: PrimeField>() -> BigUint {
    BigUint::from_bytes_le(&F::MODULUS.to_bytes_le())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_those_of_arkworks() {
        let bn = SnarkjsCurve::from_primes(&modulus::<ark_bn254::Fq>(), &modulus::<ark_bn254::Fr>());
        assert_eq!(bn, Some(SnarkjsCurve::Bn128));
        let bls = SnarkjsCurve::from_primes(&modulus::<ark_bls12_381::Fq>(), &modulus::<ark_bls12_381::Fr>());
        assert_eq!(bls, Some(SnarkjsCurve::Bls12381));
        assert_eq!(
            SnarkjsCurve::from_primes(&modulus::<ark_bn254::Fq>(), &modulus::<ark_bls12_381::Fr>()),
            None
        );
    }
}
