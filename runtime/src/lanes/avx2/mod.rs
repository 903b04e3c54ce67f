//! AVX2: vectors of four lanes, the halves of eight.

#![allow(
    clippy::missing_safety_doc,
    reason = "the processor has the instructions: that is all that callers have to see to"
)]

mod rows;

/// Loops over the lanes of a field.
pub mod passes {
    crate::lanes::passes::passes!("avx2");
}

/// Loops of transforms.
pub mod transforms {
    crate::lanes::transforms::transforms!("avx2");
}

use super::{LANES, Vector};
use bytemuck::{cast_slice, cast_slice_mut};
use core::arch::x86_64::__m256i;

/// Lanes of the processor's vectors.
const PART: usize = 4;
/// Vectors of the processor in one of eight lanes.
const PARTS: usize = LANES / PART;

/// The results of a function of vectors as the processor has them, for four lanes and then the others.
#[inline]
#[target_feature(enable = "avx2")]
pub fn in_parts<const N: usize, const K: usize, const R: usize>(
    x: [&[Vector; N]; K],
    f: impl Fn([&[__m256i; N]; K]) -> [[__m256i; N]; R],
) -> [[Vector; N]; R] {
    let mut results = [[rows::zero(); N]; R];
    for part in 0..PARTS {
        let mut operands = [half(x[0], part); K];
        for (operand, x) in operands.iter_mut().zip(x) {
            *operand = half(x, part);
        }
        for (result, of_part) in results.iter_mut().zip(&f(operands)) {
            let limbs = &mut cast_slice_mut::<Vector, __m256i>(result)[part * N..][..N];
            rows::copy_vectors::<__m256i, 8>(limbs, of_part);
        }
    }
    results
}

/// The limbs of four lanes of an element.
#[inline]
fn half<const N: usize>(element: &[Vector; N], part: usize) -> &[__m256i; N] {
    cast_slice::<Vector, __m256i>(element)[part * N..].first_chunk().expect("a half")
}
