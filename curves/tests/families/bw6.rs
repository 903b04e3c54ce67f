//! BW6-761.

use super::fp6::same_towers;
use super::{same_bytes, same_groups, same_pairings};
use ark_ec::bw6::{BW6Config, TwistType};
use curvesmith_field_dsl::curve;

curve! {
    pub(crate) mod bw6_761 {
        crate = curvesmith_runtime;
        family: bw6 {
            x = 0x8508c00000000001;
            h_t = 13;
            h_y = 9;
            t_mod_x = 3;
            b = -1;
            fq3_nonresidue = -4;
            fq { generator = 2; };
            fr { generator = 15; };
            g1_generator = (
                0x1075b020ea190c8b277ce98a477beaee6a0cfb7551b27f0ee05c54b85f56fc779017ffac15520ac11dbfcd294c2e746a17a54ce47729b905bd71fa0c9ea097103758f9a280ca27f6750dd0356133e82055928aca6af603f4088f3af66e5b43d,
                0x58b84e0a6fc574e6fd637b45cc2a420f952589884c9ec61a7348d2a2e573a3265909f1af7e0dbac5b8fa1771b5b806cc685d31717a4c55be3fb90b6fc2cdd49f9df141b3053253b2b08119cad0fb93ad1cb2be0b20d2a1bafc8f2db4e95363,
            );
            g2_generator = (
                0x110133241d9b816c852a82e69d660f9d61053aac5a7115f4c06201013890f6d26b41c5dab3da268734ec3f1f09feb58c5bbcae9ac70e7c7963317a300e1b6bace6948cb3cd208d700e96efbc2ad54b06410cf4fe1bf995ba830c194cd025f1c,
                0x17c3357761369f8179eb10e4b6d2dc26b7cf9acec2181c81a78e2753ffe3160a1d86c80b95a59c94c97eb733293fef64f293dbd2c712b88906c170ffa823003ea96fcd504affc758aa2d3a3c5a02a591ec0594f9eac689eb70a16728c73b61,
            );
        };
    }
}

fn same_engines<A: BW6Config, B: BW6Config>() {
    assert_eq!((A::X.as_ref(), A::X_IS_NEGATIVE), (B::X.as_ref(), B::X_IS_NEGATIVE));
    assert_eq!(A::X_MINUS_1_DIV_3.as_ref(), B::X_MINUS_1_DIV_3.as_ref());
    assert_eq!(A::ATE_LOOP_COUNT_1, B::ATE_LOOP_COUNT_1);
    assert_eq!(A::ATE_LOOP_COUNT_1_IS_NEGATIVE, B::ATE_LOOP_COUNT_1_IS_NEGATIVE);
    assert_eq!(A::ATE_LOOP_COUNT_2, B::ATE_LOOP_COUNT_2);
    assert_eq!(A::ATE_LOOP_COUNT_2_IS_NEGATIVE, B::ATE_LOOP_COUNT_2_IS_NEGATIVE);
    assert_eq!(matches!(A::TWIST_TYPE, TwistType::M), matches!(B::TWIST_TYPE, TwistType::M));
    assert_eq!((A::H_T, A::H_Y, A::T_MOD_R_IS_ZERO), (B::H_T, B::H_Y, B::T_MOD_R_IS_ZERO));
    same_towers::<A::Fp6Config, B::Fp6Config>();
}

#[test]
fn is_arkworks() {
    same_engines::<bw6_761::EngineConfig, ark_bw6_761::Config>();
    same_groups::<bw6_761::G1Config, ark_bw6_761::g1::Config>();
    same_groups::<bw6_761::G2Config, ark_bw6_761::g2::Config>();
    same_bytes::<bw6_761::G1Config, ark_bw6_761::g1::Config>();
    same_bytes::<bw6_761::G2Config, ark_bw6_761::g2::Config>();
    same_pairings::<bw6_761::Curve, ark_bw6_761::BW6_761>("bw6_761");
}

ark_algebra_test_templates::test_pairing!(pairing; super::bw6_761::Engine);
