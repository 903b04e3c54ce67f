//! The sparse matrix product plan.

use super::call;
use crate::csr::{Csr, check_len};
use crate::error::Result;
use crate::field::Field;
use crate::handle::Device;
use crate::job::{Cancel, Job};
use crate::values::{DeviceVec, Matrix};
use crate::vocabulary::{Detail, Report, SpMvSchedule, SpMvStrategy};
use crate::work::Work;
use std::fmt;
use std::sync::Arc;

/// Options of an [`SpMv`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SpMvOptions {
    strategy: SpMvStrategy,
}

impl SpMvOptions {
    /// Sets how rows are shared out; by default [`SpMvStrategy::Balanced`].
    pub fn strategy(mut self, strategy: SpMvStrategy) -> Self {
        self.strategy = strategy;
        self
    }
}

/// `M·x` for a sparse matrix that stays on the device. Clones share it.
pub struct SpMv<F: Field> {
    device: Device,
    rows: usize,
    width: usize,
    matrix: Arc<Matrix<F>>,
}

impl<F: Field> Clone for SpMv<F> {
    fn clone(&self) -> Self {
        SpMv { device: self.device.clone(), matrix: Arc::clone(&self.matrix), ..*self }
    }
}

impl<F: Field> SpMv<F> {
    /// Moves `matrix` to the device, its offsets and columns checked.
    pub fn new(device: &Device, matrix: &Csr<F::Ark>, options: SpMvOptions) -> Result<Self> {
        let (rows, width) = (matrix.rows(), matrix.width as usize);
        let work = device.work()?;
        let matrix = Arc::new(work.matrix_by::<F>(matrix, options.strategy)?);
        work.finish()?;
        Ok(SpMv { device: device.clone(), rows, width, matrix })
    }

    /// The product, one element a row; `x` has as many elements as the matrix has columns.
    pub fn run(&self, x: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run_cancellable(x, &Cancel::default())
    }

    /// As [`SpMv::run`], into memory that is there, with an element a row.
    pub fn run_into(&self, x: &[F::Ark], out: &mut [F::Ark]) -> Result<()> {
        self.run_into_with_report(x, out, Detail::Counts).map(drop)
    }

    /// As [`SpMv::run_into`], with what the call did.
    pub fn run_into_with_report(&self, x: &[F::Ark], out: &mut [F::Ark], detail: Detail) -> Result<Report> {
        check_len("vector of the product", self.width, x.len())?;
        check_len("product", self.rows, out.len())?;
        let run = |work: &Work| {
            let product = self.product(work, x)?;
            work.stage("download", |work| work.download_into(&product, out))
        };
        call(&self.device, detail, &Cancel::default(), run).map(|((), report)| report)
    }

    /// As [`SpMv::run`], for a vector on the device.
    pub fn run_resident(&self, x: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        self.run_resident_with_report(x, Detail::Counts).map(|(product, _)| product)
    }

    /// As [`SpMv::run_resident`], with what the call did.
    pub fn run_resident_with_report(
        &self,
        x: &DeviceVec<F>,
        detail: Detail,
    ) -> Result<(DeviceVec<F>, Report)> {
        call(&self.device, detail, &Cancel::default(), |work| {
            work.stage("spmv", |work| work.spmv(&self.matrix, x, self.rows))
        })
    }

    /// As [`SpMv::run`], beside the caller.
    pub fn submit(&self, x: Vec<F::Ark>) -> Job<Vec<F::Ark>> {
        let plan = self.clone();
        Job::start(move |cancel| plan.run_cancellable(&x, &cancel))
    }

    fn run_cancellable(&self, x: &[F::Ark], cancel: &Cancel) -> Result<Vec<F::Ark>> {
        check_len("vector of the product", self.width, x.len())?;
        let run = |work: &Work| work.take(self.product(work, x)?);
        call(&self.device, Detail::Counts, cancel, run).map(|(product, _)| product)
    }

    fn product(&self, work: &Work, x: &[F::Ark]) -> Result<DeviceVec<F>> {
        let x = work.stage("upload", |work| work.upload::<F>(x))?;
        work.stage("spmv", |work| work.spmv(&self.matrix, &x, self.rows))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Who computes which rows; `None` on the CPU.
    pub fn schedule(&self) -> Option<SpMvSchedule> {
        self.matrix.schedule()
    }

    /// The device that holds the matrix.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<F: Field> fmt::Debug for SpMv<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpMv<{}>[{} x {}] on {}", F::NAME, self.rows, self.width, self.device.name())
    }
}
