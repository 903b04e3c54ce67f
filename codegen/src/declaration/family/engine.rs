//! The constants of arkworks' pairings.

use super::bls::third;
use super::{Bw6, Numbers, Twist, mnt, naf, relaxed_naf};
use crate::declaration::tower::{Element, Tower, TowerField};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Signed;

/// A pairing by its constants; elements are canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// `ark_ec::bls12`.
    Bls12 {
        /// The seed.
        x: BigInt,
        /// Type of the twist.
        twist: Twist,
        /// The tower above `F_p²`.
        tower: Sextic,
    },
    /// `ark_ec::bn`.
    Bn {
        /// The seed.
        x: BigInt,
        /// Digits of `|6x + 2|`, the least first.
        digits: Vec<i8>,
        /// Type of the twist.
        twist: Twist,
        /// What Frobenius' image of `x` and `y` is multiplied by to be on the twist.
        frobenius_on_twist: [Element; 2],
        /// The tower above `F_p²`.
        tower: Sextic,
    },
    /// `ark_ec::bw6`.
    Bw6 {
        /// Seed and lifts.
        parameters: Bw6,
        /// `|x - 1|/3`.
        third: BigUint,
        /// Digits of `x² - x - 1`, the least first.
        digits: Vec<i8>,
        /// Type of the twist.
        twist: Twist,
        /// Of `F_p⁶` over `F_p³`.
        frobenius: Vec<Element>,
        /// Digits of `e₀` and `e₁`, where the hard part is the power `e₀ + e₁·p`; `None` for arkworks' own.
        hard_part: Option<[Vec<i8>; 2]>,
    },
    /// `ark_ec::mnt4` or `ark_ec::mnt6`.
    Mnt {
        /// Embedding degree, 4 or 6.
        degree: usize,
        /// Digits of `|t - 1|`, the greatest first.
        digits: Vec<i8>,
        /// `t - 1` is.
        negative: bool,
        /// `u`, the variable of the level that the second curve is over.
        twist: Element,
        /// `a·u²`.
        twist_a: Element,
        /// Of the level above that.
        frobenius: Vec<Element>,
        /// `w₀` and `w₁`, where the last part of the final exponent is `w₀ + w₁·p`.
        last: [BigInt; 2],
    },
}

/// `F_p⁶ = F_p²[v]/(v³ - ξ)` and `F_p¹² = F_p⁶[w]/(w² - v)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sextic {
    /// `ξ`
    pub nonresidue: Element,
    /// `ξ^((p^i - 1)/3)`
    pub fq6_c1: Vec<Element>,
    /// The squares of these.
    pub fq6_c2: Vec<Element>,
    /// `ξ^((p^i - 1)/6)`
    pub fq12_c1: Vec<Element>,
}

impl Sextic {
    /// Over `F_p²`, `p` 1 modulo 6.
    pub fn new(field: &TowerField, xi: &Element) -> Sextic {
        let fq6_c1 = frobenius_table(field, xi, 3, 6);
        Sextic {
            nonresidue: xi.clone(),
            fq6_c2: fq6_c1.iter().map(|c| field.sqr(c)).collect(),
            fq6_c1,
            fq12_c1: frobenius_table(field, xi, 6, 12),
        }
    }
}

/// `ξ^((p^i - 1)/n)` for all `i < count`, `p` being 1 modulo `n`: what `u^(p^i)` is a multiple of `u` by,
/// `u^n = ξ`.
pub fn frobenius_table(field: &TowerField, xi: &Element, n: u32, count: usize) -> Vec<Element> {
    let first = field.pow(xi, &((&field.p - 1u32) / n));
    // (p^(i+1) - 1)/n = p·(p^i - 1)/n + (p - 1)/n
    let next = |c: &Element| Some(field.mul(&field.frobenius(c, 1), &first));
    std::iter::successors(Some(field.one()), next).take(count).collect()
}

impl Engine {
    /// The ate pairing of a BLS12 curve, `ξ` in `F_p²`.
    pub fn bls12(x: &BigInt, twist: Twist, field: &TowerField, xi: &Element) -> Engine {
        Engine::Bls12 { x: x.clone(), twist, tower: Sextic::new(field, xi) }
    }

    /// The optimal ate pairing of a BN curve, `ξ` in `F_p²`: its loop is `6x + 2` (F. Vercauteren, Optimal
    /// pairings, 2010).
    pub fn bn(x: &BigInt, twist: Twist, field: &TowerField, xi: &Element) -> Engine {
        let tower = Sextic::new(field, xi);
        // Frobenius between the curve and its twist, (x, y) to (x·w², y·w³) or back for M, and the inverse
        // after it.
        let base = match twist {
            Twist::D => xi.clone(),
            Twist::M => field.inverse(xi).unwrap_or_else(|| field.one()),
        };
        let power = |n: u32| field.pow(&base, &((&field.p - 1u32) / n));
        Engine::Bn {
            x: x.clone(),
            digits: relaxed_naf((x * 6i32 + 2i32).magnitude()),
            twist,
            frobenius_on_twist: [power(3), power(2)],
            tower,
        }
    }

    /// The optimal ate pairing of a BW6 curve, `ξ` in `F_p`: its loops are `x` and `x² - x - 1`.
    ///
    /// For `t₀ = 3` the hard part of the final exponent is that of BW6-761's paper (ePrint 2020/351, section
    /// 3.3): `3(x³ - x² + 1)·(p² - p + 1)/r`.
    pub fn bw6(parameters: &Bw6, numbers: &Numbers, twist: Twist, xi: &Element) -> Engine {
        let field = TowerField::prime(numbers.p.clone());
        let x = &parameters.x;
        let hard_part = (!parameters.t_mod_x_is_zero).then(|| {
            let cofactor = (x * x * x - x * x + 1i32) * 3i32;
            let last = last_part(numbers, 6, &cofactor);
            last.map(|e| {
                let sign = if e.is_negative() { -1 } else { 1 };
                naf(e.magnitude()).into_iter().map(|digit| sign * digit).collect()
            })
        });
        Engine::Bw6 {
            parameters: parameters.clone(),
            third: third(x),
            digits: relaxed_naf((x * x - x - 1i32).magnitude()),
            twist,
            frobenius: frobenius_table(&field, xi, 6, 6),
            hard_part,
        }
    }

    /// The ate pairing of an MNT curve, whose loop is `t - 1`; `degree` 4 or 6, `ξ` in `F_p` and `p` 1 modulo
    /// `degree`.
    pub fn mnt(numbers: &Numbers, degree: usize, a: &Element, xi: &Element) -> Engine {
        let prime = TowerField::prime(numbers.p.clone());
        let tower = Tower::prime().extended(degree / 2, xi.0.clone());
        let field = TowerField { p: numbers.p.clone(), tower };
        let mut u = field.integer(0);
        u.0[1] = 1u32.into();
        let trace = &numbers.t - 1i32;
        Engine::Mnt {
            degree,
            digits: relaxed_naf(trace.magnitude()).into_iter().rev().collect(),
            negative: trace.is_negative(),
            twist_a: field.scale(&field.sqr(&u), &a.0[0]),
            twist: u,
            frobenius: frobenius_table(&prime, xi, degree as u32, degree),
            last: last_part(numbers, degree, &1.into()),
        }
    }
}

/// `w₀` and `w₁` with `factor·Φ(p)/r = w₀ + w₁·p` and `|w₀| ≤ p/2`, `Φ` the cyclotomic polynomial of
/// `degree`, 4 or 6.
fn last_part(numbers: &Numbers, degree: usize, factor: &BigInt) -> [BigInt; 2] {
    let p = BigInt::from_biguint(Sign::Plus, numbers.p.clone());
    let exponent = BigInt::from(mnt::cyclotomic(&numbers.p, degree) / &numbers.r) * factor;
    let w1 = (&exponent + (&p >> 1u32)).div_floor(&p);
    [exponent - &w1 * &p, w1]
}
