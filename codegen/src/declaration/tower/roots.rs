//! Squares, cubes and square roots.

use super::{Element, TowerField};
use crate::declaration::SpecError;
use crate::declaration::prime::{hashed_number, jacobi};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

impl TowerField {
    /// Whether it is a square: zero, or of a norm that is one.
    pub fn is_square(&self, a: &Element) -> bool {
        jacobi(&self.norm(a), &self.p) != -1
    }

    /// Whether it is a cube.
    pub fn is_cube(&self, a: &Element) -> bool {
        let (third, rest) = (self.size() - 1u32).div_rem(&BigUint::from(3u32));
        !rest.is_zero() || a.is_zero() || self.pow(a, &third) == self.one()
    }

    /// Some element is no power with this exponent, one of [`DEGREES`](super::DEGREES).
    pub fn check_extension(&self, degree: usize) -> Result<(), SpecError> {
        let has = degree == 2 || ((self.size() - 1u32) % 3u32).is_zero();
        if has { Ok(()) } else { Err(SpecError::OnlyCubes) }
    }

    /// `u^degree - xi` is irreducible, for one of [`DEGREES`](super::DEGREES): these are primes, so it is
    /// unless it has a root.
    pub fn check_nonresidue(&self, degree: usize, xi: &Element) -> Result<(), SpecError> {
        let nonresidue = || self.print(xi);
        match degree {
            2 if self.is_square(xi) => Err(SpecError::NonresidueIsSquare { nonresidue: nonresidue() }),
            3 if self.is_cube(xi) => Err(SpecError::NonresidueIsCube { nonresidue: nonresidue() }),
            _ => Ok(()),
        }
    }

    /// A square root, if there is one.
    pub fn sqrt(&self, a: &Element) -> Option<Element> {
        if !self.is_square(a) {
            return None;
        }
        match self.split() {
            Some((below, extension)) if extension.degree == 2 => {
                self.sqrt_by_norm(&below, &Element(extension.nonresidue.clone()), a)
            }
            _ => Some(self.cipolla(a)),
        }
    }

    /// The root of a square in `K[u]/(u² - ξ)` by roots in `K`: `(x0 + x1·u)² = a` where
    /// `x0² = (a0 ± √norm)/2` and `x1 = a1/(2·x0)`.
    fn sqrt_by_norm(&self, below: &TowerField, xi: &Element, a: &Element) -> Option<Element> {
        let (a0, a1) = a.0.split_at(a.0.len() / 2);
        let (a0, a1) = (Element(a0.to_vec()), Element(a1.to_vec()));
        let join = |x0: Element, x1: Element| Some(Element([x0.0, x1.0].concat()));
        if a1.is_zero() {
            let zero = below.integer(0);
            if let Some(root) = below.sqrt(&a0) {
                return join(root, zero);
            }
            // a0 = ξ·y² because the quotient of two elements that are no squares is one.
            return join(zero, below.sqrt(&below.mul(&a0, &below.inverse(xi)?))?);
        }
        let norm = below.sub(&below.sqr(&a0), &below.mul(xi, &below.sqr(&a1)));
        let root = below.sqrt(&norm)?;
        let half = below.inverse(&below.integer(2))?;
        let halves = [below.add(&a0, &root), below.sub(&a0, &root)].map(|sum| below.mul(&sum, &half));
        let x0 = halves.iter().find_map(|x0_squared| below.sqrt(x0_squared))?;
        let x1 = below.mul(&a1, &below.inverse(&below.add(&x0, &x0))?);
        join(x0, x1)
    }

    /// The root of a square by Cipolla's method, whose cost does not grow with the two-adicity.
    fn cipolla(&self, a: &Element) -> Element {
        if a.is_zero() {
            return a.clone();
        }
        // About half of all t make t² - a no square, so this ends quickly. t² = a ends it as well.
        let mut index = 0;
        let (t, nonresidue) = loop {
            let t = self.hashed(&[], index);
            let candidate = self.sub(&self.sqr(&t), a);
            if candidate.is_zero() {
                return t;
            }
            if !self.is_square(&candidate) {
                break (t, candidate);
            }
            index += 1;
        };
        let tower = self.tower.clone().extended(2, nonresidue.0);
        let extension = TowerField { p: self.p.clone(), tower };
        let base = Element([t.0, self.one().0].concat());
        let power = extension.pow(&base, &((self.size() + 1u32) >> 1u32));
        Element(power.0[..self.tower.degree()].to_vec())
    }

    /// An element that depends on `inputs` and `index` alone.
    pub fn hashed(&self, inputs: &[&BigUint], index: u32) -> Element {
        let coordinate = |i: usize| hashed_number(&format!("coordinate {i}"), inputs, index) % &self.p;
        Element((0..self.tower.degree()).map(coordinate).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small_towers;
    use super::*;

    #[test]
    fn powers_are_told_from_nonresidues_in_small_fields() {
        for field in small_towers() {
            let size = field.size().iter_u64_digits().next().unwrap();
            let elements: Vec<Element> = (0..size).map(|i| field.element(i)).collect();
            let powers: [Vec<Element>; 2] =
                [2, 3].map(|d: u32| elements.iter().map(|x| field.pow(x, &d.into())).collect());
            for (degree, powers) in [2, 3].into_iter().zip(powers) {
                let step = if size > 1000 { 37 } else { 1 };
                for x in elements.iter().step_by(step) {
                    let found = field.check_nonresidue(degree, x);
                    assert_eq!(found.is_err(), powers.contains(x), "{x:?}, {degree} in {field:?}");
                }
                let all = elements.iter().all(|x| powers.contains(x));
                assert_eq!(field.check_extension(degree).is_err(), all, "{degree} in {field:?}");
            }
        }
    }

    #[test]
    fn square_roots_are_exact_in_small_fields() {
        for field in small_towers() {
            let size = field.size().iter_u64_digits().next().unwrap();
            let elements: Vec<Element> = (0..size).map(|i| field.element(i)).collect();
            let squares: Vec<Element> = elements.iter().map(|x| field.sqr(x)).collect();
            for x in elements.iter().step_by(if size > 1000 { 37 } else { 1 }) {
                match field.sqrt(x) {
                    Some(root) => assert_eq!(field.sqr(&root), *x, "{x:?} in {field:?}"),
                    None => assert!(!squares.contains(x), "{x:?} in {field:?}"),
                }
            }
        }
    }
}
