//! arkworks circuits in, proofs out.

use super::{Groth16, ProveError};
use crate::r1cs::{R1cs, Witness};
use ark_groth16::Proof;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, ConstraintSystemRef, OptimizationGoal, R1CS_PREDICATE_LABEL,
    SynthesisError, SynthesisMode,
};
use ark_std::rand::{CryptoRng, RngCore};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::PairingCurve;
use zeroize::Zeroizing;

/// With matrices, by which an unsatisfied constraint is found.
pub(crate) const PROVE: SynthesisMode =
    SynthesisMode::Prove { construct_matrices: true, generate_lc_assignments: false };

type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;

impl<C: PairingCurve> Groth16<C> {
    /// Synthesizes `circuit` exactly as `ark-groth16` does and proves its assignment.
    ///
    /// Where the assignment satisfies the constraints that the key was made from, those of `circuit` are not
    /// made into matrices.
    ///
    /// Errors: those of [`Groth16::prove`]; a synthesis that fails; a constraint that the
    /// assignment breaks, which is named; a circuit of another size than the key's.
    pub fn prove_circuit(
        &self,
        circuit: impl ConstraintSynthesizer<Scalar<C>>,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Proof<C::Engine>, ProveError> {
        let cs = synthesize(circuit, PROVE)?;
        let witness = self.checked_by_key(&cs)?;
        self.prove_assignment(&cs, &witness, rng)
    }

    /// The full assignment of a circuit, if it breaks none of the key's constraints or of its own.
    fn checked_by_key(&self, cs: &ConstraintSystemRef<Scalar<C>>) -> Result<Witness<C>, ProveError> {
        let witness = assignment::<C>(cs)?;
        // Of other predicates than rank-1 constraints a key knows nothing.
        let may_know = cs.num_predicates() == 1 && witness.values().len() == self.wires;
        if may_know && self.key.is_satisfied_by(&self.device, self.wipe, witness.values())? == Some(true) {
            return Ok(witness);
        }
        checked::<C>(cs, &constraints_in(cs)?, witness)
    }

    /// Proves the assignment of a circuit that was synthesized in mode [`PROVE`], after it was
    /// checked.
    pub(crate) fn prove_assignment(
        &self,
        cs: &ConstraintSystemRef<Scalar<C>>,
        witness: &Witness<C>,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Proof<C::Engine>, ProveError> {
        if cs.num_instance_variables() != self.public_inputs() + 1 {
            let (expected, found) = (self.public_inputs() + 1, cs.num_instance_variables());
            return Err(ProveError::OtherCircuit { what: "instance variables", expected, found });
        }
        self.prove(witness, rng)
    }
}

/// Synthesizes `circuit` as [`Groth16::prove_circuit`] does and returns its assignment, for the calls that
/// take one.
///
/// Errors: a synthesis that fails; a constraint that the assignment breaks, which is named.
pub fn witness_of<C: PairingCurve>(
    circuit: impl ConstraintSynthesizer<Scalar<C>>,
) -> Result<Witness<C>, ProveError> {
    let cs = synthesize(circuit, PROVE)?;
    checked_assignment(&cs, &constraints_in(&cs)?)
}

/// The full assignment of a circuit whose constraints are `constraints`, if it breaks none of them.
///
/// arkworks' own check takes one constraint after the other and costs more than a proof. It names
/// what is broken, and checks predicates other than rank-1 constraints where a circuit has some.
pub(crate) fn checked_assignment<C: PairingCurve>(
    cs: &ConstraintSystemRef<Scalar<C>>,
    constraints: &R1cs<Scalar<C>>,
) -> Result<Witness<C>, ProveError> {
    checked(cs, constraints, assignment(cs)?)
}

/// The full assignment of a circuit, whatever it breaks.
fn assignment<C: PairingCurve>(cs: &ConstraintSystemRef<Scalar<C>>) -> Result<Witness<C>, ProveError> {
    let (instance, rest) =
        (Zeroizing::new(cs.instance_assignment()?), Zeroizing::new(cs.witness_assignment()?));
    // In one allocation: one that grew would leave a copy behind that nobody wipes.
    Ok(Witness::new([&instance[..], &rest[..]].concat()))
}

/// A circuit's assignment, if it breaks none of the constraints.
fn checked<C: PairingCurve>(
    cs: &ConstraintSystemRef<Scalar<C>>,
    constraints: &R1cs<Scalar<C>>,
    witness: Witness<C>,
) -> Result<Witness<C>, ProveError> {
    let broken = constraints.first_unsatisfied(witness.values());
    if broken.is_some() || cs.num_predicates() > 1 {
        let named = cs.which_is_unsatisfied()?;
        if let Some(constraint) = named.or_else(|| broken.map(|row| row.to_string())) {
            return Err(ProveError::Unsatisfied { constraint });
        }
    }
    Ok(witness)
}

/// Synthesizes `circuit` exactly as `ark-groth16`'s key generation does and returns its
/// constraints, for [`Groth16::from_ark`].
pub fn constraints_of<F: ark_ff::PrimeField>(
    circuit: impl ConstraintSynthesizer<F>,
) -> Result<R1cs<F>, ProveError> {
    constraints_in(&synthesize(circuit, SynthesisMode::Setup)?)
}

/// The constraints of a circuit that was synthesized, linear combinations of others inlined, as `ark-groth16`
/// has them.
pub(crate) fn constraints_in<F: ark_ff::PrimeField>(
    cs: &ConstraintSystemRef<F>,
) -> Result<R1cs<F>, ProveError> {
    cs.finalize();
    let matrices = cs.to_matrices()?;
    let matrices = matrices.get(R1CS_PREDICATE_LABEL).ok_or(SynthesisError::PredicateNotFound)?;
    Ok(R1cs::try_from(matrices.as_slice())?)
}

pub(crate) fn synthesize<F: ark_ff::PrimeField>(
    circuit: impl ConstraintSynthesizer<F>,
    mode: SynthesisMode,
) -> Result<ConstraintSystemRef<F>, ProveError> {
    let cs = ConstraintSystem::new_ref();
    cs.set_optimization_goal(OptimizationGoal::Constraints);
    cs.set_mode(mode);
    circuit.generate_constraints(cs.clone())?;
    // Outlined inputs are wires of their own; all else that this does is for matrices.
    if cs.should_outline_instances() {
        cs.finalize();
    }
    Ok(cs)
}
