//! Elementwise operations, so that every field operation is within a user's reach.

use super::call;
use crate::csr::check_len;
use crate::error::Result;
use crate::field::Field;
use crate::handle::Device;
use crate::job::Cancel;
use crate::values::DeviceVec;
use crate::vocabulary::{BinaryOp, Detail, UnaryOp};
use crate::work::Work;
use std::fmt;
use std::marker::PhantomData;

/// Elementwise operations over slices of field elements, and over vectors on the device.
pub struct Pointwise<F: Field> {
    device: Device,
    field: PhantomData<F>,
}

impl<F: Field> Pointwise<F> {
    /// The operations on a device.
    pub fn new(device: &Device) -> Result<Self> {
        Ok(Pointwise { device: device.clone(), field: PhantomData })
    }

    /// `a + b`, of equal lengths.
    pub fn add(&self, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.binary(BinaryOp::Add, a, b)
    }

    /// `a - b`, of equal lengths.
    pub fn sub(&self, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.binary(BinaryOp::Sub, a, b)
    }

    /// `a · b`, of equal lengths.
    pub fn mul(&self, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// `-a`.
    pub fn neg(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.over(a, |work, a| work.unary(UnaryOp::Neg, a))
    }

    /// `2a`.
    pub fn dbl(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.over(a, |work, a| work.unary(UnaryOp::Dbl, a))
    }

    /// `a²`.
    pub fn sqr(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.over(a, |work, a| work.unary(UnaryOp::Sqr, a))
    }

    /// `1/a`, one inversion an element. Zero has no inverse: it stays zero, as in arkworks'
    /// `batch_inversion`.
    pub fn inverse(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.over(a, |work, a| work.unary(UnaryOp::Inverse, a))
    }

    /// The same as [`Pointwise::inverse`], with one inversion for up to some hundred elements and three
    /// products each (Montgomery's trick). Zeros stay zero and do not disturb the others.
    pub fn batch_inverse(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.over(a, Work::batch_inverse)
    }

    /// `a · c`.
    pub fn mul_const(&self, a: &[F::Ark], c: F::Ark) -> Result<Vec<F::Ark>> {
        self.over(a, |work, a| work.mul_const(a, c))
    }

    /// The device in use.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// A binary operation on vectors on the device.
    pub fn binary_resident(&self, op: BinaryOp, a: &DeviceVec<F>, b: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        self.call(|work| work.binary(op, a, b))
    }

    /// A unary operation on a vector on the device.
    pub fn unary_resident(&self, op: UnaryOp, a: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        self.call(|work| work.unary(op, a))
    }

    /// As [`Pointwise::batch_inverse`], for a vector on the device.
    pub fn batch_inverse_resident(&self, a: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        self.call(|work| work.batch_inverse(a))
    }

    /// As [`Pointwise::mul_const`], for a vector on the device.
    pub fn mul_const_resident(&self, a: &DeviceVec<F>, c: F::Ark) -> Result<DeviceVec<F>> {
        self.call(|work| work.mul_const(a, c))
    }

    fn binary(&self, op: BinaryOp, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
        check_len("right operand", a.len(), b.len())?;
        self.call(|work| {
            let (a, b) = (work.upload::<F>(a)?, work.upload::<F>(b)?);
            work.take(work.binary(op, &a, &b)?)
        })
    }

    fn over(
        &self,
        a: &[F::Ark],
        op: impl FnOnce(&Work, &DeviceVec<F>) -> Result<DeviceVec<F>>,
    ) -> Result<Vec<F::Ark>> {
        self.call(|work| work.take(op(work, &work.upload::<F>(a)?)?))
    }

    fn call<T>(&self, run: impl FnOnce(&Work) -> Result<T>) -> Result<T> {
        call(&self.device, Detail::Counts, &Cancel::default(), run).map(|(value, _)| value)
    }
}

impl<F: Field> fmt::Debug for Pointwise<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pointwise<{}> on {}", F::NAME, self.device.name())
    }
}
