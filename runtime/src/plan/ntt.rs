//! The number-theoretic transform plan.

use super::call;
use crate::batch::NttBatch;
use crate::csr::{check_len, invert_shift};
use crate::domain::Domain;
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::handle::Device;
use crate::job::{Cancel, Job};
use crate::values::{DeviceVec, NttTables};
use crate::vocabulary::{Detail, Direction, Order, Report, Transform};
use crate::work::Work;
use ark_ff::{FftField, Field as _};
use std::fmt;
use std::sync::Arc;

/// Options of an [`Ntt`] over elements `T`.
#[derive(Clone)]
#[non_exhaustive]
pub struct NttOptions<T> {
    omega: Option<T>,
    shift: Option<T>,
    order: Order,
}

impl<T> Default for NttOptions<T> {
    fn default() -> Self {
        NttOptions { omega: None, shift: None, order: Order::Natural }
    }
}

impl<T> fmt::Debug for NttOptions<T> {
    // A shift can be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NttOptions").field("order", &self.order).finish_non_exhaustive()
    }
}

impl<T> NttOptions<T> {
    /// The root of unity, of order exactly the size; by default the one of arkworks.
    pub fn omega(mut self, omega: T) -> Self {
        self.omega = Some(omega);
        self
    }

    /// The order of coefficients and evaluations; by default natural on both sides. With one side
    /// bit-reversed a plan transforms there and back without a permutation; results are those of the default,
    /// permuted.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// The coset shift, nonzero; by default one, which is the subgroup itself.
    pub fn shift(mut self, shift: T) -> Self {
        self.shift = Some(shift);
        self
    }
}

/// Transforms of so many elements between coefficients and evaluations at `shift·omega^i`, each in the plan's
/// [`Order`]. All plans of a device and its clones share the twiddles that they have in common.
pub struct Ntt<F: Field> {
    device: Device,
    len: usize,
    shift: F::Ark,
    order: Order,
    tables: Arc<NttTables<F>>,
}

impl<F: Field> Clone for Ntt<F> {
    fn clone(&self) -> Self {
        Ntt { device: self.device.clone(), tables: Arc::clone(&self.tables), ..*self }
    }
}

impl<F: Field> Ntt<F> {
    /// A plan for `2^log_n` elements, 0 to the field's two-adicity and at most 28; [`RuntimeError::TooLarge`]
    /// beyond.
    pub fn new(device: &Device, log_n: u32, options: NttOptions<F::Ark>) -> Result<Self> {
        let n = 1usize.checked_shl(log_n).ok_or(RuntimeError::TooLarge {
            what: "log_n of the NTT",
            found: u64::from(log_n),
            limit: u64::from(F::Ark::TWO_ADICITY),
        })?;
        Self::of_size(device, n, options)
    }

    /// A plan for `n` elements, `n` a power of two as for [`Ntt::new`] or, in a field with a small subgroup
    /// of order `base^most`, such a power times one of `base`. [`domain_size`](crate::domain_size) gives
    /// arkworks' choice.
    pub fn of_size(device: &Device, n: usize, options: NttOptions<F::Ark>) -> Result<Self> {
        Domain::new::<F>(n)?;
        let own = || F::Ark::get_root_of_unity(n as u64).expect("the field has a domain of the size");
        options.order.check(n)?;
        let omega = options.omega.unwrap_or_else(own);
        let shift = options.shift.unwrap_or(F::Ark::ONE);
        invert_shift::<F>(shift)?;
        let work = device.work()?;
        let tables = Arc::new(work.ntt_tables::<F>(n, omega)?);
        work.finish()?;
        Ok(Ntt { device: device.clone(), len: n, shift, order: options.order, tables })
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
        self.run_cancellable(values, direction, &Cancel::default())
    }

    /// As [`Ntt::run`], into memory that is there, which saves the system from finding new pages: a quarter
    /// of the time of large transforms. `out` is as long as `values`.
    pub fn run_into(&self, values: &[F::Ark], out: &mut [F::Ark], direction: Direction) -> Result<()> {
        self.run_into_with_report(values, out, direction, Detail::Counts).map(drop)
    }

    /// As [`Ntt::run_into`], with what the call did.
    pub fn run_into_with_report(
        &self,
        values: &[F::Ark],
        out: &mut [F::Ark],
        direction: Direction,
        detail: Detail,
    ) -> Result<Report> {
        check_len("NTT vector", self.len, values.len())?;
        check_len("NTT result", self.len, out.len())?;
        let run = |work: &Work| {
            let vector = self.transform(work, values, direction)?;
            work.stage("download", |work| work.download_into(&vector, out))
        };
        call(&self.device, detail, &Cancel::default(), run).map(|((), report)| report)
    }

    /// The transform of a vector on the device, in place, or of several of the plan's length, one after the
    /// other, by the same launches. After a failure their contents are undefined.
    pub fn run_resident(&self, vector: &mut DeviceVec<F>, direction: Direction) -> Result<()> {
        self.run_resident_with_report(vector, direction, Detail::Counts).map(drop)
    }

    /// As [`Ntt::run_resident`], with what the call did.
    pub fn run_resident_with_report(
        &self,
        vector: &mut DeviceVec<F>,
        direction: Direction,
        detail: Detail,
    ) -> Result<Report> {
        let run =
            |work: &Work| work.stage("ntt", |work| work.ntt_rows(&self.tables, vector, self.of(direction)));
        call(&self.device, detail, &Cancel::default(), run).map(|((), report)| report)
    }

    /// The transforms of a batch of vectors of the host; what is not of the batch comes back as it was.
    ///
    /// Errors of all batches: [`RuntimeError::Length`] where the batch has not the elements that `values`
    /// has, for strided ones more of them; [`RuntimeError::ZeroStride`],
    /// [`RuntimeError::OverlappingVectors`]; and [`RuntimeError::Input`] for one of no vectors.
    pub fn run_batch(&self, values: &[F::Ark], batch: NttBatch, direction: Direction) -> Result<Vec<F::Ark>> {
        batch.places("NTT vector", self.len, values.len())?;
        let run = |work: &Work| work.take(self.transform_batch(work, values, batch, direction)?);
        call(&self.device, Detail::Counts, &Cancel::default(), run).map(|(values, _)| values)
    }

    /// As [`Ntt::run_batch`], into memory that is there; `out` is as long as `values`.
    pub fn run_batch_into(
        &self,
        values: &[F::Ark],
        out: &mut [F::Ark],
        batch: NttBatch,
        direction: Direction,
    ) -> Result<()> {
        batch.places("NTT vector", self.len, values.len())?;
        check_len("NTT result", values.len(), out.len())?;
        let run = |work: &Work| {
            let vector = self.transform_batch(work, values, batch, direction)?;
            work.stage("download", |work| work.download_into(&vector, out))
        };
        call(&self.device, Detail::Counts, &Cancel::default(), run).map(|_| ())
    }

    /// The transforms of a batch on the device, in place; what is not of the batch stays as it is. After a
    /// failure the contents are undefined.
    pub fn run_resident_batch(
        &self,
        vector: &mut DeviceVec<F>,
        batch: NttBatch,
        direction: Direction,
    ) -> Result<()> {
        let run = |work: &Work| {
            work.stage("ntt", |work| work.ntt_batch(&self.tables, vector, batch, self.of(direction)))
        };
        call(&self.device, Detail::Counts, &Cancel::default(), run).map(|_| ())
    }

    /// The transforms of the vectors that are a batch `from` in `input`, which stays as it is, to a batch
    /// `to` of as many in `out`; so one call transforms the columns of a matrix and transposes it. What is
    /// not of the batch stays in `out`. After a failure the contents of `out` are undefined.
    pub fn run_resident_into(
        &self,
        (input, from): (&DeviceVec<F>, NttBatch),
        (out, to): (&mut DeviceVec<F>, NttBatch),
        direction: Direction,
    ) -> Result<()> {
        let run = |work: &Work| {
            let (input, out) = ((input, from), (&mut *out, to));
            work.stage("ntt", |work| work.ntt_into(&self.tables, input, out, self.of(direction)))
        };
        call(&self.device, Detail::Counts, &Cancel::default(), run).map(|_| ())
    }

    /// As [`Ntt::run`], beside the caller.
    pub fn submit(&self, values: Vec<F::Ark>, direction: Direction) -> Job<Vec<F::Ark>> {
        let plan = self.clone();
        Job::start(move |cancel| plan.run_cancellable(&values, direction, &cancel))
    }

    fn run_cancellable(
        &self,
        values: &[F::Ark],
        direction: Direction,
        cancel: &Cancel,
    ) -> Result<Vec<F::Ark>> {
        check_len("NTT vector", self.len, values.len())?;
        let run = |work: &Work| work.take(self.transform(work, values, direction)?);
        call(&self.device, Detail::Counts, cancel, run).map(|(values, _)| values)
    }

    fn transform(&self, work: &Work, values: &[F::Ark], direction: Direction) -> Result<DeviceVec<F>> {
        let mut vector = work.stage("upload", |work| work.upload::<F>(values))?;
        work.stage("ntt", |work| work.ntt_rows(&self.tables, &mut vector, self.of(direction)))?;
        Ok(vector)
    }

    fn transform_batch(
        &self,
        work: &Work,
        values: &[F::Ark],
        batch: NttBatch,
        direction: Direction,
    ) -> Result<DeviceVec<F>> {
        let mut vector = work.stage("upload", |work| work.upload::<F>(values))?;
        work.stage("ntt", |work| work.ntt_batch(&self.tables, &mut vector, batch, self.of(direction)))?;
        Ok(vector)
    }

    fn of(&self, direction: Direction) -> Transform<F::Ark> {
        Transform { direction, shift: self.shift, order: self.order }
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
