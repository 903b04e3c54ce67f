//! Multi-scalar multiplications.

use super::Work;
use crate::engine::{Bases, Call as _, Held, PendingSum, Room};
use crate::error::{Result, RuntimeError};
use crate::field::{Field, modulus_bits};
use crate::group::{AffineOf, Group, ProjectiveOf};
use crate::owner::Owner;
use crate::values::{DeviceBases, DeviceVec, Digits};
use crate::vocabulary::{Adding, CurveForm, DigitMap, DigitShape};
use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// Room on the device for the sums of several MSMs, which come to the host together.
#[derive(Debug)]
pub struct Sums(Room);

/// A sum of an MSM that may still be on the device.
pub struct Sum<G: Group>(Box<dyn PendingSum<G>>);

/// Sums of digits times bases by the digits' sizes, to which parts of an MSM are added one after the other.
pub(crate) struct Buckets<G: Group>(Held, PhantomData<G>);

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

impl<G: Group> Sum<G> {
    /// The sum, with the bytes of the [`Sums`] that it lies in.
    pub fn point(&self, sums: &SumBytes) -> Result<ProjectiveOf<G>> {
        self.0.point(&sums.0)
    }

    /// One that an engine will have.
    pub(super) fn pending(sum: Box<dyn PendingSum<G>>) -> Self {
        Sum(sum)
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
        Ok(self.points(self.call.group_sums::<G>().bases(points, form)?))
    }

    fn points<G: Group>(&self, bases: Bases) -> DeviceBases<G> {
        DeviceBases::new(self.device.clone(), bases)
    }

    /// Bases with the multiples that digits of this shape ask for; they serve digits of no other. The CPU
    /// makes none.
    pub fn multiples<G: Group>(&self, bases: &DeviceBases<G>, shape: DigitShape) -> Result<DeviceBases<G>> {
        Ok(self.points(self.call.group_sums::<G>().multiples(&bases.bases, shape)?))
    }

    /// Most multiples of a base that this device likes to keep where the bases that share its memory take
    /// `bytes` bytes without any.
    pub fn most_multiples(&self, bytes: u64) -> u32 {
        self.device.engine().most_multiples(bytes)
    }

    /// The shape of digits that this device likes for `n` scalars of `F` and at most `most` multiples of each
    /// base.
    pub fn shape_with_multiples<F: Field>(&self, n: usize, most: u32) -> DigitShape {
        self.device.engine().digit_shape(&Owner::field::<F>(), modulus_bits::<F>(), n, most)
    }

    /// As [`Work::shape_with_multiples`], of bases that are stored times `2^0` to `2^tau`, by the model:
    /// nothing was measured with them.
    pub(crate) fn shape_with_doublings<F: Field>(&self, n: usize, most: u32, tau: u32) -> DigitShape {
        match tau {
            0 => self.shape_with_multiples::<F>(n, most),
            tau => self.device.engine().shape_with_doublings(&Owner::field::<F>(), n, most, tau),
        }
    }

    /// As [`Work::shape_with_multiples`], of regular digits, by the model: nothing was measured with them.
    pub(crate) fn regular_shape<F: Field>(&self, n: usize, most: u32) -> DigitShape {
        self.device.engine().regular_shape(&Owner::field::<F>(), n, most)
    }

    /// The digit shape this device likes for `n` scalars of `F`.
    pub fn digit_shape<F: Field>(&self, n: usize) -> DigitShape {
        self.digit_shape_below::<F>(modulus_bits::<F>(), n)
    }

    /// As [`Work::digit_shape`], for scalars below `2^bits`. What was measured is for scalars of all lengths.
    pub(crate) fn digit_shape_below<F: Field>(&self, bits: u32, n: usize) -> DigitShape {
        self.device.engine().digit_shape(&Owner::field::<F>(), bits, n, 1)
    }

    /// The parts in which an MSM over `n` scalars of the host does best: while the device works on one, the
    /// next is copied. One part, where that would not pay.
    pub(crate) fn msm_parts<G: Group>(
        &self,
        n: usize,
        shape: DigitShape,
        form: CurveForm,
        adding: Adding,
    ) -> Result<Vec<Range<usize>>> {
        self.call.group_sums::<G>().parts(n, shape, form, adding)
    }

    /// [`RuntimeError::InsufficientMemory`] unless an MSM over `n` bases on the device can have the memory
    /// that it takes at least, with so many scalars that are copied, and that is at most `limit` bytes. The
    /// CPU has no limit.
    pub(crate) fn check_msm_memory<G: Group>(
        &self,
        n: usize,
        copied: usize,
        shape: DigitShape,
        limit: Option<u64>,
    ) -> Result<()> {
        self.call.group_sums::<G>().check_memory(n, copied, shape, limit)
    }

    /// As [`Work::check_msm_memory`], for `n` bases that are to be kept in a form, with the multiples and
    /// doublings of a shape.
    pub(crate) fn check_base_memory<G: Group>(
        &self,
        n: usize,
        form: CurveForm,
        shape: Option<DigitShape>,
    ) -> Result<()> {
        self.call.group_sums::<G>().check_base_memory(n, form, shape)
    }

    /// Room for `len` scalars, to be filled by [`Work::fill_scalars`].
    pub(crate) fn room_for_scalars<F: Field>(&self, len: usize) -> Result<DeviceVec<F>> {
        Ok(self.vector(self.call.copies::<F>().room(len)?, len))
    }

    /// Copies scalars of the host to `room`, zeros behind them where it is longer, in the order of this work,
    /// whoever's the room is; see [`Work::scalars_in`].
    pub(crate) fn fill_scalars<F: Field>(&self, room: &mut DeviceVec<F>, values: &[F::Ark]) -> Result<()> {
        self.call.copies::<F>().fill(&mut room.held, values)
    }

    /// The scalars that were copied to a room, as operations take them.
    pub(crate) fn scalars_in<F: Field>(&self, room: DeviceVec<F>) -> Result<DeviceVec<F>> {
        let len = room.len();
        Ok(self.vector(self.call.copies::<F>().filled(room.held)?, len))
    }

    /// Room for `len` bases, to be filled by [`Work::fill_bases`]. Not on the CPU.
    pub(crate) fn room_for_bases<G: Group>(&self, len: usize) -> Result<DeviceBases<G>> {
        Ok(self.points(self.call.group_sums::<G>().room_for_bases(len)?))
    }

    /// Copies points of the host to the begin of `room`, in the order of this work, whoever's the room is.
    pub(crate) fn fill_bases<G: Group>(
        &self,
        room: &mut DeviceBases<G>,
        points: &[AffineOf<G>],
    ) -> Result<()> {
        self.call.group_sums::<G>().fill_bases(&mut room.bases, points)
    }

    /// Cuts scalars into digits and sorts them by bucket; one result serves any number of [`Work::msm`]s.
    pub fn digits<F: Field>(&self, scalars: &DeviceVec<F>, shape: DigitShape) -> Result<Digits> {
        self.digits_below(scalars, modulus_bits::<F>(), shape)
    }

    /// As [`Work::digits`], for scalars that the caller knows to be below `2^bits`, as integers from 0 on:
    /// they have fewer windows.
    pub(crate) fn digits_below<F: Field>(
        &self,
        scalars: &DeviceVec<F>,
        bits: u32,
        shape: DigitShape,
    ) -> Result<Digits> {
        let held = self.call.scalar_digits::<F>().digits(&scalars.held, bits, shape)?;
        Ok(Digits { field: TypeId::of::<F::Ark>(), shape, held })
    }

    /// `Σ scalar_i · base_i`; the numbers of scalars and bases are equal. Waits for the sum.
    pub fn msm<G: Group>(&self, digits: &Digits, bases: &DeviceBases<G>) -> Result<ProjectiveOf<G>> {
        let sums = self.sums(self.sum_bytes::<G>(digits.shape))?;
        let sum = self.msm_into(digits, bases, &sums)?;
        let bytes = self.download_sums(&sums)?;
        self.host_stage("combine", || sum.point(&bytes))
    }

    /// The sums of the sets of buckets of an MSM over signed digits by themselves, without multiples
    /// `Σ digit_{w,i}·base_i` for window `w`. On the CPU, which cuts scalars up in its own way, the one sum
    /// of them all.
    pub fn window_sums<G: Group>(
        &self,
        digits: &Digits,
        bases: &DeviceBases<G>,
    ) -> Result<Vec<ProjectiveOf<G>>> {
        if digits.shape.map != DigitMap::Signed {
            let reason = "sums of windows are of signed digits, and these are odd".to_owned();
            return Err(RuntimeError::Input { what: "digits", reason });
        }
        let engine = self.call.group_sums::<G>();
        let sums = self.sums(engine.window_bytes(digits.shape))?;
        let Buckets(buckets, _) = self.buckets_of(digits, bases)?;
        let sum = engine.window_sums(buckets, &sums.0)?;
        sum.points(&self.download_sums(&sums)?.0)
    }

    /// Bytes of [`Sums`] that an MSM takes.
    pub fn sum_bytes<G: Group>(&self, shape: DigitShape) -> usize {
        self.call.group_sums::<G>().sum_bytes(shape)
    }

    /// Room for sums of so many bytes in all; see [`Work::sum_bytes`].
    pub fn sums(&self, bytes: usize) -> Result<Sums> {
        Ok(Sums(Room::new(self.call.room_for_sums(bytes)?)))
    }

    /// As [`Work::msm`], with the result in `sums`, which belong to this work or to one that it is a fork of.
    pub fn msm_into<G: Group>(&self, digits: &Digits, bases: &DeviceBases<G>, sums: &Sums) -> Result<Sum<G>> {
        self.sum_of_buckets(self.buckets_of(digits, bases)?, sums)
    }

    fn buckets_of<G: Group>(&self, digits: &Digits, bases: &DeviceBases<G>) -> Result<Buckets<G>> {
        let mut buckets = self.buckets(bases.form(), digits.shape, Adding::default())?;
        self.add_to_buckets(&mut buckets, digits, bases, 0..bases.len())?;
        Ok(buckets)
    }

    /// Empty buckets for bases in a form and digits of a shape, to which is added as `adding` says, or as the
    /// device likes.
    pub(crate) fn buckets<G: Group>(
        &self,
        form: CurveForm,
        shape: DigitShape,
        adding: Adding,
    ) -> Result<Buckets<G>> {
        Ok(Buckets(self.call.group_sums::<G>().buckets(form, shape, adding)?, PhantomData))
    }

    /// Copies to the device what a second part, of `n` scalars, takes: on a fork, beside the work on the
    /// first.
    pub(crate) fn prepare_buckets<G: Group>(&self, buckets: &mut Buckets<G>, n: usize) -> Result<()> {
        self.call.group_sums::<G>().prepare(&mut buckets.0, n)
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
        self.call.group_sums::<G>().add(&mut buckets.0, &digits.held, &bases.bases, range)
    }

    /// The sum of all buckets, each times its number, in `sums`.
    pub(crate) fn sum_of_buckets<G: Group>(&self, buckets: Buckets<G>, sums: &Sums) -> Result<Sum<G>> {
        self.call.group_sums::<G>().sum(buckets.0, &sums.0).map(Sum)
    }

    /// Copies sums to the host, after all earlier work.
    pub fn download_sums(&self, sums: &Sums) -> Result<SumBytes> {
        self.call.download_sums(&sums.0.held).map(SumBytes)
    }
}
