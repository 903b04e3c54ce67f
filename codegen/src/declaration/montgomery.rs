//! Checks on a declared Montgomery curve `B·v² = u³ + A·u² + u`, and the twisted Edwards curve that its
//! kernels add on.
//!
//! The curve is birationally equivalent to `a·x² + y² = 1 + d·x²·y²` with `a = (A + 2)/B` and `d = (A - 2)/B`
//! by `x = u/v`, `y = (u - 1)/(u + 1)` ([Bernstein, Birkner, Joye, Lange and
//! Peters](https://eprint.iacr.org/2008/013), theorem 3.2), the inverse of the map in [`super::edwards`].
//! Points without an image have order 2 or 4: those with `v = 0`, and those with `u = -1`.

use super::curve::{Evidence, Point};
use super::edwards::{Edwards, of_montgomery, to_montgomery};
use super::error::SpecError;
use super::tower::{Element, TowerField};
use num_bigint::BigUint;

/// `B·v² = u³ + A·u² + u`, with its coefficients canonical.
#[derive(Clone, Debug)]
pub struct Montgomery {
    /// Field of the coordinates.
    pub field: TowerField,
    /// Coefficient of `u²`.
    pub a: Element,
    /// Coefficient of `v²`.
    pub b: Element,
}

impl Montgomery {
    /// `B ≠ 0` and `A² ≠ 4`, and the field has not characteristic 3.
    pub fn check_nonsingular(&self) -> Result<(), SpecError> {
        let f = &self.field;
        if self.b.is_zero() {
            return Err(SpecError::MontgomeryZero);
        }
        if f.sqr(&self.a) == f.integer(4) {
            return Err(SpecError::MontgomerySingular);
        }
        self.edwards().check_nonsingular()
    }

    /// The twisted Edwards form; `B` is not zero.
    pub fn edwards(&self) -> Edwards {
        let f = &self.field;
        let inverse = f.inverse(&self.b).expect("B is not zero");
        let two = f.integer(2);
        let (a, d) = (f.add(&self.a, &two), f.sub(&self.a, &two));
        Edwards { field: f.clone(), a: f.mul(&a, &inverse), d: f.mul(&d, &inverse) }
    }

    /// A point on the twisted Edwards form; `None` for points of order 2 and 4 that are at infinity there.
    pub fn image(&self, point: &Point) -> Option<Point> {
        of_montgomery(&self.field, point)
    }

    /// The point with this image; `None` for `(0, 1)` and `(0, -1)`.
    pub fn preimage(&self, point: &Point) -> Option<Point> {
        to_montgomery(&self.field, point)
    }

    /// `point` satisfies the equation.
    pub fn check_on_curve(&self, (u, v): &Point) -> Result<(), SpecError> {
        let f = &self.field;
        let is_on = f.mul(&self.b, &f.sqr(v)) == self.rhs(u);
        if is_on { Ok(()) } else { Err(SpecError::GeneratorOffCurve) }
    }

    /// `generator` is a point of order `r`, an odd prime. The curve is not singular.
    pub fn check_generator(&self, generator: &Point, r: &BigUint) -> Result<(), SpecError> {
        self.check_on_curve(generator)?;
        match self.image(generator) {
            Some(image) => self.edwards().check_generator(&image, r),
            None => Err(SpecError::GeneratorOrder),
        }
    }

    /// As [`Edwards::check_cofactor`].
    pub fn check_cofactor(&self, cofactor: &BigUint, r: &BigUint) -> Result<(), SpecError> {
        self.check_cofactor_by(cofactor, r, Evidence::IN_TURN)
    }

    /// As [`Weierstrass::check_cofactor_by`](super::curve::Weierstrass::check_cofactor_by).
    pub fn check_cofactor_by(
        &self,
        cofactor: &BigUint,
        r: &BigUint,
        by: Evidence<'_>,
    ) -> Result<(), SpecError> {
        self.edwards().check_order(cofactor, r, by, self.hashed_images())
    }

    /// Images on the short Weierstrass form of points that depend on the declaration alone, each with the `u`
    /// of its point.
    fn hashed_images(&self) -> impl Iterator<Item = (Element, Point)> {
        let (f, edwards) = (&self.field, self.edwards());
        let inverse = f.inverse(&self.b).expect("B is not zero");
        let seed: Vec<&BigUint> = [&f.p].into_iter().chain(&self.a.0).chain(&self.b.0).collect();
        // For about half of all u.
        (0..128).filter_map(move |i| {
            let u = f.hashed(&seed, i);
            let v = f.sqrt(&f.mul(&self.rhs(&u), &inverse))?;
            let image = edwards.image(&self.image(&(u.clone(), v))?)?;
            Some((u, image))
        })
    }

    /// `u³ + A·u² + u`
    pub(super) fn rhs(&self, u: &Element) -> Element {
        let f = &self.field;
        let sum = f.add(&f.mul(&f.add(u, &self.a), u), &f.integer(1));
        f.mul(&sum, u)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::curve::Weierstrass;
    use crate::declaration::prime::small;
    use crate::declaration::tower::tests::small_towers;

    fn curves() -> Vec<Montgomery> {
        let mut curves = vec![];
        for field in small_towers().into_iter().filter(|f| f.size() < 130u32.into() && f.p != 3u32.into()) {
            let size = small(&field.size()).unwrap();
            for a in (0..size).step_by(1 + size as usize / 30).map(|i| field.element(i)) {
                for b in (1..size.min(8)).map(|i| field.element(i)) {
                    curves.push(Montgomery { field: field.clone(), a: a.clone(), b });
                }
            }
        }
        curves.retain(|curve| curve.check_nonsingular().is_ok());
        curves
    }

    /// `(u, v)` to `(B·u + A·B/3, B²·v)` on `y² = x³ + B²(1 - A²/3)·x + B³(2A³/27 - A/3)`: the definition of
    /// the group, without the Edwards form.
    fn weierstrass(curve: &Montgomery) -> (Weierstrass, impl Fn(&Point) -> Point) {
        let (f, third) = (curve.field.clone(), curve.field.inverse(&curve.field.integer(3)).unwrap());
        let (b, shift) = (curve.b.clone(), f.mul(&curve.a, &third));
        let (b2, s2) = (f.sqr(&b), f.sqr(&shift));
        let linear = f.mul(&b2, &f.sub(&f.integer(1), &f.mul_small(&s2, 3)));
        let constant = f.sub(&f.mul_small(&f.mul(&s2, &shift), 2), &shift);
        let constant = f.mul(&f.mul(&b2, &b), &constant);
        let to = move |(u, v): &Point| (f.mul(&b, &f.add(u, &shift)), f.mul(&b2, v));
        (Weierstrass { field: curve.field.clone(), a: linear, b: constant }, to)
    }

    /// Maps are inverse to each other and keep the curve, and orders of points and of the curve are those
    /// that the definition gives.
    #[test]
    fn the_edwards_form_is_the_same_group() {
        let curves = curves();
        assert!(curves.len() > 70, "{}", curves.len());
        let mut without_image = 0;
        for curve in curves {
            let f = &curve.field;
            let (edwards, (definition, to)) = (curve.edwards(), weierstrass(&curve));
            let size = small(&f.size()).unwrap();
            let order = BigUint::from(definition.count(size));
            assert_eq!(edwards.weierstrass().count(size), definition.count(size), "{curve:?}");
            for u in (0..size).map(|i| f.element(i)) {
                let square = f.mul(&curve.rhs(&u), &f.inverse(&curve.b).unwrap());
                let Some(v) = f.sqrt(&square) else { continue };
                let point = (u, v);
                assert_eq!(curve.check_on_curve(&point), Ok(()));
                let (p, four) = (to(&point), BigUint::from(4u32));
                assert_eq!(definition.check_on_curve(&p), Ok(()), "{curve:?} {point:?}");
                let Some(image) = curve.image(&point) else {
                    assert!(definition.kills(&four, &p), "{curve:?} {point:?}");
                    without_image += 1;
                    continue;
                };
                assert_eq!(edwards.check_on_curve(&image), Ok(()), "{curve:?} {point:?}");
                assert_eq!(curve.preimage(&image), Some(point.clone()));
                for n in 1u32..12 {
                    let kills = definition.kills(&n.into(), &p);
                    let (image, edwards) = (edwards.image(&image).unwrap(), edwards.weierstrass());
                    assert_eq!(edwards.kills(&n.into(), &image), kills, "{curve:?} {point:?}");
                }
                let odd = [5u32, 7, 11, 13].into_iter().find(|r| definition.kills(&(*r).into(), &p));
                if let Some(r) = odd {
                    assert_eq!(curve.check_generator(&point, &r.into()), Ok(()));
                    let cofactor = &order / r;
                    let checked = curve.check_cofactor(&cofactor, &r.into());
                    let invertible = &cofactor % r != BigUint::ZERO;
                    assert_eq!(checked.is_ok(), invertible, "{curve:?} {checked:?}");
                }
                assert_eq!(
                    curve.check_generator(&point, &17u32.into()).is_ok(),
                    definition.kills(&17u32.into(), &p)
                );
            }
        }
        assert!(without_image > 0);
    }

    #[test]
    fn singular_curves_are_refused() {
        let field = TowerField::prime(13u32.into());
        let curve =
            |a: u32, b: u32| Montgomery { field: field.clone(), a: field.integer(a), b: field.integer(b) };
        assert_eq!(curve(1, 0).check_nonsingular(), Err(SpecError::MontgomeryZero));
        for a in [2, 11] {
            assert_eq!(curve(a, 1).check_nonsingular(), Err(SpecError::MontgomerySingular));
        }
        let field = TowerField::prime(3u32.into());
        let curve = Montgomery { a: field.integer(0), b: field.integer(1), field };
        assert_eq!(curve.check_nonsingular(), Err(SpecError::EdwardsCharacteristicThree));
    }
}
