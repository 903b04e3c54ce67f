//! A curve to be checked, of whatever form it is declared in.

use crate::ast::Model;
use crate::parallel;
use curvesmith_codegen::declaration::curve::{Evidence, Point, Weierstrass, has_one_multiple};
use curvesmith_codegen::declaration::edwards::Edwards;
use curvesmith_codegen::declaration::montgomery::Montgomery;
use curvesmith_codegen::declaration::tower::{Element, TowerField};
use curvesmith_codegen::declaration::{Equation, SpecError};
use num_bigint::BigUint;

/// What a declaration says of a curve, and what can be asked of it.
#[derive(Debug)]
pub(super) enum Curve {
    Weierstrass(Weierstrass),
    Edwards(Edwards),
    Montgomery(Montgomery),
}

/// The same question to the curve of any form.
macro_rules! of_each {
    ($self:ident, $curve:ident => $answer:expr) => {
        match $self {
            Curve::Weierstrass($curve) => $answer,
            Curve::Edwards($curve) => $answer,
            Curve::Montgomery($curve) => $answer,
        }
    };
}

impl Curve {
    pub(super) fn new(model: Model, field: TowerField, a: &[BigUint], other: &[BigUint]) -> Curve {
        let (a, other) = (Element(a.to_vec()), Element(other.to_vec()));
        match model {
            Model::ShortWeierstrass => Curve::Weierstrass(Weierstrass { field, a, b: other }),
            Model::TwistedEdwards => Curve::Edwards(Edwards { field, a, d: other }),
            Model::Montgomery => Curve::Montgomery(Montgomery { field, a, b: other }),
        }
    }

    /// The equation that kernels add by, and the generator there: of a Montgomery curve its twisted Edwards
    /// form. The curve has passed its checks, so that the generator has an image.
    pub(super) fn kernels(&self, generator: Point) -> (Equation, [Vec<BigUint>; 2]) {
        let edwards = |curve: Edwards| Equation::TwistedEdwards { a: curve.a.0, d: curve.d.0 };
        let (equation, (x, y)) = match self {
            Curve::Weierstrass(Weierstrass { a, b, .. }) => {
                (Equation::ShortWeierstrass { a: a.0.clone(), b: b.0.clone() }, generator)
            }
            Curve::Edwards(curve) => (edwards(curve.clone()), generator),
            Curve::Montgomery(curve) => {
                let image = curve.image(&generator).unwrap_or(generator);
                (edwards(curve.edwards()), image)
            }
        };
        (equation, [x.0, y.0])
    }

    pub(super) fn field(&self) -> &TowerField {
        of_each!(self, curve => &curve.field)
    }

    pub(super) fn check_nonsingular(&self) -> Result<(), SpecError> {
        of_each!(self, curve => curve.check_nonsingular())
    }

    pub(super) fn check_on_curve(&self, point: &Point) -> Result<(), SpecError> {
        of_each!(self, curve => curve.check_on_curve(point))
    }

    pub(super) fn check_generator(&self, generator: &Point, r: &BigUint) -> Result<(), SpecError> {
        of_each!(self, curve => curve.check_generator(generator, r))
    }

    /// The cofactor of a curve, of which it may be known that it has a point of order `r`.
    pub(super) fn check_cofactor(
        &self,
        cofactor: &BigUint,
        r: &BigUint,
        has_order: bool,
    ) -> Result<(), SpecError> {
        let evidence = match has_order && has_one_multiple(&self.field().size(), r) {
            true => Evidence::Generator,
            false => Evidence::Points(&|n, kills| parallel::map(&(0..n).collect::<Vec<_>>(), |i| kills(*i))),
        };
        of_each!(self, curve => curve.check_cofactor_by(cofactor, r, evidence))
    }

    pub(super) fn right_cofactor(&self, r: &BigUint) -> Option<BigUint> {
        of_each!(self, curve => curve.right_cofactor(r))
    }

    pub(super) fn right_generator(&self, point: &Point, cofactor: &BigUint, r: &BigUint) -> Option<Point> {
        of_each!(self, curve => curve.right_generator(point, cofactor, r))
    }

    /// The second coordinate of the point of order `r` with this first one.
    pub(super) fn right_y(&self, point: &Point, r: &BigUint) -> Option<Element> {
        match self {
            Curve::Weierstrass(curve) => curve.right_y(point, r),
            Curve::Edwards(curve) => curve.right_y(point, r),
            Curve::Montgomery(curve) => curve.right_v(point, r),
        }
    }

    /// The coefficient besides `a` of the curve through a point.
    pub(super) fn right_other(&self, point: &Point, cofactor: &BigUint, r: &BigUint) -> Option<Element> {
        match self {
            Curve::Weierstrass(curve) => curve.right_b(point, cofactor, r),
            Curve::Edwards(curve) => curve.right_d(point, cofactor, r),
            Curve::Montgomery(curve) => curve.right_b(point, cofactor, r),
        }
    }
}
