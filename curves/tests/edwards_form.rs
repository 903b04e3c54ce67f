//! Sums on the Edwards form of short Weierstrass curves, against arkworks' law on the declared curve.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field as _, Zero};
use curvesmith_curves::toy::toy_form;
use curvesmith_runtime::group::{AffineOf, Group, Points as _, ProjectiveOf, ScalarOf};
use curvesmith_runtime::{CurveForm, Device, EmulatorOptions, Msm, MsmOptions, RuntimeError};

fn emulator() -> Device {
    Device::emulator(EmulatorOptions::default().racecheck(true)).expect("the options are sound")
}

fn plan<G: Group>(device: &Device, bases: &[AffineOf<G>]) -> Result<Msm<G>, RuntimeError> {
    Msm::<G>::new(device, bases, MsmOptions::default().form(CurveForm::Edwards))
}

fn sum<G: Group>(bases: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    plan::<G>(&emulator(), bases).expect("the bases have images").run(scalars).expect("the device works")
}

/// All points of the toy curve but the identity.
fn toy_points() -> Vec<toy_form::G1Affine> {
    let all = (0..1009u64).flat_map(|x| (0..1009u64).map(move |y| (x.into(), y.into())));
    let points = all.map(|(x, y)| toy_form::G1Projective::affine(x, y));
    // (0, 0) is how arkworks writes the identity.
    points.filter(|p| !p.is_zero() && toy_form::G1Projective::is_on_curve(p)).collect()
}

/// Every multiple of the generator with itself, its negative, the identity and another one.
#[test]
fn sums_of_two_points_of_a_group() {
    type G = toy_form::G1;
    let g = toy_form::G1Affine::generator();
    let multiple = |i: u64| (g * toy_form::Fr::from(i)).into_affine();
    let device = Device::emulator(EmulatorOptions::default()).expect("the options are sound");
    for i in 0..67 {
        let bases = [i, i, 67 - i, 0, i * i + 1].map(multiple);
        let plan = plan::<G>(&device, &bases).expect("all have images");
        let vectors: Vec<_> = (1..5)
            .map(|j| {
                let mut scalars = vec![toy_form::Fr::ZERO; 5];
                (scalars[0], scalars[j]) = (toy_form::Fr::ONE, toy_form::Fr::ONE);
                scalars
            })
            .collect();
        let found = plan.run_batch(&vectors.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let expected: Vec<_> = bases[1..].iter().map(|q| bases[0].into_group() + q).collect();
        assert_eq!(found.expect("the device works"), expected, "{i}");
    }
}

/// Exactly points of order 2 and 4 without an image are refused, wherever they stand.
#[test]
fn points_without_an_image_are_refused() {
    type G = toy_form::G1;
    let form = G::edwards_form().expect("it is declared");
    let g = toy_form::G1Affine::generator();
    let mut refused = 0;
    for (i, p) in toy_points().into_iter().enumerate() {
        let u = form.s * (p.x - form.alpha);
        let has_image = !p.y.is_zero() && u != -toy_form::Fq::ONE;
        let order_divides_four = (p.into_group().double().double()).is_zero();
        assert!(has_image || order_divides_four);
        if has_image && i % 97 > 0 {
            continue;
        }
        let mut bases = vec![g, toy_form::G1Affine::zero(), g];
        bases.insert(i % 4, p);
        match plan::<G>(&emulator(), &bases) {
            Ok(_) => assert!(has_image, "{p}"),
            Err(RuntimeError::Input { what: "bases", reason }) => {
                assert!(!has_image && reason.starts_with(&format!("number {} ", i % 4)), "{p}: {reason}");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    // The three roots, and two of order 4.
    assert_eq!(refused, 5);
}

/// Of the points of the curve, every sum of two whose difference is not at infinity is right; of the others
/// none: that is why bases have to be in the group.
#[test]
fn sums_fail_where_a_difference_is_at_infinity() {
    type G = toy_form::G1;
    let points = toy_points();
    let form = G::edwards_form().expect("it is declared");
    let without_image = |p: &toy_form::G1Projective| {
        let p = p.into_affine();
        !p.is_zero()
            && p.x != form.alpha
            && (p.y.is_zero() || form.s * (p.x - form.alpha) == -toy_form::Fq::ONE)
    };
    let bases: Vec<_> = points.iter().filter(|p| !without_image(&p.into_group()) && !p.y.is_zero()).collect();
    let ones = [toy_form::Fr::ONE; 2];
    let (p, mut wrong) = (*bases[7], 0);
    for q in bases.iter().filter(|q| without_image(&(p.into_group() - **q))).chain(bases.iter().step_by(41)) {
        let is_exception = without_image(&(p.into_group() - **q));
        let found = sum::<G>(&[p, **q], &ones);
        assert_eq!(found != p.into_group() + **q, is_exception, "{p} and {q}");
        wrong += usize::from(is_exception);
    }
    assert!(wrong >= 4);
}

#[cfg(feature = "bls12-377")]
mod bls12_377 {
    use super::*;
    use ark_bls12_377::G1TEAffine;
    use ark_ff::UniformRand;
    use ark_std::rand::{SeedableRng, rngs::StdRng};
    use curvesmith_curves::bls12_377::{Fq, Fr, G1, G1Affine};

    /// arkworks ships the form; its map takes the generator to the generator there, up to the sign of `x`.
    #[test]
    fn the_form_is_that_of_arkworks() {
        use ark_ec::twisted_edwards::{MontCurveConfig, TECurveConfig};
        type Te = ark_bls12_377::g1::Config;
        let form = G1::edwards_form().expect("it is declared");
        assert_eq!((<Te as TECurveConfig>::COEFF_A, <Te as TECurveConfig>::COEFF_D), (-Fq::ONE, form.d));
        let montgomery = [<Te as MontCurveConfig>::COEFF_A, <Te as MontCurveConfig>::COEFF_B];
        assert_eq!(montgomery, [form.alpha * form.s * Fq::from(3u64), form.s]);
        let map = |p: &G1Affine| {
            let u = form.s * (p.x - form.alpha);
            G1TEAffine::new_unchecked(form.k * (p.x - form.alpha) / p.y, (u - Fq::ONE) / (u + Fq::ONE))
        };
        let (ours, theirs) = (map(&G1Affine::generator()), G1TEAffine::generator());
        assert!(ours == theirs || ours == -theirs, "{ours} and {theirs}");
        for i in 2..20u64 {
            let ours_times = map(&(G1Affine::generator() * Fr::from(i)).into_affine());
            assert_eq!(ours_times, (ours * Fr::from(i)).into_affine());
        }
    }

    #[test]
    fn sums_are_those_of_arkworks() {
        let mut rng = StdRng::seed_from_u64(1);
        let g = G1Affine::generator();
        let mut bases: Vec<G1Affine> = (0..24).map(|_| (g * Fr::rand(&mut rng)).into_affine()).collect();
        (bases[1], bases[3], bases[5]) = (G1Affine::zero(), bases[2], -bases[4]);
        let mut scalars: Vec<Fr> = (0..24).map(|_| Fr::rand(&mut rng)).collect();
        (scalars[2], scalars[3], scalars[4], scalars[5]) = (Fr::ONE, Fr::ONE, -Fr::ONE, -Fr::ONE);
        let expected: ark_bls12_377::G1Projective = bases.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        assert_eq!(sum::<G1>(&bases, &scalars), expected);
        let options = MsmOptions::default().form(CurveForm::Edwards);
        for options in [options.clone().multiples(5), options.window(4)] {
            let plan = Msm::<G1>::new(&emulator(), &bases, options).expect("the bases have images");
            assert_eq!(plan.run(&scalars).expect("the device works"), expected);
        }
        // The sum is the identity.
        assert!(sum::<G1>(&[g, -g, g], &[Fr::ONE, Fr::from(3u64), Fr::from(2u64)]).is_zero());
    }
}
