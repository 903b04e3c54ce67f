//! What is suggested in place of faulty numbers, against numbers from the curves' own specifications.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use curvesmith_codegen::declaration::curve::{Point, Weierstrass};
use curvesmith_codegen::declaration::edwards::Edwards;
use curvesmith_codegen::declaration::montgomery::Montgomery;
use curvesmith_codegen::declaration::suggest::{
    Twist, TwistKind, field_generator, nonresidue, small_subgroup_power,
};
use curvesmith_codegen::declaration::tower::Element;
use curvesmith_codegen::declaration::{Tower, TowerField};
use num_bigint::BigUint;

fn hex(text: &str) -> BigUint {
    BigUint::parse_bytes(text.as_bytes(), 16).unwrap()
}

fn pair(field: &TowerField, a: u32, b: u32) -> Element {
    assert_eq!(field.tower.degree(), 2);
    Element(vec![a.into(), b.into()])
}

/// BLS12-381, section 4.2.1 of draft-irtf-cfrg-pairing-friendly-curves.
struct Bls {
    g1: Weierstrass,
    g2: Weierstrass,
    r: BigUint,
    h1: BigUint,
    h2: BigUint,
}

impl Bls {
    fn new() -> Bls {
        let p = hex(
            "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
        );
        let field = TowerField::prime(p.clone());
        let tower = Tower::quadratic(&p - 1u32);
        let g1 = Weierstrass { a: field.integer(0), b: field.integer(4), field };
        let field = TowerField { p, tower };
        let g2 = Weierstrass { a: field.integer(0), b: pair(&field, 4, 4), field };
        Bls {
            g1,
            g2,
            r: hex("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
            h1: hex("396c8c005555e1568c00aaab0000aaab"),
            h2: hex(
                "5d543a95414e7f1091d50792876a202cd91de4547085abaa68a205b2e5a7ddfa628f1cb4d9e82ef21537e293a6691ae1616ec6e786f0c70cf1c38e31c7238e5",
            ),
        }
    }

    fn order(&self) -> BigUint {
        &self.h1 * &self.r
    }

    fn g2(&self, b: Element) -> Weierstrass {
        Weierstrass { b, ..self.g2.clone() }
    }
}

#[test]
fn cofactors_follow_from_hasse_or_from_the_first_group() {
    let bls = Bls::new();
    assert_eq!(bls.g1.right_cofactor(&bls.r), Some(bls.h1.clone()));
    // Hasse's interval of the second group has 2^128 multiples of r.
    assert_eq!(bls.g2.right_cofactor(&bls.r), None);
    assert_eq!(bls.g2.order_as_twist(&bls.g1, &bls.order()), Some(&bls.h2 * &bls.r));
    // Of the neighbour of r nothing is known.
    assert_eq!(bls.g1.right_cofactor(&(&bls.r - 2u32)), None);
}

/// Curve25519, RFC 7748, section 4.1.
#[test]
fn a_montgomery_curve_is_mended() {
    let (p, r) = (
        (BigUint::from(1u32) << 255) - 19u32,
        hex("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed"),
    );
    let field = TowerField::prime(p);
    let curve = |b: u32| Montgomery { a: field.integer(486_662), b: field.integer(b), field: field.clone() };
    let v = BigUint::parse_bytes(
        b"14781619447589544791020593568409986887264606134616475288964881837755586237401",
        10,
    );
    let v = Element(vec![v.unwrap()]);
    let base: Point = (field.integer(9), v.clone());
    assert_eq!(curve(1).check_generator(&base, &r), Ok(()));
    assert_eq!(curve(1).right_cofactor(&r), Some(8u32.into()));
    let wrong: Point = (field.integer(9), field.add(&v, &field.integer(1)));
    assert_eq!(curve(1).right_v(&wrong, &r), Some(v));
    assert_eq!(curve(3).right_b(&base, &8u32.into(), &r), Some(field.integer(1)));
    // Another cofactor is not that of a curve through this point.
    assert_eq!(curve(3).right_b(&base, &4u32.into(), &r), None);
    // Of order 8r, and with its multiple by 8 of order r.
    let point = (2u32..).find_map(|u| {
        let u = field.integer(u);
        let right = field.add(&field.mul(&field.add(&u, &field.integer(486_662)), &u), &field.integer(1));
        let v = field.sqrt(&field.mul(&right, &u))?;
        let point = (u, v);
        curve(1).check_generator(&point, &r).is_err().then_some(point)
    });
    let multiple = curve(1).right_generator(&point.unwrap(), &8u32.into(), &r).unwrap();
    assert_eq!(curve(1).check_generator(&multiple, &r), Ok(()));
}

#[test]
fn the_other_twist_is_named() {
    let bls = Bls::new();
    let f = &bls.g2.field;
    let xi = pair(f, 1, 1);
    let divided = f.mul(&f.integer(4), &f.inverse(&xi).unwrap());
    let wrong = bls.g2(divided);
    let found = wrong.order_as_twist(&bls.g1, &bls.order()).unwrap();
    assert_ne!(&found % &bls.r, BigUint::ZERO);
    let right = |nonresidues: &[Element]| wrong.right_twist(&bls.g1, nonresidues, &bls.h2, &bls.r);
    assert_eq!(right(&[xi]), Some(Twist { b: pair(f, 4, 4), kind: Some(TwistKind::M) }));
    assert_eq!(right(&[]), Some(Twist { b: pair(f, 4, 4), kind: None }));
    assert_eq!(wrong.right_twist(&bls.g1, &[], &(&bls.h2 + 1u32), &bls.r), None);
    // Another j-invariant is no twist.
    let other = Weierstrass { a: pair(f, 1, 0), ..wrong.clone() };
    assert_eq!(other.order_as_twist(&bls.g1, &bls.order()), None);
}

#[test]
fn a_generator_tells_y_and_b() {
    let bls = Bls::new();
    let x = hex(
        "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
    );
    let y = hex(
        "8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1",
    );
    let point = |y: &BigUint| -> Point { (Element(vec![x.clone()]), Element(vec![y.clone()])) };
    let generator = point(&y);
    assert_eq!(bls.g1.check_generator(&generator, &bls.r), Ok(()));
    // Of y and -y that which differs in one digit.
    let misread = point(&(&y + (BigUint::from(1u32) << 100u32)));
    assert_eq!(bls.g1.right_y(&misread, &bls.r), Some(generator.1.clone()));
    let negated = point(&(&bls.g1.field.p - &y + 16u32));
    assert_eq!(bls.g1.right_y(&negated, &bls.r), Some(bls.g1.field.neg(&generator.1)));
    let wrong = Weierstrass { b: bls.g1.field.integer(5), ..bls.g1.clone() };
    assert_eq!(wrong.right_b(&generator, &bls.h1, &bls.r), Some(bls.g1.b.clone()));
    assert_eq!(wrong.right_b(&misread, &bls.h1, &bls.r), None);
    // A point of the curve that is outside of the group.
    let outside = (2u32..).find_map(|x| {
        let x = bls.g1.field.integer(x);
        let f = &bls.g1.field;
        let y = f.sqrt(&f.add(&f.mul(&f.sqr(&x), &x), &bls.g1.b))?;
        Some((x, y))
    });
    let outside = outside.unwrap();
    assert_eq!(bls.g1.right_y(&outside, &bls.r), None);
    let multiple = bls.g1.right_generator(&outside, &bls.h1, &bls.r).unwrap();
    assert_eq!(bls.g1.check_generator(&multiple, &bls.r), Ok(()));
}

/// Jubjub of Zcash's protocol specification, section 5.4.9.3.
#[test]
fn edwards_curves_have_suggestions_too() {
    let p = hex("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001");
    let r = hex("e7db4ea6533afa906673b0101343b00a6682093ccc81082d0970e5ed6f72cb7");
    let field = TowerField::prime(p.clone());
    let curve = Edwards {
        a: field.neg(&field.integer(1)),
        d: Element(vec![hex("2a9318e74bfa2b48f5fd9207e6bd7fd4292d7f6d37579d2601065fd6d6343eb1")]),
        field: field.clone(),
    };
    let x = Element(vec![hex("11dafe5d23e1218086a365b99fbf3d3be72f6afd7d1f72623e6b071492d1122b")]);
    let y = Element(vec![hex("1d523cf1ddab1a1793132e78c866c0c33e26ba5cc220fed7cc3f870e59d292aa")]);
    assert_eq!(curve.check_generator(&(x.clone(), y.clone()), &r), Ok(()));
    assert_eq!(curve.right_cofactor(&r), Some(8u32.into()));
    let misread = (x.clone(), field.add(&y, &field.integer(16)));
    assert_eq!(curve.right_y(&misread, &r), Some(y.clone()));
    let wrong = Edwards { d: field.integer(7), ..curve.clone() };
    assert_eq!(wrong.right_d(&(x.clone(), y.clone()), &8u32.into(), &r), Some(curve.d.clone()));
    // The sum with the point (0, -1) of order 2.
    let shifted = (field.neg(&x), field.neg(&y));
    let multiple = curve.right_generator(&shifted, &8u32.into(), &r).unwrap();
    assert_eq!(curve.check_generator(&multiple, &r), Ok(()));
}

#[test]
fn units_are_the_least_that_do() {
    assert_eq!(field_generator(&199u32.into()), Some(3u32.into()));
    assert_eq!(field_generator(&3u32.into()), Some(2u32.into()));
    assert_eq!(small_subgroup_power(&199u32.into(), 3), Some(2));
    assert_eq!(small_subgroup_power(&199u32.into(), 5), None);
    assert_eq!(small_subgroup_power(&199u32.into(), 9), None);
    let field = TowerField::prime(13u32.into());
    assert_eq!(nonresidue(&field, 2), Some(field.integer(2)));
    assert_eq!(nonresidue(&field, 3), Some(field.integer(2)));
    let seven = TowerField::prime(7u32.into());
    assert_eq!(nonresidue(&seven, 2), Some(seven.integer(6)));
    let above = TowerField { p: 13u32.into(), tower: Tower::quadratic(2u32.into()) };
    let found = nonresidue(&above, 2).unwrap();
    assert!(above.check_nonresidue(2, &found).is_ok());
}

/// Every toy curve: counted orders agree with the trace's recurrence for all twists over a quadratic
/// extension.
#[test]
fn orders_of_twists_are_counted_ones() {
    let p = 13u32;
    let base = |a: u32, b: u32| {
        let field = TowerField::prime(p.into());
        Weierstrass { a: field.integer(a), b: field.integer(b), field }
    };
    let field = TowerField { p: p.into(), tower: Tower::quadratic(2u32.into()) };
    let count = |curve: &Weierstrass| -> u64 {
        let f = &curve.field;
        let size = f.size().iter_u64_digits().next().unwrap();
        let points = |x: &Element| {
            let rhs = f.add(&f.mul(&f.add(&f.sqr(x), &curve.a), x), &curve.b);
            if rhs.is_zero() { 1 } else { 2 * u64::from(f.is_square(&rhs)) }
        };
        1 + (0..size).map(|i| points(&f.element(i))).sum::<u64>()
    };
    for (a, b) in [(0, 2), (0, 7), (3, 0), (2, 0), (2, 3)] {
        let mut found_orders = 0;
        let base = base(a, b);
        let order = BigUint::from(count(&base));
        for scale in (1..169).map(|i| field.element(i)) {
            // Sextic twists where a = 0, quartic where b = 0, else quadratic.
            let (a, b) = (field.integer(a), field.integer(b));
            let twist = |a, b| Weierstrass { a, b, field: field.clone() };
            let curve = match (a.is_zero(), b.is_zero()) {
                (true, _) => twist(a, field.mul(&b, &scale)),
                (_, true) => twist(field.mul(&a, &scale), b),
                _ => {
                    let square = field.sqr(&scale);
                    twist(field.mul(&a, &square), field.mul(&b, &field.mul(&square, &scale)))
                }
            };
            // Several candidates may kill all points of a toy curve; what is found must be right.
            if let Some(found) = curve.order_as_twist(&base, &order) {
                assert_eq!(found, count(&curve).into(), "{curve:?}");
                found_orders += 1;
            }
        }
        assert!(found_orders > 150, "{found_orders} for a = {a}, b = {b}");
    }
}
