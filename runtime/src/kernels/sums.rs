//! The engine's sums of digits times bases.

use super::convert;
use super::msm::{self, GpuBases, GpuBuckets, GpuDigits};
use crate::engine::{Bases, GroupSums, Held, PendingSum, Room};
use crate::error::{Result, RuntimeError};
use crate::field::{Field, modulus_bits};
use crate::gpu::{Buffer, Stream};
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::owner::Owner;
use crate::policy::Runs;
use crate::vocabulary::{Adding, CurveForm, DigitShape};
use curvesmith_abi::{Element, layout};
use std::borrow::Cow;
use std::ops::Range;

/// Where the points of runs of a sum's parts lie in a [`Room`].
#[derive(Debug)]
struct InRoom {
    words: Range<usize>,
    form: CurveForm,
    runs: Runs,
}

impl<G: Group> GroupSums<G> for Stream {
    fn bases(&self, points: Cow<'_, [AffineOf<G>]>, form: CurveForm) -> Result<Bases> {
        let owner = Owner::group_in::<G>(form)?;
        Ok(held(GpuBases::of(convert::upload_points::<G>(self, &owner, &points)?, form)))
    }

    fn multiples(&self, bases: &Bases, shape: DigitShape) -> Result<Bases> {
        let (bases, bits) = (own(self, bases)?, modulus_bits::<G::Scalar>());
        Ok(held(msm::multiples(self, &Owner::group_in::<G>(bases.form)?, bases, shape, bits)?))
    }

    fn room_for_bases(&self, len: usize) -> Result<Bases> {
        Ok(held(GpuBases::of(self.elements(&Owner::group::<G>(), len)?, CurveForm::Declared)))
    }

    fn fill_bases(&self, room: &mut Bases, points: &[AffineOf<G>]) -> Result<()> {
        let room: &GpuBases = room.held.get("bases")?;
        convert::upload_first_points::<G>(self, &Owner::group_in::<G>(room.form)?, &room.points, points)
    }

    fn parts(
        &self,
        n: usize,
        shape: DigitShape,
        form: CurveForm,
        adding: Adding,
    ) -> Result<Vec<Range<usize>>> {
        let Some(policy) = self.gpu().policy().msm.parts else { return Ok(std::iter::once(0..n).collect()) };
        let group = Owner::group_in::<G>(form)?;
        let by_rows = GpuBuckets::new(group, form, shape, adding).adds_rows(self, n)?;
        Ok(policy.cut(n, size_of::<ScalarOf<G>>(), shape, (group.words, group.degree), by_rows))
    }

    fn parts_within(
        &self,
        n: usize,
        wish: (Option<u32>, Adding),
        budget: u64,
    ) -> Result<(DigitShape, usize)> {
        msm::parts_within(self, (&Owner::field::<G::Scalar>(), &Owner::group::<G>()), n, wish, budget)
    }

    fn check_memory(&self, n: usize, copied: usize, shape: DigitShape, limit: Option<u64>) -> Result<()> {
        let (field, group) = (Owner::field::<G::Scalar>(), Owner::group::<G>());
        let needed = msm::least_bytes(self, (&field, &group), n, copied, shape);
        self.gpu().check_room("MSM", needed, limit)
    }

    fn check_base_memory(&self, n: usize, form: CurveForm, shape: Option<DigitShape>) -> Result<()> {
        let bytes = n as u64 * Owner::group_in::<G>(form)?.bytes(Element::Affine) as u64;
        // Multiples are made of bases that are there, and doublings of multiples.
        let copies = match shape {
            None => 1,
            Some(shape) if shape.multiples > 1 && shape.exponents() > 1 => {
                u64::from(shape.stored()) + u64::from(shape.multiples) + 1
            }
            Some(shape) => u64::from(shape.stored()) + u64::from(shape.stored() > 1),
        };
        self.gpu().check_room("bases", bytes.saturating_mul(copies), None)
    }

    fn sum_in_place(&self, _: &[AffineOf<G>], _: &[ScalarOf<G>]) -> Result<Option<Box<dyn PendingSum<G>>>> {
        Ok(None)
    }

    fn buckets(&self, form: CurveForm, shape: DigitShape, adding: Adding) -> Result<Held> {
        Ok(Held::new(GpuBuckets::new(adder::<G>(form, shape)?, form, shape, adding)))
    }

    fn prepare(&self, buckets: &mut Held, n: usize) -> Result<()> {
        buckets.get_mut::<GpuBuckets>("buckets")?.prepare(self, n)
    }

    fn add(&self, buckets: &mut Held, digits: &Held, bases: &Bases, range: Range<usize>) -> Result<()> {
        let (digits, bases): (&GpuDigits, _) = (digits.get("digits")?, own(self, bases)?);
        buckets.get_mut::<GpuBuckets>("buckets")?.add(self, digits, bases, range)
    }

    fn sum_bytes(&self, shape: DigitShape) -> usize {
        bytes::<G>(&runs::<G>(self, shape))
    }

    fn sum(&self, buckets: Held, room: &Room) -> Result<Box<dyn PendingSum<G>>> {
        let buckets: GpuBuckets = buckets.into("buckets")?;
        let runs = runs::<G>(self, buckets.shape());
        Ok(Box::new(write::<G>(self, buckets, room, runs)?))
    }

    fn window_bytes(&self, shape: DigitShape) -> usize {
        bytes::<G>(&Runs::sets(shape))
    }

    fn window_sums(&self, buckets: Held, room: &Room) -> Result<Box<dyn PendingSum<G>>> {
        let buckets: GpuBuckets = buckets.into("buckets")?;
        let runs = Runs::sets(buckets.shape());
        Ok(Box::new(write::<G>(self, buckets, room, runs)?))
    }
}

impl<G: Group> PendingSum<G> for InRoom {
    fn point(&self, room: &[u8]) -> Result<ProjectiveOf<G>> {
        convert::combine_sums::<G>(self.bytes(room)?, self.form, self.runs.exponents())
    }

    fn points(&self, room: &[u8]) -> Result<Vec<ProjectiveOf<G>>> {
        convert::read_points::<G>(self.bytes(room)?, self.form)
    }
}

impl InRoom {
    fn bytes<'a>(&self, room: &'a [u8]) -> Result<&'a [u8]> {
        let bytes = room.get(4 * self.words.start..4 * self.words.end);
        bytes.ok_or(RuntimeError::OtherDevice { what: "sum" })
    }
}

/// Bases with what plans have to know of them.
fn held(bases: GpuBases) -> Bases {
    let bytes = (bases.points.len() * bases.points.element_bytes()) as u64;
    let (len, form, shape) = (bases.len(), bases.form, bases.shape());
    Bases { held: Held::new(bases), len, form, shape, bytes }
}

/// Bases of this stream's device.
fn own<'a>(stream: &Stream, bases: &'a Bases) -> Result<&'a GpuBases> {
    let bases: &GpuBases = bases.held.get("bases")?;
    stream.uses("bases", &bases.points)?;
    Ok(bases)
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
fn runs<G: Group>(stream: &Stream, shape: DigitShape) -> Runs {
    stream.gpu().policy().msm.runs(shape, <G::Base as Field>::WORDS, G::DEGREE)
}

/// Bytes of the points of runs.
fn bytes<G: Group>(runs: &Runs) -> usize {
    runs.points() * Owner::group::<G>().bytes(Element::Point)
}

/// Writes the points of runs to a place in a room, in whole words.
fn write<G: Group>(stream: &Stream, buckets: GpuBuckets, room: &Room, runs: Runs) -> Result<InRoom> {
    let buffer: &Buffer<layout::U32> = room.held.get("sums")?;
    stream.uses("sums", buffer)?;
    let bytes = bytes::<G>(&runs);
    let offset = room.reserve(bytes);
    if offset + bytes > 4 * buffer.len() {
        let (expected, found) = (offset + bytes, 4 * buffer.len());
        return Err(RuntimeError::Length { what: "room for sums", expected, found });
    }
    let (words, form) = (offset / 4..(offset + bytes) / 4, buckets.form());
    buckets.write_sums(stream, buffer, words.clone(), runs)?;
    Ok(InRoom { words, form, runs })
}
