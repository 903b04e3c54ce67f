//! Kernels on points: multiples of bases, bucket accumulation, merging, reduction.
//!
//! A body is written against a [`Curve`], whatever its coordinates. Additions and doublings are functions
//! that all kernels of a group share; the mixed addition of the hot loop is written where it stands.

mod accumulate;
mod affine;
mod constant;
mod merge;
mod multiples;
mod points;
mod reduce;

use crate::declaration::GroupDesc;
use crate::fir::build::Builder;
use crate::fir::ir::Kernel;
use crate::formulas::{Addition, Curve};
use curvesmith_abi::Geometry;

pub(super) use accumulate::{Slices, accumulate, accumulate_lanes, accumulate_rows};
pub(super) use affine::pair_sums;
pub(super) use constant::{partial_sums, slice_sums};
pub(super) use merge::{merge_heads, merge_partials};
pub(super) use multiples::base_multiples;
pub(super) use points::{point_add, point_dbl, point_madd};
pub(super) use reduce::{bit_horner, bit_sums};

/// The kernel `K` of a group with this body, which adds by cases.
fn group_kernel<K: curvesmith_abi::Kernel>(
    geometry: &Geometry,
    group: &GroupDesc,
    body: impl FnOnce(Curve<'_>),
) -> Kernel {
    kernel_by::<K>(geometry, group, Addition::ByCases, body)
}

/// The kernel `K` of a group with this body.
fn kernel_by<K: curvesmith_abi::Kernel>(
    geometry: &Geometry,
    group: &GroupDesc,
    addition: Addition,
    body: impl FnOnce(Curve<'_>),
) -> Kernel {
    let b = Builder::for_group::<K>(geometry, group);
    if addition == Addition::BranchFree {
        b.unguarded();
    }
    body(Curve::new(&b, group, addition));
    b.finish()
}
