//! Constraint systems and witnesses as the prover takes them.

use ark_ff::PrimeField;
use ark_relations::utils::matrix::Matrix;
use curvesmith_runtime::Csr;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::PairingCurve;
use curvesmith_runtime::parallel::first;
use std::fmt;
use zeroize::Zeroizing;

/// A rank-1 constraint system: `(A·w) ∘ (B·w) = C·w` for the full assignment `w`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct R1cs<F> {
    /// A; one row per constraint.
    pub a: Csr<F>,
    /// B, of as many rows.
    pub b: Csr<F>,
    /// C, of as many rows.
    pub c: Csr<F>,
}

/// arkworks matrices are no rank-1 constraint system that fits 32-bit indices.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum R1csError {
    /// Another number of matrices than A, B and C, as predicates of other arities have.
    #[error("{found} matrices, expected 3")]
    Arity {
        /// Number given.
        found: usize,
    },
    /// The matrices have different numbers of rows.
    #[error("matrix {matrix} has {found} rows, expected {expected}")]
    Rows {
        /// `A`, `B` or `C`.
        matrix: char,
        /// Rows of A.
        expected: usize,
        /// Rows of this one.
        found: usize,
    },
    /// More rows, columns or entries than 32-bit indices can name.
    #[error("matrix {matrix} has {found} {what}, at most {limit} are supported")]
    TooLarge {
        /// `A`, `B` or `C`.
        matrix: char,
        /// Rows, columns or entries.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there can be.
        limit: u32,
    },
}

impl<F: PrimeField> TryFrom<&[Matrix<F>]> for R1cs<F> {
    type Error = R1csError;

    /// Converts what `ConstraintSystem::to_matrices()[R1CS_PREDICATE_LABEL]` gives. The
    /// width of each matrix is its largest column plus one; a key knows the real one.
    fn try_from(matrices: &[Matrix<F>]) -> Result<Self, R1csError> {
        let [a, b, c] = matrices else {
            return Err(R1csError::Arity { found: matrices.len() });
        };
        for (matrix, rows) in [('B', b.len()), ('C', c.len())] {
            if rows != a.len() {
                return Err(R1csError::Rows { matrix, expected: a.len(), found: rows });
            }
        }
        Ok(Self { a: to_csr(a, 'A')?, b: to_csr(b, 'B')?, c: to_csr(c, 'C')? })
    }
}

impl<F: PrimeField> R1cs<F> {
    /// The first constraint that the full assignment breaks. Wires beyond its end count as zero.
    pub fn first_unsatisfied(&self, assignment: &[F]) -> Option<usize> {
        let product = |matrix: &Csr<F>, row: usize| {
            let entries = matrix.row_offsets[row] as usize..matrix.row_offsets[row + 1] as usize;
            entries.fold(F::zero(), |sum, i| {
                let wire = assignment.get(matrix.columns[i] as usize).copied();
                sum + matrix.values[i] * wire.unwrap_or_default()
            })
        };
        let broken = |row| product(&self.a, row) * product(&self.b, row) != product(&self.c, row);
        first(self.a.row_offsets.len().saturating_sub(1), &broken)
    }
}

fn to_csr<F: PrimeField>(rows: &Matrix<F>, matrix: char) -> Result<Csr<F>, R1csError> {
    let limit = u32::MAX;
    let fits = |what, found| match u32::try_from(found) {
        Ok(n) if n < limit => Ok(n),
        _ => Err(R1csError::TooLarge { matrix, what, found, limit }),
    };
    let entries = rows.iter().map(Vec::len).sum::<usize>();
    fits("entries", entries)?;
    fits("rows", rows.len())?;
    let mut csr = Csr {
        row_offsets: Vec::with_capacity(rows.len() + 1),
        columns: Vec::with_capacity(entries),
        values: Vec::with_capacity(entries),
        width: 0,
    };
    csr.row_offsets.push(0);
    for row in rows {
        for (value, column) in row {
            let column = fits("columns", *column)?;
            csr.width = csr.width.max(column + 1);
            csr.columns.push(column);
            csr.values.push(*value);
        }
        csr.row_offsets.push(csr.columns.len() as u32);
    }
    Ok(csr)
}

/// A full assignment: one, the public inputs, then all other wires. Wiped when dropped.
#[derive(Clone)]
pub struct Witness<C: PairingCurve> {
    pub(crate) values: Zeroizing<Vec<<C::Fr as Field>::Ark>>,
}

impl<C: PairingCurve> Witness<C> {
    /// Takes an assignment, the leading one included. Proving checks its length and that one.
    pub fn new(values: Vec<<C::Fr as Field>::Ark>) -> Self {
        Self { values: Zeroizing::new(values) }
    }

    /// The values of all wires.
    pub fn values(&self) -> &[<C::Fr as Field>::Ark] {
        &self.values
    }
}

impl<C: PairingCurve> fmt::Debug for Witness<C> {
    // Values are secret: only their number is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Witness").field("len", &self.values.len()).finish_non_exhaustive()
    }
}
