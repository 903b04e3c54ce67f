//! The upper level of device: whole algorithms on device-resident vectors.

use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::{AffineOf, Group, ProjectiveOf};
use std::fmt::Debug;

/// A sparse matrix in compressed rows, as a host value.
///
/// Row `r` has the entries `row_offsets[r]..row_offsets[r + 1]` of `columns` and
/// `values`; `row_offsets` has `rows + 1` entries, starts at 0 and does not decrease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr<T> {
    /// Start of each row, and the number of entries at the end.
    pub row_offsets: Vec<u32>,
    /// Column of each entry.
    pub columns: Vec<u32>,
    /// Value of each entry.
    pub values: Vec<T>,
    /// Number of columns; every entry of `columns` is below it.
    pub width: u32,
}

impl<T> Csr<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_offsets.len().saturating_sub(1)
    }

    /// Checks the invariants above; what fails is named with its index.
    pub fn validate(&self) -> Result<()> {
        let bad = |reason: String| Err(RuntimeError::Input { what: "sparse matrix", reason });
        if self.row_offsets.first() != Some(&0) {
            return bad("row offsets do not start with 0".into());
        }
        if let Some(row) = self.row_offsets.windows(2).position(|w| w[0] > w[1]) {
            return bad(format!("row offsets decrease at row {row}"));
        }
        let entries = self.row_offsets.last().map_or(0, |&n| n as usize);
        for (what, found) in [("matrix columns", self.columns.len()), ("matrix values", self.values.len())] {
            if found != entries {
                return Err(RuntimeError::Length { what, expected: entries, found });
            }
        }
        if let Some(k) = self.columns.iter().position(|&c| c >= self.width) {
            return bad(format!("entry {k} has column {}, the width is {}", self.columns[k], self.width));
        }
        Ok(())
    }
}

/// `Ok` when two lengths agree, [`RuntimeError::Length`] otherwise.
pub(crate) fn check_len(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(RuntimeError::Length { what, expected, found }) }
}

/// `Ok` when `omega` has order exactly `2^log_n` and the field allows that size.
pub(crate) fn check_omega<F: Field>(log_n: u32, omega: F::Ark) -> Result<()> {
    use ark_ff::{FftField, Field as _, Zero};
    // A vector of 2^32 elements cannot be indexed by the kernels, nor held by today's machines.
    let limit = <F::Ark as FftField>::TWO_ADICITY.min(31);
    if log_n > limit {
        return Err(RuntimeError::TooLarge {
            what: "log_n of the NTT",
            found: u64::from(log_n),
            limit: u64::from(limit),
        });
    }
    let is_root = match log_n {
        0 => omega == F::Ark::ONE,
        // The only square roots of one are 1 and -1, so this is order 2^log_n and nothing less.
        _ => (omega.pow([1u64 << (log_n - 1)]) + F::Ark::ONE).is_zero(),
    };
    if is_root { Ok(()) } else { Err(RuntimeError::NotARoot { log_n }) }
}

/// The inverse of a coset shift; zero is the caller's mistake.
pub(crate) fn invert_shift<F: Field>(shift: F::Ark) -> Result<F::Ark> {
    use ark_ff::Field as _;
    shift.inverse().ok_or_else(|| RuntimeError::Input { what: "coset shift", reason: "it is zero".into() })
}

/// Direction of an NTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Coefficients to evaluations at `shift·omega^i`.
    Forward,
    /// Evaluations at `shift·omega^i` to coefficients, with the factor `1/n`.
    Inverse,
}

/// How scalars are cut into signed digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigitShape {
    /// Window width `c` in bits, 2 to 16.
    pub window: u32,
    /// Number of windows.
    pub windows: u32,
}

/// A pointwise operation on two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a · b`
    Mul,
}

/// A pointwise operation on one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `2a`
    Dbl,
    /// `a²`
    Sqr,
    /// `1/a`, each element by itself; 0 for 0.
    Inverse,
}

/// Whole algorithms on vectors that stay on the device.
///
/// Vectors are elements in any form the backend likes; `upload` and `download`
/// convert. Every call checks the lengths of its arguments against each other.
pub trait Backend: Clone + Debug + Send + Sync + 'static {
    /// Field elements on the device.
    type Vector<F: Field>: Send + Sync + Debug;
    /// A sparse matrix on the device.
    type Matrix<F: Field>: Send + Sync + Debug;
    /// Twiddles and tables of one NTT size and root.
    type NttTables<F: Field>: Send + Sync + Debug;
    /// Affine points on the device.
    type Bases<G: Group>: Send + Sync + Debug;
    /// Scalars cut into sorted signed digits.
    type Digits: Send + Sync + Debug;

    /// Copies values to the device.
    fn upload<F: Field>(&self, values: &[F::Ark]) -> Result<Self::Vector<F>>;
    /// Copies values back.
    fn download<F: Field>(&self, vector: &Self::Vector<F>) -> Result<Vec<F::Ark>>;
    /// Number of elements.
    fn len<F: Field>(&self, vector: &Self::Vector<F>) -> usize;

    /// `a ∘ b`, elementwise.
    fn binary<F: Field>(
        &self,
        op: BinaryOp,
        a: &Self::Vector<F>,
        b: &Self::Vector<F>,
    ) -> Result<Self::Vector<F>>;
    /// Elementwise operation.
    fn unary<F: Field>(&self, op: UnaryOp, a: &Self::Vector<F>) -> Result<Self::Vector<F>>;
    /// `1/a`, elementwise, with one inversion for many elements; 0 for 0.
    fn batch_inverse<F: Field>(&self, a: &Self::Vector<F>) -> Result<Self::Vector<F>>;
    /// `a · c`, elementwise.
    fn mul_const<F: Field>(&self, a: &Self::Vector<F>, c: F::Ark) -> Result<Self::Vector<F>>;
    /// `a·b - c`, elementwise.
    fn mul_sub<F: Field>(
        &self,
        a: &Self::Vector<F>,
        b: &Self::Vector<F>,
        c: &Self::Vector<F>,
    ) -> Result<Self::Vector<F>>;

    /// Moves a matrix to the device. Checks offsets and columns.
    fn matrix<F: Field>(&self, matrix: &Csr<F::Ark>) -> Result<Self::Matrix<F>>;
    /// `matrix · x`, zero-extended to `out_len ≥ rows` elements.
    fn spmv<F: Field>(
        &self,
        matrix: &Self::Matrix<F>,
        x: &Self::Vector<F>,
        out_len: usize,
    ) -> Result<Self::Vector<F>>;

    /// Tables for size `2^log_n` and a root `omega` of exactly that order (checked).
    fn ntt_tables<F: Field>(&self, log_n: u32, omega: F::Ark) -> Result<Self::NttTables<F>>;
    /// NTT in natural order on both sides, over the coset `shift·<omega>` (`shift` nonzero; one for none).
    fn ntt<F: Field>(
        &self,
        tables: &Self::NttTables<F>,
        vector: &mut Self::Vector<F>,
        direction: Direction,
        shift: F::Ark,
    ) -> Result<()>;

    /// Moves points to the device; identities allowed.
    fn bases<G: Group>(&self, points: &[AffineOf<G>]) -> Result<Self::Bases<G>>;
    /// The digit shape this backend likes for `n` scalars of `F`.
    fn digit_shape<F: Field>(&self, n: usize) -> DigitShape;
    /// Cuts scalars into digits and sorts them by bucket; one result serves any number of [`Backend::msm`]s.
    fn digits<F: Field>(&self, scalars: &Self::Vector<F>, shape: DigitShape) -> Result<Self::Digits>;
    /// `Σ scalar_i · base_i`; the numbers of scalars and bases are equal.
    fn msm<G: Group>(&self, digits: &Self::Digits, bases: &Self::Bases<G>) -> Result<ProjectiveOf<G>>;
}
