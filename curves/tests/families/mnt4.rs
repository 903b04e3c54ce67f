//! MNT4-298 and MNT4-753.

use super::{same, same_all};
use ark_ec::mnt4::MNT4Config;
use ark_ff::Fp2Config;
use ark_ff::fields::fp4::Fp4Config;

fn same_towers<A: Fp4Config, B: Fp4Config>() {
    same(&A::Fp2Config::NONRESIDUE, &B::Fp2Config::NONRESIDUE);
    same_all(A::Fp2Config::FROBENIUS_COEFF_FP2_C1, B::Fp2Config::FROBENIUS_COEFF_FP2_C1);
    same(&A::NONRESIDUE, &B::NONRESIDUE);
    same_all(A::FROBENIUS_COEFF_FP4_C1, B::FROBENIUS_COEFF_FP4_C1);
}

fn same_engines<A: MNT4Config, B: MNT4Config>() {
    same(&A::TWIST, &B::TWIST);
    same(&A::TWIST_COEFF_A, &B::TWIST_COEFF_A);
    assert_eq!((A::ATE_LOOP_COUNT, A::ATE_IS_LOOP_COUNT_NEG), (B::ATE_LOOP_COUNT, B::ATE_IS_LOOP_COUNT_NEG));
    assert_eq!(A::FINAL_EXPONENT_LAST_CHUNK_1.as_ref(), B::FINAL_EXPONENT_LAST_CHUNK_1.as_ref());
    let w0 = (A::FINAL_EXPONENT_LAST_CHUNK_ABS_OF_W0, B::FINAL_EXPONENT_LAST_CHUNK_ABS_OF_W0);
    assert_eq!(w0.0.as_ref(), w0.1.as_ref());
    assert_eq!(A::FINAL_EXPONENT_LAST_CHUNK_W0_IS_NEG, B::FINAL_EXPONENT_LAST_CHUNK_W0_IS_NEG);
    same_towers::<A::Fp4Config, B::Fp4Config>();
}

#[cfg(feature = "mnt4-298")]
mod mnt4_298 {
    use super::super::{same_bytes, same_groups, same_pairings};
    use curvesmith_field_dsl::curve;

    curve! {
        pub(crate) mod mnt4_298 {
            crate = curvesmith_runtime;
            family: mnt4 {
                p = 0x3bcf7bcd473a266249da7b0548ecaeec9635d1330ea41a9e35e51200e12c90cd65a71660001;
                r = 0x3bcf7bcd473a266249da7b0548ecaeec9635cf44194fb494c07925d6ad3bb4334a400000001;
                a = 2;
                b = 0x3545a27639415585ea4d523234fc3edd2a2070a085c7b980f4e9cd21a515d4b0ef528ec0fd5;
                fq2_nonresidue = 17;
                fq { generator = 17; small_subgroup = 7^2; };
                fr { generator = 10; };
                g1_generator = (
                    0x7a2caf82a1ba85213fe6ca3875aee86aba8f73d69060c4079492b948dea216b5b9c8d2af46,
                    0x2db619461cc82672f7f159fec2e89d0148dcc9862d36778c1afd96a71e29cba48e710a48ab2,
                );
                g2_generator = (
                    [
                        0x371780491c5660571ff542f2ef89001f205151e12a72cb14f01a931e72dba7903df6c09a9a4,
                        0x4ba59a3f72da165def838081af697c851f002f576303302bb6c02c712c968be32c0ae0a989,
                    ],
                    [
                        0x4b471f33ffaad868a1c47d6605d31e5c4b3b2e0b60ec98f0f610a5aafd0d9522bca4e79f22,
                        0x355d05a1c69a5031f3f81a5c100cb7d982f78ec9cfc3b5168ed8d75c7c484fb61a3cbf0e0f1,
                    ],
                );
            };
        }
    }

    #[test]
    fn is_arkworks() {
        super::same_engines::<mnt4_298::EngineConfig, ark_mnt4_298::Config>();
        same_groups::<mnt4_298::G1Config, ark_mnt4_298::g1::Config>();
        same_groups::<mnt4_298::G2Config, ark_mnt4_298::g2::Config>();
        same_bytes::<mnt4_298::G1Config, ark_mnt4_298::g1::Config>();
        same_bytes::<mnt4_298::G2Config, ark_mnt4_298::g2::Config>();
        same_pairings::<mnt4_298::Curve, ark_mnt4_298::MNT4_298>("mnt4_298");
    }

    #[cfg(feature = "long-tests")]
    ark_algebra_test_templates::test_field!(fq4; super::mnt4_298::Fq4);
    ark_algebra_test_templates::test_pairing!(pairing; super::mnt4_298::Engine);
}

#[cfg(all(feature = "mnt4-753", feature = "long-tests"))]
mod mnt4_753 {
    use super::super::{same_bytes, same_groups, same_pairings};
    use curvesmith_field_dsl::curve;

    curve! {
        pub(crate) mod mnt4_753 {
            crate = curvesmith_runtime;
            family: mnt4 {
                p = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db117e776f218059db80f0da5cb537e38685acce9767254a4638810719ac425f0e39d54522cdd119f5e9063de245e8001;
                r = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db26c5c28c859a99b3eebca9429212636b9dff97634993aa4d6c381bc3f0057974ea099170fa13a4fd90776e240000001;
                a = 2;
                b = 0x1373684a8c9dcae7a016ac5d7748d3313cd8e39051c596560835df0c9e50a5b59b882a92c78dc537e51a16703ec9855c77fc3d8bb21c8d68bb8cfb9db4b8c8fba773111c36c8b1b4e8f1ece940ef9eaad265458e06372009c9a0491678ef4;
                fq2_nonresidue = 13;
                fq { generator = 17; small_subgroup = 5^2; };
                fr { generator = 17; small_subgroup = 5^2; };
                g1_generator = (
                    0x542f1dad450bb76a02d86daaffbaeb69995eb9efa5546444d40c82d6a271f1a438626d1ef781d1de4ffb1f806b314c5ad3463d98a4ea009d57aad9716f708885feff338dd73a5a7eeecfbce7cf95d3c2ab23be1c24740af0fdeb3b7f1981,
                    0x4ab6473526e257b175ae94deb9e10aba4ba72f7fddcdea19cb10b2bf61f37ae2c456ee5599dd7c3dfa4100284833115aec5dea57ef53ee29157bdf1b741aebd423036db8fb990a342449caeb92fa6b031ea99cff05e05ec3be2e4a050358,
                );
                g2_generator = (
                    [
                        0x13e9dfbe8bd56ff16bfa1e610610d281270eaee6cbd5670c0ba020c7b973cd92d0c7cfc008ecbb54033590f5ea75f5e2604eac5e917e7ff66f105f7303f5a8f151f81dea47d9b8e8672092909b693706ce02af9c0ae6017a4c6080f41bbaf,
                        0xd4f3bdaf6bcdb61277e895ca25762d895a3101d6b431ffd2633426496bfad7f6fb2ed8c086832f8d2fce57ed6f2076954e19972f6da592d8441bd2aeb5690030fa3ba00357e516c309bd0a413bdde3c3c929796599dc94a79b2733a60f18,
                    ],
                    [
                        0x1af9c8749ff4a8b69d1f37083ed87e41db9b1acb15484d87da9935ab4fde4600c4d95471fe3987563fdb55a761daadc4ef13141d4b1b1586c2812fb73184e141fd4be6c83eb70309f33995675e51f8f9f251ec4dc1ad9b6be184838ab5fee,
                        0xbe4974c02aa414a41d2f0a00042834894abeeb564599eb69d1fb4be976dd0d2f0e2ede32ee9a10376400ea7a55347e6cd9ce0f70177e5f03576c08b59338d3a5de6f6db8baa484a6d2f023f5f629b4386026a0f641fd29b068fb1b02fc3d,
                    ],
                );
            };
        }
    }

    #[test]
    fn is_arkworks() {
        super::same_engines::<mnt4_753::EngineConfig, ark_mnt4_753::Config>();
        same_groups::<mnt4_753::G1Config, ark_mnt4_753::g1::Config>();
        same_groups::<mnt4_753::G2Config, ark_mnt4_753::g2::Config>();
        same_bytes::<mnt4_753::G1Config, ark_mnt4_753::g1::Config>();
        same_bytes::<mnt4_753::G2Config, ark_mnt4_753::g2::Config>();
        same_pairings::<mnt4_753::Curve, ark_mnt4_753::MNT4_753>("mnt4_753");
    }

    ark_algebra_test_templates::test_pairing!(pairing; super::mnt4_753::Engine);
}
