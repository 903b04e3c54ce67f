//! BN254.

use super::bls12::same_towers;
use super::{same, same_bytes, same_groups, same_pairings};
use ark_ec::AffineRepr;
use ark_ec::bn::{BnConfig, TwistType};
use ark_ec::pairing::{Pairing, PairingOutput};
use curvesmith_field_dsl::curve;
use curvesmith_runtime::group::{Group, PairingCurve};

curve! {
    pub(crate) mod bn254 {
        crate = curvesmith_runtime;
        family: bn {
            x = 4965661367192848881;
            fq { generator = 3; };
            fr { generator = 5; small_subgroup = 3^2; };
            g2_generator = (
                [
                    0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed,
                    0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2,
                ],
                [
                    0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa,
                    0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b,
                ],
            );
        };
    }
}

curve! {
    /// The same, with types that exist: nothing is generated but markers and kernels.
    mod bound {
        crate = curvesmith_runtime;
        family: bn {
            x = 4965661367192848881;
            fr { generator = 5; small_subgroup = 3^2; };
            g2_generator = (
                [
                    0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed,
                    0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2,
                ],
                [
                    0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa,
                    0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b,
                ],
            );
        };
        arkworks {
            fq = ark_bn254::Fq;
            fr = ark_bn254::Fr;
            fq2 = ark_bn254::Fq2;
            g1 = ark_bn254::G1Projective;
            g2 = ark_bn254::G2Projective;
            engine = ark_bn254::Bn254;
        };
    }
}

fn same_engines<A: BnConfig, B: BnConfig>() {
    assert_eq!((A::X, A::X_IS_NEGATIVE), (B::X, B::X_IS_NEGATIVE));
    assert_eq!(A::ATE_LOOP_COUNT, B::ATE_LOOP_COUNT);
    assert_eq!(matches!(A::TWIST_TYPE, TwistType::M), matches!(B::TWIST_TYPE, TwistType::M));
    same(&A::TWIST_MUL_BY_Q_X, &B::TWIST_MUL_BY_Q_X);
    same(&A::TWIST_MUL_BY_Q_Y, &B::TWIST_MUL_BY_Q_Y);
    same_towers::<A::Fp12Config, B::Fp12Config>();
}

#[test]
fn is_arkworks() {
    same_engines::<bn254::EngineConfig, ark_bn254::Config>();
    same_groups::<bn254::G1Config, ark_bn254::g1::Config>();
    same_groups::<bn254::G2Config, ark_bn254::g2::Config>();
    same_bytes::<bn254::G1Config, ark_bn254::g1::Config>();
    same_bytes::<bn254::G2Config, ark_bn254::g2::Config>();
    same_pairings::<bn254::Curve, ark_bn254::Bn254>("bn254");
}

/// A family's types are the bound ones, which the compiler has compared with what the family derives; the
/// engine is, and the kernels are its own.
#[test]
fn bound_types_are_arkworks() {
    let generators: (ark_bn254::G1Affine, ark_bn254::G2Affine) =
        (bound::G1Affine::generator(), bound::G2Affine::generator());
    let pairing: PairingOutput<ark_bn254::Bn254> = bound::Engine::pairing(generators.0, generators.1);
    assert_eq!(pairing, ark_bn254::Bn254::pairing(generators.0, generators.1));
    assert_eq!(<bound::Curve as PairingCurve>::NAME, "bound");
    assert!(!<bound::G2 as Group>::images().is_empty());
    assert_ne!(<bound::G2 as Group>::images(), <bn254::G2 as Group>::images());
}

#[cfg(feature = "long-tests")]
ark_algebra_test_templates::test_group!(g2; super::bn254::G2Projective; sw);
#[cfg(feature = "long-tests")]
ark_algebra_test_templates::test_pairing!(pairing; super::bn254::Engine);
