//! The twisted Edwards form `-x² + y² = 1 + d·x²·y²` of a short Weierstrass curve `Y² = X³ + aX + b`, where
//! there is one.
//!
//! *The map.* For a root `α` of `X³ + aX + b` for which `3α² + a` is a square and `s` an inverse of its root,
//! `u = s(X - α)` and `v = s·Y` lie on the Montgomery curve `s·v² = u³ + 3αs·u² + u` ([Okeya, Kurumatani and
//! Sakurai](https://doi.org/10.1007/978-3-540-46588-1_17), section 2), of which [`Montgomery`] has the
//! twisted Edwards form `a'·x'² + y² = 1 + d'·x'²·y²`. Where `-a'` is a square `k²`, `x = k·x'` gives
//! `d = -d'/a'`. All in all `x = k(X - α)/Y` and `y = (s(X - α) - 1)/(s(X - α) + 1)`. The maps respect the
//! group law.
//!
//! *Points without an image* have `Y = 0`, order 2, or `u = -1`: as the double of a point has the `u` of
//! `(u² - 1)²/(4u(u² + Au + 1))`, theirs is `(0, 0)`, and they have order 4.
//!
//! *Exceptions of the addition law* are pairs of points whose difference is at infinity, see
//! [`edwards`](super::edwards): none between points of odd order. At infinity are two points of order 2 where
//! `-d` is a square, that is where the cubic has all three roots, and two of order 4 where `d` is one.
//! BLS12-377's G1 has all four, so that the law is not complete there; its sums are right between points of
//! the group of odd order `r`, and of any odd order.

use super::curve::{Point, Weierstrass};
use super::edwards::Edwards;
use super::montgomery::Montgomery;
use super::tower::{Element, TowerField};
use super::{GroupDesc, SpecError};
use num_bigint::BigUint;

/// The form of a curve, and the map to it.
#[derive(Clone, Debug)]
pub struct EdwardsForm {
    /// With `a = -1`.
    pub edwards: Edwards,
    /// Root of the curve's cubic.
    pub alpha: Element,
    /// From the curve's abscissae to the Montgomery form's.
    pub s: Element,
    /// From the Montgomery form's quotient `u/v` to `x`.
    pub k: Element,
}

impl EdwardsForm {
    /// The form of a curve that is not singular, over a field of another characteristic than 2 and 3: by the
    /// least of the roots that have one, then by the lesser `s`, and the lesser of both `k`. Elements are
    /// compared by their coordinates' absolute values, the last coordinate first.
    pub fn of(curve: &Weierstrass) -> Result<EdwardsForm, SpecError> {
        let roots = roots(curve);
        if roots.is_empty() {
            return Err(SpecError::FormWithoutRoot);
        }
        let forms = roots.into_iter().flat_map(|alpha| EdwardsForm::by_root(curve, &alpha));
        forms.into_iter().next().ok_or(SpecError::FormWithoutSquare)
    }

    /// The forms by one root.
    fn by_root(curve: &Weierstrass, alpha: &Element) -> Vec<EdwardsForm> {
        let f = &curve.field;
        let slope = f.add(&f.mul_small(&f.sqr(alpha), 3), &curve.a);
        // Zero for double roots only.
        let Some(s) = f.sqrt(&slope).and_then(|root| f.inverse(&root)) else { return vec![] };
        let by_s = |s: Element| {
            let a = f.mul(&f.mul_small(alpha, 3), &s);
            let Edwards { a, d, .. } = Montgomery { field: f.clone(), a, b: s.clone() }.edwards();
            let k = lesser(f, f.sqrt(&f.neg(&a))?);
            let d = f.neg(&f.mul(&d, &f.inverse(&a)?));
            let edwards = Edwards { field: f.clone(), a: f.neg(&f.integer(1)), d };
            edwards.check_nonsingular().ok()?;
            Some(EdwardsForm { edwards, alpha: alpha.clone(), s, k })
        };
        let s = lesser(f, s);
        [f.neg(&s), s].into_iter().rev().filter_map(by_s).collect()
    }

    /// The point of the form; `None` where the map has none.
    pub fn image(&self, (x, y): &Point) -> Option<Point> {
        let f = &self.edwards.field;
        let one = f.integer(1);
        let x = f.sub(x, &self.alpha);
        let u = f.mul(&self.s, &x);
        let image_x = f.mul(&f.mul(&self.k, &x), &f.inverse(y)?);
        Some((image_x, f.mul(&f.sub(&u, &one), &f.inverse(&f.add(&u, &one))?)))
    }

    /// Kernels for the form of a group on the curve.
    pub fn group(&self, group: &GroupDesc) -> GroupDesc {
        let equation = super::Equation::Niels { d: self.edwards.d.0.clone() };
        GroupDesc { name: format!("{}_edwards", group.name), equation, ..group.clone() }
    }
}

/// The lesser of an element and its negative.
fn lesser(f: &TowerField, x: Element) -> Element {
    let minus = f.neg(&x);
    if x.0.iter().rev().lt(minus.0.iter().rev()) { x } else { minus }
}

/// The roots of `X³ + aX + b`, the least first.
fn roots(curve: &Weierstrass) -> Vec<Element> {
    let f = &curve.field;
    let Some(root) = one_root(curve) else { return vec![] };
    // The others are those of X² + rX + (r² + a).
    let square = f.sub(&f.neg(&f.mul_small(&f.sqr(&root), 3)), &f.mul_small(&curve.a, 4));
    let half = f.inverse(&f.integer(2)).expect("the characteristic is not 2");
    let others = f.sqrt(&square).map(|s| [f.sub(&s, &root), f.neg(&f.add(&s, &root))]);
    let mut roots = vec![root];
    roots.extend(others.into_iter().flatten().map(|twice| f.mul(&twice, &half)));
    let absolute = |x: &Element| -> Vec<BigUint> {
        x.0.iter().rev().map(|c| c.clone().min((&f.p - c) % &f.p)).collect()
    };
    roots.sort_by_key(|x| (absolute(x), x.0.clone()));
    roots
}

/// A root of `X³ + aX + b`: the common divisor with `X^q - X` is the product of `X - r` for the roots `r`,
/// none, one or all three; all three are told apart by which `r + i` are squares, for small `i` (Cantor and
/// Zassenhaus).
fn one_root(curve: &Weierstrass) -> Option<Element> {
    let f = &curve.field;
    let (zero, one) = (f.integer(0), f.integer(1));
    let cubic = vec![curve.b.clone(), curve.a.clone(), zero.clone(), one.clone()];
    let x = vec![zero, one.clone()];
    let q = f.size();
    let in_field = divisor(f, &cubic, subtract(f, &power(f, &x, &q, &cubic), &x));
    let half = (&q - 1u32) >> 1u32;
    let split = |i: u32| {
        let shifted = vec![f.element(i.into()), one.clone()];
        let squares = power(f, &shifted, &half, &in_field);
        let part = divisor(f, &in_field, subtract(f, &squares, std::slice::from_ref(&one)));
        match part.len() {
            2 => Some(f.neg(&part[0])),
            // X² + uX + v leaves X - u, as the sum of all roots is 0.
            3 => Some(part[1].clone()),
            _ => None,
        }
    };
    match in_field.len() {
        2 => Some(f.neg(&in_field[0])),
        // A shift splits them with probability 3/4.
        4 => (0..256).find_map(split),
        _ => None,
    }
}

/// A polynomial, coefficient of 1 first, the last one not zero.
type Polynomial = Vec<Element>;

fn trimmed(mut a: Polynomial) -> Polynomial {
    while a.last().is_some_and(Element::is_zero) {
        a.pop();
    }
    a
}

fn subtract(f: &TowerField, a: &[Element], b: &[Element]) -> Polynomial {
    let zero = f.integer(0);
    let at = |p: &[Element], i: usize| p.get(i).unwrap_or(&zero).clone();
    trimmed((0..a.len().max(b.len())).map(|i| f.sub(&at(a, i), &at(b, i))).collect())
}

/// `a` modulo `m`, whose leading coefficient is one.
fn remainder(f: &TowerField, mut a: Polynomial, m: &[Element]) -> Polynomial {
    while a.len() >= m.len() {
        let shift = a.len() - m.len();
        let top = a[a.len() - 1].clone();
        for (i, c) in m.iter().enumerate() {
            a[shift + i] = f.sub(&a[shift + i], &f.mul(&top, c));
        }
        a = trimmed(a);
    }
    a
}

/// The greatest common divisor, its leading coefficient one; `a` has one, and is not constant.
fn divisor(f: &TowerField, a: &[Element], b: Polynomial) -> Polynomial {
    let (mut a, mut b) = (a.to_vec(), b);
    while let Some(top) = b.last() {
        let inverse = f.inverse(top).expect("a leading coefficient is not zero");
        let monic: Polynomial = b.iter().map(|c| f.mul(c, &inverse)).collect();
        b = remainder(f, a, &monic);
        a = monic;
    }
    a
}

/// `a^e` modulo `m`, whose leading coefficient is one.
fn power(f: &TowerField, a: &[Element], e: &BigUint, m: &[Element]) -> Polynomial {
    let product = |a: &[Element], b: &[Element]| {
        let mut out = vec![f.integer(0); (a.len() + b.len()).saturating_sub(1)];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                out[i + j] = f.add(&out[i + j], &f.mul(x, y));
            }
        }
        remainder(f, trimmed(out), m)
    };
    let mut result = remainder(f, vec![f.integer(1)], m);
    for bit in (0..e.bits()).rev() {
        result = product(&result, &result);
        if e.bit(bit) {
            result = product(&result, a);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::prime::small;
    use crate::declaration::tower::tests::small_towers;

    fn elements(f: &TowerField) -> Vec<Element> {
        (0..small(&f.size()).unwrap()).map(|i| f.element(i)).collect()
    }

    /// All curves over small fields.
    fn curves() -> Vec<Weierstrass> {
        let primes = [5u32, 7, 11, 13, 17, 19].map(|p| TowerField::prime(p.into()));
        let towers = small_towers().into_iter().filter(|f| f.p != 3u32.into() && f.size() < 30u32.into());
        let fields = primes.into_iter().chain(towers);
        let of_field = |field: TowerField| {
            let all = elements(&field);
            let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a.clone(), b.clone())));
            let curves = pairs.map(|(a, b)| Weierstrass { field: field.clone(), a, b });
            curves.filter(|curve| curve.check_nonsingular().is_ok()).collect::<Vec<_>>()
        };
        fields.flat_map(of_field).collect()
    }

    fn points(curve: &Weierstrass) -> Vec<Point> {
        let all = elements(&curve.field);
        let pairs = all.iter().flat_map(|x| all.iter().map(move |y| (x.clone(), y.clone())));
        pairs.filter(|point| curve.check_on_curve(point).is_ok()).collect()
    }

    /// `Y² = X³ + αX + β` is `Y² = X³ + aX + b` scaled by a fourth and a sixth power.
    fn is_isomorphic(f: &TowerField, curve: &Weierstrass, other: &Weierstrass) -> bool {
        let scaled = |t: &Element| {
            let (t2, t4) = (f.sqr(t), f.sqr(&f.sqr(t)));
            f.mul(&other.a, &t4) == curve.a && f.mul(&other.b, &f.mul(&t2, &t4)) == curve.b
        };
        elements(f).iter().skip(1).any(scaled)
    }

    /// A form is found where the short Weierstrass form of `-x² + y² = 1 + d·x²·y²` is isomorphic for some
    /// `d`, and only there; a fault says which half is missing.
    #[test]
    fn forms_are_found_where_there_are_some() {
        let (mut found, mut without_root, mut without_square) = (0, 0, 0);
        for curve in curves() {
            let f = &curve.field;
            let of = |d: Element| Edwards { field: f.clone(), a: f.neg(&f.integer(1)), d };
            let forms = elements(f).into_iter().map(of).filter(|form| form.check_nonsingular().is_ok());
            let exists = forms.map(|form| form.weierstrass()).any(|w| is_isomorphic(f, &curve, &w));
            let has_root = points(&curve).iter().any(|(_, y)| y.is_zero());
            match EdwardsForm::of(&curve) {
                Ok(form) => {
                    found += 1;
                    assert!(
                        exists && is_isomorphic(f, &curve, &form.edwards.weierstrass()),
                        "{curve:?} {form:?}"
                    );
                }
                Err(SpecError::FormWithoutRoot) => {
                    without_root += 1;
                    assert!(!has_root && !exists, "{curve:?}");
                }
                Err(fault) => {
                    without_square += 1;
                    assert!(fault == SpecError::FormWithoutSquare && has_root && !exists, "{curve:?}");
                }
            }
        }
        assert!(found > 100 && without_root > 100 && without_square > 100);
    }

    /// The map is onto the form's curve and respects sums, whose points of odd order all have an image; those
    /// without one have order 2 or 4.
    #[test]
    fn the_map_respects_sums() {
        for curve in curves().into_iter().step_by(3) {
            let Ok(form) = EdwardsForm::of(&curve) else { continue };
            let (f, edwards) = (&curve.field, &form.edwards);
            let order_divides = |n: u32, p: &Point| curve.kills(&n.into(), p);
            let points = points(&curve);
            let (mapped, lost): (Vec<_>, Vec<_>) =
                points.iter().map(|p| (p, form.image(p))).partition(|(_, image)| image.is_some());
            assert!(lost.iter().all(|(p, _)| order_divides(4, p)), "{curve:?}");
            for (p, image_p) in &mapped {
                let image_p = image_p.clone().unwrap();
                assert_eq!(edwards.check_on_curve(&image_p), Ok(()), "{curve:?} {p:?}");
                for (q, image_q) in &mapped {
                    let image_q = image_q.clone().unwrap();
                    let Some(image) = curve.sum(Some(p), Some(q)).map(|sum| form.image(&sum)) else {
                        continue;
                    };
                    let Some(image) = image else { continue };
                    // The affine law, where its denominators are not zero.
                    let (x, y) = (f.mul(&image_p.0, &image_q.1), f.mul(&image_p.1, &image_q.1));
                    let (x, y) = (
                        f.add(&x, &f.mul(&image_p.1, &image_q.0)),
                        f.add(&y, &f.mul(&image_p.0, &image_q.0)),
                    );
                    let t = f.mul(&f.mul(&image_p.0, &image_p.1), &f.mul(&image_q.0, &image_q.1));
                    let delta = f.mul(&edwards.d, &t);
                    let (plus, minus) = (f.add(&f.one(), &delta), f.sub(&f.one(), &delta));
                    if let (Some(plus), Some(minus)) = (f.inverse(&plus), f.inverse(&minus)) {
                        assert_eq!((f.mul(&x, &plus), f.mul(&y, &minus)), image, "{curve:?} {p:?} {q:?}");
                    }
                }
            }
        }
    }

    /// ark-bls12-377's constants of the twisted Edwards form, which are from gnark and Zexe: the root -1, and
    /// what is the coefficient of v² there.
    #[test]
    fn bls12_377_has_the_published_form() {
        let number = |n: &str| Element(vec![n.parse().unwrap()]);
        let p = "258664426012969094010652733694893533536393512754914660539884262666720468348340822774968888139573360124440321458177";
        let field = TowerField::prime(p.parse().unwrap());
        let curve = Weierstrass { a: field.integer(0), b: field.integer(1), field: field.clone() };
        let form = EdwardsForm::of(&curve).unwrap();
        let d = "122268283598675559488486339158635529096981886914877139579534153582033676785385790730042363341236035746924960903179";
        let s = "10189023633222963290707194929886294091415157242906428298294512798502806398782149227503530278436336312243746741931";
        assert_eq!((form.alpha, form.s), (field.neg(&field.integer(1)), number(s)));
        assert_eq!((&form.edwards.a, &form.edwards.d), (&field.neg(&field.integer(1)), &number(d)));
        assert!(!form.edwards.is_complete());
    }
}
