//! The prepared equation against arkworks', and what keys may not be.

use super::{
    KeyElement, PointProblem, PreparedVk, SERIAL_TERMS, VerifyError, Weakness, sum_of_inputs, verify,
    weaknesses, weaknesses_of_proving_key,
};
use crate::snarkjs::json::JsonFile;
use crate::tests::{BLS_MULT, bls12_381, bn254, fixture};
use ark_bls12_381::Bls12_381;
use ark_bn254::{Bn254, Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, pairing::Pairing};
use ark_ff::{Field as _, One, UniformRand, Zero};
use ark_groth16::{Groth16, Proof, VerifyingKey};
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::PairingCurve;

type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;

/// A key whose logarithms are known, and the proof (a, b, c) of it, made without a witness.
fn forged<C: PairingCurve>(
    inputs: &[Scalar<C>],
    ic: &[Scalar<C>],
    a: Scalar<C>,
    b: Scalar<C>,
) -> (VerifyingKey<C::Engine>, Proof<C::Engine>) {
    let [alpha, beta, gamma, delta] = [3u64, 5, 7, 11].map(Scalar::<C>::from);
    let g1 = |s: Scalar<C>| (<C::Engine as Pairing>::G1::generator() * s).into_affine();
    let g2 = |s: Scalar<C>| (<C::Engine as Pairing>::G2::generator() * s).into_affine();
    let sum = inputs.iter().zip(&ic[1..]).fold(ic[0], |sum, (x, ic)| sum + *x * ic);
    let c = (a * b - alpha * beta - sum * gamma) * delta.inverse().unwrap();
    let vk = VerifyingKey {
        alpha_g1: g1(alpha),
        beta_g2: g2(beta),
        gamma_g2: g2(gamma),
        delta_g2: g2(delta),
        gamma_abc_g1: ic.iter().map(|s| g1(*s)).collect(),
    };
    (vk, Proof { a: g1(a), b: g2(b), c: g1(c) })
}

/// Same verdict as ark-groth16 on proofs with every point at the identity in turn.
fn agrees<C: PairingCurve<Engine = E>, E: Pairing<ScalarField = Scalar<C>>>() {
    let [zero, one, x] = [Scalar::<C>::zero(), Scalar::<C>::one(), Scalar::<C>::from(13u64)];
    let full = -(Scalar::<C>::from(15u64) * Scalar::<C>::from(7u64).inverse().unwrap());
    for (inputs, ic, a, b) in [
        (vec![x], vec![one, x], x, x),
        (vec![], vec![one], x, -x),
        (vec![zero, -one], vec![x, x, one], x, one),
        // A, or B, or both at the identity.
        (vec![x], vec![one, x], zero, x),
        (vec![x], vec![one, x], x, zero),
        (vec![x], vec![one, zero], zero, zero),
        // The inputs' sum at the identity; then C.
        (vec![one], vec![one, -one], x, x),
        (vec![zero], vec![full, one], zero, zero),
        (vec![zero], vec![zero, one], Scalar::<C>::from(5u64), Scalar::<C>::from(3u64)),
    ] {
        let (vk, proof) = forged::<C>(&inputs, &ic, a, b);
        let key = PreparedVk::<C>::new(&vk).unwrap();
        let both = |inputs: &[Scalar<C>], proof: &Proof<E>| {
            let ours = key.verify(inputs, proof);
            assert!(matches!(ours, Ok(()) | Err(VerifyError::NotValid)), "{ours:?}");
            assert_eq!(ours.is_ok(), Groth16::<E>::verify(&vk, inputs, proof).unwrap());
            ours.is_ok()
        };
        assert!(both(&inputs, &proof), "{a} {b}");
        for point in [AffineRepr::zero(), AffineRepr::generator()] {
            both(&inputs, &Proof { a: point, ..proof.clone() });
            both(&inputs, &Proof { c: point, ..proof.clone() });
        }
        assert!(!both(
            &inputs,
            &Proof { a: (proof.a + vk.alpha_g1).into_affine(), b: vk.beta_g2, ..proof.clone() }
        ));
        assert!(!both(&inputs, &Proof { c: (proof.c + vk.alpha_g1).into_affine(), ..proof.clone() }));
    }
}

#[test]
fn verdicts_are_those_of_ark_groth16() {
    agrees::<bn254::Curve, Bn254>();
    agrees::<bls12_381::Curve, Bls12_381>();
}

#[test]
fn short_sums_are_right() {
    let mut rng = StdRng::seed_from_u64(1);
    let special = [
        Fr::zero(),
        Fr::one(),
        -Fr::one(),
        Fr::from(15u64),
        Fr::from(u64::MAX),
        Fr::from(2).inverse().unwrap(),
    ];
    for n in [0, 1, 2, 7, SERIAL_TERMS, SERIAL_TERMS + 1] {
        let mut points: Vec<G1Affine> = (0..n).map(|_| G1Affine::rand(&mut rng)).collect();
        let scalars: Vec<Fr> =
            (0..n).map(|i| special.get(i).copied().unwrap_or_else(|| Fr::rand(&mut rng))).collect();
        if n > 6 {
            // Doublings and cancellations inside the sum.
            points[5] = points[4];
            points[6] = -points[1];
            points[3] = G1Affine::zero();
        }
        let expected: G1Projective = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        assert_eq!(sum_of_inputs::<<bn254::Curve as PairingCurve>::G1>(&points, &scalars), expected, "{n}");
    }
}

/// With one of them at the identity anyone makes proofs: e.g. A = Σ, B = γ, C = 0 where α = 0.
#[test]
fn keys_with_identities_or_points_outside_are_refused() {
    type C = bls12_381::Curve;
    let file = |name| JsonFile::read(&fixture(BLS_MULT, name)).unwrap();
    let vk = file("verification_key.json").verification_key::<C>().unwrap();
    let public = file("public.json").public::<C>(3).unwrap();
    let proof = file("proof_snarkjs.json").proof::<C>().unwrap();
    verify::<C>(&vk, &public, &proof).unwrap();
    let of_order_3 = ark_bls12_381::G1Affine::new_unchecked(Zero::zero(), ark_bls12_381::Fq::from(2u64));
    type Damage<'a> = &'a dyn Fn(&mut VerifyingKey<Bls12_381>);
    let damages: [(&str, PointProblem, Damage<'_>); 6] = [
        ("key point alpha", PointProblem::Identity, &|vk| vk.alpha_g1 = AffineRepr::zero()),
        ("key point beta", PointProblem::Identity, &|vk| vk.beta_g2 = AffineRepr::zero()),
        ("key point gamma", PointProblem::Identity, &|vk| vk.gamma_g2 = AffineRepr::zero()),
        ("key point delta", PointProblem::Identity, &|vk| vk.delta_g2 = AffineRepr::zero()),
        ("key point IC[2]", PointProblem::OutsideSubgroup, &|vk| vk.gamma_abc_g1[2] = of_order_3),
        ("key point alpha", PointProblem::OffCurve, &|vk| vk.alpha_g1.x += vk.alpha_g1.x),
    ];
    for (expected, expected_problem, damage) in damages {
        let mut vk = vk.clone();
        damage(&mut vk);
        match verify::<C>(&vk, &public, &proof) {
            Err(VerifyError::KeyPoint { what, problem }) => {
                assert_eq!((&*what, problem), (expected, expected_problem))
            }
            other => panic!("{expected}: {other:?}"),
        }
    }
}

/// Under each key that is called weak a proof of any statement is made from the key's points.
fn weak_keys_prove_everything<C: PairingCurve>() {
    use KeyElement::{Alpha, Beta, Delta, Gamma};
    let g1 = |s: i64| (<C::Engine as Pairing>::G1::generator() * Scalar::<C>::from(s)).into_affine();
    let g2 = |s: i64| (<C::Engine as Pairing>::G2::generator() * Scalar::<C>::from(s)).into_affine();
    let sum = 13 + 17 * 1000;
    // Logarithms of α, β, γ and δ; what is seen of them; logarithms of the proof that the table
    // has.
    for ([alpha, beta, gamma, delta], expected, [a, b, c]) in [
        ([3, 5, 7, 7], Weakness::Equal(Gamma, Delta), [3, 5, -sum]),
        ([3, 5, 1, 1], Weakness::Equal(Gamma, Delta), [3, 5, -sum]),
        ([3, 5, 7, -7], Weakness::Opposite(Gamma, Delta), [3, 5, sum]),
        ([3, 5, 5, 11], Weakness::Equal(Beta, Gamma), [3 + sum, 5, 0]),
        ([3, 5, -5, 11], Weakness::Opposite(Beta, Gamma), [3 - sum, 5, 0]),
        ([3, 5, 7, 5], Weakness::Equal(Beta, Delta), [sum, 7, -3]),
        ([3, 5, 7, -5], Weakness::Opposite(Beta, Delta), [sum, 7, 3]),
        ([3, 18, 7, 11], Weakness::Dependent, [sum + 3, 7, -3]),
        ([3, -4, 7, 11], Weakness::Dependent, [sum + 3, 7, 3]),
        ([3, 4, 7, 11], Weakness::Dependent, [sum - 3, 7, -3]),
        ([3, -18, 7, 11], Weakness::Dependent, [sum - 3, 7, 3]),
        ([11, 5, 7, 11], Weakness::Equal(Alpha, Delta), [sum, 7, -5]),
        ([-11, 5, 7, 11], Weakness::Opposite(Alpha, Delta), [sum, 7, 5]),
        ([1, 5, 1, 11], Weakness::Equal(Alpha, Gamma), [sum + 5, 1, 0]),
        ([-1, 5, 1, 11], Weakness::Opposite(Alpha, Gamma), [sum - 5, 1, 0]),
        ([1, 5, -1, 11], Weakness::Opposite(Alpha, Gamma), [sum - 5, -1, 0]),
    ] {
        let vk = VerifyingKey {
            alpha_g1: g1(alpha),
            beta_g2: g2(beta),
            gamma_g2: g2(gamma),
            delta_g2: g2(delta),
            gamma_abc_g1: vec![g1(13), g1(17)],
        };
        let found = weaknesses_of_proving_key::<C>(&vk, g1(beta), g1(delta));
        assert_eq!(found, [expected], "{alpha} {beta} {gamma} {delta}");
        let proof = Proof { a: g1(a), b: g2(b), c: g1(c) };
        verify::<C>(&vk, &[Scalar::<C>::from(1000u64)], &proof).unwrap();
        // A verification key has no δ in G1.
        let is_seen = !matches!(expected, Weakness::Equal(Alpha, Delta) | Weakness::Opposite(Alpha, Delta));
        assert_eq!(weaknesses::<C>(&vk), Vec::from_iter(is_seen.then_some(expected)));
        match PreparedVk::<C>::new_strict(&vk) {
            Err(VerifyError::WeakKey(weakness)) => assert!(is_seen && weakness == expected),
            other => assert!(!is_seen && other.is_ok(), "{expected}"),
        }
    }
    for [alpha, beta, gamma, delta] in
        [[3, 5, 7, 11], [3, 5, 1, 11], [3, 5, 7, 1], [1, 5, 7, 11], [7, 5, 7, 11]]
    {
        let (vk, _) = forged::<C>(&[], &[Scalar::<C>::one()], Scalar::<C>::one(), Scalar::<C>::one());
        let vk = VerifyingKey {
            alpha_g1: g1(alpha),
            beta_g2: g2(beta),
            gamma_g2: g2(gamma),
            delta_g2: g2(delta),
            ..vk
        };
        assert_eq!(weaknesses_of_proving_key::<C>(&vk, g1(beta), g1(delta)), []);
        PreparedVk::<C>::new_strict(&vk).unwrap();
    }
    let (mut vk, _) = forged::<C>(&[], &[Scalar::<C>::one()], Scalar::<C>::one(), Scalar::<C>::one());
    vk.beta_g2 = vk.gamma_g2;
    vk.delta_g2 = AffineRepr::zero();
    assert_eq!(
        weaknesses_of_proving_key::<C>(&vk, vk.alpha_g1, g1(11)),
        [
            Weakness::Equal(Beta, Gamma),
            Weakness::Identity(Delta),
            Weakness::Equal(Alpha, Beta),
            Weakness::Dependent
        ]
    );
}

#[test]
fn weak_keys_are_those_under_which_anyone_makes_proofs() {
    weak_keys_prove_everything::<bn254::Curve>();
    weak_keys_prove_everything::<bls12_381::Curve>();
}
