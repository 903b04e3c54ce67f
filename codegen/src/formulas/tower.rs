//! Coordinates: the prime field itself, or its quadratic extension `F[u]/(u² - nonresidue)`.

use crate::fir::build::{Buffer, Builder, Fe, Pred, U32, Var};
use crate::spec::GroupDesc;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::ops::{Add, Mul, Neg, Sub};

/// Largest factor for which additions are cheaper than a multiplication.
const SMALL: u32 = 16;

/// An element of the field that a group's coordinates lie in.
pub trait Coord<'k>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Prime-field elements in one coordinate.
    const DEGREE: usize;
    /// A mutable local.
    type Var: CoordVar<'k, Self>;

    /// From its [`Coord::DEGREE`] components, `c0` first.
    fn from_parts(field: CoordField<'k>, parts: &[Fe<'k>]) -> Self;
    /// Its components, `c0` first.
    fn parts(self) -> Vec<Fe<'k>>;
    /// `2·self`
    fn dbl(self) -> Self;
    /// `self²`
    fn sqr(self) -> Self;
    /// `Σ a·b` with one reduction a component where the field has room.
    fn dot(terms: &[(Self, Self)]) -> Self;
    /// Whether it is zero.
    fn is_zero(self) -> Pred<'k>;
    /// True wherever it is zero, and perhaps elsewhere.
    fn maybe_zero(self) -> Pred<'k>;
    /// A new local that holds `self`.
    fn var(self) -> Self::Var;
}

/// A mutable local that holds a coordinate.
pub trait CoordVar<'k, C>: Copy {
    /// The content now.
    fn get(self) -> C;
    /// Replaces the content.
    fn set(self, value: C);
}

/// What all coordinates of one kernel share.
#[derive(Clone, Copy, Debug)]
pub struct CoordField<'k> {
    b: &'k Builder,
    nonresidue: Nonresidue<'k>,
}

/// A nonresidue by the cheapest way to multiply with it.
#[derive(Clone, Copy, Debug)]
enum Nonresidue<'k> {
    /// Degree 1: there is none.
    None,
    MinusOne,
    /// `k`, at most [`SMALL`].
    Small(u32),
    /// `-k`, at most [`SMALL`].
    MinusSmall(u32),
    Other(&'k BigUint),
}

impl<'k> CoordField<'k> {
    /// The coordinate field of a group's kernel.
    pub fn new(b: &'k Builder, group: &'k GroupDesc) -> Self {
        let small = |x: &BigUint| x.to_u32().filter(|&k| k <= SMALL);
        let nonresidue = match &group.nonresidue {
            None => Nonresidue::None,
            Some(n) => match (small(n), small(&(&group.base.p - n))) {
                (_, Some(1)) => Nonresidue::MinusOne,
                (Some(k), _) => Nonresidue::Small(k),
                (_, Some(k)) => Nonresidue::MinusSmall(k),
                _ => Nonresidue::Other(n),
            },
        };
        CoordField { b, nonresidue }
    }

    /// The builder of the kernel.
    pub fn builder(self) -> &'k Builder {
        self.b
    }

    /// The element with these components; canonical numbers, as many as the degree.
    pub fn constant<C: Coord<'k>>(self, x: &[BigUint]) -> C {
        let parts: Vec<Fe<'k>> = x.iter().map(|x| self.b.constant(x)).collect();
        C::from_parts(self, &parts)
    }

    /// Zero.
    pub fn zero<C: Coord<'k>>(self) -> C {
        C::from_parts(self, &vec![self.b.zero(); C::DEGREE])
    }

    /// One.
    pub fn one<C: Coord<'k>>(self) -> C {
        let mut parts = vec![self.b.zero(); C::DEGREE];
        parts[0] = self.b.one();
        C::from_parts(self, &parts)
    }

    /// `cond ? a : b`
    pub fn select<C: Coord<'k>>(self, cond: Pred<'k>, a: C, b: C) -> C {
        let parts: Vec<Fe<'k>> =
            a.parts().into_iter().zip(b.parts()).map(|(a, b)| cond.select(a, b)).collect();
        C::from_parts(self, &parts)
    }

    /// Coordinate `which` of element `index` of a buffer of points.
    pub fn load<C: Coord<'k>>(self, buffer: Buffer<'k>, index: U32<'k>, which: usize) -> C {
        let parts: Vec<Fe<'k>> = (0..C::DEGREE).map(|i| buffer.part(index, which * C::DEGREE + i)).collect();
        C::from_parts(self, &parts)
    }

    /// Writes coordinate `which` of element `index` of a buffer of points.
    pub fn store<C: Coord<'k>>(self, buffer: Buffer<'k>, index: U32<'k>, which: usize, value: C) {
        for (i, part) in value.parts().into_iter().enumerate() {
            buffer.set_part(index, which * C::DEGREE + i, part);
        }
    }

    fn mul_nonresidue(self, x: Fe<'k>) -> Fe<'k> {
        match self.nonresidue {
            Nonresidue::None => unreachable!("elements of degree 2 exist only over a nonresidue"),
            Nonresidue::MinusOne => -x,
            Nonresidue::Small(k) => x.mul_small(k),
            Nonresidue::MinusSmall(k) => -x.mul_small(k),
            Nonresidue::Other(n) => x.mul_const(n),
        }
    }
}

impl<'k> Coord<'k> for Fe<'k> {
    const DEGREE: usize = 1;
    type Var = Var<'k, Fe<'k>>;

    fn from_parts(_: CoordField<'k>, parts: &[Fe<'k>]) -> Self {
        parts[0]
    }
    fn parts(self) -> Vec<Fe<'k>> {
        vec![self]
    }
    fn dbl(self) -> Self {
        Fe::dbl(self)
    }
    fn sqr(self) -> Self {
        Fe::sqr(self)
    }
    fn dot(terms: &[(Self, Self)]) -> Self {
        terms[0].0.builder().dot(terms)
    }
    fn is_zero(self) -> Pred<'k> {
        Fe::is_zero(self)
    }
    fn maybe_zero(self) -> Pred<'k> {
        Fe::maybe_zero(self)
    }
    fn var(self) -> Self::Var {
        self.builder().var(self)
    }
}

impl<'k> CoordVar<'k, Fe<'k>> for Var<'k, Fe<'k>> {
    fn get(self) -> Fe<'k> {
        Var::get(self)
    }
    fn set(self, value: Fe<'k>) {
        Var::set(self, value);
    }
}

/// `c0 + c1·u` with `u² = nonresidue`.
#[derive(Clone, Copy, Debug)]
pub struct Fe2<'k> {
    field: CoordField<'k>,
    /// Coefficient of 1.
    pub c0: Fe<'k>,
    /// Coefficient of `u`.
    pub c1: Fe<'k>,
}

impl Add for Fe2<'_> {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Fe2 { c0: self.c0 + rhs.c0, c1: self.c1 + rhs.c1, ..self }
    }
}

impl Sub for Fe2<'_> {
    type Output = Self;
    fn sub(self, rhs: Self) -> Self {
        Fe2 { c0: self.c0 - rhs.c0, c1: self.c1 - rhs.c1, ..self }
    }
}

impl Mul for Fe2<'_> {
    type Output = Self;
    fn mul(self, rhs: Self) -> Self {
        Self::dot(&[(self, rhs)])
    }
}

impl Neg for Fe2<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        Fe2 { c0: -self.c0, c1: -self.c1, ..self }
    }
}

impl<'k> Coord<'k> for Fe2<'k> {
    const DEGREE: usize = 2;
    type Var = Fe2Var<'k>;

    fn from_parts(field: CoordField<'k>, parts: &[Fe<'k>]) -> Self {
        Fe2 { field, c0: parts[0], c1: parts[1] }
    }
    fn parts(self) -> Vec<Fe<'k>> {
        vec![self.c0, self.c1]
    }
    fn dbl(self) -> Self {
        Fe2 { c0: self.c0.dbl(), c1: self.c1.dbl(), ..self }
    }
    fn sqr(self) -> Self {
        let Fe2 { field, c0, c1 } = self;
        let real = match field.nonresidue {
            // (c0 + c1·i)² = (c0 + c1)(c0 - c1) + 2·c0·c1·i
            Nonresidue::MinusOne => (c0 + c1) * (c0 - c1),
            _ => field.b.dot(&[(c0, c0), (field.mul_nonresidue(c1), c1)]),
        };
        Fe2 { field, c0: real, c1: c0.dbl() * c1 }
    }
    /// Two dot products of `2·terms.len()` terms: on every multiplier explored this is cheaper
    /// than Karatsuba's three products, which pay a reduction each.
    fn dot(terms: &[(Self, Self)]) -> Self {
        let field = terms[0].0.field;
        let (mut real, mut imaginary) = (vec![], vec![]);
        for &(a, b) in terms {
            real.extend([(a.c0, b.c0), (field.mul_nonresidue(a.c1), b.c1)]);
            imaginary.extend([(a.c0, b.c1), (a.c1, b.c0)]);
        }
        Fe2 { field, c0: field.b.dot(&real), c1: field.b.dot(&imaginary) }
    }
    fn is_zero(self) -> Pred<'k> {
        self.c0.is_zero() & self.c1.is_zero()
    }
    fn maybe_zero(self) -> Pred<'k> {
        self.c0.maybe_zero() & self.c1.maybe_zero()
    }
    fn var(self) -> Fe2Var<'k> {
        Fe2Var { field: self.field, c0: self.c0.var(), c1: self.c1.var() }
    }
}

/// A mutable local of the quadratic extension.
#[derive(Clone, Copy, Debug)]
pub struct Fe2Var<'k> {
    field: CoordField<'k>,
    c0: Var<'k, Fe<'k>>,
    c1: Var<'k, Fe<'k>>,
}

impl<'k> CoordVar<'k, Fe2<'k>> for Fe2Var<'k> {
    fn get(self) -> Fe2<'k> {
        Fe2 { field: self.field, c0: self.c0.get(), c1: self.c1.get() }
    }
    fn set(self, value: Fe2<'k>) {
        self.c0.set(value.c0);
        self.c1.set(value.c1);
    }
}
