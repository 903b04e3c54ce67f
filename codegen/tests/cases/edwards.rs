//! Toy twisted Edwards curves in the textbook's affine arithmetic, declared ones and forms of others.

use super::Random;
use super::toy::Textbook;
use curvesmith_abi::IDENTITY_WORD;
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::fir::interp::{from_words, to_words};
use num_bigint::BigUint;

/// An affine point; `None` is the identity, `(0, 1)`.
type Point = Option<(u64, u64)>;

/// `a·x² + y² = 1 + d·x²·y²` over a small prime field, `a` a square and `d` none: the law has no exceptions.
#[derive(Clone, Debug)]
pub(super) struct Edwards {
    p: u64,
    a: u64,
    d: u64,
    /// Whether affine points are `y - x`, `y + x` and `2·d·x·y`; `a` is -1 then.
    is_form: bool,
}

impl Edwards {
    fn field(&self) -> FieldDesc {
        FieldDesc::new("toy", self.p.into())
    }
    fn inverse(&self, x: u64) -> u64 {
        (1..self.p).find(|y| x * y % self.p == 1).expect("not zero")
    }
    fn point(x: u64, y: u64) -> Point {
        (x != 0 || y != 1).then_some((x, y))
    }
    fn words(&self, numbers: &[u64]) -> Vec<u32> {
        let numbers: Vec<BigUint> = numbers.iter().map(|x| (*x).into()).collect();
        to_words(&self.field(), &numbers)
    }
}

impl Textbook for Edwards {
    type Coordinate = u64;

    fn group(&self) -> GroupDesc {
        let (a, d) = (vec![self.a.into()], vec![self.d.into()]);
        let equation = if self.is_form { Equation::Niels { d } } else { Equation::TwistedEdwards { a, d } };
        GroupDesc { name: "toy".into(), base: self.field(), tower: Tower::prime(), equation }
    }
    /// All of them.
    fn some_points(&self) -> Vec<Point> {
        let p = self.p;
        let pairs = (0..p).flat_map(|x| (0..p).map(move |y| (x, y)));
        let on_curve = pairs.filter(|(x, y)| {
            let (x2, y2) = (x * x % p, y * y % p);
            (self.a * x2 + y2) % p == (1 + self.d * x2 % p * y2) % p
        });
        on_curve.map(|(x, y)| Edwards::point(x, y)).collect()
    }
    fn neg(&self, point: Point) -> Point {
        point.map(|(x, y)| ((self.p - x) % self.p, y))
    }
    fn sum(&self, left: Point, right: Point) -> Point {
        let p = self.p;
        let ((x1, y1), (x2, y2)) = (left.unwrap_or((0, 1)), right.unwrap_or((0, 1)));
        let product = self.d * (x1 * x2 % p) % p * (y1 * y2 % p) % p;
        let x = (x1 * y2 + y1 * x2) % p * self.inverse((1 + product) % p) % p;
        let top = (y1 * y2 + (p - self.a) * (x1 * x2 % p)) % p;
        Edwards::point(x, top * self.inverse((1 + p - product) % p) % p)
    }
    fn affine_words(&self, points: &[Point]) -> Vec<u32> {
        let one = |p: &Point| match *p {
            None => vec![IDENTITY_WORD; if self.is_form { 3 } else { 2 }],
            Some((x, y)) if self.is_form => {
                let p = self.p;
                self.words(&[(y + p - x) % p, (y + x) % p, 2 * self.d % p * (x * y % p) % p])
            }
            Some((x, y)) => self.words(&[x, y]),
        };
        points.iter().flat_map(one).collect()
    }
    /// The identity also as zeros, as memory that nothing was written to.
    fn point_words(&self, points: &[Point], random: &mut Random) -> Vec<u32> {
        let mut out = vec![];
        for point in points {
            let z = 1 + u64::from(random.below(self.p as u32 - 1));
            let (x, y) = point.unwrap_or((0, 1));
            let scaled = [x * z, y * z, z, x * y % self.p * z].map(|x| x % self.p);
            let zeros = point.is_none() && random.below(2) == 0;
            out.extend(self.words(if zeros { &[0; 4] } else { &scaled }));
        }
        out
    }
    fn read_points(&self, words: &[u32]) -> Vec<Point> {
        let numbers: Vec<u64> = from_words(&self.field(), words)
            .iter()
            .map(|x| x.iter_u64_digits().next().unwrap_or(0))
            .collect();
        let read = |c: &[u64]| {
            let &[x, y, z, t] = c else { unreachable!("four coordinates") };
            if c == [0; 4] {
                return None;
            }
            assert_eq!(x * y % self.p, z * t % self.p, "x·y = z·t");
            let inverse = self.inverse(z);
            Edwards::point(x * inverse % self.p, y * inverse % self.p)
        };
        numbers.chunks_exact(4).map(read).collect()
    }
}

/// Of coefficients 1, -1 and others, and forms.
pub(super) fn curves() -> Vec<Edwards> {
    let curve = |p, a, d| Edwards { p, a, d, is_form: false };
    let form = |p: u64, d| Edwards { is_form: true, ..curve(p, p - 1, d) };
    let curves = vec![
        curve(13, 1, 2),
        curve(13, 12, 5),
        curve(13, 4, 6),
        curve(17, 16, 3),
        curve(7, 1, 3),
        curve(11, 4, 2),
        form(13, 5),
        form(17, 3),
    ];
    for Edwards { p, a, d, .. } in &curves {
        let is_square = |x: &u64| (1..*p).any(|root| root * root % p == *x);
        assert!(is_square(a) && !is_square(d), "the law of {a}, {d} modulo {p} has exceptions");
    }
    curves
}
