//! Curves declared with curvesmith, one file each.
//!
//! Every curve is a feature of its name (`bn254` and `bls12-381` are default ones) and binds the types of
//! arkworks' crate for it, except secp256r1, and BLS24-315 and BN462, for which there is none; the test
//! fields and curves of [`toy`] are always there.

#[cfg(feature = "bandersnatch")]
#[path = "bandersnatch.rs"]
mod declared_bandersnatch;
#[cfg(feature = "bls12-377")]
#[path = "bls12_377.rs"]
mod declared_bls12_377;
#[cfg(feature = "bls12-381")]
#[path = "bls12_381.rs"]
mod declared_bls12_381;
#[cfg(feature = "bls24-315")]
#[path = "bls24_315.rs"]
mod declared_bls24_315;
#[cfg(feature = "bn254")]
#[path = "bn254.rs"]
mod declared_bn254;
#[cfg(feature = "bn462")]
#[path = "bn462.rs"]
mod declared_bn462;
#[cfg(feature = "bw6-761")]
#[path = "bw6_761.rs"]
mod declared_bw6_761;
#[cfg(feature = "curve25519")]
#[path = "curve25519.rs"]
mod declared_curve25519;
#[cfg(feature = "grumpkin")]
#[path = "grumpkin.rs"]
mod declared_grumpkin;
#[cfg(feature = "jubjub")]
#[path = "jubjub.rs"]
mod declared_jubjub;
#[cfg(feature = "mnt4-298")]
#[path = "mnt4_298.rs"]
mod declared_mnt4_298;
#[cfg(feature = "mnt4-753")]
#[path = "mnt4_753.rs"]
mod declared_mnt4_753;
#[cfg(feature = "mnt6-298")]
#[path = "mnt6_298.rs"]
mod declared_mnt6_298;
#[cfg(feature = "mnt6-753")]
#[path = "mnt6_753.rs"]
mod declared_mnt6_753;
#[cfg(feature = "pallas")]
#[path = "pallas.rs"]
mod declared_pallas;
#[cfg(feature = "secp256k1")]
#[path = "secp256k1.rs"]
mod declared_secp256k1;
#[cfg(feature = "secp256r1")]
#[path = "secp256r1.rs"]
mod declared_secp256r1;
#[path = "toy_edwards.rs"]
mod declared_toy_edwards;
#[path = "toy_form.rs"]
mod declared_toy_form;
#[path = "toy_tower.rs"]
mod declared_toy_tower;
#[cfg(feature = "vesta")]
#[path = "vesta.rs"]
mod declared_vesta;
#[doc(hidden)]
pub mod toy;

#[cfg(feature = "bandersnatch")]
pub use declared_bandersnatch::bandersnatch;
#[cfg(feature = "bls12-377")]
pub use declared_bls12_377::bls12_377;
#[cfg(feature = "bls12-381")]
pub use declared_bls12_381::bls12_381;
#[cfg(feature = "bls24-315")]
pub use declared_bls24_315::bls24_315;
#[cfg(feature = "bn254")]
pub use declared_bn254::bn254;
#[cfg(feature = "bn462")]
pub use declared_bn462::bn462;
#[cfg(feature = "bw6-761")]
pub use declared_bw6_761::bw6_761;
#[cfg(feature = "curve25519")]
pub use declared_curve25519::curve25519;
#[cfg(feature = "grumpkin")]
pub use declared_grumpkin::grumpkin;
#[cfg(feature = "jubjub")]
pub use declared_jubjub::jubjub;
#[cfg(feature = "mnt4-298")]
pub use declared_mnt4_298::mnt4_298;
#[cfg(feature = "mnt4-753")]
pub use declared_mnt4_753::mnt4_753;
#[cfg(feature = "mnt6-298")]
pub use declared_mnt6_298::mnt6_298;
#[cfg(feature = "mnt6-753")]
pub use declared_mnt6_753::mnt6_753;
#[cfg(feature = "pallas")]
pub use declared_pallas::pallas;
#[cfg(feature = "secp256k1")]
pub use declared_secp256k1::secp256k1;
#[cfg(feature = "secp256r1")]
pub use declared_secp256r1::secp256r1;
#[cfg(feature = "vesta")]
pub use declared_vesta::vesta;
