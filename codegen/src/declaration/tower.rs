//! Towers of extensions over a prime field, as data, and exact arithmetic in them.
//!
//! A level is `K[u]/(u^d - ξ)` over the level `K` below it, `d` 2 or 3 and `ξ ∈ K` no `d`-th power. An
//! element is the list of its coordinates over the prime field: those of the coefficient of 1, then those of
//! the coefficient of `u`, and so on.

mod roots;
mod values;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

/// The degrees that a level may have.
pub const DEGREES: [usize; 2] = [2, 3];

/// One level: `K[u]/(u^degree - nonresidue)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its degree over the level below, one of [`DEGREES`].
    pub degree: usize,
    /// Canonical coordinates of the nonresidue over the prime field, as many as the level below has.
    pub nonresidue: Vec<BigUint>,
}

/// The levels above the prime field, which is level 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tower(Vec<Extension>);

impl Tower {
    /// The prime field alone.
    pub fn prime() -> Tower {
        Tower::default()
    }

    /// `F_p[u]/(u² - nonresidue)`.
    pub fn quadratic(nonresidue: BigUint) -> Tower {
        Tower::prime().extended(2, vec![nonresidue])
    }

    /// This tower with one more level.
    pub fn extended(mut self, degree: usize, nonresidue: Vec<BigUint>) -> Tower {
        assert!(DEGREES.contains(&degree), "degree {degree}");
        assert_eq!(nonresidue.len(), self.degree());
        self.0.push(Extension { degree, nonresidue });
        self
    }

    /// The levels, that over the prime field first.
    pub fn levels(&self) -> &[Extension] {
        &self.0
    }

    /// The number of the highest level; 0 where there is none above the prime field.
    pub fn top(&self) -> usize {
        self.0.len()
    }

    /// Coordinates of an element of the highest level over the prime field.
    pub fn degree(&self) -> usize {
        self.degree_at(self.top())
    }

    /// Coordinates of an element of a level over the prime field.
    pub fn degree_at(&self, level: usize) -> usize {
        self.0[..level].iter().map(|extension| extension.degree).product()
    }
}

/// A quadratic extension by its nonresidue, or none.
impl From<Option<BigUint>> for Tower {
    fn from(nonresidue: Option<BigUint>) -> Tower {
        nonresidue.map_or_else(Tower::prime, Tower::quadratic)
    }
}

/// An element by its canonical coordinates, each in `[0, p)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element(pub Vec<BigUint>);

impl Element {
    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(Zero::is_zero)
    }
}

/// The field at the top of a tower over `F_p`, `p` an odd prime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TowerField {
    /// Characteristic.
    pub p: BigUint,
    /// The levels.
    pub tower: Tower,
}

impl TowerField {
    /// The prime field.
    pub fn prime(p: BigUint) -> TowerField {
        TowerField { p, tower: Tower::prime() }
    }

    /// The field of the elements of a level.
    pub fn at(&self, level: usize) -> TowerField {
        TowerField { p: self.p.clone(), tower: Tower(self.tower.0[..level].to_vec()) }
    }

    /// The field below, and what it is extended by; `None` for the prime field.
    fn split(&self) -> Option<(TowerField, &Extension)> {
        let extension = self.tower.0.last()?;
        Some((self.at(self.tower.top() - 1), extension))
    }

    /// Number of elements.
    pub fn size(&self) -> BigUint {
        self.p.pow(self.tower.degree() as u32)
    }

    /// `n` as an element.
    pub fn integer(&self, n: u32) -> Element {
        self.embed(BigUint::from(n) % &self.p)
    }

    /// An element of the prime field.
    pub(super) fn embed(&self, x: BigUint) -> Element {
        let mut coordinates = vec![BigUint::ZERO; self.tower.degree()];
        coordinates[0] = x;
        Element(coordinates)
    }

    /// `a + b`
    pub fn add(&self, a: &Element, b: &Element) -> Element {
        let add = |(a, b): (&BigUint, &BigUint)| {
            let sum = a + b;
            if sum >= self.p { sum - &self.p } else { sum }
        };
        Element(a.0.iter().zip(&b.0).map(add).collect())
    }

    /// `a - b`
    pub fn sub(&self, a: &Element, b: &Element) -> Element {
        let sub = |(a, b): (&BigUint, &BigUint)| if a >= b { a - b } else { a + &self.p - b };
        Element(a.0.iter().zip(&b.0).map(sub).collect())
    }

    /// `-a`
    pub fn neg(&self, a: &Element) -> Element {
        self.sub(&self.integer(0), a)
    }

    /// `n·a` for a small `n`.
    pub fn mul_small(&self, a: &Element, n: u32) -> Element {
        self.scale(a, &n.into())
    }

    /// `x·a` for an element `x` of the prime field.
    pub fn scale(&self, a: &Element, x: &BigUint) -> Element {
        Element(a.0.iter().map(|a| a * x % &self.p).collect())
    }

    /// `a·b`
    pub fn mul(&self, a: &Element, b: &Element) -> Element {
        Element(self.mul_at(self.tower.top(), &a.0, &b.0))
    }

    /// The product of two elements of a level: `cₖ = Σ aᵢ·bₖ₋ᵢ + ξ·Σ aᵢ·bₖ₊d₋ᵢ`.
    fn mul_at(&self, level: usize, a: &[BigUint], b: &[BigUint]) -> Vec<BigUint> {
        let Some(below) = level.checked_sub(1) else { return vec![&a[0] * &b[0] % &self.p] };
        let Extension { degree, nonresidue } = &self.tower.0[below];
        let m = self.tower.degree_at(below);
        // Sums of unreduced products where the level below is the prime field.
        let mul = |a: &[BigUint], b: &[BigUint]| match below {
            0 => vec![&a[0] * &b[0]],
            _ => self.mul_at(below, a, b),
        };
        let mut sums = vec![BigUint::ZERO; (2 * degree - 1) * m];
        for (i, a) in a.chunks_exact(m).enumerate() {
            for (j, b) in b.chunks_exact(m).enumerate() {
                sums[(i + j) * m..].iter_mut().zip(mul(a, b)).for_each(|(sum, x)| *sum += x);
            }
        }
        let high: Vec<BigUint> = sums.drain(degree * m..).map(|x| x % &self.p).collect();
        for (k, high) in high.chunks_exact(m).enumerate() {
            sums[k * m..].iter_mut().zip(mul(high, nonresidue)).for_each(|(sum, x)| *sum += x);
        }
        sums.into_iter().map(|x| x % &self.p).collect()
    }

    /// `a²`
    pub fn sqr(&self, a: &Element) -> Element {
        self.mul(a, a)
    }

    /// `a^e`
    pub fn pow(&self, a: &Element, e: &BigUint) -> Element {
        let mut power = self.integer(1);
        for i in (0..e.bits()).rev() {
            power = self.sqr(&power);
            if e.bit(i) {
                power = self.mul(&power, a);
            }
        }
        power
    }

    /// `a^(p^n)`. On `Σ aᵢ·uⁱ` the map is `Σ aᵢ^p·u^(i·p)`, and `u^(i·p) = ξ^⌊i·p/d⌋·u^(i·p mod d)`.
    pub fn frobenius(&self, a: &Element, n: usize) -> Element {
        // The order of the map is the degree.
        (0..n % self.tower.degree()).fold(a.clone(), |a, _| self.frobenius_once(&a))
    }

    fn frobenius_once(&self, a: &Element) -> Element {
        let Some((below, Extension { degree, nonresidue })) = self.split() else { return a.clone() };
        let m = below.tower.degree();
        let mut out = vec![BigUint::ZERO; a.0.len()];
        for (i, coefficient) in a.0.chunks_exact(m).enumerate() {
            let (quotient, place) = (&self.p * i).div_rem(&BigUint::from(*degree));
            let place = place.iter_u32_digits().next().unwrap_or(0) as usize;
            let factor = below.pow(&Element(nonresidue.clone()), &quotient);
            let image = below.mul(&below.frobenius_once(&Element(coefficient.to_vec())), &factor);
            out[place * m..(place + 1) * m].clone_from_slice(&image.0);
        }
        Element(out)
    }

    /// `1/a`; `None` for zero.
    pub fn inverse(&self, a: &Element) -> Option<Element> {
        let Some((below, _)) = self.split() else { return Some(Element(vec![a.0[0].modinv(&self.p)?])) };
        let (cofactor, norm) = self.cofactor(a);
        let inverse = below.inverse(&norm)?;
        let scaled = cofactor.0.chunks_exact(inverse.0.len());
        Some(Element(scaled.flat_map(|c| below.mul(&Element(c.to_vec()), &inverse).0).collect()))
    }

    /// `t` and `a·t`, which lies in the field below: the norm of `a` over it. For the prime field 1 and `a`.
    fn cofactor(&self, a: &Element) -> (Element, Element) {
        let Some((below, Extension { degree, nonresidue })) = self.split() else {
            return (self.integer(1), a.clone());
        };
        let m = below.tower.degree();
        let a_at = |i: usize| Element(a.0[i * m..(i + 1) * m].to_vec());
        let by_xi = |x: &Element| below.mul(x, &Element(nonresidue.clone()));
        let parts = match degree {
            2 => vec![a_at(0), below.neg(&a_at(1))],
            _ => {
                let mul = |i, j| below.mul(&a_at(i), &a_at(j));
                vec![
                    below.sub(&mul(0, 0), &by_xi(&mul(1, 2))),
                    below.sub(&by_xi(&mul(2, 2)), &mul(0, 1)),
                    below.sub(&mul(1, 1), &mul(0, 2)),
                ]
            }
        };
        let cofactor = Element(parts.into_iter().flat_map(|part| part.0).collect());
        let norm = Element(self.mul(a, &cofactor).0[..m].to_vec());
        (cofactor, norm)
    }

    /// The norm over the prime field.
    pub fn norm(&self, a: &Element) -> BigUint {
        let (_, norm) = self.cofactor(a);
        match self.split() {
            Some((below, _)) => below.norm(&norm),
            None => norm.0[0].clone(),
        }
    }

    /// `c0`, or `[c0, c1, …]`, as a declaration writes it.
    pub fn print(&self, a: &Element) -> String {
        match &a.0[..] {
            [x] => residue(x, &self.p),
            all => {
                let all: Vec<String> = all.iter().map(|x| residue(x, &self.p)).collect();
                format!("[{}]", all.join(", "))
            }
        }
    }

    /// The element with this number among the elements of a field of fewer than `2^64`.
    pub fn element(&self, mut index: u64) -> Element {
        let p = self.p.iter_u64_digits().next().unwrap_or(1);
        let mut digit = || {
            let digit = index % p;
            index /= p;
            BigUint::from(digit)
        };
        Element((0..self.tower.degree()).map(|_| digit()).collect())
    }

    /// One.
    pub fn one(&self) -> Element {
        self.embed(BigUint::one())
    }
}

/// A canonical residue as people write it: `-n` where that is far shorter.
pub fn residue(x: &BigUint, p: &BigUint) -> String {
    let minus = p - x;
    let is_short = minus.is_one() || 4 * minus.bits() <= x.bits();
    if is_short { format!("-{}", number(&minus)) } else { number(x) }
}

/// A number as people write it: decimal where that is short, else hexadecimal.
pub fn number(x: &BigUint) -> String {
    if x.bits() <= 64 { x.to_string() } else { format!("{x:#x}") }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn residues_near_the_modulus_are_negative_numbers() {
        let long = BigUint::from(u64::MAX) * BigUint::from(u64::MAX - 58);
        for (minus, text) in [(1u32, "-1"), (3, "-3"), (u32::MAX, "-4294967295")] {
            assert_eq!(residue(&(&long - minus), &long), text);
        }
        for (x, p, text) in [(198u32, 199u32, "-1"), (197, 199, "-2"), (195, 199, "195"), (2, 3, "-1")] {
            assert_eq!(residue(&x.into(), &p.into()), text);
        }
        for (x, p) in [(0u32, 3u32), (1, 3), (1, 199), (100, 199)] {
            assert_eq!(residue(&x.into(), &p.into()), x.to_string());
        }
        let field = TowerField { p: 199u32.into(), tower: Tower::quadratic(198u32.into()) };
        assert_eq!(field.print(&Element(vec![198u32.into(), 3u32.into()])), "[-1, 3]");
    }

    /// Towers over small primes whose levels are fields.
    pub(crate) fn small_towers() -> Vec<TowerField> {
        let number = |n: u32| BigUint::from(n);
        let field = |p: u32, tower: Tower| TowerField { p: p.into(), tower };
        vec![
            field(3, Tower::prime()),
            field(13, Tower::prime()),
            field(3, Tower::quadratic(number(2))),
            field(13, Tower::quadratic(number(2))),
            field(31, Tower::quadratic(number(3))),
            field(7, Tower::prime().extended(3, vec![number(3)])),
            field(13, Tower::prime().extended(3, vec![number(2)])),
            // i + 2 is no square in F_3(i), 2 + u none in F_5(√2), and 2 + i no cube in F_7(i).
            field(3, Tower::quadratic(number(2)).extended(2, vec![number(2), number(1)])),
            field(5, Tower::quadratic(number(2)).extended(2, vec![number(2), number(1)])),
            field(5, Tower::quadratic(number(2)).extended(3, vec![number(2), number(1)])),
        ]
    }

    /// The order of the unit group, and so that the levels are fields, by all elements.
    #[test]
    fn every_unit_has_an_inverse_and_the_right_order() {
        for field in small_towers() {
            let size = field.size().iter_u64_digits().next().unwrap();
            let order = field.size() - 1u32;
            for a in (1..size).map(|i| field.element(i)) {
                let inverse = field.inverse(&a).unwrap_or_else(|| panic!("{a:?} in {field:?}"));
                assert_eq!(field.mul(&a, &inverse), field.one(), "{a:?} in {field:?}");
                assert_eq!(field.pow(&a, &order), field.one(), "{a:?} in {field:?}");
            }
            assert_eq!(field.inverse(&field.integer(0)), None);
        }
    }

    #[test]
    fn frobenius_is_the_power_and_the_norm_its_product() {
        for field in small_towers() {
            let size = field.size().iter_u64_digits().next().unwrap();
            for a in (0..size).step_by(5).map(|i| field.element(i)) {
                let conjugates: Vec<Element> =
                    (0..field.tower.degree()).map(|n| field.frobenius(&a, n)).collect();
                for (n, conjugate) in conjugates.iter().enumerate() {
                    assert_eq!(*conjugate, field.pow(&a, &field.p.pow(n as u32)), "{a:?} in {field:?}");
                }
                let product = conjugates.iter().fold(field.one(), |all, x| field.mul(&all, x));
                assert_eq!(product, field.embed(field.norm(&a)), "{a:?} in {field:?}");
            }
        }
    }
}
