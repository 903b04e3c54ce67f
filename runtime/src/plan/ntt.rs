//! The number-theoretic transform plan.

use crate::backend::{Backend, Direction, check_len, invert_shift};
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::handle::{Device, DeviceVisitor};
use ark_ff::{FftField, Field as _};
use std::fmt;

/// Options of an [`Ntt`] over elements `T`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NttOptions<T> {
    omega: Option<T>,
    shift: Option<T>,
}

impl<T> Default for NttOptions<T> {
    fn default() -> Self {
        NttOptions { omega: None, shift: None }
    }
}

impl<T> NttOptions<T> {
    /// The root of unity, of order exactly `2^log_n`; by default the one of arkworks.
    pub fn omega(mut self, omega: T) -> Self {
        self.omega = Some(omega);
        self
    }

    /// The coset shift, nonzero; by default one, which is the subgroup itself.
    pub fn shift(mut self, shift: T) -> Self {
        self.shift = Some(shift);
        self
    }
}

/// Transforms of `2^log_n` elements between coefficients and evaluations at
/// `shift·omega^i`, natural order on both sides.
pub struct Ntt<F: Field> {
    device: Device,
    len: usize,
    on_device: Box<dyn OnDevice<F>>,
}

trait OnDevice<F: Field>: Send + Sync {
    fn run(&self, values: &[F::Ark], direction: Direction) -> Result<Vec<F::Ark>>;
}

struct Resident<B: Backend, F: Field> {
    backend: B,
    tables: B::NttTables<F>,
    shift: F::Ark,
}

struct Make<F: Field> {
    log_n: u32,
    omega: F::Ark,
    shift: F::Ark,
}

impl<F: Field> Ntt<F> {
    /// A plan for `2^log_n` elements, 0 to the field's two-adicity.
    pub fn new(device: &Device, log_n: u32, options: NttOptions<F::Ark>) -> Result<Self> {
        let omega = match options.omega {
            Some(omega) => omega,
            None => {
                1u64.checked_shl(log_n).and_then(F::Ark::get_root_of_unity).ok_or(RuntimeError::TooLarge {
                    what: "log_n of the NTT",
                    found: u64::from(log_n),
                    limit: u64::from(F::Ark::TWO_ADICITY),
                })?
            }
        };
        let shift = options.shift.unwrap_or(F::Ark::ONE);
        invert_shift::<F>(shift)?;
        let on_device = device.visit(Make::<F> { log_n, omega, shift })?;
        Ok(Ntt { device: device.clone(), len: 1 << log_n, on_device })
    }

    /// Coefficients to evaluations; `coefficients` has exactly the plan's length.
    pub fn forward(&self, coefficients: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(coefficients, Direction::Forward)
    }

    /// Evaluations to coefficients.
    pub fn inverse(&self, evaluations: &[F::Ark]) -> Result<Vec<F::Ark>> {
        self.run(evaluations, Direction::Inverse)
    }

    /// The transform in either direction.
    pub fn run(&self, values: &[F::Ark], direction: Direction) -> Result<Vec<F::Ark>> {
        check_len("NTT vector", self.len, values.len())?;
        self.on_device.run(values, direction)
    }

    /// Number of elements.
    #[allow(clippy::len_without_is_empty, reason = "a transform has at least one element")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The device that holds the twiddles.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<F: Field> fmt::Debug for Ntt<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ntt<{}>[{}] on {}", F::NAME, self.len, self.device.name())
    }
}

impl<F: Field> DeviceVisitor for Make<F> {
    type Output = Result<Box<dyn OnDevice<F>>>;

    fn visit<B: Backend>(self, backend: &B) -> Self::Output {
        let tables = backend.ntt_tables::<F>(self.log_n, self.omega)?;
        Ok(Box::new(Resident { backend: backend.clone(), tables, shift: self.shift }))
    }
}

impl<B: Backend, F: Field> OnDevice<F> for Resident<B, F> {
    fn run(&self, values: &[F::Ark], direction: Direction) -> Result<Vec<F::Ark>> {
        let mut vector = self.backend.upload::<F>(values)?;
        self.backend.ntt(&self.tables, &mut vector, direction, self.shift)?;
        self.backend.download(&vector)
    }
}
