//! Elementwise kernels.

use super::index32;
use crate::csr::check_len;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::vocabulary::{BinaryOp, UnaryOp};
use curvesmith_abi::kernels::{
    FieldAdd, FieldBatchInverse, FieldDbl, FieldInverse, FieldMul, FieldMulConst, FieldMulSub, FieldNeg,
    FieldSqr, FieldSub,
};
use curvesmith_abi::layout;

type Vector = Buffer<layout::Field>;

/// A vector as long as `a`, with the length as kernels take it.
fn like(stream: &Stream, field: &Owner, a: &Vector) -> Result<(Vector, u32)> {
    Ok((stream.elements(field, a.len())?, index32("vector", a.len())?))
}

pub(crate) fn binary(stream: &Stream, field: &Owner, op: BinaryOp, a: &Vector, b: &Vector) -> Result<Vector> {
    check_len("right operand", a.len(), b.len())?;
    let (result, n) = like(stream, field, a)?;
    let (len, a, b, out) = (a.len(), a.whole(), b.whole(), result.whole());
    match op {
        BinaryOp::Add => stream.launch(field, len, &FieldAdd { a, b, out, n })?,
        BinaryOp::Sub => stream.launch(field, len, &FieldSub { a, b, out, n })?,
        BinaryOp::Mul => stream.launch(field, len, &FieldMul { a, b, out, n })?,
    }
    Ok(result)
}

pub(crate) fn unary(stream: &Stream, field: &Owner, op: UnaryOp, a: &Vector) -> Result<Vector> {
    let (result, n) = like(stream, field, a)?;
    let (len, a, out) = (a.len(), a.whole(), result.whole());
    match op {
        UnaryOp::Neg => stream.launch(field, len, &FieldNeg { a, out, n })?,
        UnaryOp::Dbl => stream.launch(field, len, &FieldDbl { a, out, n })?,
        UnaryOp::Sqr => stream.launch(field, len, &FieldSqr { a, out, n })?,
        UnaryOp::Inverse => stream.launch(field, len, &FieldInverse { a, out, n })?,
    }
    Ok(result)
}

pub(crate) fn batch_inverse(stream: &Stream, field: &Owner, a: &Vector) -> Result<Vector> {
    let (result, n) = like(stream, field, a)?;
    let threads = stream.gpu().policy().pointwise.inverting_threads(n);
    let kernel = FieldBatchInverse { a: a.whole(), out: result.whole(), n, threads };
    stream.launch(field, threads as usize, &kernel)?;
    Ok(result)
}

/// `out = a · c`, with `c` the only element of a buffer.
pub(crate) fn scale(stream: &Stream, field: &Owner, a: &Vector, c: &Vector, out: &Vector) -> Result<()> {
    let n = index32("vector", a.len())?;
    stream.launch(field, a.len(), &FieldMulConst { a: a.whole(), c: c.whole(), out: out.whole(), n })
}

pub(crate) fn mul_const(stream: &Stream, field: &Owner, a: &Vector, c: &[u8]) -> Result<Vector> {
    let (result, _) = like(stream, field, a)?;
    let factor = stream.elements(field, 1)?;
    stream.upload_bytes(&factor, c)?;
    scale(stream, field, a, &factor, &result)?;
    Ok(result)
}

/// `a·b` into the last third of a vector, `a` and `b` being the others.
pub(crate) fn mul_thirds(stream: &Stream, field: &Owner, thirds: &Vector) -> Result<()> {
    let (len, n) = third(thirds)?;
    let [a, b, out] = [0, 1, 2].map(|i| thirds.part(i * len..(i + 1) * len));
    stream.launch(field, len, &FieldMul { a, b, out, n })
}

/// `a·b - c`, of the thirds of a vector.
pub(crate) fn mul_sub_thirds(stream: &Stream, field: &Owner, thirds: &Vector) -> Result<Vector> {
    let (len, n) = third(thirds)?;
    let result: Vector = stream.elements(field, len)?;
    let [a, b, c] = [0, 1, 2].map(|i| thirds.part(i * len..(i + 1) * len));
    stream.launch(field, len, &FieldMulSub { a, b, c, out: result.whole(), n })?;
    Ok(result)
}

/// The length of a third of a vector, and as kernels take it.
fn third(thirds: &Vector) -> Result<(usize, u32)> {
    let len = thirds.len() / 3;
    check_len("vector of three parts", len * 3, thirds.len())?;
    Ok((len, index32("vector", len)?))
}
