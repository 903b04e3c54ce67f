//! Big-integer arithmetic in a prime field or its quadratic extension, for checks on declarations.

use super::prime::{hashed_number, jacobi};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

/// `c0 + c1·u`, canonical coordinates in `[0, p)`; `c1 = 0` in a prime field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Coordinate at 1.
    pub c0: BigUint,
    /// Coordinate at `u`.
    pub c1: BigUint,
}

impl Element {
    /// From one or two canonical coordinates.
    pub fn new(coordinates: &[BigUint]) -> Self {
        let at = |i: usize| coordinates.get(i).cloned().unwrap_or_default();
        Element { c0: at(0), c1: at(1) }
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.c0.is_zero() && self.c1.is_zero()
    }
}

/// The field `F_p` or `F_p[u]/(u² - nonresidue)`; `p` an odd prime, `nonresidue < p` no square.
#[derive(Clone, Debug)]
pub struct CoordinateField {
    /// Characteristic.
    pub p: BigUint,
    /// Of the extension; `None` for the prime field.
    pub nonresidue: Option<BigUint>,
}

impl CoordinateField {
    /// Number of elements.
    pub fn size(&self) -> BigUint {
        if self.nonresidue.is_some() { &self.p * &self.p } else { self.p.clone() }
    }

    /// `n` as an element.
    pub fn integer(&self, n: u32) -> Element {
        Element { c0: BigUint::from(n) % &self.p, c1: BigUint::zero() }
    }

    fn add_p(&self, a: &BigUint, b: &BigUint) -> BigUint {
        let sum = a + b;
        if sum >= self.p { sum - &self.p } else { sum }
    }

    fn sub_p(&self, a: &BigUint, b: &BigUint) -> BigUint {
        if a >= b { a - b } else { a + &self.p - b }
    }

    /// `a + b`
    pub fn add(&self, a: &Element, b: &Element) -> Element {
        Element { c0: self.add_p(&a.c0, &b.c0), c1: self.add_p(&a.c1, &b.c1) }
    }

    /// `a - b`
    pub fn sub(&self, a: &Element, b: &Element) -> Element {
        Element { c0: self.sub_p(&a.c0, &b.c0), c1: self.sub_p(&a.c1, &b.c1) }
    }

    /// `a·b`
    pub fn mul(&self, a: &Element, b: &Element) -> Element {
        let low = &a.c0 * &b.c0;
        let Some(nonresidue) = &self.nonresidue else {
            return Element { c0: low % &self.p, c1: BigUint::zero() };
        };
        let high = &a.c1 * &b.c1 % &self.p;
        let cross = &a.c0 * &b.c1 + &a.c1 * &b.c0;
        Element { c0: (low + high * nonresidue) % &self.p, c1: cross % &self.p }
    }

    /// `a²`
    pub fn sqr(&self, a: &Element) -> Element {
        self.mul(a, a)
    }

    /// `n·a` for a small `n`.
    pub fn mul_small(&self, a: &Element, n: u32) -> Element {
        Element { c0: &a.c0 * n % &self.p, c1: &a.c1 * n % &self.p }
    }

    /// A square root in the prime field by Cipolla's method, whose cost does not grow with the
    /// two-adicity; `a` is zero or a square.
    fn sqrt_p(&self, a: &BigUint) -> BigUint {
        if a.is_zero() {
            return BigUint::zero();
        }
        // Half of all t make t² - a a nonresidue, so this ends quickly. t² = a ends it as well.
        let mut t = BigUint::zero();
        let nonresidue = loop {
            let candidate = self.sub_p(&(&t * &t % &self.p), a);
            if candidate.is_zero() {
                return t;
            }
            if jacobi(&candidate, &self.p) == -1 {
                break candidate;
            }
            t += 1u32;
        };
        let extension = CoordinateField { p: self.p.clone(), nonresidue: Some(nonresidue) };
        let base = Element { c0: t, c1: BigUint::one() };
        let exponent = (&self.p + 1u32) >> 1u32;
        let mut power = extension.integer(1);
        for i in (0..exponent.bits()).rev() {
            power = extension.sqr(&power);
            if exponent.bit(i) {
                power = extension.mul(&power, &base);
            }
        }
        power.c0
    }

    /// A square root, if there is one.
    pub fn sqrt(&self, a: &Element) -> Option<Element> {
        let in_base = |c0: BigUint| Element { c0, c1: BigUint::zero() };
        let is_square = |x: &BigUint| jacobi(x, &self.p) != -1;
        let Some(nonresidue) = &self.nonresidue else {
            return is_square(&a.c0).then(|| in_base(self.sqrt_p(&a.c0)));
        };
        let invert = |x: &BigUint| x.modinv(&self.p);
        if a.c1.is_zero() {
            if is_square(&a.c0) {
                return Some(in_base(self.sqrt_p(&a.c0)));
            }
            // c0 = nonresidue·y² because the quotient of two nonresidues is a square.
            let y2 = &a.c0 * invert(nonresidue)? % &self.p;
            return Some(Element { c0: BigUint::zero(), c1: self.sqrt_p(&y2) });
        }
        // (x0 + x1·u)² = a: x0² = (c0 ± √norm)/2 and x1 = c1/(2·x0).
        let norm = self.sub_p(&(&a.c0 * &a.c0 % &self.p), &(&a.c1 * &a.c1 % &self.p * nonresidue % &self.p));
        if !is_square(&norm) {
            return None;
        }
        let root = self.sqrt_p(&norm);
        let half = invert(&BigUint::from(2u32))?;
        let mut x0_squared = self.add_p(&a.c0, &root) * &half % &self.p;
        if !is_square(&x0_squared) {
            x0_squared = self.sub_p(&a.c0, &root) * &half % &self.p;
        }
        let x0 = self.sqrt_p(&x0_squared);
        let x1 = &a.c1 * invert(&self.add_p(&x0, &x0))? % &self.p;
        Some(Element { c0: x0, c1: x1 })
    }

    /// An element that depends on `inputs` and `index` alone.
    pub fn hashed(&self, inputs: &[&BigUint], index: u32) -> Element {
        let c0 = hashed_number("coordinate 0", inputs, index).mod_floor(&self.p);
        let c1 = match self.nonresidue {
            Some(_) => hashed_number("coordinate 1", inputs, index) % &self.p,
            None => BigUint::zero(),
        };
        Element { c0, c1 }
    }

    /// `c0` or `c0 + c1*u`.
    pub fn print(&self, a: &Element) -> String {
        match self.nonresidue {
            Some(_) => format!("{} + {}*u", a.c0, a.c1),
            None => a.c0.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(field: &CoordinateField, p: u32) -> Vec<Element> {
        let c1 = if field.nonresidue.is_some() { p } else { 1 };
        (0..c1).flat_map(|c1| (0..p).map(move |c0| Element { c0: c0.into(), c1: c1.into() })).collect()
    }

    #[test]
    fn square_roots_are_exact_in_small_fields() {
        for (p, nonresidue) in [(3u32, 2u32), (5, 2), (7, 3), (13, 2), (17, 3), (31, 3)] {
            for nonresidue in [None, Some(BigUint::from(nonresidue))] {
                let field = CoordinateField { p: p.into(), nonresidue };
                let elements = all(&field, p);
                let squares: Vec<Element> = elements.iter().map(|x| field.sqr(x)).collect();
                for x in &elements {
                    match field.sqrt(x) {
                        Some(root) => assert_eq!(field.sqr(&root), *x, "{x:?} mod {p}"),
                        None => assert!(!squares.contains(x), "{x:?} mod {p}"),
                    }
                }
            }
        }
    }
}
