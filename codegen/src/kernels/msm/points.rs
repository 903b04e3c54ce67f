//! One formula a thread.

use super::kernel_by;
use crate::declaration::GroupDesc;
use crate::fir::build::U32;
use crate::fir::ir::Kernel;
use crate::formulas::{Addition, Curve};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{PointAdd, PointDbl, PointMadd};

pub(in super::super) fn point_add(geometry: &Geometry, group: &GroupDesc, addition: Addition) -> Kernel {
    kernel_by::<PointAdd>(geometry, group, addition, point_add_body)
}

fn point_add_body(curve: Curve<'_>) {
    let b = curve.b;
    let i = index_below_n(curve);
    let sum = curve.var(curve.load(b.buffer("a"), i));
    curve.add(sum, curve.load(b.buffer("b"), i));
    curve.store(b.buffer("out"), i, sum.get());
}

pub(in super::super) fn point_madd(geometry: &Geometry, group: &GroupDesc, addition: Addition) -> Kernel {
    kernel_by::<PointMadd>(geometry, group, addition, point_madd_body)
}

fn point_madd_body(curve: Curve<'_>) {
    let b = curve.b;
    let i = index_below_n(curve);
    let start = curve.load(b.buffer("a"), i);
    let sum = curve.accumulator(start, curve.is_identity(start));
    let words = curve.load_affine(b.buffer("b"), i);
    curve.add_base(sum, &words, None);
    curve.store(b.buffer("out"), i, sum.point.get());
}

pub(in super::super) fn point_dbl(geometry: &Geometry, group: &GroupDesc, addition: Addition) -> Kernel {
    kernel_by::<PointDbl>(geometry, group, addition, point_dbl_body)
}

fn point_dbl_body(curve: Curve<'_>) {
    let b = curve.b;
    let i = index_below_n(curve);
    let double = curve.dbl(curve.load(b.buffer("a"), i));
    curve.store(b.buffer("out"), i, double);
}

/// The thread's global index; threads from the parameter `n` on end here.
pub(super) fn index_below_n<'k>(curve: Curve<'k>) -> U32<'k> {
    let i = curve.b.global_index();
    curve.b.return_if(i.ge(curve.b.scalar("n")));
    i
}
