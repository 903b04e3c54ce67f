//! Keys that a stranger made.

use crate::snarkjs::{Zkey, ZkeyFile};
use crate::tests::{BLS_MULT, BN_MULT, bls12_381, bn254, fixture};
use crate::verify::PointProblem;
use crate::{Detail, Device, Groth16, KeyError, KeyOptions, ProveError, Witness, constraints_of};
use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{One, PrimeField, UniformRand, Zero};
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_runtime::Cancel;
use curvesmith_sample::Chain;
use num_bigint::BigUint;

type Bls = bls12_381::Curve;

/// The prime factors of the cofactor of BLS12-381's G1.
const SMALL: [u64; 5] = [3, 11, 10177, 859267, 52437899];

fn key() -> Zkey<Bls> {
    ZkeyFile::open(&fixture(BLS_MULT, "circuit.zkey")).unwrap().read(false).unwrap()
}

fn witness() -> Witness<Bls> {
    Witness::from_wtns(&fixture(BLS_MULT, "witness.wtns")).unwrap()
}

fn load(key: &Zkey<Bls>, options: &KeyOptions) -> Result<Groth16<Bls>, KeyError> {
    Groth16::from_zkey_parts(&Device::cpu(), key.clone(), options)
}

/// A point of order 3: the curve is y² = x³ + 4.
fn of_order_3() -> G1Affine {
    let point = G1Affine::new_unchecked(Fq::zero(), Fq::from(2u64));
    assert!(point.is_on_curve() && point.mul_bigint([3u64]).is_zero());
    point
}

/// A point of the twist of an order that divides the cofactor.
fn of_small_order_g2() -> G2Affine {
    let any = (1u64..).find_map(|x| G2Affine::get_point_from_x_unchecked(Fq2::from(x), false)).unwrap();
    let point = any.mul_bigint(Fr::MODULUS).into_affine();
    assert!(point.is_on_curve() && !point.is_zero());
    point
}

fn is_multiple_of_3(wire: &Fr) -> bool {
    BigUint::from(wire.into_bigint()) % 3u32 == BigUint::ZERO
}

#[track_caller]
fn not_proven(damage: &dyn Fn(&mut Zkey<Bls>), expected: &str) {
    not_proven_for(2, damage, expected);
}

#[track_caller]
fn not_proven_for(s: u64, damage: &dyn Fn(&mut Zkey<Bls>), expected: &str) {
    let mut key = key();
    damage(&mut key);
    let witness = witness();
    for self_check in [true, false] {
        let prover = load(&key, &KeyOptions::default().trust_key(true).self_check(self_check)).unwrap();
        let found = prover
            .prove_randomized(&witness, &[Fr::one(), Fr::from(s)], Detail::Counts, &Cancel::default())
            .map(|(proof, _)| proof);
        let Err(ProveError::Point { point, problem, .. }) = &found else {
            panic!("{expected}, self-check {self_check}: {found:?}");
        };
        assert_eq!((*point, *problem), (expected, PointProblem::OutsideSubgroup));
        let text = found.unwrap_err().to_string();
        assert!(text.contains("the key is at fault, or the device"), "{text}");
    }
}

#[test]
fn no_proof_has_a_point_of_small_order() {
    let witness = witness();
    let wire = (4..).find(|i| !is_multiple_of_3(&witness.values()[*i])).unwrap();
    let prover = load(&key(), &KeyOptions::default()).unwrap();
    let h = prover.key.h_scalars(prover.device(), witness.values()).unwrap();
    let row = (0..).find(|i| !is_multiple_of_3(&h[*i])).unwrap();
    let add = |point: &mut G1Affine| *point = (*point + of_order_3()).into_affine();
    not_proven(&|key| add(&mut key.a_query[wire]), "proof point A");
    not_proven(&|key| add(&mut key.b_g1_query[wire]), "proof point C");
    not_proven(&|key| add(&mut key.l_query[wire - 4]), "proof point C");
    not_proven(&|key| add(&mut key.h_query[row]), "proof point C");
    not_proven(&|key| add(&mut key.vk.alpha_g1), "proof point A");
    not_proven(&|key| add(&mut key.beta_g1), "proof point C");
    not_proven(&|key| add(&mut key.delta_g1), "proof point A");
    // s·A is in the group, so that C says nothing of A.
    not_proven_for(3, &|key| add(&mut key.a_query[wire]), "proof point A");
    let add = |point: &mut G2Affine| *point = (*point + of_small_order_g2()).into_affine();
    not_proven(&|key| add(&mut key.b_g2_query[wire]), "proof point B");
}

#[test]
fn check_subgroups_names_the_point() {
    names_the_point(&Device::cpu());
}

/// There the sums of the windows tell.
#[cfg(feature = "emulator")]
#[test]
fn check_subgroups_on_a_device_names_the_point() {
    names_the_point(&Device::emulator(crate::EmulatorOptions::default()).unwrap());
}

fn names_the_point(device: &Device) {
    let load = |key: &Zkey<Bls>, options: &KeyOptions| Groth16::from_zkey_parts(device, key.clone(), options);
    let checked = KeyOptions::default().check_subgroups(true);
    load(&key(), &checked).unwrap();
    let refused = |damage: &dyn Fn(&mut Zkey<Bls>), expected: (&str, usize)| {
        let mut key = key();
        damage(&mut key);
        load(&key, &KeyOptions::default().trust_key(true)).unwrap();
        for options in [checked.clone(), checked.clone().trust_key(true)] {
            match load(&key, &options) {
                Err(KeyError::OutsideSubgroup { query, index }) => assert_eq!((query, index), expected),
                other => panic!("{expected:?}: {other:?}"),
            }
        }
    };
    let add = |point: &mut G1Affine| *point = (*point + of_order_3()).into_affine();
    refused(&|key| add(&mut key.vk.gamma_abc_g1[1]), ("gamma_abc_g1", 1));
    refused(&|key| add(&mut key.a_query[2]), ("a_query", 2));
    refused(&|key| add(&mut key.b_g1_query[3]), ("b_g1_query", 3));
    refused(&|key| add(&mut key.l_query[0]), ("l_query", 0));
    refused(&|key| add(&mut key.h_query[5]), ("h_query", 5));
    refused(&|key| add(&mut key.beta_g1), ("alpha_g1, beta_g1, delta_g1", 1));
    let add = |point: &mut G2Affine| *point = (*point + of_small_order_g2()).into_affine();
    refused(&|key| add(&mut key.b_g2_query[4]), ("b_g2_query", 4));
    refused(&|key| add(&mut key.vk.gamma_g2), ("beta_g2, gamma_g2, delta_g2", 1));
}

/// An arkworks key's header is tested as a file's is, unless the key is trusted.
#[test]
fn headers_of_ark_keys_must_be_in_the_subgroup() {
    let circuit = Chain::<Fr>::filling(2);
    let mut rng = StdRng::seed_from_u64(1);
    let (mut key, _) =
        ark_groth16::Groth16::<ark_bls12_381::Bls12_381>::circuit_specific_setup(circuit.clone(), &mut rng)
            .unwrap();
    key.vk.delta_g2 = (key.vk.delta_g2 + of_small_order_g2()).into_affine();
    let load = |options| {
        let r1cs = constraints_of(circuit.clone()).unwrap();
        Groth16::<Bls>::from_ark(&Device::cpu(), &key, r1cs, &options).map(|_| ())
    };
    let error = load(KeyOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "beta_g2, gamma_g2, delta_g2: point 2 is outside the subgroup of order r");
    load(KeyOptions::default().trust_key(true)).unwrap();
}

#[test]
fn keys_without_secrets_are_refused() {
    type Damage = fn(&mut Zkey<bn254::Curve>);
    let damages: [(&str, Damage); 6] = [
        ("alpha_g1", |key| key.vk.alpha_g1 = AffineRepr::zero()),
        ("beta_g1", |key| key.beta_g1 = AffineRepr::zero()),
        ("beta_g2", |key| key.vk.beta_g2 = AffineRepr::zero()),
        ("gamma_g2", |key| key.vk.gamma_g2 = AffineRepr::zero()),
        ("delta_g1", |key| key.delta_g1 = AffineRepr::zero()),
        ("delta_g2", |key| key.vk.delta_g2 = AffineRepr::zero()),
    ];
    let file = ZkeyFile::open(&fixture(BN_MULT, "circuit.zkey")).unwrap();
    for (expected, damage) in damages {
        for trust in [false, true] {
            let mut key = file.read(false).unwrap();
            damage(&mut key);
            let options = KeyOptions::default().trust_key(trust);
            let found = Groth16::from_zkey_parts(&Device::cpu(), key, &options).map(|_| ());
            assert!(matches!(found, Err(KeyError::Identity { point }) if point == expected), "{found:?}");
        }
    }
}

/// arkworks tests with endomorphisms, which act otherwise on points of small order.
#[test]
fn every_small_order_is_outside_the_subgroup() {
    let r = BigUint::from(Fr::MODULUS);
    // x − 1, the exponent of the part of the curve that is not of order r: (x − 1)²/3 is its order.
    let exponent = SMALL.iter().product::<u64>();
    assert_eq!(exponent, 0xd201000000010001);
    let times = |point: G1Affine, n: &BigUint| point.mul_bigint(n.to_u64_digits()).into_affine();
    let mut rng = StdRng::seed_from_u64(2);
    let generator = G1Affine::generator();
    for p in SMALL {
        let torsion = loop {
            let any = G1Affine::get_point_from_x_unchecked(Fq::rand(&mut rng), true);
            let point = any.map(|any| times(any, &(&r * (exponent / p))));
            match point {
                Some(point) if !point.is_zero() => break point,
                _ => {}
            }
        };
        assert!(times(torsion, &p.into()).is_zero(), "r·(x − 1) kills the curve");
        let inside = times(generator, &Fr::rand(&mut rng).into_bigint().into());
        assert!(inside.is_in_correct_subgroup_assuming_on_curve());
        for multiple in [1, 2, p - 1] {
            let torsion = times(torsion, &multiple.into());
            for point in [torsion, (torsion + inside).into_affine()] {
                assert!(!point.is_in_correct_subgroup_assuming_on_curve(), "order {p}");
            }
        }
    }
}
