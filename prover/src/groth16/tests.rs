//! Proofs against known answers, against ark-groth16, and with injected faults.

use super::stages::{DeviceKey, Place, Source};
use super::*;
use crate::snarkjs::json::{JsonFile, proof_to_json};
use crate::tests::{BLS_MULT, BN_MULT, SEMAPHORE, bls12_381, bn254, fixture};
use crate::{KeyElement, Weakness, verify};
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field as _, PrimeField, Zero};
use ark_groth16::r1cs_to_qap::LibsnarkReduction;
use ark_relations::gr1cs::predicate::PredicateConstraintSystem;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, SynthesisError, Variable,
};
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_runtime::group::ProjectiveOf;
use curvesmith_sample::Chain;
use serde_json::Value;

fn load<C: ZkeyCurve>(case: &str) -> (Groth16<C>, Witness<C>) {
    let key = fixture(case, "circuit.zkey");
    let prover = Groth16::from_zkey(&Device::cpu(), &key, &KeyOptions::default()).unwrap();
    (prover, Witness::from_wtns(&fixture(case, "witness.wtns")).unwrap())
}

fn json(case: &str, file: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture(case, file)).unwrap()).unwrap()
}

fn number<F: PrimeField>(value: &Value) -> F {
    value.as_str().and_then(|s| F::from_str(s).ok()).unwrap()
}

/// The `pi_a`-like arrays of a proof whose points are these.
fn points_json<C: PairingCurve>(a: ProjectiveOf<C::G1>, b: ProjectiveOf<C::G2>) -> (Value, Value) {
    let proof = Proof { a: a.into_affine(), b: b.into_affine(), c: a.into_affine() };
    let value: Value = serde_json::from_str(&proof_to_json::<C>(&proof)).unwrap();
    (value["pi_a"].clone(), value["pi_b"].clone())
}

fn known_answers<C: ZkeyCurve>(case: &str) {
    let (prover, witness) = load::<C>(case);
    let stages = json(case, "stages.json");
    let r_s = [number::<Scalar<C>>(&stages["r"]), number(&stages["s"])];
    let zero = Scalar::<C>::zero();
    for (randomness, file) in [([zero, zero], "kat_r0_s0.proof.json"), (r_s, "kat_r1_s1.proof.json")] {
        let (proof, _) =
            prover.prove_randomized(&witness, &randomness, Detail::Counts, &Cancel::default()).unwrap();
        let found: Value = serde_json::from_str(&proof_to_json::<C>(&proof)).unwrap();
        assert_eq!(found, json(case, file), "{case} {file}");
    }
}

#[test]
fn proofs_are_the_known_answers() {
    known_answers::<bn254::Curve>(BN_MULT);
    known_answers::<bls12_381::Curve>(BLS_MULT);
    known_answers::<bn254::Curve>(SEMAPHORE);
}

fn stage_values<C: ZkeyCurve>(case: &str) {
    let (prover, witness) = load::<C>(case);
    let expected = json(case, "stages.json");
    let h = prover.key.h_scalars(prover.device(), witness.values()).unwrap();
    assert_eq!(h.len() as u64, expected["domainSize"].as_u64().unwrap());
    assert_eq!(witness.values().len() as u64, expected["nVars"].as_u64().unwrap());
    let weighted = h.iter().zip(1u64..).map(|(h, i)| *h * Scalar::<C>::from(i)).sum::<Scalar<C>>();
    for (name, found) in [
        ("h_0", h[0]),
        ("h_1", h[1]),
        ("h_last", h[h.len() - 1]),
        ("h_sum", h.iter().sum()),
        ("h_weighted_sum_(i+1)*h_i", weighted),
    ] {
        assert_eq!(found, number(&expected[name]), "{case} {name}");
    }
    let work = prover.device().work().unwrap();
    let (sums, pending) = prover.key.submit(&work, witness.values(), None).unwrap().opening(&work).unwrap();
    let last = pending.closing(&work).unwrap();
    for (name, sum) in [("msm_A", sums.a), ("msm_B1", sums.b_g1), ("msm_C", last.l), ("msm_H", last.h)] {
        assert_eq!(points_json::<C>(sum, sums.b_g2).0, expected[name], "{case} {name}");
    }
    assert_eq!(points_json::<C>(sums.a, sums.b_g2).1, expected["msm_B2"], "{case}");
}

#[test]
fn stages_are_the_known_values() {
    stage_values::<bn254::Curve>(BN_MULT);
    stage_values::<bls12_381::Curve>(BLS_MULT);
    stage_values::<bn254::Curve>(SEMAPHORE);
}

#[test]
fn randomized_proofs_differ_and_verify() {
    let (prover, witness) = load::<bls12_381::Curve>(BLS_MULT);
    let mut rng = StdRng::seed_from_u64(3);
    let (first, stats) = prover.prove_with_stats(&witness, &mut rng, Detail::Stages).unwrap();
    let second = prover.prove(&witness, &mut rng).unwrap();
    assert_ne!(first, second);
    let public = &witness.values()[1..=3];
    let vk = JsonFile::read(&fixture(BLS_MULT, "verification_key.json"))
        .unwrap()
        .verification_key::<bls12_381::Curve>()
        .unwrap();
    verify::<bls12_381::Curve>(&vk, public, &first).unwrap();
    verify::<bls12_381::Curve>(&vk, public, &second).unwrap();
    let names: Vec<&str> = stats.stages.iter().map(|stage| &*stage.name).collect();
    for name in
        ["upload", "digits", "spmv", "ntt", "msm a", "msm b2", "msm h", "a and b", "check of c", "self-check"]
    {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(stats.stages.iter().map(|stage| stage.host).sum::<std::time::Duration>() <= stats.total);
}

/// As snarkjs leaves a key between its two phases: γ = δ.
#[test]
fn weak_keys_are_refused_on_request() {
    type C = bn254::Curve;
    let read = || ZkeyFile::open(&fixture(BN_MULT, "circuit.zkey")).unwrap().read::<C>(false).unwrap();
    let load = |key, options: &KeyOptions| Groth16::<C>::from_zkey_parts(&Device::cpu(), key, options);
    let strict = KeyOptions::default().refuse_weak(true);
    assert_eq!(load(read(), &strict).unwrap().weaknesses(), []);
    let mut weak = read();
    weak.vk.gamma_g2 = weak.vk.delta_g2;
    let expected = Weakness::Equal(KeyElement::Gamma, KeyElement::Delta);
    let found = load(weak, &strict).map(|_| ());
    assert!(matches!(found, Err(KeyError::Weak(weakness)) if weakness == expected), "{found:?}");
    let mut weak = read();
    weak.vk.gamma_g2 = weak.vk.delta_g2;
    assert_eq!(load(weak, &KeyOptions::default()).unwrap().weaknesses(), [expected]);
    // What only a proving key shows.
    let mut weak = read();
    weak.delta_g1 = -weak.vk.alpha_g1;
    let found = load(weak, &strict).map(|_| ()).unwrap_err();
    assert_eq!(found.to_string(), "anyone can make proofs under this key: alpha and delta are opposite");
}

#[test]
fn batches_prove_what_can_be_proven() {
    let (prover, witness) = load::<bn254::Curve>(BN_MULT);
    let values = witness.values();
    let mut lie = values.to_vec();
    lie[4] += Scalar::<bn254::Curve>::ONE;
    let witnesses = [values, &values[1..], values, &lie].map(|values| Witness::new(values.to_vec()));
    let found = prover.prove_batch(&witnesses, &mut StdRng::seed_from_u64(9));
    let [Ok(first), Err(short), Ok(second), Err(unsatisfied)] = &found[..] else { panic!("{found:?}") };
    assert_ne!(first.a, second.a, "each has randomness of its own");
    for proof in [first, second] {
        verify::<bn254::Curve>(prover.verifying_key(), &values[1..=3], proof).unwrap();
    }
    assert!(matches!(short, ProveError::WitnessLength { .. }));
    assert!(matches!(unsatisfied, ProveError::SelfCheck { fault: Fault::Witness, .. }));
}

#[test]
fn witnesses_of_other_circuits_are_refused() {
    let (prover, witness) = load::<bn254::Curve>(BN_MULT);
    let mut rng = StdRng::seed_from_u64(4);
    let mut values = witness.values().to_vec();
    values.pop();
    let error = prover.prove(&Witness::new(values.clone()), &mut rng).unwrap_err();
    assert_eq!(error.to_string(), "witness has 4 values, but the circuit has 5 wires");
    values.push(values[1]);
    values[0].double_in_place();
    let error = prover.prove(&Witness::new(values), &mut rng).unwrap_err();
    assert!(matches!(error, ProveError::WitnessConstant));
    assert!(matches!(
        prover.prove(&Witness::new(Vec::new()), &mut rng),
        Err(ProveError::WitnessLength { expected: 5, found: 0 })
    ));
}

#[test]
fn a_failed_self_check_names_the_culprit() {
    type C = bn254::Curve;
    let fault = |prover: &Groth16<C>, witness: &Witness<C>| match prover
        .prove(witness, &mut StdRng::seed_from_u64(5))
    {
        Err(ProveError::SelfCheck { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    let (good, witness) = load::<C>(BN_MULT);
    let mut wrong = witness.values().to_vec();
    wrong[4] += Scalar::<C>::ONE;
    let wrong = Witness::<C>::new(wrong);
    assert_eq!(fault(&good, &wrong), Fault::Witness);

    // A device that adds `error` to the sum over A: wire 0 is one.
    let faulty = |error: ProjectiveOf<<C as PairingCurve>::G1>| {
        let (mut prover, _) = load::<C>(BN_MULT);
        let read = || ZkeyFile::open(&fixture(BN_MULT, "circuit.zkey")).unwrap().read::<C>(false).unwrap();
        prover.host = Some(HostKey::from_zkey(read()).unwrap());
        let mut wrong = HostKey::from_zkey(read()).unwrap();
        wrong.a_query[0] = (wrong.a_query[0] + error).into_affine();
        prover.key = DeviceKey::new(&Device::cpu(), Source::Take(&mut wrong), Place::OnDevice).unwrap();
        prover
    };
    let faulty_device = faulty(good.points.delta_g1.into());
    assert_eq!(fault(&faulty_device, &witness), Fault::Device);
    assert_eq!(fault(&faulty_device, &wrong), Fault::WitnessAndDevice);
    let sound_device = faulty(ProjectiveOf::<<C as PairingCurve>::G1>::zero());
    assert_eq!(fault(&sound_device, &wrong), Fault::Witness);
    sound_device.prove(&witness, &mut StdRng::seed_from_u64(6)).unwrap();

    let unchecked = KeyOptions::default().self_check(false);
    let path = fixture(BN_MULT, "circuit.zkey");
    let prover = Groth16::<C>::from_zkey(&Device::cpu(), &path, &unchecked).unwrap();
    let proof = prover.prove(&wrong, &mut StdRng::seed_from_u64(7)).unwrap();
    assert!(verify::<C>(prover.verifying_key(), &wrong.values()[1..=3], &proof).is_err());
}

fn like_ark_groth16<C: PairingCurve>(steps: u64) {
    type Ark<E> = ark_groth16::Groth16<E, LibsnarkReduction>;
    let mut rng = StdRng::seed_from_u64(steps);
    let circuit = Chain { start: Scalar::<C>::from(3u64), steps, claimed: None };
    let (key, _) = Ark::<C::Engine>::circuit_specific_setup(circuit.clone(), &mut rng).unwrap();
    let r1cs = constraints_of(circuit.clone()).unwrap();
    let prover = Groth16::<C>::from_ark(&Device::cpu(), &key, r1cs, &KeyOptions::default()).unwrap();
    let [r, s] = [Scalar::<C>::rand(&mut rng), Scalar::<C>::rand(&mut rng)];
    let theirs = Ark::<C::Engine>::create_proof_with_reduction(circuit.clone(), &key, r, s).unwrap();
    let (ours, _) = prover
        .prove_randomized(&Witness::new(circuit.assignment()), &[r, s], Detail::Counts, &Cancel::default())
        .unwrap();
    assert_eq!(ours, theirs, "{} steps on {}", steps, C::NAME);
    prover.prove_circuit(circuit.clone(), &mut rng).unwrap();

    let lie = Chain { claimed: Some(Scalar::<C>::from(7u64)), ..circuit.clone() };
    let error = prover.prove_circuit(lie, &mut rng).unwrap_err();
    assert!(error.to_string().contains(&(steps - 1).to_string()), "{error}");
    assert!(matches!(error, ProveError::Unsatisfied { .. }));
    let longer = Chain { steps: steps + 1, ..circuit.clone() };
    assert!(matches!(prover.prove_circuit(longer, &mut rng), Err(ProveError::WitnessLength { .. })));

    let mut short = key.clone();
    short.h_query.pop();
    let r1cs = constraints_of(circuit.clone()).unwrap();
    let error = Groth16::<C>::from_ark(&Device::cpu(), &short, r1cs.clone(), &KeyOptions::default());
    assert!(matches!(error, Err(KeyError::OtherCircuit { .. })));
    let mut wide = r1cs;
    wide.c.columns[0] = u32::MAX - 1;
    wide.c.width = u32::MAX;
    let error = Groth16::<C>::from_ark(&Device::cpu(), &key, wide, &KeyOptions::default());
    assert!(matches!(error, Err(KeyError::OtherCircuit { .. })));
}

#[test]
fn keys_of_other_circuits_are_told_by_both_sizes() {
    type Circuit = Chain<ark_bn254::Fr>;
    let circuit = Circuit::filling(3);
    let mut rng = StdRng::seed_from_u64(6);
    let (key, _) =
        ark_groth16::Groth16::<ark_bn254::Bn254>::circuit_specific_setup(circuit, &mut rng).unwrap();
    let load = |other: Circuit| {
        let r1cs = constraints_of(other).unwrap();
        Groth16::<bn254::Curve>::from_ark(&Device::cpu(), &key, r1cs, &KeyOptions::default()).map(|_| ())
    };
    load(Circuit::filling(3)).unwrap();
    let key = "the key is for another circuit: it takes at most 6 constraints on 8 wires, in a domain of 8";
    for (log, circuit) in [
        (2, "2 constraints on at least 4 wires, in a domain of 4"),
        (4, "14 constraints on at least 16 wires, in a domain of 16"),
    ] {
        let fault = load(Circuit::filling(log)).unwrap_err().to_string();
        assert_eq!(fault, format!("{key}; this circuit has {circuit}"));
    }
}

#[test]
fn ark_keys_with_points_off_the_curve_are_refused() {
    let mut rng = StdRng::seed_from_u64(5);
    let circuit = Chain::<ark_bn254::Fr>::filling(3);
    let (key, _) =
        ark_groth16::Groth16::<ark_bn254::Bn254>::circuit_specific_setup(circuit.clone(), &mut rng).unwrap();
    let load = |damage: fn(&mut ProvingKey<ark_bn254::Bn254>), options: &KeyOptions| {
        let (mut key, r1cs) = (key.clone(), constraints_of(circuit.clone()).unwrap());
        damage(&mut key);
        Groth16::<bn254::Curve>::from_ark(&Device::cpu(), &key, r1cs, options).map(|_| ())
    };
    let checked = KeyOptions::default();
    load(|_| {}, &checked).unwrap();
    let damages: [fn(&mut ProvingKey<ark_bn254::Bn254>); 4] = [
        |key| key.delta_g1.x += key.delta_g1.x,
        |key| key.vk.gamma_g2.x += key.vk.gamma_g2.x,
        |key| key.vk.gamma_abc_g1[1].x += key.delta_g1.x,
        |key| key.h_query[2].x += key.delta_g1.x,
    ];
    for (i, damage) in damages.into_iter().enumerate() {
        let error = load(damage, &checked);
        assert!(matches!(error, Err(KeyError::OffCurve { .. })), "{i}: {error:?}");
        load(damage, &KeyOptions::default().trust_key(true)).unwrap();
    }
}

#[test]
fn proofs_from_ark_keys_are_those_of_ark_groth16() {
    for steps in [1, 2, 6, 7, 100] {
        like_ark_groth16::<bn254::Curve>(steps);
    }
    like_ark_groth16::<bls12_381::Curve>(30);
}

/// Knowledge of an `x` with `(2·(x + 1) + addend)·x = end`, and of its square.
#[derive(Clone)]
struct Nested {
    addend: u64,
    end: u64,
    /// What is claimed to be the square of `x`.
    square: u64,
    /// Whether that is asked for, by a predicate of its own: `ark_groth16` makes no keys of such circuits.
    squares: bool,
}

impl<F: PrimeField> ConstraintSynthesizer<F> for Nested {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let one = |k: u64| (F::from(k), Variable::One);
        let end = cs.new_input_variable(|| Ok(F::from(self.end)))?;
        let x = cs.new_witness_variable(|| Ok(F::from(5u64)))?;
        let sum = cs.new_lc(|| LinearCombination::from(x) + one(1))?;
        let factor = cs.new_lc(|| LinearCombination::from((F::from(2u64), sum)) + one(self.addend))?;
        cs.enforce_r1cs_constraint(|| factor.into(), || x.into(), || end.into())?;
        let square = cs.new_witness_variable(|| Ok(F::from(self.square)))?;
        if self.squares {
            cs.register_predicate("square", PredicateConstraintSystem::new_sr1cs_predicate()?)?;
            cs.enforce_constraint_arity_2("square", || x.into(), || square.into())?;
        }
        Ok(())
    }
}

#[test]
fn circuits_are_checked_by_the_key_or_by_themselves() {
    type C = bn254::Curve;
    let mut rng = StdRng::seed_from_u64(11);
    let good = Nested { addend: 3, end: 75, square: 25, squares: false };
    let (key, _) =
        ark_groth16::Groth16::<ark_bn254::Bn254>::circuit_specific_setup(good.clone(), &mut rng).unwrap();
    let r1cs = constraints_of(good.clone()).unwrap();
    let prover = Groth16::<C>::from_ark(&Device::cpu(), &key, r1cs, &KeyOptions::default()).unwrap();
    let prove = |circuit| prover.prove_circuit(circuit, &mut StdRng::seed_from_u64(12));
    let unsatisfied = |proof| matches!(proof, Err(ProveError::Unsatisfied { .. }));
    let proof = prove(good.clone()).unwrap();
    verify::<C>(prover.verifying_key(), &[75u64.into()], &proof).unwrap();
    assert!(unsatisfied(prove(Nested { end: 76, ..good.clone() })));
    // Sound in itself, of as many wires, and not what the key is for.
    let other = prove(Nested { addend: 4, end: 80, ..good.clone() });
    assert!(matches!(other, Err(ProveError::SelfCheck { fault: Fault::Witness, .. })), "{other:?}");
    // What the key knows nothing of is checked too.
    prove(Nested { squares: true, ..good.clone() }).unwrap();
    assert!(unsatisfied(prove(Nested { square: 26, squares: true, ..good })));
}
