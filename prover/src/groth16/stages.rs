//! The stages of a proof that run on a device.

use super::key::HostKey;
use super::quotient::Quotient;
use super::stats::Recorder;
use curvesmith_runtime::RuntimeError;
use curvesmith_runtime::backend::{Backend, BinaryOp, Direction};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{PairingCurve, ProjectiveOf};
use std::fmt;
use std::mem::take;

type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;
type Vector<B, C> = <B as Backend>::Vector<<C as PairingCurve>::Fr>;

/// The five sums of a proof: everything that comes back from the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sums<C: PairingCurve> {
    pub(crate) a: ProjectiveOf<C::G1>,
    pub(crate) b_g1: ProjectiveOf<C::G1>,
    pub(crate) b_g2: ProjectiveOf<C::G2>,
    pub(crate) l: ProjectiveOf<C::G1>,
    pub(crate) h: ProjectiveOf<C::G1>,
}

/// Computes the sums of a witness; the device's types are hidden behind it.
pub(crate) trait StageProver<C: PairingCurve>: fmt::Debug + Send + Sync {
    /// `witness` has one value per wire.
    fn sums(&self, witness: &[Scalar<C>], recorder: &mut Recorder) -> Result<Sums<C>, RuntimeError>;

    /// h as the H query's scalars.
    #[cfg(test)]
    fn h_scalars(&self, witness: &[Scalar<C>]) -> Result<Vec<Scalar<C>>, RuntimeError>;
}

/// A key whose points, matrices and twiddles live on a device.
#[derive(Debug)]
pub(crate) struct DeviceKey<B: Backend, C: PairingCurve> {
    backend: B,
    quotient: Quotient<Scalar<C>>,
    tables: B::NttTables<C::Fr>,
    a: B::Matrix<C::Fr>,
    b: B::Matrix<C::Fr>,
    c: Option<B::Matrix<C::Fr>>,
    wires: usize,
    a_query: B::Bases<C::G1>,
    b_g1_query: B::Bases<C::G1>,
    b_g2_query: B::Bases<C::G2>,
    l_query: B::Bases<C::G1>,
    h_query: B::Bases<C::G1>,
}

impl<B: Backend, C: PairingCurve> DeviceKey<B, C> {
    /// Copies a key to a device and leaves it on the host.
    pub(crate) fn copy(backend: &B, key: &HostKey<C>) -> Result<Self, RuntimeError> {
        Ok(Self {
            backend: backend.clone(),
            quotient: key.quotient,
            tables: backend.ntt_tables::<C::Fr>(key.quotient.log_domain, key.quotient.omega)?,
            a: backend.matrix::<C::Fr>(&key.a)?,
            b: backend.matrix::<C::Fr>(&key.b)?,
            c: key.c.as_ref().map(|c| backend.matrix::<C::Fr>(c)).transpose()?,
            wires: key.wires,
            a_query: backend.bases::<C::G1>(&key.a_query)?,
            b_g1_query: backend.bases::<C::G1>(&key.b_g1_query)?,
            b_g2_query: backend.bases::<C::G2>(&key.b_g2_query)?,
            l_query: backend.bases::<C::G1>(&key.l_query)?,
            h_query: backend.bases::<C::G1>(&key.h_query)?,
        })
    }

    /// As [`DeviceKey::copy`], freeing each query on the host once the device has it.
    pub(crate) fn take(backend: &B, mut key: HostKey<C>) -> Result<Self, RuntimeError> {
        let [a_query, b_g1_query, l_query, h_query] =
            [&mut key.a_query, &mut key.b_g1_query, &mut key.l_query, &mut key.h_query]
                .map(|points| backend.bases::<C::G1>(&take(points)));
        let b_g2_query = backend.bases::<C::G2>(&take(&mut key.b_g2_query));
        Ok(Self {
            backend: backend.clone(),
            quotient: key.quotient,
            tables: backend.ntt_tables::<C::Fr>(key.quotient.log_domain, key.quotient.omega)?,
            a: backend.matrix::<C::Fr>(&key.a)?,
            b: backend.matrix::<C::Fr>(&key.b)?,
            c: key.c.as_ref().map(|c| backend.matrix::<C::Fr>(c)).transpose()?,
            wires: key.wires,
            a_query: a_query?,
            b_g1_query: b_g1_query?,
            b_g2_query: b_g2_query?,
            l_query: l_query?,
            h_query: h_query?,
        })
    }

    /// h from the witness on the device.
    fn h(&self, witness: &Vector<B, C>, recorder: &mut Recorder) -> Result<Vector<B, C>, RuntimeError> {
        let backend = &self.backend;
        let n = 1usize << self.quotient.log_domain;
        let one = <Scalar<C> as ark_ff::Field>::ONE;
        let shift = self.quotient.shift;
        let (mut a, mut b, mut c) = recorder.stage("spmv", || {
            let a = backend.spmv::<C::Fr>(&self.a, witness, n)?;
            let b = backend.spmv::<C::Fr>(&self.b, witness, n)?;
            let c = match &self.c {
                Some(matrix) => backend.spmv::<C::Fr>(matrix, witness, n)?,
                None => backend.binary::<C::Fr>(BinaryOp::Mul, &a, &b)?,
            };
            Ok::<_, RuntimeError>((a, b, c))
        })?;
        recorder.stage("ntt", || {
            for vector in [&mut a, &mut b, &mut c] {
                backend.ntt::<C::Fr>(&self.tables, vector, Direction::Inverse, one)?;
                backend.ntt::<C::Fr>(&self.tables, vector, Direction::Forward, shift)?;
            }
            let mut h = backend.mul_sub::<C::Fr>(&a, &b, &c)?;
            if let Some(z_inverse) = self.quotient.z_inverse {
                h = backend.mul_const::<C::Fr>(&h, z_inverse)?;
                backend.ntt::<C::Fr>(&self.tables, &mut h, Direction::Inverse, shift)?;
            }
            Ok(h)
        })
    }
}

impl<B: Backend, C: PairingCurve> StageProver<C> for DeviceKey<B, C> {
    fn sums(&self, witness: &[Scalar<C>], recorder: &mut Recorder) -> Result<Sums<C>, RuntimeError> {
        let backend = &self.backend;
        let witness = recorder.stage("upload", || backend.upload::<C::Fr>(witness))?;
        // One decomposition and sort serves the four queries that are indexed by wire.
        let shape = backend.digit_shape::<C::Fr>(self.wires);
        let digits = recorder.stage("digits", || backend.digits::<C::Fr>(&witness, shape))?;
        let h = self.h(&witness, recorder)?;
        drop(witness);
        let a = recorder.stage("msm a", || backend.msm(&digits, &self.a_query))?;
        let b_g1 = recorder.stage("msm b1", || backend.msm(&digits, &self.b_g1_query))?;
        let b_g2 = recorder.stage("msm b2", || backend.msm(&digits, &self.b_g2_query))?;
        let l = recorder.stage("msm l", || backend.msm(&digits, &self.l_query))?;
        drop(digits);
        let shape = backend.digit_shape::<C::Fr>(1 << self.quotient.log_domain);
        let h = recorder.stage("msm h", || {
            let digits = backend.digits::<C::Fr>(&h, shape)?;
            backend.msm(&digits, &self.h_query)
        })?;
        Ok(Sums { a, b_g1, b_g2, l, h })
    }

    #[cfg(test)]
    fn h_scalars(&self, witness: &[Scalar<C>]) -> Result<Vec<Scalar<C>>, RuntimeError> {
        let witness = self.backend.upload::<C::Fr>(witness)?;
        self.backend.download::<C::Fr>(&self.h(&witness, &mut Recorder::default())?)
    }
}
