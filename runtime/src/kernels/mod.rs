//! The algorithms of the kernels, compiled once: what is launched, on what, in which order.
//!
//! They know a field or group by its [`Owner`](crate::owner::Owner) and values as words on the device;
//! conversion is `convert`'s, which alone is generic.

mod convert;
mod engine;
mod mixed;
mod msm;
mod ntt;
mod pointwise;
mod scan;
mod sort;
mod spmv;
mod sums;

pub use sort::sort_codes;

use crate::error::{Result, RuntimeError};

/// A length as the 32-bit index that kernels use; below 2^31, so that sums of an index
/// and a block's threads do not wrap.
pub(crate) fn index32(what: &'static str, len: usize) -> Result<u32> {
    const LIMIT: u32 = (1 << 31) - 1;
    u32::try_from(len).ok().filter(|&n| n <= LIMIT).ok_or(RuntimeError::TooLarge {
        what,
        found: len as u64,
        limit: u64::from(LIMIT),
    })
}
