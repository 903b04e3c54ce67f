//! Circuits of any size, to measure and to try out with.

mod sha256;

pub use sha256::Sha256;

use ark_ff::PrimeField;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, SynthesisError, Variable,
};
use std::fmt;

/// Knowledge of an `x_0` whose chain `x_{i+1} = x_i·(x_i + i)` ends in a public value: one
/// constraint per step, and a witness of full-size numbers.
#[derive(Clone)]
pub struct Chain<F> {
    /// `x_0`.
    pub start: F,
    /// Steps, at least 1; with 2^k − 2 of them the domain has exactly 2^k elements.
    pub steps: u64,
    /// The public value claimed; `None` for the true one.
    pub claimed: Option<F>,
}

impl<F> fmt::Debug for Chain<F> {
    // The start is the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl<F: PrimeField> Chain<F> {
    /// The circuit that fills a domain of `2^log_domain`, `log_domain ≥ 2`.
    pub fn filling(log_domain: u32) -> Self {
        Self { start: F::from(3u64), steps: (1 << log_domain) - 2, claimed: None }
    }

    /// The full assignment: one, the claimed end, x_0, …, the last x but one.
    pub fn assignment(&self) -> Vec<F> {
        let mut values = vec![F::ONE, F::ZERO];
        let mut value = self.start;
        for i in 0..self.steps {
            values.push(value);
            value *= value + F::from(i);
        }
        values[1] = self.claimed.unwrap_or(value);
        values
    }
}

impl<F: PrimeField> ConstraintSynthesizer<F> for Chain<F> {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let values = self.assignment();
        let end = cs.new_input_variable(|| Ok(values[1]))?;
        let mut wire = cs.new_witness_variable(|| Ok(values[2]))?;
        for i in 0..self.steps {
            let next = match values.get(i as usize + 3) {
                Some(value) => cs.new_witness_variable(|| Ok(*value))?,
                None => end,
            };
            let factor = (F::from(i), Variable::One);
            cs.enforce_r1cs_constraint(
                || wire.into(),
                || LinearCombination::from(wire) + factor,
                || next.into(),
            )?;
            wire = next;
        }
        Ok(())
    }
}
