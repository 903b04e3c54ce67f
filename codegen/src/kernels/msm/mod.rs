//! Kernels on points: bucket accumulation, merging, reduction, sums of windows.
//!
//! A body is generic over the coordinates and written against a [`Curve`]; FIR has no calls,
//! so that each use of a formula is a copy of it. Kernels therefore use a formula in as few
//! places as they can, moving points through locals instead.

mod accumulate;
mod merge;
mod points;
mod reduce;

pub(super) use accumulate::accumulate;
pub(super) use merge::{flush_partials, merge_partials};
pub(super) use points::{point_add, point_dbl, point_madd};
pub(super) use reduce::{reduce_chunks, sum_windows};

/// Builds kernel `$abi` of `$group` from `fn body<'k, C: Coord<'k>>(Curve<'k, C>)`.
macro_rules! group_kernel {
    ($group:expr, $abi:ty, $body:ident) => {{
        let group: &crate::spec::GroupDesc = $group;
        let b = crate::fir::build::Builder::for_group::<$abi>(group);
        match group.degree() {
            1 => $body(crate::formulas::xyzz::Curve::<crate::fir::build::Fe<'_>>::new(&b, group)),
            _ => $body(crate::formulas::xyzz::Curve::<crate::formulas::tower::Fe2<'_>>::new(&b, group)),
        }
        b.finish()
    }};
}
use group_kernel;
