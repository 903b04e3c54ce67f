//! Toy curves in the textbook's affine arithmetic: one division a sum.

use super::Random;
use curvesmith_abi::IDENTITY_WORD;
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc};
use curvesmith_codegen::fir::interp::{from_words, to_words};
use num_bigint::BigUint;

/// `c0 + c1·u`; `c1 = 0` in degree 1.
pub(super) type Num = [u64; 2];

/// An affine point; `None` is the identity.
pub(super) type Point = Option<(Num, Num)>;

/// A curve that can be calculated with on the host; `None` is the identity.
pub(super) trait Textbook: std::fmt::Debug {
    /// A coordinate of an affine point.
    type Coordinate: Clone + PartialEq + std::fmt::Debug;

    fn group(&self) -> GroupDesc;
    /// The identity and others.
    fn some_points(&self) -> Vec<Affine<Self>>;
    fn neg(&self, p: Affine<Self>) -> Affine<Self>;
    fn sum(&self, p: Affine<Self>, q: Affine<Self>) -> Affine<Self>;
    /// Affine points, the identity as its pattern.
    fn affine_words(&self, points: &[Affine<Self>]) -> Vec<u32>;
    /// Points with random denominators; the identity with other coordinates than zero.
    fn point_words(&self, points: &[Affine<Self>], random: &mut Random) -> Vec<u32>;
    fn read_points(&self, words: &[u32]) -> Vec<Affine<Self>>;
}

/// A point of a [`Textbook`].
pub(super) type Affine<T> = Option<(<T as Textbook>::Coordinate, <T as Textbook>::Coordinate)>;

impl Textbook for Toy {
    type Coordinate = Num;

    fn group(&self) -> GroupDesc {
        self.desc()
    }
    fn some_points(&self) -> Vec<Point> {
        self.points()
    }
    fn neg(&self, p: Point) -> Point {
        self.neg(p)
    }
    fn sum(&self, p: Point, q: Point) -> Point {
        self.sum(p, q)
    }
    fn affine_words(&self, points: &[Point]) -> Vec<u32> {
        self.affine_words(points)
    }
    fn point_words(&self, points: &[Point], random: &mut Random) -> Vec<u32> {
        self.point_words(points, random)
    }
    fn read_points(&self, words: &[u32]) -> Vec<Point> {
        self.read_points(words)
    }
}

/// `y² = x³ + a·x + b` over a field of a few hundred elements.
#[derive(Clone, Debug)]
pub(super) struct Toy {
    pub(super) p: u64,
    pub(super) nonresidue: Option<u64>,
    pub(super) a: Num,
    pub(super) b: Num,
}

impl Toy {
    pub(super) fn desc(&self) -> GroupDesc {
        let coord = |x: Num| x[..self.degree()].iter().map(|&x| x.into()).collect();
        GroupDesc {
            name: "toy".into(),
            base: self.field(),
            tower: self.nonresidue.map(BigUint::from).into(),
            equation: Equation::ShortWeierstrass { a: coord(self.a), b: coord(self.b) },
        }
    }
    pub(super) fn field(&self) -> FieldDesc {
        FieldDesc::new("toy", self.p.into())
    }
    pub(super) fn degree(&self) -> usize {
        if self.nonresidue.is_some() { 2 } else { 1 }
    }

    pub(super) fn plus(&self, a: Num, b: Num) -> Num {
        [(a[0] + b[0]) % self.p, (a[1] + b[1]) % self.p]
    }
    pub(super) fn minus(&self, a: Num, b: Num) -> Num {
        [(a[0] + self.p - b[0]) % self.p, (a[1] + self.p - b[1]) % self.p]
    }
    pub(super) fn times(&self, a: Num, b: Num) -> Num {
        let n = self.nonresidue.unwrap_or(0);
        [(a[0] * b[0] + n * a[1] % self.p * b[1]) % self.p, (a[0] * b[1] + a[1] * b[0]) % self.p]
    }
    pub(super) fn inverse(&self, a: Num) -> Num {
        self.numbers().find(|&x| self.times(a, x) == [1, 0]).expect("not zero")
    }
    pub(super) fn numbers(&self) -> impl Iterator<Item = Num> + use<> {
        let (p, top) = (self.p, if self.nonresidue.is_some() { self.p } else { 1 });
        (0..top).flat_map(move |c1| (0..p).map(move |c0| [c0, c1]))
    }

    /// Every point of the curve, the identity first.
    pub(super) fn points(&self) -> Vec<Point> {
        let mut points = vec![None];
        for x in self.numbers() {
            let cube = self.times(self.times(x, x), x);
            let right = self.plus(self.plus(cube, self.times(self.a, x)), self.b);
            points.extend(self.numbers().filter(|&y| self.times(y, y) == right).map(|y| Some((x, y))));
        }
        points
    }
    pub(super) fn is_singular(&self) -> bool {
        // 4a³ + 27b²
        let cube = self.times(self.times(self.a, self.a), self.a);
        let square = self.times(self.b, self.b);
        self.plus(self.times([4 % self.p, 0], cube), self.times([27 % self.p, 0], square)) == [0, 0]
    }
    pub(super) fn neg(&self, p: Point) -> Point {
        p.map(|(x, y)| (x, self.minus([0, 0], y)))
    }
    pub(super) fn sum(&self, p: Point, q: Point) -> Point {
        let (Some((x1, y1)), Some((x2, y2))) = (p, q) else { return p.or(q) };
        let slope = if x1 != x2 {
            self.times(self.minus(y2, y1), self.inverse(self.minus(x2, x1)))
        } else if y1 == y2 && y1 != [0, 0] {
            let square = self.times(x1, x1);
            let top = self.plus(self.times([3 % self.p, 0], square), self.a);
            self.times(top, self.inverse(self.plus(y1, y1)))
        } else {
            return None;
        };
        let x = self.minus(self.minus(self.times(slope, slope), x1), x2);
        Some((x, self.minus(self.times(slope, self.minus(x1, x)), y1)))
    }

    pub(super) fn words(&self, coords: &[Num]) -> Vec<u32> {
        let parts: Vec<BigUint> =
            coords.iter().flat_map(|c| c[..self.degree()].iter().map(|&x| x.into())).collect();
        to_words(&self.field(), &parts)
    }
    pub(super) fn affine_words(&self, points: &[Point]) -> Vec<u32> {
        let one = |p: &Point| match *p {
            None => vec![IDENTITY_WORD; 2 * self.degree()],
            Some((x, y)) => self.words(&[x, y]),
        };
        points.iter().flat_map(one).collect()
    }
    /// Points with random denominators; the identity with random other coordinates.
    pub(super) fn point_words(&self, points: &[Point], random: &mut Random) -> Vec<u32> {
        let mut number = || loop {
            let (p, d) = (self.p as u32, self.degree());
            let x = [u64::from(random.below(p)), if d == 2 { u64::from(random.below(p)) } else { 0 }];
            if x != [0, 0] {
                return x;
            }
        };
        let mut out = vec![];
        for p in points {
            let z = number();
            let zz = self.times(z, z);
            let zzz = self.times(zz, z);
            out.extend(match *p {
                None => self.words(&[number(), number(), [0, 0], [0, 0]]),
                Some((x, y)) => self.words(&[self.times(x, zz), self.times(y, zzz), zz, zzz]),
            });
        }
        out
    }
    pub(super) fn read_points(&self, words: &[u32]) -> Vec<Point> {
        let parts: Vec<u64> = from_words(&self.field(), words)
            .iter()
            .map(|x| x.iter_u64_digits().next().unwrap_or(0))
            .collect();
        let d = self.degree();
        let point = |c: &[u64]| {
            let coord = |i: usize| [c[i * d], if d == 2 { c[i * d + 1] } else { 0 }];
            let (zz, zzz) = (coord(2), coord(3));
            if zz == [0, 0] {
                return None;
            }
            assert_eq!(self.times(zz, self.times(zz, zz)), self.times(zzz, zzz), "zz³ = zzz²");
            Some((self.times(coord(0), self.inverse(zz)), self.times(coord(1), self.inverse(zzz))))
        };
        parts.chunks_exact(4 * d).map(point).collect()
    }
}

/// Small curves with and without `a`, with points of order two, over all kinds of nonresidue.
pub(super) fn curves() -> Vec<Toy> {
    let mut curves = vec![];
    for p in [5, 7, 13] {
        for (a, b) in [(0, 1), (0, 2), (1, 0), (1, 1), (2, 3), (3, 0), (p - 3, 1)] {
            curves.push(Toy { p, nonresidue: None, a: [a, 0], b: [b, 0] });
        }
    }
    // -1, 2, -2, and 18, which is far from 0 on both sides.
    for (p, nonresidue) in [(7, 6), (11, 10), (5, 2), (13, 2), (37, 35), (37, 18)] {
        curves.push(Toy { p, nonresidue: Some(nonresidue), a: [0, 0], b: [4, 4] });
        curves.push(Toy { p, nonresidue: Some(nonresidue), a: [2, 1], b: [1, 2] });
    }
    curves.retain(|c| !c.is_singular());
    curves
}
