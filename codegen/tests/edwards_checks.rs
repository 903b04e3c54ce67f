//! Every fault of a declared twisted Edwards curve, by small numbers. The macros' tests have the same ones
//! with their places.

#![allow(missing_docs, reason = "a test")]

use curvesmith_codegen::declaration::SpecError;
use curvesmith_codegen::declaration::curve::{Evidence, has_one_multiple};
use curvesmith_codegen::declaration::edwards::Edwards;
use curvesmith_codegen::declaration::tower::{Element, TowerField};
use num_bigint::BigUint;

fn element(x: u32) -> Element {
    Element(vec![x.into()])
}

fn curve(p: u32, a: u32, d: u32) -> Edwards {
    Edwards { field: TowerField::prime(p.into()), a: element(a), d: element(d) }
}

/// 212 points, of which 53 are a group; the law is complete.
fn toy() -> Edwards {
    curve(199, 2, 22)
}

fn r() -> BigUint {
    53u32.into()
}

#[test]
fn coefficients() {
    assert_eq!(toy().check_nonsingular(), Ok(()));
    assert_eq!(curve(199, 0, 22).check_nonsingular(), Err(SpecError::EdwardsZero { name: 'a' }));
    assert_eq!(curve(199, 2, 0).check_nonsingular(), Err(SpecError::EdwardsZero { name: 'd' }));
    assert_eq!(curve(199, 22, 22).check_nonsingular(), Err(SpecError::EdwardsSingular));
    assert_eq!(curve(3, 1, 2).check_nonsingular(), Err(SpecError::EdwardsCharacteristicThree));
}

#[test]
fn generators() {
    let check = |x, y| toy().check_generator(&(element(x), element(y)), &r());
    assert_eq!(check(108, 122), Ok(()));
    assert_eq!(check(108, 121), Err(SpecError::GeneratorOffCurve));
    // With the point of order 2 added, that point, and the identity.
    assert_eq!(check(91, 77), Err(SpecError::GeneratorOrder));
    assert_eq!(check(0, 198), Err(SpecError::GeneratorOrder));
    assert_eq!(check(0, 1), Err(SpecError::GeneratorOrder));
}

#[test]
fn cofactors() {
    let counted = |h: u32| toy().check_cofactor(&h.into(), &r());
    assert_eq!(counted(4), Ok(()));
    assert_eq!(counted(0), Err(SpecError::CofactorIsZero));
    for h in [1, 2, 3, 6] {
        assert_eq!(counted(h), Err(SpecError::CofactorNotMultipleOfFour));
    }
    let found = BigUint::from(424u32);
    assert_eq!(counted(8), Err(SpecError::CofactorMiscounted { found, order: 212 }));

    // Too large to be counted: 65932 points.
    let hashed = |h: u32| curve(65609, 1, 13).check_cofactor(&h.into(), &r());
    assert_eq!(hashed(1244), Ok(()));
    assert!(matches!(hashed(1240), Err(SpecError::CofactorRefuted { .. })));
    assert!(matches!(hashed(1264), Err(SpecError::CofactorOutsideHasse { .. })));

    // 196 points, and 7 divides 28.
    let found = curve(199, 1, 27).check_cofactor(&28u32.into(), &7u32.into());
    assert_eq!(found, Err(SpecError::CofactorNotInvertible));
}

#[test]
fn hasse_and_the_generator_determine_some_cofactors() {
    for q in 2u64..3000 {
        // ⌊2·√q⌋
        let half = (4 * q).isqrt();
        let multiples = |r: u64| (q + 1 + half) / r - (q - half.min(q)) / r;
        let determined = (2..300).filter(|r| has_one_multiple(&q.into(), &(*r).into()));
        assert!(determined.into_iter().all(|r| multiples(r) <= 1), "{q}");
    }
    assert!(has_one_multiple(&(1u32 << 16).into(), &1031u32.into()));

    // The caller says that there is a point of order r, and that it has asked.
    let by = |h: u32| curve(65609, 1, 13).check_cofactor_by(&h.into(), &r(), Evidence::Generator);
    assert_eq!([by(1244), by(1240)], [Ok(()), Ok(())]);
    assert!(matches!(by(1264), Err(SpecError::CofactorOutsideHasse { .. })));
    let none = |_: usize, _: &(dyn Fn(usize) -> bool + Sync)| vec![true, true, false];
    let asked = curve(65609, 1, 13).check_cofactor_by(&1244u32.into(), &r(), Evidence::Points(&none));
    assert!(matches!(asked, Err(SpecError::CofactorRefuted { .. })));
}

#[test]
fn completeness() {
    assert!(toy().is_complete());
    // 2 and 4 are squares, 3 and 22 are none.
    for (a, d) in [(2, 4), (3, 4), (3, 22)] {
        assert!(!curve(199, a, d).is_complete(), "{a} {d}");
    }
}
