//! The sparse matrix product plan.

use crate::backend::{Backend, Csr, check_len};
use crate::error::Result;
use crate::field::Field;
use crate::handle::{Device, DeviceVisitor};
use std::fmt;

/// Options of an [`SpMv`]; none yet.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SpMvOptions {}

/// `M·x` for a sparse matrix that stays on the device.
pub struct SpMv<F: Field> {
    device: Device,
    rows: usize,
    width: usize,
    on_device: Box<dyn OnDevice<F>>,
}

trait OnDevice<F: Field>: Send + Sync {
    fn run(&self, x: &[F::Ark]) -> Result<Vec<F::Ark>>;
}

struct Resident<B: Backend, F: Field> {
    backend: B,
    matrix: B::Matrix<F>,
    rows: usize,
}

struct Make<'a, F: Field>(&'a Csr<F::Ark>);

impl<F: Field> SpMv<F> {
    /// Moves `matrix` to the device, its offsets and columns checked.
    pub fn new(device: &Device, matrix: &Csr<F::Ark>, _options: SpMvOptions) -> Result<Self> {
        let on_device = device.visit(Make::<F>(matrix))?;
        Ok(SpMv { device: device.clone(), rows: matrix.rows(), width: matrix.width as usize, on_device })
    }

    /// The product, one element a row; `x` has as many elements as the matrix has columns.
    pub fn run(&self, x: &[F::Ark]) -> Result<Vec<F::Ark>> {
        check_len("vector of the product", self.width, x.len())?;
        self.on_device.run(x)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
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

impl<F: Field> DeviceVisitor for Make<'_, F> {
    type Output = Result<Box<dyn OnDevice<F>>>;

    fn visit<B: Backend>(self, backend: &B) -> Self::Output {
        let matrix = backend.matrix::<F>(self.0)?;
        Ok(Box::new(Resident { backend: backend.clone(), matrix, rows: self.0.rows() }))
    }
}

impl<B: Backend, F: Field> OnDevice<F> for Resident<B, F> {
    fn run(&self, x: &[F::Ark]) -> Result<Vec<F::Ark>> {
        let x = self.backend.upload::<F>(x)?;
        let product = self.backend.spmv(&self.matrix, &x, self.rows)?;
        self.backend.download(&product)
    }
}
