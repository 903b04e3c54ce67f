//! Curves declared with curvesmith, one file each.
//!
//! Production curves are features (`bn254` and `bls12-381`, both default; `bls12-377`, `bw6-761`) and
//! bind the types of arkworks' curve crates; the test fields and curve of [`toy`] are always there.

#[cfg(feature = "bls12-377")]
#[path = "bls12_377.rs"]
mod declared_bls12_377;
#[cfg(feature = "bls12-381")]
#[path = "bls12_381.rs"]
mod declared_bls12_381;
#[cfg(feature = "bn254")]
#[path = "bn254.rs"]
mod declared_bn254;
#[cfg(feature = "bw6-761")]
#[path = "bw6_761.rs"]
mod declared_bw6_761;
#[doc(hidden)]
pub mod toy;

#[cfg(feature = "bls12-377")]
pub use declared_bls12_377::bls12_377;
#[cfg(feature = "bls12-381")]
pub use declared_bls12_381::bls12_381;
#[cfg(feature = "bn254")]
pub use declared_bn254::bn254;
#[cfg(feature = "bw6-761")]
pub use declared_bw6_761::{bw6_761_fq, bw6_761_fr};
