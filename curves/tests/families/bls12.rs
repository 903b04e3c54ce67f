//! BLS12-381, by its seed alone but for the generators of its fields, and BLS12-377.

use super::{same, same_all};
use ark_ec::bls12::{Bls12Config, TwistType};
use ark_ff::Fp2Config;
use ark_ff::fields::fp6_3over2::Fp6Config;
use ark_ff::fields::fp12_2over3over2::Fp12Config;

/// `Fp2`, `Fp6` and `Fp12` of two pairings over such towers.
pub(crate) fn same_towers<A: Fp12Config, B: Fp12Config>() {
    same_below::<A::Fp6Config, B::Fp6Config>();
    same(&A::NONRESIDUE, &B::NONRESIDUE);
    same_all(A::FROBENIUS_COEFF_FP12_C1, B::FROBENIUS_COEFF_FP12_C1);
}

fn same_below<A: Fp6Config, B: Fp6Config>() {
    same(&A::Fp2Config::NONRESIDUE, &B::Fp2Config::NONRESIDUE);
    same_all(A::Fp2Config::FROBENIUS_COEFF_FP2_C1, B::Fp2Config::FROBENIUS_COEFF_FP2_C1);
    same(&A::NONRESIDUE, &B::NONRESIDUE);
    same_all(A::FROBENIUS_COEFF_FP6_C1, B::FROBENIUS_COEFF_FP6_C1);
    same_all(A::FROBENIUS_COEFF_FP6_C2, B::FROBENIUS_COEFF_FP6_C2);
}

fn same_engines<A: Bls12Config, B: Bls12Config>() {
    assert_eq!((A::X, A::X_IS_NEGATIVE), (B::X, B::X_IS_NEGATIVE));
    assert_eq!(matches!(A::TWIST_TYPE, TwistType::M), matches!(B::TWIST_TYPE, TwistType::M));
    same_towers::<A::Fp12Config, B::Fp12Config>();
}

#[cfg(feature = "bls12-381")]
mod bls12_381 {
    use super::super::{same_groups, same_pairings};
    use curvesmith_field_dsl::curve;

    curve! {
        pub(crate) mod bls12_381 {
            crate = curvesmith_runtime;
            family: bls12 {
                x = -0xd201000000010000;
                fq { generator = 2; small_subgroup = 3^2; };
                fr { generator = 7; small_subgroup = 3^1; };
            };
        }
    }

    #[test]
    fn is_arkworks() {
        super::same_engines::<bls12_381::EngineConfig, ark_bls12_381::Config>();
        same_groups::<bls12_381::G1Config, ark_bls12_381::g1::Config>();
        same_groups::<bls12_381::G2Config, ark_bls12_381::g2::Config>();
        // Its points have an encoding of their own in arkworks, that of Zcash.
        same_pairings::<bls12_381::Curve, ark_bls12_381::Bls12_381>("bls12_381");
    }

    #[cfg(feature = "long-tests")]
    ark_algebra_test_templates::test_field!(fq12; super::bls12_381::Fq12);
    #[cfg(feature = "long-tests")]
    ark_algebra_test_templates::test_group!(g1; super::bls12_381::G1Projective; sw);
    #[cfg(feature = "long-tests")]
    ark_algebra_test_templates::test_group!(g2; super::bls12_381::G2Projective; sw);
    #[cfg(feature = "long-tests")]
    ark_algebra_test_templates::test_pairing!(pairing; super::bls12_381::Engine);
}

#[cfg(all(feature = "bls12-377", feature = "long-tests"))]
mod bls12_377 {
    use super::super::{same_bytes, same_groups, same_pairings};
    use curvesmith_field_dsl::curve;

    curve! {
        pub(crate) mod bls12_377 {
            crate = curvesmith_runtime;
            family: bls12 {
                x = 0x8508c00000000001;
                fq { generator = 15; };
                fr { generator = 22; };
                g1_generator = (
                    0x8848defe740a67c8fc6225bf87ff5485951e2caa9d41bb188282c8bd37cb5cd5481512ffcd394eeab9b16eb21be9ef,
                    0x1914a69c5102eff1f674f5d30afeec4bd7fb348ca3e52d96d182ad44fb82305c2fe3d3634a9591afd82de55559c8ea6,
                );
                g2_generator = (
                    [
                        0x18480be71c785fec89630a2a3841d01c565f071203e50317ea501f557db6b9b71889f52bb53540274e3e48f7c005196,
                        0xea6040e700403170dc5a51b1b140d5532777ee6651cecbe7223ece0799c9de5cf89984bff76fe6b26bfefa6ea16afe,
                    ],
                    [
                        0x690d665d446f7bd960736bcbb2efb4de03ed7274b49a58e458c282f832d204f2cf88886d8c7c2ef094094409fd4ddf,
                        0xf8169fd28355189e549da3151a70aa61ef11ac3d591bf12463b01acee304c24279b83f5e52270bd9a1cdd185eb8f93,
                    ],
                );
            };
        }
    }

    #[test]
    fn is_arkworks() {
        super::same_engines::<bls12_377::EngineConfig, ark_bls12_377::Config>();
        same_groups::<bls12_377::G1Config, ark_bls12_377::g1::Config>();
        same_groups::<bls12_377::G2Config, ark_bls12_377::g2::Config>();
        same_bytes::<bls12_377::G1Config, ark_bls12_377::g1::Config>();
        same_bytes::<bls12_377::G2Config, ark_bls12_377::g2::Config>();
        same_pairings::<bls12_377::Curve, ark_bls12_377::Bls12_377>("bls12_377");
    }

    ark_algebra_test_templates::test_pairing!(pairing; super::bls12_377::Engine);
}
