//! ark-groth16 proving with snarkjs' keys, to measure beside.

use ark_bn254::{Bn254, Fr};
use ark_ff::PrimeField;
use ark_groth16::r1cs_to_qap::{LibsnarkReduction, R1CSToQAP};
use ark_groth16::{Groth16, Proof, ProvingKey};
use ark_poly::EvaluationDomain;
use ark_relations::gr1cs::{ConstraintSystemRef, Result as R1csResult, SynthesisError};
use ark_relations::utils::matrix::Matrix;
use curvesmith::snarkjs::Zkey;
use curvesmith::{Csr, bn254};

/// snarkjs' quotient as an ark-groth16 reduction. Its matrices hold the rows that bind
/// public inputs, and the domain is as large as they have rows.
struct CircomQuotient;

impl R1CSToQAP for CircomQuotient {
    #[allow(clippy::type_complexity, reason = "the trait's signature")]
    fn instance_map_with_evaluation<F: PrimeField, D: EvaluationDomain<F>>(
        cs: ConstraintSystemRef<F>,
        t: &F,
    ) -> R1csResult<(Vec<F>, Vec<F>, Vec<F>, F, usize, usize)> {
        LibsnarkReduction::instance_map_with_evaluation::<F, D>(cs, t)
    }

    fn witness_map_from_matrices<F: PrimeField, D: EvaluationDomain<F>>(
        matrices: &[Matrix<F>],
        _inputs: usize,
        rows: usize,
        assignment: &[F],
    ) -> R1csResult<Vec<F>> {
        use rayon::prelude::*;
        let domain = D::new(rows).ok_or(SynthesisError::PolynomialDegreeTooLarge)?;
        let product = |matrix: &Matrix<F>| -> Vec<F> {
            matrix.par_iter().map(|row| row.iter().map(|(v, i)| *v * assignment[*i]).sum()).collect()
        };
        let (mut a, mut b) = (product(&matrices[0]), product(&matrices[1]));
        let mut c: Vec<F> = a.par_iter().zip(&b).map(|(a, b)| *a * b).collect();
        let double = D::new(2 * domain.size()).ok_or(SynthesisError::PolynomialDegreeTooLarge)?;
        let coset = domain.get_coset(double.group_gen()).ok_or(SynthesisError::PolynomialDegreeTooLarge)?;
        for values in [&mut a, &mut b, &mut c] {
            domain.ifft_in_place(values);
            coset.fft_in_place(values);
        }
        Ok(a.par_iter().zip(&b).zip(&c).map(|((a, b), c)| *a * b - c).collect())
    }

    fn h_query_scalars<F: PrimeField, D: EvaluationDomain<F>>(
        max_power: usize,
        t: F,
        zt: F,
        delta_inverse: F,
    ) -> Result<Vec<F>, SynthesisError> {
        LibsnarkReduction::h_query_scalars::<F, D>(max_power, t, zt, delta_inverse)
    }
}

/// A key of snarkjs, ready for ark-groth16.
pub struct ArkProver {
    key: ProvingKey<Bn254>,
    matrices: Vec<Matrix<Fr>>,
}

impl ArkProver {
    /// Converts a key.
    pub fn new(key: Zkey<bn254::Curve>) -> Self {
        let matrices = vec![rows(&key.a), rows(&key.b)];
        let key = ProvingKey {
            vk: key.vk,
            beta_g1: key.beta_g1,
            delta_g1: key.delta_g1,
            a_query: key.a_query,
            b_g1_query: key.b_g1_query,
            b_g2_query: key.b_g2_query,
            h_query: key.h_query,
            l_query: key.l_query,
        };
        Self { key, matrices }
    }

    /// Proves a full assignment.
    pub fn prove(&self, assignment: &[Fr], r: Fr, s: Fr) -> R1csResult<Proof<Bn254>> {
        Groth16::<Bn254, CircomQuotient>::create_proof_with_reduction_and_matrices(
            &self.key,
            r,
            s,
            &self.matrices,
            self.key.vk.gamma_abc_g1.len(),
            self.matrices[0].len(),
            assignment,
        )
    }
}

/// A matrix as arkworks has it.
pub fn rows(matrix: &Csr<Fr>) -> Matrix<Fr> {
    let row = |range: &[u32]| {
        let entries = range[0] as usize..range[1] as usize;
        entries.map(|i| (matrix.values[i], matrix.columns[i] as usize)).collect()
    };
    matrix.row_offsets.windows(2).map(row).collect()
}
