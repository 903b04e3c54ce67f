//! Where each bucket starts among sorted keys.

use crate::fir::build::Builder;
use crate::fir::ir::Kernel;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::BucketStarts;

pub(super) fn bucket_starts(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<BucketStarts>(geometry);
    let (k, buckets) = (b.global_index(), b.scalar("buckets"));
    b.return_if(k.gt(buckets));
    let (keys, offsets) = (b.buffer("keys"), b.buffer("offsets"));
    // The keys that agree with `k` above `shift` lie between two offsets.
    let (shift, first) = (b.scalar("shift"), b.scalar("first"));
    let group = k >> shift;
    let end = (group + 1).min(buckets >> shift);
    let begin_of = |group| offsets.word(first + group) - offsets.word(first);
    // Keys below `low` are < k, keys from `high` on are ≥ k.
    let (low, high) = (b.var(begin_of(group)), b.var(begin_of(end)));
    b.while_(
        || low.get().lt(high.get()),
        || {
            let middle = low.get() + ((high.get() - low.get()) >> 1);
            b.if_else(keys.word(middle).lt(k), || low.set(middle + 1), || high.set(middle));
        },
    );
    b.buffer("starts").set_word(k, low.get());
    b.finish()
}
