//! What makes discrete logarithms on a curve easy, whatever its size.
//!
//! * *Anomalous*: `r` is the characteristic. Logarithms are quotients of p-adic ones (Smart, 1999; Semaev,
//!   1998; Satoh and Araki, 1998).
//! * *Supersingular*: the trace of Frobenius is a multiple of the characteristic. The embedding degree is
//!   then at most 6, over a prime field above 3 at most 2 (Menezes, Okamoto and Vanstone, 1993).
//! * *Small embedding degree*: `r` divides `p^k - 1` for a `k` up to [`SMALL_EMBEDDING_DEGREE`]. A pairing
//!   takes logarithms into the field of `p^k` elements. `k` is counted over the prime field, so that both
//!   groups of a pairing have the same.

use super::tower::TowerField;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use std::fmt;

/// Embedding degrees up to this one are weak. Curves made for pairings have 4 and more.
pub const SMALL_EMBEDDING_DEGREE: u32 = 2;

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weakness {
    /// `r` is the characteristic.
    Anomalous,
    /// The characteristic divides the trace.
    Supersingular {
        /// `q + 1` minus the order of the curve.
        trace: BigInt,
    },
    /// `r` divides `p^degree - 1`.
    EmbeddingDegree {
        /// The least.
        degree: u32,
    },
}

impl fmt::Display for Weakness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Weakness::Anomalous => f.write_str("anomalous (r is the characteristic)"),
            Weakness::Supersingular { trace } => {
                write!(f, "supersingular (the characteristic divides its trace {trace})")
            }
            Weakness::EmbeddingDegree { degree: 1 } => f.write_str("of embedding degree 1 (r divides p - 1)"),
            Weakness::EmbeddingDegree { degree } => {
                write!(f, "of embedding degree {degree} (r divides p^{degree} - 1)")
            }
        }
    }
}

/// Everything that is weak about a curve over `field` with `order` points and its group of the prime order
/// `r`.
pub fn weaknesses(field: &TowerField, order: &BigUint, r: &BigUint) -> Vec<Weakness> {
    let p = &field.p;
    let mut found = Vec::new();
    if p == r {
        found.push(Weakness::Anomalous);
    }
    let trace = BigInt::from(field.size() + 1u32) - BigInt::from(order.clone());
    if (trace.magnitude() % p).is_zero() {
        found.push(Weakness::Supersingular { trace });
    }
    let mut degrees = 1..=SMALL_EMBEDDING_DEGREE;
    let embeds = |k: &u32| p.modpow(&BigUint::from(*k), r).is_one();
    found.extend(degrees.find(embeds).map(|degree| Weakness::EmbeddingDegree { degree }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(p: u64, order: u64, r: u64) -> Vec<Weakness> {
        weaknesses(&TowerField::prime(p.into()), &order.into(), &r.into())
    }

    #[test]
    fn each_kind_is_found() {
        assert_eq!(of(199, 194, 97), []);
        assert_eq!(of(103, 103, 103), [Weakness::Anomalous]);
        // y² = x³ + x over p = 3 mod 4.
        let supersingular = Weakness::Supersingular { trace: 0.into() };
        assert_eq!(of(787, 788, 197), [supersingular, Weakness::EmbeddingDegree { degree: 2 }]);
        assert_eq!(of(107, 106, 53), [Weakness::EmbeddingDegree { degree: 1 }]);
        assert_eq!(
            of(101, 102, 17),
            [Weakness::Supersingular { trace: 0.into() }, Weakness::EmbeddingDegree { degree: 2 }]
        );
    }

    /// Over an extension the trace is a multiple of `p` and not zero: `y² = x³ + x` over 7² elements has 64
    /// points.
    #[test]
    fn traces_over_extensions_count() {
        let tower = crate::declaration::Tower::quadratic(6u32.into());
        let field = TowerField { p: 7u32.into(), tower };
        let found = weaknesses(&field, &64u32.into(), &13u32.into());
        assert_eq!(found, [Weakness::Supersingular { trace: (-14).into() }]);
        assert_eq!(weaknesses(&field, &52u32.into(), &13u32.into()), []);
    }

    /// Degrees are counted over the prime field: MNT4's second group, over Fq2, would have 2 over its own.
    #[test]
    fn degrees_are_counted_over_the_prime_field() {
        let tower = crate::declaration::Tower::quadratic(2u32.into());
        // 13 has order 4 modulo 17.
        let field = TowerField { p: 13u32.into(), tower };
        assert!(field.size().modpow(&2u32.into(), &17u32.into()).is_one());
        assert_eq!(weaknesses(&field, &153u32.into(), &17u32.into()), []);
    }
}
