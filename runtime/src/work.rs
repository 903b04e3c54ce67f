//! One call's work on a device, whichever it is: the only place that asks.
//!
//! Operations of a GPU are submitted in order and done later; those of the CPU are done at once. What a
//! call made is ready when [`Work::finish`] returns. A value of another device is refused.

use crate::cpu::Cpu;
use crate::csr::{Csr, check_len};
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::gpu::{Buffer, Stream};
use crate::handle::{Device, Inner};
use crate::job::Cancel;

use crate::kernels::{convert, pointwise, spmv};
use crate::owner::Owner;
use crate::values::{DeviceVec, Matrix, Repr};
use crate::vocabulary::{BinaryOp, Detail, Kind, Report, SpMvStrategy, Span, UnaryOp};
use ark_ff::Zero;
use curvesmith_abi::layout;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

mod ahead;
mod msm;
mod ntt;
mod streamed;
mod values;

pub(crate) use ahead::ahead;
pub use msm::{Sum, SumBytes, Sums};
pub use streamed::StreamParts;

/// The work of one call. Vectors, matrices and bases that it makes or takes are of its device; every
/// operation checks the lengths of its arguments against each other.
#[derive(Debug)]
pub struct Work {
    device: Device,
    on: Repr<CpuWork, Stream>,
}

/// What is noted of work on the CPU.
#[derive(Debug)]
struct CpuWork {
    start: Instant,
    spans: Mutex<Vec<Span>>,
    cancel: Cancel,
}

impl CpuWork {
    fn timed<T>(&self, name: &'static str, part: impl FnOnce() -> T) -> T {
        let begin = self.start.elapsed().as_secs_f64();
        let result = part();
        let end = self.start.elapsed().as_secs_f64();
        let span = Span { name: Cow::Borrowed(name), kind: Kind::Host, stream: 0, begin, end };
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).push(span);
        result
    }
}

fn other<T>(what: &'static str) -> Result<T> {
    Err(RuntimeError::OtherDevice { what })
}

impl Device {
    /// Work for one call, with streams of its own.
    pub fn work(&self) -> Result<Work> {
        self.work_with(Detail::Counts, &Cancel::default())
    }

    /// Work that is watched as closely as `detail` says, and ends early at a wish.
    pub fn work_with(&self, detail: Detail, cancel: &Cancel) -> Result<Work> {
        Work::new(self, detail, cancel.clone())
    }
}

impl Work {
    fn new(device: &Device, detail: Detail, cancel: Cancel) -> Result<Work> {
        let on = match &device.inner {
            Inner::Cpu => Repr::Cpu(CpuWork { start: Instant::now(), spans: Mutex::default(), cancel }),
            Inner::Gpu(gpu) => Repr::Gpu(gpu.stream(detail, cancel)?),
        };
        Ok(Work { device: device.clone(), on })
    }

    /// The stream below, where the device is one of kernels.
    pub fn stream(&self) -> Option<&Stream> {
        match &self.on {
            Repr::Cpu(_) => None,
            Repr::Gpu(stream) => Some(stream),
        }
    }

    /// Waits for all of it; the first failure, if there was one.
    pub fn finish(self) -> Result<Report> {
        match self.on {
            Repr::Gpu(stream) => stream.finish(),
            Repr::Cpu(work) => {
                let spans = work.spans.into_inner().unwrap_or_else(PoisonError::into_inner);
                Ok(Report { start: Some(work.start), spans, ..Report::default() })
            }
        }
    }

    /// Submits a call with `run` and waits for it. If both fail, the device's failure is told, since what `run`
    /// noticed is its consequence; unless the call was cancelled.
    pub fn complete<T, E: From<RuntimeError>>(
        self,
        run: impl FnOnce(&Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<(T, Report), E> {
        let value = run(&self);
        let cancelled = self.is_cancelled();
        let done = self.finish();
        match (value, done) {
            (Ok(value), done) => Ok((value, done?)),
            (Err(_), Err(cause)) if !cancelled => Err(cause.into()),
            (Err(error), _) => Err(error),
        }
    }

    fn is_cancelled(&self) -> bool {
        match &self.on {
            Repr::Gpu(stream) => stream.check_cancelled().is_err(),
            Repr::Cpu(work) => work.cancel.check().is_err(),
        }
    }

    /// Work that is ordered after what this has now, and otherwise independent, until [`Work::join`]. On the CPU
    /// it is the same work.
    pub fn fork(&self) -> Result<Work> {
        self.fork_by(Stream::fork)
    }

    /// As [`Work::fork`], for work that other work waits for: where the device can do that, its kernels go before
    /// those that wait for room.
    pub fn fork_urgent(&self) -> Result<Work> {
        self.fork_by(Stream::fork_urgent)
    }

    fn fork_by(&self, fork: fn(&Stream) -> Result<Stream>) -> Result<Work> {
        let on = match &self.on {
            Repr::Gpu(stream) => Repr::Gpu(fork(stream)?),
            Repr::Cpu(work) => {
                Repr::Cpu(CpuWork { start: work.start, spans: Mutex::default(), cancel: work.cancel.clone() })
            }
        };
        Ok(Work { device: self.device.clone(), on })
    }

    /// Orders later work after all of `fork`.
    pub fn join(&self, fork: Work) -> Result<()> {
        match (&self.on, fork.on) {
            (Repr::Gpu(stream), Repr::Gpu(fork)) => stream.join(fork),
            (Repr::Cpu(work), Repr::Cpu(fork)) => {
                let spans = fork.spans.into_inner().unwrap_or_else(PoisonError::into_inner);
                work.spans.lock().unwrap_or_else(PoisonError::into_inner).extend(spans);
                Ok(())
            }
            _ => other("fork"),
        }
    }

    /// Has the device memory of this call zeroed when it ends, but for what it gives out; the CPU's is not.
    pub fn wipe_at_end(&self) {
        if let Repr::Gpu(stream) = &self.on {
            stream.wipe_at_end();
        }
    }

    /// Runs a named part of the call, for its [`Report`].
    pub fn stage<T>(&self, name: &'static str, part: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        match &self.on {
            Repr::Gpu(stream) => stream.stage(name, || part(self)),
            Repr::Cpu(work) => {
                work.cancel.check()?;
                work.timed(name, || part(self))
            }
        }
    }

    /// Runs a named part of the call that the host does by itself.
    pub fn host_stage<T>(&self, name: &'static str, part: impl FnOnce() -> T) -> T {
        match &self.on {
            Repr::Gpu(stream) => stream.host_stage(name, part),
            Repr::Cpu(work) => work.timed(name, part),
        }
    }

    fn vector<F: Field>(&self, repr: Repr<Vec<F::Ark>, Buffer<layout::Field>>) -> DeviceVec<F> {
        DeviceVec { device: self.device.clone(), repr }
    }

    /// Copies values to the device.
    pub fn upload<F: Field>(&self, values: &[F::Ark]) -> Result<DeviceVec<F>> {
        Ok(self.vector(match &self.on {
            Repr::Cpu(_) => Repr::Cpu(values.to_vec()),
            Repr::Gpu(stream) => Repr::Gpu(convert::upload::<F>(stream, values)?),
        }))
    }

    /// So many zeros.
    pub fn zeros<F: Field>(&self, len: usize) -> Result<DeviceVec<F>> {
        Ok(self.vector(match &self.on {
            Repr::Cpu(_) => Repr::Cpu(vec![F::Ark::zero(); len]),
            Repr::Gpu(stream) => {
                let buffer = stream.elements(&Owner::field::<F>(), len)?;
                stream.zero(&buffer, 0..len)?;
                Repr::Gpu(buffer)
            }
        }))
    }

    /// Copies values back, after all earlier work.
    pub fn download<F: Field>(&self, vector: &DeviceVec<F>) -> Result<Vec<F::Ark>> {
        if let (Repr::Cpu(_), Repr::Cpu(values)) = (&self.on, &vector.repr) {
            return Ok(values.clone());
        }
        let mut values = convert::zeros::<F>(vector.len());
        self.download_into(vector, &mut values)?;
        Ok(values)
    }

    /// As [`Work::download`], of a vector that nobody needs any more: the CPU's is the result itself.
    pub fn take<F: Field>(&self, vector: DeviceVec<F>) -> Result<Vec<F::Ark>> {
        match (&self.on, vector.repr) {
            (Repr::Cpu(_), Repr::Cpu(values)) => Ok(values),
            (_, repr) => self.download::<F>(&DeviceVec { device: vector.device, repr }),
        }
    }

    /// As [`Work::download`], into memory that is there; `values` is as long as the vector.
    pub fn download_into<F: Field>(&self, vector: &DeviceVec<F>, values: &mut [F::Ark]) -> Result<()> {
        match (&self.on, &vector.repr) {
            (Repr::Cpu(_), Repr::Cpu(found)) => {
                check_len("values to download", found.len(), values.len())?;
                values.copy_from_slice(found);
                Ok(())
            }
            (Repr::Gpu(stream), Repr::Gpu(buffer)) => {
                stream.uses("vector", buffer)?;
                convert::download::<F>(stream, buffer, values)
            }
            _ => other("vector"),
        }
    }

    /// `a ∘ b`, elementwise.
    pub fn binary<F: Field>(&self, op: BinaryOp, a: &DeviceVec<F>, b: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        Ok(self.vector(match (&self.on, &a.repr, &b.repr) {
            (Repr::Cpu(_), Repr::Cpu(a), Repr::Cpu(b)) => Repr::Cpu(Cpu.binary::<F>(op, a, b)?),
            (Repr::Gpu(stream), Repr::Gpu(a), Repr::Gpu(b)) => {
                stream.uses("left operand", a)?;
                stream.uses("right operand", b)?;
                Repr::Gpu(pointwise::binary(stream, &Owner::field::<F>(), op, a, b)?)
            }
            _ => return other("operand"),
        }))
    }

    /// Elementwise operation.
    pub fn unary<F: Field>(&self, op: UnaryOp, a: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        self.map(a, |a| Cpu.unary::<F>(op, a), |stream, field, a| pointwise::unary(stream, field, op, a))
    }

    /// `1/a`, elementwise, with one inversion for many elements; 0 for 0.
    pub fn batch_inverse<F: Field>(&self, a: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        self.map(a, |a| Cpu.batch_inverse::<F>(a), pointwise::batch_inverse)
    }

    /// `a · c`, elementwise.
    pub fn mul_const<F: Field>(&self, a: &DeviceVec<F>, c: F::Ark) -> Result<DeviceVec<F>> {
        self.map(
            a,
            |a| Cpu.mul_const::<F>(a, c),
            |stream, field, a| pointwise::mul_const(stream, field, a, &convert::device_bytes::<F>(&[c])),
        )
    }

    fn map<F: Field>(
        &self,
        a: &DeviceVec<F>,
        cpu: impl FnOnce(&Vec<F::Ark>) -> Result<Vec<F::Ark>>,
        gpu: impl FnOnce(&Stream, &Owner, &Buffer<layout::Field>) -> Result<Buffer<layout::Field>>,
    ) -> Result<DeviceVec<F>> {
        Ok(self.vector(match (&self.on, &a.repr) {
            (Repr::Cpu(_), Repr::Cpu(a)) => Repr::Cpu(cpu(a)?),
            (Repr::Gpu(stream), Repr::Gpu(a)) => {
                stream.uses("operand", a)?;
                Repr::Gpu(gpu(stream, &Owner::field::<F>(), a)?)
            }
            _ => return other("operand"),
        }))
    }

    /// `a·b` into the last third of a vector, elementwise, `a` and `b` being the others.
    pub fn mul_thirds<F: Field>(&self, thirds: &mut DeviceVec<F>) -> Result<()> {
        match (&self.on, &mut thirds.repr) {
            (Repr::Cpu(_), Repr::Cpu(thirds)) => Cpu.mul_thirds::<F>(thirds),
            (Repr::Gpu(stream), Repr::Gpu(thirds)) => {
                stream.uses("vector", thirds)?;
                pointwise::mul_thirds(stream, &Owner::field::<F>(), thirds)
            }
            _ => other("vector"),
        }
    }

    /// `a·b - c`, elementwise, of the thirds of a vector.
    pub fn mul_sub_thirds<F: Field>(&self, thirds: &DeviceVec<F>) -> Result<DeviceVec<F>> {
        self.map(thirds, |thirds| Cpu.mul_sub_thirds::<F>(thirds), pointwise::mul_sub_thirds)
    }

    /// Moves a matrix to the device, [`SpMvStrategy::Balanced`]. Checks offsets and columns.
    pub fn matrix<F: Field>(&self, matrix: &Csr<F::Ark>) -> Result<Matrix<F>> {
        self.matrix_by(matrix, SpMvStrategy::default())
    }

    /// As [`Work::matrix`], with rows shared out as `strategy` says.
    pub fn matrix_by<F: Field>(&self, matrix: &Csr<F::Ark>, strategy: SpMvStrategy) -> Result<Matrix<F>> {
        matrix.validate()?;
        let repr = match &self.on {
            Repr::Cpu(_) => Repr::Cpu(matrix.clone()),
            Repr::Gpu(stream) => Repr::Gpu(Arc::new(spmv::GpuMatrix::new::<F>(stream, matrix, strategy)?)),
        };
        Ok(Matrix { repr })
    }

    /// `matrix · x`, zero-extended to `out_len ≥ rows` elements.
    pub fn spmv<F: Field>(
        &self,
        matrix: &Matrix<F>,
        x: &DeviceVec<F>,
        out_len: usize,
    ) -> Result<DeviceVec<F>> {
        Ok(self.vector(match (&self.on, &matrix.repr, &x.repr) {
            (Repr::Cpu(_), Repr::Cpu(matrix), Repr::Cpu(x)) => Repr::Cpu(Cpu.spmv::<F>(matrix, x, out_len)?),
            (Repr::Gpu(stream), Repr::Gpu(matrix), Repr::Gpu(x)) => {
                matrix.used_by(stream)?;
                stream.hold(matrix.clone());
                stream.uses("vector", x)?;
                Repr::Gpu(spmv::spmv(stream, &Owner::field::<F>(), matrix, x, out_len)?)
            }
            _ => return other("vector"),
        }))
    }
}
