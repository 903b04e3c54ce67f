//! Multi-scalar multiplication in cuZK's sparse-matrix form.
//!
//! Scalars become signed digits; (window, digit) is the row of a sparse matrix of ones and signs whose
//! product with the bases is the vector of buckets. Sorting transposes it; equal slices (Chen et al., section
//! 4) balance the accumulation for any distribution, and a segmented tree joins the parts of a row that
//! slices cut. One sort serves every MSM with the same scalars. The device ends with one sum for each bit of
//! a digit, of every set of buckets, or, where these are many, a point for every few of them; the doublings
//! between those remain, which a core of the host does faster than a thread of a GPU.
//!
//! The stages are modules: `digits` (scalars to the sorted matrix), `accumulate` (its rows' sums: rounds of
//! affine pairs, equal slices, the merge of what slices cut), `rows` (the same by balanced rows), `constant`
//! (by work that does not depend on scalars), `buckets` (parts of an MSM that share buckets, and the buckets'
//! sums by bits), `horner` (how many of these come to the host), `multiples` (the bases, and their
//! precomputed multiples). Windows are combined by the host, in `convert`.

mod accumulate;
mod buckets;
mod constant;
mod digits;
mod footprint;
mod horner;
mod multiples;
mod rows;

pub(crate) use buckets::GpuBuckets;
pub(crate) use digits::{GpuDigits, sorted_digits};
pub(crate) use footprint::{least_bytes, parts_within};
pub(crate) use multiples::{GpuBases, multiples};
