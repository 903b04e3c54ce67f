//! Curves declared by their families, whose types are all generated, against arkworks' crates: every
//! constant, the bytes of points and the pairing.
//!
//! Options are given where arkworks' choice is not that of the rules. Curves other than BN254 and BLS12-381,
//! which take minutes to build, and arkworks' templates, which take minutes to run, are for feature
//! `long-tests`.

mod bls12;
#[cfg(all(feature = "bls24-315", feature = "long-tests"))]
mod bls24;
#[cfg(feature = "bn254")]
mod bn;
#[cfg(all(feature = "bw6-761", feature = "long-tests"))]
mod bw6;
#[cfg(all(any(feature = "bw6-761", feature = "mnt6-298", feature = "mnt6-753"), feature = "long-tests"))]
mod fp6;
#[cfg(all(any(feature = "mnt4-298", feature = "mnt4-753"), feature = "long-tests"))]
mod mnt4;
#[cfg(all(any(feature = "mnt6-298", feature = "mnt6-753"), feature = "long-tests"))]
mod mnt6;
#[cfg(feature = "long-tests")]
mod toys;

use ark_ec::pairing::{Pairing, PairingOutput};
use ark_ec::short_weierstrass::{Affine, SWCurveConfig};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, PrimeField};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress};
use curvesmith_runtime::group::PairingCurve;

/// The canonical words of all coordinates over the prime field.
fn words<F: Field>(x: &F) -> Vec<Vec<u64>> {
    x.to_base_prime_field_elements().map(|c| c.into_bigint().as_ref().to_vec()).collect()
}

/// The same element, in as many words.
fn same<A: Field, B: Field>(ours: &A, theirs: &B) {
    assert_eq!(words(ours), words(theirs));
}

fn same_all<A: Field, B: Field>(ours: &[A], theirs: &[B]) {
    assert_eq!(ours.iter().map(words).collect::<Vec<_>>(), theirs.iter().map(words).collect::<Vec<_>>());
}

fn same_fields<A: PrimeField, B: PrimeField>() {
    assert_eq!(A::MODULUS.as_ref(), B::MODULUS.as_ref());
    assert_eq!((A::TWO_ADICITY, A::MODULUS_BIT_SIZE), (B::TWO_ADICITY, B::MODULUS_BIT_SIZE));
    same(&A::GENERATOR, &B::GENERATOR);
    same(&A::TWO_ADIC_ROOT_OF_UNITY, &B::TWO_ADIC_ROOT_OF_UNITY);
    assert_eq!(A::SMALL_SUBGROUP_BASE, B::SMALL_SUBGROUP_BASE);
    assert_eq!(A::SMALL_SUBGROUP_BASE_ADICITY, B::SMALL_SUBGROUP_BASE_ADICITY);
    let roots = (A::LARGE_SUBGROUP_ROOT_OF_UNITY, B::LARGE_SUBGROUP_ROOT_OF_UNITY);
    assert_eq!(roots.0.as_ref().map(words), roots.1.as_ref().map(words));
}

fn same_groups<A: SWCurveConfig, B: SWCurveConfig>() {
    assert_eq!(A::COFACTOR, B::COFACTOR);
    same(&A::COFACTOR_INV, &B::COFACTOR_INV);
    same(&A::COEFF_A, &B::COEFF_A);
    same(&A::COEFF_B, &B::COEFF_B);
    same_points(&A::GENERATOR, &B::GENERATOR);
}

fn same_points<A: AffineRepr, B: AffineRepr>(ours: &A, theirs: &B) {
    let coordinates = (ours.xy(), theirs.xy());
    match coordinates {
        (Some(ours), Some(theirs)) => {
            same(&ours.0, &theirs.0);
            same(&ours.1, &theirs.1);
        }
        (None, None) => (),
        _ => panic!("one of them is the identity"),
    }
}

/// Small multiples of the generator, of both signs of y, and the identity.
fn multiples<C: SWCurveConfig>() -> Vec<Affine<C>> {
    (0..6u64)
        .flat_map(|k| [C::GENERATOR * C::ScalarField::from(k), -(C::GENERATOR * C::ScalarField::from(k))])
        .map(|p| p.into_affine())
        .collect()
}

/// Both formats of points; each reads what the other has written.
fn same_bytes<A: SWCurveConfig, B: SWCurveConfig>() {
    for (ours, theirs) in multiples::<A>().iter().zip(&multiples::<B>()) {
        same_points(ours, theirs);
        for compress in [Compress::Yes, Compress::No] {
            let (mut bytes, mut expected) = (Vec::new(), Vec::new());
            ours.serialize_with_mode(&mut bytes, compress).expect("a vector grows");
            theirs.serialize_with_mode(&mut expected, compress).expect("a vector grows");
            assert_eq!(bytes, expected);
            let validate = ark_serialize::Validate::Yes;
            let read = Affine::<A>::deserialize_with_mode(&*expected, compress, validate);
            assert_eq!(read.as_ref().ok(), Some(ours));
        }
    }
}

/// The pairing of the generators and of two multiples, and what markers name.
fn same_pairings<C: PairingCurve, E: Pairing>(name: &str) {
    assert_eq!(C::NAME, name);
    same_fields::<<C::Engine as Pairing>::BaseField, E::BaseField>();
    same_fields::<<C::Engine as Pairing>::ScalarField, E::ScalarField>();
    fn pair<E: Pairing>(a: u64, b: u64) -> PairingOutput<E> {
        let (p, q) = (E::G1Affine::generator(), E::G2Affine::generator());
        E::pairing(p * E::ScalarField::from(a), q * E::ScalarField::from(b))
    }
    let ours = pair::<C::Engine>(1, 1);
    same(&ours.0, &pair::<E>(1, 1).0);
    same(&pair::<C::Engine>(3, 5).0, &pair::<E>(5, 3).0);
    assert!(ours.0 != <C::Engine as Pairing>::TargetField::ONE);
    assert!(ours.0.pow(E::ScalarField::characteristic()) == <C::Engine as Pairing>::TargetField::ONE);
}
