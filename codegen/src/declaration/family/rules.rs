//! What follows a rule where a declaration does not give it.

use crate::declaration::SpecError;
use crate::declaration::curve::{Point, Weierstrass};
use crate::declaration::tower::{Element, TowerField};
use num_bigint::BigUint;
use num_traits::Zero;

/// Candidates for a nonresidue and for `b`: the chance that all fail is below 2^-100.
const TRIES: u32 = 512;
/// Abscissae tried for a generator: about half of them carry points.
const ABSCISSAE: u32 = 1 << 12;

/// No square, no cube, or neither of both, as `degrees` says.
pub fn check_nonresidue(field: &TowerField, degrees: &[usize], xi: &Element) -> Result<(), SpecError> {
    degrees.iter().try_for_each(|degree| {
        field.check_extension(*degree)?;
        field.check_nonresidue(*degree, xi)
    })
}

/// The first of -1, -2, 2, -3, 3, … in a prime field, and of `c + u`, `c` = 0, 1, 2, …, above it, `u` the
/// variable of the highest level, that is no power with any of these exponents.
pub fn nonresidue(field: &TowerField, degrees: &[usize]) -> Option<Element> {
    let candidates = (0..TRIES).map(|i| match field.tower.levels().last() {
        None if i % 2 == 0 => field.neg(&field.integer(i / 2 + 1)),
        None => field.integer(i / 2 + 1),
        Some(top) => {
            let mut xi = field.integer(i);
            xi.0[top.nonresidue.len()] = 1u32.into();
            xi
        }
    });
    // 1 is a power with every exponent.
    let mut candidates = candidates.filter(|xi| *xi != field.one());
    candidates.find(|xi| check_nonresidue(field, degrees, xi).is_ok())
}

/// The first of 1, 2, 3, … for which `y² = x³ + b` over the prime field has so many points.
pub fn coefficient(field: &TowerField, order: &BigUint) -> Option<Element> {
    let mut candidates = (1..=TRIES).map(|b| field.integer(b));
    candidates.find(|b| !b.is_zero() && may_have_order(field, b, order))
}

/// Whether `y² = x³ + b` may have so many points; a no is a proof.
pub fn may_have_order(field: &TowerField, b: &Element, order: &BigUint) -> bool {
    let curve = Weierstrass { field: field.clone(), a: field.integer(0), b: b.clone() };
    curve.may_have_order(order)
}

/// `cofactor` times the point with the smallest `x` for which that is not the identity and the smaller of its
/// two `y`.
///
/// Elements are ordered by their last coordinates, then by those before: the rule by which BLS12-381's were
/// made.
pub fn generator(curve: &Weierstrass, cofactor: &BigUint) -> Option<Point> {
    let field = &curve.field;
    (0..ABSCISSAE).find_map(|i| {
        let x = nth(field, i)?;
        let y = field.sqrt(&curve.rhs(&x))?;
        let minus = field.neg(&y);
        let y = if minus.0.iter().rev().lt(y.0.iter().rev()) { minus } else { y };
        curve.multiple(cofactor, &(x, y))
    })
}

/// The element with this number in that order; `None` behind the last.
fn nth(field: &TowerField, n: u32) -> Option<Element> {
    let mut rest = BigUint::from(n);
    let mut digits = Vec::new();
    for _ in 0..field.tower.degree() {
        digits.push(&rest % &field.p);
        rest /= &field.p;
    }
    rest.is_zero().then_some(Element(digits))
}
