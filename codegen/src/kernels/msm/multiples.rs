//! Multiples of bases, by which windows of a scalar share their buckets.

use super::group_kernel;
use super::points::index_below_n;
use crate::declaration::GroupDesc;
use crate::fir::ir::Kernel;
use crate::formulas::Curve;
use crate::kernels::inverse::invert_element;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::BaseMultiples;

pub(in super::super) fn base_multiples(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    group_kernel::<BaseMultiples>(geometry, group, base_multiples_body)
}

/// One thread a base, which doubles and inverts for each multiple: an inversion costs a fifth of the
/// doublings before it.
fn base_multiples_body(curve: Curve<'_>) {
    let b = curve.b;
    let i = index_below_n(curve);
    let (out, multiples) = (b.buffer("out"), b.scalar("multiples"));
    let base = curve.load_affine(b.buffer("points"), i);
    let point = curve.var(curve.identity());
    b.if_(!base.is_identity, || point.set(curve.of_affine(curve.affine(&base))));
    b.for_(b.u32(0), multiples, 1, |j| {
        let (now, at) = (point.get(), i * multiples + j);
        b.if_else(
            curve.is_identity(now),
            || curve.store_affine_identity(out, at),
            || {
                let inverse = invert_element(b, curve.affine_denominator(now));
                curve.store_affine(out, at, curve.to_affine(now, inverse));
            },
        );
        b.for_(b.u32(0), b.scalar("doublings"), 1, |_| point.set(curve.dbl(point.get())));
    });
}
