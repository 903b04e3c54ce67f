//! Definitions, on machine words and by trying everything: what accepted declarations over small fields are judged by. Nothing is
//! shared with the checks.

use crate::check::{CurveModel, FieldModel, GroupModel};
use curvesmith_codegen::spec::Equation;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

fn word(x: &BigUint) -> u64 {
    x.to_u64().expect("a small number")
}

fn is_prime(n: u64) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

/// `F_p`, or `F_p[u]/(u² - ξ)`: pairs.
struct Field {
    p: u64,
    xi: Option<u64>,
}

type Element = [u64; 2];
type Point = (Element, Element);

impl Field {
    fn element(&self, coordinates: &[BigUint]) -> Element {
        assert!(coordinates.iter().all(|c| word(c) < self.p));
        [word(&coordinates[0]), coordinates.get(1).map_or(0, word)]
    }

    fn size(&self) -> u64 {
        if self.xi.is_some() { self.p * self.p } else { self.p }
    }

    fn all(&self) -> impl Iterator<Item = Element> + '_ {
        (0..self.size()).map(|i| [i % self.p, i / self.p])
    }

    fn add(&self, a: Element, b: Element) -> Element {
        [(a[0] + b[0]) % self.p, (a[1] + b[1]) % self.p]
    }

    fn neg(&self, a: Element) -> Element {
        a.map(|a| (self.p - a) % self.p)
    }

    fn sub(&self, a: Element, b: Element) -> Element {
        self.add(a, self.neg(b))
    }

    fn mul(&self, a: Element, b: Element) -> Element {
        let xi = self.xi.unwrap_or(0);
        [(a[0] * b[0] + a[1] * b[1] % self.p * xi) % self.p, (a[0] * b[1] + a[1] * b[0]) % self.p]
    }

    fn div(&self, a: Element, b: Element) -> Element {
        assert_ne!(b, [0, 0]);
        let mut inverse = [1, 0];
        let mut exponent = self.size() - 2;
        let mut square = b;
        while exponent > 0 {
            if exponent % 2 == 1 {
                inverse = self.mul(inverse, square);
            }
            square = self.mul(square, square);
            exponent /= 2;
        }
        self.mul(a, inverse)
    }

    /// How many square roots every element has.
    fn roots(&self) -> Vec<u8> {
        let mut roots = vec![0; self.size() as usize];
        for x in self.all() {
            let square = self.mul(x, x);
            roots[(square[0] + square[1] * self.p) as usize] += 1;
        }
        roots
    }
}

pub(super) fn field(model: &FieldModel) {
    let p = word(&model.desc.p);
    assert!(is_prime(p) && p > 2, "{p}");
    let order = |x: u64| {
        (1..p)
            .scan(1, |power, k| {
                *power = *power * x % p;
                Some((*power, k))
            })
            .find(|(power, _)| *power == 1)
            .map(|(_, k)| k)
    };
    if model.generator_declared {
        assert_eq!(order(word(&model.generator)), Some(p - 1));
    }
    let two_adic = 1 << (p - 1).trailing_zeros();
    assert_eq!(order(word(&model.two_adic_root)), Some(two_adic));
    if let Some(small) = &model.small_subgroup {
        let odd = u64::from(small.base).pow(small.power);
        assert!(is_prime(small.base.into()) && small.base > 2);
        assert_eq!(order(word(&small.root)), Some(two_adic * odd));
    }
}

pub(super) fn curve(model: &CurveModel, allow_weak: bool) {
    field(&model.fq);
    field(&model.fr);
    let p = word(&model.fq.desc.p);
    for level in &model.levels {
        assert_eq!((level.name.0, level.below.degree()), (2, 1));
        let xi = word(&level.top.nonresidue[0]);
        assert!((0..p).all(|x| x * x % p != xi), "{xi}");
    }
    for group in [Some(&model.g1), model.g2.as_ref()].into_iter().flatten() {
        self::group(group, &model.fr, allow_weak);
    }
}

fn group(group: &GroupModel, fr: &FieldModel, allow_weak: bool) {
    let (p, r, h) = (word(&group.desc.base.p), word(&fr.desc.p), word(&group.cofactor));
    let xi = group.desc.tower.levels().first().map(|level| word(&level.nonresidue[0]));
    let field = Field { p, xi };
    let [x, y] = group.generator.clone().map(|c| field.element(&c));
    let roots = field.roots();
    let at = |x: Element| u64::from(roots[(x[0] + x[1] * p) as usize]);
    let one = [1, 0];
    let order: u64 = match &group.desc.equation {
        Equation::ShortWeierstrass { a, b } => {
            let (a, b) = (field.element(a), field.element(b));
            let rhs = |x| field.add(field.mul(field.add(field.mul(x, x), a), x), b);
            assert_eq!(field.mul(y, y), rhs(x));
            assert_eq!(weierstrass_multiple(&field, a, r, (x, y)), None);
            1 + field.all().map(|x| at(rhs(x))).sum::<u64>()
        }
        Equation::TwistedEdwards { a, d } => {
            let (a, d) = (field.element(a), field.element(d));
            let square = |x| field.mul(x, x);
            let sides = |x: Element, y: Element| {
                let left = field.add(field.mul(a, square(x)), square(y));
                (left, field.add(one, field.mul(d, field.mul(square(x), square(y)))))
            };
            let (left, right) = sides(x, y);
            assert_eq!(left, right);
            assert_ne!((x, y), ([0, 0], one));
            assert_eq!(edwards_multiple(&field, a, d, r, (x, y)), ([0, 0], one));
            // y² (1 - d·x²) = 1 - a·x²; the smooth curve has points at infinity where a·d or d are squares.
            let ordinates = |x| {
                let (top, bottom) =
                    (field.sub(one, field.mul(a, square(x))), field.sub(one, field.mul(d, square(x))));
                if bottom == [0, 0] { 0 } else { at(field.div(top, bottom)) }
            };
            at(field.mul(a, d)) + at(d) + field.all().map(ordinates).sum::<u64>()
        }
    };
    assert!(r >= 5);
    assert_eq!(h * r, order);
    assert_eq!(word(&group.cofactor_inv) * h % r, 1);
    let trace = i64::try_from(field.size() + 1).expect("small") - i64::try_from(order).expect("small");
    let weak = r == p || trace % i64::try_from(p).expect("small") == 0 || p % r == 1 || p * p % r == 1;
    assert!(allow_weak || !weak);
}

fn weierstrass_multiple(field: &Field, a: Element, n: u64, point: Point) -> Option<Point> {
    let mut sum: Option<Point> = None;
    for _ in 0..n {
        sum = match sum {
            None => Some(point),
            Some((x, y)) if x == point.0 && (y != point.1 || y == [0, 0]) => None,
            Some((x, y)) => {
                let slope = if x == point.0 {
                    let square = field.mul(x, x);
                    let top = field.add(field.add(square, field.add(square, square)), a);
                    field.div(top, field.add(y, y))
                } else {
                    field.div(field.sub(point.1, y), field.sub(point.0, x))
                };
                let next = field.sub(field.sub(field.mul(slope, slope), x), point.0);
                Some((next, field.sub(field.mul(slope, field.sub(x, next)), y)))
            }
        };
    }
    sum
}

fn edwards_multiple(field: &Field, a: Element, d: Element, n: u64, (x2, y2): Point) -> Point {
    let mut sum = ([0, 0], [1, 0]);
    for _ in 0..n {
        let (x1, y1) = sum;
        let delta = field.mul(d, field.mul(field.mul(x1, x2), field.mul(y1, y2)));
        let x = field.add(field.mul(x1, y2), field.mul(y1, x2));
        let y = field.sub(field.mul(y1, y2), field.mul(a, field.mul(x1, x2)));
        sum = (field.div(x, field.add([1, 0], delta)), field.div(y, field.sub([1, 0], delta)));
    }
    sum
}
