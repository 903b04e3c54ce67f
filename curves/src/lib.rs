//! Curves declared with curvesmith, one file each.
//!
//! Production curves are features (`bn254`, `bls12-381`, both default) and bind the types of
//! arkworks' curve crates; the test fields and curve of [`toy`] are always there.

#[cfg(feature = "bls12-381")]
#[path = "bls12_381.rs"]
mod declared_bls12_381;
#[cfg(feature = "bn254")]
#[path = "bn254.rs"]
mod declared_bn254;
#[doc(hidden)]
pub mod toy;

#[cfg(feature = "bls12-381")]
pub use declared_bls12_381::bls12_381;
#[cfg(feature = "bn254")]
pub use declared_bn254::bn254;
