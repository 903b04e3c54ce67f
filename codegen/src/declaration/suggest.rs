//! What would be right in place of a faulty number, where bounded work finds it.
//!
//! Nothing is suggested that has not passed the checks that the declared number failed.

use super::curve::{HASHED_POINTS, Point, Weierstrass};
use super::edwards::Edwards;
use super::montgomery::Montgomery;
use super::prime::{check_generator, check_modulus, small};
use super::tower::{Element, TowerField};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

/// Small numbers that are tried for generators and nonresidues.
const SMALL_NUMBERS: u32 = 1000;
/// Multiples of `r` in Hasse's interval that are tried.
const CANDIDATES: u32 = 8;

/// The least number that passes for a generator of the units.
pub fn field_generator(p: &BigUint) -> Option<BigUint> {
    let mut numbers = (2..SMALL_NUMBERS).map(BigUint::from).take_while(|g| g < p);
    numbers.find(|g| check_generator(p, g).is_ok())
}

/// An element with small coordinates that is no power with this exponent, 2 or 3.
pub fn nonresidue(field: &TowerField, degree: usize) -> Option<Element> {
    let is_none = |x: &Element| field.check_nonresidue(degree, x).is_ok();
    let minus_one = field.neg(&field.integer(1));
    let small = (2..SMALL_NUMBERS).map(|i| field.integer(i));
    if field.tower.top() == 0 {
        return std::iter::once(minus_one).chain(small).find(is_none);
    }
    // i + u, where u is the variable of the highest level.
    let at = field.tower.degree_at(field.tower.top() - 1);
    let mut sums = (0..SMALL_NUMBERS).map(|i| {
        let mut sum = field.integer(i);
        sum.0[at] = 1u32.into();
        sum
    });
    sums.find(is_none)
}

/// The greatest power of an odd prime `base` that divides `p - 1`.
pub fn small_subgroup_power(p: &BigUint, base: u32) -> Option<u32> {
    if base < 3 || check_modulus(&base.into()).is_err() {
        return None;
    }
    let mut units = p - 1u32;
    let mut power = 0;
    while (&units % base).is_zero() {
        units /= base;
        power += 1;
    }
    (power > 0).then_some(power)
}

impl Weierstrass {
    /// The cofactor: by counting, or the only multiple of `r` in Hasse's interval that kills the hashed
    /// points.
    pub fn right_cofactor(&self, r: &BigUint) -> Option<BigUint> {
        self.cofactor_by(r, self.hashed_points())
    }

    fn cofactor_by(&self, r: &BigUint, points: impl Iterator<Item = (Element, Point)>) -> Option<BigUint> {
        let q = self.field.size();
        let orders = match small(&q) {
            Some(size) => vec![BigUint::from(self.count(size))],
            None => multiples_in_hasse(&q, r)?,
        };
        let points: Vec<Point> = points.take(HASHED_POINTS).map(|(_, point)| point).collect();
        let kills = |order: &BigUint| points.iter().all(|point| self.kills(order, point));
        let mut right = orders.into_iter().filter(kills);
        let order = right.next().filter(|_| right.next().is_none())?;
        let (cofactor, rest) = order.div_rem(r);
        (rest.is_zero() && !(&cofactor % r).is_zero()).then_some(cofactor)
    }

    /// The ordinate of the point of order `r` with this abscissa that looks most like the given one.
    pub fn right_y(&self, (x, y): &Point, r: &BigUint) -> Option<Element> {
        let root = self.field.sqrt(&self.rhs(x))?;
        self.kills(r, &(x.clone(), root.clone())).then(|| nearer(&self.field, root, y))
    }

    /// The `b` of the curve through a point, if its order is `cofactor·r` and that of the point `r`.
    pub fn right_b(&self, generator: &Point, cofactor: &BigUint, r: &BigUint) -> Option<Element> {
        let f = &self.field;
        let through = Weierstrass { b: f.integer(0), ..self.clone() };
        let b = f.sub(&f.sqr(&generator.1), &through.rhs(&generator.0));
        let curve = Weierstrass { b, ..through };
        curve.check_nonsingular().ok()?;
        curve.check_generator(generator, r).ok()?;
        curve.check_cofactor(cofactor, r).ok()?;
        Some(curve.b)
    }

    /// `[cofactor]point`, if its order is `r`.
    pub fn right_generator(&self, point: &Point, cofactor: &BigUint, r: &BigUint) -> Option<Point> {
        let multiple = self.multiple(cofactor, point)?;
        self.kills(r, &multiple).then_some(multiple)
    }

    /// The order of this curve, if it is a twist of `base`, which is over the prime field and has `order`
    /// points. Evidence: one of the orders that twists have, and it kills the hashed points.
    pub fn order_as_twist(&self, base: &Weierstrass, order: &BigUint) -> Option<BigUint> {
        let points: Vec<Point> = self.hashed_points().take(HASHED_POINTS).map(|(_, p)| p).collect();
        let orders = self.orders_of_twists(base, order)?;
        let mut right = orders.into_iter().filter(|n| points.iter().all(|point| self.kills(n, point)));
        right.next().filter(|_| right.next().is_none())
    }

    /// Orders of `base` over this curve's field and of its twists there; `None` where this is no twist of it.
    ///
    /// With the trace `t` over `q` elements, the quadratic twist has `-t`; where `b = 0` there are four with
    /// `±t` and `±f`, `4q = t² + f²`; where `a = 0` six with `±t` and `±(t ± 3f)/2`, `4q = t² + 3f²`.
    fn orders_of_twists(&self, base: &Weierstrass, order: &BigUint) -> Option<Vec<BigUint>> {
        let f = &self.field;
        let (a, b) = (f.embed(base.a.0[0].clone()), f.embed(base.b.0[0].clone()));
        let cube = |x: &Element| f.mul(&f.sqr(x), x);
        // Equal j-invariants.
        if f.mul(&cube(&a), &f.sqr(&self.b)) != f.mul(&cube(&self.a), &f.sqr(&b)) {
            return None;
        }
        let signed = |x: BigUint| num_bigint::BigInt::from(x);
        let (p, q) = (signed(f.p.clone()), signed(f.size()));
        let first = &p + 1u32 - signed(order.clone());
        // t_(i+1) = t·t_i - p·t_(i-1) over p^i elements.
        let (mut before, mut trace) = (signed(2u32.into()), first.clone());
        for _ in 1..f.tower.degree() {
            let next = &first * &trace - &p * &before;
            before = std::mem::replace(&mut trace, next);
        }
        let four_q = &q * 4u32;
        let rest = (&four_q - &trace * &trace).to_biguint()?;
        let mut traces = vec![trace.clone()];
        if self.a.is_zero() {
            let root = signed((rest / 3u32).sqrt()) * 3u32;
            traces.extend([(&trace + &root) / 2u32, (&trace - &root) / 2u32]);
        } else if self.b.is_zero() {
            traces.push(signed(rest.sqrt()));
        }
        let middle = q + 1u32;
        let orders = traces.iter().flat_map(|t| [&middle - t, &middle + t]);
        let mut orders: Vec<BigUint> = orders.filter_map(|n| n.to_biguint()).collect();
        orders.sort();
        orders.dedup();
        Some(orders)
    }

    /// The `b` of another twist of `base` whose order is `cofactor·r`, where `a = 0`: the product or the
    /// quotient of the `b` of `base` by a nonresidue of the tower, or by what this curve's `b` has in place
    /// of it.
    pub fn right_twist(
        &self,
        base: &Weierstrass,
        nonresidues: &[Element],
        cofactor: &BigUint,
        r: &BigUint,
    ) -> Option<Twist> {
        let f = &self.field;
        if !self.a.is_zero() || !base.a.is_zero() {
            return None;
        }
        let b = f.embed(base.b.0[0].clone());
        let inverse = |x: &Element| f.inverse(x);
        let mut candidates = Vec::new();
        for xi in nonresidues {
            candidates.push((f.mul(&b, xi), Some(TwistKind::M)));
            candidates.extend(inverse(xi).map(|inverse| (f.mul(&b, &inverse), Some(TwistKind::D))));
        }
        candidates.extend(inverse(&self.b).map(|inverse| (f.mul(&f.sqr(&b), &inverse), None)));
        let mut curves = candidates.into_iter().map(|(b, kind)| (Weierstrass { b, ..self.clone() }, kind));
        let (curve, kind) = curves.find(|(curve, _)| {
            curve.check_nonsingular().is_ok() && curve.check_cofactor(cofactor, r).is_ok()
        })?;
        Some(Twist { b: curve.b, kind })
    }
}

/// A sextic twist of a curve with `a = 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twist {
    /// Its coefficient.
    pub b: Element,
    /// Which one it is, where the tower names the nonresidue.
    pub kind: Option<TwistKind>,
}

/// How a sextic twist is made with the nonresidue `ξ` of the level above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwistKind {
    /// `b/ξ`.
    D,
    /// `b·ξ`.
    M,
}

impl Edwards {
    /// As [`Weierstrass::right_cofactor`].
    pub fn right_cofactor(&self, r: &BigUint) -> Option<BigUint> {
        self.weierstrass().cofactor_by(r, self.hashed_images())
    }

    /// As [`Weierstrass::right_y`].
    pub fn right_y(&self, (x, y): &Point, r: &BigUint) -> Option<Element> {
        let f = &self.field;
        let x2 = f.sqr(x);
        // y² = (1 - a·x²)/(1 - d·x²)
        let part = |c: &Element| f.sub(&f.integer(1), &f.mul(c, &x2));
        let root = f.sqrt(&f.mul(&part(&self.a), &f.inverse(&part(&self.d))?))?;
        let candidates = [f.neg(&root), root];
        // The two differ by a point of order 2, so that one of them at most has an odd order.
        candidates
            .into_iter()
            .find(|root| self.check_generator(&(x.clone(), root.clone()), r).is_ok())
            .filter(|root| root != y)
    }

    /// The `d` of the curve through a point, if its order is `cofactor·r` and that of the point `r`.
    pub fn right_d(&self, generator: &Point, cofactor: &BigUint, r: &BigUint) -> Option<Element> {
        let f = &self.field;
        let (x2, y2) = (f.sqr(&generator.0), f.sqr(&generator.1));
        let left = f.sub(&f.add(&f.mul(&self.a, &x2), &y2), &f.integer(1));
        let d = f.mul(&left, &f.inverse(&f.mul(&x2, &y2))?);
        let curve = Edwards { d, ..self.clone() };
        curve.check_nonsingular().ok()?;
        curve.check_generator(generator, r).ok()?;
        curve.check_cofactor(cofactor, r).ok()?;
        Some(curve.d)
    }

    /// As [`Weierstrass::right_generator`].
    pub fn right_generator(&self, point: &Point, cofactor: &BigUint, r: &BigUint) -> Option<Point> {
        let multiple = self.weierstrass().multiple(cofactor, &self.image(point)?)?;
        let multiple = self.preimage(&multiple)?;
        self.check_generator(&multiple, r).is_ok().then_some(multiple)
    }
}

impl Montgomery {
    /// As [`Weierstrass::right_cofactor`].
    pub fn right_cofactor(&self, r: &BigUint) -> Option<BigUint> {
        self.edwards().right_cofactor(r)
    }

    /// As [`Weierstrass::right_y`].
    pub fn right_v(&self, (u, v): &Point, r: &BigUint) -> Option<Element> {
        let f = &self.field;
        let root = f.sqrt(&f.mul(&self.rhs(u), &f.inverse(&self.b)?))?;
        let is_right = self.check_generator(&(u.clone(), root.clone()), r).is_ok();
        is_right.then(|| nearer(f, root, v))
    }

    /// The `B` of the curve through a point, if its order is `cofactor·r` and that of the point `r`.
    pub fn right_b(&self, generator: &Point, cofactor: &BigUint, r: &BigUint) -> Option<Element> {
        let f = &self.field;
        let b = f.mul(&self.rhs(&generator.0), &f.inverse(&f.sqr(&generator.1))?);
        let curve = Montgomery { b, ..self.clone() };
        curve.check_nonsingular().ok()?;
        curve.check_generator(generator, r).ok()?;
        curve.check_cofactor(cofactor, r).ok()?;
        Some(curve.b)
    }

    /// As [`Weierstrass::right_generator`].
    pub fn right_generator(&self, point: &Point, cofactor: &BigUint, r: &BigUint) -> Option<Point> {
        let multiple = self.edwards().right_generator(&self.image(point)?, cofactor, r)?;
        self.preimage(&multiple)
    }
}

/// The multiples of `r` in Hasse's interval, if they are few.
fn multiples_in_hasse(q: &BigUint, r: &BigUint) -> Option<Vec<BigUint>> {
    let width = (q * 4u32).sqrt();
    let (least, most) = (q + 1u32 - &width, q + 1u32 + &width);
    let first = least.div_ceil(r);
    let end = most / r + 1u32;
    if end > &first + CANDIDATES {
        return None;
    }
    let cofactors = std::iter::successors(Some(first), |cofactor| Some(cofactor + 1u32));
    Some(cofactors.take_while(|cofactor| *cofactor < end).map(|cofactor| cofactor * r).collect())
}

/// `root` or `-root`, whichever has more leading and trailing digits of `y`.
fn nearer(field: &TowerField, root: Element, y: &Element) -> Element {
    let other = field.neg(&root);
    if likeness(&other, y) > likeness(&root, y) { other } else { root }
}

fn likeness(a: &Element, b: &Element) -> usize {
    let equal = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let in_radix = |radix| {
        let digits = |x: &BigUint| x.to_radix_be(radix);
        let pairs = a.0.iter().zip(&b.0).map(|(a, b)| (digits(a), digits(b)));
        pairs
            .map(|(mut a, mut b)| {
                let leading = equal(&a, &b);
                a.reverse();
                b.reverse();
                leading + equal(&a, &b)
            })
            .sum::<usize>()
    };
    in_radix(10).max(in_radix(16))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of several orders that kill all points, here none at all, which is the curve's is not told.
    #[test]
    fn no_cofactor_is_suggested_where_several_would_do() {
        let field = TowerField::prime(65_537u32.into());
        let curve = Weierstrass { a: field.integer(1), b: field.integer(1), field };
        let suggested = |r: u32| curve.cofactor_by(&r.into(), std::iter::empty());
        // Hasse's interval is from 65026 to 66050: it has two multiples of 521, and one of 1031.
        assert_eq!(suggested(521), None);
        assert_eq!(suggested(1031), Some(64u32.into()));
    }
}
