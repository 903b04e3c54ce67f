//! What sums of points and transforms are made of.

use super::arithmetic::bound::{Limbs, Products};
use super::{Avx2, Ifma512, InstructionSet, Instructions};
use crate::declaration::edwards::Edwards;
use crate::declaration::tower::Element;
use crate::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use crate::fir::build::{Builder, Fe, Handle, Pred};
use crate::fir::ir::{Kernel, Type, Value};
use num_bigint::BigUint;
use num_traits::{One as _, Zero};

/// Levels below which a transform is not worth functions.
const LEAST_LEVELS: u32 = 6;
/// Limbs up to which fields have functions by whole products; those of more are long.
const MOST_LIMBS: usize = 14;

impl InstructionSet {
    /// The [`additions`] that an image of a group holds; none where they are not worth their length.
    pub fn additions(self, group: &GroupDesc) -> Vec<Kernel> {
        match self {
            _ if !self.serves(&group.base) => vec![],
            InstructionSet::Ifma512 => additions::<Ifma512>(group),
            InstructionSet::Avx2 => additions::<Avx2>(group),
        }
    }

    /// The [`transforms`] that an image of a field holds; none where they are not worth their length, or
    /// transforms are small.
    pub fn transforms(self, field: &FieldDesc) -> Vec<Kernel> {
        match self {
            _ if field.two_adicity() < LEAST_LEVELS || !self.serves(field) => vec![],
            InstructionSet::Ifma512 => transforms::<Ifma512>(field),
            InstructionSet::Avx2 => transforms::<Avx2>(field),
        }
    }

    fn serves(self, field: &FieldDesc) -> bool {
        let limbs = Limbs::of(self.products(), field);
        limbs.products == Products::Halves || limbs.n <= MOST_LIMBS
    }
}

/// The functions that sums of affine points of a short Weierstrass curve are made of. Denominators are
/// multiplied up, all of them are inverted at once, and the inverses taken apart again (Montgomery's trick).
///
/// Those of a twisted Edwards curve are of its [short Weierstrass form](crate::declaration::edwards), where
/// an addition takes six products; there is none of [`Equation::Niels`], a curve that has this form already.
///
/// | function | takes | gives |
/// | --- | --- | --- |
/// | `enter` | an element times `2^(64·⌈bits/64⌉)`, arkworks' form | the element |
/// | `leave` | an element | the same in arkworks' form, canonical |
/// | `opposite` | `y` | `-y` |
/// | `distance` | a pair | the product before times `x2 - x1` |
/// | `chord` | a pair | the sum, and the inverse of the product before |
/// | `any_distance` | a pair | the product before times the denominator; zero if the points are opposite, else one |
/// | `any_chord` | a pair | as `chord`; any point as the sum of opposite ones |
///
/// A pair is `x1, y1, x2, y2`, the product of the denominators before it, and the inverse of that times its
/// own. The `x` of pairs for `distance` and `chord` are not equal. `enter` and `leave` are of the prime
/// field, the others of coordinates. What a sum is stands in
/// [`Curve::third_point`](crate::formulas::Curve::third_point).
pub fn additions<I: Instructions>(group: &GroupDesc) -> Vec<Kernel> {
    let a = match &group.equation {
        Equation::ShortWeierstrass { a, .. } => a.clone(),
        Equation::TwistedEdwards { a, d } => {
            let [a, d] = [a, d].map(|coefficient| Element(coefficient.clone()));
            Edwards { field: group.coordinate_field(), a, d }.weierstrass().a.0
        }
        Equation::Niels { .. } => return vec![],
    };
    let (entering, leaving) = arkworks_form::<I>(&group.base);
    let of_elements = |name, inputs, body: Body<'_>| over(&group.base, Tower::prime(), name, inputs, body);
    let of_coordinates =
        |name, inputs, body: Body<'_>| over(&group.base, group.tower.clone(), name, inputs, body);
    vec![
        of_elements("enter", 1, &|_, x| vec![x[0].mul_const(&entering)]),
        of_elements("leave", 1, &|b, x| vec![b.from_words(&x[0].mul_const(&leaving).words())]),
        of_coordinates("opposite", 1, &|_, x| vec![-x[0]]),
        of_coordinates("distance", PAIR, &|_, x| vec![(x[2] - x[0]) * x[4]]),
        of_coordinates("chord", PAIR, &|_, x| third_point(x, x[2] - x[0], x[3] - x[1])),
        of_coordinates("any_distance", PAIR, &|b, x| {
            let line = Line::through(b, x, &a);
            vec![line.denominator * x[4], line.vanishes.select(b.zero(), b.constant(&1u32.into()))]
        }),
        of_coordinates("any_chord", PAIR, &|b, x| {
            let line = Line::through(b, x, &a);
            third_point(x, line.denominator, line.numerator)
        }),
    ]
}

/// The functions that transforms over a field are made of.
///
/// | function | takes | gives |
/// | --- | --- | --- |
/// | `enter` | an element times `2^(64·⌈bits/64⌉)`, arkworks' form | the element |
/// | `canonical` | an element | the same, below `p` |
/// | `product` | two elements | their product |
/// | `butterfly` | `a, b, w` | `a + wb`, `a - wb` |
/// | `butterflies` | `a, b, c, d, u, v, w` | two levels: of `a, b` and of `c, d` by `u`, then of what is first by `v` and second by `w` |
/// | `first_butterfly` | `a, b` | `butterfly` by 1 |
/// | `first_butterflies` | `a, b, c, d, w` | `butterflies` by 1, 1, `w` |
pub fn transforms<I: Instructions>(field: &FieldDesc) -> Vec<Kernel> {
    let of = |name, inputs, body: Body<'_>| over(field, Tower::prime(), name, inputs, body);
    let (entering, _) = arkworks_form::<I>(field);
    vec![
        of("enter", 1, &|_, x| vec![x[0].mul_const(&entering)]),
        of("canonical", 1, &|b, x| vec![b.from_words(&x[0].words())]),
        of("product", 2, &|_, x| vec![x[0] * x[1]]),
        of("butterfly", 3, &|_, x| butterfly(x[0], x[1] * x[2]).to_vec()),
        of("butterflies", 7, &|_, x| {
            let ([a, b], [c, d]) = (butterfly(x[0], x[1] * x[4]), butterfly(x[2], x[3] * x[4]));
            let ([a, c], [b, d]) = (butterfly(a, c * x[5]), butterfly(b, d * x[6]));
            vec![a, b, c, d]
        }),
        of("first_butterfly", 2, &|_, x| butterfly(x[0], x[1]).to_vec()),
        of("first_butterflies", 5, &|_, x| {
            let ([a, b], [c, d]) = (butterfly(x[0], x[1]), butterfly(x[2], x[3]));
            let ([a, c], [b, d]) = (butterfly(a, c), butterfly(b, d * x[4]));
            vec![a, b, c, d]
        }),
    ]
}

fn butterfly<'k>(a: Fe<'k>, b: Fe<'k>) -> [Fe<'k>; 2] {
    [a + b, a - b]
}

/// What makes lanes' Montgomery form of arkworks', and the way back, by a product.
fn arkworks_form<I: Instructions>(field: &FieldDesc) -> (BigUint, BigUint) {
    let p = &field.p;
    let inverse = |x: &BigUint| (x % p).modinv(p).expect("p is odd");
    let arkworks = BigUint::one() << (64 * p.bits().div_ceil(64));
    let entering = Limbs::of(I::PRODUCTS, field).r() * inverse(&arkworks) % p;
    let leaving = inverse(&entering);
    (entering, leaving)
}

/// Coordinates that a pair is.
const PAIR: usize = 6;

/// What a function computes from its arguments.
type Body<'a> = &'a dyn for<'k> Fn(&'k Builder, &[Fe<'k>]) -> Vec<Fe<'k>>;

/// A function of so many elements of the highest level of a tower.
fn over(field: &FieldDesc, tower: Tower, name: &str, inputs: usize, body: Body<'_>) -> Kernel {
    let ty = match tower.top() {
        0 => Type::Field,
        top => Type::Ext(top as u8),
    };
    let b = Builder::function_over(field, tower, name, &vec![ty; inputs]);
    let inputs: Vec<Fe<'_>> = b.arguments().into_iter().map(|x| Fe::wrap(&b, x)).collect();
    let results: Vec<Value> = body(&b, &inputs).into_iter().map(|x| x.id()).collect();
    b.finish_function(&results)
}

/// The line through two points `x1, y1, x2, y2`, its slope as a fraction.
struct Line<'k> {
    /// One where the sum is the identity.
    denominator: Fe<'k>,
    numerator: Fe<'k>,
    /// Whether the sum is the identity.
    vanishes: Pred<'k>,
}

impl<'k> Line<'k> {
    /// The tangent of `y² = x³ + ax + b`, where the points are equal.
    fn through(b: &'k Builder, x: &[Fe<'k>], a: &[BigUint]) -> Line<'k> {
        let (distance, double) = (x[2] - x[0], x[1] + x[3]);
        let same = distance.is_zero();
        let vanishes = same & double.is_zero();
        let square = x[0].sqr();
        let mut tangent = square.dbl() + square;
        if !a.iter().all(Zero::is_zero) {
            tangent = tangent + b.coordinates(a);
        }
        let one = b.embed(b.constant(&1u32.into()));
        Line {
            denominator: same.select(vanishes.select(one, double), distance),
            numerator: same.select(tangent, x[3] - x[1]),
            vanishes,
        }
    }
}

/// The third point of a line, and the inverse of the product before it, by that of the product with it:
/// `x1, y1, x2, y2`, the product before, the inverse.
fn third_point<'k>(x: &[Fe<'k>], denominator: Fe<'k>, numerator: Fe<'k>) -> Vec<Fe<'k>> {
    let slope = numerator * (x[4] * x[5]);
    let third = slope.sqr() - x[0] - x[2];
    vec![third, slope * (x[0] - third) - x[1], denominator * x[5]]
}
