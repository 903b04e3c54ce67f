//! As `emulator`, on the other declared curves.

use super::checks;
use super::emulator::{device, emulator};
use curvesmith_curves::{
    bandersnatch, bls12_377, bls24_315, bn462, bw6_761, curve25519, grumpkin, jubjub, mnt4_298, mnt4_753,
    mnt6_298, mnt6_753, pallas, secp256k1, secp256r1, vesta,
};
use curvesmith_tests::Size;

#[test]
fn pointwise() {
    checks::pointwise::<bandersnatch::FqField>(&device(), 40);
    checks::pointwise::<bandersnatch::FrField>(&device(), 40);
    checks::pointwise::<bls12_377::FqField>(&device(), 40);
    checks::pointwise::<bls12_377::FrField>(&device(), 300);
    checks::pointwise::<bls24_315::FqField>(&device(), 40);
    checks::pointwise::<bls24_315::FrField>(&device(), 40);
    checks::pointwise::<bn462::FqField>(&device(), 40);
    checks::pointwise::<bn462::FrField>(&device(), 40);
    checks::pointwise::<bw6_761::FqField>(&device(), 300);
    checks::pointwise::<bw6_761::FrField>(&device(), 40);
    checks::pointwise::<curve25519::FqField>(&device(), 40);
    checks::pointwise::<curve25519::FrField>(&device(), 40);
    checks::pointwise::<grumpkin::FqField>(&device(), 40);
    checks::pointwise::<grumpkin::FrField>(&device(), 40);
    checks::pointwise::<jubjub::FqField>(&device(), 40);
    checks::pointwise::<jubjub::FrField>(&device(), 40);
    checks::pointwise::<mnt4_298::FrField>(&device(), 40);
    checks::pointwise::<mnt4_753::FqField>(&device(), 20);
    checks::pointwise::<mnt4_753::FrField>(&device(), 20);
    checks::pointwise::<mnt6_298::FqField>(&device(), 40);
    checks::pointwise::<mnt6_298::FrField>(&device(), 40);
    checks::pointwise::<mnt6_753::FrField>(&device(), 20);
    checks::pointwise::<pallas::FqField>(&device(), 40);
    checks::pointwise::<pallas::FrField>(&device(), 40);
    checks::pointwise::<secp256k1::FrField>(&device(), 40);
    checks::pointwise::<secp256r1::FqField>(&device(), 40);
    checks::pointwise::<secp256r1::FrField>(&device(), 40);
    checks::pointwise::<vesta::FqField>(&device(), 40);
    checks::pointwise::<vesta::FrField>(&device(), 40);
}

#[test]
fn ntt() {
    checks::ntts::<bls12_377::FrField>(emulator(), [1, 7]);
    checks::ntts::<bw6_761::FqField>(emulator(), [0, 1]);
    checks::ntts::<bw6_761::FrField>(emulator(), [7]);
    checks::mixed_ntts::<mnt6_298::FrField>(emulator(), [7 << 3, 49 << 1]);
}

#[test]
fn msm_by_sums_of_affine_pairs() {
    checks::msm_in_pairs::<bw6_761::G1>(emulator(), Size::from_env().pick(10, 100));
}

#[test]
fn msm_on_bls12_377() {
    checks::msm::<bls12_377::G1>(&device(), 40, None);
    checks::msm::<bls12_377::G2>(&device(), 10, None);
}

#[test]
fn msm_on_bw6_761() {
    checks::msm::<bw6_761::G1>(&device(), 10, None);
    checks::msm::<bw6_761::G2>(&device(), 10, None);
}

/// The second group is over a cubic extension.
#[test]
fn msm_on_mnt6_298() {
    checks::msm::<mnt6_298::G1>(&device(), 20, None);
    checks::msm::<mnt6_298::G2>(&device(), 10, None);
}

/// The second group is over two levels.
#[test]
fn msm_on_bls24_315() {
    checks::msm::<bls24_315::G1>(&device(), 20, None);
    checks::msm::<bls24_315::G2>(&device(), 10, None);
}

/// An odd number of words in both fields.
#[test]
fn msm_on_bn462() {
    checks::msm::<bn462::G1>(&device(), 20, None);
    checks::msm::<bn462::G2>(&device(), 10, None);
}

#[test]
fn msm_on_mnt4_753() {
    checks::msm::<mnt4_753::G1>(&device(), 5, None);
    checks::msm::<mnt4_753::G2>(&device(), 5, None);
}

#[test]
fn msm_on_curves_without_a_pairing() {
    checks::msm::<grumpkin::G1>(&device(), 20, None);
    checks::msm::<pallas::G1>(&device(), 20, None);
    checks::msm::<secp256r1::G1>(&device(), 20, None);
    checks::msm::<vesta::G1>(&device(), 20, None);
}

#[test]
fn msm_on_twisted_edwards_curves() {
    checks::msm::<bandersnatch::G1>(&device(), 40, None);
    checks::msm::<curve25519::G1>(&device(), 40, None);
}
