//! Multi-scalar multiplications: what one call does for them on a device, whichever it is.

use super::{Work, other};
use crate::cpu::Cpu;
use crate::error::{Result, RuntimeError};
use crate::field::{Field, modulus_bits};
use crate::gpu::{Buffer, Stream};
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::kernels::convert;
use crate::kernels::msm::{self, GpuBases, GpuBuckets};
use crate::owner::Owner;
use crate::policy::Runs;
use crate::values::{DeviceBases, DeviceVec, Digits, Repr};
use crate::vocabulary::{Adding, CurveForm, DigitMap, DigitShape};
use ark_ff::AdditiveGroup;
use curvesmith_abi::{Element, layout};
use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Room on the device for the sums of several MSMs, which come to the host together.
#[derive(Debug)]
pub struct Sums {
    room: Option<Buffer<layout::U32>>,
    used: AtomicUsize,
}

/// A sum of an MSM that may still be on the device.
pub struct Sum<G: Group>(Repr<ProjectiveOf<G>, Windows>);

/// Sums of digits times bases by the digits' sizes, to which parts of an MSM are added one after the other.
pub(crate) struct Buckets<G: Group>(Repr<ProjectiveOf<G>, GpuBuckets>);

/// Where the points of runs of a sum's parts lie in [`Sums`].
#[derive(Debug)]
struct Windows {
    offset: usize,
    bytes: usize,
    form: CurveForm,
    runs: Runs,
}

/// The bytes of [`Sums`] on the host.
pub struct SumBytes(pub(crate) Vec<u8>);

impl<G: Group> fmt::Debug for Sum<G> {
    // A sum tells short scalars.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sum<{}>", G::NAME)
    }
}

impl fmt::Debug for SumBytes {
    // As [`Sum`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SumBytes[{}]", self.0.len())
    }
}

impl Work {
    /// Moves points to the device; identities allowed. The CPU keeps owned ones as they are.
    pub fn bases<G: Group>(&self, points: Cow<'_, [AffineOf<G>]>) -> Result<DeviceBases<G>> {
        self.bases_in(points, CurveForm::Declared)
    }

    /// As [`Work::bases`], in a form of the curve.
    pub(crate) fn bases_in<G: Group>(
        &self,
        points: Cow<'_, [AffineOf<G>]>,
        form: CurveForm,
    ) -> Result<DeviceBases<G>> {
        let owner = Owner::group_in::<G>(form)?;
        let repr = match &self.on {
            Repr::Cpu(_) => Repr::Cpu(Cpu.bases::<G>(points)?),
            Repr::Gpu(stream) => {
                Repr::Gpu(GpuBases::of(convert::upload_points::<G>(stream, &owner, &points)?, form))
            }
        };
        Ok(DeviceBases { device: self.device.clone(), repr })
    }

    /// Bases with the multiples that digits of this shape ask for; they serve digits of no other. The CPU makes none.
    pub fn multiples<G: Group>(&self, bases: &DeviceBases<G>, shape: DigitShape) -> Result<DeviceBases<G>> {
        let (Repr::Gpu(stream), Repr::Gpu(bases)) = (&self.on, &bases.repr) else { return other("bases") };
        stream.uses("bases", &bases.points)?;
        let bits = modulus_bits::<G::Scalar>();
        let group = Owner::group_in::<G>(bases.form)?;
        let made = msm::multiples(stream, &group, bases, shape, bits)?;
        Ok(DeviceBases { device: self.device.clone(), repr: Repr::Gpu(made) })
    }

    /// Most multiples of a base that this device likes to keep where the bases that share its memory take `bytes` bytes without any.
    pub fn most_multiples(&self, bytes: u64) -> u32 {
        match &self.on {
            Repr::Cpu(_) => 1,
            Repr::Gpu(stream) => {
                let budget = stream.gpu().policy().msm.multiples_bytes;
                u32::try_from(budget / bytes.max(1)).unwrap_or(u32::MAX)
            }
        }
    }

    /// The shape of digits that this device likes for `n` scalars of `F` and at most `most` multiples of each base.
    pub fn shape_with_multiples<F: Field>(&self, n: usize, most: u32) -> DigitShape {
        match &self.on {
            Repr::Cpu(_) => self.digit_shape::<F>(n),
            Repr::Gpu(stream) => stream.gpu().digit_shape(&Owner::field::<F>(), n, most),
        }
    }

    /// As [`Work::shape_with_multiples`], of bases that are stored times `2^0` to `2^tau`, by the model: nothing was measured with them.
    pub(crate) fn shape_with_doublings<F: Field>(&self, n: usize, most: u32, tau: u32) -> DigitShape {
        match &self.on {
            Repr::Gpu(stream) if tau > 0 => {
                stream.gpu().policy().msm.shape_with_doublings(modulus_bits::<F>(), n, most, tau)
            }
            _ => self.shape_with_multiples::<F>(n, most),
        }
    }

    /// As [`Work::shape_with_multiples`], of regular digits, by the model: nothing was measured with them.
    pub(crate) fn regular_shape<F: Field>(&self, n: usize, most: u32) -> DigitShape {
        match &self.on {
            Repr::Cpu(_) => DigitShape::regular(modulus_bits::<F>(), 16, 1),
            Repr::Gpu(stream) => stream.gpu().policy().msm.regular_shape(modulus_bits::<F>(), n, most),
        }
    }

    /// The digit shape this device likes for `n` scalars of `F`.
    pub fn digit_shape<F: Field>(&self, n: usize) -> DigitShape {
        self.digit_shape_below::<F>(modulus_bits::<F>(), n)
    }

    /// As [`Work::digit_shape`], for scalars below `2^bits`. What was measured is for scalars of all lengths.
    pub(crate) fn digit_shape_below<F: Field>(&self, bits: u32, n: usize) -> DigitShape {
        match &self.on {
            // The CPU chooses its own windows; the shape only has to be valid.
            Repr::Cpu(_) => DigitShape::new(bits, 16),
            Repr::Gpu(stream) if bits == modulus_bits::<F>() => {
                stream.gpu().digit_shape(&Owner::field::<F>(), n, 1)
            }
            Repr::Gpu(stream) => stream.gpu().policy().msm.digit_shape(bits, n),
        }
    }

    /// The parts in which an MSM over `n` scalars of the host does best: while the device works on one, the next is
    /// copied. One part, where that would not pay.
    pub(crate) fn msm_parts<G: Group>(
        &self,
        n: usize,
        shape: DigitShape,
        form: CurveForm,
        adding: Adding,
    ) -> Result<Vec<Range<usize>>> {
        let one = std::iter::once(0..n).collect();
        let Repr::Gpu(stream) = &self.on else { return Ok(one) };
        let Some(policy) = stream.gpu().policy().msm.parts else { return Ok(one) };
        let group = Owner::group_in::<G>(form)?;
        let by_rows = GpuBuckets::new(group, form, shape, adding).adds_rows(stream, n)?;
        Ok(policy.cut(n, size_of::<ScalarOf<G>>(), shape, (group.words, group.degree), by_rows))
    }

    /// [`RuntimeError::InsufficientMemory`] unless an MSM over `n` bases on the device can have the memory that it takes at least, with
    /// so many scalars that are copied, and that is at most `limit` bytes. The CPU has no limit.
    pub(crate) fn check_msm_memory<G: Group>(
        &self,
        n: usize,
        copied: usize,
        shape: DigitShape,
        limit: Option<u64>,
    ) -> Result<()> {
        let Repr::Gpu(stream) = &self.on else { return Ok(()) };
        let (field, group) = (Owner::field::<G::Scalar>(), Owner::group::<G>());
        let needed = msm::least_bytes(stream, (&field, &group), n, copied, shape);
        stream.gpu().check_room("MSM", needed, limit)
    }

    /// As [`Work::check_msm_memory`], for `n` bases that are to be kept in a form, with the multiples and doublings of a shape.
    pub(crate) fn check_base_memory<G: Group>(
        &self,
        n: usize,
        form: CurveForm,
        shape: Option<DigitShape>,
    ) -> Result<()> {
        let Repr::Gpu(stream) = &self.on else { return Ok(()) };
        let bytes = n as u64 * Owner::group_in::<G>(form)?.bytes(Element::Affine) as u64;
        // Multiples are made of bases that are there, and doublings of multiples.
        let copies = match shape {
            None => 1,
            Some(shape) if shape.multiples > 1 && shape.exponents() > 1 => {
                u64::from(shape.stored()) + u64::from(shape.multiples) + 1
            }
            Some(shape) => u64::from(shape.stored()) + u64::from(shape.stored() > 1),
        };
        stream.gpu().check_room("bases", bytes.saturating_mul(copies), None)
    }

    /// Orders later work after what `other`, which is a fork of this or of which this is one, has now.
    pub(crate) fn after(&self, other: &Work) -> Result<()> {
        match (&self.on, &other.on) {
            (Repr::Gpu(stream), Repr::Gpu(other)) => stream.after(other),
            (Repr::Cpu(_), Repr::Cpu(_)) => Ok(()),
            _ => super::other("fork"),
        }
    }

    /// Room for `len` scalars, to be filled by [`Work::fill_scalars`].
    pub(crate) fn room_for_scalars<F: Field>(&self, len: usize) -> Result<DeviceVec<F>> {
        Ok(self.vector(match &self.on {
            Repr::Cpu(_) => Repr::Cpu(Vec::new()),
            Repr::Gpu(stream) => {
                crate::kernels::index32("vector length", len)?;
                Repr::Gpu(stream.elements(&Owner::field::<F>(), len)?)
            }
        }))
    }

    /// Copies scalars of the host to `room`, zeros behind them where it is longer, in the order of this work, whoever's the room is;
    /// see [`Work::scalars_in`].
    pub(crate) fn fill_scalars<F: Field>(&self, room: &mut DeviceVec<F>, values: &[F::Ark]) -> Result<()> {
        match (&self.on, &mut room.repr) {
            (Repr::Cpu(_), Repr::Cpu(room)) => room.extend_from_slice(values),
            (Repr::Gpu(stream), Repr::Gpu(room)) => convert::upload_limbs::<F>(stream, room, values)?,
            _ => return other("scalars"),
        }
        Ok(())
    }

    /// The scalars that were copied to a room, as operations take them.
    pub(crate) fn scalars_in<F: Field>(&self, room: DeviceVec<F>) -> Result<DeviceVec<F>> {
        Ok(self.vector(match (&self.on, room.repr) {
            (Repr::Cpu(_), Repr::Cpu(scalars)) => Repr::Cpu(scalars),
            (Repr::Gpu(stream), Repr::Gpu(room)) => Repr::Gpu(convert::in_device_form::<F>(stream, room)?),
            _ => return other("scalars"),
        }))
    }

    /// Room for `len` bases, to be filled by [`Work::fill_bases`]. Not on the CPU.
    pub(crate) fn room_for_bases<G: Group>(&self, len: usize) -> Result<DeviceBases<G>> {
        let Repr::Gpu(stream) = &self.on else { return other("bases") };
        let points = stream.elements(&Owner::group::<G>(), len)?;
        let bases = GpuBases::of(points, CurveForm::Declared);
        Ok(DeviceBases { device: self.device.clone(), repr: Repr::Gpu(bases) })
    }

    /// Copies points of the host to the begin of `room`, in the order of this work, whoever's the room is.
    pub(crate) fn fill_bases<G: Group>(
        &self,
        room: &mut DeviceBases<G>,
        points: &[AffineOf<G>],
    ) -> Result<()> {
        let (Repr::Gpu(stream), Repr::Gpu(room)) = (&self.on, &room.repr) else { return other("bases") };
        convert::upload_first_points::<G>(stream, &Owner::group_in::<G>(room.form)?, &room.points, points)
    }

    /// Cuts scalars into digits and sorts them by bucket; one result serves any number of [`Work::msm`]s.
    pub fn digits<F: Field>(&self, scalars: &DeviceVec<F>, shape: DigitShape) -> Result<Digits> {
        self.digits_below(scalars, modulus_bits::<F>(), shape)
    }

    /// As [`Work::digits`], for scalars that the caller knows to be below `2^bits`, as integers from 0 on: they have fewer windows.
    pub(crate) fn digits_below<F: Field>(
        &self,
        scalars: &DeviceVec<F>,
        bits: u32,
        shape: DigitShape,
    ) -> Result<Digits> {
        let repr = match (&self.on, &scalars.repr) {
            (Repr::Cpu(_), Repr::Cpu(scalars)) => Repr::Cpu(Cpu.digits::<F>(scalars)?),
            (Repr::Gpu(stream), Repr::Gpu(scalars)) => {
                stream.uses("scalars", scalars)?;
                Repr::Gpu(Arc::new(msm::sorted_digits(stream, &Owner::field::<F>(), scalars, bits, shape)?))
            }
            _ => return other("scalars"),
        };
        Ok(Digits { field: TypeId::of::<F::Ark>(), repr })
    }

    /// `Σ scalar_i · base_i`; the numbers of scalars and bases are equal. Waits for the sum.
    pub fn msm<G: Group>(&self, digits: &Digits, bases: &DeviceBases<G>) -> Result<ProjectiveOf<G>> {
        let sums = self.sums(self.bytes_for::<G>(digits))?;
        let sum = self.msm_into(digits, bases, &sums)?;
        let bytes = self.download_sums(&sums)?;
        self.host_stage("combine", || sum.point(&bytes))
    }

    /// The sums of the sets of buckets of an MSM over signed digits by themselves, without multiples `Σ digit_{w,i}·base_i` for window `w`. On the CPU, which cuts
    /// scalars up in its own way, the one sum of them all.
    pub fn window_sums<G: Group>(
        &self,
        digits: &Digits,
        bases: &DeviceBases<G>,
    ) -> Result<Vec<ProjectiveOf<G>>> {
        let runs = match &digits.repr {
            Repr::Cpu(_) => None,
            Repr::Gpu(digits) if digits.shape().map != DigitMap::Signed => {
                let reason = "sums of windows are of signed digits, and these are odd".to_owned();
                return Err(RuntimeError::Input { what: "digits", reason });
            }
            Repr::Gpu(digits) => Some(Runs::sets(digits.shape())),
        };
        let sums = self.sums(runs.as_ref().map_or(0, Sums::bytes::<G>))?;
        let buckets = self.buckets_of(digits, bases)?;
        let sum = self.sum_by_runs(buckets, &sums, runs)?;
        let bytes = self.download_sums(&sums)?;
        match &sum.0 {
            Repr::Cpu(point) => Ok(vec![*point]),
            Repr::Gpu(windows) => convert::read_points::<G>(windows.of(&bytes)?, windows.form),
        }
    }

    /// Bytes of [`Sums`] that an MSM takes.
    pub fn sum_bytes<G: Group>(&self, shape: DigitShape) -> usize {
        match &self.on {
            Repr::Cpu(_) => 0,
            Repr::Gpu(stream) => Sums::bytes::<G>(&runs_of::<G>(stream, shape)),
        }
    }

    /// Bytes of the sum of an MSM over these digits.
    fn bytes_for<G: Group>(&self, digits: &Digits) -> usize {
        match &digits.repr {
            Repr::Cpu(_) => 0,
            Repr::Gpu(digits) => self.sum_bytes::<G>(digits.shape()),
        }
    }

    /// Room for sums of so many bytes in all; see [`Work::sum_bytes`].
    pub fn sums(&self, bytes: usize) -> Result<Sums> {
        let room = match &self.on {
            Repr::Cpu(_) => None,
            Repr::Gpu(stream) => Some(stream.words(bytes.div_ceil(4))?),
        };
        Ok(Sums { room, used: AtomicUsize::new(0) })
    }

    /// As [`Work::msm`], with the result in `sums`, which belong to this work or to one that it is a fork of.
    pub fn msm_into<G: Group>(&self, digits: &Digits, bases: &DeviceBases<G>, sums: &Sums) -> Result<Sum<G>> {
        self.sum_of_buckets(self.buckets_of(digits, bases)?, sums)
    }

    fn buckets_of<G: Group>(&self, digits: &Digits, bases: &DeviceBases<G>) -> Result<Buckets<G>> {
        let mut buckets = Buckets(match &digits.repr {
            Repr::Cpu(_) => Repr::Cpu(ProjectiveOf::<G>::ZERO),
            Repr::Gpu(digits) => {
                let (form, shape) = (bases.form(), digits.shape());
                Repr::Gpu(GpuBuckets::new(adder::<G>(form, shape)?, form, shape, Adding::default()))
            }
        });
        self.add_to_buckets(&mut buckets, digits, bases, 0..bases.len())?;
        Ok(buckets)
    }

    /// Empty buckets for bases in a form and digits of a shape, to which is added as `adding` says, or as the device likes.
    pub(crate) fn buckets<G: Group>(
        &self,
        form: CurveForm,
        shape: DigitShape,
        adding: Adding,
    ) -> Result<Buckets<G>> {
        Ok(Buckets(match &self.on {
            Repr::Cpu(_) => Repr::Cpu(ProjectiveOf::<G>::ZERO),
            Repr::Gpu(_) => Repr::Gpu(GpuBuckets::new(adder::<G>(form, shape)?, form, shape, adding)),
        }))
    }

    /// Copies to the device what a second part, of `n` scalars, takes: on a fork, beside the work on the first.
    pub(crate) fn prepare_buckets<G: Group>(&self, buckets: &mut Buckets<G>, n: usize) -> Result<()> {
        match (&self.on, &mut buckets.0) {
            (Repr::Cpu(_), Repr::Cpu(_)) => Ok(()),
            (Repr::Gpu(stream), Repr::Gpu(buckets)) => buckets.prepare(stream, n),
            _ => other("buckets"),
        }
    }

    /// Adds digits times a range of the bases.
    pub(crate) fn add_to_buckets<G: Group>(
        &self,
        buckets: &mut Buckets<G>,
        digits: &Digits,
        bases: &DeviceBases<G>,
        range: Range<usize>,
    ) -> Result<()> {
        if digits.field != TypeId::of::<<G::Scalar as Field>::Ark>() {
            let reason = format!("they are not of {}, the scalar field of {}", G::Scalar::NAME, G::NAME);
            return Err(RuntimeError::Input { what: "digits", reason });
        }
        match (&self.on, &mut buckets.0, &digits.repr, &bases.repr) {
            (Repr::Cpu(_), Repr::Cpu(sum), Repr::Cpu(digits), Repr::Cpu(bases)) => {
                *sum += Cpu.msm::<G>(digits, bases, range)?;
                Ok(())
            }
            (Repr::Gpu(stream), Repr::Gpu(buckets), Repr::Gpu(digits), Repr::Gpu(bases)) => {
                stream.uses("bases", &bases.points)?;
                buckets.add(stream, digits, bases, range)
            }
            _ => other("bases"),
        }
    }

    /// The sum of all buckets, each times its number, in `sums`.
    pub(crate) fn sum_of_buckets<G: Group>(&self, buckets: Buckets<G>, sums: &Sums) -> Result<Sum<G>> {
        self.sum_by_runs(buckets, sums, None)
    }

    /// As [`Work::sum_of_buckets`], as points of these runs of its parts, or of those that the device likes.
    fn sum_by_runs<G: Group>(&self, buckets: Buckets<G>, sums: &Sums, runs: Option<Runs>) -> Result<Sum<G>> {
        match (&self.on, buckets.0) {
            (Repr::Cpu(_), Repr::Cpu(sum)) => Ok(Sum(Repr::Cpu(sum))),
            (Repr::Gpu(stream), Repr::Gpu(buckets)) => {
                let runs = runs.unwrap_or_else(|| runs_of::<G>(stream, buckets.shape()));
                let bytes = Sums::bytes::<G>(&runs);
                let (room, offset) = sums.reserve(stream, bytes)?;
                let words = offset / 4..(offset + bytes) / 4;
                let form = buckets.form();
                buckets.write_sums(stream, room, words, runs)?;
                Ok(Sum(Repr::Gpu(Windows { offset, bytes, form, runs })))
            }
            _ => other("buckets"),
        }
    }

    /// Copies sums to the host, after all earlier work.
    pub fn download_sums(&self, sums: &Sums) -> Result<SumBytes> {
        match (&self.on, &sums.room) {
            (Repr::Gpu(stream), Some(room)) => Ok(SumBytes(stream.download_bytes(room)?)),
            _ => Ok(SumBytes(Vec::new())),
        }
    }
}

/// Whose kernels add bases in a form by digits of a shape.
fn adder<G: Group>(form: CurveForm, shape: DigitShape) -> Result<Owner> {
    match (shape.is_constant(), form) {
        (false, form) => Owner::group_in::<G>(form),
        (true, CurveForm::Declared) => Owner::constant_work::<G>(),
        (true, CurveForm::Edwards) => {
            let reason = format!("constant work of {} is on the curve as it is declared", G::NAME);
            Err(RuntimeError::Input { what: "form", reason })
        }
    }
}

/// Which sums by bits the device combines in this group.
fn runs_of<G: Group>(stream: &Stream, shape: DigitShape) -> Runs {
    stream.gpu().policy().msm.runs(shape, <G::Base as Field>::WORDS, G::DEGREE)
}

impl Sums {
    /// Bytes of the points of runs on a GPU.
    fn bytes<G: Group>(runs: &Runs) -> usize {
        runs.points() * Owner::group::<G>().bytes(Element::Point)
    }

    /// The room, and the offset in it of so many bytes that nobody else gets; they are whole words.
    fn reserve(&self, stream: &Stream, bytes: usize) -> Result<(&Buffer<layout::U32>, usize)> {
        let Some(room) = &self.room else { return other("sums") };
        stream.uses("sums", room)?;
        let offset = self.used.fetch_add(bytes, Ordering::Relaxed);
        if offset + bytes > 4 * room.len() {
            let (expected, found) = (offset + bytes, 4 * room.len());
            return Err(RuntimeError::Length { what: "room for sums", expected, found });
        }
        Ok((room, offset))
    }
}

impl<G: Group> Sum<G> {
    /// One that is not on a device.
    pub(super) fn known(sum: ProjectiveOf<G>) -> Self {
        Sum(Repr::Cpu(sum))
    }

    /// The sum, with the bytes of the [`Sums`] that it lies in.
    pub fn point(&self, sums: &SumBytes) -> Result<ProjectiveOf<G>> {
        match &self.0 {
            Repr::Cpu(point) => Ok(*point),
            Repr::Gpu(windows) => {
                convert::combine_sums::<G>(windows.of(sums)?, windows.form, windows.runs.exponents())
            }
        }
    }
}

impl Windows {
    fn of<'a>(&self, sums: &'a SumBytes) -> Result<&'a [u8]> {
        let bytes = sums.0.get(self.offset..self.offset + self.bytes);
        bytes.ok_or(RuntimeError::OtherDevice { what: "sum" })
    }
}
