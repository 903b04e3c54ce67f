//! Where each bucket starts among sorted keys.

use crate::fir::build::Builder;
use crate::fir::ir::Kernel;
use curvesmith_abi::kernels::BucketStarts;

pub(super) fn bucket_starts() -> Kernel {
    let b = Builder::common::<BucketStarts>();
    let k = b.global_index();
    b.return_if(k.gt(b.scalar("buckets")));
    let keys = b.buffer("keys");
    // Keys below `low` are < k, keys from `high` on are ≥ k.
    let (low, high) = (b.var(b.u32(0)), b.var(b.scalar("n")));
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
