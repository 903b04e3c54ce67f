//! MNT6-298 (Ben-Sasson, Chiesa, Tromer and Virza, 2014): a curve of Miyaji, Nakabayashi and Takano with
//! embedding degree 6, which makes a cycle with MNT4-298. The second group is over a cubic extension.
//!
//! Constants: ark-mnt6-298 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// MNT6-298: 298-bit coordinates, 10 words; two-adicity 17 of `Fr`.
    pub mod mnt6_298 {
        crate = curvesmith_runtime;
        fq = 0x3bcf7bcd473a266249da7b0548ecaeec9635cf44194fb494c07925d6ad3bb4334a400000001 {
            generator = 10;
        };
        fr = 0x3bcf7bcd473a266249da7b0548ecaeec9635d1330ea41a9e35e51200e12c90cd65a71660001 {
            generator = 17;
            small_subgroup = 7^2;
        };
        fq3 = fq[u] / (u^3 - 5);
        g1: short_weierstrass over fq {
            a = 11;
            b = 0xd68c7b1dc5dd042e957b71c44d3d6c24e683fc09b420b1a2d263fde47ddba59463d0c65282;
            generator = (
                0x2a4feee24fd2c69d1d90471b2ba61ed56f9bad79b57e0b4c671392584bdadebc01abbc0447d,
                0x32986c245f6db2f82f4e037bf7afd69cbfcbff07fc25d71e9c75e1b97208a333d73d91d3028,
            );
            cofactor = 1;
        };
        g2: short_weierstrass over fq3 {
            a = [0, 0, 11];
            b = [0x73c6aac069aeaec44dc18880f3682def1d36f7eeefa82ee21461980ba18ef8b14f13df9c89, 0, 0];
            generator = (
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
            cofactor = 0xdf94b3a10ace4c868d35ee98b8b1cd454f1a1f292d2362035024095209870c0f7ffbbf096e99fb6a637b933124e28403e0b413f4d65a5b22e7f6194104081d31771efd4719dec00000000;
        };
        arkworks {
            fq = ark_mnt6_298::Fq;
            fr = ark_mnt6_298::Fr;
            fq3 = ark_mnt6_298::Fq3;
            g1 = ark_mnt6_298::G1Projective;
            g2 = ark_mnt6_298::G2Projective;
            engine = ark_mnt6_298::MNT6_298;
        }
    }
}
