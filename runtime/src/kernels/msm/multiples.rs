//! Bases on a device, and their precomputed multiples.

use super::digits::{check_shape, reach};
use crate::error::{Result, RuntimeError};
use crate::gpu::{Buffer, Stream};
use crate::kernels::index32;
use crate::owner::Owner;
use crate::vocabulary::{CurveForm, DigitMap, DigitShape};
use curvesmith_abi::kernels::BaseMultiples;
use curvesmith_abi::{Element, layout};

/// Bases on a device, each followed by its multiples.
#[derive(Debug)]
pub(crate) struct GpuBases {
    pub(crate) points: Buffer<layout::Affine>,
    pub(crate) form: CurveForm,
    /// Of the digits that the multiples are for.
    shape: Option<DigitShape>,
}

impl GpuBases {
    /// Bases without multiples.
    pub(crate) fn of(points: Buffer<layout::Affine>, form: CurveForm) -> Self {
        GpuBases { points, form, shape: None }
    }

    /// Bases, not counting their multiples.
    pub(crate) fn len(&self) -> usize {
        self.points.len() / self.multiples()
    }

    pub(crate) fn shape(&self) -> Option<DigitShape> {
        self.shape
    }

    pub(super) fn multiples(&self) -> usize {
        self.shape.map_or(1, |shape| shape.stored() as usize)
    }

    /// Digits of `shape` say which multiple of a base they mean.
    pub(super) fn check_shape(&self, shape: DigitShape) -> Result<()> {
        match self.shape {
            None if shape.stored() == 1 => Ok(()),
            Some(own)
                if (own.multiples, own.doublings(), own.map)
                    == (shape.multiples, shape.doublings(), shape.map) =>
            {
                Ok(())
            }
            own => {
                let own = own.map_or("none".to_owned(), |own| format!("{own:?}"));
                let reason = format!("their multiples are for {own}, the digits are {shape:?}");
                Err(RuntimeError::Input { what: "bases", reason })
            }
        }
    }
}

/// `2^(doublings·j)` times each base, for the multiples `j` of a shape, and of each of these `2^0` to `2^tau`
/// times, where digits are odd.
pub(crate) fn multiples(
    stream: &Stream,
    group: &Owner,
    bases: &GpuBases,
    shape: DigitShape,
    bits: u32,
) -> Result<GpuBases> {
    check_shape(shape, bits)?;
    bases.check_shape(DigitShape { multiples: 1, map: DigitMap::Signed, ..shape })?;
    index32("multiples of bases", bases.points.len().saturating_mul(shape.stored() as usize))?;
    let (multiples, exponents) = (shape.multiples, shape.exponents());
    let points = match (multiples, exponents) {
        (_, 1) => doubled(stream, group, &bases.points, multiples, shape.doublings())?,
        (1, _) => doubled(stream, group, &bases.points, exponents, 1)?,
        _ => {
            let points = doubled(stream, group, &bases.points, multiples, shape.doublings())?;
            doubled(stream, group, &points, exponents, 1)?
        }
    };
    Ok(GpuBases { points, form: bases.form, shape: Some(shape) })
}

/// `2^(doublings·j)` times each point, for `j < multiples`, one after the other.
fn doubled(
    stream: &Stream,
    group: &Owner,
    points: &Buffer<layout::Affine>,
    multiples: u32,
    doublings: u32,
) -> Result<Buffer<layout::Affine>> {
    let (len, each) = (points.len(), multiples as usize);
    let out = stream.elements(group, len * each)?;
    // As many as a launch reaches, with their multiples.
    let step = reach(stream, (each * group.bytes(Element::Affine)) as u64) as usize;
    for start in (0..len).step_by(step) {
        let end = len.min(start.saturating_add(step));
        let n = index32("bases", end - start)?;
        let (points, out) = (points.part(start..end), out.part(start * each..end * each));
        stream.launch(group, end - start, &BaseMultiples { points, out, multiples, doublings, n })?;
    }
    Ok(out)
}
