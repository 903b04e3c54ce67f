//! Elementwise operations, so that every field operation is within a user's reach.

use crate::backend::{Backend, BinaryOp, UnaryOp, check_len};
use crate::error::Result;
use crate::field::Field;
use crate::handle::{Device, DeviceVisitor};
use std::fmt;
use std::marker::PhantomData;

/// Elementwise operations over slices of field elements.
pub struct Pointwise<F: Field> {
    device: Device,
    field: PhantomData<F>,
}

/// One operation with its operands.
enum Op<'a, T> {
    Binary(BinaryOp, &'a [T], &'a [T]),
    Unary(UnaryOp, &'a [T]),
    BatchInverse(&'a [T]),
    MulConst(&'a [T], T),
}

struct Run<'a, F: Field>(Op<'a, F::Ark>);

impl<F: Field> Pointwise<F> {
    /// The operations on a device.
    pub fn new(device: &Device) -> Result<Self> {
        Ok(Pointwise { device: device.clone(), field: PhantomData })
    }

    /// `a + b`, of equal lengths.
    pub fn add(&self, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(Op::Binary(BinaryOp::Add, a, b))
    }

    /// `a - b`, of equal lengths.
    pub fn sub(&self, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(Op::Binary(BinaryOp::Sub, a, b))
    }

    /// `a · b`, of equal lengths.
    pub fn mul(&self, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(Op::Binary(BinaryOp::Mul, a, b))
    }

    /// `-a`.
    pub fn neg(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(Op::Unary(UnaryOp::Neg, a))
    }

    /// `2a`.
    pub fn dbl(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(Op::Unary(UnaryOp::Dbl, a))
    }

    /// `a²`.
    pub fn sqr(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(Op::Unary(UnaryOp::Sqr, a))
    }

    /// `1/a`, one inversion an element. Zero has no inverse: it stays zero, as in arkworks'
    /// `batch_inversion`.
    pub fn inverse(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(Op::Unary(UnaryOp::Inverse, a))
    }

    /// The same as [`Pointwise::inverse`], with one inversion for up to some hundred elements and three
    /// products each (Montgomery's trick). Zeros stay zero and do not disturb the others.
    pub fn batch_inverse(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(Op::BatchInverse(a))
    }

    /// `a · c`.
    pub fn mul_const(&self, a: &[F::Ark], c: F::Ark) -> Result<Vec<F::Ark>> {
        self.run(Op::MulConst(a, c))
    }

    /// The device in use.
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn run(&self, op: Op<'_, F::Ark>) -> Result<Vec<F::Ark>> {
        if let Op::Binary(_, a, b) = op {
            check_len("right operand", a.len(), b.len())?;
        }
        self.device.visit(Run::<F>(op))
    }
}

impl<F: Field> fmt::Debug for Pointwise<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pointwise<{}> on {}", F::NAME, self.device.name())
    }
}

impl<F: Field> DeviceVisitor for Run<'_, F> {
    type Output = Result<Vec<F::Ark>>;

    fn visit<B: Backend>(self, backend: &B) -> Self::Output {
        let up = |values| backend.upload::<F>(values);
        let result = match self.0 {
            Op::Binary(op, a, b) => backend.binary::<F>(op, &up(a)?, &up(b)?)?,
            Op::Unary(op, a) => backend.unary::<F>(op, &up(a)?)?,
            Op::BatchInverse(a) => backend.batch_inverse::<F>(&up(a)?)?,
            Op::MulConst(a, c) => backend.mul_const::<F>(&up(a)?, c)?,
        };
        backend.download::<F>(&result)
    }
}
