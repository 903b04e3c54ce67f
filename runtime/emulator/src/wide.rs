//! Warps on the vectors that this processor has.
//!
//! Loops over lanes are compiled for every processor of the target and, on x86-64, once more for 256 bits,
//! which have twice the lanes and multiply words of 32 bits.

#![allow(unsafe_code, reason = "a processor without the instructions must not run them")]

use super::warp::{BlockContext, LaneFault, LaunchContext, Stop, Warp};

/// [`Warp::run`]
pub(super) fn run(
    warp: &mut Warp,
    ctx: &LaunchContext<'_>,
    block: &mut BlockContext<'_>,
    quantum: u64,
    take_first: impl FnMut() -> bool,
) -> Result<Stop, LaneFault> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn wide(
            warp: &mut Warp,
            ctx: &LaunchContext<'_>,
            block: &mut BlockContext<'_>,
            quantum: u64,
            take_first: impl FnMut() -> bool,
        ) -> Result<Stop, LaneFault> {
            warp.run(ctx, block, quantum, take_first)
        }

        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the processor has the instructions.
            return unsafe { wide(warp, ctx, block, quantum, take_first) };
        }
    }
    warp.run(ctx, block, quantum, take_first)
}
