//! Jubjub, whose `a` is -1, as the form of its short Weierstrass curve, by the maps of [`crate::edwards`].

use super::*;
use crate::edwards::{montgomery, to_weierstrass};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ed_on_bls12_381::{EdwardsAffine, EdwardsConfig, EdwardsProjective, Fq, Fr};
use ark_ff::{AdditiveGroup, UniformRand, Zero};
use ark_std::rand::{SeedableRng, rngs::StdRng};

fn jubjub() -> EdwardsForm<Fq> {
    use ark_ec::twisted_edwards::TECurveConfig;
    assert_eq!(EdwardsConfig::COEFF_A, -Fq::ONE);
    let [a, b] = montgomery::<EdwardsConfig>();
    let alpha = a / (b * Fq::from(3u64));
    EdwardsForm { name: "jubjub", d: EdwardsConfig::COEFF_D, alpha, s: b, k: Fq::ONE, images: &[] }
}

fn points() -> Vec<EdwardsAffine> {
    let mut rng = StdRng::seed_from_u64(1);
    let order_two = EdwardsAffine::new_unchecked(Fq::ZERO, -Fq::ONE);
    let mut points: Vec<EdwardsAffine> =
        (0..20).map(|_| (EdwardsProjective::generator() * Fr::rand(&mut rng)).into_affine()).collect();
    points.push((points[0] + order_two).into_affine());
    points
}

#[test]
fn bases_are_what_a_mixed_addition_takes() {
    let (form, points) = (jubjub(), points());
    let images: Vec<[Fq; 2]> = points.iter().map(|p| to_weierstrass(p).unwrap()).collect();
    let expected: Vec<_> =
        points.iter().map(|p| [p.y - p.x, p.y + p.x, form.d * p.x * p.y * Fq::from(2u64)]).collect();
    assert_eq!(form.bases(&images), Ok(expected));
    assert_eq!(form.bases(&[]), Ok(vec![]));
    // Of order 2; and with u = -1, whether there is such a point or not.
    let (order_two, order_four) = ([form.alpha, Fq::ZERO], [form.alpha - form.s.inverse().unwrap(), Fq::ONE]);
    for lost in [order_two, order_four] {
        let mut images = images.clone();
        images.insert(3, lost);
        images.push(lost);
        assert_eq!(form.bases(&images), Err(3));
    }
}

#[test]
fn points_come_back_in_xyzz() {
    let (form, mut rng) = (jubjub(), StdRng::seed_from_u64(2));
    for p in points() {
        let z = Fq::rand(&mut rng);
        let extended = [p.x * z, p.y * z, z, p.x * p.y * z];
        let [x, y, zz, zzz] = form.xyzz(extended).unwrap();
        assert_eq!(zz.square() * zz, zzz.square());
        assert_eq!([x / zz, y / zzz], to_weierstrass(&p).unwrap());
        for i in 0..4 {
            let mut damaged = extended;
            damaged[i] += Fq::ONE;
            assert_eq!(form.xyzz(damaged), None, "coordinate {i}");
        }
        // X·Y = Z·T, and off the curve.
        assert_eq!(form.xyzz([p.x, p.x, Fq::ONE, p.x.square()]), None);
    }
    let [zero, one] = [Fq::ZERO, Fq::ONE];
    for identity in [[zero; 4], [zero, one, one, zero], [zero, -one, -one, zero]] {
        assert!(form.xyzz(identity).unwrap()[2].is_zero());
    }
    assert_eq!(form.xyzz([zero, -one, one, zero]), Some([form.alpha, zero, one, one]));
    assert_eq!(form.xyzz([zero, one, zero, zero]), None, "at infinity");
}
