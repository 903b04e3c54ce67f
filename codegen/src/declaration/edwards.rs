//! Checks on a declared twisted Edwards curve `a·x² + y² = 1 + d·x²·y²`, by way of its short Weierstrass
//! form.
//!
//! *The map.* The curve is birationally equivalent to the Montgomery curve `B·v² = u³ + A·u² + u` with
//! `A = 2(a+d)/(a-d)` and `B = 4/(a-d)` by `u = (1+y)/(1-y)`, `v = u/x` ([Bernstein, Birkner, Joye, Lange and
//! Peters](https://eprint.iacr.org/2008/013), theorem 3.2), and that one to `Y² = X³ + α·X + β` by
//! `X = (u + A/3)/B`, `Y = v/B`. Both maps respect the group law, with `(0, 1)` for the identity. Orders are
//! thus those of [`Weierstrass`], whose law has no exceptions to think of here.
//!
//! *Points at infinity.* The smooth curve has four points more than the affine equation: two of order 2 with
//! `y² = a/d`, rational where `a·d` is a square, and two of order 4 with `x² = 1/d`, rational where `d` is
//! one.
//!
//! *Exceptions of the law.* Kernels add by `add-2008-hwcd` in extended coordinates ([Hisil, Wong, Carter and
//! Dawson](https://eprint.iacr.org/2008/522), section 3.1). Its result is wrong, four zeros, exactly for
//! points whose *difference is one of those at infinity*: the numerators and denominators of
//! `x₃ = (x₁y₂ + y₁x₂)/(1 + δ)` and `y₃ = (y₁y₂ - a·x₁x₂)/(1 - δ)` with `δ = d·x₁x₂y₁y₂` give four zeros
//! where both of one fraction are zero; `x₁y₂ = -y₁x₂` and `δ = -1` make `d·x₁²y₂² = 1`, so that the
//! difference has `x² = 1/d` and no finite `y`, and `y₁y₂ = a·x₁x₂` and `δ = 1` one with `y² = a/d` and no
//! finite `x`. (Bernstein and Lange, [A complete set of addition laws](https://eprint.iacr.org/2009/580),
//! have the general statement.) Hence
//!
//! * where `a` is a square and `d` is none there is no exception at all ([`Edwards::is_complete`]);
//! * on every curve there is none between points of **odd order** (corollary 1 of Hisil et al.): their
//!   differences have odd order, and what is at infinity has order 2 or 4. Nor is their sum at infinity, so
//!   that the denominators are not zero either. The group of a declaration is of this kind, since its order
//!   `r` is an odd prime.
//!
//! The doubling `dbl-2008-hwcd` has none: all of its products are zero for `a = d` only.

use super::curve::{Evidence, Point, Weierstrass};
use super::error::SpecError;
use super::tower::{Element, TowerField};
use num_bigint::BigUint;

/// `a·x² + y² = 1 + d·x²·y²`, with its coefficients canonical.
#[derive(Clone, Debug)]
pub struct Edwards {
    /// Field of the coordinates.
    pub field: TowerField,
    /// Coefficient of `x²`.
    pub a: Element,
    /// Coefficient of `x²·y²`.
    pub d: Element,
}

impl Edwards {
    /// `a` and `d` are not zero and differ, and the field has not characteristic 3.
    pub fn check_nonsingular(&self) -> Result<(), SpecError> {
        for (name, coefficient) in [('a', &self.a), ('d', &self.d)] {
            if coefficient.is_zero() {
                return Err(SpecError::EdwardsZero { name });
            }
        }
        if self.a == self.d {
            return Err(SpecError::EdwardsSingular);
        }
        if self.field.p == 3u32.into() {
            return Err(SpecError::EdwardsCharacteristicThree);
        }
        Ok(())
    }

    /// Whether `a` is a square and `d` is none: the addition law then holds for all points of the curve, and
    /// else for those of odd order.
    pub fn is_complete(&self) -> bool {
        self.field.is_square(&self.a) && !self.field.is_square(&self.d)
    }

    /// `point` satisfies the equation.
    pub fn check_on_curve(&self, point: &Point) -> Result<(), SpecError> {
        let f = &self.field;
        let (x2, y2) = (f.sqr(&point.0), f.sqr(&point.1));
        let right = f.add(&f.integer(1), &f.mul(&self.d, &f.mul(&x2, &y2)));
        let is_on = f.add(&f.mul(&self.a, &x2), &y2) == right;
        if is_on { Ok(()) } else { Err(SpecError::GeneratorOffCurve) }
    }

    /// `generator` is a point of order `r`, an odd prime. As `r` is odd, no two points of its group are an
    /// exception of the addition law. The curve is not singular.
    pub fn check_generator(&self, generator: &Point, r: &BigUint) -> Result<(), SpecError> {
        self.check_on_curve(generator)?;
        // Points without an image have order 1 or 2.
        let (curve, image) = (self.weierstrass(), self.image(generator));
        let has_order = image.is_some_and(|image| curve.kills(r, &image));
        if has_order { Ok(()) } else { Err(SpecError::GeneratorOrder) }
    }

    /// As [`Weierstrass::check_cofactor`]; the cofactor is a multiple of 4, since the order of the curve is
    /// and `r` is odd.
    pub fn check_cofactor(&self, cofactor: &BigUint, r: &BigUint) -> Result<(), SpecError> {
        self.check_cofactor_by(cofactor, r, Evidence::IN_TURN)
    }

    /// As [`Weierstrass::check_cofactor_by`].
    pub fn check_cofactor_by(
        &self,
        cofactor: &BigUint,
        r: &BigUint,
        by: Evidence<'_>,
    ) -> Result<(), SpecError> {
        self.check_order(cofactor, r, by, self.hashed_images())
    }

    /// [`Edwards::check_cofactor`] by images of these points, each with the abscissa by which its curve's
    /// declaration knows it.
    pub(super) fn check_order(
        &self,
        cofactor: &BigUint,
        r: &BigUint,
        by: Evidence<'_>,
        images: impl Iterator<Item = (Element, Point)>,
    ) -> Result<(), SpecError> {
        if cofactor.bits() > 0 && cofactor.trailing_zeros() < Some(2) {
            return Err(SpecError::CofactorNotMultipleOfFour);
        }
        self.weierstrass().check_order(cofactor, r, by, images)
    }

    /// Images of points that depend on the declaration alone, each with the abscissa of its point.
    pub(super) fn hashed_images(&self) -> impl Iterator<Item = (Element, Point)> {
        let f = &self.field;
        let seed: Vec<&BigUint> = [&f.p].into_iter().chain(&self.a.0).chain(&self.d.0).collect();
        // x² = (1 - y²)/(a - d·y²), for about half of all y.
        (0..128).filter_map(move |i| {
            let y = f.hashed(&seed, i);
            let y2 = f.sqr(&y);
            let denominator = f.inverse(&f.sub(&self.a, &f.mul(&self.d, &y2)))?;
            let x = f.sqrt(&f.mul(&f.sub(&f.integer(1), &y2), &denominator))?;
            let image = self.image(&(x.clone(), y))?;
            Some((x, image))
        })
    }

    /// `A` and `B` of the Montgomery curve `B·v² = u³ + A·u² + u`. The curve is not singular.
    pub fn montgomery(&self) -> (Element, Element) {
        let f = &self.field;
        let inverse = f.inverse(&f.sub(&self.a, &self.d)).expect("a and d differ");
        let twice = |x: &Element| f.add(x, x);
        let a = f.mul(&twice(&f.add(&self.a, &self.d)), &inverse);
        (a, twice(&twice(&inverse)))
    }

    /// The short Weierstrass form.
    pub(crate) fn weierstrass(&self) -> Weierstrass {
        let f = &self.field;
        let (shift, b) = self.shift();
        // With s = A/3: α = (1 - 3s²)/B² and β = (2s³ - s)/B³.
        let inverse = f.inverse(&b).expect("4/(a - d) is not zero");
        let square = f.sqr(&shift);
        let alpha = f.mul(&f.sub(&f.integer(1), &f.mul_small(&square, 3)), &f.sqr(&inverse));
        let beta = f.mul(&shift, &f.sub(&f.mul_small(&square, 2), &f.integer(1)));
        let beta = f.mul(&beta, &f.mul(&inverse, &f.sqr(&inverse)));
        Weierstrass { field: f.clone(), a: alpha, b: beta }
    }

    /// `A/3` and `B`.
    fn shift(&self) -> (Element, Element) {
        let f = &self.field;
        let (a, b) = self.montgomery();
        let third = f.inverse(&f.integer(3)).expect("the characteristic is not 3");
        (f.mul(&a, &third), b)
    }

    /// A point on the short Weierstrass form; `None` for `(0, 1)` and `(0, -1)`.
    pub(super) fn image(&self, point: &Point) -> Option<Point> {
        let f = &self.field;
        let (shift, b) = self.shift();
        let (u, v) = to_montgomery(f, point)?;
        let inverse = f.inverse(&b).expect("4/(a - d) is not zero");
        Some((f.mul(&f.add(&u, &shift), &inverse), f.mul(&v, &inverse)))
    }

    /// The point with this image; `None` for the images of points at infinity.
    pub(super) fn preimage(&self, (x, y): &Point) -> Option<Point> {
        let f = &self.field;
        let (shift, b) = self.shift();
        of_montgomery(f, &(f.sub(&f.mul(x, &b), &shift), f.mul(y, &b)))
    }
}

/// `(u, v)` of `(x, y)`, whatever the coefficients; `None` for `(0, 1)` and `(0, -1)`.
pub(super) fn to_montgomery(f: &TowerField, (x, y): &Point) -> Option<Point> {
    let one = f.integer(1);
    let u = f.mul(&f.add(&one, y), &f.inverse(&f.sub(&one, y))?);
    let v = f.mul(&u, &f.inverse(x)?);
    Some((u, v))
}

/// `(x, y)` of `(u, v)`, whatever the coefficients; `None` for what is at infinity.
pub(super) fn of_montgomery(f: &TowerField, (u, v): &Point) -> Option<Point> {
    let one = f.integer(1);
    let x = f.mul(u, &f.inverse(v)?);
    let y = f.mul(&f.sub(u, &one), &f.inverse(&f.add(u, &one))?);
    Some((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::prime::small;
    use crate::declaration::tower::tests::small_towers;

    /// Extended coordinates.
    type Extended = [Element; 4];

    /// All curves over small fields, a few coefficients of each.
    fn curves(below: u32) -> Vec<Edwards> {
        let mut curves = vec![];
        let fields = small_towers().into_iter().filter(|f| f.size() < below.into());
        for field in fields.filter(|f| f.p != 3u32.into()) {
            let size = small(&field.size()).unwrap();
            for a in (1..size.min(6)).map(|i| field.element(i)) {
                for d in (1..size).step_by(1 + size as usize / 8).map(|i| field.element(i)) {
                    let curve = Edwards { field: field.clone(), a: a.clone(), d };
                    curves.extend(curve.check_nonsingular().is_ok().then_some(curve));
                }
            }
        }
        assert!(curves.iter().any(Edwards::is_complete) && !curves.iter().all(Edwards::is_complete));
        curves
    }

    impl Edwards {
        fn points(&self) -> Vec<Point> {
            let f = &self.field;
            let all: Vec<Element> = (0..small(&f.size()).unwrap()).map(|i| f.element(i)).collect();
            let pairs = all.iter().flat_map(|x| all.iter().map(move |y| (x.clone(), y.clone())));
            let on_curve = pairs.filter(|(x, y)| {
                let (x2, y2) = (f.sqr(x), f.sqr(y));
                let right = f.add(&f.integer(1), &f.mul(&self.d, &f.mul(&x2, &y2)));
                f.add(&f.mul(&self.a, &x2), &y2) == right
            });
            on_curve.collect()
        }

        fn extended(&self, (x, y): &Point) -> Extended {
            [x.clone(), y.clone(), self.field.integer(1), self.field.mul(x, y)]
        }

        /// add-2008-hwcd, as published.
        fn sum(&self, [x1, y1, z1, t1]: &Extended, [x2, y2, z2, t2]: &Extended) -> Extended {
            let f = &self.field;
            let (a, b) = (f.mul(x1, x2), f.mul(y1, y2));
            let (c, d) = (f.mul(&f.mul(t1, &self.d), t2), f.mul(z1, z2));
            let e = f.sub(&f.sub(&f.mul(&f.add(x1, y1), &f.add(x2, y2)), &a), &b);
            let (f_, g, h) = (f.sub(&d, &c), f.add(&d, &c), f.sub(&b, &f.mul(&self.a, &a)));
            [f.mul(&e, &f_), f.mul(&g, &h), f.mul(&f_, &g), f.mul(&e, &h)]
        }

        /// dbl-2008-hwcd, as published.
        fn dbl(&self, [x, y, z, _]: &Extended) -> Extended {
            let f = &self.field;
            let (a, b, c) = (f.sqr(x), f.sqr(y), f.mul_small(&f.sqr(z), 2));
            let d = f.mul(&self.a, &a);
            let e = f.sub(&f.sub(&f.sqr(&f.add(x, y)), &a), &b);
            let (g, h) = (f.add(&d, &b), f.sub(&d, &b));
            let f_ = f.sub(&g, &c);
            [f.mul(&e, &f_), f.mul(&g, &h), f.mul(&f_, &g), f.mul(&e, &h)]
        }

        fn order(&self, p: &Point) -> u64 {
            let Some(image) = self.image(p) else {
                return if p.1 == self.field.integer(1) { 1 } else { 2 };
            };
            let curve = self.weierstrass();
            (1..).find(|n| curve.kills(&BigUint::from(*n), &image)).unwrap()
        }
    }

    /// Affine points and those at infinity are as many as the short Weierstrass form has.
    #[test]
    fn orders_are_those_of_the_weierstrass_form() {
        for curve in curves(130) {
            let f = &curve.field;
            let at_infinity = [f.mul(&curve.a, &curve.d), curve.d.clone()];
            let at_infinity = 2 * at_infinity.iter().filter(|x| f.is_square(x)).count();
            let (points, weierstrass) = (curve.points(), curve.weierstrass());
            let order = (points.len() + at_infinity) as u64;
            assert_eq!(weierstrass.check_nonsingular(), Ok(()), "{curve:?}");
            assert_eq!(weierstrass.count(small(&f.size()).unwrap()), order, "{curve:?}");
            assert_eq!(order % 4, 0);
            assert_eq!(at_infinity == 0, curve.is_complete());
            for point in points.iter().filter_map(|p| curve.image(p)) {
                assert!(weierstrass.kills(&order.into(), &point), "{curve:?} {point:?}");
            }
        }
    }

    /// The module's statement, for all pairs of points: four zeros exactly where the difference is at
    /// infinity, else `Z = 0` exactly where the sum is, and neither between points of odd order. What is at
    /// infinity is known from the Weierstrass form.
    #[test]
    fn the_law_fails_where_differences_are_at_infinity() {
        let mut exceptions = 0;
        for curve in curves(32) {
            let f = &curve.field;
            let points = curve.points();
            let odd: Vec<bool> = points.iter().map(|p| curve.order(p) % 2 == 1).collect();
            let affine = |[x, y, z, t]: &Extended| {
                let inverse = f.inverse(z)?;
                assert_eq!(f.mul(x, y), f.mul(z, t));
                Some((f.mul(x, &inverse), f.mul(y, &inverse)))
            };
            let weierstrass = curve.weierstrass();
            let (shift, b) = curve.shift();
            let order_two = (f.mul(&shift, &f.inverse(&b).unwrap()), f.integer(0));
            let image = |p: &Point| match curve.image(p) {
                None if p.1 == f.integer(1) => None,
                None => Some(order_two.clone()),
                image => image,
            };
            let images: Vec<Option<Point>> = points.iter().map(image).collect();
            let extended: Vec<Extended> = points.iter().map(|p| curve.extended(p)).collect();
            for (i, (p, p_odd)) in extended.iter().zip(&odd).enumerate() {
                let doubled = curve.dbl(p);
                assert!(doubled.iter().any(|x| !x.is_zero()), "{curve:?} {p:?}");
                assert_eq!(affine(&doubled), affine(&curve.sum(p, p)));
                for (j, (q, q_odd)) in extended.iter().zip(&odd).enumerate() {
                    let sum = curve.sum(p, q);
                    let image = weierstrass.sum(images[i].as_ref(), images[j].as_ref());
                    let minus_q = images[j].clone().map(|(x, y)| (x, f.neg(&y)));
                    let difference = weierstrass.sum(images[i].as_ref(), minus_q.as_ref());
                    let is_exception = sum.iter().all(Element::is_zero);
                    exceptions += u32::from(is_exception);
                    assert_eq!(is_exception, !images.contains(&difference), "{curve:?} {p:?} {q:?}");
                    if !is_exception {
                        let found = affine(&sum);
                        assert_eq!(found.is_none(), !images.contains(&image), "{curve:?} {p:?} {q:?}");
                        let index = found.map(|found| points.iter().position(|p| *p == found).unwrap());
                        assert!(index.is_none_or(|index| images[index] == image), "{curve:?} {p:?} {q:?}");
                    }
                    if *p_odd && *q_odd || curve.is_complete() {
                        let sum = affine(&sum).expect("no exception, and not at infinity");
                        assert!(points.contains(&sum), "{curve:?} {p:?} {q:?}");
                    }
                }
            }
        }
        assert!(exceptions > 0);
    }

    fn decimal(text: &str) -> Element {
        Element(vec![text.parse().unwrap()])
    }

    /// Jubjub of Zcash's protocol specification, section 5.4.9.3.
    #[test]
    fn jubjub_and_its_neighbours() {
        let p: BigUint =
            "52435875175126190479447740508185965837690552500527637822603658699938581184513".parse().unwrap();
        let r: BigUint =
            "6554484396890773809930967563523245729705921265872317281365359162392183254199".parse().unwrap();
        let field = TowerField::prime(p.clone());
        let curve = Edwards {
            a: field.neg(&field.integer(1)),
            d: decimal("19257038036680949359750312669786877991949435402254120286184196891950884077233"),
            field,
        };
        let generator = (
            decimal("8076246640662884909881801758704306714034609987455869804520522091855516602923"),
            decimal("13262374693698910701929044844600465831413122818447359594527400194675274060458"),
        );
        assert!(curve.is_complete());
        assert_eq!(curve.check_nonsingular(), Ok(()));
        assert_eq!(curve.check_generator(&generator, &r), Ok(()));
        assert_eq!(curve.check_generator(&generator, &(&r - 2u32)), Err(SpecError::GeneratorOrder));
        assert_eq!(curve.check_cofactor(&8u32.into(), &r), Ok(()));
        assert_eq!(curve.check_cofactor(&0u32.into(), &r), Err(SpecError::CofactorIsZero));
        assert_eq!(curve.check_cofactor(&6u32.into(), &r), Err(SpecError::CofactorNotMultipleOfFour));
        assert!(matches!(
            curve.check_cofactor(&16u32.into(), &r),
            Err(SpecError::CofactorOutsideHasse { .. })
        ));
        let twist = Edwards { d: curve.field.neg(&curve.d), ..curve.clone() };
        assert_eq!(twist.check_generator(&generator, &r), Err(SpecError::GeneratorOffCurve));
        assert!(matches!(twist.check_cofactor(&8u32.into(), &r), Err(SpecError::CofactorRefuted { .. })));
        let (zero, one) = (curve.field.integer(0), curve.field.integer(1));
        for y in [one.clone(), curve.field.neg(&one)] {
            assert_eq!(curve.check_generator(&(zero.clone(), y), &r), Err(SpecError::GeneratorOrder));
        }
        assert_eq!(curve.montgomery(), (decimal("40962"), curve.field.neg(&decimal("40964"))));
    }
}
