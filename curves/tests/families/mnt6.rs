//! MNT6-298 and MNT6-753.

use super::fp6::same_towers;
use super::same;
use ark_ec::mnt6::MNT6Config;

fn same_engines<A: MNT6Config, B: MNT6Config>() {
    same(&A::TWIST, &B::TWIST);
    same(&A::TWIST_COEFF_A, &B::TWIST_COEFF_A);
    assert_eq!((A::ATE_LOOP_COUNT, A::ATE_IS_LOOP_COUNT_NEG), (B::ATE_LOOP_COUNT, B::ATE_IS_LOOP_COUNT_NEG));
    assert_eq!(A::FINAL_EXPONENT_LAST_CHUNK_1.as_ref(), B::FINAL_EXPONENT_LAST_CHUNK_1.as_ref());
    let w0 = (A::FINAL_EXPONENT_LAST_CHUNK_ABS_OF_W0, B::FINAL_EXPONENT_LAST_CHUNK_ABS_OF_W0);
    assert_eq!(w0.0.as_ref(), w0.1.as_ref());
    assert_eq!(A::FINAL_EXPONENT_LAST_CHUNK_W0_IS_NEG, B::FINAL_EXPONENT_LAST_CHUNK_W0_IS_NEG);
    same_towers::<A::Fp6Config, B::Fp6Config>();
}

#[cfg(feature = "mnt6-298")]
mod mnt6_298 {
    use super::super::{same_bytes, same_groups, same_pairings};
    use curvesmith_field_dsl::curve;

    curve! {
        pub(crate) mod mnt6_298 {
            crate = curvesmith_runtime;
            family: mnt6 {
                p = 0x3bcf7bcd473a266249da7b0548ecaeec9635cf44194fb494c07925d6ad3bb4334a400000001;
                r = 0x3bcf7bcd473a266249da7b0548ecaeec9635d1330ea41a9e35e51200e12c90cd65a71660001;
                a = 11;
                b = 0xd68c7b1dc5dd042e957b71c44d3d6c24e683fc09b420b1a2d263fde47ddba59463d0c65282;
                fq3_nonresidue = 5;
                fq { generator = 10; };
                fr { generator = 17; small_subgroup = 7^2; };
                g1_generator = (
                    0x2a4feee24fd2c69d1d90471b2ba61ed56f9bad79b57e0b4c671392584bdadebc01abbc0447d,
                    0x32986c245f6db2f82f4e037bf7afd69cbfcbff07fc25d71e9c75e1b97208a333d73d91d3028,
                );
                g2_generator = (
                    [
                        0x34f7320a12b56ce532bccb3b44902cbaa723cd60035ada7404b743ad2e644ad76257e4c6813,
                        0xcf41620baa52eec50e61a70ab5b45f681952e0109340fec84f1b2890aba9b15cac5a0c80fa,
                        0x11f99170e10e326433cccb8032fb48007ca3c4e105cf31b056ac767e2cb01258391bd4917ce,
                    ],
                    [
                        0x3a65968f03cc64d62ad05c79c415e07ebd38b363ec48309487c0b83e1717a582c1b60fecc91,
                        0xca5e8427e5db1506c1a24cefc2451ab3accaea5db82dcb0c7117cc74402faa5b2c37685c6e,
                        0xf75d2dd88302c9a4ef941307629a1b3e197277d83abb715f647c2e55a27baf782f5c60e7f7,
                    ],
                );
            };
        }
    }

    #[test]
    fn is_arkworks() {
        super::same_engines::<mnt6_298::EngineConfig, ark_mnt6_298::Config>();
        same_groups::<mnt6_298::G1Config, ark_mnt6_298::g1::Config>();
        same_groups::<mnt6_298::G2Config, ark_mnt6_298::g2::Config>();
        same_bytes::<mnt6_298::G1Config, ark_mnt6_298::g1::Config>();
        same_bytes::<mnt6_298::G2Config, ark_mnt6_298::g2::Config>();
        same_pairings::<mnt6_298::Curve, ark_mnt6_298::MNT6_298>("mnt6_298");
    }

    #[cfg(feature = "long-tests")]
    ark_algebra_test_templates::test_field!(fq6; super::mnt6_298::Fq6);
    ark_algebra_test_templates::test_pairing!(pairing; super::mnt6_298::Engine);
}

#[cfg(all(feature = "mnt6-753", feature = "long-tests"))]
mod mnt6_753 {
    use super::super::{same_bytes, same_groups, same_pairings};
    use curvesmith_field_dsl::curve;

    curve! {
        pub(crate) mod mnt6_753 {
            crate = curvesmith_runtime;
            family: mnt6 {
                p = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db26c5c28c859a99b3eebca9429212636b9dff97634993aa4d6c381bc3f0057974ea099170fa13a4fd90776e240000001;
                r = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db117e776f218059db80f0da5cb537e38685acce9767254a4638810719ac425f0e39d54522cdd119f5e9063de245e8001;
                a = 11;
                b = 0x7da285e70863c79d56446237ce2e1468d14ae9bb64b2bb01b10e60a5d5dfe0a25714b7985993f62f03b22a9a3c737a1a1e0fcf2c43d7bf847957c34cca1e3585f9a80a95f401867c4e80f4747fde5aba7505ba6fcf2485540b13dfc8468a;
                fq3_nonresidue = 11;
                fq { generator = 17; small_subgroup = 5^2; };
                fr { generator = 17; small_subgroup = 5^2; };
                g1_generator = (
                    0x255f8e876e831147412cfb1002284f30338088131c2437e884c4997fd1dcb409367d0c0d5fc5e818771b931f1d5bdd069ce5e3c57b6df120cee3cd9d867e66d11acbf7da60895b8b3d9d442c4c4123329a6fefa9a1f3f7a1fbd93a7bffb8,
                    0x128c02fff6e2eb3fca70dc1063bac34551801202a3585bdd6d7722c6c07d7873bb02d4c7a18ed9c4bd3c7ed0ffb31c57e610dc7a593cce5a792e94d0020c335b74d9992f5cbf4b2cc4c42eff9a5a6c4521df9855687139f0c51754c0ccc49,
                );
                g2_generator = (
                    [
                        0x1267c08301ffc470b2c74e76ba49c796df729ff6b68f7cf7399947c68c8f8c065a7742922138b07b78bdd4039fc1bc9ec81adc2b8fa170129b4202c158d66a61fe12925cf0d266dfc3430ecaef072dcf07a24199b60542b75e5f0b36f7ebc,
                        0x1827732f805b7b8c7ba378b5f92be18fb0be4048b9c6325a99179cd231c9f32abe7874179a58a8c8505b8aff83c92eb50fc641e0a30499ba49f5f2facddc02082aa2f7c48af13fcb0f274bfc361d48335c71b59ae90240a6f6393835c7890,
                        0x18f5b1114d5b9cee18f45c43d8c85b0dbff4241c21ae3729f8a86d0af895a0ceebbfc180429245bed2b101fbf50445e8692443a03736d33a1b6f10235122dfe7bc306aa008ac103c6694ae9bfb5046dfb752448ff233a73f020c39d368566,
                    ],
                    [
                        0x1b7555e50829d36d864747081c5e62641dd349537d9d35715a434ce1557831773522b988bf6e73b358b239528c39ffc0b7b7dcc17e661f5c2180ab0c4789a4220334ef5a9aa0f9603fcd8edbab9e0c12f1bc58e0ee1646735675b756c457,
                        0x53f47f30457258ab9d593625c834d75c14d47a3d2ee8c7345438db8876e2eb929f3a14ee3efcc99b5515eb65d2157adb955d8fc4c25ff270d8c28ed7311f4f6e43f0f81fc9e1712d14ab0519a91b0f51bcaecc0726a5860d26cad3df2679,
                        0xe318a4c659b1fb58291798059833010dd5e611100ef0cda2999171ddb7371e8d3e06dfb7fbde0f7e481a01e399d5e567fe6b2b9e1f7b1453731e19e2b0d2d3fd75b8c94b3fc5395944539534016c6057d8e48c98a0b268d353a163b8ae79,
                    ],
                );
            };
        }
    }

    #[test]
    fn is_arkworks() {
        super::same_engines::<mnt6_753::EngineConfig, ark_mnt6_753::Config>();
        same_groups::<mnt6_753::G1Config, ark_mnt6_753::g1::Config>();
        same_groups::<mnt6_753::G2Config, ark_mnt6_753::g2::Config>();
        same_bytes::<mnt6_753::G1Config, ark_mnt6_753::g1::Config>();
        same_bytes::<mnt6_753::G2Config, ark_mnt6_753::g2::Config>();
        same_pairings::<mnt6_753::Curve, ark_mnt6_753::MNT6_753>("mnt6_753");
    }

    ark_algebra_test_templates::test_pairing!(pairing; super::mnt6_753::Engine);
}
