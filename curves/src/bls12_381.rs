//! BLS12-381: Bowe's curve of the Barreto-Lynn-Scott family at x = -0xd201000000010000.
//!
//! Constants: ark-bls12-381 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// BLS12-381: 381-bit coordinates, 255-bit scalars, two-adicity 32 of `Fr`.
    pub mod bls12_381 {
        crate = curvesmith_runtime;
        fq = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab {
            generator = 2;
            small_subgroup = 3^2;
        };
        fr = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001 {
            generator = 7;
            small_subgroup = 3^1;
        };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq {
            a = 0;
            b = 4;
            generator = (
                0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb,
                0x8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1,
            );
            cofactor = 0x396c8c005555e1568c00aaab0000aaab;
            constant_work;
        };
        g2: short_weierstrass over fq2 {
            a = [0, 0];
            b = [4, 4];
            generator = (
                [
                    0x24aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8,
                    0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e,
                ],
                [
                    0xce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801,
                    0x606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be,
                ],
            );
            cofactor = 0x5d543a95414e7f1091d50792876a202cd91de4547085abaa68a205b2e5a7ddfa628f1cb4d9e82ef21537e293a6691ae1616ec6e786f0c70cf1c38e31c7238e5;
            constant_work;
        };
        arkworks {
            fq = ark_bls12_381::Fq;
            fr = ark_bls12_381::Fr;
            fq2 = ark_bls12_381::Fq2;
            g1 = ark_bls12_381::G1Projective;
            g2 = ark_bls12_381::G2Projective;
            engine = ark_bls12_381::Bls12_381;
        }
    }
}
