//! The interface against arkworks' own implementation of it.

use super::*;
use crate::tests::{bls12_381, bn254};
use ark_ec::AffineRepr;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_sample::Chain;

fn seed() -> StdRng {
    StdRng::seed_from_u64(42)
}

fn like_arkworks<C: PairingCurve>(circuit: impl ConstraintSynthesizer<Scalar<C>> + Clone, public: Scalar<C>) {
    let (ours, theirs) = (&mut seed(), &mut seed());
    let (pk, vk) = Groth16::<C>::setup(circuit.clone(), ours).unwrap();
    let expected = Ark::<C>::setup(circuit.clone(), theirs).unwrap();
    assert_eq!((&pk, &vk), (&expected.0, &expected.1));
    for _ in 0..2 {
        let proof = Groth16::<C>::prove(&pk, circuit.clone(), ours).unwrap();
        assert_eq!(proof, Ark::<C>::prove(&pk, circuit.clone(), theirs).unwrap(), "{}", C::NAME);
        let processed = Groth16::<C>::process_vk(&vk).unwrap();
        assert_eq!(processed.vk, Ark::<C>::process_vk(&vk).unwrap().vk);
        assert!(Groth16::<C>::verify_with_processed_vk(&processed, &[public], &proof).unwrap());
        assert!(!Groth16::<C>::verify(&vk, &[public + Scalar::<C>::from(1u64)], &proof).unwrap());
        assert!(!Groth16::<C>::verify(&vk, &[public], &Proof { c: proof.a, ..proof.clone() }).unwrap());
        let off = Proof { a: AffineRepr::zero(), ..proof };
        assert!(!Groth16::<C>::verify(&vk, &[public], &off).unwrap());
    }
    // As arkworks, both randoms of a proof and no more.
    assert_eq!(ours.next_u64(), theirs.next_u64());
}

#[test]
fn keys_and_proofs_of_equal_seeds_are_arkworks() {
    let circuit = Chain::<ark_bn254::Fr>::filling(4);
    like_arkworks::<bn254::Curve>(circuit.clone(), circuit.assignment()[1]);
    let circuit = Chain::<ark_bls12_381::Fr>::filling(5);
    like_arkworks::<bls12_381::Curve>(circuit.clone(), circuit.assignment()[1]);
}

#[test]
fn what_arkworks_lets_pass_is_an_error() {
    type C = bn254::Curve;
    let circuit = Chain::<ark_bn254::Fr>::filling(2);
    let (pk, vk) = Groth16::<C>::setup(circuit.clone(), &mut seed()).unwrap();
    let lie = Chain { claimed: Some(7u64.into()), ..circuit.clone() };
    let error = Groth16::<C>::prove(&pk, lie, &mut seed()).unwrap_err();
    assert!(matches!(error, SnarkError::Prove(ProveError::Unsatisfied { .. })), "{error}");
    let other = Groth16::<C>::prove(&pk, Chain::filling(3), &mut seed()).unwrap_err();
    assert!(matches!(other, SnarkError::Key(KeyError::OtherCircuit { .. })), "{other}");
    let proof = Groth16::<C>::prove(&pk, circuit.clone(), &mut seed()).unwrap();
    let public = circuit.assignment()[1];
    let extra = Groth16::<C>::verify(&vk, &[public, public], &proof).unwrap_err();
    assert!(
        matches!(extra, SnarkError::Verify(VerifyError::InputCount { expected: 1, found: 2 })),
        "{extra}"
    );
    let bad = VerifyingKey { gamma_g2: AffineRepr::zero(), ..vk };
    let error = Groth16::<C>::verify(&bad, &[public], &proof).unwrap_err();
    assert!(matches!(error, SnarkError::Verify(VerifyError::KeyPoint { .. })), "{error}");
}
