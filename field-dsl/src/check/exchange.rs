//! Numbers that stand in each other's place.
//!
//! A faulty declaration is tried with two of them exchanged. Nothing here is reported, and nothing
//! is tried before something else has failed.

use super::curve::Curve;
use super::{LevelModel, coordinates, tower_of};
use crate::ast::{Coordinates, CurveDeclaration, Group, Model, Over};
use crate::error::{Errors, Item};
use curvesmith_codegen::declaration::curve::Point;
use curvesmith_codegen::declaration::prime::check_modulus;
use curvesmith_codegen::declaration::tower::{Element, TowerField};
use num_bigint::BigUint;

/// What to exchange in a point so that it fits: its coordinates, or the coefficients of each.
pub(super) fn within(point: &Point, model: Model, fits: impl Fn(&Point) -> bool) -> Option<String> {
    let swapped = |(x, y): &Point| (y.clone(), x.clone());
    let reversed = |x: &Element| Element(x.0.iter().rev().cloned().collect());
    let turned = |(x, y): &Point| (reversed(x), reversed(y));
    let [x, y] = model.coordinates();
    let coordinates = format!("{x} and {y} exchanged");
    if fits(&swapped(point)) {
        return Some(coordinates);
    }
    let coefficients = match point.0.0.len() {
        1 => return None,
        2 => "c0 and c1 exchanged".to_owned(),
        degree => format!("c0 to c{} in reverse order", degree - 1),
    };
    if fits(&turned(point)) {
        return Some(coefficients);
    }
    fits(&swapped(&turned(point))).then(|| format!("{coordinates} and {coefficients}"))
}

/// Whether a generator is on the curve of a group.
pub(super) fn is_on(
    generator: &(Coordinates, Coordinates),
    group: &Group,
    p: &BigUint,
    levels: &[LevelModel],
) -> bool {
    let curve = read_curve(group, p, levels).zip(read_point(generator, group.over, p));
    curve.is_some_and(|(curve, point)| curve.check_on_curve(&point).is_ok())
}

/// Whether the first group has a generator of the right order only with `fq` and `fr` exchanged.
pub(super) fn fields(d: &CurveDeclaration) -> bool {
    let modulus = |field: &Option<crate::ast::Field>| field.as_ref()?.modulus.value.to_biguint();
    let (Some(fq), Some(fr)) = (modulus(&d.fq), modulus(&d.fr)) else { return false };
    d.g1.as_ref().is_some_and(|g1| has_order(g1, &fr, &fq) && !has_order(g1, &fq, &fr))
}

/// Whether the generator of a group over `F_p` has order `r`, and both are primes.
fn has_order(group: &Group, p: &BigUint, r: &BigUint) -> bool {
    let generator = group.generator.as_ref().filter(|_| group.over == Over::FQ);
    let are_primes = check_modulus(p).and_then(|()| check_modulus(r)).is_ok();
    let Some(generator) = generator.filter(|_| are_primes) else { return false };
    let curve = read_curve(group, p, &[]).zip(read_point(generator, group.over, p));
    curve.is_some_and(|(curve, point)| {
        curve.check_nonsingular().and_then(|()| curve.check_generator(&point, r)).is_ok()
    })
}

/// The curve of a group, if its coefficients can be read.
fn read_curve(group: &Group, p: &BigUint, levels: &[LevelModel]) -> Option<Curve> {
    let field = TowerField { p: p.clone(), tower: tower_of(group.over, levels)? };
    let read = |c: &Option<Coordinates>| read(c.as_ref()?, group.over, p);
    Some(Curve::new(group.model, field, &read(&group.a)?, &read(&group.other)?))
}

fn read_point((x, y): &(Coordinates, Coordinates), over: Over, p: &BigUint) -> Option<Point> {
    Some((Element(read(x, over, p)?), Element(read(y, over, p)?)))
}

fn read(c: &Coordinates, over: Over, p: &BigUint) -> Option<Vec<BigUint>> {
    coordinates(c, p, Item { key: "", of: "" }, over, &mut Errors::default())
}
