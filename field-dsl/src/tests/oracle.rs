//! Definitions, on machine words and by trying everything: what accepted declarations over small fields are
//! judged by. Nothing is shared with the checks.

use crate::check::{CurveModel, FieldModel, GroupModel};
use curvesmith_codegen::declaration::Equation;
use curvesmith_codegen::declaration::tower::{Extension, Tower};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

fn word(x: &BigUint) -> u64 {
    x.to_u64().expect("a small number")
}

fn is_prime(n: u64) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

/// `F_p`, or a tower over it by the degrees and nonresidues of its levels.
struct Field {
    p: u64,
    levels: Vec<(usize, Element)>,
}

/// Coordinates over `F_p`.
type Element = Vec<u64>;
type Point = (Element, Element);

impl Field {
    fn new(p: u64, tower: &Tower) -> Field {
        let level = |level: &Extension| (level.degree, level.nonresidue.iter().map(word).collect());
        Field { p, levels: tower.levels().iter().map(level).collect() }
    }

    fn degree(&self) -> usize {
        self.levels.iter().map(|(degree, _)| degree).product()
    }

    fn element(&self, coordinates: &[BigUint]) -> Element {
        assert!(coordinates.iter().all(|c| word(c) < self.p) && coordinates.len() == self.degree());
        coordinates.iter().map(word).collect()
    }

    fn integer(&self, n: u64) -> Element {
        let mut element = vec![0; self.degree()];
        element[0] = n % self.p;
        element
    }

    fn size(&self) -> BigUint {
        BigUint::from(self.p).pow(self.degree() as u32)
    }

    fn all(&self) -> impl Iterator<Item = Element> + '_ {
        let digits =
            move |i: u64| (0..self.degree() as u32).map(move |k| i / self.p.pow(k) % self.p).collect();
        (0..word(&self.size())).map(digits)
    }

    fn add(&self, a: &Element, b: &Element) -> Element {
        a.iter().zip(b).map(|(a, b)| (a + b) % self.p).collect()
    }

    fn neg(&self, a: &Element) -> Element {
        a.iter().map(|a| (self.p - a) % self.p).collect()
    }

    fn sub(&self, a: &Element, b: &Element) -> Element {
        self.add(a, &self.neg(b))
    }

    fn mul(&self, a: &Element, b: &Element) -> Element {
        self.mul_at(self.levels.len(), a, b)
    }

    /// Of elements of the lowest levels.
    fn mul_at(&self, level: usize, a: &[u64], b: &[u64]) -> Element {
        if level == 0 {
            return vec![a[0] * b[0] % self.p];
        }
        let (degree, nonresidue) = &self.levels[level - 1];
        let below = a.len() / degree;
        let mut product = vec![0; a.len()];
        for (i, a) in a.chunks(below).enumerate() {
            for (j, b) in b.chunks(below).enumerate() {
                let mut part = self.mul_at(level - 1, a, b);
                if i + j >= *degree {
                    part = self.mul_at(level - 1, &part, nonresidue);
                }
                let at = (i + j) % degree * below;
                part.iter().enumerate().for_each(|(k, c)| product[at + k] = (product[at + k] + c) % self.p);
            }
        }
        product
    }

    fn pow(&self, x: &Element, exponent: &BigUint) -> Element {
        (0..exponent.bits()).rev().fold(self.integer(1), |power, i| {
            let square = self.mul(&power, &power);
            if exponent.bit(i) { self.mul(&square, x) } else { square }
        })
    }

    fn div(&self, a: &Element, b: &Element) -> Element {
        assert_ne!(*b, self.integer(0));
        self.mul(a, &self.pow(b, &(self.size() - 2u32)))
    }

    fn index(&self, x: &Element) -> usize {
        x.iter().rev().fold(0, |index, c| index * self.p as usize + *c as usize)
    }

    /// How many square roots every element has.
    fn roots(&self) -> Vec<u8> {
        let mut roots = vec![0; word(&self.size()) as usize];
        for x in self.all() {
            roots[self.index(&self.mul(&x, &x))] += 1;
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

/// Bits of the fields that are looked at: mutants of a family's seed have larger ones.
const BITS: u64 = 20;

pub(super) fn curve(model: &CurveModel, allow_weak: bool) {
    if model.fq.desc.p.bits().max(model.fr.desc.p.bits()) > BITS {
        return;
    }
    field(&model.fq);
    field(&model.fr);
    let p = word(&model.fq.desc.p);
    for level in &model.levels {
        let (below, degree) = (Field::new(p, &level.below), level.top.degree as u32);
        let xi = below.element(&level.top.nonresidue);
        if below.size().bits() <= BITS {
            let power = |x: &Element| below.pow(x, &degree.into());
            assert!(below.all().all(|x| power(&x) != xi), "{xi:?}");
        } else {
            // Powers are the kernel of this exponent, if not all are.
            let units = below.size() - 1u32;
            assert_eq!(&units % degree, BigUint::ZERO);
            assert_ne!(below.pow(&xi, &(units / degree)), below.integer(1), "{xi:?}");
        }
    }
    for group in [Some(&model.g1), model.g2.as_ref()].into_iter().flatten() {
        self::group(group, &model.fr, allow_weak);
    }
}

fn group(group: &GroupModel, fr: &FieldModel, allow_weak: bool) {
    let (p, r, h) = (word(&group.desc.base.p), word(&fr.desc.p), &group.cofactor);
    let field = Field::new(p, &group.desc.tower);
    let [x, y] = group.generator.clone().map(|c| field.element(&c));
    let [zero, one] = [0, 1].map(|n| field.integer(n));
    let square = |x: &Element| field.mul(x, x);
    let countable = field.size().bits() <= BITS;
    let roots = if countable { field.roots() } else { vec![] };
    let at = |x: &Element| u64::from(roots[field.index(x)]);
    let count = |others: u64, of: &dyn Fn(&Element) -> u64| -> u64 {
        others + field.all().map(|x| of(&x)).sum::<u64>()
    };
    let order: Option<u64> = match &group.desc.equation {
        Equation::ShortWeierstrass { a, b } => {
            let (a, b) = (field.element(a), field.element(b));
            let rhs = |x: &Element| field.add(&field.mul(&field.add(&square(x), &a), x), &b);
            assert_eq!(square(&y), rhs(&x));
            assert_eq!(weierstrass_multiple(&field, &a, r, (x, y)), None);
            countable.then(|| count(1, &|x| at(&rhs(x))))
        }
        Equation::TwistedEdwards { a, d } => {
            let (a, d) = (field.element(a), field.element(d));
            let left = field.add(&field.mul(&a, &square(&x)), &square(&y));
            let right = field.add(&one, &field.mul(&d, &field.mul(&square(&x), &square(&y))));
            assert_eq!(left, right);
            assert_ne!((&x, &y), (&zero, &one));
            assert_eq!(edwards_multiple(&field, &a, &d, r, (x, y)), (zero.clone(), one.clone()));
            // y² (1 - d·x²) = 1 - a·x²; the smooth curve has points at infinity where a·d or d are squares.
            let ordinates = |x: &Element| {
                let [top, bottom] = [&a, &d].map(|k| field.sub(&one, &field.mul(k, &square(x))));
                if bottom == zero { 0 } else { at(&field.div(&top, &bottom)) }
            };
            countable.then(|| count(at(&field.mul(&a, &d)) + at(&d), &ordinates))
        }
        Equation::Niels { .. } => panic!("declared by the equation of a form"),
    };
    assert!(r >= 5);
    assert_eq!(&group.cofactor_inv * h % r, 1u32.into());
    let Some(order) = order else { return };
    assert_eq!(h * r, order.into());
    let trace = i64::try_from(word(&field.size()) + 1).expect("small") - i64::try_from(order).expect("small");
    let weak = r == p || trace % i64::try_from(p).expect("small") == 0 || p % r == 1 || p * p % r == 1;
    assert!(allow_weak || !weak);
}

fn weierstrass_multiple(field: &Field, a: &Element, n: u64, (x2, y2): Point) -> Option<Point> {
    let mut sum: Option<Point> = None;
    for _ in 0..n {
        sum = match sum {
            None => Some((x2.clone(), y2.clone())),
            Some((x, y)) if x == x2 && (y != y2 || y == field.integer(0)) => None,
            Some((x, y)) => {
                let slope = if x == x2 {
                    let square = field.mul(&x, &x);
                    let top = field.add(&field.add(&square, &field.add(&square, &square)), a);
                    field.div(&top, &field.add(&y, &y))
                } else {
                    field.div(&field.sub(&y2, &y), &field.sub(&x2, &x))
                };
                let next = field.sub(&field.sub(&field.mul(&slope, &slope), &x), &x2);
                let y = field.sub(&field.mul(&slope, &field.sub(&x, &next)), &y);
                Some((next, y))
            }
        };
    }
    sum
}

fn edwards_multiple(field: &Field, a: &Element, d: &Element, n: u64, (x2, y2): Point) -> Point {
    let one = field.integer(1);
    let mut sum = (field.integer(0), one.clone());
    for _ in 0..n {
        let (x1, y1) = sum;
        let delta = field.mul(d, &field.mul(&field.mul(&x1, &x2), &field.mul(&y1, &y2)));
        let x = field.add(&field.mul(&x1, &y2), &field.mul(&y1, &x2));
        let y = field.sub(&field.mul(&y1, &y2), &field.mul(a, &field.mul(&x1, &x2)));
        sum = (field.div(&x, &field.add(&one, &delta)), field.div(&y, &field.sub(&one, &delta)));
    }
    sum
}
