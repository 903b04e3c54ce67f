//! Kernels on points: multiples of bases, bucket accumulation, merging, reduction.
//!
//! A body is written against a [`Curve`], whatever its coordinates. Additions and doublings are functions that all kernels of a
//! group share; the mixed addition of the hot loop is written where it stands.

mod accumulate;
mod affine;
mod merge;
mod multiples;
mod points;
mod reduce;

use crate::fir::build::Builder;
use crate::fir::ir::Kernel;
use crate::formulas::Curve;
use crate::spec::GroupDesc;

pub(super) use accumulate::{Slices, accumulate, accumulate_rows};
pub(super) use affine::pair_sums;
pub(super) use merge::{merge_heads, merge_partials};
pub(super) use multiples::base_multiples;
pub(super) use points::{point_add, point_dbl, point_madd};
pub(super) use reduce::{bit_horner, bit_sums};

/// The kernel `K` of a group with this body.
fn group_kernel<K: curvesmith_abi::Kernel>(group: &GroupDesc, body: impl FnOnce(Curve<'_>)) -> Kernel {
    let b = Builder::for_group::<K>(group);
    body(Curve::new(&b, group));
    b.finish()
}
