//! Checks on a declared short Weierstrass curve, in bounded work.
//!
//! *Proof or evidence.* Singularity, the generator's equation and its order (a divisor of
//! the prime `r`, and not 1) are proven. The order `h·r` of the curve is proven where the
//! coordinate field has at most [`COUNTED_BELOW`] elements, by counting, and where it is the only multiple of
//! `r` within Hasse's bound, by the generator; elsewhere it is evidence: Hasse's bound, and `[h·r]P = O` for
//! [`HASHED_POINTS`] points that depend on the declaration alone.

use super::error::SpecError;
use super::prime::small;
use super::tower::{Element, TowerField};
use num_bigint::BigUint;
use num_traits::Zero;

/// Points are counted in coordinate fields of fewer elements than this.
pub const COUNTED_BELOW: u32 = 1 << 16;
/// Points that must be killed by `h·r` on larger curves.
pub const HASHED_POINTS: usize = 4;

/// `y² = x³ + a·x + b`, with its coefficients canonical.
#[derive(Clone, Debug)]
pub struct Weierstrass {
    /// Field of the coordinates.
    pub field: TowerField,
    /// Coefficient of `x`.
    pub a: Element,
    /// Constant coefficient.
    pub b: Element,
}

/// An affine point; the identity is `None` where it can occur.
pub type Point = (Element, Element);

/// `(x/z², y/z³)`; `z = 0` for the identity.
#[derive(Clone, Debug)]
struct Jacobian {
    x: Element,
    y: Element,
    z: Element,
}

/// What is asked `n` times, and the answers in order: for a caller that asks on several threads.
type Ask<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) -> bool + Sync)) -> Vec<bool>;

/// What shows that a number within Hasse's bound is the order of a curve that is too large to be counted.
#[derive(Clone, Copy)]
pub enum Evidence<'a> {
    /// A point of order `r`, which the curve is known to have, and [`has_one_multiple`].
    Generator,
    /// That it kills some points.
    Points(Ask<'a>),
}

impl Evidence<'_> {
    /// Points, one after the other up to the first that is not killed.
    pub(super) const IN_TURN: Evidence<'static> = Evidence::Points(&|n, kills| {
        let mut answers = Vec::new();
        while answers.len() < n && answers.last() != Some(&false) {
            answers.push(kills(answers.len()));
        }
        answers
    });
}

/// Whether Hasse's interval for curves over `q` elements, at most `4·√q` long, has at most one multiple of
/// `r`.
pub fn has_one_multiple(q: &BigUint, r: &BigUint) -> bool {
    r * r > q << 4u32
}

impl Weierstrass {
    /// `4a³ + 27b² ≠ 0`.
    pub fn check_nonsingular(&self) -> Result<(), SpecError> {
        let f = &self.field;
        let a3 = f.mul(&f.sqr(&self.a), &self.a);
        let discriminant = f.add(&f.mul_small(&a3, 4), &f.mul_small(&f.sqr(&self.b), 27));
        if discriminant.is_zero() { Err(SpecError::SingularCurve) } else { Ok(()) }
    }

    /// `point` satisfies the equation.
    pub fn check_on_curve(&self, point: &Point) -> Result<(), SpecError> {
        let is_on = self.field.sqr(&point.1) == self.rhs(&point.0);
        if is_on { Ok(()) } else { Err(SpecError::GeneratorOffCurve) }
    }

    /// `generator` is a point of order `r`, a prime.
    pub fn check_generator(&self, generator: &Point, r: &BigUint) -> Result<(), SpecError> {
        self.check_on_curve(generator)?;
        if self.kills(r, generator) { Ok(()) } else { Err(SpecError::GeneratorOrder) }
    }

    /// `cofactor·r` is the order of the curve (see the module on proof and evidence) and the
    /// cofactor has an inverse modulo the prime `r`. The curve is not singular.
    pub fn check_cofactor(&self, cofactor: &BigUint, r: &BigUint) -> Result<(), SpecError> {
        self.check_cofactor_by(cofactor, r, Evidence::IN_TURN)
    }

    /// As [`check_cofactor`](Self::check_cofactor), by some evidence.
    pub fn check_cofactor_by(
        &self,
        cofactor: &BigUint,
        r: &BigUint,
        by: Evidence<'_>,
    ) -> Result<(), SpecError> {
        self.check_order(cofactor, r, by, self.hashed_points())
    }

    /// Whether `order` kills a point that depends on the curve alone; in small fields, whether it is the
    /// number of points. A no is a proof that it is not.
    pub fn may_have_order(&self, order: &BigUint) -> bool {
        match small(&self.field.size()) {
            Some(size) => *order == self.count(size).into(),
            None => self.hashed_points().take(1).all(|(_, point)| self.kills(order, &point)),
        }
    }

    /// Points that depend on the declaration alone, each with its abscissa.
    pub(super) fn hashed_points(&self) -> impl Iterator<Item = (Element, Point)> {
        let seed: Vec<&BigUint> = [&self.field.p].into_iter().chain(&self.a.0).chain(&self.b.0).collect();
        // Half of all abscissae carry points; 128 tries miss four of them with probability 2^-110.
        (0..128).filter_map(move |i| {
            let x = self.field.hashed(&seed, i);
            let y = self.field.sqrt(&self.rhs(&x))?;
            Some((x.clone(), (x, y)))
        })
    }

    /// [`Weierstrass::check_cofactor`] with these points, each with the abscissa by which its curve's
    /// declaration knows it.
    pub(super) fn check_order(
        &self,
        cofactor: &BigUint,
        r: &BigUint,
        by: Evidence<'_>,
        points: impl Iterator<Item = (Element, Point)>,
    ) -> Result<(), SpecError> {
        if cofactor.is_zero() {
            return Err(SpecError::CofactorIsZero);
        }
        let order = cofactor * r;
        if let Some(size) = small(&self.field.size()) {
            let counted = self.count(size);
            if order != counted.into() {
                return Err(SpecError::CofactorMiscounted { found: order, order: counted });
            }
        } else {
            self.check_hasse(&order)?;
            if let Evidence::Points(ask) = by {
                let points: Vec<_> = points.take(HASHED_POINTS).collect();
                let killed = ask(points.len(), &|i| self.kills(&order, &points[i].1));
                if let Some(((x, _), _)) = points.iter().zip(killed).find(|(_, killed)| !killed) {
                    return Err(SpecError::CofactorRefuted { x: self.field.print(x) });
                }
            }
        }
        if (cofactor % r).is_zero() {
            return Err(SpecError::CofactorNotInvertible);
        }
        Ok(())
    }

    /// `(order - q - 1)² ≤ 4q`.
    fn check_hasse(&self, order: &BigUint) -> Result<(), SpecError> {
        let q = self.field.size();
        let middle = &q + 1u32;
        let trace = if *order > middle { order - &middle } else { &middle - order };
        // The length test keeps the square of an absurd cofactor from being computed.
        if trace.bits() <= q.bits() && &trace * &trace <= &q * 4u32 {
            return Ok(());
        }
        Err(SpecError::CofactorOutsideHasse { bits: order.bits(), field_bits: q.bits() })
    }

    /// `x³ + a·x + b`
    pub(super) fn rhs(&self, x: &Element) -> Element {
        let f = &self.field;
        f.add(&f.mul(&f.add(&f.sqr(x), &self.a), x), &self.b)
    }

    /// Whether `[n]point` is the identity.
    pub(super) fn kills(&self, n: &BigUint, point: &Point) -> bool {
        self.product(n, point).z.is_zero()
    }

    /// `[n]point`; `None` is the identity.
    pub fn multiple(&self, n: &BigUint, point: &Point) -> Option<Point> {
        self.affine(&self.product(n, point))
    }

    fn affine(&self, p: &Jacobian) -> Option<Point> {
        let f = &self.field;
        let inverse = f.inverse(&p.z)?;
        let square = f.sqr(&inverse);
        Some((f.mul(&p.x, &square), f.mul(&p.y, &f.mul(&square, &inverse))))
    }

    fn product(&self, n: &BigUint, point: &Point) -> Jacobian {
        let one = self.field.integer(1);
        let mut sum = Jacobian { x: one.clone(), y: one, z: self.field.integer(0) };
        for i in (0..n.bits()).rev() {
            sum = self.dbl(&sum);
            if n.bit(i) {
                sum = self.madd(&sum, point);
            }
        }
        sum
    }

    /// Doubling; from the affine tangent `λ = (3x² + a)/2y` with `x = X/Z²`, `y = Y/Z³`.
    fn dbl(&self, p: &Jacobian) -> Jacobian {
        let f = &self.field;
        let y2 = f.sqr(&p.y);
        // Divisions are what takes time here: `mul_small` has one, and sums have none.
        let twice = |x: &Element| f.add(x, x);
        let s = twice(&twice(&f.mul(&p.x, &y2)));
        let x2 = f.sqr(&p.x);
        let mut m = f.add(&twice(&x2), &x2);
        if !self.a.is_zero() {
            m = f.add(&m, &f.mul(&self.a, &f.sqr(&f.sqr(&p.z))));
        }
        let x = f.sub(&f.sqr(&m), &twice(&s));
        let y = f.sub(&f.mul(&m, &f.sub(&s, &x)), &twice(&twice(&twice(&f.sqr(&y2)))));
        let z = twice(&f.mul(&p.y, &p.z));
        Jacobian { x, y, z }
    }

    /// Mixed addition, complete.
    fn madd(&self, p: &Jacobian, (x, y): &Point) -> Jacobian {
        let f = &self.field;
        if p.z.is_zero() {
            return Jacobian { x: x.clone(), y: y.clone(), z: f.integer(1) };
        }
        let z2 = f.sqr(&p.z);
        let h = f.sub(&f.mul(x, &z2), &p.x);
        let r = f.sub(&f.mul(&f.mul(y, &p.z), &z2), &p.y);
        if h.is_zero() && r.is_zero() {
            return self.dbl(p);
        }
        let h2 = f.sqr(&h);
        let h3 = f.mul(&h2, &h);
        let v = f.mul(&p.x, &h2);
        let x = f.sub(&f.sub(&f.sqr(&r), &h3), &f.add(&v, &v));
        let y = f.sub(&f.mul(&r, &f.sub(&v, &x)), &f.mul(&p.y, &h3));
        // Opposite points have h = 0 and so z = 0.
        let z = f.mul(&p.z, &h);
        Jacobian { x, y, z }
    }

    /// The sum of two points; `None` is the identity.
    #[cfg(test)]
    pub(super) fn sum(&self, p: Option<&Point>, q: Option<&Point>) -> Option<Point> {
        let (Some(p), Some(q)) = (p, q) else { return p.or(q).cloned() };
        let z = self.field.integer(1);
        self.affine(&self.madd(&Jacobian { x: p.0.clone(), y: p.1.clone(), z }, q))
    }

    /// Number of points with the identity, by trying every abscissa; `size < 2^16` elements.
    pub(super) fn count(&self, size: u64) -> u64 {
        let field = SmallField::new(&self.field);
        let mut roots = vec![0u64; size as usize];
        for i in 0..size {
            let x = field.element(i);
            roots[field.index(&field.mul(&x, &x))] += 1;
        }
        let (a, b) = (field.words(&self.a), field.words(&self.b));
        let on_abscissa = |i: u64| {
            let x = field.element(i);
            let slope = field.add(&field.mul(&x, &x), &a);
            roots[field.index(&field.add(&field.mul(&slope, &x), &b))]
        };
        1 + (0..size).map(on_abscissa).sum::<u64>()
    }
}

/// A field of fewer than 2^16 elements, on machine words.
struct SmallField {
    p: u64,
    degree: usize,
    /// Coordinate `k` of the product of the basis elements `i` and `j`, at `(i·degree + j)·degree + k`.
    products: Vec<u64>,
}

impl SmallField {
    fn new(field: &TowerField) -> Self {
        let degree = field.tower.degree();
        let basis: Vec<Element> =
            (0..degree).map(|i| Element((0..degree).map(|k| u32::from(i == k).into()).collect())).collect();
        let pairs = basis.iter().flat_map(|a| basis.iter().map(|b| field.mul(a, b)));
        let word = |x: &BigUint| small(x).expect("coordinates are below the field's size");
        let products = pairs.flat_map(|product| product.0.iter().map(word).collect::<Vec<_>>()).collect();
        SmallField { p: word(&field.p), degree, products }
    }

    fn words(&self, a: &Element) -> Vec<u64> {
        a.0.iter().map(|x| small(x).expect("coordinates are below the field's size")).collect()
    }

    fn element(&self, index: u64) -> Vec<u64> {
        let digits = std::iter::successors(Some(index), |left| Some(left / self.p));
        digits.take(self.degree).map(|left| left % self.p).collect()
    }

    fn index(&self, a: &[u64]) -> usize {
        a.iter().rev().fold(0, |index, digit| index * self.p + digit) as usize
    }

    fn add(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        a.iter().zip(b).map(|(a, b)| (a + b) % self.p).collect()
    }

    fn mul(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut out = vec![0; self.degree];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                // Below 2^16 each: a term is below 2^48.
                let products = &self.products[(i * self.degree + j) * self.degree..][..self.degree];
                out.iter_mut().zip(products).for_each(|(out, c)| *out = (*out + a * b * c) % self.p);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::tower::tests::small_towers;

    fn hex(text: &str) -> BigUint {
        BigUint::parse_bytes(text.as_bytes(), 16).unwrap()
    }

    fn element(x: u32) -> Element {
        Element(vec![x.into()])
    }

    /// Counting and the group law share no code.
    #[test]
    fn counted_orders_kill_every_point() {
        for field in small_towers().into_iter().filter(|field| field.size() < 400u32.into()) {
            let size = small(&field.size()).unwrap();
            let all: Vec<Element> = (0..size).map(|i| field.element(i)).collect();
            for a in &all[..all.len().min(7)] {
                for b in all.iter().step_by(1 + all.len() / 32) {
                    let curve = Weierstrass { field: field.clone(), a: a.clone(), b: b.clone() };
                    if curve.check_nonsingular().is_err() {
                        continue;
                    }
                    let order = curve.count(size);
                    let points = all.iter().filter_map(|x| Some((x.clone(), field.sqrt(&curve.rhs(x))?)));
                    for point in points.step_by(1 + all.len() / 64) {
                        assert_eq!(field.sqr(&point.1), curve.rhs(&point.0));
                        assert!(curve.kills(&order.into(), &point), "{curve:?} {point:?}");
                        assert!(!curve.kills(&(order + 1).into(), &point));
                    }
                    assert_eq!(curve.check_hasse(&order.into()), Ok(()), "{curve:?}");
                }
            }
        }
    }

    #[test]
    fn secp256k1_and_its_neighbours() {
        let p = hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f");
        let r = hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
        let x = hex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
        let y = hex("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8");
        let field = TowerField::prime(p);
        let generator = (Element(vec![x]), Element(vec![y]));
        let curve = |b: u32| Weierstrass { field: field.clone(), a: element(0), b: element(b) };
        assert_eq!(curve(7).check_generator(&generator, &r), Ok(()));
        assert_eq!(curve(7).check_cofactor(&1u32.into(), &r), Ok(()));
        assert_eq!(curve(6).check_generator(&generator, &r), Err(SpecError::GeneratorOffCurve));
        assert_eq!(curve(7).check_generator(&generator, &(&r - 2u32)), Err(SpecError::GeneratorOrder));
        // The five other twists have other orders.
        for b in [1u32, 2, 3, 5, 6] {
            let refuted = curve(b).check_cofactor(&1u32.into(), &r);
            assert!(matches!(refuted, Err(SpecError::CofactorRefuted { .. })), "b = {b}: {refuted:?}");
        }
        let absurd = BigUint::from(1u32) << 16_000u32;
        assert!(matches!(curve(7).check_cofactor(&absurd, &r), Err(SpecError::CofactorOutsideHasse { .. })));
        assert_eq!(curve(7).check_cofactor(&0u32.into(), &r), Err(SpecError::CofactorIsZero));
        assert_eq!(curve(0).check_nonsingular(), Err(SpecError::SingularCurve));
    }
}
