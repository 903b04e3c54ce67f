//! One call's work on a device, whichever it is: the only place that asks.
//!
//! Operations of a GPU are submitted in order and done later; those of the CPU are done at once. What a
//! call made is ready when [`Work::finish`] returns. A value of another device is refused.

use crate::algorithms::{self, pointwise, spmv};
use crate::convert;
use crate::cpu::Cpu;
use crate::csr::{Csr, check_len};
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::gpu::{Buffer, Detail, Kind, Report, Span, Stream};
use crate::handle::{Device, Inner};
use crate::job::Cancel;
use crate::owner::Owner;
use crate::plan::SpMvStrategy;
use crate::values::{DeviceVec, Matrix, Repr};
use ark_ff::Zero;
use curvesmith_abi::layout;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

mod msm;
mod ntt;
mod streamed;

pub use msm::{Sum, SumBytes, Sums};
pub use ntt::{Order, Transform};
pub use streamed::StreamParts;

/// Direction of an NTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Coefficients to evaluations at `shift·omega^i`.
    Forward,
    /// Evaluations at `shift·omega^i` to coefficients, with the factor `1/n`.
    Inverse,
}

/// Which digits share a bucket of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DigitMap {
    /// Those of one absolute value.
    #[default]
    Signed,
    /// Those of one odd absolute value, once factors of two are elsewhere.
    Odd(OddDigits),
}

/// What makes digits odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddDigits {
    /// Digits are `±m·2^e`, for bases that are stored times `2^0` to `2^tau` (Chen et al., §3.1): `e` is at most `tau`, and `m` odd unless
    /// `e = tau`. `1 ≤ tau ≤ window - 1`.
    Stored {
        /// The largest stored exponent.
        tau: u32,
    },
    /// The regular recoding of Joye and Tunstall: all digits are odd, below `2^window` in absolute value, and none is 0. For scalars of all lengths, and bases in
    /// the group: even scalars are taken less the order.
    Regular,
}

/// How scalars are cut into signed digits, and which of these share a set of buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigitShape {
    /// Window width `c` in bits, 2 to 24.
    pub window: u32,
    /// Sets of buckets: windows whose numbers differ by a multiple of this share one.
    pub sets: u32,
    /// Multiples of each base, the base itself among them: `2^(window·sets·j)` times the base for the windows from `j·sets` on.
    pub multiples: u32,
    /// Which digits share a bucket.
    pub map: DigitMap,
}

impl DigitShape {
    /// Every window with buckets of its own, for scalars of `bits` bits; windows of 2 to 17 bits.
    pub fn new(bits: u32, window: u32) -> Self {
        Self::with_multiples(bits, window, 1)
    }

    /// With at most so many multiples of a base, and no fewer than the fewest sets of buckets need.
    pub fn with_multiples(bits: u32, window: u32, most: u32) -> Self {
        Self::of_windows(window, algorithms::policy::windows_of(bits, window.max(1)), most)
    }

    /// Of the regular recoding, whose digits carry nothing out of the last window; with multiples as [`DigitShape::with_multiples`].
    pub fn regular(bits: u32, window: u32, most: u32) -> Self {
        let window_count = bits.div_ceil(window.max(1));
        Self { map: DigitMap::Odd(OddDigits::Regular), ..Self::of_windows(window, window_count, most) }
    }

    /// So many windows of signed digits, with at most so many multiples of a base.
    fn of_windows(window: u32, windows: u32, most: u32) -> Self {
        let sets = windows.div_ceil(most.max(1));
        Self { window, sets, multiples: windows.div_ceil(sets.max(1)), map: DigitMap::Signed }
    }

    /// As it is, with bases that are stored times `2^0` to `2^tau`, or to `2^(window-1)`, the largest that digits have; with 0, as it is.
    pub fn with_doublings(self, tau: u32) -> Self {
        let tau = tau.min(self.window.saturating_sub(1));
        let odd = DigitMap::Odd(OddDigits::Stored { tau });
        Self { map: if tau == 0 { DigitMap::Signed } else { odd }, ..self }
    }

    /// Digits of a scalar.
    pub fn windows(&self) -> u32 {
        self.sets.saturating_mul(self.multiples)
    }

    /// Buckets of a set that digits can have: `2^(c-1)` of signed digits of `c` bits and of regular ones, and of those with stored doublings `2^(c-2)` and
    /// `2^(c-2-tau)`, of which there are none with the largest `tau`.
    pub fn buckets(&self) -> u64 {
        let signed = 1u64 << (self.window.clamp(1, 63) - 1);
        match self.map {
            DigitMap::Signed | DigitMap::Odd(OddDigits::Regular) => signed,
            DigitMap::Odd(OddDigits::Stored { tau }) => signed / 2 + (signed >> 1 >> tau.min(63)),
        }
    }

    /// The logarithm of the places of buckets that a set has.
    pub(crate) fn log_buckets(&self) -> u32 {
        match self.map {
            DigitMap::Odd(OddDigits::Stored { tau }) if tau.saturating_add(1) >= self.window => {
                self.window.saturating_sub(2)
            }
            _ => self.window.saturating_sub(1),
        }
    }

    /// Points that are stored of each base.
    pub(crate) fn stored(&self) -> u32 {
        self.multiples.saturating_mul(self.exponents())
    }

    /// Points that are stored of each multiple of a base.
    pub(crate) fn exponents(&self) -> u32 {
        match self.map {
            DigitMap::Signed | DigitMap::Odd(OddDigits::Regular) => 1,
            DigitMap::Odd(OddDigits::Stored { tau }) => tau.saturating_add(1),
        }
    }

    /// Whether the work on the digits is the same for all scalars.
    pub(crate) fn is_constant(&self) -> bool {
        self.map == DigitMap::Odd(OddDigits::Regular)
    }

    /// Sums by which an MSM gives the sum of one set: of all its buckets, and for each bit of their numbers.
    pub(crate) fn sums_of_set(&self) -> usize {
        self.log_buckets() as usize + 1
    }

    /// Sums by which an MSM gives the sum of each set.
    pub(crate) fn sums(&self) -> usize {
        self.sets as usize * self.sums_of_set()
    }

    /// Doublings from one multiple of a base to the next.
    pub(crate) fn doublings(&self) -> u32 {
        self.window.saturating_mul(self.sets)
    }
}

/// A pointwise operation on two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a · b`
    Mul,
}

/// A pointwise operation on one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `2a`
    Dbl,
    /// `a²`
    Sqr,
    /// `1/a`, each element by itself; 0 for 0.
    Inverse,
}

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

impl Work {
    pub(crate) fn new(device: &Device, detail: Detail, cancel: Cancel) -> Result<Work> {
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
