//! Bases on a device, and their precomputed multiples.

use super::digits::check_shape;
use crate::algorithms::index32;
use crate::error::{Result, RuntimeError};
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::plan::CurveForm;
use crate::work::DigitShape;
use curvesmith_abi::kernels::BaseMultiples;
use curvesmith_abi::layout;

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
        self.shape.map_or(1, |shape| shape.multiples as usize)
    }

    /// Digits of `shape` say which multiple of a base they mean.
    pub(super) fn check_shape(&self, shape: DigitShape) -> Result<()> {
        match self.shape {
            None if shape.multiples == 1 => Ok(()),
            Some(own) if own.multiples == shape.multiples && own.doublings() == shape.doublings() => Ok(()),
            own => {
                let own = own.map_or("none".to_owned(), |own| format!("{own:?}"));
                let reason = format!("their multiples are for {own}, the digits are {shape:?}");
                Err(RuntimeError::Input { what: "bases", reason })
            }
        }
    }
}

/// `2^(doublings·j)` times each base, for the multiples `j` of a shape.
pub(crate) fn multiples(
    stream: &Stream,
    group: &Owner,
    bases: &GpuBases,
    shape: DigitShape,
    bits: u32,
) -> Result<GpuBases> {
    check_shape(shape, bits)?;
    bases.check_shape(DigitShape { multiples: 1, ..shape })?;
    let points = &bases.points;
    let n = index32("bases", points.len())?;
    let len = points.len().saturating_mul(shape.multiples as usize);
    index32("multiples of bases", len)?;
    let out = stream.elements(group, len)?;
    let kernel = BaseMultiples {
        points: points.ptr(),
        out: out.ptr(),
        multiples: shape.multiples,
        doublings: shape.doublings(),
        n,
    };
    stream.launch(group, points.len(), &kernel)?;
    Ok(GpuBases { points: out, form: bases.form, shape: Some(shape) })
}
