//! Elementwise operations and sparse products.

use crate::csr::{Csr, check_len, check_out_len};
use crate::error::Result;
use crate::field::Field;
use crate::parallel::{MIN_LEN, chunks, collect, join};
use crate::vocabulary::{BinaryOp, UnaryOp};
use ark_ff::{AdditiveGroup, Field as _, One, Zero, serial_batch_inversion_and_mul};

/// Rows longer than this are summed by several threads.
const LONG_ROW: usize = 1 << 14;
/// Rows that a thread takes at once.
const ROWS: usize = 256;

/// `a ∘ b`, elementwise.
pub fn binary<F: Field>(op: BinaryOp, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
    check_len("right operand", a.len(), b.len())?;
    let op: fn(F::Ark, F::Ark) -> F::Ark = match op {
        BinaryOp::Add => |a, b| a + b,
        BinaryOp::Sub => |a, b| a - b,
        BinaryOp::Mul => |a, b| a * b,
    };
    Ok(collect(a.len(), &|i| op(a[i], b[i])))
}

/// Elementwise operation.
pub fn unary<F: Field>(op: UnaryOp, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
    let op: fn(F::Ark) -> F::Ark = match op {
        UnaryOp::Neg => |a| -a,
        UnaryOp::Dbl => |a| a.double(),
        UnaryOp::Sqr => |a| a.square(),
        UnaryOp::Inverse => |a| a.inverse().unwrap_or_default(),
    };
    Ok(collect(a.len(), &|i| op(a[i])))
}

/// `1/a`, elementwise; 0 for 0.
pub fn batch_inverse<F: Field>(a: &[F::Ark]) -> Result<Vec<F::Ark>> {
    let mut out = a.to_vec();
    // Leaves zeros as they are.
    chunks(&mut out, MIN_LEN, &|_, part| serial_batch_inversion_and_mul(part, &F::Ark::ONE));
    Ok(out)
}

/// `a · c`, elementwise.
pub fn mul_const<F: Field>(a: &[F::Ark], c: F::Ark) -> Result<Vec<F::Ark>> {
    Ok(collect(a.len(), &|i| a[i] * c))
}

/// `a·b` into the last third of a vector, `a` and `b` being the others.
pub fn mul_thirds<F: Field>(thirds: &mut [F::Ark]) -> Result<()> {
    let len = third(thirds.len())?;
    let (factors, products) = thirds.split_at_mut(2 * len);
    chunks(products, MIN_LEN, &|part, products| {
        for (i, product) in (part * MIN_LEN..).zip(products) {
            *product = factors[i] * factors[len + i];
        }
    });
    Ok(())
}

/// `a·b - c`, of the thirds of a vector.
pub fn mul_sub_thirds<F: Field>(thirds: &[F::Ark]) -> Result<Vec<F::Ark>> {
    let len = third(thirds.len())?;
    let (a, b, c) = (&thirds[..len], &thirds[len..2 * len], &thirds[2 * len..]);
    Ok(collect(len, &|i| a[i] * b[i] - c[i]))
}

/// `matrix · x`, zero-extended to `out_len ≥ rows` elements.
pub fn spmv<F: Field>(matrix: &Csr<F::Ark>, x: &[F::Ark], out_len: usize) -> Result<Vec<F::Ark>> {
    check_len("vector of the product", matrix.width as usize, x.len())?;
    check_out_len(matrix.rows(), out_len)?;
    let mut out = vec![F::Ark::zero(); out_len];
    chunks(&mut out[..matrix.rows()], ROWS, &|part, out| {
        for (row, out) in (part * ROWS..).zip(out) {
            let entries = matrix.row_offsets[row] as usize..matrix.row_offsets[row + 1] as usize;
            *out = dot::<F>(&matrix.columns[entries.clone()], &matrix.values[entries], x);
        }
    });
    Ok(out)
}

/// The length of a third of a vector.
fn third(len: usize) -> Result<usize> {
    check_len("vector of three parts", len / 3 * 3, len)?;
    Ok(len / 3)
}

fn dot<F: Field>(columns: &[u32], values: &[F::Ark], x: &[F::Ark]) -> F::Ark {
    if columns.len() > LONG_ROW {
        let (left, right) = (columns.split_at(columns.len() / 2), values.split_at(columns.len() / 2));
        let (a, b) = join(|| dot::<F>(left.0, right.0, x), || dot::<F>(left.1, right.1, x));
        return a + b;
    }
    let mut sum = F::Ark::zero();
    for (column, value) in columns.iter().zip(values) {
        let x = x[*column as usize];
        // Most coefficients of real circuits are one.
        sum += if value.is_one() { x } else { *value * x };
    }
    sum
}
