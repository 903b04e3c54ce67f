//! Points by their affine equations, on integers.

use num_bigint::BigUint;

/// `F_p`, or `F_p(u)` with `u² = nonresidue`; elements have one or two coordinates.
pub struct Coordinates {
    pub p: BigUint,
    pub nonresidue: BigUint,
}

pub type Element = Vec<BigUint>;
/// `None` is the identity of a Weierstrass curve.
pub type Point = Option<(Element, Element)>;

impl Coordinates {
    pub fn add(&self, a: &Element, b: &Element) -> Element {
        a.iter().zip(b).map(|(a, b)| (a + b) % &self.p).collect()
    }

    pub fn sub(&self, a: &Element, b: &Element) -> Element {
        a.iter().zip(b).map(|(a, b)| (a + &self.p - b) % &self.p).collect()
    }

    pub fn mul(&self, a: &Element, b: &Element) -> Element {
        match (&a[..], &b[..]) {
            ([a], [b]) => vec![a * b % &self.p],
            ([a0, a1], [b0, b1]) => {
                let c0 = a0 * b0 + a1 * b1 % &self.p * &self.nonresidue;
                vec![c0 % &self.p, (a0 * b1 + a1 * b0) % &self.p]
            }
            _ => panic!("of one or two coordinates"),
        }
    }

    pub fn inverse(&self, a: &Element) -> Element {
        let invert = |x: &BigUint| x.modinv(&self.p).expect("it is not zero");
        match &a[..] {
            [a] => vec![invert(a)],
            [a0, a1] => {
                let norm =
                    (a0 * a0 + &self.p * &self.p * &self.nonresidue - a1 * a1 * &self.nonresidue) % &self.p;
                let inverse = invert(&norm);
                vec![a0 * &inverse % &self.p, (&self.p - a1) * &inverse % &self.p]
            }
            _ => panic!("of one or two coordinates"),
        }
    }

    /// The sum on `y² = x³ + ax + b`.
    pub fn weierstrass_sum(&self, a: &Element, p: &Point, q: &Point) -> Point {
        let (Some((x1, y1)), Some((x2, y2))) = (p, q) else { return p.clone().or_else(|| q.clone()) };
        let (rise, run) = if x1 != x2 {
            (self.sub(y2, y1), self.sub(x2, x1))
        } else if y1 == y2 {
            let square = self.mul(x1, x1);
            (self.add(&self.add(&self.add(&square, &square), &square), a), self.add(y1, y1))
        } else {
            return None;
        };
        let slope = self.mul(&rise, &self.inverse(&run));
        let x = self.sub(&self.sub(&self.mul(&slope, &slope), x1), x2);
        let y = self.sub(&self.mul(&slope, &self.sub(x1, &x)), y1);
        Some((x, y))
    }
}

/// `k` times a point, by any group's sum.
pub fn multiple<P: Clone>(k: &BigUint, point: &P, identity: P, sum: impl Fn(&P, &P) -> P) -> P {
    (0..k.bits()).rev().fold(identity, |power, i| {
        let power = sum(&power, &power);
        if k.bit(i) { sum(&power, point) } else { power }
    })
}
