//! AVX-512 with IFMA.

#![allow(
    clippy::missing_safety_doc,
    reason = "the processor has the instructions: that is all that callers have to see to"
)]

mod rows;

/// Loops over the lanes of a field.
pub mod passes {
    crate::lanes::passes::passes!("avx512f,avx512ifma");
}

/// Loops of transforms.
pub mod transforms {
    crate::lanes::transforms::transforms!("avx512f,avx512ifma");
}

use super::Vector;

/// The results of a function of vectors as the processor has them, which are [`Vector`]s.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn in_parts<const N: usize, const K: usize, const R: usize>(
    x: [&[Vector; N]; K],
    f: impl Fn([&[Vector; N]; K]) -> [[Vector; N]; R],
) -> [[Vector; N]; R] {
    f(x)
}
