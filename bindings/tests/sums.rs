//! Sums and transforms beside arkworks.

use ark_bls12_381::{Bls12_381, Fr as BlsFr};
use ark_bn254::{Bn254, Fr as BnFr};
use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{BigInteger, FftField, Field, PrimeField, UniformRand, Zero};
use ark_poly::{EvaluationDomain, GeneralEvaluationDomain};
use curvesmith_bindings::{ErrorKind, Form, Msm, Ntt, curves, device};

/// The words of an element, from its definition.
fn words<F: PrimeField>(x: F, form: Form) -> Vec<u64> {
    let limbs = F::MODULUS.as_ref().len();
    let value = match form {
        Form::Canonical => x,
        Form::Montgomery => x * F::from(2u64).pow([64 * limbs as u64]),
    };
    value.into_bigint().as_ref().to_vec()
}

fn point<G: CurveGroup>(point: &G::Affine, form: Form) -> Vec<u64> {
    let zero = G::BaseField::extension_degree() as usize
        * <G::BaseField as Field>::BasePrimeField::MODULUS.as_ref().len();
    let Some((x, y)) = point.xy() else { return vec![0; 2 * zero] };
    x.to_base_prime_field_elements()
        .chain(y.to_base_prime_field_elements())
        .flat_map(|x| words(x, form))
        .collect()
}

fn sums<G: CurveGroup>(curve: &str, group: u8) {
    let rng = &mut ark_std::test_rng();
    for form in [Form::Canonical, Form::Montgomery] {
        // None, one, and among many: the identity, equal and opposite points, the scalars 0 and −1.
        for n in [0usize, 1, 33] {
            let mut bases: Vec<G::Affine> = (0..n).map(|_| G::rand(rng).into_affine()).collect();
            let mut scalars: Vec<G::ScalarField> = (0..n).map(|_| G::ScalarField::rand(rng)).collect();
            if n > 8 {
                bases[1] = G::Affine::zero();
                bases[3] = bases[2];
                bases[5] = (-bases[4].into_group()).into_affine();
                scalars[6] = G::ScalarField::zero();
                scalars[7] = -G::ScalarField::from(1u64);
            }
            let base_words: Vec<u64> = bases.iter().flat_map(|base| point::<G>(base, form)).collect();
            let scalar_words: Vec<u64> = scalars.iter().flat_map(|x| words(*x, form)).collect();
            let msm = Msm::new(curve, group, &base_words, form, &device("cpu").unwrap()).unwrap();
            assert_eq!(
                (msm.len(), msm.point_words()),
                (n, base_words.len().checked_div(n).unwrap_or(msm.point_words()))
            );
            let expected = G::msm(&bases, &scalars).unwrap().into_affine();
            assert_eq!(
                msm.run(&scalar_words, form).unwrap(),
                point::<G>(&expected, form),
                "{curve} G{group}, {n}"
            );
        }
    }
}

#[test]
fn sums_are_those_of_arkworks() {
    sums::<<Bn254 as Pairing>::G1>("bn254", 1);
    sums::<<Bn254 as Pairing>::G2>("bn128", 2);
    sums::<<Bls12_381 as Pairing>::G1>("bls12_381", 1);
    sums::<<Bls12_381 as Pairing>::G2>("BLS12-381", 2);
}

fn transforms<F: FftField + PrimeField>(curve: &str) {
    let rng = &mut ark_std::test_rng();
    let shift = F::GENERATOR;
    for (form, shifted) in [(Form::Canonical, false), (Form::Montgomery, true)] {
        for n in [1usize, 2, 64] {
            let values: Vec<F> = (0..n).map(|_| F::rand(rng)).collect();
            let domain = GeneralEvaluationDomain::<F>::new(n).unwrap();
            let domain = if shifted { domain.get_coset(shift).unwrap() } else { domain };
            let shift = shifted.then(|| words(shift, Form::Canonical));
            let ntt = Ntt::new(curve, n, shift.as_deref(), &device("cpu").unwrap()).unwrap();
            let of = |values: &[F]| values.iter().flat_map(|x| words(*x, form)).collect::<Vec<u64>>();
            let mut array = of(&values);
            ntt.forward(&mut array, form).unwrap();
            assert_eq!(array, of(&domain.fft(&values)), "{curve} {n}");
            ntt.inverse(&mut array, form).unwrap();
            assert_eq!(array, of(&values), "{curve} {n}");
        }
    }
}

#[test]
fn transforms_are_those_of_arkworks() {
    transforms::<BnFr>("bn254");
    transforms::<BlsFr>("bls12_381");
}

#[test]
fn arrays_that_are_none_are_refused() {
    let cpu = device("cpu").unwrap();
    let generator = point::<ark_bn254::G1Projective>(
        &ark_bn254::G1Projective::generator().into_affine(),
        Form::Canonical,
    );
    let msm = |curve: &str, group: u8, bases: &[u64]| {
        Msm::new(curve, group, bases, Form::Canonical, &cpu).map(drop).unwrap_err()
    };
    let prime: Vec<u64> = ark_bn254::Fq::MODULUS.0.to_vec();
    let not_below: Vec<u64> = prime.iter().chain(&generator[4..]).copied().collect();
    let off: Vec<u64> = [5, 0, 0, 0].into_iter().chain(generator[4..].iter().copied()).collect();
    for (error, text) in [
        (msm("none", 1, &generator), "curve \"none\" is not built in"),
        (msm("bn254", 0, &generator), "group 0, expected 1 or 2"),
        (msm("bn254", 3, &generator), "group 3, expected 1 or 2"),
        (msm("bn254", 1, &generator[1..]), "bases: 7 words, expected a multiple of 8"),
        (msm("bn254", 1, &not_below), "bases: point 0 has a coordinate that is not below the prime"),
        (msm("bn254", 1, &[generator.clone(), off].concat()), "bases: point 1 is off the curve"),
    ] {
        assert_eq!(error.kind, ErrorKind::Input);
        assert!(error.message.starts_with(text), "{error}");
    }
    let msm = Msm::new("bn254", 1, &generator, Form::Canonical, &cpu).unwrap();
    let order: Vec<u64> = BnFr::MODULUS.0.to_vec();
    let scalars = |words: &[u64]| msm.run(words, Form::Canonical).unwrap_err().message;
    assert_eq!(scalars(&order), "scalars: element 0 is not below the prime");
    assert_eq!(scalars(&[1; 8]), "2 scalars, expected as many as bases, 1");
    let mut below = BnFr::MODULUS;
    below.sub_with_borrow(&1u64.into());
    assert!(msm.run(&below.0, Form::Canonical).is_ok());
    assert!(Ntt::new("bn254", 5, None, &cpu).is_err());
    assert!(Ntt::new("bn254", 4, Some(&[0; 4]), &cpu).is_err());
    let ntt = Ntt::new("bn254", 2, None, &cpu).unwrap();
    let mut wrong = [vec![1, 0, 0, 0], order].concat();
    let before = wrong.clone();
    assert_eq!(
        ntt.forward(&mut wrong, Form::Canonical).unwrap_err().message,
        "values: element 1 is not below the prime"
    );
    assert_eq!(wrong, before);
    assert!(curves().any(|name| name == "bn254"));
}
