//! The host: arkworks' arithmetic under our algorithms, parallel over rows and elements.
//!
//! It is the fallback on machines without a GPU and the reference that the kernels are tested
//! against. Vectors are arkworks elements in the order of their index. Scalars 0, 1 and other short
//! ones are cheap in [`msm`]; identities among the bases, frequent in Groth16 keys, are dropped
//! when the [`bases`] are made. What multiplies and adds lies behind the traits of `arithmetic`;
//! `affine` adds the terms of buckets with shared inversions.

mod affine;
mod arithmetic;
mod digits;
mod engine;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod msm;
mod ntt;
mod vectors;

pub use arithmetic::{BucketSums, Prices, Tables};
pub use digits::WindowTerms;
pub(crate) use engine::{Host, HostCall};
pub use msm::{HostBases, HostDigits, bases, bases_of, digits, msm, msm_of};
pub use ntt::{ntt, ntt_tables, ntt_tables_of};
pub(crate) use ntt::{ntt_of, put};
pub use vectors::{batch_inverse, binary, mul_const, mul_sub_thirds, mul_thirds, spmv, unary};
