//! Accumulation and merge by the same work whatever scalars and bases are (Chen et al., §5).
//!
//! Their precondition is that digits take as many additions whatever they are, which they have of stored
//! doublings (`τ = c - 1`) and here a regular recoding has without any: every digit is odd and an entry. What
//! is left are the entries' keys, of which a branch may not depend, and points that are equal, opposite or
//! the identity, which [`Addition::BranchFree`] selects among. Keys decide on addresses alone: every round
//! reads one point, adds to it and writes it back.
//!
//! A partial has the key of its slice's first entry and is added like an entry, to the sum of that key, in
//! slices of their own, and so are the partials of these, until there is one slice. That is an addition a
//! slice and round, where a segmented scan by keys has one a slice and doubling of the distance, and the same
//! body.

use super::kernel_by;
use crate::declaration::GroupDesc;
use crate::fir::build::U32;
use crate::fir::ir::Kernel;
use crate::formulas::{Addition, Curve, PointVar};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{PartialSums, SliceSums};

pub(in super::super) fn slice_sums(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    kernel_by::<SliceSums>(geometry, group, Addition::BranchFree, |curve| {
        let b = curve.b;
        let (bases, keys, entries) = (b.buffer("bases"), b.buffer("keys"), b.buffer("entries"));
        let add = |sum: PointVar<'_>, i| {
            let entry = entries.word(i);
            let base = curve.load_affine(bases, entry & 0x7fff_ffff);
            let acc = curve.accumulator(sum.get(), curve.is_identity(sum.get()));
            curve.add_base(acc, &base, Some(entry.ge(b.u32(1 << 31))));
            sum.set(acc.point.get());
        };
        add_slice(curve, |i| keys.word(i), add);
    })
}

pub(in super::super) fn partial_sums(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    kernel_by::<PartialSums>(geometry, group, Addition::BranchFree, |curve| {
        let b = curve.b;
        let (keys, sums) = (b.buffer("keys"), b.buffer("sums"));
        let (offset, stride, from) = (b.scalar("offset"), b.scalar("stride"), b.scalar("from"));
        let add = |sum, i| curve.add(sum, curve.load(sums, from + i));
        add_slice(curve, |i| keys.word(offset + i * stride), add);
    })
}

/// The slice of a thread. `key` gives the key of an item, and `add` adds one.
fn add_slice<'k>(
    curve: Curve<'k>,
    key: impl Fn(U32<'k>) -> U32<'k>,
    add: impl FnOnce(PointVar<'k>, U32<'k>),
) {
    let b = curve.b;
    let t = b.global_index();
    b.return_if(t.ge(b.scalar("slices")));
    let (sums, len) = (b.buffer("sums"), b.scalar("len"));
    let start = t * len;
    // With slices·len < n + len and both below 2^31 it does not wrap.
    let end = (start + len).min(b.scalar("n"));
    let (first_key, partial) = (key(start), b.scalar("to") + t);
    let has_partial = !t.is(0);
    b.for_(start, end, 1, |i| {
        let key = key(i);
        let at = (has_partial & key.eq(first_key)).select(partial, key);
        let sum = curve.var(curve.load(sums, at));
        add(sum, i);
        curve.store(sums, at, sum.get());
    });
}
