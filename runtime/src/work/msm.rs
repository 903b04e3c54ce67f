//! Multi-scalar multiplications: what one call does for them on a device, whichever it is.

use super::{DigitShape, Work, other};
use crate::algorithms::msm::{self, GpuBases, GpuBuckets};
use crate::convert;
use crate::cpu::Cpu;
use crate::error::{Result, RuntimeError};
use crate::field::{Field, modulus_bits};
use crate::gpu::{Buffer, Stream};
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::owner::Owner;
use crate::plan::{CurveForm, MsmStrategy};
use crate::values::{DeviceBases, DeviceVec, Digits, Repr};
use ark_ff::AdditiveGroup;
use curvesmith_abi::{Element, layout};
use std::any::TypeId;
use std::borrow::Cow;
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
#[derive(Debug)]
pub struct Sum<G: Group>(Repr<ProjectiveOf<G>, Windows>);

/// Sums of digits times bases by the digits' sizes, to which parts of an MSM are added one after the other.
#[derive(Debug)]
pub(crate) struct Buckets<G: Group>(Repr<ProjectiveOf<G>, GpuBuckets>);

/// Where the sums of the windows lie in [`Sums`].
#[derive(Debug)]
struct Windows {
    offset: usize,
    bytes: usize,
    form: CurveForm,
    shape: DigitShape,
}

/// The bytes of [`Sums`] on the host.
#[derive(Debug)]
pub struct SumBytes(Vec<u8>);

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
            Repr::Gpu(stream) => stream.gpu().policy().msm.shape_with_multiples(modulus_bits::<F>(), n, most),
        }
    }

    /// The digit shape this device likes for `n` scalars of `F`.
    pub fn digit_shape<F: Field>(&self, n: usize) -> DigitShape {
        self.digit_shape_below(modulus_bits::<F>(), n)
    }

    /// As [`Work::digit_shape`], for scalars below `2^bits`.
    pub(crate) fn digit_shape_below(&self, bits: u32, n: usize) -> DigitShape {
        match &self.on {
            // The CPU chooses its own windows; the shape only has to be valid.
            Repr::Cpu(_) => DigitShape::new(bits, 16),
            Repr::Gpu(stream) => stream.gpu().policy().msm.digit_shape(bits, n),
        }
    }

    /// The parts in which an MSM over `n` scalars of the host does best: while the device works on one, the next is
    /// copied. One part, where that would not pay.
    pub fn msm_parts<G: Group>(&self, n: usize, shape: DigitShape) -> Vec<Range<usize>> {
        let policy = match &self.on {
            Repr::Cpu(_) => None,
            Repr::Gpu(stream) => stream.gpu().policy().msm.parts,
        };
        let group = Owner::group::<G>();
        match policy {
            None => std::iter::once(0..n).collect(),
            Some(policy) => policy.cut(n, size_of::<ScalarOf<G>>(), shape, (group.words, group.degree)),
        }
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

    /// As [`Work::check_msm_memory`], for `n` bases that are to be kept in a form, with so many multiples each.
    pub(crate) fn check_base_memory<G: Group>(
        &self,
        n: usize,
        form: CurveForm,
        multiples: u32,
    ) -> Result<()> {
        let Repr::Gpu(stream) = &self.on else { return Ok(()) };
        let bytes = n as u64 * Owner::group_in::<G>(form)?.bytes(Element::Affine) as u64;
        // Multiples are made of bases that are there.
        let copies = u64::from(multiples) + u64::from(multiples > 1);
        stream.gpu().check_room("bases", bytes.saturating_mul(copies), None)
    }

    /// The shape of digits and the length of parts for an MSM over `n` terms of the host within `budget` bytes of the device's memory.
    pub(crate) fn parts_within<G: Group>(
        &self,
        n: usize,
        options: (Option<u32>, Option<MsmStrategy>),
        budget: u64,
    ) -> Result<(DigitShape, usize)> {
        let Repr::Gpu(stream) = &self.on else { return other("bases") };
        let (field, group) = (Owner::field::<G::Scalar>(), Owner::group::<G>());
        msm::parts_within(stream, (&field, &group), n, options, budget)
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
                crate::algorithms::index32("vector length", len)?;
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
        let sums = self.sums(Sums::bytes_for::<G>(digits))?;
        let sum = self.msm_into(digits, bases, &sums)?;
        let bytes = self.download_sums(&sums)?;
        self.host_stage("combine", || sum.point(&bytes))
    }

    /// The sums of the sets of buckets of an MSM by themselves, without multiples `Σ digit_{w,i}·base_i` for window `w`. On the CPU, which cuts
    /// scalars up in its own way, the one sum of them all.
    pub fn window_sums<G: Group>(
        &self,
        digits: &Digits,
        bases: &DeviceBases<G>,
    ) -> Result<Vec<ProjectiveOf<G>>> {
        let sums = self.sums(Sums::bytes_for::<G>(digits))?;
        let sum = self.msm_into(digits, bases, &sums)?;
        let bytes = self.download_sums(&sums)?;
        match &sum.0 {
            Repr::Cpu(point) => Ok(vec![*point]),
            Repr::Gpu(windows) => convert::set_sums::<G>(windows.of(&bytes)?, windows.form, windows.shape),
        }
    }

    /// Bytes of [`Sums`] that an MSM takes.
    pub fn sum_bytes<G: Group>(&self, shape: DigitShape) -> usize {
        match &self.on {
            Repr::Cpu(_) => 0,
            Repr::Gpu(_) => Sums::bytes::<G>(shape),
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
        let mut buckets = Buckets(match &digits.repr {
            Repr::Cpu(_) => Repr::Cpu(ProjectiveOf::<G>::ZERO),
            Repr::Gpu(digits) => {
                let (group, form) = (Owner::group_in::<G>(bases.form())?, bases.form());
                Repr::Gpu(GpuBuckets::new(group, form, digits.shape(), None))
            }
        });
        self.add_to_buckets(&mut buckets, digits, bases, 0..bases.len())?;
        self.sum_of_buckets(buckets, sums)
    }

    /// Empty buckets for bases in a form and digits of a shape, to which is added as `strategy` says, or as the device likes.
    pub(crate) fn buckets<G: Group>(
        &self,
        form: CurveForm,
        shape: DigitShape,
        strategy: Option<MsmStrategy>,
    ) -> Result<Buckets<G>> {
        Ok(Buckets(match &self.on {
            Repr::Cpu(_) => Repr::Cpu(ProjectiveOf::<G>::ZERO),
            Repr::Gpu(_) => Repr::Gpu(GpuBuckets::new(Owner::group_in::<G>(form)?, form, shape, strategy)),
        }))
    }

    /// Copies to the device what a second part of the scalars takes: on a fork, beside the work on the first.
    pub(crate) fn prepare_buckets<G: Group>(&self, buckets: &mut Buckets<G>) -> Result<()> {
        match (&self.on, &mut buckets.0) {
            (Repr::Cpu(_), Repr::Cpu(_)) => Ok(()),
            (Repr::Gpu(stream), Repr::Gpu(buckets)) => buckets.prepare(stream),
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
        match (&self.on, buckets.0) {
            (Repr::Cpu(_), Repr::Cpu(sum)) => Ok(Sum(Repr::Cpu(sum))),
            (Repr::Gpu(stream), Repr::Gpu(buckets)) => {
                let (shape, form) = (buckets.shape(), buckets.form());
                let bytes = Sums::bytes::<G>(shape);
                let (room, offset) = sums.reserve(stream, bytes)?;
                let words = offset / 4..(offset + bytes) / 4;
                buckets.write_sums(stream, room, words)?;
                Ok(Sum(Repr::Gpu(Windows { offset, bytes, form, shape })))
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

impl Sums {
    /// Bytes of the sum of an MSM over these digits.
    fn bytes_for<G: Group>(digits: &Digits) -> usize {
        match &digits.repr {
            Repr::Cpu(_) => 0,
            Repr::Gpu(digits) => Sums::bytes::<G>(digits.shape()),
        }
    }

    /// As [`bytes_for`](Self::bytes_for), for digits of a shape on a GPU.
    fn bytes<G: Group>(shape: DigitShape) -> usize {
        shape.sums() * Owner::group::<G>().bytes(Element::Point)
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
    /// The sum, with the bytes of the [`Sums`] that it lies in.
    pub fn point(&self, sums: &SumBytes) -> Result<ProjectiveOf<G>> {
        match &self.0 {
            Repr::Cpu(point) => Ok(*point),
            Repr::Gpu(windows) => convert::combine_sets::<G>(windows.of(sums)?, windows.form, windows.shape),
        }
    }
}

impl Windows {
    fn of<'a>(&self, sums: &'a SumBytes) -> Result<&'a [u8]> {
        let bytes = sums.0.get(self.offset..self.offset + self.bytes);
        bytes.ok_or(RuntimeError::OtherDevice { what: "sum" })
    }
}
