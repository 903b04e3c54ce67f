//! The body of every kernel of [`curvesmith_abi::kernels`], written with the builder.
//!
//! The contracts, units and layouts are those of the ABI; what stands here is how. Warp-wide operations name
//! the full mask, so no lane of a warp may leave before them, and no thread of a block, since a target
//! without warps exchanges words through shared memory ([`crate::fir::uniform`]): threads past the end
//! compute on clamped indices and store nothing.

mod buckets;
mod counting;
mod digits;
pub mod inverse;
mod msm;
mod ntt;
mod pairs;
mod pointwise;
mod radix;
mod rows;
mod scan;
mod spmv;

use crate::declaration::{FieldDesc, GroupDesc};
use crate::fir::build::{Builder, FULL_MASK, U32};
use crate::fir::ir::{Kernel, ShuffleMode};
use crate::formulas::Addition;
use curvesmith_abi::kernels::{msm_has_lane_pairs, msm_has_pairs, msm_has_rows};
use curvesmith_abi::{Form, Geometry};

/// The kernels of a prime field's image.
pub fn field_kernels(geometry: &Geometry, field: &FieldDesc) -> Vec<Kernel> {
    let mut kernels = pointwise::kernels(geometry, field);
    kernels.extend([inverse::inverse(geometry, field), inverse::batch_inverse(geometry, field)]);
    kernels.extend([
        digits::digits(geometry, field),
        digits::digits_odd(geometry, field),
        digits::digits_regular(geometry, field),
    ]);
    kernels.extend(ntt::kernels(geometry, field));
    kernels.extend([spmv::warp_per_row(geometry, field), spmv::thread_per_row(geometry, field)]);
    kernels
}

/// The kernels of a group, one list an image, so that images load in parallel.
pub fn group_kernels(geometry: &Geometry, group: &GroupDesc) -> Vec<Vec<Kernel>> {
    let mut images = vec![
        vec![msm::accumulate(geometry, group)],
        vec![msm::merge_partials(geometry, group), msm::merge_heads(geometry, group)],
        vec![
            msm::bit_sums(geometry, group, Addition::ByCases),
            msm::bit_horner(geometry, group, Addition::ByCases),
        ],
        vec![msm::base_multiples(geometry, group)],
    ];
    if msm_has_rows(group.degree()) {
        images.push(vec![msm::accumulate_rows(geometry, group)]);
    }
    if has_pairs(group) {
        images.push(vec![msm::pair_sums(geometry, group)]);
    }
    if has_lane_pairs(geometry, group) {
        images.push(vec![msm::accumulate_lanes(geometry, group)]);
    }
    images
}

fn has_pairs(group: &GroupDesc) -> bool {
    msm_has_pairs(group.equation.form(), group.base.words, group.degree())
}

/// The kernels of a group's MSMs for constant work, one list an image; the group is
/// [`GroupDesc::constant_work`]'s.
pub fn constant_kernels(geometry: &Geometry, group: &GroupDesc) -> Vec<Vec<Kernel>> {
    let addition = Addition::BranchFree;
    vec![
        vec![msm::slice_sums(geometry, group)],
        vec![msm::partial_sums(geometry, group), msm::point_add(geometry, group, addition)],
        vec![msm::bit_sums(geometry, group, addition), msm::bit_horner(geometry, group, addition)],
    ]
}

fn has_lane_pairs(geometry: &Geometry, group: &GroupDesc) -> bool {
    msm_has_lane_pairs(geometry, group.equation.form(), group.base.words, group.degree())
}

/// An addition, a mixed addition and a doubling a thread, and sums of rows, of affine pairs and on pairs of
/// lanes where no image holds them: what shows the formulas to tests by themselves.
pub fn formula_kernels(geometry: &Geometry, group: &GroupDesc) -> Vec<Kernel> {
    let addition = Addition::ByCases;
    let mut kernels = vec![
        msm::point_add(geometry, group, addition),
        msm::point_madd(geometry, group, addition),
        msm::point_dbl(geometry, group, addition),
    ];
    if !msm_has_rows(group.degree()) {
        kernels.push(msm::accumulate_rows(geometry, group));
    }
    if group.equation.form() == Form::Xyzz && !has_pairs(group) {
        kernels.push(msm::pair_sums(geometry, group));
    }
    let lanes = geometry.lane_pairs && group.equation.form() == Form::Xyzz && group.degree() == 2;
    if lanes && !has_lane_pairs(geometry, group) {
        kernels.push(msm::accumulate_lanes(geometry, group));
    }
    kernels
}

/// What [`constant_kernels`] has not of the formulas: a mixed addition and a doubling a thread.
pub fn constant_formula_kernels(geometry: &Geometry, group: &GroupDesc) -> Vec<Kernel> {
    vec![
        msm::point_madd(geometry, group, Addition::BranchFree),
        msm::point_dbl(geometry, group, Addition::BranchFree),
    ]
}

/// The field-independent kernels.
pub fn common_kernels(geometry: &Geometry) -> Vec<Kernel> {
    let mut kernels = if geometry.looks_back() { radix::kernels(geometry) } else { vec![] };
    kernels.extend([
        counting::bucket_counts(geometry),
        counting::bucket_scatter(geometry),
        scan::scan_tiles(geometry),
        scan::scan_add(geometry),
        buckets::bucket_starts(geometry),
        pairs::pair_counts(geometry),
        pairs::pair_entries(geometry),
        rows::row_counts(geometry),
        rows::row_order(geometry),
    ]);
    kernels
}

/// The mask of a full warp.
fn full(b: &Builder) -> U32<'_> {
    b.u32(FULL_MASK)
}

/// `value` of lane `lane ± arg` (see [`ShuffleMode`]), all lanes taking part.
fn shuffle<'k>(b: &'k Builder, mode: ShuffleMode, value: U32<'k>, arg: u32) -> U32<'k> {
    b.shuffle(mode, value, b.u32(arg), full(b))
}

#[cfg(test)]
mod tests;
