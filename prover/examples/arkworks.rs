//! A program written for arkworks, with gadgets of ark-r1cs-std, that proves with
//! curvesmith: two imported names differ, of the proof system and of the curve.
//!
//! ```sh
//! cargo run --release --example arkworks
//! ```

use ark_bls12_381::Fr;
use ark_r1cs_std::alloc::AllocVar;
use ark_r1cs_std::eq::EqGadget;
use ark_r1cs_std::fields::FieldVar;
use ark_r1cs_std::fields::fp::FpVar;
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError};
use ark_snark::SNARK;
use ark_std::rand::{SeedableRng, rngs::StdRng};
// It was: use {ark_bls12_381::Bls12_381, ark_groth16::Groth16};
use curvesmith::{bls12_381::Curve as Bls12_381, snark::Groth16};

/// Rounds of the permutation, which is MiMC's with counters for constants: an example, not a hash.
const ROUNDS: u64 = 110;

/// Knowledge of a preimage.
#[derive(Clone, Debug)]
struct Preimage {
    preimage: Fr,
    /// What everybody knows.
    image: Fr,
}

impl Preimage {
    /// That of the image of `preimage`.
    fn of(preimage: Fr) -> Self {
        let round = |x: Fr, i| {
            let x = x + Fr::from(i);
            x * x * x * x * x
        };
        Self { preimage, image: (0..ROUNDS).fold(preimage, round) }
    }
}

impl ConstraintSynthesizer<Fr> for Preimage {
    fn generate_constraints(self, cs: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let image = FpVar::new_input(cs.clone(), || Ok(self.image))?;
        let mut x = FpVar::new_witness(cs, || Ok(self.preimage))?;
        for i in 0..ROUNDS {
            x += Fr::from(i);
            x = x.square()?.square()? * x;
        }
        x.enforce_equal(&image)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A real program asks the operating system for randomness.
    let mut rng = StdRng::seed_from_u64(1);
    let circuit = Preimage::of(Fr::from(17u64));
    let public = [circuit.image];
    let (pk, vk) = Groth16::<Bls12_381>::circuit_specific_setup(circuit.clone(), &mut rng)?;
    let proof = Groth16::<Bls12_381>::prove(&pk, circuit, &mut rng)?;
    if !Groth16::<Bls12_381>::verify(&vk, &public, &proof)? {
        return Err("the proof is not valid".into());
    }
    println!("proved and verified");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_groth16::Groth16 as Arkworks;

    #[test]
    fn it_proves() {
        main().expect("the example");
    }

    #[test]
    fn equal_seeds_give_the_bytes_of_arkworks() {
        let (ours, theirs) = (&mut StdRng::seed_from_u64(2), &mut StdRng::seed_from_u64(2));
        let circuit = Preimage::of(Fr::from(5u64));
        let (pk, _) = Groth16::<Bls12_381>::circuit_specific_setup(circuit.clone(), ours).expect("keys");
        let setup = Arkworks::<ark_bls12_381::Bls12_381>::circuit_specific_setup(circuit.clone(), theirs);
        assert_eq!(pk, setup.expect("keys").0);
        let proof = Groth16::<Bls12_381>::prove(&pk, circuit.clone(), ours).expect("a proof");
        let expected = Arkworks::<ark_bls12_381::Bls12_381>::prove(&pk, circuit, theirs);
        assert_eq!(proof, expected.expect("a proof"));
    }
}
