//! One formula a thread.

use super::group_kernel;
use crate::fir::build::U32;
use crate::fir::ir::Kernel;
use crate::formulas::tower::Coord;
use crate::formulas::xyzz::{Accumulator, Curve};
use crate::spec::GroupDesc;
use curvesmith_abi::kernels::{PointAdd, PointDbl, PointMadd};

pub(in super::super) fn point_add(group: &GroupDesc) -> Kernel {
    group_kernel!(group, PointAdd, point_add_body)
}

fn point_add_body<'k, C: Coord<'k>>(curve: Curve<'k, C>) {
    let b = curve.b;
    let i = index_below_n(curve);
    let sum = curve.var(curve.load(b.buffer("a"), i));
    curve.add(sum, curve.load(b.buffer("b"), i));
    curve.store(b.buffer("out"), i, sum.get());
}

pub(in super::super) fn point_madd(group: &GroupDesc) -> Kernel {
    group_kernel!(group, PointMadd, point_madd_body)
}

fn point_madd_body<'k, C: Coord<'k>>(curve: Curve<'k, C>) {
    let b = curve.b;
    let i = index_below_n(curve);
    let start = curve.load(b.buffer("a"), i);
    let sum = Accumulator { point: curve.var(start), is_identity: b.var(curve.is_identity(start)) };
    let words = curve.load_affine(b.buffer("b"), i);
    b.if_(!words.is_identity, || curve.madd(sum, curve.affine(&words)));
    curve.store(b.buffer("out"), i, sum.point.get());
}

pub(in super::super) fn point_dbl(group: &GroupDesc) -> Kernel {
    group_kernel!(group, PointDbl, point_dbl_body)
}

fn point_dbl_body<'k, C: Coord<'k>>(curve: Curve<'k, C>) {
    let b = curve.b;
    let i = index_below_n(curve);
    let double = curve.dbl(curve.load(b.buffer("a"), i));
    curve.store(b.buffer("out"), i, double);
}

/// The thread's global index; threads from the parameter `n` on end here.
pub(super) fn index_below_n<'k, C: Coord<'k>>(curve: Curve<'k, C>) -> U32<'k> {
    let i = curve.b.global_index();
    curve.b.return_if(i.ge(curve.b.scalar("n")));
    i
}
